"""Pages from templates: everything is escaped unless it is a picture of ours."""

from collections.abc import Mapping


def page(template: str, values: Mapping[str, object]) -> str:
    """The template filled with the values; a name it does not get is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("evomask.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = lambda value: f"{value:.2f}"
    return environment.get_template(template).render(values)
