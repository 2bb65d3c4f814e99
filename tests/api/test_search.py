"""Single searches on frames."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import evomask


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(5)
    return pd.DataFrame({"age": rng.integers(20, 70, 60), "income": rng.random(60).round(3)})


@pytest.fixture(scope="module")
def found(people):
    return evomask.search(people, "partition", options={"k": 4}, evaluations=200, seed=1)


def test_the_masked_frame_keeps_kind_order_and_index(found, people):
    masked = found.masked()
    assert list(masked.columns) == ["age", "income"]
    assert masked.index.equals(people.index)
    assert masked.groupby(["age", "income"]).size().min() >= 4


def test_the_answer_is_that_of_the_command(people, found, tmp_path):
    from evomask.runs.inputs import Input
    from evomask.runs.search import Limits, SearchJob, search_file

    people.to_csv(tmp_path / "people.csv", index=False)
    job = SearchJob(
        Input(tmp_path / "people.csv"), "partition", {"k": "4"}, Limits(evaluations=200), seed=1
    )
    assert found.answer["sse"] == pytest.approx(search_file(job).answer["sse"])


def test_a_result_shows_itself(found):
    assert "partition" in repr(found)
    assert "<table>" in found._repr_html_()
    assert isinstance(found.plot(), Figure)
    assert found.best["point"] in found.front["point"].tolist()


def test_a_front_of_loss_and_risk_is_drawn(people):
    result = evomask.search(people, "files", evaluations=30, seed=1)
    assert {"loss", "risk"} <= set(result.front.columns)
    assert isinstance(result.plot(), Figure)


def test_points_and_options_that_are_not_there_are_refused(found, people):
    with pytest.raises(evomask.EvomaskError, match="no point 99"):
        found.masked(99)
    with pytest.raises(evomask.EvomaskError, match="quay"):
        evomask.search(people, "partition", options={"quay": 4})


def test_the_same_seed_gives_the_same_frame(people, found):
    again = evomask.search(people, "partition", options={"k": 4}, evaluations=200, seed=1)
    pd.testing.assert_frame_equal(again.masked(), found.masked())
