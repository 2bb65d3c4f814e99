"""Points with many objectives as parallel coordinates: an axis for each, a line for each point."""

from collections.abc import Mapping, Sequence

from evomask.data.chart import Axis, Chart, Series

MOST_PATHS = 200
"""Points drawn; of more, evenly many along the first objective."""

OTHERS = "the front"


def parallel_chart(
    name: str,
    title: str,
    objectives: Sequence[str],
    points: Sequence[Sequence[float]],
    shown: Mapping[str, int],
) -> Chart:
    """The points in percent, lower being better, with some of them under a name.

    Args:
        points: a row for each point, a value for each objective.
        shown: places of the points that are drawn on their own.
    """
    others = [place for place in _thinned(points) if place not in shown.values()]
    ends = [(min(column), max(column)) for column in zip(*points, strict=True)]
    told = ", ".join(
        f"{what} {low:.1f} to {high:.1f}"
        for what, (low, high) in zip(objectives, ends, strict=True)
    )
    series = (_paths(OTHERS, [points[place] for place in others]),) if others else ()
    return Chart(
        name,
        title,
        f"{len(points)} points, none better than another everywhere, in percent: {told}. "
        "Lines that cross between two axes show what one use pays for the other.",
        Axis("use", tuple(objectives)),
        Axis("percent, lower is better"),
        (*series, *(_paths(what, [points[place]]) for what, place in shown.items())),
    )


def _thinned(points: Sequence[Sequence[float]]) -> list[int]:
    """Places of the points to draw, in the order of their first objective."""
    ordered = sorted(range(len(points)), key=lambda place: tuple(points[place]))
    if len(ordered) <= MOST_PATHS:
        return ordered
    last = len(ordered) - 1
    return [ordered[round(i * last / (MOST_PATHS - 1))] for i in range(MOST_PATHS)]


def _paths(name: str, rows: Sequence[Sequence[float]]) -> Series:
    x = tuple(float(place) for row in rows for place in range(len(row)))
    return Series(name, "paths", x, tuple(float(value) for row in rows for value in row))


def balanced(points: Sequence[Sequence[float]]) -> int:
    """The place of the point whose worst objective is the best."""
    return min(range(len(points)), key=lambda place: (max(points[place]), place))
