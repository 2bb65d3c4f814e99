"""Charts as data: series, axes and one sentence of interpretation."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from evomask.errors import ParameterError

Mark = Literal["line", "points", "bars", "steps", "paths"]
MARKS: tuple[Mark, ...] = ("line", "points", "bars", "steps", "paths")
MOST_PATHS = 200
"""Largest number of points in a chart of parallel coordinates; more are thinned."""

OTHERS = "the front"


@dataclass(frozen=True)
class Axis:
    """Title and scale of an axis.

    Args:
        title: the quantity with its unit.
        categories: labels of the positions 0, 1, ... of a categorical axis.
    """

    title: str
    categories: tuple[str, ...] = ()
    logarithmic: bool = False


@dataclass(frozen=True)
class Series:
    """Named values drawn with one mark.

    Args:
        mark: ``paths`` draws lines; a new line begins wherever *x* decreases.
        x: positions, as many as *y*.
        low: with *high*, the ends of an error bar around each value.
        labels: text beside each point.
    """

    name: str
    mark: Mark
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.mark not in MARKS:
            raise ParameterError(f"mark must be one of {', '.join(MARKS)}, got {self.mark!r}")
        if len(self.x) != len(self.y):
            raise ParameterError(
                f"series {self.name!r} has {len(self.x)} positions for {len(self.y)} values"
            )
        for field in ("low", "high", "labels"):
            if len(getattr(self, field)) not in {0, len(self.y)}:
                raise ParameterError(f"series {self.name!r} needs as many {field} as values")
        if bool(self.low) != bool(self.high):
            raise ParameterError(f"series {self.name!r} needs low and high together")


@dataclass(frozen=True)
class HeatMap:
    """Values over two categorical axes; None where there is no value.

    Args:
        name: the quantity with its unit.
        rows: one per category of the y axis, each with one value per category of the x axis.
        ends: lower and upper end of the colour scale; by default those of the values.
    """

    name: str
    rows: tuple[tuple[float | None, ...], ...]
    ends: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if len({len(row) for row in self.rows}) > 1:
            raise ParameterError(f"the rows of heat map {self.name!r} must be equally long")


@dataclass(frozen=True)
class Line:
    """A named vertical line at *x*, or horizontal line at *y*."""

    name: str
    x: float | None = None
    y: float | None = None

    def __post_init__(self) -> None:
        if (self.x is None) == (self.y is None):
            raise ParameterError(f"line {self.name!r} needs either x or y")


@dataclass(frozen=True)
class Chart:
    """One figure, independent of the renderer.

    Args:
        name: short and stable; used in file names and URLs.
        reading: one sentence that says what the figure shows.
    """

    name: str
    title: str
    reading: str
    x: Axis
    y: Axis
    series: tuple[Series, ...] = ()
    heat: HeatMap | None = None
    lines: tuple[Line, ...] = ()

    def __post_init__(self) -> None:
        if not self.reading.strip():
            raise ParameterError(f"chart {self.name!r} needs a sentence of interpretation")
        if bool(self.series) == (self.heat is not None):
            raise ParameterError(f"chart {self.name!r} needs either series or a heat map")
        if self.heat is not None:
            n_rows, n_columns = len(self.y.categories), len(self.x.categories)
            rows = self.heat.rows
            if len(rows) != n_rows or (rows and len(rows[0]) != n_columns):
                raise ParameterError(
                    f"heat map {self.heat.name!r} needs {n_rows} rows of {n_columns} values, "
                    "one for each category of its axes"
                )

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def rows(self) -> tuple[tuple[str, str | float, float | None], ...]:
        """The figure as an accessible table: series or category, position, value."""
        if self.heat is not None:
            return tuple(
                (y, x, value)
                for y, row in zip(self.y.categories, self.heat.rows, strict=True)
                for x, value in zip(self.x.categories, row, strict=True)
            )
        return tuple(
            (series.name, self.x.categories[int(x)] if self.x.categories else x, y)
            for series in self.series
            for x, y in zip(series.x, series.y, strict=True)
        )


def parallel_chart(
    name: str,
    title: str,
    objectives: Sequence[str],
    points: Sequence[Sequence[float]],
    shown: Mapping[str, int],
) -> Chart:
    """Chart of parallel coordinates: one axis per objective, one line per point, in percent.

    Args:
        points: one row per point with a value for each objective; lower is better.
        shown: indices of the points that are drawn as series of their own, by name.
    """
    others = [index for index in _thin(points) if index not in shown.values()]
    ends = [(min(column), max(column)) for column in zip(*points, strict=True)]
    ranges = ", ".join(
        f"{objective} {low:.1f} to {high:.1f}"
        for objective, (low, high) in zip(objectives, ends, strict=True)
    )
    series = (_paths(OTHERS, [points[index] for index in others]),) if others else ()
    return Chart(
        name,
        title,
        f"{len(points)} points, none dominated by another, in percent: {ranges}. "
        "Lines that cross between two axes show what one use pays for the other.",
        Axis("use", tuple(objectives)),
        Axis("percent, lower is better"),
        (*series, *(_paths(label, [points[index]]) for label, index in shown.items())),
    )


def _thin(points: Sequence[Sequence[float]]) -> list[int]:
    """Return the indices of the points to draw, in the order of their first objective."""
    ordered = sorted(range(len(points)), key=lambda index: tuple(points[index]))
    if len(ordered) <= MOST_PATHS:
        return ordered
    last = len(ordered) - 1
    return [ordered[round(i * last / (MOST_PATHS - 1))] for i in range(MOST_PATHS)]


def _paths(name: str, rows: Sequence[Sequence[float]]) -> Series:
    x = tuple(float(axis) for row in rows for axis in range(len(row)))
    return Series(name, "paths", x, tuple(float(value) for row in rows for value in row))


def minimax_point(points: Sequence[Sequence[float]]) -> int:
    """Index of the point whose worst objective is the least; the first wins a tie."""
    return min(range(len(points)), key=lambda index: (max(points[index]), index))
