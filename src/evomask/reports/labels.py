"""Writing names beside points so that they can be read: not on one another, nor on points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from evomask.data.chart import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOM = (390.0, 220.0)
"""Points of a picture that its axes are about as wide and high as."""

LETTER, LINE = 4.3, 8.5
"""Points that a small letter is about as wide as, and a line as high as."""

NEAR = 8.0
"""Points between a mark and its name."""

FARTHEST = 7
"""Lines above or below its point that a name may stand at."""

POINT = 4.0


class Box(NamedTuple):
    """Where a name or a mark is, in points of the picture."""

    left: float
    bottom: float
    width: float
    height: float

    def meets(self, other: Box) -> bool:
        """Whether two boxes have something in common."""
        return (
            self.left < other.left + other.width
            and other.left < self.left + self.width
            and self.bottom < other.bottom + other.height
            and other.bottom < self.bottom + self.height
        )


def write_labels(series: Sequence[Series], axes: Axes) -> None:
    """Write the names of points where there is room, with a thin line to those further away."""
    marks = [_mark(axes, x, y) for line in series if line.mark == "points" for x, y in _pairs(line)]
    names: list[Box] = []
    for line in series:
        for label, (x, y) in zip(line.labels, _pairs(line), strict=False):
            place = freest(list(_places(_mark(axes, x, y), label)), names, marks)
            names.append(place)
            _write(axes, label, (x, y), place)


def freest(places: Sequence[Box], names: Sequence[Box], marks: Sequence[Box]) -> Box:
    """The first place that meets no name and the fewest marks."""
    return min(places, key=lambda place: (_meetings(place, names), _meetings(place, marks)))


def _meetings(place: Box, others: Sequence[Box]) -> int:
    return sum(place.meets(other) for other in others)


def _pairs(series: Series) -> Iterator[tuple[float, float]]:
    return zip(series.x, series.y, strict=True)


def _mark(axes: Axes, x: float, y: float) -> Box:
    """A point of the axes as a small box."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    across = ROOM[0] * (x - left) / (right - left)
    up = ROOM[1] * (y - bottom) / (top - bottom)
    return Box(across - POINT, up - POINT, 2 * POINT, 2 * POINT)


def _places(mark: Box, label: str) -> Iterator[Box]:
    """Beside the mark first, then above and below, ever further; right before left."""
    width, middle = LETTER * len(label), mark.bottom + POINT - LINE / 2
    for away in range(FARTHEST + 1):
        for lines in (away, -away):
            for left in (mark.left + POINT + NEAR, mark.left + POINT - NEAR - width):
                if 0 <= left <= ROOM[0] - width:
                    yield Box(left, middle + lines * LINE, width, LINE)


def _write(axes: Axes, label: str, point: tuple[float, float], place: Box) -> None:
    mark = _mark(axes, *point)
    across = place.left - mark.left - POINT
    up = place.bottom + LINE / 2 - mark.bottom - POINT
    line = {"arrowstyle": "-", "linewidth": 0.5, "color": "0.4"} if abs(up) > LINE else None
    axes.annotate(
        label, point, textcoords="offset points", xytext=(across, up), fontsize="x-small",
        va="center", arrowprops=line,
    )  # fmt: skip
