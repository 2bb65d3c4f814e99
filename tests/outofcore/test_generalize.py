"""k-anonymity by counts: the optimum of the whole file, made part by part."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from evomask.data.frames import Declaration, table_from
from evomask.data.hierarchy import fit_hierarchy, flat_hierarchy
from evomask.data.hierarchy_builders import automatic_hierarchy, lines_of
from evomask.data.schema import Kind, Role
from evomask.errors import ParameterError, SchemaError
from evomask.masking.enforce.requirement import Requirement
from evomask.outofcore.generalize import GeneralizeJob, RecodeTask, generalize_parts
from evomask.outofcore.release import verify_parts
from evomask.report.record import decode_record
from evomask.runs.inputs import Input
from evomask.runs.measure import measure_files
from evomask.searches.generalization.lattice import lattice_of
from evomask.searches.generalization.optimum import optimum
from tests.outofcore.conftest import town, written

QUASI = ("age", "sex", "region")
K5 = Requirement(k=5)


def job(people, out, **more):
    source = Input(
        people, quasi_identifiers=QUASI, confidential=("illness",), identifiers=("name",),
        nominal=("sex",),
    )  # fmt: skip
    return GeneralizeJob(source, out, **({"requirement": K5, "suppression": 2.0} | more))


def order_of(out):
    return np.concatenate([np.load(path) for path in sorted((out / "order").iterdir())])


def test_every_class_of_the_written_parts_has_k_records(people, tmp_path):
    done = generalize_parts(job(people, tmp_path / "out"))
    frame = written(tmp_path / "out")
    classes = frame.to_pandas().groupby(list(QUASI)).size()
    assert classes.min() == done.alike.least >= 5
    assert len(frame) == 1_000 - done.suppressed
    assert done.suppressed <= 20
    assert "name" not in frame.columns


def test_the_levels_are_those_of_the_whole_file(people, tmp_path):
    done = generalize_parts(job(people, tmp_path / "out"))
    kinds = {"age": Kind.ORDINAL, "sex": Kind.NOMINAL, "region": Kind.ORDINAL}
    table = table_from(town().select(QUASI), {n: Declaration(kind) for n, kind in kinds.items()})
    distinct = table_from(
        town().select(QUASI).unique(), {n: Declaration(k) for n, k in kinds.items()}
    )
    trees = {
        name: fit_hierarchy(name, lines_of(automatic_hierarchy(distinct, name)), table)
        for name in QUASI
    }
    whole = optimum(lattice_of(table, trees), k=5, limit=20)
    assert tuple(done.levels.values()) == whole.levels
    assert done.loss == pytest.approx(100 * whole.loss)
    assert done.suppressed == whole.suppressed


def test_what_is_not_recoded_stays_as_it_was(people, tmp_path):
    generalize_parts(job(people, tmp_path / "out", suppression=0.0, keep_order=True))
    order = order_of(tmp_path / "out")
    assert sorted(order) == list(range(1_000))
    assert written(tmp_path / "out")["wealth"].equals(town()["wealth"][order])


@pytest.mark.parametrize("step", ["recode", "compare", "scatter", "mask"])
def test_work_that_was_stopped_goes_on_and_no_written_part_is_made_again(people, tmp_path, step):
    def stop(name, done, count):
        if name == step and done >= 2:
            raise KeyboardInterrupt

    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        generalize_parts(job(people, out), told=stop)
    assert not (out / "done.json").exists()
    before = {file.name: file.stat().st_mtime_ns for file in (out / "masked").iterdir()}
    assert bool(before) == (step == "mask")
    generalize_parts(job(people, out, seed=5))
    after = {file.name: file.stat().st_mtime_ns for file in (out / "masked").iterdir()}
    assert {name: after[name] for name in before} == before
    assert verify_parts(out).holds
    whole = generalize_parts(job(people, tmp_path / "whole"))
    names = sorted(whole.levels)
    ours, theirs = (written(folder).sort(*names, "income", "wealth") for folder in (out, whole.out))
    assert ours.equals(theirs)


def test_records_are_shuffled_over_the_whole_file_and_no_seed_tells_how(people, tmp_path):
    for name in ("one", "two"):
        generalize_parts(job(people, tmp_path / name, seed=3, keep_order=True))
    orders = [order_of(tmp_path / name) for name in ("one", "two")]
    assert len(orders[0]) == len(orders[1])
    assert not np.array_equal(*orders)
    for order in orders:
        assert abs(np.corrcoef(order, np.arange(len(order)))[0, 1]) < 0.15
        assert 0.3 < np.mean(order[: len(order) // 5] < 500) < 0.7
    assert not list((tmp_path / "one" / "work").glob("order*"))


def test_finished_work_is_never_mixed_from_two_orders(people, tmp_path):
    out = tmp_path / "out"
    generalize_parts(job(people, out, suppression=0.0))
    (out / "masked" / "part-000001.parquet").write_bytes(b"")
    generalize_parts(job(people, out, suppression=0.0))
    assert verify_parts(out).holds
    assert sorted(written(out)["income"]) == sorted(town()["income"])


@pytest.mark.parametrize("asked", [Requirement(k=3, l=3), Requirement(k=3, t=0.4)])
def test_l_and_t_hold_in_the_written_parts(people, tmp_path, asked):
    done = generalize_parts(job(people, tmp_path / "out", requirement=asked, suppression=10.0))
    frame = written(tmp_path / "out").to_pandas()
    classes = frame.groupby(list(QUASI))["illness"]
    assert classes.nunique().min() >= asked.l
    assert classes.size().min() >= 3
    whole = frame["illness"].value_counts(normalize=True)
    shares = classes.value_counts(normalize=True).unstack(fill_value=0.0)
    far = (shares - whole).abs().sum(axis=1).max() / 2
    assert far <= asked.t + 1e-9
    assert done.proven == (asked.t == 1)
    found = {finding.check: finding for finding in verify_parts(tmp_path / "out").findings}
    assert found["l, t of illness"].holds
    assert f"t = {far:.4f}" in found["l, t of illness"].text


def test_t_along_an_order_holds_in_the_written_parts(people, tmp_path):
    source = Input(
        people, quasi_identifiers=("sex", "region"), confidential=("age",), identifiers=("name",)
    )
    asked = Requirement(k=3, t=0.15)
    generalize_parts(GeneralizeJob(source, tmp_path / "out", asked, 10.0))
    frame = written(tmp_path / "out").to_pandas()
    values = np.sort(frame["age"].unique())
    whole = frame["age"].value_counts(normalize=True).reindex(values).to_numpy()
    for _, own in frame.groupby(["sex", "region"]):
        shares = own["age"].value_counts(normalize=True).reindex(values, fill_value=0).to_numpy()
        assert np.abs(np.cumsum(shares - whole)).sum() / (len(values) - 1) <= 0.15 + 1e-9


def test_the_least_loss_under_l_is_that_of_trying_every_node(people, tmp_path):
    asked = Requirement(k=3, l=3)
    done = generalize_parts(job(people, tmp_path / "out", requirement=asked, suppression=5.0))
    kinds = {"age": Kind.ORDINAL, "sex": Kind.NOMINAL, "region": Kind.ORDINAL}
    declared = {n: Declaration(kind) for n, kind in kinds.items()}
    declared["illness"] = Declaration(Kind.NOMINAL, Role.CONFIDENTIAL)
    table = table_from(town().select(list(declared)), declared)
    trees = {
        name: fit_hierarchy(name, lines_of(automatic_hierarchy(table, name)), table)
        for name in QUASI
    }
    lattice = lattice_of(table, trees, sensitive="illness")
    whole = optimum(lattice, k=3, limit=50, distinct=3)
    assert tuple(done.levels.values()) == whole.levels
    assert done.suppressed == whole.suppressed


def test_l_without_a_confidential_attribute_is_one_sentence(people, tmp_path):
    source = Input(people, quasi_identifiers=QUASI, identifiers=("name",))
    with pytest.raises(ParameterError, match="l and t require a confidential attribute"):
        generalize_parts(GeneralizeJob(source, tmp_path / "out", Requirement(k=3, l=2)))


def test_loss_and_risk_are_those_of_the_released_records(people, tmp_path):
    done = generalize_parts(job(people, tmp_path / "out", suppression=0.0, keep_order=True))
    frame = written(tmp_path / "out")
    back = frame[np.argsort(order_of(tmp_path / "out"))]
    town().write_parquet(tmp_path / "whole.parquet")
    back.write_parquet(tmp_path / "back.parquet")
    source = replace(job(people, tmp_path).source, path=tmp_path / "whole.parquet")
    expected = measure_files(source, tmp_path / "back.parquet")
    assert done.compared.loss == pytest.approx(expected.loss, abs=1e-9)
    assert done.compared.assessment.risk == pytest.approx(expected.assessment.risk, abs=1e-9)
    assert done.compared.original.risk == pytest.approx(expected.original.risk, abs=1e-9)


def test_both_reports_are_written_and_the_public_one_tells_no_risk(people, tmp_path):
    done = generalize_parts(job(people, tmp_path / "out"))
    internal, public = (
        (tmp_path / "out" / name).read_text() for name in
        ("report-internal.html", "report-public.html")
    )  # fmt: skip
    record = decode_record((tmp_path / "out" / "record.json").read_bytes())
    assert record.points.chosen.risk == done.compared.assessment.risk
    assert record.checked.k == record.after.k == done.alike.least
    assert record.before.k == town().group_by(QUASI).len()["len"].min()
    assert sum(cell.records for cell in record.after.cells) == done.alike.records
    assert f"{done.compared.assessment.risk:.1f}" in internal
    assert str(record.seed) not in public
    assert "illness" in public


def test_a_k_that_cannot_be_reached_is_one_sentence(people, tmp_path):
    with pytest.raises(ParameterError, match="k"):
        generalize_parts(job(people, tmp_path / "out", requirement=Requirement(k=2_000)))


def test_a_number_of_many_values_wants_a_hierarchy(people, tmp_path):
    source = Input(people, quasi_identifiers=("income",), identifiers=("name",))
    with pytest.raises(SchemaError, match="'income' has more than 256 distinct values"):
        generalize_parts(GeneralizeJob(source, tmp_path / "out", K5))


def test_records_of_wide_files_are_left_out_by_all_their_attributes(tmp_path):
    names, labels = [f"a{i}" for i in range(9)], tuple(f"v{i:03}" for i in range(256))
    columns = {name: ["v000"] * 3 for name in names} | {"a0": ["v000", "v001", "v255"]}
    kind = Declaration(Kind.NOMINAL, Role.QUASI_IDENTIFIER, labels)
    table = table_from(pl.DataFrame(columns), dict.fromkeys(names, kind))
    few = {name: np.zeros(1, dtype=np.int32) for name in names}
    trees = {name: flat_hierarchy(labels) for name in names}
    recoding = RecodeTask(None, {}, trees, (0,) * len(names), few, str(tmp_path))
    assert recoding._too_few(table).tolist() == [True, False, False]
