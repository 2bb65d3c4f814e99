"""Disclosure risk by scenario: sentences that a lawyer can read, rows, what is published."""

from dataclasses import replace

import msgspec
import pytest

from evomask.data.scenario import Scenario, parse_scenario
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.masking.enforce.requirement import parse_requirement
from evomask.report.pages import internal_page, public_page
from evomask.report.public_record import build_public_record
from evomask.report.record import CheckNote, RiskNote, ScenarioCheckNote, ScenarioNote
from evomask.report.scenarios import (
    control_sentence,
    describe_intruder,
    promise_notes,
    promise_rows,
    promise_sentence,
    scenario_sentence,
    scenario_views,
    scenarios_as_json,
    scenarios_markdown,
    views_of,
)
from tests.report.reading import words

KNOWS = "an intruder who knows age and sex"


def note(name="neighbour", find=0.31, learn=None, at_risk=(1.234, 5.678)):
    return ScenarioNote(
        name, find, None, learn, at_risk, "health" if learn is not None else "", KNOWS,
        {"reidentification": (0.12, 0.5)},
    )  # fmt: skip


def risk_of(*scenarios):
    """The risk whose last scenario has the largest re-identification."""
    last = scenarios[-1]
    return RiskNote(
        last.reidentification, None, None, "reidentification", "links", 0.1, 100, 3.0,
        control=200, scenarios=scenarios, scenario=last.name, interval=(0.12, 0.5),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("scenario", "text"),
    [
        (parse_scenario("a: age, sex"), KNOWS),
        (parse_scenario("a: age, wage ~ 20 %"), "an intruder who knows age and wage within 20 %"),
        (
            Scenario(name="a", any=2, of=("age", "sex", "town")),
            "an intruder who knows any 2 of age, sex and town",
        ),
        (
            Scenario(name="a", knows=("age", "sex"), source="population register"),
            f"{KNOWS} (source: population register)",
        ),
        (
            Scenario(name="a", knows=("age", "sex"), takes_part=False),
            f"{KNOWS}, but not whether a person is in the file,",
        ),
    ],
)
def test_an_intruder_is_described_by_what_they_know(scenario, text):
    assert describe_intruder(scenario) == text


@pytest.mark.parametrize(
    ("percent", "found"),
    [
        (0.31, "3 of 1,000 people"),
        (0.0, "nobody"),
        (0.04, "fewer than 1 of 1,000 people"),
        (99.99, "999 of 1,000 people"),
        (100.0, "everybody"),
    ],
)
def test_a_share_is_a_number_of_a_thousand_people(percent, found):
    text = scenario_sentence(note(find=percent), None)
    assert text == f"An intruder who knows age and sex would find {found}."


def test_the_sentence_names_the_confidential_attribute_and_the_original():
    text = scenario_sentence(note(learn=1.2), note(find=41.2, learn=0.0))
    assert text == (
        "An intruder who knows age and sex would find 3 of 1,000 people (412 in the original), and "
        "would learn the value of health for 12 of 1,000 people because they are in the file "
        "(nobody in the original)."
    )


def test_another_attribute_of_the_original_is_named():
    before = msgspec.structs.replace(note(find=41.2, learn=30.0), attribute="wage")
    after = note(learn=1.2)
    assert "(300 for wage in the original)" in scenario_sentence(after, before)
    (view,) = scenario_views(risk_of(before), risk_of(after))
    titles = [row.title for row in view.rows]
    assert "attribute disclosure of health (confidential, in the original of wage)" in titles


def test_the_control_group_is_counted_and_explained():
    assert "200 people who were left out" in control_sentence(200)
    assert "no control group" in control_sentence(0)


def test_one_row_of_one_scenario_is_the_risk():
    first, second = note("first", 0.1), note("second", 0.4, 0.2)
    views = scenario_views(
        risk_of(note("first", 30.0), note("second", 40.0)), risk_of(first, second)
    )
    assert [view.is_largest for view in views] == [False, True]
    (row,) = [row for view in views for row in view.rows if row.is_risk]
    assert (row.title, row.before, row.after) == ("re-identification", 40.0, 0.4)
    titles = [row.title for row in views[1].rows]
    assert "attribute disclosure of health (confidential)" in titles
    assert [row.after for row in views[1].rows[-2:]] == [1.234, 5.678]


@pytest.fixture
def two(record):
    """A release of 500 records with two scenarios."""
    after = risk_of(note("register", 0.12), note("colleague", 2.01, 1.23))
    before = risk_of(note("register", 31.2), note("colleague", 61.83, 12.3))
    points = msgspec.structs.replace(
        record.points,
        chosen=msgspec.structs.replace(record.chosen, parts=after),
        original=msgspec.structs.replace(record.points.original, parts=before),
    )
    size = msgspec.structs.replace(record.input, records=500)
    return msgspec.structs.replace(record, points=points, input=size)


def test_the_internal_report_has_every_scenario_before_and_after(two):
    told = words(internal_page(two))
    assert "would find 20 of 1,000 people (618 in the original)" in told
    assert "This scenario determines the risk." in told
    assert "0.12 to 0.50" in told
    assert control_sentence(200) in told


def test_the_public_report_has_no_risk_by_scenario(two):
    told = words(public_page(build_public_record(two)))
    assert "would find" not in told


PROMISING = (
    Scenario(name="register", knows=("age", "sex"), require="k=3"),
    Scenario(name="news", any=2, of=("age", "sex", "town"), takes_part=False),
    Scenario(
        name="bank", knows_about={"wage": parse_scenario("x: wage ~ 5 %").knows_about["wage"]}
    ),
)


@pytest.fixture
def promising(two):
    """The release, with what its scenarios require and what was counted."""
    columns = [Attribute(name, Kind.NOMINAL, Role.QUASI_IDENTIFIER) for name in ("age", "sex")]
    columns += [Attribute("town", Kind.NOMINAL, Role.QUASI_IDENTIFIER)]
    columns += [Attribute("wage", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER)]
    promised = promise_notes(Schema(tuple(columns), (), PROMISING), parse_requirement("k=5,l=2"))
    counted = (ScenarioCheckNote("register", 4), ScenarioCheckNote("news", 5, 1))
    checked = CheckNote(500, 4, 4, scenarios=counted)
    return msgspec.structs.replace(two, scenarios=promised, checked=checked)


def test_what_is_required_in_a_scenario_stands_beside_what_was_counted(promising):
    rows = [(row.scenario, row.model, row.required, row.measured, row.holds)
            for row in promise_rows(promising)]  # fmt: skip
    assert rows == [
        ("register", "k", 3.0, 4, "yes"),
        ("news", "k", 5.0, 5, "yes"),
        ("news", "l", 2.0, 1, "no"),
    ]
    told = words(internal_page(promising))
    assert "any 2 of age, sex and town" in told
    assert "No k, l or t was required" not in told


def test_the_public_report_promises_what_holds_against_whom(promising):
    told = words(public_page(build_public_record(promising)))
    assert (
        "Against an intruder who knows age and sex: every combination of age and sex is shared by "
        "at least 3 records. This was counted in the written file."
    ) in told
    assert "Every combination of" not in told
    assert "wage" not in told.split("Against")[1]


def test_the_promise_says_what_k_counts():
    home = Attribute("home", Kind.NOMINAL, Role.HOUSEHOLD)
    schema = Schema((Attribute("age", Kind.NOMINAL, Role.QUASI_IDENTIFIER), home))
    scenario = Scenario(name="street", knows=("age",), unit="household")
    (note,) = promise_notes(replace(schema, scenarios=(scenario,)), parse_requirement("k=4"))
    assert promise_sentence(note, "health") == (
        "Against an intruder who knows age: every combination of age is shared by at least 4 "
        "households."
    )


def test_people_at_risk_are_numbers_of_the_records(two):
    view = views_of(two)[1]
    row = next(row for row in view.rows if row.key == "reidentification")
    assert (row.people_before, row.people) == (309, 10)
    data = scenarios_as_json(views_of(two))
    assert [one["scenario"] for one in data] == ["register", "colleague"]
    assert data[1]["determines_risk"]
    assert data[1]["rows"][0]["people_after"] == 10


def test_households_are_counted_as_households():
    after = msgspec.structs.replace(note(find=12.5), individuals=40, counts_households=True)
    assert "would find 125 of 1,000 households" in scenario_sentence(after, None)
    (view,) = scenario_views(None, risk_of(after), 100)
    assert (view.rows[0].people, view.rows[1].title[:18]) == (5, "households at risk")


def test_the_scenarios_are_a_table_in_markdown(promising):
    text = scenarios_markdown(promising)
    assert "- **colleague**: An intruder who knows age and sex would find 20 of 1,000" in text
    assert "| colleague | re-identification | 61.83 | 2.01 | 309 | 10 |" in text
    assert "| news | any 2 of age, sex and town | l = 2 | 1 | no |" in text
    widths = {line.count("|") for line in text.splitlines() if line.startswith("|")}
    assert widths == {7, 6}


def test_a_file_of_few_records_publishes_no_loss_in_parts(two):
    small = msgspec.structs.replace(two, input=msgspec.structs.replace(two.input, records=99))
    shown = build_public_record(small)
    assert shown.loss_parts is None
