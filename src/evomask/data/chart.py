"""A figure as data: series, labels, and one sentence that reads it."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from evomask.errors import ParameterError

Mark = Literal["line", "points", "bars", "steps", "paths"]
MARKS: tuple[Mark, ...] = ("line", "points", "bars", "steps", "paths")


@dataclass(frozen=True)
class Axis:
    """What an axis shows.

    Args:
        title: the quantity, with its unit in words.
        categories: names along the axis; positions 0, 1, ... then stand for them.
    """

    title: str
    categories: tuple[str, ...] = ()
    logarithmic: bool = False


@dataclass(frozen=True)
class Series:
    """Values drawn the same way under one name.

    Args:
        mark: ``paths`` are lines of which another begins wherever *x* falls.
        x: positions, as long as *y*.
        low: with *high*, the ends of a range drawn around each value.
        labels: a name for each point, shown beside it.
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
            raise ParameterError(f"a series is one of {', '.join(MARKS)}, got {self.mark!r}")
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
    """Values over two axes of categories; None where there is no value.

    Args:
        name: what the values are, with their unit in words.
        rows: one per category of the y axis, each one value per category of the x axis.
        ends: the values that colours run between; by default those of the rows.
    """

    name: str
    rows: tuple[tuple[float | None, ...], ...]
    ends: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if len({len(row) for row in self.rows}) > 1:
            raise ParameterError(f"the rows of heat map {self.name!r} must be equally long")


@dataclass(frozen=True)
class Line:
    """A straight reference line with a name: all y at one x, or all x at one y."""

    name: str
    x: float | None = None
    y: float | None = None

    def __post_init__(self) -> None:
        if (self.x is None) == (self.y is None):
            raise ParameterError(f"line {self.name!r} needs either x or y")


@dataclass(frozen=True)
class Chart:
    """One figure, whoever draws it.

    Args:
        name: short and stable, fit for a file name and an address.
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
            raise ParameterError(f"chart {self.name!r} needs a sentence that reads it")
        if bool(self.series) == (self.heat is not None):
            raise ParameterError(f"chart {self.name!r} needs either series or a heat map")
        if self.heat is not None:
            _require_shape(self.heat, self.y.categories, self.x.categories)

    def as_json(self) -> dict[str, Any]:
        """The chart as plain lists, numbers and text."""
        return asdict(self)

    @property
    def rows(self) -> tuple[tuple[str, str | float, float | None], ...]:
        """The figure as a table: series or category, position, value; for who cannot see it."""
        if self.heat is not None:
            return tuple(
                (y, x, value)
                for y, row in zip(self.y.categories, self.heat.rows, strict=True)
                for x, value in zip(self.x.categories, row, strict=True)
            )
        return tuple(
            (series.name, self._position(x), y)
            for series in self.series
            for x, y in zip(series.x, series.y, strict=True)
        )

    def _position(self, x: float) -> str | float:
        return self.x.categories[int(x)] if self.x.categories else x


def _require_shape(heat: HeatMap, down: tuple[str, ...], across: tuple[str, ...]) -> None:
    if len(heat.rows) != len(down) or (heat.rows and len(heat.rows[0]) != len(across)):
        raise ParameterError(
            f"heat map {heat.name!r} needs {len(down)} rows of {len(across)} values, "
            "one for each category of its axes"
        )
