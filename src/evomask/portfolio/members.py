"""Who takes part in a portfolio: the searches that apply to a file, with their parameters."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.searches.catalogue import portfolio_names, search_named
from evomask.searches.search import File, Search

PART = ("cost", "keeps_strata", "kernels")
"""What a search that has variants must say besides, to take part."""


@dataclass(frozen=True)
class Member:
    """A search as it takes part in a portfolio.

    Args:
        search: its name in the catalogue.
        parameters: those that are set, as a plan holds them; the others have their defaults.
        cost: what one of its tasks costs, where measuring a file costs 1.
    """

    search: str
    parameters: dict[str, Any] = field(default_factory=dict)
    cost: float = 1.0


def members_for(file: File, wanted: Iterable[str] = ()) -> dict[str, Member]:
    """The members by name, the grid first; only *wanted* searches where some are named."""
    found: dict[str, Member] = {}
    for name in searches_for(file, wanted):
        found |= _members(name, search_named(name), file)
    return found


def searches_for(file: File, wanted: Iterable[str] = ()) -> tuple[str, ...]:
    """The names of the searches that apply to a file; only *wanted* ones where some are named."""
    chosen = tuple(wanted)
    _require_known(chosen)
    found = _taking_part(chosen or portfolio_names())
    kept = tuple(name for name, search in found.items() if _applies(search, file))
    if not kept:
        raise ParameterError(f"{', '.join(chosen)} cannot mask this file; leave out --searches")
    return kept


def left_out(file: File) -> tuple[str, ...]:
    """Notes on searches that had no part: because of the strata, or what they lack."""
    return (*_shut_out_by_strata(file), *filter(None, map(_objection, portfolio_names())))


def note_on_strata(name: str, table: Table) -> tuple[str, ...]:
    """A note where a search on its own puts records of several strata together."""
    strata = table.schema.with_role(Role.STRATUM)
    if not strata or getattr(search_named(name), "keeps_strata", True):
        return ()
    return (f"{name} puts records of several strata of {', '.join(strata)} together",)


def search_of(member: Member) -> Search:
    """The search behind a member."""
    return search_named(member.search)


def _require_known(names: Iterable[str]) -> None:
    known = portfolio_names()
    for name in names:
        if name not in known:
            raise ParameterError(f"no search of a portfolio is called {name!r}: {', '.join(known)}")
        if objection := _objection(name):
            raise ParameterError(objection)


def _taking_part(names: Iterable[str]) -> dict[str, Search]:
    """Those of the searches that can be members, in the order of a portfolio."""
    wanted = set(names)
    usable = [name for name in portfolio_names() if name in wanted and not _objection(name)]
    found = {name: search_named(name) for name in usable}
    return {name: search for name, search in found.items() if hasattr(search, "variants")}


def _objection(name: str) -> str:
    """Why a search that would take part cannot; empty where it can, or has no variants."""
    try:
        search = search_named(name)
    except ParameterError as error:
        return str(error)
    lacking = [part for part in PART if not hasattr(search, part)]
    if not lacking or not hasattr(search, "variants"):
        return ""
    unsaid = " and ".join(lacking)
    return f"the search {name!r} cannot take part: its package does not say its {unsaid}"


def _applies(search: Search, file: File) -> bool:
    return (search.keeps_strata or not file.strata) and bool(search.variants(file))


def _shut_out_by_strata(file: File) -> tuple[str, ...]:
    found = _taking_part(portfolio_names())
    names = [name for name, s in found.items() if not s.keeps_strata and s.variants(file)]
    if not file.strata or not names:
        return ()
    strata, absent = ", ".join(file.strata), " and ".join(names)
    why = f"{absent} would put records of several strata together and had no part"
    return (f"every stratum of {strata} is masked on its own: {why}",)


def _members(name: str, search: Search, file: File) -> dict[str, Member]:
    return {
        f"{name}{suffix}": Member(name, _plain(search, values), search.cost)
        for suffix, values in search.variants(file).items()
    }


def _plain(search: Search, values: Mapping[str, object]) -> dict[str, Any]:
    """The parameters that are set, checked, as a plan holds them."""
    plain = msgspec.to_builtins(msgspec.convert(dict(values), search.parameters))
    return {name: value for name, value in plain.items() if value is not None}
