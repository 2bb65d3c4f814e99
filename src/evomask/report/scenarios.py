"""Disclosure risk by scenario, in words and rows: what intruders know, find and infer."""

from collections.abc import Iterator
from typing import NamedTuple

from evomask.data.scenario import Scenario
from evomask.measures.disclosure.risk import AT_RISK
from evomask.report.describe import join_names
from evomask.report.record import RiskNote, ScenarioNote

THOUSAND = 10
"""People of a thousand in one percent."""

NOBODY, EVERYBODY = "nobody", "everybody"


def describe_intruder(scenario: Scenario) -> str:
    """Describe who attacks and what they know."""
    known = [*scenario.knows]
    known += [f"{name} within {tolerance}" for name, tolerance in scenario.knows_about.items()]
    if scenario.any:
        known.append(f"any {scenario.any} of {join_names(scenario.of, len(scenario.of))}")
    text = f"an intruder who knows {join_names(known, len(known))}"
    if scenario.source:
        text += f" (source: {scenario.source})"
    return text if scenario.takes_part else f"{text}, but not whether a person is in the file,"


def scenario_sentence(after: ScenarioNote, before: ScenarioNote | None) -> str:
    """State what the intruder of a scenario would achieve, in a sentence without statistics."""
    text = f"{after.intruder or 'an intruder'} would find {_people(after.reidentification)}"
    if before:
        text += f" ({_count(before.reidentification)} in the original)"
    if after.confidential is not None:
        text += (
            f", and would learn the value of {after.attribute} for {_people(after.confidential)}"
        )
        if after.confidential > 0:
            text += " because they are in the file"
        if before and before.confidential is not None:
            other = f" for {before.attribute}" if before.attribute != after.attribute else ""
            text += f" ({_count(before.confidential)}{other} in the original)"
    return f"{text[:1].upper()}{text[1:]}."


def _people(percent: float) -> str:
    count = _count(percent)
    return count if count in (NOBODY, EVERYBODY) else f"{count} of 1,000 people"


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
    """

    key: str
    title: str
    before: float | None
    after: float
    interval: tuple[float, float] | None = None
    is_risk: bool = False


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


def scenario_views(before: RiskNote | None, after: RiskNote | None) -> list[ScenarioView]:
    """Every scenario of a released file beside the original."""
    if after is None:
        return []
    earlier = {one.name: one for one in before.scenarios} if before else {}
    return [
        ScenarioView(
            one.name,
            one.intruder,
            scenario_sentence(one, earlier.get(one.name)),
            tuple(_rows(one, earlier.get(one.name), after)),
            one.name == after.scenario,
        )
        for one in after.scenarios
    ]


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
            "", f"people at risk: re-identified with a chance above {limit:g}", was, share
        )
