"""Linked: the chance, averaged over people, that an intruder picks their record."""

import numpy as np

from evomask.arrays import Flags, Floats, Indices
from evomask.kernels.linking.boxes import links
from evomask.measures.judging.released import Known, Released, Steps
from evomask.measures.risk.space import Space

TOLERANCE = 0.1
"""Numbers agree within this share of the standard deviation."""

RARELY = 1e-6
"""Nothing is taken to agree less often, or to differ less often."""


def chances_by_distance(released: Released, known: Known) -> Floats:
    """For each class of people: the chance that the nearest record, ties shared, is their own.

    A record that equals a person in everything known counts as theirs wherever it stands,
    shared among as many as are equal in either file: an order that was shuffled hides nobody.
    A cell that covers several values is as good as equal to as many people as it may cover.
    """
    costs = released.distances(known)
    covered = released.covered(known)
    found = links(released.boxes, costs, released.people, released.search, covered)
    near, own, apart, alike = found.T
    sizes = released.sample.sizes
    shared = np.maximum(np.maximum(near, sizes), alike)
    others = np.where(apart == 0.0, (sizes - own) / shared, 0.0)
    chances: Floats = (own / near + others) / sizes
    return chances


def chances_by_agreement(released: Released, known: Known) -> Floats:
    """For each class of people: the chance that the record of highest weight is their own.

    Weights are those of Fellegi and Sunter, by an intruder who knows how often masking keeps
    the values of each attribute.
    """
    steps = released.steps.get(released.passing_over) or weights_of_agreement(released, known)
    costs = released.differences(known, steps)
    nobody = np.zeros(len(released.boxes.counts))
    found = links(released.boxes, costs, released.people, released.search, nobody)
    near, own, _, _ = found.T
    chances: Floats = own / near / released.sample.sizes
    return chances


def weights_of_agreement(released: Released, known: Known) -> Steps:
    """What each known attribute adds to the weight of a pair where it agrees.

    The logarithm of the odds that people agree with their own record, over those that they
    agree with any.
    """
    space = released.space
    tolerances = tolerances_of(space)
    numbers, codes = np.zeros(len(space.numbers)), np.zeros(len(space.categories))
    for a in np.flatnonzero(known.numbers).tolist():
        numbers[a] = worth(*_number_agreements(released, a, float(tolerances[a])))
    for j in np.flatnonzero(known.codes).tolist():
        codes[j] = worth(*_code_agreements(released, j, released.tables[j] == 0.0))
    return Steps(numbers, codes, tolerances)


def worth(with_own: float, with_any: float) -> float:
    """The logarithm of a ratio of odds, none of them certain."""
    shares = np.clip([with_own, with_any], RARELY, 1.0 - RARELY)
    own, others = np.log(shares) - np.log1p(-shares)
    return float(own - others)


def _code_agreements(released: Released, j: int, agree: Flags) -> tuple[float, float]:
    """How often people agree with their own record, and with any, in a code attribute."""
    sample, column, cells = released.sample, released.space.categories[j], released.masked.cells[j]
    members, _ = sample.members
    own = agree[column.codes[members], cells.codes[members]].astype(np.float64)
    shares = agree @ np.bincount(cells.codes, minlength=len(cells)) / len(cells.codes)
    return sample.mean(sample.within(own)), sample.mean(
        shares[column.codes[sample.representatives]]
    )


def _number_agreements(released: Released, a: int, tolerance: float) -> tuple[float, float]:
    """The same in a number; missing agrees with missing."""
    sample, values = released.sample, released.space.numbers[a].values
    low, high = released.ends(a)
    members, _ = sample.members
    own = agree(values[members], low[members], high[members], tolerance)
    agreeing = n_agreeing(values[sample.representatives], low, high, tolerance) / len(low)
    return sample.mean(sample.within(own.astype(np.float64))), sample.mean(agreeing)


def tolerances_of(space: Space) -> Floats:
    """How far numbers may be apart and still agree."""
    return TOLERANCE * np.array([column.deviation for column in space.numbers], dtype=np.float64)


def agree(people: Floats, low: Floats, high: Floats, tolerance: float) -> Flags:
    """Whether each person agrees with the cell at the same place; missing does with missing."""
    within: Flags = (low <= people + tolerance) & (high >= people - tolerance)
    return within | (np.isnan(people) & np.isnan(low))


def n_agreeing(people: Floats, low: Floats, high: Floats, tolerance: float) -> Indices:
    """With how many of all cells each person agrees."""
    below = np.searchsorted(np.sort(low), people + tolerance, "right")
    above = np.searchsorted(np.sort(high), people - tolerance, "left")
    return np.where(np.isnan(people), np.isnan(low).sum(), below - above).astype(np.int64)
