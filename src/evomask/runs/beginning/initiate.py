"""A first schema for an unknown file: kind and role of every column, with reasons."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from evomask.data.frames import Declaration
from evomask.data.intake import Frame
from evomask.data.proposal import ProposedSchema, propose
from evomask.io.dialects import Dialect
from evomask.io.files import check_target, write_text
from evomask.io.proposals import schema_text
from evomask.io.tables import Source, read_source, source_of
from evomask.runs.beginning.trees import write_trees


@dataclass(frozen=True)
class InitJob:
    """The file to look at, how its text is written if the user says so, and where to write.

    Args:
        hierarchies: a new folder for a value tree of every quasi-identifier with categories.
    """

    path: Path
    out: Path | None = None
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    missing: tuple[str, ...] = ()
    force: bool = False
    hierarchies: Path | None = None


@dataclass(frozen=True)
class InitOutcome:
    """What is proposed, as data and as the text of a schema file."""

    proposed: ProposedSchema
    text: str
    records: int
    dialect: str | None


def propose_schema(job: InitJob) -> InitOutcome:
    """Look at a file and propose its schema; write it where the job says so."""
    if job.out is not None:
        check_target(job.out, force=job.force, inputs=[job.path])
    source, proposed = _looked_at(job)
    if job.hierarchies is not None:
        proposed = _with_trees(source, proposed, job.hierarchies, _home(job))
    text = schema_text(proposed, job.path.name, source.frame.height, source.dialect)
    if job.out is not None:
        write_text(job.out, text, force=job.force)
    shown = None if source.dialect is None else str(source.dialect)
    return InitOutcome(proposed, text, source.frame.height, shown)


def _looked_at(job: InitJob) -> tuple[Source, ProposedSchema]:
    """The file and its proposal; where texts look like missing values, read with them named."""
    dialect = Dialect(job.delimiter, job.encoding, job.missing, job.decimal)
    source = read_source(job.path, dialect)
    proposed = propose(source.table())
    if not proposed.missing:
        return source, proposed
    named = replace(dialect, missing=(*dialect.missing, *proposed.missing))
    source = read_source(job.path, named)
    return source, propose(source.table())


def _home(job: InitJob) -> Path:
    """The folder from which the schema names its hierarchies."""
    return job.out.parent if job.out is not None else Path()


def _with_trees(
    source: Source, proposed: ProposedSchema, folder: Path, home: Path
) -> ProposedSchema:
    """The proposal with hierarchies that are written for it."""
    table = source.table(
        {a.name: Declaration(a.kind, a.role, a.categories) for a in proposed.attributes}
    )
    paths = write_trees(table, folder)
    files = {name: os.path.relpath(path, home) for name, path in paths.items()}
    attributes = (replace(a, hierarchy=files.get(a.name, "")) for a in proposed.attributes)
    return replace(proposed, attributes=tuple(attributes))


def proposal_for(frame: Frame) -> ProposedSchema:
    """The proposal for a data frame at hand."""
    return propose(source_of(frame).table())
