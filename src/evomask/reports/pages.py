"""Pages from templates: everything is escaped unless it is a picture of ours."""

import json
from collections.abc import Mapping

from evomask.data.chart import Chart
from evomask.reports.bars import bars_svg, is_of_bars
from evomask.reports.figures import inline_svg


def page(template: str, values: Mapping[str, object]) -> str:
    """The template filled with the values; a name it does not get is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def drawing(chart: Chart) -> Markup:
        return Markup(bars_svg(chart) if is_of_bars(chart) else inline_svg(chart))  # noqa: S704 - drawn by us, its texts escaped

    environment = Environment(
        loader=PackageLoader("evomask.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = lambda value: f"{value:.2f}"
    environment.filters["figure"] = figure
    environment.filters["parameter"] = _parameter
    environment.filters["drawing"] = drawing
    return environment.get_template(template).render(values).lstrip()


def figure(value: float) -> str:
    """A number with four digits, thousands set apart and never a power of ten."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _parameter(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
