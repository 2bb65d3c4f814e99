"""``evomask explain``: what paid in a run, and where a recipe comes from."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli import outofcore
from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import hanging, progress, say, say_json

if TYPE_CHECKING:
    from evomask.report.record import ExplanationNote, GrowthNote, PaidNote

MOMENTS = 6
"""Moments of the growth of the front that are printed; JSON and report have more."""


@examples(
    "evomask explain release                         # the released point",
    "evomask explain release 2                       # another point of the front",
)
def explain(
    folder: options.RunFolder,
    point: Annotated[
        str, typer.Argument(metavar="POINT", help="Point or rule [default: the released point].")
    ] = "",
    pick: Annotated[
        str,
        typer.Option("--pick", "--point", help="The same as POINT."),
    ] = "",
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Explain the run in DIR: what paid, how the front grew, and the family of a point."""
    from evomask.runs.explain import as_json, explain_run

    progress(f"explaining {folder}", quiet=quiet)
    found = explain_run(outofcore.search_folder(folder), point or pick)
    say_json(as_json(found)) if json else say("\n".join(_lines(found)))


def _lines(found: "ExplanationNote") -> Iterator[str]:
    yield from hanging(f"point {found.point}  ", " ".join(found.sentences))
    yield ""
    yield from _table("search", found.searches)
    if found.operators:
        yield ""
        yield from _table("operator on recipes", found.operators)
    yield ""
    yield f"{'evaluations':>11}{'points':>9}{'hypervolume %':>15}"
    for row in _thinned(found.growth):
        yield f"{row.evaluations:>11}{row.points:>9}{row.volume:>15.1f}"


def _table(title: str, rows: "Sequence[PaidNote]") -> Iterator[str]:
    width = max(len(title), *(len(row.name) for row in rows)) if rows else len(title)
    yield f"{title:<{width}}{'cost %':>9}{'candidates':>12}{'front %':>9}{'points':>8}"
    for row in sorted(rows, key=lambda one: -one.cost):
        counts = f"{row.cost:>9.1f}{row.candidates:>12}{row.found:>9.1f}{row.points:>8}"
        yield f"{row.name:<{width}}{counts}"


def _thinned(growth: "Sequence[GrowthNote]") -> "Sequence[GrowthNote]":
    """Return a few moments, evenly from the first to the last."""
    if len(growth) <= MOMENTS:
        return growth
    return [growth[round(i * (len(growth) - 1) / (MOMENTS - 1))] for i in range(MOMENTS)]
