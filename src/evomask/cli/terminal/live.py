"""A live view of a job by its events: on a terminal a small panel, elsewhere plain lines."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from evomask.cli.terminal.output import counter, progress
from evomask.runs.kept.events import Began, Checked, Event, PointNews, Turn, Watch

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

WIDTH, HEIGHT = 48, 12
PER_SECOND = 4
SPINNING = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
TICKS = (0, 25, 50, 75, 100)
"""Percents that the axes of the map show."""


@contextmanager
def watching(title: str, *, quiet: bool) -> Iterator[Watch]:
    """A panel where standard error is a terminal, plain lines elsewhere, nothing when quiet."""
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
            console=console, refresh_per_second=PER_SECOND, transient=True,
            get_renderable=panel.drawn,
        ):  # fmt: skip
            yield panel


@contextmanager
def busy(text: str, *, quiet: bool) -> Iterator[None]:
    """Show that something goes on, and for how long, until it is done."""
    with watching(text, quiet=quiet):
        yield


class LiveFront:
    """The points of the front as the last turns told of them."""

    def __init__(self) -> None:
        self._points: dict[int, PointNews] = {}

    def after(self, turn: Turn) -> tuple[PointNews, ...]:
        """The front after a turn; one that tells of no points has left it as it was."""
        if turn.front is not None:
            self._points = {point.point: point for point in turn.front}
        return tuple(self._points.values())


class Lines:
    """A line for each phase, and now and then one on how far it is."""

    def __init__(self) -> None:
        self._front = LiveFront()
        self._now_and_then = counter(str)

    def __call__(self, event: Event) -> None:
        """Print a phase that begins at once, and turns and checks now and then."""
        if isinstance(event, Began) and event.text:
            progress(event.text, quiet=False)
        elif isinstance(event, Turn):
            self._now_and_then(line(event, self._front.after(event)))
        elif isinstance(event, Checked):
            self._now_and_then(checked(event))


class Panel:
    """What goes on and for how long; in a search the front as a small map, and whose turn it is."""

    def __init__(self, console: "Console", title: str) -> None:
        self._console = console
        self._title = title
        self._front = LiveFront()
        self._now = title
        self._began = self._since = time.monotonic()
        self._map: RenderableType | None = None

    def __call__(self, event: Event) -> None:
        """Take in what happened; a phase that says something is a line above the panel."""
        if isinstance(event, Began):
            self._now, self._since = event.text or event.phase, time.monotonic()
            if event.text:
                self._console.print(event.text, highlight=False)
        elif isinstance(event, Turn):
            self._map = _panel(self._title, event, self._front.after(event))
        elif isinstance(event, Checked):
            self._now = checked(event)

    def drawn(self) -> "RenderableType":
        """The panel as it is now: it is drawn again several times a second."""
        from rich.console import Group

        now = time.monotonic()
        sign = SPINNING[int(now * PER_SECOND) % len(SPINNING)]
        status = f"{sign} {self._now} ({now - self._since:.0f} s of {now - self._began:.0f} s)"
        return Group(*(part for part in (self._map, _text(status)) if part is not None))


def line(turn: Turn, front: tuple[PointNews, ...]) -> str:
    """Budget used, files made, the suggested point and the time left, in one line."""
    best = suggested_point(turn, front)
    return (
        f"{min(100, 100 * turn.share):3.0f} % of the budget, {turn.files} files, "
        f"{len(front)} on the front, suggested: "
        f"loss {best.loss:.1f} %, risk {best.risk:.1f} %, {time_left(turn)}"
    )


def checked(event: Checked) -> str:
    """How many points of the front have been audited so far, in one line."""
    return f"auditing: {event.done} of {event.of} points"


def suggested_point(turn: Turn, front: tuple[PointNews, ...]) -> PointNews:
    """The point of the front that would be released now where nobody picks one."""
    return next(point for point in front if point.point == turn.suggested)


def time_left(turn: Turn) -> str:
    """How long the search will take from here, in seconds or minutes."""
    if turn.share >= 1.0:
        return "auditing"
    return f"{turn.left:.0f} s left" if turn.left < 90 else f"{turn.left / 60:.0f} min left"


def sketch(points: list[tuple[float, float]], width: int = WIDTH, height: int = HEIGHT) -> str:
    """Pairs of loss and risk as characters: loss to the right, risk upwards, both to 100 %."""
    cells = [[" "] * width for _ in range(height)]
    for loss, risk in points:
        column = min(width - 1, int(loss / 100 * width))
        row = min(height - 1, int((100 - risk) / 100 * height))
        cells[row][column] = "•"
    marks = {min(height - 1, round((100 - tick) / 100 * height)): tick for tick in TICKS[1:]}
    rows = [f"{marks[place]:>4} ┤" if place in marks else "     │" for place in range(height)]
    lines = [f"{start}{''.join(row)}" for start, row in zip(rows, cells, strict=True)]
    return "\n".join(["risk %", *lines, f"   0 └{'─' * width}", f"      {_ticks(width)}"])


def _ticks(width: int) -> str:
    """The numbers below the axis of the loss, each where it belongs."""
    places = [" "] * (width + 8)
    for tick in TICKS:
        start = min(width - len(str(tick)) + 1, round(tick / 100 * width))
        places[start : start + len(str(tick))] = str(tick)
    return "".join(places).rstrip() + "  loss %"


def _text(words: str) -> "RenderableType":
    from rich.text import Text

    return Text(words)


def _panel(title: str, turn: Turn, front: tuple[PointNews, ...]) -> "RenderableType":
    from rich.console import Group
    from rich.panel import Panel as Frame
    from rich.progress_bar import ProgressBar

    shares = sorted(turn.shares.items(), key=lambda item: -item[1])
    effort = ", ".join(f"{name} {share:.0f} %" for name, share in shares[:5])
    points = [(point.loss, point.risk) for point in front]
    return Frame(
        Group(
            _text(sketch(points)),
            _text(line(turn, front)),
            _text(f"suggested: {suggested_point(turn, front).method}"),
            _text(f"effort: {effort}"),
            ProgressBar(total=1.0, completed=min(1.0, turn.share), width=WIDTH),
        ),
        title=title,
        subtitle="Ctrl-C stops and keeps the front",
    )
