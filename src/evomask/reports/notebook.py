"""Results as a notebook shows them: the map of loss and risk, and tables."""

from collections.abc import Iterable, Sequence
from html import escape

from evomask.record.record import PointsNote
from evomask.reports.charts import map_chart
from evomask.reports.figures import inline_svg


def map_html(points: PointsNote) -> str:
    """The map as HTML: a picture and the sentence that reads it."""
    chart = map_chart(points)
    return f"<figure>{inline_svg(chart)}<figcaption>{chart.reading}</figcaption></figure>"


def table_html(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as HTML; numbers to two digits, nothing where there is no value."""
    titles = "".join(f'<th scope="col">{escape(title)}</th>' for title in head)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return (
        f"<table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
    )


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:.2f}</td>'
    if isinstance(value, int):
        return f'<td style="text-align: right">{value}</td>'
    return f"<td>{escape('' if value is None else str(value))}</td>"
