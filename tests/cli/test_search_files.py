import json

import polars as pl
import pytest

SHORT = ("--first", 8, "--burst", 200, "--seed", 5, "--no-held-out", "--quasi", "age,income,region")


def found_by(evomask, *words):
    answer = json.loads(evomask("search", "files", *words, "--json", "--quiet").out)
    answer.pop("seconds")
    return answer


def test_json_has_the_keys_promised(evomask, people):
    found = json.loads(evomask("search", "files", people, *SHORT, "--generations", 1, "--json").out)
    assert {"front", "best", "initial_best", "evaluations", "seconds"} <= found.keys()
    assert {"loss", "risk", "score"} <= found["best"].keys()


def test_two_workers_find_what_one_finds(evomask, people):
    one = found_by(evomask, people, *SHORT, "--generations", 3)
    assert found_by(evomask, people, *SHORT, "--generations", 3, "--workers", 2) == one


@pytest.mark.parametrize("algorithm", ["guided", "thesis"])
def test_a_run_resumed_finds_what_a_straight_one_finds(evomask, people, tmp_path, algorithm):
    words = (people, *SHORT, "--algorithm", algorithm)
    straight = found_by(evomask, *words, "--generations", 4)
    kept = tmp_path / "run"
    found_by(evomask, *words, "--generations", 4, "--run", kept)
    for snapshot in sorted(kept.glob("state-*.npz")):
        snapshot.unlink()
    resumed = json.loads(evomask("resume", kept, "--json", "--quiet").out)
    assert resumed["best"] == straight["best"]
    assert resumed["front"] == straight["front"]


def test_attackers_that_were_held_out_are_told_of(evomask, people):
    words = (
        "--first",
        4,
        "--burst",
        50,
        "--seed",
        5,
        "--quasi",
        "age,income,region",
        "--generations",
        1,
    )
    held_out = found_by(evomask, people, *words)["held_out"]
    assert held_out
    assert all({"initial_best", "best", "worse_by"} == told.keys() for told in held_out.values())


def test_the_masked_file_fulfils_what_is_required(evomask, people, tmp_path):
    out = tmp_path / "masked.csv"
    found_by(evomask, people, *SHORT, "--require", "k=3", "--generations", 2, "--out", out)
    masked = pl.read_csv(out)
    assert masked.group_by("age", "income", "region").len()["len"].min() >= 3


def test_a_requirement_that_cannot_be_read_is_refused(evomask, people):
    answer = evomask("search", "files", people, *SHORT, "--require", "m=3")
    assert answer.code == 1
    assert "a requirement is written k=5" in answer.err


def test_a_study_of_the_population_ends_where_the_run_ended(evomask, people, tmp_path):
    words = (people, *SHORT, "--generations", 2, "--study", "population", "--figures", tmp_path)
    found = found_by(evomask, *words)
    assert found["study"]["scores"][-1]["smallest"] == found["best"]["score_searched"]
    assert [name.rsplit("/")[-1] for name in found["figures"]] == ["populations.svg", "scores.svg"]


def test_populations_of_other_searches_are_not_studied(evomask, people):
    answer = evomask(
        "search", "partition", people, "--burst", 100, "--generations", 1, "--study", "population"
    )
    assert answer.code == 1
    assert "population studies need the search files" in answer.err
