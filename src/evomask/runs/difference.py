"""What an intruder learns from several releases of overlapping people."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

import numpy as np

from evomask.data.scenario import EVERYTHING
from evomask.data.table import Table
from evomask.data.units import unit_labels, unit_of
from evomask.errors import DataError, EvomaskError, ParameterError, UnmetError
from evomask.masking.enforce.requirement import Requirement, parse_requirement, required_in
from evomask.measures.analyses.parser import parse_table
from evomask.measures.attacks.combined_release import combine_releases
from evomask.measures.attacks.several_releases import (
    ReleaseOfPeople,
    ScenarioIntersection,
    intersect_in_scenarios,
    linkable_share,
    table_release,
)
from evomask.measures.disclosure.control_group import ControlledRisk
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.profiles import profile
from evomask.runs.inputs import Input, Loaded, load, load_released, load_version
from evomask.runs.saved_release import SavedRelease, load_release
from evomask.runs.store.earlier_releases import EarlierReleases
from evomask.runs.store.release import file_hash
from evomask.types import Indices


@dataclass(frozen=True)
class DifferenceJob:
    """Job of `difference`.

    Args:
        releases: run folders, points of them (``FOLDER:POINT``), and masked files.
        original: original of masked files, in their order unless a key is given, with its schema.
        key: column by which the same person is found in releases of different originals.
        tables: published tables of the original, such as ``education x sex``.
        require: k that must hold in all releases together; by default that of each scenario.
        measures_risk: whether the risk of the releases combined into one file is measured.
    """

    releases: tuple[str, ...]
    original: Input | None = None
    key: str = ""
    tables: tuple[str, ...] = ()
    require: str = ""
    measures_risk: bool = False


@dataclass(frozen=True)
class CombinedRisk:
    """Disclosure risk in a scenario, in percent.

    Args:
        alone: of each file.
        together: of the file that an intruder makes of all of them.
    """

    scenario: str
    alone: tuple[float, ...]
    together: float


@dataclass(frozen=True)
class Difference:
    """What several releases tell together.

    Args:
        names: of the releases, in the order of ``each`` of a scenario.
        linkable: percent of the people whose records in the first two files can be linked.
        link: columns by which they can be linked.
        risks: disclosure risk in each scenario, if it was measured.
    """

    names: tuple[str, ...]
    scenarios: tuple[ScenarioIntersection, ...]
    linkable: float = 0.0
    link: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    risks: tuple[CombinedRisk, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every scenario has the required k in all releases together."""
        return all(one.holds for one in self.scenarios)

    @property
    def worst(self) -> ScenarioIntersection:
        """The scenario with the fewest candidates."""
        return min(self.scenarios, key=lambda one: (one.k - one.required, one.k, -one.below))

    @property
    def sentence(self) -> str:
        """The worst scenario in a sentence."""
        one = self.worst
        need = f", and {one.required} are required" if one.required > 1 else ""
        only = f", {one.below:,} have fewer than required only together" if one.required > 1 else ""
        return (
            f"in scenario {one.name!r}, the person with the fewest candidates has {one.k} in all "
            f"releases together{need}; {one.unique:,} people are unique ({one.unique_alone:,} in "
            f"one release alone){only}"
        )

    def as_json(self) -> dict[str, object]:
        """All figures under their names."""
        return {
            "releases": list(self.names),
            "holds": self.holds,
            "linkable": self.linkable,
            "linked_by": list(self.link),
            "scenarios": [
                {
                    "name": one.name,
                    "people": one.people,
                    "k": one.k,
                    "k_in_each": list(one.each),
                    "required": one.required,
                    "holds": one.holds,
                    "unique": one.unique,
                    "unique_alone": one.unique_alone,
                    "below_required": one.below,
                    "disclosed": {
                        own.attribute: {
                            "alone": own.alone,
                            "together": own.together,
                            "without_link": own.without_link,
                        }
                        for own in one.disclosed
                    },
                }
                for one in self.scenarios
            ],
            "risk": {
                one.scenario: {"alone": list(one.alone), "together": one.together}
                for one in self.risks
            },
            "notes": list(self.notes),
        }


def difference(job: DifferenceJob) -> Difference:
    """Load several releases, and intersect what they say about every person."""
    if len(job.releases) + len(job.tables) < 2:
        raise ParameterError("name two releases or more, or one release and a published --table")
    if not job.releases:
        raise ParameterError("name a run folder or a masked file beside the tables")
    original = load(job.original) if job.original and job.original.path != Path() else None
    found = [_release_of(name, job, original) for name in job.releases]
    told = _intersected(found, job.tables, job.key, job.require)
    if not job.measures_risk:
        return told
    return replace(told, risks=_combined_risks(found))


def _combined_risks(found: "Sequence[_Found]") -> tuple[CombinedRisk, ...]:
    """Measure the risk of each file, and of the file that all of them make together."""
    loaded = found[0].loaded
    if loaded is None or not _are_same(found):
        raise ParameterError("--risk needs releases of one original; leave it out")
    original = loaded.table
    measure = profile("strict").reported(original.schema.quasi_identifiers)
    if not isinstance(measure, DisclosureRisk):
        raise ParameterError("the risk of the profile strict is needed")
    risk = ControlledRisk(original, measure)
    files = [one.masked for one in found]
    assessed = [
        risk.assess(file, file.take(risk.others)) for file in (*files, combine_releases(files))
    ]
    return tuple(
        CombinedRisk(own[0].name, tuple(one.risk for one in own[:-1]), own[-1].risk)
        for own in zip(*(one.scenarios for one in assessed), strict=True)
    )


def difference_with_earlier(
    current: SavedRelease, earlier: EarlierReleases, key: str = "", least: int | None = None
) -> tuple[str, ...]:
    """Compare a file to release with earlier releases of the same people; returns notes.

    Args:
        current: the file to release; its folder holds the run that released files before.
        key: column by which people are found in releases of other originals.
        least: k that all releases together must have in every scenario; less is an error.
    """
    found, notes = [_found(current, key)], []
    named = [
        *((current.folder, file) for file in earlier.files),
        *((f, None) for f in earlier.folders),
    ]
    for folder, file in named:
        try:
            own = () if file is None else (str(folder.resolve()),)
            found.append(_found(load_release(folder, file, own), key))
        except EvomaskError as error:
            notes.append(f"{folder.name} could not be compared with this release: {error}")
    if len(found) < 2:
        if least is not None and notes:
            raise UnmetError(f"{notes[0]}; release without --k-together, or restore it")
        return tuple(notes)
    told = _intersected(found, (), key, "" if least is None else f"k={least}")
    if least is not None and not told.holds:
        raise UnmetError(
            f"with {len(found) - 1} earlier release(s) together, {told.sentence}; choose another "
            "point, nest it with --nested-in, or require less with --k-together"
        )
    return (f"this file and the earlier ones together: {told.sentence}", *notes)


def _intersected(
    found: "Sequence[_Found]", tables: Sequence[str], key: str, require: str
) -> Difference:
    """Intersect loaded releases and published tables of the first one's original."""
    if not key and len({one.data for one in found}) > 1:
        raise DataError(
            "the releases are of different originals; say with --key which column tells who a "
            "person is in all of them"
        )
    released = _numbered(found)
    first = found[0]
    for text in tables:
        if first.loaded is None:
            raise ParameterError("published tables need the original; give it with --original")
        names = parse_table(text).attributes
        table = table_release(first.loaded.table, released[0].people, names)
        released.append(replace(table, name=f"table {text!r}", units=released[0].units))
    schemas = [one.masked.schema for one in found]
    scenarios = {one.name: one for schema in schemas for one in schema.scenarios}
    known = tuple(scenarios.values())
    intersections = intersect_in_scenarios(released, known, _required(found, require))
    files = [one for one in released if not one.is_table]
    share, link = linkable_share(files) if len(files) > 1 else (0.0, ())
    return Difference(tuple(one.name for one in released), intersections, share, link)


def difference_of_versions(
    loaded: Loaded, versions: Mapping[str, Table], tables: Sequence[str] = (), require: str = ""
) -> Difference:
    """Intersect masked versions of one original in memory.

    Args:
        versions: by name, their records in the order of the original.
    """
    for name, masked in versions.items():
        if len(masked) != len(loaded.table):
            raise DataError(
                f"{name} has {len(masked):,} records and the original {len(loaded.table):,}; give "
                "every record in the order of the original"
            )
    found = [
        _Found(name, masked, _keys("", loaded, len(masked), name), "", Requirement(), loaded)
        for name, masked in versions.items()
    ]
    return _intersected(found, tables, "", require)


@dataclass(frozen=True, eq=False)
class _Found:
    """A loaded release with the keys of its people."""

    name: str
    masked: Table
    keys: list[str]
    data: str
    requirement: Requirement
    loaded: Loaded | None


def _found(saved: SavedRelease, key: str) -> _Found:
    keys = _keys(key, saved.loaded, len(saved.masked), saved.name)
    return _Found(saved.name, saved.masked, keys, saved.data, saved.requirement, saved.loaded)


def _release_of(name: str, job: DifferenceJob, original: Loaded | None) -> _Found:
    path = Path(name)
    if not path.is_file():
        return _found(load_release(name), job.key)
    source = job.original or Input(path)
    if original is not None:
        masked = load_version(path, original)
        keys = _keys(job.key, original, len(masked), name)
        if len(masked) != len(original.table):
            raise DataError(
                f"{name} has {len(masked):,} records and the original {len(original.table):,}; "
                "give every record in the order of the original, or compare run folders"
            )
        return _Found(name, masked, keys, file_hash(source.path), Requirement(), original)
    if not job.key:
        raise ParameterError(
            f"{name} is a file: give its --original, or --key for a column that tells in every "
            "file who a person is, such as a pseudonym"
        )
    loaded = load_released(replace(source, path=path))
    texts = loaded.table
    if job.key not in texts.schema:
        raise DataError(f"{name} has no column {job.key!r}; name one that all files have")
    labels: list[str | None] = [text or None for text in _texts_of(texts, job.key)]
    masked = texts.only(n for n in texts.schema.names if n != job.key)
    return _Found(name, masked, _unique(labels, job.key, name), "", Requirement(), None)


def _texts_of(table: Table, name: str) -> list[str]:
    if table.attribute(name).is_categorical:
        labels = table.labels(name)
        return [labels[code] for code in table[name]]
    return [f"{value:.15g}" for value in table.values(name)]


def _keys(key: str, loaded: Loaded, records: int, name: str) -> list[str]:
    """Who each record is: by the key, or by its position."""
    if not key:
        return [str(record) for record in range(records)]
    if loaded.origin is None or key not in loaded.origin.columns:
        raise DataError(f"the original of {name} has no column {key!r}; name one that all have")
    return _unique(loaded.origin.columns[key].cast(str).to_list(), key, name)


def _unique(keys: list[str | None], key: str, name: str) -> list[str]:
    known = [one for one in keys if one is not None]
    if len(set(known)) < len(keys):
        raise DataError(
            f"column {key!r} of {name} does not tell people apart: it is missing or repeated in "
            "some records; name another with --key"
        )
    return known


def _numbered(found: Sequence[_Found]) -> list[ReleaseOfPeople]:
    """Number the people of all releases, by their keys."""
    numbers: dict[str, int] = {}
    for one in found:
        for key in one.keys:
            numbers.setdefault(key, len(numbers))
    released = []
    for one in found:
        people = np.array([numbers[key] for key in one.keys], dtype=np.int64)
        unit = unit_of(one.masked.schema) if len(found) and _are_same(found) else ""
        original = one.loaded.table if one.loaded else None
        units = unit_labels(original, unit) if unit and original is not None else None
        columns = _unchanged(one.masked, original) | _stable_pseudonyms(one.loaded)
        released.append(ReleaseOfPeople(one.name, one.masked, people, units, columns=columns))
    return released


def _are_same(found: Sequence[_Found]) -> bool:
    return len({one.data for one in found}) == 1


def _stable_pseudonyms(loaded: Loaded | None) -> dict[str, Indices]:
    """Columns whose pseudonyms are the same in all releases of a project, which link them."""
    if loaded is None or loaded.pseudonyms is None or loaded.pseudonyms.release:
        return {}
    return {
        a.name: _hashes(loaded.pseudonyms.pseudonyms(a.categories))[loaded.table[a.name]]
        for a in loaded.table.schema
        if a.pseudonym
    }


def _hashes(texts: Sequence[str]) -> Indices:
    """A number for each text, equal for equal texts in every file."""
    digests = b"".join(blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype=np.int64)


def _unchanged(masked: Table, original: Table | None) -> dict[str, Indices]:
    """Columns that say the same as in the original, as numbers that can be compared."""
    columns = {}
    for attribute in masked.schema:
        name = attribute.name
        if not attribute.role.is_released or masked.is_recoded(name):
            continue
        column = masked[name]
        same = original is None or np.array_equal(
            column, original[name], equal_nan=column.dtype.kind == "f"
        )
        if not same:
            continue
        if attribute.is_categorical:
            columns[name] = _hashes(attribute.categories)[column]
        else:
            columns[name] = np.nan_to_num(column, nan=-np.pi).view(np.int64)
    return columns


def _required(found: Sequence[_Found], text: str) -> dict[str, int]:
    """k that holds in each scenario: the largest that a release promises, or that is given."""
    required: dict[str, int] = {}
    given = parse_requirement(text).k if text else None
    for one in found:
        own = required_in(one.masked.schema, one.requirement)
        for name, models in {**own, EVERYTHING: one.requirement}.items():
            required[name] = given or max(required.get(name, 1), models.k)
    return required


def scenario_lines(one: ScenarioIntersection) -> Iterator[str]:
    """What is known of one scenario, as text."""
    each = ", ".join("nothing known" if k is None else str(k) for k in one.each)
    yield f"scenario {one.name!r}: {one.people:,} people"
    yield f"  k                     {one.k} together; {each} in each; required {one.required}"
    unique = f"{one.unique:,} people together; {one.unique_alone:,} in one alone"
    yield f"  unique                {unique}"
    yield f"  fewer than required   {one.below:,} people only together"
    for own in one.disclosed:
        link = "" if own.without_link is None else f"; {own.without_link:,} without linking records"
        yield (
            f"  {own.attribute} disclosed: {own.together:,} people together; "
            f"{own.alone:,} in one alone{link}"
        )
