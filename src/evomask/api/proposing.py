"""Roles proposed for a frame's columns, for a person to confirm."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evomask.api.schema import KINDS, ROLES, Schema, schema_of
from evomask.data.intake import Frame
from evomask.data.schema import Role
from evomask.errors import SchemaError

if TYPE_CHECKING:
    from evomask.data.roles.proposal import ProposedSchema


@dataclass(frozen=True, repr=False)
class Proposal:
    """What every column is likely to be, and why.

    Args:
        proposed: the proposal as data, column by column.
        records: how many records were looked at.
    """

    proposed: "ProposedSchema"
    records: int

    @property
    def schema(self) -> Schema:
        """The proposal as a schema, to be changed and used; every column has a role in it."""
        columns = self.proposed.attributes
        alone = {role: [c.name for c in columns if c.role is role] for role in Role}
        lists: dict[str, Any] = {key: alone[role] for key, role in ROLES.items()}
        lists |= {key: [c.name for c in columns if c.kind is kind] for key, kind in KINDS.items()}
        return Schema(
            **lists,
            weight=next(iter(alone[Role.WEIGHT]), None),
            household=next(iter(alone[Role.HOUSEHOLD]), None),
            categories={c.name: c.categories for c in columns if c.categories},
            decimals={c.name: c.decimals for c in columns if c.decimals is not None},
            edits=self.proposed.edits,
        )

    @property
    def questions(self) -> tuple[str, ...]:
        """What must be answered by naming roles before the proposal can be accepted."""
        return self.proposed.questions

    def write(self, path: str | Path, *, force: bool = False) -> Path:
        """Write it as a schema file with the reasons as comments."""
        from evomask.io.files import write_text
        from evomask.io.proposals import schema_text

        text = schema_text(self.proposed, "the data frame", self.records, None)
        write_text(Path(path), text, force=force)
        return Path(path)

    def _rows(self) -> list[tuple[str, str, str, str]]:
        return [(c.name, str(c.role), str(c.kind), c.why_role) for c in self.proposed.attributes]

    def __repr__(self) -> str:
        """A line for each column: name, role, kind and why."""
        rows = self._rows()
        widths = [max(len(row[place]) for row in rows) for place in range(3)]
        lines = [
            "  ".join([*(text.ljust(w) for text, w in zip(row, widths, strict=False)), row[3]])
            for row in rows
        ]
        head = f"<evomask.Proposal for {len(rows)} columns of {self.records} records"
        asked = (f"  question: {question}" for question in self.questions)
        return "\n".join([head, *(f"  {line}" for line in lines), *asked]) + ">"

    def _repr_html_(self) -> str:
        """The columns as a table, for notebooks."""
        from evomask.reports.notebook import table_html

        return table_html("Proposed roles", ("column", "role", "kind", "why"), self._rows())


class RolesNeededError(SchemaError):
    """Nobody said which columns an intruder may know; what is proposed comes with it.

    Args:
        proposal: roles for every column, to be read, changed and given as ``schema``.
    """

    def __init__(self, proposal: Proposal) -> None:
        self.proposal = proposal
        quasi = ", ".join(proposal.schema.quasi)
        super().__init__(
            "no roles were named, so nothing is released; look at `evomask.propose(frame)`, which "
            f"takes as quasi-identifiers: {quasi}; then give a schema, or accept_proposal=True"
        )


def propose(frame: Frame, *, schema: Schema | str | Path | None = None) -> Proposal:
    """What every column of a frame is likely to be, and why: for a person to confirm.

    Args:
        schema: roles that are known already; they are taken as they are.

    Example:
        import evomask

        people = evomask.read("survey.csv")
        found = evomask.propose(people)
        schema = found.schema
        assert "age" in schema.quasi and "name" in schema.drop
        print(found)
    """
    from evomask.io.tables import source_of
    from evomask.runs.beginning.proposing import propose_roles

    stated = schema_of(schema, Schema()).roles
    return Proposal(propose_roles(source_of(frame).table(), stated), len(frame))
