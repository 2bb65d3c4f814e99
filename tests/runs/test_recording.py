"""What a release record tells of the matrices that a search found."""

import numpy as np
import polars as pl
import pytest

from evomask.runs.inputs import Input
from evomask.runs.protect import protect_file
from evomask.runs.protected import ProtectJob
from evomask.runs.public_record import public_part
from evomask.runs.recording import record_of
from evomask.runs.requirements import NOTHING


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    folder = tmp_path_factory.mktemp("town")
    rng = np.random.default_rng(5)
    people = {"sex": rng.choice(["f", "m"], 90), "school": rng.choice(["a", "b", "c"], 90)}
    pl.DataFrame(people).write_csv(folder / "town.csv")
    source = Input(folder / "town.csv", None, ("sex", "school"), nominal=("sex", "school"))
    job = ProtectJob(source, folder / "run", NOTHING, evaluations=60, seed=7, searches=("pram",))
    return record_of(protect_file(job))


def test_the_matrices_of_the_chosen_point_are_told(record):
    assert record.chosen.search.startswith("pram")
    assert [matrix.attribute for matrix in record.matrices] == ["sex", "school"]
    for matrix in record.matrices:
        assert np.sum(matrix.rows, axis=1) == pytest.approx(1.0)


def test_only_matrices_that_shift_frequencies_are_public(record):
    shown = {matrix.attribute for matrix in public_part(record).matrices}
    assert shown == {matrix.attribute for matrix in record.matrices if not matrix.invariant}
    assert public_part(record, "none").matrices == ()
