"""Recipes searched on a sample of a large file; the chosen one is made on everything."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from evomask.engine.evaluation import EvaluationContext, Measured
from evomask.engine.front import Bounds
from evomask.errors import ParameterError, RunError, SchemaError, UnmetError
from evomask.execution.local import open_evaluators
from evomask.masking.enforce.requirement import Requirement
from evomask.outofcore import mask
from evomask.outofcore.compare import ChunkComparison
from evomask.outofcore.generalize import GeneralizeJob, generalize_parts
from evomask.outofcore.mask import PartsJob, mask_parts
from evomask.outofcore.protect import (
    RecipeJob,
    choose_in_parts,
    protect_parts,
    read_job,
    read_recipe_job,
    replan_choice,
)
from evomask.outofcore.recipes import read_front
from evomask.outofcore.release import verify_parts
from evomask.report.record import decode_record
from evomask.runs.inputs import Input
from evomask.runs.measure import measure_files
from tests.outofcore.conftest import town, written
from tests.outofcore.test_generalize import order_of

MIXED = ("income", "sex", "region")
NUMBERS = ("income", "wealth")
MADE_IN_PARTS = {
    "mdav", "independent-noise", "pram", "global-recoding", "top-coding", "bottom-coding",
    "generalization",
}  # fmt: skip


def job(people, out, quasi=MIXED, **more):
    source = Input(
        people, quasi_identifiers=quasi, confidential=("illness",), identifiers=("name",),
        nominal=("sex", "region"),
    )  # fmt: skip
    return RecipeJob(source, out, **({"evaluations": 5, "seed": 5} | more))


def in_place(out):
    """The released records in the order of the original."""
    return written(out)[np.argsort(order_of(out))]


@pytest.fixture
def done(people, tmp_path):
    return protect_parts(job(people, tmp_path / "out", keep_order=True))


def test_only_recipes_are_tried_that_can_be_made_on_parts(people, tmp_path):
    done = protect_parts(job(people, tmp_path / "out", evaluations=40))
    methods = {step.method for point in done.front for step in point.making.steps}
    assert methods <= MADE_IN_PARTS
    assert len(done.front) > 2
    assert done.tried == 40
    losses = [point.loss for point in done.front]
    assert losses == sorted(losses)


def test_the_made_one_is_measured_as_the_whole_file_would_be(done, people, tmp_path):
    plain = next(p for p in done.front if p.making.steps[-1].method != "generalization")
    done = protect_parts(replan_choice(read_recipe_job(tmp_path / "out"), str(plain.point)))
    in_place(tmp_path / "out").write_parquet(tmp_path / "masked.parquet")
    town().write_parquet(tmp_path / "original.parquet")
    source = replace(job(people, tmp_path).source, path=tmp_path / "original.parquet")
    whole = measure_files(source, tmp_path / "masked.parquet")
    assert done.compared.loss == pytest.approx(whole.loss, abs=1e-6)
    assert done.compared.assessment.risk == pytest.approx(whole.risk, abs=1e-6)


def test_where_the_sample_is_everything_it_tells_what_is_made(people, tmp_path, monkeypatch):
    monkeypatch.setattr(mask, "REGION_SIZE", 10_000)
    monkeypatch.setattr(mask, "OUTER_SHARES", (0.0,))
    only = job(people, tmp_path / "out", ("income", "age"), requirement=Requirement(k=5), pick="1")
    done = protect_parts(only)
    chosen = done.choice.candidate
    assert done.sample == 1_000
    assert done.compared.assessment.risk == pytest.approx(chosen.risk, abs=1e-6)


@pytest.mark.xfail(reason="the sample holds quasi-identifiers and confidential columns alone")
def test_where_the_sample_is_everything_its_loss_is_that_of_the_file(people, tmp_path, monkeypatch):
    monkeypatch.setattr(mask, "REGION_SIZE", 10_000)
    monkeypatch.setattr(mask, "OUTER_SHARES", (0.0,))
    only = job(people, tmp_path / "out", ("income", "age"), requirement=Requirement(k=5), pick="1")
    done = protect_parts(only)
    assert done.compared.loss == pytest.approx(done.choice.candidate.loss, abs=1e-6)


def test_a_required_k_is_seen_to_by_groups_and_counted(people, tmp_path):
    done = protect_parts(
        job(people, tmp_path / "out", NUMBERS, requirement=Requirement(k=5), evaluations=100)
    )
    assert {s.method for point in done.front for s in point.making.steps} == {"mdav"}
    assert all(s.parameters["k"] >= 5 for point in done.front for s in point.making.steps)
    classes = written(tmp_path / "out").to_pandas().groupby(list(NUMBERS), dropna=False).size()
    assert classes.min() == done.alike.least >= done.k >= 5
    assert verify_parts(tmp_path / "out").holds


def test_a_k_that_no_recipe_sees_to_is_one_sentence(people, tmp_path):
    with pytest.raises(RunError, match="no recipe for chunked files guarantees k = 5"):
        protect_parts(job(people, tmp_path / "out", requirement=Requirement(k=5)))


def test_l_and_t_are_no_recipes(people, tmp_path):
    with pytest.raises(ParameterError, match="guarantees l or t"):
        protect_parts(job(people, tmp_path / "out", requirement=Requirement(k=5, l=2)))


@pytest.mark.parametrize("kind", ["recipes", "levels", "method"])
def test_edit_rules_and_strata_are_refused(people, tmp_path, kind):
    schema, out = tmp_path / "schema.toml", tmp_path / "out"
    schema.write_text('[attributes.sex]\nrole = "stratum"\n')
    source = replace(job(people, out, ("income",)).source, schema=schema)
    begin = {
        "recipes": lambda: protect_parts(RecipeJob(source, out)),
        "levels": lambda: generalize_parts(GeneralizeJob(source, out, Requirement(k=5))),
        "method": lambda: mask_parts(PartsJob(source, "mdav", out, {"k": "5"})),
    }[kind]
    with pytest.raises(SchemaError, match="do not support strata; give 'sex' another role"):
        begin()
    schema.write_text('[rules]\nedits = ["age >= 0"]\n')
    with pytest.raises(SchemaError, match="do not support edit rules"):
        begin()
    assert not out.exists()


def test_the_record_tells_sample_and_whole_and_others_stay_as_they_are(done, tmp_path):
    record = decode_record((tmp_path / "out" / "record.json").read_bytes())
    chosen = done.choice.candidate
    assert record.chosen.point == chosen.point
    assert record.chosen.loss == done.compared.loss
    on_sample = next(p for p in record.points.front if p.point == chosen.point)
    assert on_sample.loss == pytest.approx(chosen.loss)
    assert any(f"a loss of {chosen.loss:.2f} %" in note for note in record.notes)
    assert any("does not guarantee k" in note for note in record.notes)
    assert record.before.k <= record.after.k
    frame = written(tmp_path / "out")
    assert frame.schema["income"] == pl.Float64
    assert "name" not in frame.columns
    assert frame["illness"].sort().equals(town()["illness"].sort())


@pytest.mark.slow
@pytest.mark.parametrize("given", [{"workers": 2}, {"cluster": "local:2"}])
def test_the_same_front_and_records_from_workers_and_a_cluster(done, people, tmp_path, given):
    other = tmp_path / "other"
    with open_evaluators(**given) as evaluators:
        protect_parts(job(people, other, keep_order=True), evaluators=evaluators)
    for kept in ("front.json", "done.json"):
        assert (other / kept).read_bytes() == (tmp_path / "out" / kept).read_bytes()
    assert in_place(other).equals(in_place(tmp_path / "out"))


@pytest.mark.parametrize(
    "step",
    ["try", pytest.param("apply", marks=pytest.mark.slow),
     pytest.param("attack", marks=pytest.mark.slow), "mask"],
)  # fmt: skip
def test_stopped_work_goes_on_and_nothing_is_tried_twice(people, tmp_path, step, done):
    def stop(name, finished, count):
        if name == step and finished >= 2:
            raise KeyboardInterrupt

    other, seen = tmp_path / "other", []
    with pytest.raises(KeyboardInterrupt):
        protect_parts(job(people, other, keep_order=True), told=stop)
    assert not (other / "done.json").exists()
    if step == "try":
        with pytest.raises(RunError, match="nothing was found yet"):
            replan_choice(read_recipe_job(other), "1")
    protect_parts(read_job(other), told=lambda *told: seen.append(told))
    assert (step, 0, 5) not in seen
    assert in_place(other).equals(in_place(tmp_path / "out"))


def test_another_point_of_the_front_can_be_made(done, people, tmp_path):
    out = tmp_path / "out"
    other = next(p for p in done.front if p.point != done.choice.candidate.point)
    seen = []
    again = protect_parts(
        replan_choice(read_recipe_job(out), str(other.point)),
        told=lambda *told: seen.append(told[0]),
    )
    assert again.choice.candidate == other
    assert "try" not in seen
    assert again.compared.loss != done.compared.loss
    assert verify_parts(out).holds
    assert read_recipe_job(out).pick == f"file={other.number}"
    assert not in_place(out).equals(town())


def test_work_on_one_point_is_not_taken_for_that_on_another(done, people, tmp_path):
    def stop(name, finished, count):
        if name == "mask" and finished >= 2:
            raise KeyboardInterrupt

    first, last = done.front[0], done.front[-1]
    other, alone = tmp_path / "other", tmp_path / "alone"
    begun = job(people, other, keep_order=True, pick=str(first.point))
    with pytest.raises(KeyboardInterrupt):
        protect_parts(begun, told=stop)
    with pytest.raises(RunError, match="another file or with other options"):
        protect_parts(replace(begun, pick=str(last.point)))
    protect_parts(replan_choice(read_recipe_job(other), str(last.point)))
    protect_parts(job(people, alone, keep_order=True, pick=str(last.point)))
    assert in_place(other).equals(in_place(alone))


def test_a_front_that_was_changed_by_hand_is_tried_again(done, people, tmp_path):
    out, before = tmp_path / "out", read_front(tmp_path / "out")
    path = out / "front.json"
    path.write_text(path.read_text().replace('"tried": 5', '"tried": 7'))
    assert not verify_parts(out).holds
    protect_parts(read_job(out))
    assert read_front(out) == before
    assert verify_parts(out).holds


def test_a_limit_that_only_the_sample_keeps_releases_nothing(people, tmp_path, monkeypatch):
    monkeypatch.setattr(EvaluationContext, "measured", lambda _maker, _masked: Measured(0.5, 0.5))
    out = tmp_path / "out"
    with pytest.raises(UnmetError, match=r"on all records, but .* nothing was released"):
        protect_parts(job(people, out, bounds=Bounds(loss=1.0)))
    assert not (out / "done.json").exists()
    assert not list((out / "masked").iterdir())


def test_a_choice_that_breaks_its_limit_leaves_the_release_as_it_was(people, tmp_path, monkeypatch):
    out, measured = tmp_path / "out", ChunkComparison.compared
    done = protect_parts(job(people, out))
    before = written(out)
    with monkeypatch.context() as patched:
        patched.setattr(ChunkComparison, "compared", lambda own: replace(measured(own), loss=99.0))
        with pytest.raises(UnmetError, match=r"on all records, but .* nothing was released"):
            choose_in_parts(read_recipe_job(out), "suggested", Bounds(loss=90.0))
    assert verify_parts(out).holds
    assert written(out).equals(before)
    again = choose_in_parts(read_recipe_job(out), str(done.choice.candidate.point))
    assert again.compared.loss == done.compared.loss


def test_there_is_nothing_to_choose_where_levels_are_the_best(people, tmp_path):
    from tests.outofcore.test_generalize import job as levels

    generalize_parts(levels(people, tmp_path / "levels"))
    with pytest.raises(RunError, match="generalized with the least loss"):
        read_recipe_job(tmp_path / "levels")
