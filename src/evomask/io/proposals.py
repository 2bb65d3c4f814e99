"""A proposed schema as TOML with a reason beside every word, for a person to edit."""

import json
import re
from collections.abc import Iterator

from evomask.data.roles.proposal import Proposal, ProposedSchema
from evomask.data.schema import Role
from evomask.io.dialects import Dialect
from evomask.io.schemas import OPEN

_BARE = re.compile(r"[A-Za-z0-9_-]+")
MARGIN = 31

HEAD = """\
# A proposal for {name}: {records} records, {columns} columns. Read it and change what is wrong.
# kind: continuous | ordinal | nominal
# role: identifier (never released) | quasi-identifier (others may know it) | confidential
#       | other | weight | stratum | household
"""


def schema_text(
    proposed: ProposedSchema, name: str, n_records: int, dialect: Dialect | None
) -> str:
    """The proposal as the text of a schema file."""
    head = HEAD.format(
        name=_in_a_comment(name), records=n_records, columns=len(proposed.attributes)
    )
    sections = [_section(attribute) for attribute in proposed.attributes]
    return "\n".join([head, *sections, *_rules(proposed), *_file(dialect)])


def _section(proposal: Proposal) -> str:
    return "\n".join([f"[attributes.{_key(proposal.name)}]", *_lines(proposal), ""])


def _lines(proposal: Proposal) -> Iterator[str]:
    yield from (f"# {_in_a_comment(remark)}" for remark in proposal.remarks)
    yield _explained(f"kind = {_text(proposal.kind)}", proposal.why_kind)
    yield _role(proposal)
    if proposal.categories:
        yield f"categories = {_text(list(proposal.categories))}"
    if proposal.decimals is not None:
        yield f"decimals = {proposal.decimals}"
    if proposal.linked:
        yield _explained(f"linked = {_text(proposal.linked)}", "says the same: masked with it")
    elif proposal.hierarchy:
        yield _explained(f"hierarchy = {_text(proposal.hierarchy)}", "made by rule: look at it")
    elif proposal.kind != "continuous" and proposal.role is Role.QUASI_IDENTIFIER:
        yield _explained('# hierarchy = "FILE.csv"', "if you have its tree; made if not")


def _role(proposal: Proposal) -> str:
    """The role with its reason, or an open question, which no reader takes for an answer."""
    if proposal.question:
        return _explained(f"role = {_text(OPEN)}", proposal.question)
    return _explained(f"role = {_text(proposal.role)}", proposal.why_role)


def _explained(line: str, reason: str) -> str:
    return f"{line:<{MARGIN}} # {_in_a_comment(reason)}"


def _in_a_comment(text: str) -> str:
    """A text on one line, whatever the names in it hold."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _rules(proposed: ProposedSchema) -> Iterator[str]:
    if proposed.edits:
        yield "[rules]"
        yield _explained(f"edits = {_text(list(proposed.edits))}", "true for every record now")
        yield ""


def _file(dialect: Dialect | None) -> Iterator[str]:
    if dialect is not None:
        yield "[file]"
        yield f"delimiter = {_text(dialect.delimiter or ',')}"
        yield f"decimal = {_text(dialect.decimal or '.')}"
        yield f"encoding = {_text(dialect.encoding or 'utf-8')}"
        if dialect.missing:
            yield f"missing = {_text(list(dialect.missing))}"
        yield ""


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(value: object) -> str:
    """As TOML writes it; its strings and lists of strings look as in JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
