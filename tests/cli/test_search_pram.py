import json

import numpy as np
import polars as pl
import pytest

SMALL = ("--generations", 2, "--steps", 30, "--population", 4, "--draws", 2, "--seed", 5)
KINDS = ("--quasi", "a,b", "--ordinal", "a", "--nominal", "b")


@pytest.fixture
def people(tmp_path):
    rng = np.random.default_rng(2)
    path = tmp_path / "people.csv"
    pl.DataFrame({"a": rng.choice(["1", "2", "3"], 60), "b": rng.choice(["x", "y"], 60)}).write_csv(
        path
    )
    return path


def found_by(evomask, *more):
    answer = json.loads(evomask("search", "pram", *more, "--json", "--quiet").out)
    answer.pop("seconds")
    return answer


def test_json_has_the_keys_promised(evomask, people):
    found = json.loads(evomask("search", "pram", people, *KINDS, *SMALL, "--json").out)
    promised = {"front", "best", "initial_best", "matrices", "evaluations", "seconds"}
    assert promised <= found.keys()
    assert found["matrices"]["a"]["categories"] == ["1", "2", "3"]
    assert np.sum(found["matrices"]["a"]["rows"], axis=1) == pytest.approx(1.0)


def test_the_seed_is_told_to_nobody(evomask, people):
    secret = 987654321987
    told = evomask("search", "pram", people, *KINDS, *SMALL[:-1], secret, "--json").out
    assert str(secret) not in told


@pytest.mark.slow
def test_two_workers_find_what_one_finds(evomask, people):
    one = found_by(evomask, people, *KINDS, *SMALL)
    assert found_by(evomask, people, *KINDS, *SMALL, "--workers", 2) == one


def test_matrices_are_written_as_csv_and_heat_maps(evomask, people, tmp_path):
    folder = tmp_path / "found"
    found = found_by(evomask, people, *KINDS, *SMALL, "--matrices", folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        "matrix-1.csv", "matrix-1.svg", "matrix-2.csv", "matrix-2.svg"
    ]  # fmt: skip
    assert pl.read_csv(folder / "matrix-1.csv", infer_schema=False)["1"].cast(float).to_list() == [
        row[0] for row in found["matrices"]["a"]["rows"]
    ]


def test_written_matrices_mask_again(evomask, people, tmp_path):
    folder, out = tmp_path / "found", tmp_path / "again.csv"
    found_by(evomask, people, *KINDS, *SMALL, "--matrices", folder)
    evomask("mask", people, "--method", "matrix-pram", "--matrices", folder, "--out", out, *KINDS)
    assert pl.read_csv(out).height == 60


def test_a_kept_run_holds_its_matrices(evomask, people, tmp_path):
    found_by(evomask, people, *KINDS, *SMALL, "--run", tmp_path / "run")
    assert (tmp_path / "run" / "matrices" / "matrix-2.csv").exists()


def test_a_picked_point_has_its_own_matrices(evomask, people, tmp_path):
    best = found_by(evomask, people, *KINDS, *SMALL)
    other = 2 if best["best"]["point"] == 1 else 1
    out = tmp_path / "masked.csv"
    picked = found_by(evomask, people, *KINDS, *SMALL, "--pick", other, "--out", out)
    assert picked["chosen"]["point"] == other
    assert picked["matrices"] != best["matrices"]


def test_a_range_that_cannot_be_kept_is_a_note(evomask, tmp_path):
    path = tmp_path / "skewed.csv"
    pl.DataFrame({"a": ["1"] * 80 + ["2"] * 20, "b": ["x", "y"] * 50}).write_csv(path)
    found = found_by(
        evomask, path, "--quasi", "a,b", "--nominal", "a,b", *SMALL, "--invariant",
        "--diagonal", "0.55,0.75",
    )  # fmt: skip
    assert any("nearest possible range is used, 0.55 to 0.8875" in note for note in found["notes"])
