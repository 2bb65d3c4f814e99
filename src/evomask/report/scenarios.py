"""Disclosure risk by scenario, in words and rows: what intruders know, find and infer."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evomask.data.scenario import Scenario
from evomask.data.schema import Schema
from evomask.data.units import unit_of
from evomask.masking.enforce.requirement import Requirement, required_in
from evomask.measures.disclosure.risk import AT_RISK
from evomask.report.describe import join_names
from evomask.report.record import ReleaseRecord, RiskNote, ScenarioNote, ScenarioPromiseNote

THOUSAND = 10
"""People of a thousand in one percent."""

NOBODY, EVERYBODY = "nobody", "everybody"


def describe_intruder(scenario: Scenario) -> str:
    """Describe who attacks and what they know."""
    about = [f"{name} within {tolerance}" for name, tolerance in scenario.knows_about.items()]
    known = [*scenario.knows, *about, *_choice(scenario)]
    text = f"an intruder who knows {join_names(known, len(known))}"
    if scenario.source:
        text += f" (source: {scenario.source})"
    return text if scenario.takes_part else f"{text}, but not whether a person is in the file,"


def _choice(scenario: Scenario) -> list[str]:
    """The choice among attributes, if there is one."""
    words = f"any {scenario.any} of {join_names(scenario.of, len(scenario.of))}"
    return [words] if scenario.any else []


def required_models(requirement: Requirement) -> dict[str, float]:
    """Required k, l and t by name; empty if none is required."""
    values = {"k": requirement.k, "l": requirement.l, "t": requirement.t}
    return {name: float(value) for name, value in values.items() if value != 1}


def promise_notes(schema: Schema, requirement: Requirement) -> tuple[ScenarioPromiseNote, ...]:
    """What is required in each scenario of a schema.

    Args:
        requirement: holds in the scenarios that require nothing themselves.
    """
    required = required_in(schema, requirement)
    known = {one.name: [*one.knows, *_choice(one)] for one in schema.scenarios}
    return tuple(
        ScenarioPromiseNote(
            one.name,
            describe_intruder(one),
            join_names(known[one.name], len(known[one.name])),
            required_models(required[one.name]) if known[one.name] else {},
            _counted(schema, one),
        )
        for one in schema.scenarios
    )


def _counted(schema: Schema, scenario: Scenario) -> str:
    """What k counts in a scenario, in words."""
    unit = unit_of(schema, scenario)
    return f"{schema[unit].role}s" if unit else "records"


class PromiseRow(NamedTuple):
    """A model that is required in a scenario, and its value if it was counted in the file."""

    scenario: str
    known: str
    model: str
    required: float
    measured: float | None

    @property
    def holds(self) -> str:
        """Whether the requirement holds, in words."""
        if self.measured is None:
            return "not measured"
        is_small = self.measured <= self.required + 1e-9
        return (
            "yes" if (is_small if self.model == "t" else self.measured >= self.required) else "no"
        )


def promise_rows(record: ReleaseRecord) -> list[PromiseRow]:
    """Every model that is required in a scenario, with its value in the written file."""
    checked = {one.name: one for one in record.checked.scenarios} if record.checked else {}
    return [
        PromiseRow(one.name, one.known, model, limit, getattr(checked.get(one.name), model, None))
        for one in record.scenarios
        for model, limit in one.required.items()
    ]


def promise_sentence(promise: ScenarioPromiseNote, confidential: str) -> str:
    """State what is guaranteed against the intruder of a scenario."""
    required = {name: f"{value:g}" for name, value in promise.required.items()}
    known = promise.known
    words = {
        "k": f"every combination of {known} is shared by at least {required.get('k')} "
        f"{promise.counted}",
        "l": f"each equivalence class of {known} has at least {required.get('l')} different values "
        f"of {confidential}",
        "t": f"in each equivalence class of {known}, {confidential} is distributed as in the file, "
        f"with a difference of at most {required.get('t')} (0 the same, 1 as different as can be)",
    }
    return f"Against {promise.intruder.rstrip(',')}: {'; '.join(words[n] for n in required)}."


def scenario_sentence(after: ScenarioNote, before: ScenarioNote | None) -> str:
    """State what the intruder of a scenario would achieve, in a sentence without statistics."""
    are = _individuals(after)
    text = f"{after.intruder or 'an intruder'} would find {_people(after.reidentification, are)}"
    if before:
        text += f" ({_count(before.reidentification)} in the original)"
    if after.confidential is not None:
        text += (
            f", and would learn the value of {after.attribute} for "
            f"{_people(after.confidential, are)}"
        )
        if after.confidential > 0:
            text += " because they are in the file"
        if before and before.confidential is not None:
            other = f" for {before.attribute}" if before.attribute != after.attribute else ""
            text += f" ({_count(before.confidential)}{other} in the original)"
    return f"{text[:1].upper()}{text[1:]}."


def _individuals(scenario: ScenarioNote) -> str:
    return "households" if scenario.counts_households else "people"


def _people(percent: float, individuals: str) -> str:
    count = _count(percent)
    return count if count in (NOBODY, EVERYBODY) else f"{count} of 1,000 {individuals}"


def _count(percent: float) -> str:
    """A percentage of people as a number of 1,000; neither nobody nor everybody unless exact."""
    if not 0 < percent < 100:
        return NOBODY if percent <= 0 else EVERYBODY
    count = min(999, round(THOUSAND * percent))
    return str(count) if count else "fewer than 1"


def control_sentence(people: int) -> str:
    """State the size of the control group and its purpose."""
    if not people:
        return (
            "There is no control group; attribute disclosure is what an intruder infers beyond "
            "guessing, and includes what the statistics of the file tell about anybody."
        )
    return (
        f"The control group is {people:,} people who were left out of the masked file that the "
        "intruders attacked: what is inferred of them, the statistics of the file tell about "
        "anybody, so it is subtracted from what is inferred of people in the file."
    )


class ScenarioRow(NamedTuple):
    """One quantity of a scenario in percent of people, in the original and the released file.

    Args:
        key: component of the risk; empty for people at risk.
        interval: 95 % confidence interval in the released file.
        is_risk: whether the quantity determines the risk.
        people_before, people: expected number of people in the original and the released file.
    """

    key: str
    title: str
    before: float | None
    after: float
    interval: tuple[float, float] | None = None
    is_risk: bool = False
    people_before: int | None = None
    people: int | None = None


class ScenarioView(NamedTuple):
    """A scenario with its sentence and its rows."""

    name: str
    intruder: str
    sentence: str
    rows: tuple[ScenarioRow, ...]
    is_largest: bool


def part_titles(attribute: str = "", before: str = "") -> dict[str, str]:
    """Title of each component of the risk, the confidential one with its attribute.

    Args:
        before: the confidential attribute at most risk in the original, if it is another.
    """
    in_original = f", in the original of {before}" if before else ""
    secret = f"{attribute} (confidential{in_original})" if attribute else "confidential attributes"
    return {
        "reidentification": "re-identification",
        "attribute_disclosure": "attribute disclosure of masked attributes",
        "confidential": f"attribute disclosure of {secret}",
    }


def scenario_views(
    before: RiskNote | None, after: RiskNote | None, records: int = 0
) -> list[ScenarioView]:
    """Every scenario of a released file beside the original.

    Args:
        records: people in the file; 0 if numbers of people are not needed.
    """
    if after is None:
        return []
    earlier = {one.name: one for one in before.scenarios} if before else {}
    return [
        ScenarioView(
            one.name,
            one.intruder,
            scenario_sentence(one, earlier.get(one.name)),
            tuple(_with_people(_rows(one, earlier.get(one.name), after), _number(one, records))),
            one.name == after.scenario,
        )
        for one in after.scenarios
    ]


def _number(scenario: ScenarioNote, records: int) -> int:
    """Number of individuals in the file; 0 if numbers of people are not needed."""
    return (scenario.individuals or records) if records else 0


def views_of(record: ReleaseRecord) -> list[ScenarioView]:
    """Every scenario of a release beside the original."""
    before, after = record.points.original.parts, record.chosen.parts
    return scenario_views(before, after, record.input.records)


def scenarios_as_json(views: Sequence[ScenarioView]) -> list[dict[str, object]]:
    """The scenarios as data: sentence, and every quantity before and after."""
    return [
        {
            "scenario": view.name,
            "intruder": view.intruder.rstrip(","),
            "sentence": view.sentence,
            "determines_risk": view.is_largest,
            "rows": [
                {
                    "quantity": row.title,
                    "before": row.before,
                    "after": row.after,
                    "people_before": row.people_before,
                    "people_after": row.people,
                }
                for row in view.rows
            ],
        }
        for view in views
    ]


def scenarios_markdown(record: ReleaseRecord) -> str:
    """The scenarios of a release in Markdown, for an assessment of its risks."""
    views, rows = views_of(record), promise_rows(record)
    lines = [f"## Disclosure risk of {record.output.name} by scenario", ""]
    lines += [f"- **{view.name}**: {view.sentence}" for view in views]
    lines += ["", "| scenario | quantity | before, % | after, % | people before | people after |"]
    lines += ["|---|---|---:|---:|---:|---:|"]
    lines += [
        f"| {view.name} | {row.title} | {_cell(row.before, 2)} | {row.after:.2f} "
        f"| {_cell(row.people_before)} | {_cell(row.people)} |"
        for view in views
        for row in view.rows
    ]
    if rows:
        lines += ["", "| scenario | known exactly | guarantee | in the file | holds |"]
        lines += ["|---|---|---|---:|---|"]
        lines += [
            f"| {row.scenario} | {row.known} | {row.model} = {row.required:g} "
            f"| {_cell(row.measured, 4 if row.model == 't' else 0)} | {row.holds} |"
            for row in rows
        ]
    control = record.chosen.parts.control if record.chosen.parts else 0
    return "\n".join([*lines, "", control_sentence(control), ""])


def _cell(value: float | None, decimals: int = 0) -> str:
    return "–" if value is None else f"{value:,.{decimals}f}"


def _with_people(rows: Iterator[ScenarioRow], records: int) -> Iterator[ScenarioRow]:
    for row in rows:
        was = None if row.before is None else round(row.before * records / 100)
        after = round(row.after * records / 100)
        yield row._replace(people_before=was, people=after) if records else row


def _rows(
    after: ScenarioNote, before: ScenarioNote | None, risk: RiskNote
) -> Iterator[ScenarioRow]:
    other = before.attribute if before and before.attribute != after.attribute else ""
    for key, title in part_titles(after.attribute, other).items():
        value = getattr(after, key)
        if value is not None:
            is_risk = after.name == risk.scenario and key == risk.largest
            was = getattr(before, key, None)
            yield ScenarioRow(key, title, was, value, after.intervals.get(key), is_risk)
    for place, (limit, share) in enumerate(zip(AT_RISK, after.at_risk, strict=False)):
        was = before.at_risk[place] if before and place < len(before.at_risk) else None
        yield ScenarioRow(
            "",
            f"{_individuals(after)} at risk: re-identified with a chance above {limit:g}",
            was,
            share,
        )
