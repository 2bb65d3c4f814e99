"""A search of another package takes part in protect as ours do: one class, one entry point."""

import json

import polars as pl
import pytest

from evomask import protect
from evomask.report.describe import describe_provenance, public_sentences

ASKED = ("--quasi", "age,income", "--seed", 3, "--evaluations", 150, "--json", "--quiet")


@pytest.fixture
def town(tmp_path):
    """Sixty people with two numbers each, as a file."""
    lines = [f"{20 + (i * 7) % 50},{1000 + (i * i * 37) % 977}" for i in range(60)]
    path = tmp_path / "town.csv"
    path.write_text("age,income\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_it_has_turns_beside_ours_and_its_points_are_described(evomask, toy, town, tmp_path):
    asked = ("--searches", "recipes,toy", "--require", "k=2", *ASKED)
    answer = evomask("protect", town, *asked, "--out", tmp_path / "run")
    assert answer.code == 0, answer.err
    record = json.loads((tmp_path / "run" / "record.json").read_text(encoding="utf-8"))
    members = {row["name"]: row for row in record["searches"]}
    assert members["recipes"]["evaluations"] > 0
    assert members["toy"]["evaluations"] > 0
    assert members["toy"]["does"] == "Round numbers; how coarsely evolves."


def test_its_files_are_described_for_stewards_and_for_the_public(toy, town):
    found = protect(
        pl.read_csv(town), quasi=["age", "income"], searches=["toy"], evaluations=150, seed=3
    )
    own = [one for one in found.protection.state.candidates if one.search == "toy"]
    assert own
    for one in own:
        assert "numbers rounded to a multiple of a width, which is" in describe_provenance(
            one.making
        )
        assert toy.about.public in " ".join(public_sentences(one.making))
        assert one.loss > 0


def test_it_may_keep_to_searching_alone(evomask, toy, town, monkeypatch, tmp_path):
    for name in ("variants", "cost", "keeps_strata", "kernels", "about"):
        monkeypatch.delattr(toy, name)
    assert evomask("search", "toy", town, "--generations", 2, "--quiet").code == 0
    refused = evomask("protect", town, "--searches", "toy", *ASKED, "--out", tmp_path / "run")
    assert refused.code == 1
    assert "toy cannot mask this file" in refused.err
