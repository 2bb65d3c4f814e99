"""Specialists: the searches that take part in `protect` for a file, with their parameters."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.searches.base import Search, SearchInput
from evomask.searches.catalogue import RECIPES, names_in_protect, search_named

FORMER_RECIPES = "grid"
"""Name of the search of recipes in earlier versions."""

REQUIRED = ("cost", "keeps_strata", "kernels")
"""Attributes that a search with variants must declare to take part."""


@dataclass(frozen=True)
class Specialist:
    """A search with parameters, as part of `protect`.

    Args:
        search: name in the catalogue.
        parameters: values that differ from the defaults, as in a plan.
        cost: cost of one of its tasks, relative to the evaluation of a candidate on a sample.
    """

    search: str
    parameters: dict[str, Any] = field(default_factory=dict)
    cost: float = 1.0


def specialists_for(file: SearchInput, names: Iterable[str] = ()) -> dict[str, Specialist]:
    """Specialists that apply to a file, by name; of *names* only, if given.

    The first is the search of recipes, which always takes part.
    """
    found: dict[str, Specialist] = {}
    for name in searches_for(file, names):
        search = search_named(name)
        for suffix, values in search.variants(file).items():
            plain = msgspec.to_builtins(msgspec.convert(dict(values), search.parameters))
            parameters = {key: value for key, value in plain.items() if value is not None}
            found[f"{name}{suffix}"] = Specialist(name, parameters, search.cost)
    return found


def searches_for(file: SearchInput, names: Iterable[str] = ()) -> tuple[str, ...]:
    """Names of the searches that apply to a file; of *names* only, if given."""
    given = tuple(RECIPES if name == FORMER_RECIPES else name for name in names)
    chosen = tuple(dict.fromkeys((RECIPES, *given))) if given else ()
    known = names_in_protect()
    for name in chosen:
        if name not in known:
            raise ParameterError(f"no search in protect is called {name!r}: {', '.join(known)}")
        if objection := _objection(name):
            raise ParameterError(objection)
    found = tuple(
        name
        for name, search in _usable(chosen or known).items()
        if (search.keeps_strata or not file.strata) and search.variants(file)
    )
    if chosen and len(found) < len(chosen):
        absent = ", ".join(name for name in chosen if name not in found)
        raise ParameterError(f"{absent} cannot mask this file; leave it out of --searches")
    return found


def left_out(file: SearchInput) -> tuple[str, ...]:
    """Notes on searches that were excluded, because of strata or missing declarations."""
    objections = tuple(filter(None, map(_objection, names_in_protect())))
    names = [
        name
        for name, search in _usable(names_in_protect()).items()
        if not search.keeps_strata and search.variants(file)
    ]
    if not file.strata or not names:
        return objections
    strata, absent = ", ".join(file.strata), " and ".join(names)
    why = f"{absent} would combine records of several strata and did not take part"
    return (f"every stratum of {strata} is masked separately: {why}", *objections)


def note_on_strata(name: str, table: Table) -> tuple[str, ...]:
    """Warn where a single search combines records of several strata."""
    strata = table.schema.with_role(Role.STRATUM)
    if not strata or getattr(search_named(name), "keeps_strata", True):
        return ()
    return (f"{name} combines records of several strata of {', '.join(strata)}",)


def is_main_search(name: str) -> bool:
    """Whether it is the search of recipes, which the others assist."""
    return name == RECIPES


def search_of(specialist: Specialist) -> Search:
    """Return the search that a specialist runs, with its parameters."""
    return search_named(specialist.search)


def _usable(names: Iterable[str]) -> dict[str, Search]:
    """Searches that can take part, in order."""
    chosen = set(names)
    usable = [name for name in names_in_protect() if name in chosen and not _objection(name)]
    found = {name: search_named(name) for name in usable}
    return {name: search for name, search in found.items() if hasattr(search, "variants")}


def _objection(name: str) -> str:
    """Reason why a search with variants cannot take part; empty where it can."""
    try:
        search = search_named(name)
    except ParameterError as error:
        return str(error)
    lacking = [part for part in REQUIRED if not hasattr(search, part)]
    if not lacking or not hasattr(search, "variants"):
        return ""
    missing = " and ".join(lacking)
    return f"the search {name!r} cannot take part: its package does not declare {missing}"
