"""Re-identification: probability that an intruder picks the record of a target."""

import numpy as np

from evomask.kernels.linking.boxes import Costs
from evomask.measures.disclosure.release_index import AgreementWeights, Knowledge, ReleaseIndex
from evomask.measures.targets import UnitSample
from evomask.types import Flags, Floats, Indices, Points

TOLERANCES = (1e-6, 0.01, 0.1)
"""Numbers agree within one of these shares of the standard deviation, the most informative one.

Where masking leaves a number as it is in most records, even a small difference tells that a record
is another person's; where it adds noise, only the widest finds a person's own record.
"""

SMALLEST_SHARE = 1e-6
"""Bound that keeps probabilities of agreement away from 0 and 1."""


def distance_linkage_chances(index: ReleaseIndex, links: Points) -> Floats:
    """For each equivalence class of targets, the chance that the nearest record is their own.

    Ties are shared. A record that equals a target in every known attribute counts as the
    target's own wherever it is in the file, shared among all records and targets that are
    equal, so that a shuffled order protects nobody; where everything that is neither known nor
    masked is in its place, such a record must be equal in that too. A cell that covers several
    values counts as equal to the expected number of individuals that it covers. Of a unit with
    several records, a link to any of them is right.

    Args:
        links: what `attack` found of each class.
    """
    near, own, apart, equal = links.T
    sizes, at_hand = index.sample.sizes, index.sample.at_hand
    shared = np.maximum(np.maximum(near, sizes), equal)
    own_members = np.minimum(own, at_hand)
    moved = np.where(apart == 0.0, at_hand - own_members, 0.0)
    if index.rest is not None and index.released.are_plain and moved.any():
        moved = np.minimum(moved, index.members_elsewhere)
    chances: Floats
    if isinstance(index.sample, UnitSample):
        alike = np.where(apart == 0.0, own_members + moved, 0.0)
        chances = np.maximum(own / near, alike / shared)
    else:
        chances = (own_members / near + moved / shared) / at_hand
    return chances


def agreement_linkage_chances(index: ReleaseIndex, links: Points) -> Floats:
    """For each class of targets, the chance that the record of highest weight is their own.

    Fellegi-Sunter weights of an intruder who knows how often masking leaves each attribute
    unchanged.
    """
    near, own, _, _ = links.T
    members = 1 if isinstance(index.sample, UnitSample) else index.sample.at_hand
    chances: Floats = own / near / members
    return chances


def agreement_costs(index: ReleaseIndex, known: Knowledge) -> Costs:
    """Costs by weights of agreement, estimated from the release unless they are known."""
    weights = index.steps.get(index.passing_over) or agreement_weights(index, known)
    return index.differences(known, weights)


def agreement_weights(index: ReleaseIndex, known: Knowledge) -> AgreementWeights:
    """Compute the weight of agreement of each known attribute.

    The logarithm of the odds that a target agrees with its own record, over the odds that it
    agrees with any record.
    """
    space = index.space
    tolerances = np.zeros(len(space.numbers))
    numbers, codes = np.zeros(len(space.numbers)), np.zeros(len(space.categories))
    for a in np.flatnonzero(known.numbers).tolist():
        tried = [share * float(space.numbers[a].deviation) for share in TOLERANCES]
        shares = [_number_agreement(index, a, tolerance) for tolerance in tried]
        best = int(np.argmax([agreement_information(*own_and_any) for own_and_any in shares]))
        tolerances[a], numbers[a] = tried[best], log_odds_ratio(*shares[best])
    for j in np.flatnonzero(known.codes).tolist():
        codes[j] = log_odds_ratio(*_code_agreement(index, j, index.codes[j].agrees))
    return AgreementWeights(numbers, codes, tolerances)


def log_odds_ratio(with_own: float, with_any: float) -> float:
    """Logarithm of the ratio of the odds of two probabilities, both bounded away from 0 and 1."""
    shares = np.clip([with_own, with_any], SMALLEST_SHARE, 1.0 - SMALLEST_SHARE)
    own, others = np.log(shares) - np.log1p(-shares)
    return float(own - others)


def agreement_information(with_own: float, with_any: float) -> float:
    """Information on whether a record is the target's own, in its agreement or disagreement.

    The divergence of Kullback and Leibler between the probabilities of agreement with the own
    record and with any record.
    """
    own, others = np.clip([with_own, with_any], SMALLEST_SHARE, 1.0 - SMALLEST_SHARE)
    agrees, differs = np.log(own / others), np.log((1.0 - own) / (1.0 - others))
    return float(own * agrees + (1.0 - own) * differs)


def _code_agreement(index: ReleaseIndex, j: int, agree: Flags) -> tuple[float, float]:
    """Share of targets that agree with their own record, and with any, in a category."""
    sample, column, released = index.sample, index.space.categories[j], index.released.categories[j]
    members, _ = sample.members
    own = agree[column.codes[members], released.codes[members]].astype(np.float64)
    counts = np.bincount(released.codes, minlength=agree.shape[1])
    shares = (agree * counts).sum(axis=1) / len(released.codes)
    with_any = shares[column.codes[sample.representatives]]
    return sample.mean(sample.within(own)), sample.mean(with_any)


def _number_agreement(index: ReleaseIndex, a: int, tolerance: float) -> tuple[float, float]:
    """Share of targets that agree with their own record, and with any, in a number."""
    sample, values = index.sample, index.space.numbers[a].values
    low, high = index.ends(a)
    members, _ = sample.members
    own = agree(values[members], low[members], high[members], tolerance)
    with_any = count_agreeing(values[sample.representatives], low, high, tolerance) / len(low)
    return sample.mean(sample.within(own.astype(np.float64))), sample.mean(with_any)


def agree(values: Floats, low: Floats, high: Floats, tolerance: float) -> Flags:
    """Whether each value agrees with the cell at its position; missing agrees with missing."""
    within: Flags = (low <= values + tolerance) & (high >= values - tolerance)
    return within | (np.isnan(values) & np.isnan(low))


def count_agreeing(values: Floats, low: Floats, high: Floats, tolerance: float) -> Indices:
    """Number of all cells with which each value agrees."""
    ascending = np.sort(low)
    below = np.searchsorted(ascending, values + tolerance, "right")
    other = ascending if high is low else np.sort(high)
    above = np.searchsorted(other, values - tolerance, "left")
    return np.where(np.isnan(values), np.isnan(low).sum(), below - above).astype(np.int64)
