"""Everything made again on one page: paper beside ours, seconds, what differs and why."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evomask.data.chart import Chart
from evomask.errors import EvomaskError
from evomask.papers.catalogue import REPRODUCTIONS, function_named, reproduce, summary_of
from evomask.papers.remarks import remark_on

SMALL = 0.005
"""Below it two decimals show nothing."""


@dataclass(frozen=True)
class Entry:
    """A table or figure made again.

    Args:
        share: of the paper's effort that was spent.
        seconds: of the processor, without what earlier entries had left ready.
        rows: of a table; a figure has its readings instead.
        failure: why it could not be made, in one sentence; empty where it was.
    """

    name: str
    summary: str
    remark: str
    share: float
    seconds: float
    rows: list[dict[str, Any]]
    readings: list[str]
    failure: str = ""

    def as_json(self) -> dict[str, Any]:
        """The entry as a dictionary that JSON can hold."""
        return asdict(self)


def entry_of(
    name: str, *, seed: int | None, share: float | None, clock: Callable[[], float]
) -> tuple[Entry, list[Chart]]:
    """Make one table or figure; what stands in its way is told in its place."""
    known = (name, summary_of(name), remark_on(name), spent_share(name, share))
    started = clock()
    try:
        made = reproduce(name, seed=seed, share=share)
    except EvomaskError as error:
        return Entry(*known, clock() - started, [], [], str(error)), []
    readings = [f"{chart.title}: {chart.reading}" for chart in made.charts]
    rows = [] if made.charts else made.rows
    return Entry(*known, clock() - started, rows, readings), made.charts


def spent_share(name: str, share: float | None) -> float:
    """The share that a reproduction spends when it is asked for one; 1 where there is no less."""
    parameters = inspect.signature(function_named(name)).parameters
    if "share" in parameters:
        return float(parameters["share"].default) if share is None else share
    return 1.0 if share is None or "runs" not in parameters else share


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
    return "\n".join([*head, *(line for entry in entries for line in _section(entry)), ""])


def _efforts(entries: Sequence[Entry]) -> str:
    """How many entries had the papers' whole effort, and what share the others had."""
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
        f"{entry.summary} Share {entry.share:g}, {entry.seconds:.1f} s. {entry.remark}".strip(),
        "",
    ]
    if entry.failure:
        return [*lines, f"Not made: {entry.failure}.", ""]
    return [*lines, *_table(entry.rows), *(f"- {text}" for text in entry.readings), ""]


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        return []
    lines = [[cell(row.get(name)) for name in names] for row in rows]
    return [_line(names), _line(["---"] * len(names)), *map(_line, lines)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(text.replace('|', '/') for text in cells)} |"


def cell(value: object) -> str:
    """A value as a person reads it: two decimals, a dash where there is none."""
    if value is None:
        return "-"
    if not isinstance(value, float):
        return str(value)
    return f"{value:.1e}" if 0 < abs(value) < SMALL else f"{value:.2f}"
