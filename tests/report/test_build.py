"""What a release record tells of the matrices that a search found."""

from dataclasses import replace
from functools import partial
from math import ceil

import numpy as np
import polars as pl
import pytest

from evomask import protect
from evomask.masking.enforce.requirement import NOTHING
from evomask.report.protection import Choice, point_file
from evomask.report.public_record import build_public_record
from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, protect_file
from evomask.runs.release import record_without_file


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    folder = tmp_path_factory.mktemp("town")
    rng = np.random.default_rng(5)
    people = {"sex": rng.choice(["f", "m"], 90), "school": rng.choice(["a", "b", "c"], 90)}
    pl.DataFrame(people).write_csv(folder / "town.csv")
    source = Input(folder / "town.csv", None, ("sex", "school"), nominal=("sex", "school"))
    job = ProtectJob(source, folder / "run", NOTHING, evaluations=400, seed=7, searches=("pram",))
    released = protect_file(job)
    done = released.protection
    evolved = [
        one
        for one in done.state.candidates
        if one.search == "pram" and one.number in done.state.live
    ]
    chosen = min(evolved, key=lambda one: one.loss)
    finding = done.findings[released.chosen.number]
    done = replace(
        done,
        state=replace(done.state, front=(chosen,)),
        findings={**done.findings, chosen.number: finding},
    )
    files = partial(point_file, done.maker, done.state)
    return record_without_file(replace(done, files=files), Choice(chosen, "to see its matrices"))


def test_the_matrices_of_the_chosen_point_are_told(record):
    assert record.chosen.search == "pram"
    assert [matrix.attribute for matrix in record.matrices] == ["sex", "school"]
    for matrix in record.matrices:
        assert np.sum(matrix.rows, axis=1) == pytest.approx(1.0)


def test_only_matrices_that_shift_frequencies_are_public(record):
    shown = {matrix.attribute for matrix in build_public_record(record).matrices}
    assert shown == {matrix.attribute for matrix in record.matrices if not matrix.invariant}
    assert build_public_record(record, "none").matrices == ()


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
        searches=["recipes"], evaluations=80, seed=3,
    )  # fmt: skip
    protection = result.protection
    problem = protection.maker.setup("recipes").problem
    changed = [
        (candidate, protection.state.live[candidate.number].genome)
        for candidate in protection.state.candidates
        if candidate.number in protection.state.live
        and {step.method for step in candidate.making.steps} == {"pram"}
    ]
    chosen, genome = min(changed, key=lambda pair: pair[0].loss)
    assert set(problem.matrices(genome)) == set(people)
    state = replace(protection.state, front=(chosen,))
    findings = {
        **protection.findings,
        chosen.number: protection.findings[result.choice.candidate.number],
    }
    files = partial(point_file, protection.maker, state)
    done = replace(protection, state=state, findings=findings, files=files)
    choice = Choice(chosen, "to see what is repaired")
    record = record_without_file(done, choice)
    return record, files(chosen.number).masked, problem.decode(genome, 0)


def test_cells_that_were_changed_after_the_matrices_are_counted(repaired):
    record, after, before = repaired
    notes = record.matrices
    assert {note.attribute for note in notes} == {"sex", "school", "job"}
    for note in notes:
        again = 100 * np.mean(before[note.attribute] != after[note.attribute])
        assert note.repaired == pytest.approx(again, abs=0.01)
    assert max(note.repaired for note in notes) > 0


def test_in_public_they_are_rounded_up(repaired):
    record = repaired[0]
    shown = {note.attribute: note.repaired for note in build_public_record(record, "all").matrices}
    assert shown == {note.attribute: ceil(note.repaired) for note in record.matrices}
