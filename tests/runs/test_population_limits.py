"""Limits of the population risk decide which points are released."""

import json
from types import SimpleNamespace

import polars as pl
import pytest

from evomask.errors import UnmetError
from evomask.masking.enforce.requirement import parse_requirement
from evomask.report.protection import Choice
from evomask.runs.population_limits import choose_within_limits
from tests.cli.conftest import ROLES, write_town
from tests.measures.files import categories

SMALL = ("--seed", 5, "--evaluations", 20, "--json", "--quiet", "--population-size", 600)


def test_a_release_within_its_limits_states_them(evomask, tmp_path):
    folder = tmp_path / "release"
    words = (*ROLES, *SMALL, "--require", "k=3,prosecutor=0.34,marketer=0.3")
    assert evomask("protect", write_town(tmp_path), *words, "--out", folder).code == 0
    record = json.loads((folder / "record.json").read_bytes())
    limits = {one["name"]: one for one in record["checked"]["limits"]}
    classes = pl.read_csv(folder / "masked/town.csv").group_by("age", "income", "school").len()
    assert limits["prosecutor"]["value"] == pytest.approx(1 / classes["len"].min())
    assert limits["marketer"]["value"] <= 0.3
    assert record["after"]["population"][0]["size"] == 600
    page = (folder / "report-internal.html").read_text(encoding="utf-8")
    assert "Limits of population risk and copies" in page
    assert "Population risk in the scenario" in page
    assert evomask("verify", folder, "--quiet").code == 0


POINTS = [SimpleNamespace(number=n, point=n, loss=loss) for n, loss in ((1, 5.0), (2, 9.0))]
FILES = {1: categories(a=[0, 0, 1]), 2: categories(a=[0, 0, 0])}


def choose(first, replaceable, requirement="prosecutor=0.5"):
    return choose_within_limits(
        Choice(POINTS[first - 1], "the first"),
        POINTS,
        FILES.__getitem__,
        FILES[1],
        parse_requirement(requirement),
        replaceable=replaceable,
    )


def test_a_choice_within_the_limits_stays():
    assert choose(2, replaceable=True).reason == "the first"


def test_a_choice_beyond_the_limits_is_replaced_by_one_within_them():
    found = choose(1, replaceable=True)
    assert found.candidate.number == 2
    assert "within the required limits" in found.reason


def test_a_named_point_beyond_the_limits_is_refused():
    with pytest.raises(UnmetError, match="point 1 has prosecutor = 1"):
        choose(1, replaceable=False)


def test_limits_that_no_point_satisfies_release_nothing(evomask, tmp_path):
    folder = tmp_path / "release"
    words = (*ROLES, *SMALL, "--require", "k=2,prosecutor=0.001")
    answer = evomask("protect", write_town(tmp_path), *words, "--out", folder)
    assert answer.code == 3
    assert "prosecutor" in answer.out + answer.err
    assert not (folder / "masked").exists()


def test_a_population_table_is_counted(evomask, people, tmp_path):
    table = tmp_path / "register.csv"
    rows = [f"{20 + i},{r},{10 + i}" for i in range(7) for r in "nsw"]
    table.write_text("age,region,count\n" + "\n".join(rows) + "\n", encoding="utf-8")
    words = ("--quasi", "age,region", "--nominal", "age", "--population-table", table)
    found = json.loads(evomask("audit", people, *words, "--json", "--quiet").out)["population"][0]
    assert (found["basis"], found["k_map"]) == ("table", 10)
    assert found["journalist"]["largest"] == pytest.approx(1 / 10)


def test_a_row_without_a_number_of_people_is_named(evomask, people, tmp_path):
    table = tmp_path / "register.csv"
    table.write_text("age,count\n20,5\n21,-1\n", encoding="utf-8")
    answer = evomask("audit", people, "--quasi", "age", "--population-table", table)
    assert answer.code == 1
    assert "no number of people in row 2" in answer.err


def test_the_population_of_a_schema_is_read(evomask, people, tmp_path):
    schema = tmp_path / "people.toml"
    text = '[attributes.age]\nrole = "quasi-identifier"\n[population]\nsize = 4000\n'
    schema.write_text(text, encoding="utf-8")
    found = json.loads(evomask("audit", people, "--schema", schema, "--json", "--quiet").out)
    assert found["population"][0]["size"] == 4000


def test_limits_of_a_chunked_file_are_refused(evomask, tmp_path):
    words = (*ROLES, "--require", "k=3,journalist=0.1", "--in-parts", "--out", tmp_path / "parts")
    answer = evomask("protect", write_town(tmp_path), *words)
    assert answer.code == 1
    assert "have no limits of the population risk" in answer.err


def test_a_file_with_more_copies_of_unique_people_than_permitted_is_not_released():
    assert choose(1, replaceable=True, requirement="copies=50%").candidate.number == 2
    assert choose(1, replaceable=False, requirement="copies=100%").candidate.number == 1
    with pytest.raises(UnmetError, match="point 1 has copies = 1 "):
        choose(1, replaceable=False, requirement="copies=50%")
