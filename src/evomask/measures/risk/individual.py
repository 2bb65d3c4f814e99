"""Risk of single records by their look-alikes, by weights, and of their households."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from evomask.arrays import Floats, Indices, Labels
from evomask.data.recoding import says_nothing
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import DataError, SchemaError
from evomask.measures.measure import About, Side
from evomask.measures.risk.privacy_models import released, released_classes

INDIVIDUAL = About(
    "reidentifications", "expected re-identifications", Side.PROPERTY,
    "how many released records an intruder who looks people up in the population is expected "
    "to identify",
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


def household_of(table: Table) -> str | None:
    """Name of the attribute that tells which records are of one household, if there is one."""
    names = table.schema.with_role(Role.HOUSEHOLD)
    if len(names) > 1:
        raise SchemaError(
            f"one household number is needed, and {', '.join(names)} have that role; keep one"
        )
    return names[0] if names else None


def households(table: Table, name: str) -> Labels:
    """The household of each record, numbered from 0; one without a number is on its own."""
    column = table[name]
    attribute = table.attribute(name)
    if column.dtype.kind == "f":
        missing = np.isnan(column)
    elif table.is_recoded(name):
        missing = says_nothing(table.recoding(name))[column]
    else:
        missing = (column == attribute.domain_size) & attribute.has_missing
    labels = np.unique(np.where(missing, -1, column), return_inverse=True)[1].astype(np.int64)
    labels[missing] = labels.max(initial=0) + 1 + np.arange(int(missing.sum()))
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def any_member_risk(risk: Floats, labels: Labels) -> Floats:
    """For each household the probability that some member is identified: 1 - prod(1 - risk).

    Members are taken to be identified independently of one another, as in sdcMicro.
    """
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    none: Floats = np.multiply.reduceat(1.0 - risk[order], starts)
    return 1.0 - none
