"""What a release record tells of the matrices that a search found."""

from dataclasses import replace
from math import ceil

import numpy as np
import polars as pl
import pytest

from evomask.api import protect
from evomask.masking.guarantees.requirement import NOTHING
from evomask.record.public import public_part
from evomask.record.recording import record_of
from evomask.runs.inputs import Input
from evomask.runs.protect import protect_file
from evomask.runs.protected import ProtectJob


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


def test_nothing_is_changed_after_matrices_where_nothing_is_required(record):
    assert [matrix.repaired for matrix in record.matrices] == [0.0, 0.0]


@pytest.fixture(scope="module")
def repaired():
    """A file changed by chance and then repaired, and the result that it is of."""
    rng = np.random.default_rng(5)
    people = {
        "sex": rng.choice(["f", "m"], 120), "school": rng.choice(list("abc"), 120),
        "job": rng.choice(list("wxyz"), 120),
    }  # fmt: skip
    result = protect(
        pl.DataFrame(people), quasi=list(people), nominal=list(people), require="k=4",
        searches=["grid"], evaluations=80, seed=3,
    )  # fmt: skip
    changed = [one for one in result.done.candidates if one.making.steps[0].method == "pram"]
    one = min(changed, key=lambda one: one.loss)
    problem = result.done.shop.setup("grid").problem
    steps = [problem.making(number).steps for number in range(len(problem.methods))]
    genome = steps.index(one.making.steps)
    done = replace(result.done, front=(one,), chosen=one, genomes={one.number: genome}, made={})
    found = {**done.found, one.number: done.found[result.chosen]}
    return replace(done, found=found), problem.decode(genome, 0)


def test_cells_that_were_changed_after_the_matrices_are_counted(repaired):
    done, before = repaired
    after = done.masked(done.chosen.number)
    notes = record_of(done).matrices
    assert [note.attribute for note in notes] == ["sex", "school", "job"]
    for note in notes:
        again = 100 * np.mean(before[note.attribute] != after[note.attribute])
        assert note.repaired == pytest.approx(again, abs=0.01)
    assert max(note.repaired for note in notes) > 0


def test_in_public_they_are_rounded_up(repaired):
    record = record_of(repaired[0])
    told = {one.attribute: one.repaired for one in public_part(record, "all").matrices}
    assert told == {one.attribute: ceil(one.repaired) for one in record.matrices}
