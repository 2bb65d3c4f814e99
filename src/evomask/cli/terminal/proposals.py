"""Roles that are proposed: shown, and taken where the user accepts them."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli.terminal.output import say, say_json
from evomask.cli.terminal.tables import in_columns

if TYPE_CHECKING:
    from evomask.runs.beginning.proposing import ProposedColumns, Proposition
    from evomask.runs.inputs import Input

TO_BE_CONFIRMED = 3
"""Exit code where nothing was protected because roles are only proposed."""

Accept = Annotated[
    bool,
    typer.Option("--accept-proposal", help="Go on with the roles proposed for FILE."),
]


def described(source: "Input", out: Path, *, accept: bool, json: bool, quiet: bool) -> "Input":
    """The input with roles for all columns: as stated, or as proposed and accepted.

    Where they are only proposed they are shown, kept beside the folder *out*, and all ends.
    """
    if source.is_described:
        return source
    from evomask.cli.terminal.live import busy

    schema = out.with_name(f"{out.name}.schema.toml")
    with busy(f"looking at {source.path}", quiet=quiet):
        from evomask.runs.beginning.proposing import accepted, keep_proposal, propose
        from evomask.runs.kept.store import Store

        Store.check_new(out)
        proposition = propose(source)
    if accept:
        return accepted(proposition, schema)
    fresh = keep_proposal(proposition, schema)
    if json:
        say_json({**_as_json(proposition), "schema": str(schema), "go_on": _go_on(schema)})
    else:
        say(_in_words(proposition, schema, fresh=fresh))
    raise typer.Exit(TO_BE_CONFIRMED)


def attributes_as_json(proposed: "ProposedColumns") -> dict[str, object]:
    """What is proposed of each column, for a program."""
    return {
        a.name: {
            "kind": a.kind,
            "role": a.role,
            "reasons": [a.why_kind, a.why_role, *a.remarks],
            **({"question": a.question} if a.question else {}),
            **({"categories": list(a.categories)} if a.categories else {}),
            **({"decimals": a.decimals} if a.decimals is not None else {}),
            **({"linked": a.linked} if a.linked else {}),
            **({"hierarchy": a.hierarchy} if a.hierarchy else {}),
        }
        for a in proposed.attributes
    }


def _as_json(proposition: "Proposition") -> dict[str, object]:
    return {
        "proposal": attributes_as_json(proposition.proposed),
        "questions": list(proposition.proposed.questions),
    }


def _go_on(schema: Path) -> dict[str, str]:
    words = ["evomask", *sys.argv[1:]]
    return {
        "accepting": shlex.join([*words, "--accept-proposal"]),
        "with_schema": shlex.join([*words, "--schema", str(schema)]),
    }


def _in_words(proposition: "Proposition", schema: Path, *, fresh: bool) -> str:
    proposed, ways = proposition.proposed, _go_on(schema)
    rows = [
        (
            a.name,
            "?" if a.question else str(a.role),
            "; ".join([a.question or a.why_role, *a.remarks]),
        )
        for a in proposed.attributes
    ]
    asked = [f"question: {question}" for question in proposed.questions]
    accept = [] if proposed.questions else ["to go on with these roles:", f"  {ways['accepting']}"]
    kept = "written to" if fresh else "not written, because there is another one in"
    return "\n".join(
        [
            f"nobody said what the {len(rows)} columns of {proposition.input.path} are; proposed:",
            *in_columns(("column", "role", "why"), rows),
            *asked,
            f"nothing was protected. The proposal is {kept} {schema}.",
            *accept,
            "to change them first, edit that file, and then:",
            f"  {ways['with_schema']}",
        ]
    )
