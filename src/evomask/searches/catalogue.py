"""Catalogue of the searches: our own, and those of installed packages.

A package adds a search by an entry point of the group ``evomask.searches``; see
docs/adding-a-search.md, and `searches.base` for the interface of a search.
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from evomask.errors import ParameterError

if TYPE_CHECKING:
    from evomask.searches.base import Search

GROUP = "evomask.searches"

REQUIRED = ("name", "parameters", "budget", "setup")
"""Members without which nothing is a search."""

OURS: Mapping[str, str] = {
    "generalization": "evomask.searches.generalization.search:GeneralizationSearch",
    "partition": "evomask.searches.partition.search:PartitionSearch",
    "grouping": "evomask.searches.grouping.search:GroupingSearch",
    "equations": "evomask.searches.equations.search:EquationsSearch",
    "pram": "evomask.searches.pram.search:PramSearch",
    "clustered": "evomask.searches.clustered.search:ClusteredSearch",
    "files": "evomask.searches.files.search:FILES",
}
"""Location (module:object) of each of our searches by name; imported on first use."""

RECIPES = "recipes"
"""Name of the search that combines masking methods; used by `protect` only."""

GIVEN = "given"
"""Name under which recipes and masked files that users give to `protect` take part."""

LOCATIONS: Mapping[str, str] = {
    RECIPES: "evomask.searches.recipes.search:RecipeSearch",
    GIVEN: "evomask.searches.given.search:GivenSearch",
    **OURS,
}

IN_PROTECT = (
    RECIPES, "files", "generalization", "pram", "equations", "clustered", "grouping", "partition",
)  # fmt: skip
"""Our searches that take part in `protect`, in the order in which their seeds are drawn."""


def search_names() -> tuple[str, ...]:
    """Names of the searches that can be run alone, ours first."""
    return (*OURS, *_plugins())


def names_in_protect() -> tuple[str, ...]:
    """Names of the searches that may take part in `protect`, ours first."""
    return (*IN_PROTECT, *_plugins())


def search_named(name: str) -> "Search":
    """Return the search of that name, ours or one of an installed package."""
    if name in LOCATIONS:
        module, _, attribute = LOCATIONS[name].partition(":")
        ours: Search = getattr(import_module(module), attribute)
        return ours
    plugins = _plugins()
    if name not in plugins:
        known = ", ".join(search_names())
        raise ParameterError(f"no search is called {name!r}; there are {known}")
    return _load(plugins[name])


def _load(point: EntryPoint) -> "Search":
    try:
        search: Search = point.load()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - of another package
        raise ParameterError(
            f"the search {point.name!r} cannot be loaded ({type(error).__name__}: {error}); repair "
            "or remove its package"
        ) from None
    lacking = [name for name in REQUIRED if not hasattr(search, name)]
    if lacking:
        raise ParameterError(
            f"the search {point.name!r} of another package has no {', '.join(lacking)}; repair or "
            "remove its package"
        )
    return search


def _plugins() -> dict[str, EntryPoint]:
    """Entry points of other packages by name; they cannot replace a search of ours."""
    points = {point.name: point for point in entry_points(group=GROUP)}
    return {name: points[name] for name in sorted(points) if name not in LOCATIONS}
