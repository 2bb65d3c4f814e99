import json

import numpy as np
import polars as pl
import pytest

SMALL = ("--generations", 3, "--population", 6, "--children", 4, "--climb", 5, "--seed", 5)
KINDS = ("--quasi", "a,b", "--ordinal", "a", "--nominal", "b")


@pytest.fixture
def people(tmp_path):
    rng = np.random.default_rng(2)
    path = tmp_path / "people.csv"
    columns = {"a": rng.choice(["1", "2", "3"], 60, p=(0.6, 0.3, 0.1)), "b": ["x", "y", "y"] * 20}
    pl.DataFrame(columns).write_csv(path)
    return path


def found_by(evomask, people, *more):
    answer = evomask("search", "equations", people, *KINDS, *SMALL, *more, "--json", "--quiet")
    found = json.loads(answer.out)
    found.pop("seconds")
    return found


def test_json_has_the_keys_promised(evomask, people):
    found = json.loads(evomask("search", "equations", people, *KINDS, *SMALL, "--json").out)
    promised = {"front", "best", "initial_best", "equation", "matrices", "evaluations", "seconds"}
    assert promised <= found.keys()
    assert isinstance(found["equation"], str)


def test_a_person_is_told_the_formula(evomask, people):
    told = evomask("search", "equations", people, *KINDS, *SMALL).out
    assert "a, b: category i becomes j by " in told


@pytest.mark.slow
def test_two_workers_find_what_one_finds(evomask, people):
    one = found_by(evomask, people)
    assert found_by(evomask, people, "--workers", 2) == one


def test_the_seed_is_told_to_nobody(evomask, people):
    told = evomask("search", "equations", people, *KINDS, *SMALL, "--seed", 987654321987, "--json")
    assert "987654321987" not in told.out


def test_matrices_and_the_masked_file_are_written(evomask, people, tmp_path):
    folder, out = tmp_path / "found", tmp_path / "masked.csv"
    found_by(evomask, people, "--matrices", folder, "--out", out)
    assert sorted(path.name for path in folder.iterdir()) == [
        "matrix-1.csv", "matrix-1.svg", "matrix-2.csv", "matrix-2.svg"
    ]  # fmt: skip
    assert set(pl.read_csv(out)["b"]) <= {"x", "y"}


def test_an_unknown_algorithm_is_refused_in_one_sentence(evomask, people):
    answer = evomask("search", "equations", people, *KINDS, "--algorithm", "luck")
    assert answer.code == 1
    assert "algorithm must be one of memetic, thesis, generational" in answer.err
