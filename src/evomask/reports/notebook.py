"""The map of loss and risk for a notebook."""

from evomask.record.record import PointsNote
from evomask.reports.charts import map_chart
from evomask.reports.figures import inline_svg


def map_html(points: PointsNote) -> str:
    """The map as HTML: a picture and the sentence that reads it."""
    chart = map_chart(points)
    return f"<figure>{inline_svg(chart)}<figcaption>{chart.reading}</figcaption></figure>"
