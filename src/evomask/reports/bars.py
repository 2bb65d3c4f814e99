"""Bars drawn as plain SVG: categories down the side, a bar for each series, its value beside it.

A page has one such picture for every attribute, so they are drawn without a plotting library:
a thousand times faster (``benchmarks/bench_reports.py``), some kilobytes each, clear when small.
"""

from collections.abc import Iterator
from html import escape

from evomask.data.chart import Chart
from evomask.reports.figures import COLOURS, short_names, spoken
from evomask.reports.numbers import figure

WIDTH, LABELS = 480, 160
LETTER, SPACE = 7, 8
"""Room for a letter of a value, and around the value."""
TOP, BAR, GAP = 46, 13, 7


def is_of_bars(chart: Chart) -> bool:
    """Whether the chart is nothing but bars over categories, none below 0."""
    plain = all(series.mark == "bars" and min(series.y, default=0) >= 0 for series in chart.series)
    return plain and bool(chart.series) and bool(chart.x.categories) and not chart.lines


def bars_svg(chart: Chart) -> str:
    """A chart of bars over categories, as an element of a page."""
    row = BAR * len(chart.series) + GAP
    bottom = TOP + row * len(chart.x.categories)
    font = 'font-family="system-ui, sans-serif" font-size="12"'
    box = f'viewBox="0 0 {WIDTH} {bottom + 22}"'
    parts = [
        f'<svg class="bars" role="img" aria-label="{spoken(chart)}" {box} {font}>',
        _text(0, 14, chart.title, 'font-size="14"'),
        *(_legend(chart) if len(chart.series) > 1 else ()),
        *_rows(chart, row),
        f'<path d="M{LABELS} {TOP - 4}V{bottom}" stroke="#333"/>',
        _text(LABELS, bottom + 16, chart.y.title, 'fill="#444"'),
        "</svg>",
    ]
    return "".join(parts)


def _legend(chart: Chart) -> Iterator[str]:
    left = 0
    for number, series in enumerate(chart.series):
        yield _bar(number, left, 24, BAR - 3)
        yield _text(left + 16, 33, series.name)
        left += 30 + 7 * len(series.name)


def _rows(chart: Chart, row: int) -> Iterator[str]:
    longest = max(max(series.y, default=0.0) for series in chart.series) or 1.0
    values = [figure(value) for series in chart.series for value in series.y]
    room = WIDTH - LABELS - SPACE - LETTER * max(map(len, values), default=0)
    for place, name in enumerate(short_names(chart.x.categories)):
        top = TOP + row * place
        middle = top + (row - GAP) / 2 + 4
        yield _text(LABELS - 6, middle, name, 'text-anchor="end"')
        for number, series in enumerate(chart.series):
            width = room * series.y[place] / longest
            yield _bar(number, LABELS, top + BAR * number, width)
            yield _text(LABELS + width + 5, top + BAR * number + 10, figure(series.y[place]))


def _bar(number: int, left: float, top: float, width: float) -> str:
    """The first series is full, the others are outlines: told apart without colours."""
    colour = COLOURS[number % len(COLOURS)]
    look = f'fill="{colour}"' if number == 0 else f'fill="#fff" stroke="{colour}" stroke-width="2"'
    inset = 0 if number == 0 else 1
    return (
        f'<rect x="{left + inset:.6g}" y="{top + inset:.6g}" '
        f'width="{max(0.0, width - 2 * inset):.5g}" height="{BAR - 2 - 2 * inset}" {look}/>'
    )


def _text(left: float, bottom: float, words: str, look: str = "") -> str:
    return f'<text x="{left:.5g}" y="{bottom:.5g}" {look}>{escape(words)}</text>'
