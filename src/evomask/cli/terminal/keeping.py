"""Options for what must survive masking, and how tables and models are printed."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evomask.cli.terminal.help import GOALS

if TYPE_CHECKING:
    from evomask.runs.kept.keeping import Figure, Statistic

MOST_FIGURES = 20
"""Figures of one table or model that are printed; JSON has all."""

KeepTable = Annotated[
    list[str] | None,
    typer.Option(
        "--keep-table",
        help='Must survive, "education x sex: mean hours"; repeatable.',
        rich_help_panel=GOALS,
    ),
]
KeepModel = Annotated[
    list[str] | None,
    typer.Option(
        "--keep-model",
        help='Must survive, "income ~ age + education"; repeatable.',
        rich_help_panel=GOALS,
    ),
]
MaxRisk = Annotated[
    float | None,
    typer.Option(
        "--max-risk", help="Take the least loss with this risk at most.", rich_help_panel=GOALS
    ),
]
MaxLoss = Annotated[
    float | None,
    typer.Option(
        "--max-loss", help="Take the least risk with this loss at most.", rich_help_panel=GOALS
    ),
]
MaxTableError = Annotated[
    float | None,
    typer.Option(
        "--max-table-error",
        help="Largest error of tables to keep, in percent.",
        rich_help_panel=GOALS,
    ),
]
MaxModelError = Annotated[
    float | None,
    typer.Option(
        "--max-model-error",
        help="Largest error of models to keep, in percent.",
        rich_help_panel=GOALS,
    ),
]


def as_json(kept: "tuple[Statistic, ...]") -> list[dict[str, Any]]:
    """Tables and models with all their figures, for a program."""
    return [asdict(statistic) for statistic in kept]


def in_short(statistic: "Statistic") -> str:
    """How near one statistic comes, in a line."""
    near = f"error {statistic.error:.2f} %, intervals overlap {statistic.overlap:.0f} %"
    return f"{statistic.text}: {near}"


def in_words(statistic: "Statistic") -> Iterator[str]:
    """One statistic with its figures, a line for each."""
    yield in_short(statistic)
    yield f"    {statistic.meaning}; 95 % confidence intervals"
    width = max((len(value.name) for value in statistic.values), default=0)
    for value in statistic.values[:MOST_FIGURES]:
        figures = f"{_figure(value.before):<32} {_figure(value.after):<32}"
        yield f"    {value.name:<{width}}  {figures} {value.overlap:4.0f} %"
    if len(statistic.values) > MOST_FIGURES:
        yield f"    and {len(statistic.values) - MOST_FIGURES} more: --json prints all"
    yield from (f"    {note}" for note in statistic.notes)


def _figure(estimate: "Figure | None") -> str:
    if estimate is None:
        return "none"
    return f"{estimate.value:.5g} [{estimate.low:.5g}, {estimate.high:.5g}]"
