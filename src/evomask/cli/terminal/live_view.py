"""Live view of a run from its events: a panel on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from evomask.cli.terminal.output import progress, throttled
from evomask.runs.store.journal import (
    Event,
    EventCallback,
    PhaseStarted,
    PointChecked,
    PointUpdate,
    RoundFinished,
    RunProgress,
)

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

WIDTH, HEIGHT = 48, 12
FRAMES_PER_SECOND = 4
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
TICKS = (0, 25, 50, 75, 100)
"""Labelled percentages of both axes."""


@contextmanager
def live_view(title: str, *, quiet: bool) -> Iterator[EventCallback]:
    """Yield a callback for events: a panel on a terminal, lines elsewhere, nothing when quiet."""
    if quiet:
        yield lambda _: None
    elif not sys.stderr.isatty():
        progress(title, quiet=False)
        yield Lines()
    else:
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True)
        panel = Panel(console, title)
        with Live(
            console=console, refresh_per_second=FRAMES_PER_SECOND, transient=True,
            get_renderable=panel.render,
        ):  # fmt: skip
            yield panel


@contextmanager
def busy(text: str, *, quiet: bool) -> Iterator[None]:
    """Show what is being done and for how long, while the body of the context runs."""
    with live_view(text, quiet=quiet):
        yield


class Lines:
    """Event callback that prints a line for each phase, and progress at most twice a second."""

    def __init__(self) -> None:
        self._progress = RunProgress()
        self._print = throttled(str)

    def __call__(self, event: Event) -> None:
        self._progress.take(event)
        if isinstance(event, PhaseStarted) and event.text:
            progress(event.text, quiet=False)
        elif isinstance(event, RoundFinished):
            self._print(summary_line(self._progress))
        elif isinstance(event, PointChecked):
            self._print(audit_line(event))


class Panel:
    """Event callback that draws phase, elapsed time, map of the front and effort per search."""

    def __init__(self, console: "Console", title: str) -> None:
        self._console = console
        self._title = title
        self._progress = RunProgress()
        self._phase = title
        self._began = self._since = time.monotonic()
        self._map: RenderableType | None = None

    def __call__(self, event: Event) -> None:
        self._progress.take(event)
        if isinstance(event, PhaseStarted):
            self._phase, self._since = event.text or event.phase, time.monotonic()
            if event.text:
                self._console.print(event.text, highlight=False)
        elif isinstance(event, RoundFinished):
            self._map = _panel(self._title, self._progress)
        elif isinstance(event, PointChecked):
            self._phase = audit_line(event)

    def render(self) -> "RenderableType":
        """Return the panel in its current state; called for every frame."""
        from rich.console import Group
        from rich.text import Text

        now = time.monotonic()
        sign = SPINNER[int(now * FRAMES_PER_SECOND) % len(SPINNER)]
        status = f"{sign} {self._phase} ({now - self._since:.0f} s of {now - self._began:.0f} s)"
        return Group(*(part for part in (self._map, Text(status)) if part is not None))


def summary_line(turn: RunProgress) -> str:
    """Summarize budget used, candidates, suggested point and remaining time in one line."""
    best = _suggested(turn)
    return (
        f"{min(100, 100 * turn.share):3.0f} % of the budget, {turn.files} candidates, "
        f"{len(turn.front)} on the front, suggested: "
        f"loss {best.loss:.1f} %, risk {best.risk:.1f} %, {time_left(turn)}"
    )


def audit_line(event: PointChecked) -> str:
    """State how many points of the front have been audited."""
    return f"auditing: {event.done} of {event.of} points"


def _suggested(turn: RunProgress) -> PointUpdate:
    return next(point for point in turn.front if point.point == turn.suggested)


def time_left(turn: RunProgress) -> str:
    """Return the remaining time of the search in seconds or minutes."""
    if turn.share >= 1.0:
        return "auditing"
    return f"{turn.left:.0f} s left" if turn.left < 90 else f"{turn.left / 60:.0f} min left"


def sketch(points: list[tuple[float, float]], width: int = WIDTH, height: int = HEIGHT) -> str:
    """Draw pairs of loss (to the right) and risk (upwards) with characters, both 0 to 100 %."""
    cells = [[" "] * width for _ in range(height)]
    for loss, risk in points:
        column = min(width - 1, int(loss / 100 * width))
        row = min(height - 1, int((100 - risk) / 100 * height))
        cells[row][column] = "•"
    marks = {min(height - 1, round((100 - tick) / 100 * height)): tick for tick in TICKS[1:]}
    starts = [f"{marks[row]:>4} ┤" if row in marks else "     │" for row in range(height)]
    lines = [f"{start}{''.join(row)}" for start, row in zip(starts, cells, strict=True)]
    labels = [" "] * (width + 8)
    for tick in TICKS:
        start = min(width - len(str(tick)) + 1, round(tick / 100 * width))
        labels[start : start + len(str(tick))] = str(tick)
    axis = "".join(labels).rstrip() + "  loss %"
    return "\n".join(["risk %", *lines, f"   0 └{'─' * width}", f"      {axis}"])


def _panel(title: str, turn: RunProgress) -> "RenderableType":
    from rich.console import Group
    from rich.panel import Panel as Frame
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    shares = sorted(turn.shares.items(), key=lambda item: -item[1])
    effort = ", ".join(f"{name} {share:.0f} %" for name, share in shares[:5])
    points = [(point.loss, point.risk) for point in turn.front]
    return Frame(
        Group(
            Text(sketch(points)),
            Text(summary_line(turn)),
            Text(f"suggested: {_suggested(turn).method}"),
            Text(f"effort: {effort}"),
            ProgressBar(total=1.0, completed=min(1.0, turn.share), width=WIDTH),
        ),
        title=title,
        subtitle="Ctrl-C stops and keeps the front",
    )
