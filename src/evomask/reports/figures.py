"""Drawing charts as SVG and PNG; the same chart gives the same bytes of SVG."""

from __future__ import annotations

import hashlib
import io
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from evomask.data.chart import Chart, Series
from evomask.reports.labels import write_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Figure  # noqa: PLC0414

# Okabe and Ito's colours, told apart with any colour vision; shapes and dashes say it again.
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
WIDTH, HEIGHT = 7.2, 4.4
MANY_LABELS = 12
LONG_LABELS = 52
"""Letters along an axis from which on labels are turned."""

LONGEST_LABEL = 28


def svg(chart: Chart) -> bytes:
    """The chart as SVG, its text as text, its reading as the description."""
    return _drawn(chart, {"Date": None, "Title": chart.title, "Description": chart.reading})


def inline_svg(chart: Chart) -> str:
    """The chart as SVG for a page with many: a picture with its reading as the text for it.

    Names inside the drawing begin with one for the chart, coordinates are cut at a hundredth of
    a point, and what only a file by itself needs is left out.
    """
    drawing = svg(chart).decode()
    drawing = drawing[drawing.index("<svg") :]
    drawing = re.sub(r"<title>.*?</title>|<metadata>.*?</metadata>", "", drawing, flags=re.S)
    name = f"c{hashlib.sha256(chart.name.encode()).hexdigest()[:10]}"
    drawing = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{name}-", drawing)
    drawing = re.sub(r"<[^>]+>", lambda tag: re.sub(r"(\.\d\d)\d+", r"\1", tag[0]), drawing)
    drawing = re.sub(r"\s*\n\s*", " ", drawing)
    return drawing.replace("<svg", f'<svg role="img" aria-label="{spoken(chart)}"', 1)


def spoken(chart: Chart) -> str:
    """What is said instead of the picture, ready for an attribute of an element."""
    return escape(f"{chart.title}. {chart.reading}")


def figure_of(chart: Chart) -> Figure:
    """The chart as a figure of the plotting library: notebooks show it, ``savefig`` writes it."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        FigureCanvasAgg(figure)
        _draw(chart, figure)
    return figure


def _drawn(chart: Chart, metadata: dict[str, str | None]) -> bytes:
    import matplotlib as mpl

    with mpl.rc_context(STYLE), warnings.catch_warnings():
        # It is told by the clock: a legend's place took more than a second to find.
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
        _draw_series(chart, series, number, axes)
    write_labels([replace(s, labels=tuple(short_names(s.labels))) for s in chart.series], axes)
    for line in chart.lines:
        if line.x is not None:
            axes.axvline(line.x, color="0.4", linestyle=(0, (1, 3)), label=line.name)
        if line.y is not None:
            axes.axhline(line.y, color="0.4", linestyle=(0, (1, 3)), label=line.name)
    _scale(chart, axes)
    _explain(axes)


def _explain(axes: Axes) -> None:
    """A legend where there are several names; series of one name share its line."""
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
    """Names cut where they would leave no room for the picture."""
    return [n if len(n) <= LONGEST_LABEL else f"{n[: LONGEST_LABEL - 1]}…" for n in names]


def _plain(axis: Axis) -> None:
    """Numbers of a logarithmic axis without the formulas that names must not be read as."""
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
    """From dark to light; around 0 where values lie on both sides of it."""
    known = values[~np.isnan(values)]
    low, high = ends or ((float(known.min()), float(known.max())) if known.size else (0.0, 1.0))
    if low >= 0:
        return {"cmap": "cividis", "vmin": low, "vmax": high}
    reach = max(-low, high)
    return {"cmap": "PuOr", "vmin": -reach, "vmax": reach}


def _draw_series(chart: Chart, series: Series, number: int, axes: Axes) -> None:
    _DRAW[series.mark](chart, series, number, axes)
    if series.low:
        _draw_range(series, number, axes)


def _draw_line(_: Chart, series: Series, number: int, axes: Axes) -> None:
    style = {"color": _of(COLOURS, number), "linestyle": _of(DASHES, number), "label": series.name}
    axes.plot(series.x, series.y, **style)


def _draw_steps(_: Chart, series: Series, number: int, axes: Axes) -> None:
    style = {"color": _of(COLOURS, number), "linestyle": _of(DASHES, number), "label": series.name}
    axes.step(series.x, series.y, where="post", **style)


def _draw_paths(chart: Chart, series: Series, number: int, axes: Axes) -> None:
    """Many thin lines, or a few strong ones; where several series are there, the first is pale."""
    x, y = np.asarray(series.x), np.asarray(series.y)
    starts = np.flatnonzero(np.diff(x) <= 0) + 1
    many = len(starts) > 0
    style: dict[str, Any] = {
        "color": "0.6" if many and len(chart.series) > 1 else _of(COLOURS, number),
        "linestyle": "-" if many else _of(DASHES, number),
        "linewidth": 0.7 if many else 2.0,
        "alpha": 0.6 if many else 1.0,
    }
    for place, (across, up) in enumerate(
        zip(np.split(x, starts), np.split(y, starts), strict=True)
    ):
        axes.plot(across, up, label=series.name if place == 0 else None, **style)


def _draw_points(_: Chart, series: Series, number: int, axes: Axes) -> None:
    style = {"color": _of(COLOURS, number), "marker": _of(SHAPES, number), "label": series.name}
    alone: dict[str, Any] = {"markersize": 11, "markerfacecolor": "none", "markeredgewidth": 2}
    axes.plot(series.x, series.y, linestyle="", **style, **(alone if len(series.x) == 1 else {}))


def _draw_bars(chart: Chart, series: Series, number: int, axes: Axes) -> None:
    bars = [series for series in chart.series if series.mark == "bars"]
    width = 0.8 / len(bars)
    left = np.asarray(series.x) - 0.4 + width * (bars.index(series) + 0.5)
    style = {"color": _of(COLOURS, number), "hatch": _of(HATCHES, number), "label": series.name}
    axes.bar(left, series.y, width=width, edgecolor="white", **style)


def _draw_range(series: Series, number: int, axes: Axes) -> None:
    if series.mark in {"line", "steps"}:
        axes.fill_between(
            series.x,
            series.low,
            series.high,
            alpha=0.2,
            color=_of(COLOURS, number),
            step="post" if series.mark == "steps" else None,
        )
    else:
        below = np.subtract(series.y, series.low)
        above = np.subtract(series.high, series.y)
        axes.errorbar(series.x, series.y, (below, above), fmt="none", ecolor="0.3", capsize=2)


_DRAW: dict[str, Callable[[Chart, Series, int, Axes], None]] = {
    "line": _draw_line,
    "steps": _draw_steps,
    "points": _draw_points,
    "bars": _draw_bars,
    "paths": _draw_paths,
}


def _of(choices: tuple[Any, ...], number: int) -> Any:  # noqa: ANN401
    return choices[number % len(choices)]
