"""A search of another package takes part in protect as ours do: one class, one entry point."""

import json

import polars as pl
import pytest

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


def protected_by(evomask, town, tmp_path):
    """The folder of a run in which the search takes part."""
    answer = evomask("protect", town, "--searches", "toy", *ASKED, "--out", tmp_path / "run")
    assert answer.code == 0, answer.err
    return tmp_path / "run"


def first_point(tmp_path):
    """The first point of its front that the search made."""
    front = pl.read_parquet(tmp_path / "run" / "front.parquet")
    return str(front.filter(pl.col("search") == "toy")["point"][0])


def test_its_points_can_be_chosen(evomask, toy, town, tmp_path):
    run = protected_by(evomask, town, tmp_path)
    answer = evomask("choose", run, first_point(tmp_path), "--json")
    assert answer.code == 0, answer.err
    chosen = json.loads(answer.out)["chosen"]
    assert chosen["search"] == "toy"
    assert chosen["method"]
    masked = pl.read_csv(tmp_path / "run" / "masked" / "town.csv")
    assert masked.shape == (60, 2)
    assert not masked.equals(pl.read_csv(town))


def test_both_reports_say_what_it_does(evomask, toy, town, tmp_path):
    evomask("choose", protected_by(evomask, town, tmp_path), first_point(tmp_path))
    pages = [
        " ".join((tmp_path / "run" / f"report-{kind}.html").read_text(encoding="utf-8").split())
        for kind in ("internal", "public")
    ]
    assert all(toy.about.public in page for page in pages)
    assert "numbers rounded to a multiple of a width, which is" in pages[0]


def test_it_may_keep_to_searching_alone(evomask, toy, town, monkeypatch, tmp_path):
    for name in ("variants", "cost", "keeps_strata", "kernels", "about"):
        monkeypatch.delattr(toy, name)
    assert evomask("search", "toy", town, "--generations", 2, "--quiet").code == 0
    refused = evomask("protect", town, "--searches", "toy", *ASKED, "--out", tmp_path / "run")
    assert refused.code == 1
    assert "toy cannot mask this file" in refused.err
