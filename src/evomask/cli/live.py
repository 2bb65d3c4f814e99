"""A live view of the main job: on a terminal a small panel, elsewhere plain lines."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from evomask.cli.speech import counter, progress

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

    from evomask.runs.protected import Progress

WIDTH, HEIGHT = 48, 12
PER_SECOND = 4


class View(Protocol):
    """Shows how far a job is."""

    def show(self, state: "Progress") -> None:
        """How it stands now."""
        ...

    def tell(self, text: str) -> None:
        """Something that is said once."""
        ...


@contextmanager
def watching(title: str, *, quiet: bool) -> Iterator[View]:
    """The view that fits where standard error goes."""
    if quiet:
        yield Silence()
    elif not sys.stderr.isatty():
        progress(title, quiet=False)
        yield Lines()
    else:
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True)
        with Live(console=console, refresh_per_second=PER_SECOND, transient=True) as live:
            yield Panel(live, title)


class Silence:
    """Says nothing."""

    def show(self, state: "Progress") -> None:
        """Nothing."""

    def tell(self, text: str) -> None:
        """Nothing."""


class Lines:
    """A line now and then."""

    def __init__(self) -> None:
        self.show = counter(line)

    def tell(self, text: str) -> None:
        """A line."""
        progress(text, quiet=False)


class Panel:
    """The front as a small map, the best point, the budget, and whose turn it is."""

    def __init__(self, live: "Live", title: str) -> None:
        self._live = live
        self._title = title

    def show(self, state: "Progress") -> None:
        """Draw it again."""
        self._live.update(_panel(self._title, state))

    def tell(self, text: str) -> None:
        """A line above the panel."""
        self._live.console.print(text)


def line(state: "Progress") -> str:
    """How far a job is, in one line."""
    best = state.best
    return (
        f"{min(100, 100 * state.used):3.0f} % of the budget, {state.tried} files, "
        f"{len(state.state.front)} on the front, balanced: "
        f"loss {best.loss:.1f} %, risk {best.risk:.1f} %, {time_left(state)}"
    )


def time_left(state: "Progress") -> str:
    """About how long it will take from here, judged by what was used so far."""
    if state.used >= 1.0:
        return "auditing"
    seconds = state.seconds * (1.0 / max(state.used, 1e-9) - 1.0)
    return f"{seconds:.0f} s left" if seconds < 90 else f"{seconds / 60:.0f} min left"


def sketch(points: list[tuple[float, float]], width: int = WIDTH, height: int = HEIGHT) -> str:
    """Pairs of loss and risk as characters: loss to the right, risk upwards, both to 100."""
    cells = [[" "] * width for _ in range(height)]
    for loss, risk in points:
        column = min(width - 1, int(loss / 100 * width))
        row = min(height - 1, int((100 - risk) / 100 * height))
        cells[row][column] = "•"
    lines = ["│" + "".join(row) for row in cells]
    return "\n".join(["risk", *lines, "└" + "─" * width + " loss"])


def _panel(title: str, state: "Progress") -> "RenderableType":
    from rich.console import Group
    from rich.panel import Panel as Frame
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    from evomask.record.words import in_words

    shares = sorted(state.shares.items(), key=lambda item: -item[1])
    told = ", ".join(f"{name} {share:.0f} %" for name, share in shares[:5])
    points = [(one.loss, one.risk) for one in state.state.front]
    return Frame(
        Group(
            Text(sketch(points)),
            Text(line(state)),
            Text(f"balanced: {in_words(state.best.making)}"),
            Text(f"effort: {told}"),
            ProgressBar(total=1.0, completed=min(1.0, state.used), width=WIDTH),
        ),
        title=title,
        subtitle="Ctrl-C stops and keeps the front",
    )
