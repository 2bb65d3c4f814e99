"""A live view of the main job by its events: on a terminal a small panel, elsewhere plain lines."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from evomask.cli.terminal.output import counter, progress
from evomask.runs.kept.events import Began, Checked, Event, PointNews, Turn, Watch

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

WIDTH, HEIGHT = 48, 12
PER_SECOND = 4


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
        with Live(console=console, refresh_per_second=PER_SECOND, transient=True) as live:
            yield Panel(live, title)


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
    """The front as a small map, the best point, the budget, and whose turn it is."""

    def __init__(self, live: "Live", title: str) -> None:
        self._live = live
        self._title = title
        self._front = LiveFront()

    def __call__(self, event: Event) -> None:
        """Draw it again, or write a line above it."""
        if isinstance(event, Began) and event.text:
            self._live.console.print(event.text)
        elif isinstance(event, Turn):
            self._live.update(_panel(self._title, event, self._front.after(event)))
        elif isinstance(event, Checked):
            self._live.update(_text(checked(event)))


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
    """Pairs of loss and risk as characters: loss to the right, risk upwards, both to 100."""
    cells = [[" "] * width for _ in range(height)]
    for loss, risk in points:
        column = min(width - 1, int(loss / 100 * width))
        row = min(height - 1, int((100 - risk) / 100 * height))
        cells[row][column] = "•"
    lines = ["│" + "".join(row) for row in cells]
    return "\n".join(["risk", *lines, "└" + "─" * width + " loss"])


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
