"""Scenarios of a file: those of its schema, those of the library, and their sample uniques."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np

from evomask.data.classes import classes_of
from evomask.data.roles.scenarios import (
    NamedScenario,
    ProposedScenario,
    known_to_nobody,
    propose_scenarios,
)
from evomask.data.scenario import Scenario
from evomask.data.schema import Attribute, Kind, Role
from evomask.data.table import Table
from evomask.data.units import unit_labels, unit_of, units_in
from evomask.io.scenario_library import read_library
from evomask.io.schemas import ScenarioEntry, read_schema
from evomask.masking.enforce.requirement import parse_requirement
from evomask.report.distributions import MINIMUM
from evomask.report.scenarios import describe_intruder
from evomask.runs.inputs import Input, load
from evomask.runs.onboarding.schemas import propose

LibraryScenario: TypeAlias = NamedScenario

IN_SCHEMA, PROPOSED = "schema", "library"
"""Where a scenario of a file comes from."""


@dataclass(frozen=True)
class ScenarioUniques:
    """Sample uniques in a scenario: records that are alone in what the intruder knows exactly.

    Args:
        records: number of records, or of the persons or households that k counts.
        uniques: number of sample uniques, where the intruder chooses in the worst combination; 0
            where no attribute is known exactly.
        small: number of records in classes that are smaller than the required k.
        k: size of the smallest equivalence class.
        minimum: fewest records that are counted; smaller numbers are merged.
        unit: column with the numbers of the persons or households that are counted; empty for
            records.
    """

    records: int
    uniques: int
    small: int
    k: int
    minimum: int = MINIMUM
    unit: str = ""

    def as_json(self) -> dict[str, object]:
        """Return the counts; None stands for a number below the minimum."""
        return {
            "records": self.records,
            "uniques": self._merged(self.uniques),
            "records_in_small_classes": self._merged(self.small),
            "minimum": self.minimum,
        }

    @property
    def in_words(self) -> str:
        """The number of sample uniques as it is shown."""
        return (
            f"fewer than {self.minimum}"
            if self._merged(self.uniques) is None
            else (f"{self.uniques:,}" if self.uniques else "none")
        )

    def _merged(self, count: int) -> int | None:
        return None if 0 < count < self.minimum else count


@dataclass(frozen=True)
class FileScenario:
    """A scenario of a file.

    Args:
        origin: ``schema`` or ``library``.
        uniques: None where only a schema is known.
    """

    proposed: ProposedScenario
    origin: str
    uniques: ScenarioUniques | None = None

    @property
    def scenario(self) -> Scenario:
        return self.proposed.scenario

    @property
    def intruder(self) -> str:
        """Who attacks and what they know."""
        return describe_intruder(self.scenario).rstrip(",")

    def as_json(self) -> dict[str, object]:
        """Return the scenario with its reason and its uniques."""
        counts = {} if self.uniques is None else self.uniques.as_json()
        return {**scenario_as_json(self.proposed), "origin": self.origin, **counts}


@dataclass(frozen=True)
class FileScenarios:
    """The scenarios of a file, and the quasi-identifiers that none of them knows."""

    scenarios: tuple[FileScenario, ...]
    unknown: tuple[str, ...]
    notes: tuple[str, ...] = ()


def scenario_as_json(proposed: ProposedScenario) -> dict[str, object]:
    """Return a scenario as data, with the reason."""
    one = proposed.scenario
    return {
        "name": one.name,
        "knows": list(one.knows),
        "knows_about": {name: str(amount) for name, amount in one.knows_about.items()},
        "any": one.any,
        "of": list(one.of),
        "takes_part": one.takes_part,
        "sure": one.sure,
        "unit": one.unit,
        "require": one.require,
        "source": one.source,
        "reason": proposed.reason,
        "beyond": list(proposed.beyond),
    }


def named_scenarios(library: Path | None = None) -> tuple[LibraryScenario, ...]:
    """Return the built-in scenarios."""
    return read_library(library).scenarios


def file_scenarios(source: Input, library: Path | None = None) -> FileScenarios:
    """Return the scenarios of a file with their uniques: of its schema, and of the library.

    Without roles those of a proposal are taken, and a note says so.
    """
    if source.is_described:
        loaded = load(source)
        table, notes = loaded.table, loaded.notes
    else:
        proposal = propose(source, library)
        table = proposal.source.table(proposal.proposed.declarations)
        notes = ("no roles are given: those of `evomask init` are assumed",)
    return _scenarios_of(tuple(table.schema), table.schema.scenarios, library, table, notes)


def schema_scenarios(path: Path, library: Path | None = None) -> FileScenarios:
    """Return the scenarios of a schema file, and those of the library that suit it."""
    file = read_schema(path)
    columns = [
        Attribute(name, entry.kind or Kind.NOMINAL, entry.role or Role.OTHER)
        for name, entry in file.attributes.items()
    ]
    return _scenarios_of(columns, file.intruders, library)


def table_scenarios(
    table: Table, scenarios: Sequence[Scenario], library: Path | None = None
) -> FileScenarios:
    """Return *scenarios*, and those of the library that suit a table, with their uniques."""
    return _scenarios_of(tuple(table.schema), scenarios, library, table)


def preview_scenario(table: Table, scenario: Scenario) -> FileScenario:
    """Return a scenario that is not saved, with its uniques; it must suit the columns."""
    replace(table.schema, scenarios=(scenario,))
    uniques = count_uniques(table, scenario)
    return FileScenario(ProposedScenario(scenario, ""), IN_SCHEMA, uniques)


def scenario_from(values: Mapping[str, Any]) -> Scenario:
    """Build a scenario from its name and the entries of its section in a schema."""
    entries = {key: value for key, value in values.items() if key != "name"}
    scenario = msgspec.convert(entries, ScenarioEntry).scenario(str(values["name"]))
    parse_requirement(scenario.require)
    return scenario


def count_uniques(table: Table, scenario: Scenario, minimum: int = MINIMUM) -> ScenarioUniques:
    """Count the records that a scenario singles out by what is known exactly."""
    required, unit = parse_requirement(scenario.require).k, unit_of(table.schema, scenario)
    numbers = unit_labels(table, unit) if unit else np.arange(len(table))
    records = len(np.unique(numbers))
    found = ScenarioUniques(records, 0, 0, records, minimum, unit)
    for names in scenario.combinations():
        classes = classes_of(table, names)
        sizes = units_in(classes.labels, numbers) if unit else classes.sizes
        uniques = int((sizes == 1).sum())
        small, k = int(sizes[sizes < required].sum()), int(sizes.min(initial=records))
        found = replace(
            found,
            uniques=max(found.uniques, uniques),
            small=max(found.small, small),
            k=min(found.k, k),
        )
    return found


def _scenarios_of(
    columns: Sequence[Attribute],
    scenarios: Iterable[Scenario],
    library: Path | None,
    table: Table | None = None,
    notes: tuple[str, ...] = (),
) -> FileScenarios:
    named = read_library(library)
    reasons = {one.name: one.reason for one in named.scenarios}
    own = [ProposedScenario(one, reasons.get(one.name, "")) for one in scenarios]
    names = {one.scenario.name for one in own}
    others = [one for one in propose_scenarios(columns, named) if one.scenario.name not in names]
    found = tuple(
        FileScenario(one, origin, count_uniques(table, one.scenario) if table else None)
        for origin, some in ((IN_SCHEMA, own), (PROPOSED, others))
        for one in some
    )
    known = (one.scenario for one in own or others)
    return FileScenarios(found, known_to_nobody(columns, known), notes)
