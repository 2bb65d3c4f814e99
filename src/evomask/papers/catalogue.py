"""The tables and figures that `evomask reproduce` knows."""

import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from evomask.data.chart import Chart
from evomask.errors import ParameterError

REPRODUCTIONS: Mapping[str, str] = {
    "generalization-table-1a": "generalization:table_1a",
    "generalization-table-1b": "generalization:table_1b",
    "generalization-table-2a": "generalization:table_2a",
    "generalization-table-2b": "generalization:table_2b",
    "generalization-guided": "generalization:guided",
    "generalization-figure-1": "generalization:figure_1",
    "generalization-figure-2": "generalization:figure_2",
    "generalization-figure-3": "generalization:figure_3",
}
"""Name and home of each: a function of this part that gives rows, or charts."""


def summary_of(name: str) -> str:
    """What a reproduction shows, in one sentence."""
    return (inspect.getdoc(_function(name)) or "").split("\n\n")[0]


def reproduce(name: str, *, runs: int | None = None, seed: int = 0) -> dict[str, list[Any]]:
    """The rows of a table, or of figures with the charts beside them."""
    function = _function(name)
    wanted = {"runs": runs, "seed": seed}
    known = inspect.signature(function).parameters
    given = {n: value for n, value in wanted.items() if n in known and value is not None}
    found = function(**given)
    charts = [part for part in found if isinstance(part, Chart)]
    rows = [list(row) for chart in charts for row in chart.rows] if charts else found
    return {"rows": rows, "charts": [chart.as_json() for chart in charts]}


def _function(name: str) -> Any:  # noqa: ANN401
    if name not in REPRODUCTIONS:
        raise ParameterError(
            f"no reproduction is called {name!r}; there are {', '.join(REPRODUCTIONS)}"
        )
    module, _, function = REPRODUCTIONS[name].partition(":")
    return getattr(import_module(f"evomask.papers.{module}"), function)
