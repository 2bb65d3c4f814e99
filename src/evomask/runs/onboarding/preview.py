"""Previews before a search: column overview, uniqueness, cost of one candidate."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from evomask.data.classes import classes_of
from evomask.data.hierarchy import fit_hierarchy
from evomask.data.hierarchy_builders import complete_hierarchies
from evomask.data.roles.proposal import Proposal, propose
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.engine.evaluation import EvaluationContext, Settings
from evomask.engine.specialists import specialists_for
from evomask.errors import EvomaskError, SchemaError
from evomask.io.hierarchies import read_lines
from evomask.masking.enforce.requirement import parse_requirement
from evomask.measures.profiles import RiskProfile
from evomask.report.distributions import distribution
from evomask.runs.inputs import Input, load
from evomask.searches.base import SearchInput

CLASS_SIZES = (
    ("1", 1, 1),
    ("2", 2, 2),
    ("3 to 4", 3, 4),
    ("5 to 9", 5, 9),
    ("10 or more", 10, None),
)
"""Ranges of equivalence class sizes that are counted."""

MADE = 1.5
"""Duration of making and evaluating a file, relative to the evaluation of the original."""

MOST_CONTRIBUTIONS = 24
"""Quasi-identifiers up to which the contribution of each one is counted."""


@dataclass(frozen=True)
class Column:
    """Summary of a column that shows no values of single records.

    Args:
        why: reasons for the proposed role.
        cells: shares of the records in percent, over sufficiently large groups of values.
        levels: number of groups on each level of its hierarchy.
        trouble: why its hierarchy cannot be used, if so.
    """

    name: str
    label: str
    kind: str
    role: str
    proposed: str
    why: tuple[str, ...]
    distinct: int
    missing: int
    storage: str
    cells: tuple[tuple[str, float], ...] = ()
    levels: tuple[int, ...] = ()
    trouble: str = ""


@dataclass(frozen=True)
class Uniqueness:
    """Sample uniques and equivalence classes for a set of columns.

    Args:
        k: size of the smallest equivalence class.
        sizes: number of records in classes of each size range.
        adds: for each column, the records that are unique only because of it.
    """

    records: int
    uniques: int
    k: int
    sizes: dict[str, int]
    adds: dict[str, int]


@dataclass(frozen=True, eq=False)
class FileOverview:
    """A file with its schema, and the proposals for its columns."""

    table: Table = field(repr=False)
    columns: tuple[Column, ...]
    edits: tuple[str, ...]
    notes: tuple[str, ...]

    def uniqueness(self, names: Sequence[str]) -> Uniqueness:
        unknown = [name for name in names if name not in self.table.schema]
        if unknown:
            raise SchemaError(f"the file has no column {unknown[0]!r}; check the name")
        sizes = classes_of(self.table, names).sizes_of_records
        uniques = int((sizes == 1).sum())
        rest = names if len(names) <= MOST_CONTRIBUTIONS else ()
        adds = {name: uniques - self._uniques([n for n in names if n != name]) for name in rest}
        counted = {
            called: int(((sizes >= low) & (sizes <= (high or len(sizes)))).sum())
            for called, low, high in CLASS_SIZES
        }
        return Uniqueness(
            len(self.table), uniques, int(sizes.min()) if len(sizes) else 0, counted, adds
        )

    def _uniques(self, names: Sequence[str]) -> int:
        return int((classes_of(self.table, names).sizes == 1).sum()) if names else 0


def inspect_file(path: Path, schema: Path) -> FileOverview:
    """Summarize a file column by column, with the reasons for proposed roles."""
    loaded = load(Input(path, schema))
    table = loaded.table
    proposed = {proposal.name: proposal for proposal in propose(table).attributes}
    columns = tuple(_column(table, name, proposed[name]) for name in table.schema.names)
    return FileOverview(table, columns, table.schema.edits, loaded.notes)


def _column(table: Table, name: str, proposal: Proposal) -> Column:
    attribute, shown = table.attribute(name), distribution(table, table, name)
    distinct, missing = _count_values(table, name)
    levels, trouble = _hierarchy_levels(table, name)
    return Column(
        name=name,
        label=attribute.label,
        kind=attribute.kind.value,
        role=attribute.role.value,
        proposed=proposal.role.value,
        why=(proposal.why_role, proposal.why_kind, *proposal.remarks),
        distinct=distinct,
        missing=missing,
        storage=attribute.storage.value,
        cells=tuple(zip(shown.cells, shown.before, strict=True)) if shown else (),
        levels=levels,
        trouble=trouble,
    )


def _count_values(table: Table, name: str) -> tuple[int, int]:
    """Number of distinct values of a column, and of missing values."""
    attribute, cells = table.attribute(name), table[name]
    if attribute.kind is Kind.CONTINUOUS:
        missing = np.isnan(cells)
    else:
        missing = cells == (len(attribute.categories) - 1 if attribute.has_missing else -1)
    return len(np.unique(cells[~missing])), int(missing.sum())


def _hierarchy_levels(table: Table, name: str) -> tuple[tuple[int, ...], str]:
    """Number of groups on each level of a column's hierarchy, or why it cannot be used."""
    path = table.attribute(name).hierarchy
    if not path or not table.attribute(name).is_categorical:
        return (), ""
    try:
        tree = fit_hierarchy(name, read_lines(Path(path)), table)
    except EvomaskError as error:
        return (), str(error)
    return tuple(len(tree.labels(level)) for level in range(tree.height + 1)), ""


STRICT = RiskProfile.STRICT.value


@dataclass(frozen=True)
class SearchPreview:
    """Cost of one candidate, and the searches that apply.

    Args:
        seconds: for one candidate, on one core.
        risk: of the original, in percent.
    """

    seconds: float
    risk: float
    members: tuple[str, ...]


def preview_search(source: Input, require: str = "") -> SearchPreview:
    """Measure the original once, as every candidate will be measured."""
    loaded = load(source)
    trees = complete_hierarchies(loaded.table, loaded.hierarchies)
    file = SearchInput(loaded.table, parse_requirement(require), STRICT, trees)
    members = specialists_for(file, ())
    maker = EvaluationContext(loaded.table, Settings(file.requirement, STRICT, members), 0, trees)
    maker.load_kernels(lambda _: None)
    began = time.monotonic()
    risk = maker.original.risk
    names = tuple(dict.fromkeys(member.search for member in members.values()))
    return SearchPreview(MADE * (time.monotonic() - began), risk, names)
