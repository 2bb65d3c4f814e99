"""Commands that prepare a run: ``example``, ``init``, ``hierarchy``; confirmation of roles."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import in_columns, input_path, notes, say, say_json

if TYPE_CHECKING:
    from evomask.runs.inputs import Input
    from evomask.runs.onboarding.schemas import FileProposal, ProposedColumns

ROLES_UNCONFIRMED = 3
"""Exit code if nothing was protected because the proposed roles were not confirmed."""

RULES = ("suiting", "intervals=", "quantiles=", "dates", "codes", "order", "likeness", "top")


@examples(
    "evomask example trial            # a synthetic survey, its schema and hierarchies",
)
def example(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder to write to.")],
    records: Annotated[
        int, typer.Option("--records", "-n", min=10, help="Number of records.")
    ] = 3000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Random seed of the survey.")] = 1,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a synthetic household survey with its schema and hierarchies into FOLDER."""
    from evomask.runs.onboarding.schemas import write_example

    paths = write_example(folder, records, seed, force=force)
    if json:
        say_json({"records": records, "files": [str(path) for path in paths]})
    elif not quiet:
        say(f"{records} synthetic records: {paths[0]}; schema: {paths[1]}")


@examples(
    "evomask init survey.csv                                # proposed kinds and roles",
    "evomask init survey.csv --out survey.toml --hierarchies trees",
    "evomask init survey.csv --out survey.toml --scenarios register,colleague",
)
def init(
    file: options.DataFile,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Schema file to write (TOML).")
    ] = None,
    hierarchies: Annotated[
        Path | None, typer.Option("--hierarchies", help="New folder for generated hierarchies.")
    ] = None,
    scenarios: Annotated[
        str,
        typer.Option(
            "--scenarios", help="Proposed scenarios to adopt, A,B; the others are comments."
        ),
    ] = "",
    library: options.Library = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    missing: options.Missing = "",
    thousands: options.Thousands = None,
    header: options.Header = None,
    sheet: options.Sheet = None,
) -> None:
    """Propose kinds and roles of the columns of FILE, and scenarios, with reasons, as TOML."""
    from evomask.runs.inputs import Input
    from evomask.runs.onboarding.scenarios import scenario_as_json
    from evomask.runs.onboarding.schemas import propose_schema

    source = Input(
        input_path(file),
        delimiter=delimiter,
        encoding=encoding,
        decimal=decimal,
        missing=options.names(missing),
        thousands=thousands,
        header=header,
        sheet=sheet,
    )
    outcome = propose_schema(
        source, out, hierarchies=hierarchies, library=library,
        scenarios=options.names(scenarios), force=force,
    )  # fmt: skip
    dialect = outcome.source.dialect
    if json:
        say_json(
            {
                "records": outcome.records,
                "attributes": _roles_as_json(outcome.proposed),
                "questions": list(outcome.proposed.questions),
                "edits": list(outcome.proposed.edits),
                "scenarios": [scenario_as_json(one) for one in outcome.scenarios],
                "dialect": None if dialect is None else str(dialect),
            }
        )
    elif out is None:
        say(outcome.text.rstrip())
    elif not quiet:
        notes(outcome.proposed.questions, quiet=quiet)
        say(f"a schema for {len(outcome.proposed.attributes)} columns: {out}; check and edit it")


@examples(
    "evomask hierarchy survey.csv age --by intervals=5,10,20 --out age.csv",
    "evomask hierarchy survey.csv postcode --by codes",
)
@options.with_data_options
def hierarchy(
    file: options.DataFile,
    column: options.Column,
    by: Annotated[
        str,
        typer.Option(
            "--by",
            help="Rule: suiting (chosen by the values), intervals=5,10,20, quantiles=16, dates, "
            "codes, order, likeness (by similarity), top.",
            autocompletion=options.complete_words(*RULES),
        ),
    ] = "suiting",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Hierarchy file to write (CSV).")
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    *,
    source: options.Source,
) -> None:
    """Build a generalization hierarchy for a COLUMN of FILE by a rule."""
    from evomask.runs.onboarding.schemas import make_hierarchy

    made = make_hierarchy(source=source(file), column=column, by=by, out=out, force=force)
    if json:
        say_json({"column": column, "levels": list(made.levels), "file": str(out) if out else None})
    elif out is None:
        say(made.text.rstrip())
    elif not quiet:
        values, *groups = map(str, made.levels)
        sizes = f"{values} values, level by level in groups: {', '.join(groups)}"
        say(f"{column}: {sizes}; written to {out}")


def confirm_roles(source: "Input", out: Path, *, accept: bool, json: bool, quiet: bool) -> "Input":
    """Return the input with roles for all columns: as given, or as proposed and accepted.

    Without roles and without acceptance, the proposal is printed and written beside the folder
    *out*, and the command exits.
    """
    if source.is_described:
        return source
    from evomask.cli.terminal.live_view import busy

    schema = out.with_name(f"{out.name}.schema.toml")
    with busy(f"proposing roles for {source.path}", quiet=quiet):
        from evomask.runs.onboarding.schemas import accept_proposal, propose, write_proposal
        from evomask.runs.store.run_folder import RunFolder

        RunFolder.check_new(out)
        proposition = propose(source)
    if accept:
        return accept_proposal(proposition, schema)
    is_new = write_proposal(proposition, schema)
    words = ["evomask", *sys.argv[1:]]
    commands = {
        "accepting": shlex.join([*words, "--accept-proposal"]),
        "with_schema": shlex.join([*words, "--schema", str(schema)]),
    }
    if json:
        say_json(
            {
                "proposal": _roles_as_json(proposition.proposed),
                "questions": list(proposition.proposed.questions),
                "schema": str(schema),
                "go_on": commands,
            }
        )
    else:
        say("\n".join(_proposal_lines(proposition, schema, commands, is_new=is_new)))
    raise typer.Exit(ROLES_UNCONFIRMED)


def _roles_as_json(proposed: "ProposedColumns") -> dict[str, object]:
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


def _scenario_lines(proposition: "FileProposal") -> Iterator[str]:
    """Name the proposed scenarios, which are comments in the schema."""
    names = ", ".join(one.scenario.name for one in proposition.scenarios)
    if names:
        yield "without scenarios, an intruder is assumed to know all quasi-identifiers at once;"
        yield f"the file proposes, as comments: {names}"


def _proposal_lines(
    proposition: "FileProposal", schema: Path, commands: dict[str, str], *, is_new: bool
) -> list[str]:
    proposed = proposition.proposed
    rows = [
        (
            a.name,
            "?" if a.question else str(a.role),
            "; ".join([a.question or a.why_role, *a.remarks]),
        )
        for a in proposed.attributes
    ]
    questions = [f"question: {question}" for question in proposed.questions]
    accept = [] if questions else ["to accept these roles:", f"  {commands['accepting']}"]
    written = "written to" if is_new else "not written, because there is another one in"
    return [
        f"no roles given for the {len(rows)} columns of {proposition.input.path}; proposed:",
        *in_columns(("column", "role", "reason"), rows),
        *questions,
        f"nothing was protected. The proposal is {written} {schema}.",
        *_scenario_lines(proposition),
        *accept,
        "to change them, edit that file, and then:",
        f"  {commands['with_schema']}",
    ]
