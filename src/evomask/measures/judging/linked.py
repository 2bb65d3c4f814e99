"""Linked: the chance, averaged over people, that an intruder picks their record."""

import numpy as np

from evomask.arrays import Floats, Indices
from evomask.kernels.linking.boxes import links, tally
from evomask.measures.judging.released import Known, Released, Steps
from evomask.measures.risk.fellegi_sunter import fitted

MOST_ATTRIBUTES = 20
"""Agreements of more attributes are not weighed: there are too many ways to agree."""

TOLERANCE = 0.1
"""Numbers agree within this share of the standard deviation."""

PAIRS = 4_000_000
FEWEST = 30
"""The model of agreement is fitted to about so many pairs, and so many people at least."""


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

    Weights are those of Fellegi and Sunter, from a model fitted to the pairs of people and
    records by expectation and maximisation.
    """
    costs = released.differences(known, _steps(released, known))
    nobody = np.zeros(len(released.boxes.counts))
    near, own, _, _ = links(
        released.boxes, costs, released.people, released.search, nobody
    ).T  # fmt: skip
    chances: Floats = own / near / released.sample.sizes
    return chances


def _steps(released: Released, known: Known) -> Steps:
    """What each known attribute adds to the weight of a pair where it agrees."""
    deviations = [column.deviation for column in released.space.numbers]
    tolerances = TOLERANCE * np.array(deviations, dtype=np.float64)
    even = Steps(np.ones(len(known.numbers)), np.ones(len(known.codes)), tolerances)
    number_bits, code_bits = _bits(known)
    chosen = _fitted_to(released)
    counts = tally(
        released.boxes, released.differences(known, even), released.people, chosen,
        released.sample.weights[chosen].astype(np.float64), number_bits, code_bits,
    )  # fmt: skip
    seen = np.flatnonzero(counts)
    agree, differ = fitted(seen, counts[seen], len(known)).attribute_weights()
    worth = agree - differ
    numbers, codes = np.zeros(len(known.numbers)), np.zeros(len(known.codes))
    split = int(known.numbers.sum())
    numbers[known.numbers], codes[known.codes] = worth[:split], worth[split:]
    return Steps(numbers, codes, tolerances)


def _bits(known: Known) -> tuple[Indices, Indices]:
    flags = np.concatenate([known.numbers, known.codes])
    bits = np.where(flags, 1 << np.maximum(np.cumsum(flags) - 1, 0), 0).astype(np.int64)
    return bits[: len(known.numbers)].copy(), bits[len(known.numbers) :].copy()


def _fitted_to(released: Released) -> Indices:
    """Places of the people that the model is fitted to: all, or some evenly spread."""
    every = len(released.sample.chosen)
    wanted = max(FEWEST, PAIRS // max(1, len(released.boxes.counts)))
    if wanted >= every:
        return np.arange(every)
    return (np.arange(wanted) * every // wanted).astype(np.int64)
