import json

import polars as pl
import pytest

from tests.graphs.trajectories.test_protect import K, town


@pytest.fixture
def ways(tmp_path):
    town().rename({"east": "x", "north": "y"}).write_csv(tmp_path / "ways.csv")
    return tmp_path / "ways.csv"


def words(ways, *more):
    return (
        "trajectories", ways, "-k", K, "--east", "x", "--north", "y", "--window", 3, "--method",
        "mdav", "--seed", 1, "--out", ways.with_name("discs.csv"), *more,
    )  # fmt: skip


def test_it_writes_discs_and_tells_what_can_be_followed(evomask, ways):
    told = json.loads(evomask(*words(ways, "--json")).out)
    discs = pl.read_csv(ways.with_name("discs.csv"))
    assert discs.columns == ["window", "track", "time", "east", "north", "radius", "people"]
    assert discs.height == 360
    assert told["fewest"] >= K
    assert set(told["followed"]) == {"nearest disc", "straight on", "most in common"}


def test_it_says_so_in_words(evomask, ways):
    said = evomask(*words(ways)).out
    assert "from the centre of their disc on average" in said
    assert "an intruder who tracks discs (nearest disc)" in said


def test_it_does_not_write_over_a_file(evomask, ways):
    ways.with_name("discs.csv").write_text("mine", encoding="utf-8")
    answer = evomask(*words(ways))
    assert answer.code == 1
    assert ways.with_name("discs.csv").read_text(encoding="utf-8") == "mine"


def test_it_does_not_write_over_its_input(evomask, ways):
    answer = evomask(*words(ways, "--force", "--out", ways))
    assert answer.code == 1
