"""Who takes part in a portfolio: the searches that apply to a file, with their parameters."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from evomask.data.classes import classes_of
from evomask.data.clustering import RESTARTS
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.guarantees.requirement import Requirement
from evomask.searches.catalogue import Search, search_named
from evomask.searches.grid.search import GridSearch

GRID = GridSearch.name
STEPS = 300_000
"""Elementary steps of a burst, well below a second."""

STEPS_PER_RECORD = 100
"""Steps that a burst needs for each record to come to anything."""

MANY_RECORDS = 5_000
"""Records from which on one draw of PRAM says as much as several."""


WORK = 20_000_000
"""Steps times records of a burst that changes cells."""

MANY_SIZES = (2, 3, 5, 10, 25, 50, 100, 250, 500, 1000, 2500)
"""Sizes of classes that are tried where one takes little time."""

LARGE = 20_000
"""Records above which members have small generations."""

KEEPING_APART = "memetic"
"""The algorithm of partition whose groups stay within strata."""

MOST_CHANGED = 10_000
"""Records above which cells are not changed one by one."""


@dataclass(frozen=True)
class Member:
    """A search as it takes part in a portfolio.

    Args:
        search: its name in the catalogue, or ``grid``.
        parameters: all of its parameters.
        cost: what one of its tasks costs, where measuring a file costs 1.
    """

    search: str
    parameters: dict[str, Any] = field(default_factory=dict)
    cost: float = 1.0


@dataclass(frozen=True)
class File:
    """What decides which searches apply."""

    table: Table
    requirement: Requirement
    profile: str

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self.table.schema.quasi_identifiers

    @property
    def numbers(self) -> tuple[str, ...]:
        """Those that are numbers."""
        return tuple(n for n in self.names if not self.table.attribute(n).is_categorical)

    @property
    def with_trees(self) -> tuple[str, ...]:
        """Those with categories whose schema names a hierarchy."""
        found = (self.table.attribute(name) for name in self.names)
        return tuple(a.name for a in found if a.is_categorical and a.hierarchy)

    @property
    def is_large(self) -> bool:
        """Whether a generation takes so long that few can be had."""
        return len(self.table) > LARGE

    def sizes(self, usual: Iterable[int]) -> tuple[int, ...]:
        """Group sizes that fulfil what is required, of which the file holds many groups."""
        wanted = sorted({max(k, self.requirement.k) for k in usual})
        return tuple(k for k in wanted if 4 * k <= len(self.table) and k <= self.fewest)

    @property
    def strata(self) -> tuple[str, ...]:
        """The attributes whose combinations are masked on their own."""
        return self.table.schema.with_role(Role.STRATUM)

    @property
    def fewest(self) -> int:
        """Records of the smallest stratum; of the file where there are no strata."""
        return int(classes_of(self.table, self.strata).sizes.min(initial=len(self.table)))


Variants = Mapping[str, Mapping[str, object]]


@dataclass(frozen=True)
class Entry:
    """How a search takes part.

    Args:
        variants: the parameters to set for a file, by a suffix for the member's name; none
            where the search does not apply.
        cost: what a task costs, where measuring a file costs 1.
        within_strata: whether nothing crosses from one stratum to another.
    """

    search: str
    variants: Callable[[File], Variants]
    cost: float
    within_strata: bool = True


def _partition(file: File) -> Variants:
    n = len(file.table)
    burst = min(2_000 * n, max(STEPS, STEPS_PER_RECORD * n))
    usual = (3, 30) if file.is_large else (3, 10, 30)
    return {f"-{k}": {"k": k, "burst": burst} for k in file.sizes(usual)}


def _grouping(file: File) -> Variants:
    if len(file.numbers) < len(file.names) or len(file.names) < 3:
        return {}
    small = {"population": 8, "crossovers": 2, "mutations": 1, "score": "worst"}
    return {f"-{k}": {"k": k, "fitness": file.profile, **small} for k in file.sizes((5, 25))}


def _generalization(file: File) -> Variants:
    if not file.with_trees:
        return {}
    whole, sizes = {"attributes": file.with_trees}, file.sizes(MANY_SIZES)
    return {"": whole} | ({"-local": {**whole, "local": True, "k": sizes}} if sizes else {})


def _clustered(file: File) -> Variants:
    if file.numbers:
        return {}
    least = max(2, file.requirement.k)
    several, restarts = (4, 1) if file.is_large else (8, RESTARTS)
    numbers = {"population": several, "children": several, "restarts": restarts}
    return {"": {"profile": file.profile, "least_k": least, "most_k": max(100, least), **numbers}}


def _pram(file: File) -> Variants:
    """Not where something is required: repairing would undo what the matrices do."""
    if file.numbers or file.requirement.asks_anything:
        return {}
    large = {"draws": 1, "population": 4} if len(file.table) > MANY_RECORDS else {}
    own: dict[str, object] = {"profile": file.profile, **large}
    return {"": own, "-invariant": {**own, "invariant": True}}


def _equations(file: File) -> Variants:
    if file.numbers or file.requirement.asks_anything:
        return {}
    return {"": {"profile": file.profile, "children": 8, "population": 20}}


def _files(file: File) -> Variants:
    """For the whole front, and for its balanced point; a step costs with the records."""
    if len(file.table) > MOST_CHANGED:
        return {}
    burst = min(10 * len(file.table) * len(file.names), WORK // len(file.table))
    shared = {
        "profile": file.profile,
        "require": file.requirement.as_text,
        "held_out": False,
        "burst": burst,
        "turns": 4 if len(file.table) <= 2_000 else 2,
    }
    return {
        "-front": {**shared, "algorithm": "front"},
        "-balanced": {**shared, "algorithm": "guided"},
    }


ENTRIES = (
    Entry("files", _files, 1.0),
    Entry("generalization", _generalization, 0.1),
    Entry("pram", _pram, 2.0),
    Entry("equations", _equations, 1.0),
    Entry("clustered", _clustered, 1.0, within_strata=False),
    Entry("grouping", _grouping, 1.0, within_strata=False),
    Entry("partition", _partition, 1.0),
)
"""Every search that can take part; a new one needs a line here."""


def members_for(file: File, wanted: Iterable[str] = ()) -> dict[str, Member]:
    """The members by name, the grid first; only *wanted* searches where some are named."""
    names = searches_for(file, wanted)
    found = {GRID: Member(GRID, _all_of(GridSearch, {}), cost=0.0)} if GRID in names else {}
    for entry in ENTRIES:
        if entry.search in names:
            found |= _members(entry, file)
    return found


def searches_for(file: File, wanted: Iterable[str] = ()) -> tuple[str, ...]:
    """The names of the searches that apply to a file; only *wanted* ones where some are named."""
    chosen = tuple(wanted)
    known = (GRID, *(entry.search for entry in ENTRIES))
    for name in chosen:
        if name not in known:
            raise ParameterError(f"no search of a portfolio is called {name!r}: {', '.join(known)}")
    apart = bool(file.strata)
    applying = (e for e in ENTRIES if (e.within_strata or not apart) and e.variants(file))
    found = (GRID, *(entry.search for entry in applying))
    kept = tuple(name for name in found if not chosen or name in chosen)
    if not kept:
        raise ParameterError(f"{', '.join(chosen)} cannot mask this file; leave out --searches")
    return kept


def left_out(file: File) -> tuple[str, ...]:
    """A note on searches that would apply but for the strata."""
    names = [e.search for e in ENTRIES if not e.within_strata and e.variants(file)]
    if not file.strata or not names:
        return ()
    strata, absent = ", ".join(file.strata), " and ".join(names)
    why = f"{absent} would put records of several strata together and had no part"
    return (f"every stratum of {strata} is masked on its own: {why}",)


def note_on_strata(search: str, parameters: Mapping[str, object], table: Table) -> tuple[str, ...]:
    """A note where a search on its own puts records of several strata together."""
    strata = table.schema.with_role(Role.STRATUM)
    together = search in [entry.search for entry in ENTRIES if not entry.within_strata]
    algorithm = parameters.get("algorithm", KEEPING_APART) if search == "partition" else ""
    if not strata or not (together or algorithm not in ("", KEEPING_APART)):
        return ()
    what = f"{search} by {algorithm}" if algorithm else search
    return (f"{what} puts records of several strata of {', '.join(strata)} together",)


def search_of(member: Member) -> Search:
    """The search behind a member."""
    return GridSearch if member.search == GRID else search_named(member.search)


def _members(entry: Entry, file: File) -> dict[str, Member]:
    search = search_named(entry.search)
    return {
        f"{entry.search}{suffix}": Member(entry.search, _all_of(search, values), entry.cost)
        for suffix, values in entry.variants(file).items()
    }


def _all_of(search: Search, values: Mapping[str, object]) -> dict[str, Any]:
    """All parameters as a plan holds them, those not named at their defaults."""
    plain = msgspec.to_builtins(msgspec.convert(dict(values), search.parameters))
    return {name: value for name, value in plain.items() if value is not None}
