"""Pages from templates: everything is escaped unless it is a picture of ours."""

import json
import re
from collections.abc import Mapping

from evomask.data.chart import Chart
from evomask.reports.bars import bars_svg, is_of_bars
from evomask.reports.figures import inline_svg
from evomask.reports.numbers import figure


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
    return with_scrolling_tables(environment.get_template(template).render(values).lstrip())


MANY_COLUMNS = 5
"""Tables with so many columns do not fit a narrow screen."""

_TABLE = re.compile(r'(<div class="wide"[^>]*>\s*)?<table[^>]*>.*?</table>', re.S)
_CAPTION = re.compile(r"<caption>(.*?)</caption>", re.S)


def with_scrolling_tables(html: str) -> str:
    """The page with every wide table in a box of its own that scrolls where it must."""
    return _TABLE.sub(_in_a_box, html)


def _in_a_box(found: re.Match[str]) -> str:
    table, caption = found[0], _CAPTION.search(found[0])
    if found[1] or caption is None or table.count('scope="col"') < MANY_COLUMNS:
        return table
    name = re.sub(r"<[^>]*>", "", caption[1]).split(";")[0].split(". ")[0]
    box = f'<div class="wide" tabindex="0" role="region" aria-label="{name}">'
    return f"{box}\n{table}\n</div>"


def _parameter(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
