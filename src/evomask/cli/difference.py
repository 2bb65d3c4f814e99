"""``evomask difference``: what several releases of overlapping people tell together."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import hanging, notes, say, say_json

if TYPE_CHECKING:
    from evomask.runs.difference import Difference


@examples(
    "evomask difference release:2 release:5                # two points of one run",
    "evomask difference public scientific --require k=3",
    "evomask difference release-2025 release-2026 --key person",
    'evomask difference release --table "municipality x sex"',
    "evomask difference may.csv june.csv --original survey.csv --schema survey.toml",
)
def difference(
    releases: Annotated[
        list[str],
        typer.Argument(
            metavar="RELEASE...",
            help="Run folders, points of them (DIR:POINT), or masked files.",
        ),
    ],
    original: Annotated[
        Path | None,
        typer.Option("--original", help="Original of masked files, in the same order."),
    ] = None,
    schema: Annotated[
        Path | None, typer.Option("--schema", help="Schema file of the masked files.")
    ] = None,
    key: Annotated[
        str,
        typer.Option("--key", help="Column that tells who a person is, in every original or file."),
    ] = "",
    table: Annotated[
        list[str] | None,
        typer.Option("--table", help='Published table, "A x B" or "A x B: mean C"; repeatable.'),
    ] = None,
    require: Annotated[
        str,
        typer.Option("--require", help="k of all releases together [default: what they promise]."),
    ] = "",
    risk: Annotated[
        bool,
        typer.Option("--risk", help="Also measure the risk of all releases made one file."),
    ] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Show what several RELEASES tell together; the exit code is 1 if k does not hold."""
    from evomask.cli.terminal.live_view import busy

    with busy("intersecting the releases", quiet=quiet):
        from evomask.runs.difference import DifferenceJob
        from evomask.runs.difference import difference as intersect
        from evomask.runs.inputs import Input

        described = Input(original or Path(), schema) if original or schema else None
        job = DifferenceJob(tuple(releases), described, key, tuple(table or ()), require, risk)
        found = intersect(job)
    notes(found.notes, quiet=quiet)
    say_json(found.as_json()) if json else say("\n".join(_lines(found)))
    if not found.holds:
        raise typer.Exit(1)


def _lines(found: "Difference") -> Iterator[str]:
    from evomask.runs.difference import scenario_lines

    for number, name in enumerate(found.names, 1):
        yield f"release {number}    {name}"
    if found.link:
        text = f"{found.linkable:.1f} % of the people by {', '.join(found.link)}, unchanged in both"
        yield from hanging("linkable     ", text)
    for one in found.scenarios:
        yield ""
        yield from scenario_lines(one)
    for own in found.risks:
        alone = ", ".join(f"{value:.2f}" for value in own.alone)
        yield f"risk in {own.scenario!r}: {own.together:.2f} % together; {alone} % alone"
    yield ""
    verdict = "holds" if found.holds else "does not hold"
    yield from hanging("", f"what is required {verdict} for all together: {found.sentence}")
