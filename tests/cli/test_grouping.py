import json

import numpy as np
import polars as pl
import pytest

SMALL = ("-k", 3, "--population", 10, "--crossovers", 3, "--mutations", 1, "--seed", 5)


@pytest.fixture
def numbers(tmp_path):
    rng = np.random.default_rng(2)
    values = np.exp(rng.normal(size=(30, 2)) @ rng.normal(size=(2, 5)))
    path = tmp_path / "numbers.csv"
    pl.DataFrame(values, schema=[*"abcde"], orient="row").write_csv(path)
    return path


def found_by(evomask, *more):
    answer = json.loads(evomask("search", "grouping", *more, "--json", "--quiet").out)
    answer.pop("seconds")
    return answer


def test_json_has_the_keys_promised(evomask, numbers):
    answer = evomask("search", "grouping", numbers, *SMALL, "--generations", 3, "--json")
    found = json.loads(answer.out)
    assert {"score", "il", "id", "dld", "groups", "evaluations", "seconds"} <= found.keys()
    assert sorted(name for group in found["groups"] for name in group) == [*"abcde"]


def test_two_workers_find_what_one_finds(evomask, numbers):
    one = found_by(evomask, numbers, *SMALL, "--generations", 4)
    assert found_by(evomask, numbers, *SMALL, "--generations", 4, "--workers", 2) == one


def test_the_dynamic_optimizer_is_a_flag(evomask, numbers):
    plain = found_by(evomask, numbers, *SMALL, "--generations", 40)
    dynamic = found_by(evomask, numbers, *SMALL, "--generations", 40, "--dynamic")
    assert dynamic["evaluations"] < plain["evaluations"]


def test_it_may_end_when_two_populations_have_the_same_mean(evomask, numbers):
    plain = found_by(evomask, numbers, *SMALL, "--generations", 400)
    ended = found_by(evomask, numbers, *SMALL, "--generations", 400, "--equal-means", 1)
    assert ended["evaluations"] < plain["evaluations"]
    level = found_by(evomask, numbers, *SMALL, "--generations", 400, "--target", 100)
    assert level["evaluations"] == 10
    assert found_by(evomask, numbers, *SMALL, "--stalled", 1)["evaluations"] < 400


def test_intruders_are_named_on_the_command_line(evomask, numbers):
    usual = found_by(evomask, numbers, *SMALL, "--generations", 2)
    told = found_by(evomask, numbers, *SMALL, "--generations", 2, "--known", "a,b;c,d,e")
    linked = [[b["dld"] for b in found["baselines"].values()] for found in (usual, told)]
    assert linked[0] != linked[1]


def test_the_masked_file_holds_its_groups(evomask, numbers, tmp_path):
    out = tmp_path / "masked.csv"
    found = found_by(evomask, numbers, *SMALL, "--generations", 4, "--out", out)
    masked = pl.read_csv(out)
    assert all(masked.group_by(group).len()["len"].min() >= 3 for group in found["groups"])


def test_groups_are_explained_in_words(evomask, numbers):
    found = found_by(evomask, numbers, *SMALL, "--generations", 4)
    assert [part["attributes"] for part in found["explanation"]] == found["groups"]
    assert all(part["because"] for part in found["explanation"])


def test_a_person_is_told_which_attributes_stand_together_and_why(evomask, numbers):
    told = evomask("search", "grouping", numbers, *SMALL, "--generations", 2).out
    assert "correlat" in told
    assert all(name in told for name in "abcde")
