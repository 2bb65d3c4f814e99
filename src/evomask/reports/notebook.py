"""The map of loss and risk for a notebook."""

from evomask.record.recording import points_of
from evomask.reports.charts import map_chart
from evomask.reports.figures import inline_svg
from evomask.runs.protected import Protected


def map_html(done: Protected) -> str:
    """The map as HTML: a picture and the sentence that reads it."""
    chart = map_chart(points_of(done))
    return f"<figure>{inline_svg(chart)}<figcaption>{chart.reading}</figcaption></figure>"
