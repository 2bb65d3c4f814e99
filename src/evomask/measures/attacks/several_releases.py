"""Several releases together: who remains a candidate in all of them, and what all candidates share.

Each release alone hides a person among all records that look like theirs. Who holds several
releases of overlapping people knows that the person is among the candidates of every one
(Ganta, Kasiviswanathan and Smith, 2008). Records of two releases can be linked where columns have
the same values in both; then the candidates are the people who look alike in all of them, and this
is counted. Published tables are not linked: of them, what the cell of a person says is intersected
with what the classes of the person in the other releases say.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from evomask.data.classes import classes_of, classes_of_columns
from evomask.data.recoding import SUPPRESSED
from evomask.data.scenario import Scenario, default_scenario
from evomask.data.schema import MISSING, Role
from evomask.data.table import Table
from evomask.data.units import units_in
from evomask.errors import DataError, ParameterError
from evomask.measures.attacks.attack import AttackResult, result_of
from evomask.measures.measure import About, Side
from evomask.types import Flags, Indices

MOST_CELLS = 20_000_000
"""Classes times values above which the values of a class are not intersected."""


@dataclass(frozen=True, eq=False)
class ReleaseOfPeople:
    """A release, and which person each of its records is.

    Args:
        name: for messages and reports.
        masked: masked table; suppressed records are nobody's.
        people: number of the person of each record; distinct numbers.
        units: number of the person or household that counts, of each record; by default the person.
        is_table: whether it is a published table, the columns being its dimensions and its
            variable: its cells are counts that cannot be linked with records.
        columns: columns with the values of the original, by which records can be linked.
    """

    name: str
    masked: Table = field(repr=False)
    people: Indices = field(repr=False)
    units: Indices | None = field(default=None, repr=False)
    is_table: bool = False
    columns: Mapping[str, Indices] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Disclosed:
    """People all of whose candidates have one value of a confidential attribute.

    Args:
        alone: the most in one release alone.
        together: in all releases, their records linked.
        without_link: in all releases, their records not linked: one value is common to the
            classes of the person. None where there are too many values to compare.
    """

    attribute: str
    alone: int
    together: int
    without_link: int | None


@dataclass(frozen=True)
class ScenarioIntersection:
    """What the intruder of a scenario learns from several releases together.

    Args:
        people: people in any release.
        k: fewest candidates of a person in all releases that hold them.
        each: the same in each release alone; None where the intruder knows nothing of it.
        required: k that was promised; 1 for nothing.
        unique_alone: people who are unique in a release alone.
        unique: people who are unique in all together.
        below: people with fewer candidates than required, who have enough in every release alone.
        disclosed: confidential attributes.
    """

    name: str
    people: int
    k: int
    each: tuple[int | None, ...]
    required: int
    unique_alone: int
    unique: int
    below: int
    disclosed: tuple[Disclosed, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether k of all releases together is as required."""
        return self.k >= self.required


def intersect_in_scenarios(
    releases: Sequence[ReleaseOfPeople],
    scenarios: Sequence[Scenario],
    required: Mapping[str, int],
) -> tuple[ScenarioIntersection, ...]:
    """Intersect the candidates of every person in several releases, for each intruder.

    Args:
        scenarios: what intruders know; without any, all quasi-identifiers of the first release.
        required: k that was promised in each scenario, by name.

    Of attributes known within a tolerance nothing is assumed. Where an intruder may know any of
    several attributes, the choice with the fewest candidates counts.
    """
    if len(releases) < 2:
        raise ParameterError(f"{len(releases)} release cannot be intersected; give two or more")
    if all(one.is_table for one in releases):
        raise ParameterError("tables alone cannot be intersected; give a masked file")
    known = scenarios or [default_scenario(releases[0].masked.schema.quasi_identifiers)]
    people = _People(releases)
    return tuple(people.intersect(one, required.get(one.name, 1)) for one in known)


class _People:
    """The people of several releases."""

    def __init__(self, releases: Sequence[ReleaseOfPeople]) -> None:
        self.releases = releases
        self.files = [row for row, one in enumerate(releases) if not one.is_table]
        self.persons = np.unique(np.concatenate([one.people for one in releases]))
        self.places = [np.searchsorted(self.persons, one.people) for one in releases]
        self.units = np.arange(len(self.persons))
        self.texts: dict[str, int] = {}
        for one, places in zip(releases, self.places, strict=True):
            if one.units is not None:
                self.units[places] = one.units

    def intersect(self, scenario: Scenario, required: int) -> ScenarioIntersection:
        """The worst choice of attributes that a scenario allows."""
        found = [self._with(one, scenario.name, required) for one in scenario.variants()]
        return min(found, key=lambda one: (one.k, -one.below, -one.unique))

    def _with(self, scenario: Scenario, name: str, required: int) -> ScenarioIntersection:
        labels = np.array(
            [
                self._labels(one, places, scenario.knows)
                for one, places in zip(self.releases, self.places, strict=True)
            ]
        )
        informs = [
            any(known in one.masked.schema for known in scenario.knows) for one in self.releases
        ]
        files = labels[self.files]
        alone = np.array([_candidates(row[None], self.units) for row in labels])
        together = _candidates(files, self.units)
        held = together > 0
        enough = np.all((alone >= required) | (alone == 0), axis=0)
        own = [int(row[row > 0].min(initial=len(row))) for row in alone]
        of_files = alone[self.files]
        return ScenarioIntersection(
            name,
            self._count(held),
            int(together[held].min(initial=len(held))),
            tuple(k if known else None for k, known in zip(own, informs, strict=True)),
            required,
            self._count((of_files == 1).any(axis=0)),
            self._count(together == 1),
            self._count(held & enough & (together < required)),
            tuple(self._disclosed(labels, scenario)),
        )

    def _count(self, flags: Flags) -> int:
        """Number of units with a flagged record."""
        return len(np.unique(self.units[flags]))

    def _labels(self, one: ReleaseOfPeople, places: Indices, known: Sequence[str]) -> Indices:
        """Class of each person in a release; -1 for those who are not in it."""
        labels = np.full(len(self.persons), -1)
        names = [name for name in known if name in one.masked.schema]
        released = ~one.masked.suppressed
        labels[places[released]] = classes_of(one.masked, names).labels[released]
        return labels

    def _disclosed(self, labels: Indices, scenario: Scenario) -> Iterator[Disclosed]:
        names = dict.fromkeys(
            name
            for one in self.releases
            for name in one.masked.schema.with_role(Role.CONFIDENTIAL)
            if name not in scenario.attributes
        )
        for name in names:
            having = [row for row, one in enumerate(self.releases) if name in one.masked.schema]
            codes = {row: self._values(row, name) for row in having}
            alone = [_one_value(labels[[row]], labels[row], codes[row]) for row in having]
            of_files = [row for row in having if row in self.files]
            together = np.any(
                [_one_value(labels[self.files], labels[row], codes[row]) for row in of_files],
                axis=0,
            )
            yield Disclosed(
                name,
                max(self._count(flags) for flags in alone),
                self._count(together | np.any(alone, axis=0)),
                self._without_link(labels, having, codes),
            )

    def _values(self, row: int, name: str) -> Indices:
        """Number of the value of each person, the same in all releases; -1 for none."""
        table, places = self.releases[row].masked, self.places[row]
        if table.is_recoded(name) or table.attribute(name).is_categorical:
            labels, cells = table.labels(name), table[name]
        else:
            values, cells = np.unique(table[name], return_inverse=True)
            labels = tuple("" if value != value else f"{value:.15g}" for value in values)  # noqa: PLR0124
        numbers = [
            -1 if label in (MISSING, SUPPRESSED) else self.texts.setdefault(label, len(self.texts))
            for label in labels
        ]
        codes = np.full(len(self.persons), -1)
        codes[places] = np.array(numbers, dtype=np.int64)[cells]
        return codes

    def _without_link(
        self, labels: Indices, having: Sequence[int], codes: Mapping[int, Indices]
    ) -> int | None:
        """People whose classes have a single value in common."""
        values = np.unique(np.concatenate([codes[row] for row in having]))
        common = None
        for row in having:
            held = labels[row] >= 0
            n_classes = int(labels[row].max(initial=0)) + 1
            if max(n_classes, len(held)) * len(values) > MOST_CELLS:
                return None
            has = np.zeros((n_classes, len(values)), dtype=bool)
            places = np.searchsorted(values, codes[row])
            has[labels[row][held], places[held]] = True
            # a cell that says nothing may hide any value
            has |= has[:, :1] if values[0] == -1 else False
            own = has[labels[row]] | ~held[:, None]
            common = own if common is None else common & own
        if common is None:
            return 0
        first = int(values[0] == -1)
        in_any = (labels[list(having)] >= 0).any(axis=0)
        return self._count((common[:, first:].sum(axis=1) == 1) & in_any)


def _one_value(labels: Indices, held: Indices, codes: Indices) -> Flags:
    """People whose candidates in all releases (rows) all have the same value, which is known."""
    found = np.zeros(labels.shape[1], dtype=bool)
    for wanted, members, classes in _patterns(labels):
        inside = held[members] >= 0
        if not inside.any():
            continue
        own = codes[members]
        n = int(classes.max(initial=-1)) + 1
        low = np.full(n, np.iinfo(np.int64).max)
        high = np.full(n, -1)
        np.minimum.at(low, classes[inside], own[inside])
        np.maximum.at(high, classes[inside], own[inside])
        same = (low == high) & (low >= 0)
        flags = np.zeros(labels.shape[1], dtype=bool)
        flags[members] = same[classes]
        found |= flags & wanted & (held >= 0)
    return found


def _patterns(labels: Indices) -> Iterator[tuple[Flags, Indices, Indices]]:
    """For each set of releases that hold people: these people, their candidates and classes.

    Candidates are in each of these releases, and maybe in others.
    """
    held = labels >= 0
    patterns, own = np.unique(held, axis=1, return_inverse=True)
    for place, pattern in enumerate(patterns.T):
        if pattern.any():
            members = np.flatnonzero(held[pattern].all(axis=0))
            classes = classes_of_columns(list(labels[pattern][:, members]), len(members))
            yield own.ravel() == place, members, classes.labels


def _candidates(labels: Indices, units: Indices) -> Indices:
    """Number of candidates of each person in all releases (rows) that hold them; 0 for none."""
    found = np.zeros(labels.shape[1], dtype=np.int64)
    for wanted, members, classes in _patterns(labels):
        sizes = np.zeros(labels.shape[1], dtype=np.int64)
        sizes[members] = units_in(classes, units[members])[classes]
        found[wanted] = sizes[wanted]
    return found


def linkable_share(releases: Sequence[ReleaseOfPeople]) -> tuple[float, tuple[str, ...]]:
    """Percent of the people in the first two files whose records can be linked, and by what.

    Records can be linked if they have the same values in columns that both files have unchanged,
    and nobody else has these values.
    """
    one, other = [release for release in releases if not release.is_table][:2]
    shared, ours, theirs = np.intersect1d(one.people, other.people, return_indices=True)
    names = [
        name
        for name in one.columns
        if name in other.columns
        and np.array_equal(one.columns[name][ours], other.columns[name][theirs])
        and len(np.unique(one.columns[name])) > 1
    ]
    if not names or not len(shared):
        return 0.0, ()
    unique = np.ones(len(shared), dtype=bool)
    for release, rows in ((one, ours), (other, theirs)):
        columns = [np.unique(release.columns[n], return_inverse=True)[1] for n in names]
        sizes = classes_of_columns(columns, len(release.people)).sizes_of_records
        unique &= sizes[rows] == 1
    return 100.0 * float(unique.mean()), tuple(names)


def table_release(original: Table, people: Indices, names: Sequence[str]) -> ReleaseOfPeople:
    """A published table of the original, by its dimensions and its variable."""
    return ReleaseOfPeople(" x ".join(names), original.only(names), people, is_table=True)


def intersect_releases(
    releases: Sequence[Table], people: Sequence[Indices] | None = None
) -> AttackResult:
    """Share of people who are unique among the candidates of all releases together.

    Candidates of a person in one release are all records with the same released quasi-identifiers
    as the person's own. The control is the largest share of people who are unique in one release
    alone.

    Args:
        releases: masked tables.
        people: the person of each record, a table an array of distinct numbers; by default all
            tables hold the same people in one order. Suppressed records are nobody's.
    """
    if people is None:
        if len({len(table) for table in releases}) > 1:
            raise DataError(
                "the releases have different numbers of records; say which person each record is of"
            )
        people = [np.arange(len(table)) for table in releases]
    plain = [replace(table, schema=replace(table.schema, scenarios=())) for table in releases]
    named = [
        ReleaseOfPeople(str(i), table.only(table.schema.quasi_identifiers), own)
        for i, (table, own) in enumerate(zip(plain, people, strict=True), 1)
    ]
    (found,) = intersect_in_scenarios(named, (), {})
    if not found.people:
        raise DataError("the releases hold no records that are not suppressed; release some")
    unique = [100.0 * _count_unique(one.masked) / found.people for one in named]
    about = About(
        "several-releases",
        "intersection of several releases",
        Side.RISK,
        f"the share of people who are the only candidate in {len(releases)} releases together; "
        f"k is {found.k} in all together and {', '.join(map(str, found.each))} in each",
    )
    return result_of(
        about,
        success=100.0 * found.unique / found.people,
        targets=found.people,
        control=max(unique),
        details={f"unique_in_release_{i}": share for i, share in enumerate(unique, 1)},
    )


def _count_unique(masked: Table) -> int:
    released = masked.take(np.flatnonzero(~masked.suppressed))
    return int((classes_of(released, released.schema.names).sizes == 1).sum())
