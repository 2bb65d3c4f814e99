"""Proposed schemas for files without one, and the bundled example."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from evomask.data.frames import Declaration
from evomask.data.roles.proposal import Proposal, ProposedSchema
from evomask.data.roles.proposal import propose as propose_for
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import FileError, SchemaError
from evomask.io.datasets import write_survey
from evomask.io.files import check_target, write_text
from evomask.io.schemas import schema_text
from evomask.io.sources import Source
from evomask.io.tables import read_source
from evomask.runs.inputs import Input
from evomask.runs.onboarding.hierarchies import write_hierarchies

ProposedColumn: TypeAlias = Proposal
ProposedColumns: TypeAlias = ProposedSchema


@dataclass(frozen=True)
class FileProposal:
    """Proposed kinds and roles for a file, as data and as the text of a schema file.

    Args:
        input: the file, and what its user declared.
        source: the file as it was read.
    """

    input: Input
    proposed: ProposedSchema
    source: Source

    @property
    def records(self) -> int:
        return self.source.frame.height

    @property
    def text(self) -> str:
        """The proposal as a schema file, with a reason for every entry."""
        name = self.input.path.name
        return schema_text(self.proposed, name, self.records, self.source.dialect)


def propose(source: Input) -> FileProposal:
    """Propose kind and role of every column of a file; declared roles are taken over.

    If texts among numbers look like missing values, the file is read again with them declared.
    """
    read = read_source(source.path, source.dialect)
    proposed = propose_roles(read.table(), source.roles)
    if not proposed.missing:
        return FileProposal(source, proposed, read)
    named = replace(source.dialect, missing=(*source.missing, *proposed.missing))
    read = read_source(source.path, named)
    return FileProposal(source, propose_roles(read.table(), source.roles), read)


def propose_roles(table: Table, stated: Mapping[str, Role] | None = None) -> ProposedSchema:
    """Propose kinds and roles for a table in memory, such as one made from a data frame.

    Its `declarations` turn the proposal into a table; before that, all `questions` must be answered
    by *stated* roles.
    """
    return propose_for(table, stated)


def write_proposal(proposition: FileProposal, path: Path) -> bool:
    """Write the proposal unless a file exists; return whether it is in the file now."""
    if path.exists():
        return _text_of(path) == proposition.text
    write_text(path, proposition.text)
    return True


def accept_proposal(proposition: FileProposal, path: Path) -> Input:
    """Return the input with the proposed schema at *path*; open questions raise."""
    if proposition.proposed.questions:
        raise SchemaError(proposition.proposed.questions[0])
    if not write_proposal(proposition, path):
        raise FileError(
            f"{path} differs from the current proposal; use it with --schema, or remove it"
        )
    return replace(proposition.input, schema=path)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


@dataclass(frozen=True)
class InitJob:
    """The file to inspect, its dialect if declared, and the output path.

    Args:
        hierarchies: new folder for a hierarchy of each categorical quasi-identifier.
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
        return Input(
            self.path, delimiter=self.delimiter, encoding=self.encoding, decimal=self.decimal,
            missing=self.missing,
        )  # fmt: skip


@dataclass(frozen=True)
class InitOutcome:
    """The proposal, as data and as the text of a schema file."""

    proposed: ProposedSchema
    text: str
    records: int
    dialect: str | None


def propose_schema(job: InitJob) -> InitOutcome:
    """Inspect a file and propose its schema; write it if the job names a file."""
    if job.out is not None:
        check_target(job.out, force=job.force, inputs=[job.path])
    found = propose(job.source)
    if job.hierarchies is not None:
        trees = _with_hierarchies(
            found.source, found.proposed, job.hierarchies, _schema_folder(job)
        )
        found = replace(found, proposed=trees)
    if job.out is not None:
        write_text(job.out, found.text, force=job.force)
    dialect = found.source.dialect
    shown = None if dialect is None else str(dialect)
    return InitOutcome(found.proposed, found.text, found.records, shown)


def _schema_folder(job: InitJob) -> Path:
    """The folder relative to which the schema names its hierarchies."""
    return job.out.parent if job.out is not None else Path()


def _with_hierarchies(
    source: Source, proposed: ProposedSchema, folder: Path, home: Path
) -> ProposedSchema:
    table = source.table(
        {a.name: Declaration(a.kind, a.role, a.categories) for a in proposed.attributes}
    )
    paths = write_hierarchies(table, folder)
    files = {name: os.path.relpath(path, home) for name, path in paths.items()}
    attributes = (replace(a, hierarchy=files.get(a.name, "")) for a in proposed.attributes)
    return replace(proposed, attributes=tuple(attributes))


def write_example(
    folder: Path, n_records: int = 3000, seed: int = 1, *, force: bool = False
) -> tuple[Path, ...]:
    """Write the synthetic household survey, its schema and its hierarchies into *folder*."""
    if folder.exists() and not folder.is_dir():
        raise FileError(f"{folder} is a file; give the name of a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return write_survey(folder, n_records, seed, force=force)
    except OSError as error:
        raise FileError(f"{folder} cannot be written to: {error.strerror or error}") from None
