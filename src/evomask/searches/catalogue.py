"""The catalogue of searches: ours, and those that installed packages bring along.

A package adds a search by an entry point of the group ``evomask.searches``; see
docs/adding-a-search.md, and `searches.search` for what a search is.
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from evomask.errors import ParameterError

if TYPE_CHECKING:
    from evomask.searches.search import Search

GROUP = "evomask.searches"

OURS: Mapping[str, str] = {
    "generalization": "evomask.searches.generalization.search:GeneralizationSearch",
    "partition": "evomask.searches.partition.search:PartitionSearch",
    "grouping": "evomask.searches.grouping.search:GroupingSearch",
    "equations": "evomask.searches.equations.search:EquationsSearch",
    "pram": "evomask.searches.pram.search:PramSearch",
    "clustered": "evomask.searches.clustered.search:ClusteredSearch",
    "files": "evomask.searches.files.search:FILES",
}
"""Name and home (module:object) of each search of ours, imported when it is first used."""

GRID = "grid"
"""The search that tries masking methods as they are; it is of use in a portfolio only."""

HOMES: Mapping[str, str] = {GRID: "evomask.searches.grid.search:GridSearch", **OURS}

IN_PORTFOLIO = (
    GRID, "files", "generalization", "pram", "equations", "clustered", "grouping", "partition",
)  # fmt: skip
"""Ours as they stand in a portfolio: members' seeds are drawn in this order."""


def search_names() -> tuple[str, ...]:
    """The searches that can be run alone, ours first."""
    return (*OURS, *_brought_along())


def portfolio_names() -> tuple[str, ...]:
    """The searches that may take part in a portfolio, ours first."""
    return (*IN_PORTFOLIO, *_brought_along())


def search_named(name: str) -> "Search":
    """The search of that name, ours or one that a package brings along."""
    if name in HOMES:
        module, _, attribute = HOMES[name].partition(":")
        ours: Search = getattr(import_module(module), attribute)
        return ours
    brought = _brought_along()
    if name not in brought:
        known = ", ".join(search_names())
        raise ParameterError(f"no search is called {name!r}; there are {known}")
    return _loaded(brought[name])


def _loaded(point: EntryPoint) -> "Search":
    try:
        search: Search = point.load()
    except (ImportError, AttributeError) as error:
        raise ParameterError(
            f"the search {point.name!r} cannot be loaded ({error}); repair or remove its package"
        ) from None
    return search


def _brought_along() -> dict[str, EntryPoint]:
    """What other packages bring along, by name; a name of ours stays ours."""
    points = {point.name: point for point in entry_points(group=GROUP)}
    return {name: points[name] for name in sorted(points) if name not in HOMES}
