"""The generalization search in the catalogue: its options, and value trees from files."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from evomask.data.partition import checked_k
from evomask.data.schema import MISSING, Kind, Role
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.schemes import Unbred
from evomask.evolution.setup import Setup, Surroundings
from evomask.evolution.stopping import Budget
from evomask.io.hierarchies import find_hierarchies, read_hierarchy
from evomask.masking.method import About
from evomask.searches.generalization.coarseness import NAME
from evomask.searches.generalization.groupings import Groupings
from evomask.searches.generalization.indices import index_named
from evomask.searches.generalization.lattice import Lattice, lattice_of
from evomask.searches.generalization.search import Algorithm, Conditions, put_together


@dataclass(frozen=True)
class Parameters:
    """What can be set on the search for generalizations.

    Args:
        hierarchies: folder with a value tree for each quasi-identifier, NAME.csv or as ARX
            names them; without it, the files that the schema names.
        attributes: what to generalize; by default all quasi-identifiers.
        objectives: what nodes are compared by: k, l, entropy, t, sk, sl, agreement, glm, cm,
            precision, discernibility, loss.
        suppression: percent of the records that may be suppressed.
        algorithm: guided (ours), pbg-ea (the paper's) or exhaustive.
        exhaustive: read every node; the same as the algorithm exhaustive.
        compare: tell CE and RR of what was found against every node.
        boxes: sides of boxes that hold one node each, one for each objective.
        label: the attribute to classify by, for cm.
        local: recode locally, each group of k records only as far as it needs.
        k: sizes of the groups that local recoding makes, one point each.
    """

    hierarchies: str = ""
    attributes: tuple[str, ...] = ()
    objectives: tuple[str, ...] = ("k", "glm")
    suppression: float = 0.0
    algorithm: Algorithm = Algorithm.GUIDED
    exhaustive: bool = False
    compare: bool = False
    boxes: tuple[float, ...] = ()
    label: str = ""
    local: bool = False
    k: tuple[int, ...] = (2, 3, 5, 10, 20, 50)

    def __post_init__(self) -> None:
        if not 0 <= self.suppression < 100:
            raise ParameterError(
                f"suppression must be at least 0 and below 100 percent, got {self.suppression:g}"
            )
        for name in self.objectives:
            index_named(name)


class GeneralizationSearch:
    """Generalize values up their hierarchies; how far up evolves, for many properties at once."""

    name = NAME
    parameters = Parameters
    budget = Budget(generations=100)
    about = About(
        name=NAME,
        title="generalization",
        steward=(
            "[values given less exactly: {levels:levels}|records put into groups of {k} or "
            "more, each given as exactly as it allows: {attributes}|values as they are][, "
            "{suppressed:records} left out]"
        ),
        public="Values were replaced by less detailed ones, as an age by an age group.",
    )

    def setup(self, table: Table, parameters: Parameters, around: Surroundings) -> Setup[Any]:
        """The lattice of the quasi-identifiers' trees, and a search through it."""
        lattice = lattice_for(table, parameters)
        if parameters.local:
            wanted = tuple(checked_k(k, len(table)) for k in parameters.k)
            return Setup(Groupings(lattice, wanted), Unbred(), len(wanted), cost=lambda f: f[1])
        algorithm = Algorithm.EXHAUSTIVE if parameters.exhaustive else parameters.algorithm
        conditions = Conditions(
            limit=int(len(table) * parameters.suppression / 100),
            boxes=parameters.boxes,
            compare=parameters.compare,
        )
        indices = [index_named(name) for name in parameters.objectives]
        return put_together(lattice, indices, algorithm, conditions)


GENERALIZATION = GeneralizationSearch()


def lattice_for(table: Table, parameters: Parameters) -> Lattice:
    """The lattice over a table's quasi-identifiers, numbers among them taken as categories.

    The first confidential attribute that has categories is the sensitive one.
    """
    label = parameters.label or None
    named = parameters.attributes or table.schema.quasi_identifiers
    names = [name for name in named if name != label]
    paths = _paths(table, parameters, names)
    for name in (*names, *([label] if label else [])):
        if not table.attribute(name).is_categorical:
            table = with_categories(table, name)
    trees = {name: read_hierarchy(paths[name], table, name) for name in names}
    confidential = table.schema.with_role(Role.CONFIDENTIAL)
    sensitive = (name for name in confidential if table.attribute(name).is_categorical)
    return lattice_of(table, trees, sensitive=next(sensitive, None), label=label)


def _paths(table: Table, parameters: Parameters, names: list[str]) -> dict[str, Path]:
    """The file of each attribute's tree."""
    for name in names:
        table.attribute(name)
    found = {a.name: Path(a.hierarchy) for a in table.schema if a.hierarchy}
    if parameters.hierarchies:
        found |= find_hierarchies(Path(parameters.hierarchies), names)
    lacking = [name for name in names if name not in found]
    if lacking:
        raise SchemaError(
            f"no hierarchy for {lacking[0]!r}; add a file to --hierarchies, "
            "or name what to generalize with --attributes"
        )
    return found


def with_categories(table: Table, name: str) -> Table:
    """The table with a number's values as ordered categories."""
    values = table.values(name)
    known = np.unique(values[~np.isnan(values)])
    codes = np.searchsorted(known, values)
    labels = tuple(_text(value) for value in known)
    if np.isnan(values).any():
        codes = np.where(np.isnan(values), len(known), codes)
        labels = (*labels, MISSING)
    attribute = replace(table.attribute(name), kind=Kind.ORDINAL, categories=labels, decimals=None)
    schema = table.schema.replacing([attribute])
    columns = {**table.columns, name: codes}
    return replace(table, schema=schema, columns=columns)


def _text(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))
