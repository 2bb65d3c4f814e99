"""Charts drawn as SVG: matplotlib figures, label placement, plain bar charts.

The same chart gives the same bytes of SVG. A page has a bar chart for every attribute, so these are
written without a plotting library: a thousand times faster (``benchmarks/bench_reports.py``), and
some kilobytes each.
"""

from __future__ import annotations

import hashlib
import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evomask.data.chart import Chart, Series
from evomask.measures.analyses.estimates import EstimateComparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Figure  # noqa: PLC0414


# Okabe and Ito's colours, distinct with any colour vision; shapes and dashes repeat them.
# Yellow is left out: on white it has too little contrast.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
# There is one shape and dash fewer than colours, so that pairs of them repeat late.
SHAPES = ("o", "s", "^", "D", "v", "P")
DASHES = ("-", "--", ":", "-.", (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1)))
HATCHES = ("", "//", "..", "xx", "\\\\", "++")

STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "evomask",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "text.parse_math": False,
}
FIGURE_WIDTH, FIGURE_HEIGHT = 7.2, 4.4
MANY_LABELS = 12
LONG_LABELS = 52
"""Total letters of the labels of an axis from which on they are rotated."""

LONGEST_LABEL = 28


FOREST_WIDTH, FOREST_HEIGHT = 150, 18


def forest_svg(value: EstimateComparison, among: Sequence[EstimateComparison]) -> str:
    """Draw the intervals of an estimate, before above after, on a scale of some estimates."""
    known = [one for other in among for one in (other.before, other.after) if one is not None]
    low = min((one.low for one in known), default=0.0)
    width = max((one.high for one in known), default=1.0) - low

    def place(number: float) -> str:
        share = (number - low) / width if width > 0 else 0.5
        return f"{4 + share * (FOREST_WIDTH - 8):.1f}"

    marks = "".join(
        f'<line x1="{place(one.low)}" x2="{place(one.high)}" y1="{y}" y2="{y}" stroke="{colour}" '
        f'stroke-width="2"/><circle cx="{place(one.value)}" cy="{y}" r="3" fill="{colour}"/>'
        for one, y, colour in ((value.before, 5, COLOURS[0]), (value.after, 13, COLOURS[1]))
        if one is not None
    )
    size = f'width="{FOREST_WIDTH}" height="{FOREST_HEIGHT}"'
    return f'<svg {size} role="img" aria-label="intervals before and after">{marks}</svg>'


def svg(chart: Chart) -> bytes:
    """Render a chart as SVG with text as text and its reading as the description."""
    return _render(chart, {"Date": None, "Title": chart.title, "Description": chart.reading})


def inline_svg(chart: Chart) -> str:
    """Render a chart as SVG for a page with many charts, with a text alternative.

    Identifiers get a prefix for the chart, coordinates are cut at a hundredth of a point, and
    metadata that only a separate file needs is removed.
    """
    drawing = svg(chart).decode()
    drawing = drawing[drawing.index("<svg") :]
    drawing = re.sub(r"<title>.*?</title>|<metadata>.*?</metadata>", "", drawing, flags=re.S)
    name = f"c{hashlib.sha256(chart.name.encode()).hexdigest()[:10]}"
    drawing = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{name}-", drawing)
    drawing = re.sub(r"<[^>]+>", lambda tag: re.sub(r"(\.\d\d)\d+", r"\1", tag[0]), drawing)
    drawing = re.sub(r"\s*\n\s*", " ", drawing)
    return drawing.replace("<svg", f'<svg role="img" aria-label="{text_alternative(chart)}"', 1)


def text_alternative(chart: Chart) -> str:
    """Text alternative of a chart, escaped for an HTML attribute."""
    return escape(f"{chart.title}. {chart.reading}")


def figure_of(chart: Chart) -> Figure:
    """Draw a chart as a matplotlib figure, which notebooks show and ``savefig`` writes."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(FIGURE_WIDTH, FIGURE_HEIGHT), layout="constrained")
        FigureCanvasAgg(figure)
        _draw(chart, figure)
    return figure


def _render(chart: Chart, metadata: dict[str, str | None]) -> bytes:
    import matplotlib as mpl

    with mpl.rc_context(STYLE), warnings.catch_warnings():
        # Issued when placing the legend took more than a second: it depends on the clock.
        warnings.filterwarnings("ignore", message="Creating legend")
        page = io.BytesIO()
        figure_of(chart).savefig(page, format="svg", metadata=metadata, dpi=72)
    return page.getvalue()


def _draw(chart: Chart, figure: Figure) -> None:
    axes = figure.add_subplot()
    axes.set_title(chart.title)
    axes.set_xlabel(chart.x.title)
    axes.set_ylabel(chart.y.title)
    if chart.heat is not None:
        _draw_heat(chart, figure, axes)
    for number, series in enumerate(chart.series):
        _DRAW[series.mark](chart, series, number, axes)
        if series.low:
            _draw_range(series, number, axes)
    write_labels([replace(s, labels=tuple(short_names(s.labels))) for s in chart.series], axes)
    for line in chart.lines:
        if line.x is not None:
            axes.axvline(line.x, color="0.4", linestyle=(0, (1, 3)), label=line.name)
        if line.y is not None:
            axes.axhline(line.y, color="0.4", linestyle=(0, (1, 3)), label=line.name)
    _scale(chart, axes)
    _add_legend(axes)


def _add_legend(axes: Axes) -> None:
    """Add a legend if there are several names; series of one name share an entry."""
    handles, names = axes.get_legend_handles_labels()
    first = dict(zip(reversed(names), reversed(handles), strict=True))
    if len(handles) > 1:
        axes.legend(
            [first[name] for name in dict.fromkeys(names)],
            dict.fromkeys(names),
            fontsize="small",
            framealpha=0.9,
        )


def _scale(chart: Chart, axes: Axes) -> None:
    if chart.x.logarithmic:
        axes.set_xscale("log")
        _plain(axes.xaxis)
    if chart.y.logarithmic:
        axes.set_yscale("log")
        _plain(axes.yaxis)
    if chart.x.categories:
        names = short_names(chart.x.categories)
        many = len(names) > MANY_LABELS or sum(map(len, names)) > LONG_LABELS
        axes.set_xticks(range(len(names)), names)
        if many:
            for label in axes.get_xticklabels():
                label.set(rotation=40, ha="right", rotation_mode="anchor")
    if chart.y.categories:
        axes.set_yticks(range(len(chart.y.categories)), short_names(chart.y.categories))


def short_names(names: tuple[str, ...]) -> list[str]:
    """Truncate names that would leave no space for the chart."""
    return [n if len(n) <= LONGEST_LABEL else f"{n[: LONGEST_LABEL - 1]}…" for n in names]


def _plain(axis: Axis) -> None:
    """Label a logarithmic axis as plain text: the name of a column may contain ``$``."""
    from matplotlib.ticker import LogFormatter

    axis.set_major_formatter(LogFormatter())
    axis.set_minor_formatter(LogFormatter(minor_thresholds=(1, 0.4)))


def _draw_heat(chart: Chart, figure: Figure, axes: Axes) -> None:
    assert chart.heat is not None  # noqa: S101
    values = np.array(chart.heat.rows, dtype=np.float64)
    axes.grid(visible=False)
    image = axes.imshow(
        np.ma.masked_invalid(values), aspect="auto", **_colours(values, chart.heat.ends)
    )
    figure.colorbar(image, ax=axes, label=chart.heat.name)


def _colours(values: np.ndarray, ends: tuple[float, float] | None) -> dict[str, Any]:
    """Colour map from dark to light, or diverging if values have both signs."""
    known = values[~np.isnan(values)]
    low, high = ends or ((float(known.min()), float(known.max())) if known.size else (0.0, 1.0))
    if low >= 0:
        return {"cmap": "cividis", "vmin": low, "vmax": high}
    reach = max(-low, high)
    return {"cmap": "PuOr", "vmin": -reach, "vmax": reach}


def _style(series: Series, number: int, name: str, choices: tuple[Any, ...]) -> dict[str, Any]:
    """Label, colour and another property that distinguishes a series."""
    return {
        "label": series.name, "color": _cycle(COLOURS, number), name: _cycle(choices, number),
    }  # fmt: skip


def _draw_line(_: Chart, series: Series, number: int, axes: Axes) -> None:
    style = _style(series, number, "linestyle", DASHES)
    if series.mark == "steps":
        axes.step(series.x, series.y, where="post", **style)
    else:
        axes.plot(series.x, series.y, **style)


def _draw_paths(chart: Chart, series: Series, number: int, axes: Axes) -> None:
    """Draw many thin lines or a few strong ones; with several series the first is pale."""
    x, y = np.asarray(series.x), np.asarray(series.y)
    starts = np.flatnonzero(np.diff(x) <= 0) + 1
    many = len(starts) > 0
    style: dict[str, Any] = {
        "color": "0.6" if many and len(chart.series) > 1 else _cycle(COLOURS, number),
        "linestyle": "-" if many else _cycle(DASHES, number),
        "linewidth": 0.7 if many else 2.0,
        "alpha": 0.6 if many else 1.0,
    }
    for place, (across, up) in enumerate(
        zip(np.split(x, starts), np.split(y, starts), strict=True)
    ):
        axes.plot(across, up, label=series.name if place == 0 else None, **style)


def _draw_points(_: Chart, series: Series, number: int, axes: Axes) -> None:
    style = _style(series, number, "marker", SHAPES)
    alone: dict[str, Any] = {"markersize": 11, "markerfacecolor": "none", "markeredgewidth": 2}
    axes.plot(series.x, series.y, linestyle="", **style, **(alone if len(series.x) == 1 else {}))


def _draw_bars(chart: Chart, series: Series, number: int, axes: Axes) -> None:
    bars = [series for series in chart.series if series.mark == "bars"]
    width = 0.8 / len(bars)
    left = np.asarray(series.x) - 0.4 + width * (bars.index(series) + 0.5)
    style = _style(series, number, "hatch", HATCHES)
    axes.bar(left, series.y, width=width, edgecolor="white", **style)


def _draw_range(series: Series, number: int, axes: Axes) -> None:
    if series.mark in {"line", "steps"}:
        axes.fill_between(
            series.x,
            series.low,
            series.high,
            alpha=0.2,
            color=_cycle(COLOURS, number),
            step="post" if series.mark == "steps" else None,
        )
    else:
        below = np.subtract(series.y, series.low)
        above = np.subtract(series.high, series.y)
        axes.errorbar(series.x, series.y, (below, above), fmt="none", ecolor="0.3", capsize=2)


_DRAW: dict[str, Callable[[Chart, Series, int, Axes], None]] = {
    "line": _draw_line,
    "steps": _draw_line,
    "points": _draw_points,
    "bars": _draw_bars,
    "paths": _draw_paths,
}


def _cycle(choices: tuple[Any, ...], number: int) -> Any:  # noqa: ANN401
    return choices[number % len(choices)]


AXES_SIZE = (390.0, 220.0)
"""Approximate width and height of the axes, in points."""

LABEL_LETTER, LINE = 4.3, 8.5
"""Approximate width of a small letter and height of a line, in points."""

LABEL_GAP = 8.0
"""Points between a mark and its label."""

FARTHEST = 7
"""Lines above or below its mark at which a label may be placed."""

MARK_RADIUS = 4.0


class Box(NamedTuple):
    """Position of a label or a mark, in points of the figure."""

    left: float
    bottom: float
    width: float
    height: float

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.left + other.width
            and other.left < self.left + self.width
            and self.bottom < other.bottom + other.height
            and other.bottom < self.bottom + self.height
        )


def write_labels(series: Sequence[Series], axes: Axes) -> None:
    """Write labels of points without overlaps, with a thin line to distant ones."""
    marks = [_mark(axes, x, y) for line in series if line.mark == "points" for x, y in _pairs(line)]
    names: list[Box] = []
    for line in series:
        for label, (x, y) in zip(line.labels, _pairs(line), strict=False):
            place = best_place(list(_places(_mark(axes, x, y), label)), names, marks)
            names.append(place)
            _write(axes, label, (x, y), place)


def best_place(places: Sequence[Box], names: Sequence[Box], marks: Sequence[Box]) -> Box:
    """The first place that overlaps no label and the fewest marks."""
    return min(places, key=lambda place: (_n_overlaps(place, names), _n_overlaps(place, marks)))


def _n_overlaps(place: Box, others: Sequence[Box]) -> int:
    return sum(place.meets(other) for other in others)


def _pairs(series: Series) -> Iterator[tuple[float, float]]:
    return zip(series.x, series.y, strict=True)


def _mark(axes: Axes, x: float, y: float) -> Box:
    """A point of the axes as a small box."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    across = AXES_SIZE[0] * (x - left) / (right - left)
    up = AXES_SIZE[1] * (y - bottom) / (top - bottom)
    return Box(across - MARK_RADIUS, up - MARK_RADIUS, 2 * MARK_RADIUS, 2 * MARK_RADIUS)


def _places(mark: Box, label: str) -> Iterator[Box]:
    """Places beside the mark first, then ever further above and below; right before left."""
    width, middle = LABEL_LETTER * len(label), mark.bottom + MARK_RADIUS - LINE / 2
    for away in range(FARTHEST + 1):
        for lines in (away, -away):
            for left in (
                mark.left + MARK_RADIUS + LABEL_GAP,
                mark.left + MARK_RADIUS - LABEL_GAP - width,
            ):
                if 0 <= left <= AXES_SIZE[0] - width:
                    yield Box(left, middle + lines * LINE, width, LINE)


def _write(axes: Axes, label: str, point: tuple[float, float], place: Box) -> None:
    mark = _mark(axes, *point)
    across = place.left - mark.left - MARK_RADIUS
    up = place.bottom + LINE / 2 - mark.bottom - MARK_RADIUS
    line = {"arrowstyle": "-", "linewidth": 0.5, "color": "0.4"} if abs(up) > LINE else None
    axes.annotate(
        label, point, textcoords="offset points", xytext=(across, up), fontsize="x-small",
        va="center", arrowprops=line,
    )  # fmt: skip


BARS_WIDTH, LABELS = 480, 160
BAR_LETTER, SPACE = 7, 8
"""Width of a letter of a value, and of the space around the value."""
TOP, BAR, GAP = 46, 13, 7


def is_bar_chart(chart: Chart) -> bool:
    """Whether the chart has only bars over categories, none below 0."""
    plain = all(series.mark == "bars" and min(series.y, default=0) >= 0 for series in chart.series)
    return plain and bool(chart.series) and bool(chart.x.categories) and not chart.lines


def bars_svg(chart: Chart) -> str:
    """Draw a bar chart over categories as an SVG element."""
    row = BAR * len(chart.series) + GAP
    bottom = TOP + row * len(chart.x.categories)
    font = 'font-family="system-ui, sans-serif" font-size="12"'
    box = f'viewBox="0 0 {BARS_WIDTH} {bottom + 22}"'
    parts = [
        f'<svg class="bars" role="img" aria-label="{text_alternative(chart)}" {box} {font}>',
        _svg_text(0, 14, chart.title, 'font-size="14"'),
        *(_legend(chart) if len(chart.series) > 1 else ()),
        *_rows(chart, row),
        f'<path d="M{LABELS} {TOP - 4}V{bottom}" stroke="#333"/>',
        _svg_text(LABELS, bottom + 16, chart.y.title, 'fill="#444"'),
        "</svg>",
    ]
    return "".join(parts)


def _legend(chart: Chart) -> Iterator[str]:
    left = 0
    for number, series in enumerate(chart.series):
        yield _bar(number, left, 24, BAR - 3)
        yield _svg_text(left + 16, 33, series.name)
        left += 30 + 7 * len(series.name)


def _rows(chart: Chart, row: int) -> Iterator[str]:
    longest = max(max(series.y, default=0.0) for series in chart.series) or 1.0
    values = [format_number(value) for series in chart.series for value in series.y]
    room = BARS_WIDTH - LABELS - SPACE - BAR_LETTER * max(map(len, values), default=0)
    for place, name in enumerate(short_names(chart.x.categories)):
        top = TOP + row * place
        middle = top + (row - GAP) / 2 + 4
        yield _svg_text(LABELS - 6, middle, name, 'text-anchor="end"')
        for number, series in enumerate(chart.series):
            width = room * series.y[place] / longest
            yield _bar(number, LABELS, top + BAR * number, width)
            yield _svg_text(
                LABELS + width + 5, top + BAR * number + 10, format_number(series.y[place])
            )


def _bar(number: int, left: float, top: float, width: float) -> str:
    """A bar; the first series is filled, the others are outlines, distinct without colours."""
    colour = COLOURS[number % len(COLOURS)]
    look = f'fill="{colour}"' if number == 0 else f'fill="#fff" stroke="{colour}" stroke-width="2"'
    inset = 0 if number == 0 else 1
    return (
        f'<rect x="{left + inset:.6g}" y="{top + inset:.6g}" '
        f'width="{max(0.0, width - 2 * inset):.5g}" height="{BAR - 2 - 2 * inset}" {look}/>'
    )


def _svg_text(left: float, bottom: float, words: str, look: str = "") -> str:
    return f'<text x="{left:.5g}" y="{bottom:.5g}" {look}>{escape(words)}</text>'


def format_number(value: float) -> str:
    """Format a number with four digits and a thousands separator, without exponent."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if value == 0 or abs(value) >= 0.001:
        return f"{value:.4g}"
    return "below 0.001" if value > 0 else "above -0.001"
