"""Risk of single records: individual risk by weights, and special uniques (SUDA2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, inf, prod

import numpy as np

from evomask.arrays import Flags, Floats, Indices
from evomask.data.classes import classes_of_columns
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError, SchemaError
from evomask.measures.measure import About, Side
from evomask.measures.risk.privacy_models import released, released_classes

INDIVIDUAL = About(
    "reidentifications", "expected re-identifications", Side.PROPERTY,
    "how many released records an intruder who looks people up in the population is expected "
    "to identify",
    low=0, high=inf,
)  # fmt: skip
SPECIAL_UNIQUES = About(
    "suda", "records that are unique on few attributes (SUDA2)", Side.PROPERTY,
    "the number of released records that stand out, and how few attributes it takes",
    low=0, high=inf,
)  # fmt: skip


NEARLY_ALL = 1e-4
"""With less outside the sample the formula for two look-alikes cancels; a series takes over."""


@dataclass(frozen=True, eq=False)
class IndividualRisk:
    """Estimates for each released record.

    Args:
        sample: look-alikes in the file.
        population: their estimated number in the population, the sum of their weights.
        risk: probability of a right identification.
    """

    sample: Indices
    population: Floats
    risk: Floats

    @property
    def expected_reidentifications(self) -> float:
        """How many records are expected to be re-identified: the sum of all risks."""
        return float(self.risk.sum())


def individual_risk(
    table: Table, names: Sequence[str], weight: str | None = None
) -> IndividualRisk:
    """Risk of each released record by Benedetti and Franconi (1998).

    With f look-alikes in the sample, p = f / (sum of their weights) and q = 1 - p the risk is
    the mean of 1 / population size under a negative binomial population: (p/q) log(1/p) for
    f = 1, p/q - (p/q)² log(1/p) for f = 2, and from 3 on the customary p / (f - q), which is
    a few percent above at most. Without a weight the file is taken as the whole population and
    the risk is 1 / f.
    """
    classes = released_classes(table, names)
    weights = survey_weights(released(table), weight)
    sizes = classes.sizes_of_records
    population = np.bincount(classes.labels, weights=weights).astype(np.float64)[classes.labels]
    share = np.minimum(sizes / population, 1.0)
    return IndividualRisk(sizes, population, _mean_inverse_population(sizes, share))


def _mean_inverse_population(sizes: Indices, share: Floats) -> Floats:
    rest = 1.0 - share
    odds = np.divide(share, rest, out=np.ones_like(share), where=rest > 0)
    of_uniques = np.where(rest > 0, -odds * np.log(share), 1.0)
    nearly_all = share - share**2 * (1 / 2 + rest / 3 + rest**2 / 4)
    of_pairs = np.where(rest > NEARLY_ALL, odds + odds**2 * np.log(share), nearly_all)
    return np.select([sizes == 1, sizes == 2], [of_uniques, of_pairs], share / (sizes - rest))


def survey_weights(table: Table, weight: str | None) -> Floats:
    """The weight of each record, all positive; 1 where the table has none."""
    if weight is None:
        return np.ones(len(table))
    values = table.values(weight)
    wrong = np.flatnonzero(~(values > 0))
    if len(wrong):
        raise DataError(
            f"weight {weight!r} is zero, negative or missing in record {wrong[0] + 1}; "
            "give every record a positive weight"
        )
    return values


def weight_of(table: Table) -> str | None:
    """Name of the attribute that is the survey weight, if there is one."""
    names = table.schema.with_role(Role.WEIGHT)
    if len(names) > 1:
        raise SchemaError(f"one weight is needed, and {', '.join(names)} are weights; keep one")
    return names[0] if names else None


@dataclass(frozen=True, eq=False)
class SpecialUniques:
    """Scores of each released record by its minimal sample uniques.

    Args:
        sizes: column s holds how many sets of s attributes make the record unique while no
            smaller set inside does.
        score: the sum over those sets; fewer attributes weigh more.
        risk: the score turned into a probability of a right match (DIS-SUDA).
    """

    sizes: Indices
    score: Floats
    risk: Floats


MOST_SETS = 20_000


def special_uniques(
    table: Table, names: Sequence[str], *, largest: int | None = None, fraction: float = 0.01
) -> SpecialUniques:
    """Minimal sample uniques of up to *largest* attributes (Elliot et al. 2002, SUDA2).

    A set of s among m attributes scores (m - s)(m - s - 1) … down to the factor m - largest,
    at least 1. The risk is scaled so that it fits the data intrusion simulation: with U
    uniques, P records with exactly one twin and *fraction* the
    sampling fraction, U fraction / (U fraction + P (1 - fraction)).
    """
    if not 0 < fraction < 1:
        raise ParameterError(f"the sampling fraction must lie in (0, 1), got {fraction}")
    most = len(names) if largest is None else largest
    if not 1 <= most <= len(names):
        raise ParameterError(f"largest must lie in 1 to {len(names)}, got {most}")
    if max(comb(len(names), size) for size in range(1, most + 1)) > MOST_SETS:
        raise ParameterError(
            f"{len(names)} attributes have too many sets of up to {most}; give a smaller largest"
        )
    classes = released_classes(table, names)
    minimal = _minimal_sets(released(table), names, most)
    points = [prod(range(max(1, len(names) - most), len(names) - s + 1)) for s in range(most + 1)]
    score = (minimal @ np.array(points)).astype(np.float64)
    doubles = 2 * int(np.sum(classes.sizes == 2))
    uniques = int(np.sum(classes.sizes == 1))
    return SpecialUniques(
        minimal, score, _match_risk(score, uniques, doubles, fraction, len(names))
    )


def _minimal_sets(table: Table, names: Sequence[str], most: int) -> Indices:
    """For each record and size, how many minimal sets of that size make it unique."""
    minimal = np.zeros((len(table), most + 1), dtype=np.int64)
    below: dict[tuple[int, ...], Flags] = {(): np.full(len(table), len(table) == 1)}
    for size in range(1, most + 1):
        sets = combinations(range(len(names)), size)
        unique = {chosen: _unique(table, [names[j] for j in chosen]) for chosen in sets}
        for chosen, flags in unique.items():
            inside = [below[chosen[:j] + chosen[j + 1 :]] for j in range(size)]
            minimal[:, size] += flags & ~np.logical_or.reduce(inside)
        below = unique
    return minimal


def _unique(table: Table, names: Sequence[str]) -> Flags:
    classes = classes_of_columns([table[name] for name in names], len(table))
    alone: Flags = classes.sizes_of_records == 1
    return alone


def _match_risk(
    score: Floats, uniques: int, doubles: int, fraction: float, n_attributes: int
) -> Floats:
    """Probabilities whose average odds against a match fit the simulated ones.

    The odds against fall with the score to the power 1 + (8 - attributes) / 20.
    """
    matched = score > 0
    power = 1.0 + (8.0 - n_attributes) / 20.0
    against = np.where(matched, np.maximum(score, 1.0), 1.0) ** -power
    if not matched.any() or doubles == 0:
        return matched.astype(np.float64)
    simulated = uniques * fraction / (uniques * fraction + doubles * (1 - fraction))
    scale = uniques * (1 / simulated - 1) / against[matched].sum()
    return np.where(matched, 1.0 / (1.0 + scale * against), 0.0)
