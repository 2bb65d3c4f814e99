"""Special uniques as an audit shows them: counts and histograms, no record's values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evomask.arrays import Floats
from evomask.data.table import Table
from evomask.measures.risk.individual import weight_of
from evomask.measures.risk.privacy_models import released, released_classes
from evomask.measures.risk.records import EDGES, MINIMUM, Cell, histogram
from evomask.measures.risk.special_uniques import largest_audited, special_uniques

USUAL_FRACTION = 0.01
"""Sampling fraction where no weights tell it, as is customary."""

NEARLY_ALL = 0.99


@dataclass(frozen=True)
class SpecialRisk:
    """What few attributes are enough to make records unique, and how risky that is.

    Args:
        records: how many records are unique on some set of attributes.
        sets: at place s - 1 how many sets of s attributes make a record unique while no
            smaller set inside does.
        contributions: by attribute the percentage of all scores that comes from sets in which
            it takes part, the largest first.
        scores: records by their score, those without any left out.
        cells: all records by the probability of a right match in percent (DIS).
        average: mean of that probability in percent.
        expected: its sum, the number of right matches that is expected.
        fraction: share of the population that is taken to be in the file.
        largest: sets of more attributes were not looked at.
    """

    records: int
    sets: tuple[int, ...]
    contributions: Mapping[str, float]
    scores: tuple[Cell, ...]
    cells: tuple[Cell, ...]
    average: float
    expected: float
    fraction: float
    largest: int
    minimum: int


def special_risk(table: Table, names: Sequence[str], minimum: int = MINIMUM) -> SpecialRisk:
    """Minimal sample uniques of the released records, as large as can be looked at soon."""
    kept = released(table)
    fraction = _fraction(kept)
    largest = largest_audited(len(names), len(released_classes(kept, names)))
    found = special_uniques(kept, names, largest=largest, fraction=fraction)
    shares = dict(zip(names, found.contributions.tolist(), strict=True))
    scores = found.score[found.score > 0]
    return SpecialRisk(
        len(scores),
        tuple(found.sizes[:, 1:].sum(axis=0).tolist()),
        dict(sorted(shares.items(), key=lambda item: -item[1])),
        histogram(scores, _edges(scores), minimum) if len(scores) else (),
        histogram(100.0 * found.risk, EDGES, minimum),
        float(100.0 * found.risk.mean()),
        float(found.risk.sum()),
        fraction,
        largest,
        minimum,
    )


def _fraction(table: Table) -> float:
    """The share of the population in the file, as its weights tell."""
    weight = weight_of(table)
    if weight is None:
        return USUAL_FRACTION
    return float(min(len(table) / table.values(weight).sum(), NEARLY_ALL))


def _edges(scores: Floats) -> list[float]:
    """1, 2, 5, 10, 20, 50 and so on up to the largest score, from 0."""
    edges = [0.0]
    while edges[-1] < scores.max():
        power, digit = divmod(len(edges) - 1, 3)
        edges.append(float((1, 2, 5)[digit] * 10**power))
    return edges
