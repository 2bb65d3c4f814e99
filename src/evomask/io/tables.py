"""Tables read from files and written to files, with read-back of every written file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import polars as pl

from evomask.data.classes import classes_of
from evomask.data.dates import dates_of
from evomask.data.frames import (
    Declarations,
    Frame,
    polars_from,
    to_polars,
)
from evomask.data.partition import canonical
from evomask.data.schema import MISSING, Kind, Role
from evomask.data.table import Table
from evomask.data.units import UnitLevel, unit_labels, unit_of, units_in
from evomask.errors import FileError
from evomask.io.dialects import Dialect, compress
from evomask.io.files import check_name, check_target, write_atomically
from evomask.io.formats import (
    BY_ENDING,
    TSV,
    WRITABLE,
    Output,
    compression_of,
    ending_of,
    read_file,
    source_from_frame,
    unknown_format,
)
from evomask.io.formulas import (
    count_formulas,
    escape_formulas,
    escape_texts,
    note_on_formulas,
)
from evomask.io.readback import (
    ConfidentialSpec,
    ReadbackResult,
    ReleaseSpec,
    ScenarioSpec,
    check_written,
)
from evomask.io.sources import Origin, Source


@dataclass(frozen=True)
class WrittenFile:
    """A written release: written and suppressed records, result of the read-back, notes."""

    path: Path
    records: int
    suppressed: int
    reading: ReadbackResult
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class PrivacyRequirements:
    """Required k-anonymity, l-diversity and t-closeness of a file; 1 requires nothing."""

    k: int = 1
    l: int = 1  # noqa: E741
    t: float = 1.0


NO_REQUIREMENTS = PrivacyRequirements()

ByScenario: TypeAlias = Mapping[str, PrivacyRequirements]
"""Requirements by the name of a scenario; those that are not named require nothing."""


def read_source(path: Path, dialect: Dialect | None = None) -> Source:
    """Read a file with its metadata; its ending determines the format."""
    check_name(path)
    if not path.is_file():
        raise FileError(f"there is no file {path}; check the name")
    return read_file(path, dialect or Dialect())


def source_of(frame: Frame) -> Source:
    """Wrap a data frame as if it had been read from a file."""
    return source_from_frame(to_polars(frame))


def read_frame(path: Path, dialect: Dialect | None = None) -> pl.DataFrame:
    """Read a file as a data frame."""
    return read_source(path, dialect).frame


def read_table(
    path: Path, declarations: Declarations | None = None, dialect: Dialect | None = None
) -> Table:
    """Read a file as a table with the declared kinds and roles; the rest is inferred."""
    return read_source(path, dialect).table(declarations)


def write_table(
    table: Table,
    path: Path,
    *,
    force: bool = False,
    dialect: Dialect | None = None,
    origin: Origin | None = None,
    asked: PrivacyRequirements = NO_REQUIREMENTS,
    by_scenario: ByScenario = MappingProxyType({}),
    spec: ReleaseSpec | None = None,
) -> WrittenFile:
    """Write the records to release, without identifiers and suppressed records.

    The file is read back and checked before it gets its name; one that fails is deleted.

    Args:
        dialect: dialect of a text file; by default comma, decimal point and UTF-8.
        origin: file that the table was masked from; unchanged columns are written as in it.
        asked: privacy models that the file must satisfy; it must also have the k of the table.
        by_scenario: privacy models that it must satisfy in scenarios, in place of *asked*.
        spec: specification that it must satisfy, in place of the one that follows from these.
    """
    check_table_target(path, force=force)
    ending, spec = ending_of(path), spec or release_spec(table, asked, by_scenario)
    dialect = _dialect_for(ending, dialect, origin)
    same_format = origin and BY_ENDING.get(ending_of(origin.path)) is BY_ENDING[ending]
    frame = polars_from(table, origin.untouched(table) if origin and same_format else {})
    results: list[ReadbackResult] = []
    notes: tuple[str, ...] = ()
    if BY_ENDING[ending].is_compressible:
        are_escaped = dialect is not None and dialect.escape_formulas
        notes = note_on_formulas(count_formulas(frame), are_escaped=are_escaped)
        if notes and are_escaped:
            frame, spec = escape_formulas(frame), with_escaped_order(spec)

    def write(temporary: Path) -> None:
        writer = BY_ENDING[ending].write
        assert writer is not None  # noqa: S101 - checked with the target
        writer(Output(table=table, frame=frame, path=temporary, ending=ending, dialect=dialect))
        if compression := compression_of(path):
            temporary.write_bytes(compress(temporary.read_bytes(), compression))
        results.append(check_written(temporary, spec, dialect, name=path.name))

    write_atomically(path, write, force=force)
    return WrittenFile(path, spec.records, len(table) - spec.records, results[0], notes)


def with_escaped_order(spec: ReleaseSpec) -> ReleaseSpec:
    """The same specification for escaped cells."""
    confidential = {
        name: replace(own, order=tuple(escape_texts(own.order)))
        for name, own in spec.confidential.items()
    }
    return replace(spec, confidential=confidential)


def release_spec(
    table: Table,
    asked: PrivacyRequirements = NO_REQUIREMENTS,
    by_scenario: ByScenario = MappingProxyType({}),
    levels: Sequence[UnitLevel] = (),
) -> ReleaseSpec:
    """Specification that the file of a masked table must satisfy.

    Args:
        levels: kinds of units, with the columns that must be constant in each.
    """
    released = table.take(np.flatnonzero(~table.suppressed))
    names = table.schema.quasi_identifiers
    columns = tuple(a.name for a in table.schema if a.role.is_released or a.is_replaced)
    kinds = {level.unit: canonical(unit_labels(released, level.unit)) for level in levels}
    unit = unit_of(table.schema) if kinds else ""
    return ReleaseSpec(
        records=len(released),
        columns=columns,
        absent=tuple(name for name in table.schema.names if name not in columns),
        quasi_identifiers=names,
        confidential={
            name: _confidential_spec(table, name)
            for name in table.schema.with_role(Role.CONFIDENTIAL)
        },
        k=max(asked.k, _smallest_class(released, names, unit)),
        l=asked.l,
        t=asked.t,
        scenarios=_scenario_specs(released, by_scenario, counts_units=bool(kinds)),
        unit=unit,
        units={kind: tuple(labels.tolist()) for kind, labels in kinds.items()},
        constant={
            level.unit: own
            for level in levels
            if (own := tuple(name for name in level.names if name in columns))
        },
    )


def _smallest_class(released: Table, names: Sequence[str], unit: str) -> int:
    """Fewest records of a class, or fewest units."""
    classes = classes_of(released, names)
    sizes = units_in(classes.labels, unit_labels(released, unit)) if unit else classes.sizes
    return int(sizes.min(initial=len(released)))


def _scenario_specs(
    released: Table, by_scenario: ByScenario, *, counts_units: bool
) -> tuple[ScenarioSpec, ...]:
    """Specification for the attributes that each scenario knows exactly."""
    specs = []
    for scenario in released.schema.scenarios:
        own = by_scenario.get(scenario.name, NO_REQUIREMENTS)
        smallest = 1
        unit = unit_of(released.schema, scenario) if counts_units else ""
        if not scenario.any:
            smallest = _smallest_class(released, scenario.knows, unit)
        known = (scenario.name, scenario.knows, scenario.any, scenario.of)
        specs.append(ScenarioSpec(*known, max(own.k, smallest), own.l, own.t, unit))
    return tuple(specs)


def _confidential_spec(table: Table, name: str) -> ConfidentialSpec:
    attribute = table.attribute(name)
    if table.is_recoded(name) or attribute.kind is Kind.NOMINAL:
        return ConfidentialSpec()
    if attribute.is_date:
        days = np.unique(table.values(name))
        written = dates_of(pl.Series(days[~np.isnan(days)]), attribute.notes.type or "%Y-%m-%d")
        return ConfidentialSpec(ordered=True, order=(*written.to_list(), MISSING))
    missing = tuple(
        (float(low), float(high))
        for low, high in attribute.notes.user_missing
        if low.lstrip("-").replace(".", "", 1).isdigit()
    )
    return ConfidentialSpec(ordered=True, order=attribute.categories, missing=missing)


def _dialect_for(ending: str, dialect: Dialect | None, origin: Origin | None) -> Dialect | None:
    """Return the original's dialect, with tabs if and only if the output is ``.tsv``."""
    if dialect is None:
        return Dialect("\t") if ending == TSV else None
    if origin is None or (ending == TSV) == (ending_of(origin.path) == TSV):
        return dialect
    plain = ";" if dialect.decimal == "," else ","
    return replace(dialect, delimiter="\t" if ending == TSV else plain)


def check_table_target(
    path: Path, *, force: bool = False, inputs: Iterable[Path | None] = ()
) -> None:
    """Raise an error if a table cannot be written to *path*, before any work is done."""
    ending = ending_of(path)
    if ending + compression_of(path) not in WRITABLE:
        if ending not in BY_ENDING:
            raise unknown_format(path, WRITABLE)
        fmt = BY_ENDING[ending]
        raise FileError(
            f"{path} cannot be written: {fmt.name} can only be read; use {fmt.release} or .csv"
        )
    check_target(path, force=force, inputs=inputs)


def released_name(path: Path) -> str:
    """Name of the released file; a format that is only read is replaced by another."""
    fmt = BY_ENDING.get(ending_of(path))
    if fmt is None or ending_of(path) in fmt.written:
        return path.name
    return path.with_suffix(fmt.release).name


def frame_of_rows(rows: Sequence[Mapping[str, object]]) -> pl.DataFrame:
    """Rows as a data frame; the columns of the first one."""
    return pl.DataFrame([dict(row) for row in rows], infer_schema_length=None)


def rows_as_parquet(rows: Sequence[Mapping[str, object]]) -> bytes:
    """Encode rows as Parquet; the same rows give the same bytes."""
    buffer = BytesIO()
    frame_of_rows(rows).write_parquet(buffer)
    return buffer.getvalue()
