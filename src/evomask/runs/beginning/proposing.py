"""Roles proposed for a file that nobody described: shown first, and taken only when accepted."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from evomask.data.roles.proposal import Proposal, ProposedSchema
from evomask.data.roles.proposal import propose as propose_for
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import FileError, SchemaError
from evomask.io.files import write_text
from evomask.io.proposals import schema_text
from evomask.io.tables import Source, read_source
from evomask.runs.inputs import Input

ProposedColumn: TypeAlias = Proposal
ProposedColumns: TypeAlias = ProposedSchema


@dataclass(frozen=True)
class Proposition:
    """What is proposed for a file, as data and as the text of a schema file.

    Args:
        input: the file, and what its user said of it.
        source: the file as it was read.
    """

    input: Input
    proposed: ProposedSchema
    source: Source

    @property
    def records(self) -> int:
        """How many records the file holds."""
        return self.source.frame.height

    @property
    def text(self) -> str:
        """The proposal as a schema file, with a reason beside every word."""
        name = self.input.path.name
        return schema_text(self.proposed, name, self.records, self.source.dialect)


def propose(source: Input) -> Proposition:
    """Look at a file and propose kind and role of every column; roles named are taken as they are.

    Where texts among numbers look like missing values, it is read with them named.
    """
    read = read_source(source.path, source.dialect)
    proposed = propose_roles(read.table(), source.roles)
    if not proposed.missing:
        return Proposition(source, proposed, read)
    named = replace(source.dialect, missing=(*source.missing, *proposed.missing))
    read = read_source(source.path, named)
    return Proposition(source, propose_roles(read.table(), source.roles), read)


def propose_roles(table: Table, stated: Mapping[str, Role] | None = None) -> ProposedSchema:
    """The same for a table at hand, such as one made from a data frame.

    What is proposed becomes a table by its `declarations`; before that all `questions` must be
    answered, by roles that are *stated*.
    """
    return propose_for(table, stated)


def keep_proposal(proposition: Proposition, path: Path) -> bool:
    """Write the proposal where there is no file yet; whether it is what stands there now."""
    if path.exists():
        return _text_of(path) == proposition.text
    write_text(path, proposition.text)
    return True


def accepted(proposition: Proposition, path: Path) -> Input:
    """The input under the proposed schema, kept at *path*; an open question is refused."""
    if proposition.proposed.questions:
        raise SchemaError(proposition.proposed.questions[0])
    if not keep_proposal(proposition, path):
        raise FileError(
            f"{path} is not what would be proposed now; use it with --schema, or remove it"
        )
    return replace(proposition.input, schema=path)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
