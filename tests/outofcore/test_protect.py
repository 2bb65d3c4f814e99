"""A recipe is searched on a sample of a large file and applied to all chunks."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from evomask.engine.front import Bounds
from evomask.errors import ParameterError, RunError, SchemaError, UnmetError
from evomask.execution.local import open_evaluators
from evomask.io import chunks as io_parts
from evomask.masking.enforce.requirement import Requirement
from evomask.outofcore import mask, prepare
from evomask.outofcore.compare import ChunkComparison
from evomask.outofcore.generalize import GeneralizeJob, generalize_parts
from evomask.outofcore.mask import PartsJob, mask_parts
from evomask.outofcore.protect import (
    choose_in_parts,
    protect_parts,
    read_job,
    read_recipe_job,
)
from evomask.outofcore.release import verify_parts
from evomask.report.record import decode_record
from evomask.runs.inputs import Input
from evomask.runs.measure import Measuring, measure_files
from evomask.runs.protect import ProtectJob
from tests.outofcore.conftest import town, written
from tests.outofcore.test_generalize import order_of

MIXED = ("income", "sex", "region")
SCHEMA = """
[rules]
edits = ["age >= 10"]
[keep]
tables = ["illness: mean wealth"]
[scenarios.register]
knows = ["age", "sex"]
[scenarios.bank]
knows = ["income", "sex"]
require = "k=4"
[attributes.region]
role = "stratum"
kind = "nominal"
"""


def job(people, out, quasi=MIXED, **more):
    source = Input(
        people, quasi_identifiers=quasi, confidential=("illness",), identifiers=("name",),
        nominal=("sex", "region"),
    )  # fmt: skip
    return ProtectJob(source, out, **({"evaluations": 5, "seed": 5} | more))


def ruled(people, folder, **more):
    """A job with edit rules, a stratum, an analysis and scenarios."""
    schema = folder / "rules.toml"
    schema.write_text(SCHEMA)
    quasi = ("age", "sex", "income")
    plain = job(people, folder / "out", quasi, requirement=Requirement(3), keep_order=True, **more)
    return replace(plain, source=replace(plain.source, schema=schema, nominal=("sex",)))


def in_place(out):
    """The released records in the order of the original."""
    return written(out)[np.argsort(order_of(out))]


@pytest.fixture(scope="module")
def small():
    """Parts of 250 records for a module."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(prepare, "RECORDS", 250)
        patched.setattr(mask, "REGION_SIZE", 200)
        patched.setattr(io_parts, "BUCKET", 400)
        yield


@pytest.fixture(scope="module")
def town_files(tmp_path_factory, small):
    folder = tmp_path_factory.mktemp("town") / "people"
    folder.mkdir()
    town()[:600].write_parquet(folder / "a.parquet")
    town()[600:].write_parquet(folder / "b.parquet")
    return folder


@pytest.fixture(scope="module")
def done(town_files):
    return protect_parts(ruled(town_files, town_files.parent))


def test_what_scenarios_rules_and_strata_ask_holds_in_the_written_file(done):
    frame = in_place(done.out)
    assert frame.group_by("age", "sex", "region").len()["len"].min() >= 3
    assert frame.group_by("income", "sex", "region").len()["len"].min() >= 4
    assert (frame["age"].cast(pl.Float64, strict=False).drop_nulls() >= 10).all()
    assert frame["region"].equals(town()["region"])
    assert "name" not in frame.columns
    assert frame["illness"].equals(town()["illness"])


def test_verify_counts_every_scenario_again(done):
    findings = {one.check: one for one in verify_parts(done.out).findings}
    assert findings["register"].holds
    assert findings["bank"].holds
    assert "records" in findings["bank"].text
    assert verify_parts(done.out).holds


@pytest.fixture
def whole(done, tmp_path):
    """What `measure` finds in the released records, put back in order."""
    in_place(done.out).write_parquet(tmp_path / "masked.parquet")
    town().write_parquet(tmp_path / "original.parquet")
    source = ruled(tmp_path / "original.parquet", tmp_path).source
    return measure_files(source, tmp_path / "masked.parquet", Measuring())


def test_the_loss_is_that_of_the_whole_file(done, whole):
    assert done.compared.loss == pytest.approx(whole.loss, abs=1e-6)


@pytest.mark.xfail(reason="linkage by ranks in chunks finds more than in a whole file with strata")
def test_reidentification_is_that_of_the_whole_file(done, whole):
    parts = {s.name: s.reidentification.percent for s in whole.assessment.scenarios}
    ours = {s.name: s.reidentification.percent for s in done.compared.assessment.scenarios}
    assert ours == pytest.approx(parts, abs=1e-6)


def test_the_record_has_the_search_and_all_records(done):
    record = decode_record((done.out / "record.json").read_bytes())
    assert record.chosen.loss == done.compared.loss
    assert record.input.records == 1_000
    assert {one.name for one in record.checked.scenarios} == {"register", "bank"}
    assert min(one.k for one in record.checked.scenarios) >= 3
    assert record.explanation is not None
    assert record.kept
    assert any("those of a sample" in note for note in record.notes)
    assert (done.out / "recipe.toml").read_text() == (
        done.out / "search" / "recipe.toml"
    ).read_text()


def test_the_search_is_a_run_like_any_other(done):
    names = {path.name for path in (done.out / "search").iterdir()}
    assert {"plan.toml", "journal.jsonl", "record.json", "front.parquet", "recipe.toml"} <= names


@pytest.mark.slow
@pytest.mark.parametrize("given", [{"workers": 2}, {"cluster": "local:2"}])
def test_the_same_records_from_workers_and_a_cluster(done, town_files, tmp_path, given):
    with open_evaluators(**given) as evaluators:
        protect_parts(ruled(town_files, tmp_path), evaluators=evaluators)
    assert in_place(tmp_path / "out").equals(in_place(done.out))


@pytest.mark.parametrize("step", ["apply", pytest.param("mask", marks=pytest.mark.slow)])
def test_stopped_work_goes_on_and_gives_the_same_records(done, town_files, tmp_path, step):
    def stop(name, finished, count):
        if name == step and finished >= 2:
            raise KeyboardInterrupt

    seen = []
    with pytest.raises(KeyboardInterrupt):
        protect_parts(ruled(town_files, tmp_path), told=stop)
    assert not (tmp_path / "out" / "done.json").exists()
    protect_parts(read_job(tmp_path / "out"), told=lambda *told: seen.append(told))
    assert next(finished for name, finished, _ in seen if name == step) > 0
    assert in_place(tmp_path / "out").equals(in_place(done.out))


def test_another_point_is_applied_without_a_new_search(people, tmp_path):
    out = tmp_path / "out"
    done = protect_parts(job(people, out, evaluations=12))
    others = [p for p in done.found.points.front if p.point != done.found.chosen.point]
    seen = []
    again = choose_in_parts(
        read_recipe_job(out), str(others[0].point), told=lambda *told: seen.append(told[0])
    )
    assert "search" not in seen
    assert again.found.chosen.point == others[0].point
    assert verify_parts(out).holds
    assert read_recipe_job(out).pick == str(others[0].point)
    with pytest.raises(ParameterError, match="no point 99"):
        choose_in_parts(read_recipe_job(out), "99")
    assert verify_parts(out).holds


def test_l_is_enforced_and_counted(people, tmp_path):
    done = protect_parts(job(people, tmp_path / "out", requirement=Requirement(4, 2)))
    classes = written(tmp_path / "out").group_by(MIXED)
    assert classes.len()["len"].min() == done.alike.least >= 4
    assert classes.agg(pl.col("illness").n_unique())["illness"].min() >= 2


REFUSED = [
    ({"requirement": Requirement(5, t=0.3)}, "t cannot be enforced chunk by chunk"),
    ({"requirement": Requirement(5, limits=(("k-map", 5.0),))}, "limits of the population risk"),
    ({"searches": ("partition",)}, "only recipes can be applied to chunks"),
]


@pytest.mark.parametrize(("more", "sentence"), REFUSED)
def test_what_chunks_cannot_have_is_one_sentence(people, tmp_path, more, sentence):
    with pytest.raises(ParameterError, match=sentence):
        protect_parts(job(people, tmp_path / "out", **more))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["levels", "method"])
def test_one_method_alone_refuses_edit_rules_and_strata(people, tmp_path, kind):
    schema, out = tmp_path / "schema.toml", tmp_path / "out"
    schema.write_text('[attributes.sex]\nrole = "stratum"\n')
    source = replace(job(people, out, ("income",)).source, schema=schema)
    begin = {
        "levels": lambda: generalize_parts(GeneralizeJob(source, out, Requirement(k=5))),
        "method": lambda: mask_parts(PartsJob(source, "mdav", out, {"k": "5"})),
    }[kind]
    with pytest.raises(SchemaError, match="does not keep strata apart"):
        begin()
    schema.write_text('[rules]\nedits = ["age >= 0"]\n')
    with pytest.raises(SchemaError, match="does not enforce edit rules"):
        begin()
    assert not out.exists()


def test_a_limit_that_only_the_sample_keeps_releases_nothing(people, tmp_path, monkeypatch):
    out, measured = tmp_path / "out", ChunkComparison.compared
    monkeypatch.setattr(ChunkComparison, "compared", lambda own: replace(measured(own), loss=99.0))
    with pytest.raises(UnmetError, match=r"on all records, but .* nothing was released"):
        protect_parts(job(people, out, bounds=Bounds(loss=90.0)))
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
    again = choose_in_parts(read_recipe_job(out), str(done.found.chosen.point))
    assert again.compared.loss == done.compared.loss


def test_there_is_nothing_to_choose_where_levels_are_the_best(people, tmp_path):
    from tests.outofcore.test_generalize import job as levels

    generalize_parts(levels(people, tmp_path / "levels"))
    with pytest.raises(RunError, match="generalized with the least loss"):
        read_recipe_job(tmp_path / "levels")
