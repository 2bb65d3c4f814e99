"""The page of scenarios: proposals, live counts, what is saved is what a run reads."""

import tomllib
from collections import Counter

import pytest

from evomask.web.routes.releases import command_of, python_of
from evomask.web.routes.runs import options_of
from evomask.web.schemas import Goal
from tests.cli.conftest import write_town

KNOWS = {"name": "club", "knows": ["age", "school"], "require": "k=3"}


def rows(folder, *names):
    lines = write_town(folder).read_text(encoding="utf-8").splitlines()
    heading = lines[0].split(",")
    places = [heading.index(name) for name in names]
    return [tuple(line.split(",")[place] for place in places) for line in lines[1:]]


def uniques(folder, *names):
    return sum(count == 1 for count in Counter(rows(folder, *names)).values())


def test_the_page_renders(client, town):
    page = client.get(f"/files/{town}/scenarios").text
    assert "Who may attack" in page
    assert f"/files/{town}/risk" in page


def test_a_scenario_is_counted_before_it_is_saved(client, town, tmp_path):
    found = client.post(f"/api/files/{town}/scenarios/uniques", json=KNOWS).json()
    wanted = uniques(tmp_path, "age", "school")
    assert found["records"] == 60
    assert found["uniques"] == (wanted if wanted == 0 or wanted >= 10 else None)
    assert found["intruder"] == "an intruder who knows age and school"
    both = {**KNOWS, "knows": ["age", "income"]}
    assert client.post(f"/api/files/{town}/scenarios/uniques", json=both).json()["uniques"] == 60
    assert "scenarios" not in tomllib.loads(client.get(f"/api/files/{town}/schema").text)


def test_few_uniques_are_not_counted(client, tmp_path):
    lines = ["age,sex", *["40,f"] * 30, *["50,m"] * 30, "61,f", "62,m"]
    content = "\n".join(lines).encode()
    number = client.post("/api/files", params={"name": "a.csv"}, content=content).json()["id"]
    asked = {"name": "x", "knows": ["age"]}
    found = client.post(f"/api/files/{number}/scenarios/uniques", json=asked).json()
    assert found["uniques"] is None
    assert found["minimum"] == 10


def test_units_that_the_file_lacks_are_named(client, town):
    asked = KNOWS | {"unit": "household"}
    answer = client.post(f"/api/files/{town}/scenarios/uniques", json=asked)
    assert answer.status_code == 400
    assert "give a column the role household or person" in answer.text


def test_what_is_saved_is_in_the_schema_and_can_be_undone(client, town):
    wish = [KNOWS, {"name": "twin", "knows": ["age"]}]
    unknown = client.put(f"/api/files/{town}/scenarios", json={"scenarios": wish[1:]}).json()
    assert "school" in unknown["known_to_nobody"]
    saved = client.put(f"/api/files/{town}/scenarios", json={"scenarios": wish[:1]}).json()
    (own,) = (one for one in saved["scenarios"] if one["origin"] == "schema")
    assert (own["name"], own["knows"], own["require"]) == ("club", ["age", "school"], "k=3")
    assert "school" not in saved["known_to_nobody"]
    schema = tomllib.loads(client.get(f"/api/files/{town}/schema").text)
    assert schema["scenarios"]["club"]["knows"] == ["age", "school"]
    assert saved["can_undo"]
    for _ in range(2):
        client.post(f"/api/files/{town}/schema/undo")
    seen = client.get(f"/api/files/{town}/scenarios").json()
    assert all(one["origin"] == "library" for one in seen["scenarios"])


def test_the_survey_has_three_scenarios_and_proposals(client):
    number = client.post("/api/files/survey").json()["id"]
    found = client.get(f"/api/files/{number}/scenarios").json()
    origins = {one["name"]: one["origin"] for one in found["scenarios"]}
    assert [n for n in origins if origins[n] == "schema"] == ["register", "colleague", "neighbour"]
    assert origins["journalist"] == "library"
    assert all(one["reason"] for one in found["scenarios"])
    assert {"name": "wage", "kind": "continuous"} in found["columns"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"knows": ["town"]}, "'town', which is no column"),
        ({"knows": ["name"]}, "never released"),
        ({"knows": []}, "knows no attribute"),
        ({"knows_about": {"school": "10 %"}, "knows": []}, "within a tolerance"),
        ({"knows_about": {"income": "much"}}, "a tolerance is"),
        ({"require": "k=much"}, "required k must be"),
        ({"any": 3, "of": ["age"], "knows": []}, "knows any 3 of 1"),
        ({"spies": 1}, "spies"),
    ],
)
def test_what_does_not_fit_is_a_sentence_and_changes_nothing(client, town, change, says):
    before = client.get(f"/api/files/{town}/schema").text
    wish = {**KNOWS, **change}
    for answer in (
        client.post(f"/api/files/{town}/scenarios/uniques", json=wish),
        client.put(f"/api/files/{town}/scenarios", json={"scenarios": [wish]}),
    ):
        assert answer.status_code in (400, 422)
        assert says in answer.json()["error"]
    assert client.get(f"/api/files/{town}/schema").text == before


def test_what_the_page_does_not_show_is_kept(client, town):
    wish = {**KNOWS, "sure": 0.8, "source": "a list", "takes_part": False}
    for _ in range(2):
        saved = client.put(f"/api/files/{town}/scenarios", json={"scenarios": [wish]}).json()
        (own,) = (one for one in saved["scenarios"] if one["origin"] == "schema")
        wish = {name: own[name] for name in (*wish, "any", "of", "knows_about", "unit")}
    assert (wish["sure"], wish["takes_part"], wish["source"]) == (0.8, False, "a list")


def test_two_scenarios_of_one_name_are_refused(client, town):
    answer = client.put(f"/api/files/{town}/scenarios", json={"scenarios": [KNOWS, KNOWS]})
    assert answer.status_code == 400
    assert "two scenarios have the same name" in answer.json()["error"]


@pytest.mark.parametrize(
    ("goal", "limits"),
    [
        ({"max_risk": 10}, "10"),
        ({"max_risk_in": {"register": 5, "colleague": 10}}, "register=5,colleague=10"),
        ({"max_risk_in": {"register": 5}, "max_risk": 12.5}, "register=5,12.5"),
    ],
)
def test_a_goal_limits_the_risk_of_all_scenarios_or_of_each(goal, limits):
    words = options_of(Goal(**goal)).command_words()
    assert words[words.index("--max-risk") + 1] == limits


def test_the_command_and_the_code_of_a_run_have_its_limits_by_scenario():
    plan = {
        "input": {"path": "/x/town.csv"}, "budget": {"evaluations": 8}, "pick": "best",
        "parameters": {}, "bounds": {"risk": 12.5, "loss": 30, "risk_in": {"register": 5}},
    }  # fmt: skip
    assert "--max-risk register=5,12.5 --max-loss 30" in command_of(plan)
    assert "max_risk={'register': 5, '': 12.5}" in python_of(plan, None)
    plan["bounds"] = {"risk_in": {}}
    assert "--max-risk" not in command_of(plan)
    assert "max_risk" not in python_of(plan, None)
