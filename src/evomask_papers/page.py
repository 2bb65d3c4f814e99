"""The page of all reproductions: printed and computed values, seconds, differences and reasons."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from evomask.data.chart import Chart
from evomask.errors import EvomaskError
from evomask_papers.catalogue import REPRODUCTIONS, function_named, reproduce, summary_of
from evomask_papers.remarks import LEFT_OUT, remark_on

SMALL = 0.005
"""Numbers below it are 0 at two decimals."""


@dataclass(frozen=True)
class Entry:
    """A reproduced table or figure.

    Args:
        share: share of the paper's effort. seconds: CPU seconds, without cached results of earlier
            entries. rows: rows of a table; a figure has its readings instead. failure: reason why
            it could not be made, in one sentence; empty otherwise. seed: requested seed; None for
            the default. runs: requested number of runs; None for the default, or there are no runs.
    """

    name: str
    summary: str
    remark: str
    share: float
    seconds: float
    rows: list[dict[str, Any]]
    readings: list[str]
    failure: str = ""
    seed: int | None = None
    runs: int | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def as_told_now(self) -> "Entry":
        """Return the entry with current remarks."""
        remark = remark_on(self.name, self.rows)
        return replace(self, summary=summary_of(self.name), remark=remark)


@dataclass(frozen=True)
class Asked:
    """Requested seed, share and number of runs; None is the default."""

    seed: int | None = None
    share: float | None = None
    runs: int | None = None

    def answered_by(self, entry: Entry) -> bool:
        """Whether an entry was made with the requested options."""
        share = self.share is None or entry.share == spent_share(entry.name, self.share)
        seed = self.seed is None or entry.seed == self.seed or not takes(entry.name, "seed")
        runs = self.runs is None or entry.runs == self.runs or not takes(entry.name, "runs")
        return share and seed and runs


def entry_of(name: str, asked: Asked, *, clock: Callable[[], float]) -> tuple[Entry, list[Chart]]:
    """Make one entry; a failure is stored as its description."""
    runs = asked.runs if takes(name, "runs") else None
    share = spent_share(name, asked.share, runs)
    entry = Entry(name, summary_of(name), remark_on(name), share, 0.0, [], [], "", asked.seed, runs)
    started = clock()
    try:
        made = reproduce(name, seed=asked.seed, share=asked.share, runs=runs)
    except EvomaskError as error:
        return replace(entry, seconds=clock() - started, failure=str(error)), []
    readings = [f"{chart.title}: {chart.reading}" for chart in made.charts]
    rows = [] if made.charts else made.rows
    entry = replace(entry, seconds=clock() - started, rows=rows, readings=readings)
    return entry.as_told_now, made.charts


def takes(name: str, option: str) -> bool:
    """Whether a reproduction has an option: seed, share or runs."""
    return option in inspect.signature(function_named(name)).parameters


def without_runs(name: str) -> str:
    """Message for a reproduction that has no runs to repeat."""
    return f"{name} averages no runs, so --runs changes nothing"


def spent_share(name: str, share: float | None, runs: int | None = None) -> float:
    """Effective share of a reproduction for a requested share; 1 if it cannot be reduced.

    If only the number of runs can be reduced, the share of the default runs.
    """
    parameters = inspect.signature(function_named(name)).parameters
    if "share" in parameters:
        return float(parameters["share"].default) if share is None else share
    if "runs" not in parameters:
        return 1.0
    if runs is not None:
        return min(1.0, runs / int(parameters["runs"].default))
    return 1.0 if share is None else share


def page(entries: Sequence[Entry]) -> str:
    """All entries as one page of Markdown."""
    seconds = sum(entry.seconds for entry in entries)
    about = (
        f"{len(entries)} entries, {seconds / 60:.0f} minutes of one processor, {_efforts(entries)} "
        "(each entry says its own). Made by `evomask reproduce --all`; every row has the paper "
        "beside ours."
    )
    made = {entry.name for entry in entries}
    left = [name for name in REPRODUCTIONS if name not in made]
    more = [f"Not made yet, here: {', '.join(left)}.", ""] if left else []
    head = ["# The papers' tables and figures, made again", about, "", *more]
    lines = [line for entry in entries for line in _section(entry)]
    return "\n".join([*head, *lines, *left_out()])


def left_out() -> list[str]:
    """What the papers have and evomask has not, with the reason."""
    return ["## Left out", *(f"- {what}: {why}." for what, why in LEFT_OUT.items()), ""]


def _efforts(entries: Sequence[Entry]) -> str:
    rest = [entry.share for entry in entries if entry.share < 1]
    if not rest:
        return "all with the papers' whole effort"
    whole = len(entries) - len(rest)
    return (
        f"{whole} with the papers' whole effort, {len(rest)} with a share of {min(rest):g} to "
        f"{max(rest):g} of it"
    )


def _section(entry: Entry) -> list[str]:
    lines = [
        f"## {entry.name}",
        f"{entry.summary} {_spent(entry)} {entry.remark}".strip(),
        "",
    ]
    if entry.failure:
        return [*lines, f"Not made: {entry.failure}.", ""]
    return [*lines, *_table(entry.rows), *(f"- {text}" for text in entry.readings), ""]


def _spent(entry: Entry) -> str:
    asked = {"seed": entry.seed, "runs": entry.runs}
    more = "".join(f", {name} {value}" for name, value in asked.items() if value is not None)
    return f"Share {entry.share:g}{more}, {entry.seconds:.1f} s."


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        return []
    lines = [[cell(row.get(name)) for name in names] for row in rows]
    return [_line(names), _line(["---"] * len(names)), *map(_line, lines)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(text.replace('|', '/') for text in cells)} |"


def cell(value: object) -> str:
    """Format a value: two decimals, a dash if there is none."""
    if value is None:
        return "-"
    if not isinstance(value, float):
        return str(value)
    return f"{value:.1e}" if 0 < abs(value) < SMALL else f"{value:.2f}"
