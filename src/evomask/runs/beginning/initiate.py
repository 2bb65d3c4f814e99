"""A first schema for an unknown file: kind and role of every column, with reasons."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from evomask.data.frames import Declaration
from evomask.data.roles.proposal import ProposedSchema
from evomask.io.files import check_target, write_text
from evomask.io.tables import Source
from evomask.runs.beginning.proposing import propose
from evomask.runs.beginning.trees import write_trees
from evomask.runs.inputs import Input


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

    @property
    def source(self) -> Input:
        """The file as an input of which nothing is said but how it is written."""
        return Input(
            self.path, delimiter=self.delimiter, encoding=self.encoding, decimal=self.decimal,
            missing=self.missing,
        )  # fmt: skip


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
    found = propose(job.source)
    if job.hierarchies is not None:
        trees = _with_trees(found.source, found.proposed, job.hierarchies, _home(job))
        found = replace(found, proposed=trees)
    if job.out is not None:
        write_text(job.out, found.text, force=job.force)
    dialect = found.source.dialect
    shown = None if dialect is None else str(dialect)
    return InitOutcome(found.proposed, found.text, found.records, shown)


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
