"""Runs on disk, taken up from Python."""

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure

import evomask


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    rng = np.random.default_rng(5)
    people = pl.DataFrame({"age": rng.integers(20, 70, 80), "pay": rng.integers(9, 99, 80)})
    people.write_csv(folder / "people.csv")
    evomask.protect_file(
        folder / "people.csv", folder / "release", quasi=["age", "pay"],
        searches=["recipes"], evaluations=8, seed=1, accept_risk=True, accept_loss=True,
    )  # fmt: skip
    return evomask.load(folder / "release")


def test_a_run_tells_how_it_stands(run):
    assert "finished" in repr(run)
    assert run.summary.points == run.front.height
    assert run.record.chosen.point == run.summary.released


def test_the_released_file_and_reports_are_found(run):
    assert run.masked().columns == ["age", "pay"]
    assert all("<html" in page.read_text(encoding="utf-8") for page in run.reports)


def test_another_point_is_chosen(run):
    least = run.front.sort("risk")["point"][0]
    assert run.choose(str(least), accept_risk=True, accept_loss=True).record.chosen.point == least


def test_a_finished_run_goes_on_to_the_same_end(run):
    front = run.front
    assert run.resume().front.equals(front)


def test_a_run_shows_its_map(run):
    assert "<svg" in run._repr_html_()
    assert isinstance(run.plot(), Figure)


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(evomask.EvomaskError, match="there is no run"):
        evomask.load(tmp_path)
