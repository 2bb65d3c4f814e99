"""``evomask verify``: is a release what it says, and is it the one that was released."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli import parts as in_parts_of
from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import progress, say, say_json

if TYPE_CHECKING:
    from evomask.runs.kept.verifying import Verdict

MARKS = {True: "holds", False: "FAILS", None: "-"}


@examples(
    "evomask verify release           # is it the file that was released, as promised?",
    "evomask verify release --key-file steward.key",
)
def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a release.")],
    key_file: options.KeyFile = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Check the release in DIR again: files, guarantees, reports, log and signature."""
    from evomask.runs.kept.verifying import verify as verified
    from evomask.runs.parts.verifying import verify_parts

    progress(f"checking {folder}", quiet=quiet)
    verdict = (
        verify_parts(folder, key_file) if in_parts_of.are_in(folder) else verified(folder, key_file)
    )
    say_json(_as_json(verdict)) if json else say(_in_words(verdict))
    if not verdict.holds:
        raise typer.Exit(1)


def _as_json(verdict: "Verdict") -> dict[str, object]:
    return {
        "run": str(verdict.folder),
        "holds": verdict.holds,
        "checks": [
            {"check": found.check, "holds": found.holds, "text": found.text}
            for found in verdict.findings
        ],
    }


def _in_words(verdict: "Verdict") -> str:
    lines = [f"{f.check:<12}{MARKS[f.holds]:<7}{f.text}" for f in verdict.findings]
    whole = "the release is what it says" if verdict.holds else "THIS IS NOT WHAT WAS RELEASED"
    return "\n".join([*lines, whole])
