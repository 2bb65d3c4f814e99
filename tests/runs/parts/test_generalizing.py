"""k-anonymity by counts: the optimum of the whole file, made part by part."""

import pytest

from evomask.data.frames import Declaration, table_from
from evomask.data.hierarchy import fitted
from evomask.data.schema import Kind
from evomask.data.trees.making import lines_of, suiting
from evomask.errors import ParameterError, SchemaError
from evomask.runs.inputs import Input
from evomask.runs.parts.generalizing import GeneralizeJob, generalize_parts
from evomask.searches.generalization.lattice import lattice_of
from evomask.searches.generalization.optimum import optimum
from tests.runs.parts.conftest import bytes_of, town, written

QUASI = ("age", "sex", "region")


def job(people, out, **more):
    source = Input(people, quasi_identifiers=QUASI, identifiers=("name",), nominal=("sex",))
    return GeneralizeJob(source, out, **({"k": 5, "suppression": 2.0} | more))


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
    trees = {name: fitted(name, lines_of(suiting(distinct, name)), table) for name in QUASI}
    whole = optimum(lattice_of(table, trees), k=5, limit=20)
    assert tuple(done.levels.values()) == whole.levels
    assert done.loss == pytest.approx(100 * whole.loss)
    assert done.suppressed == whole.suppressed


def test_what_is_not_recoded_stays_as_it_was(people, tmp_path):
    generalize_parts(job(people, tmp_path / "out", suppression=0.0))
    assert written(tmp_path / "out")["wealth"].equals(town()["wealth"])


def test_the_same_bytes_after_a_stop(people, tmp_path):
    generalize_parts(job(people, tmp_path / "whole"))

    def stop(step, done, count):
        if step == "mask" and done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generalize_parts(job(people, tmp_path / "out"), told=stop)
    generalize_parts(job(people, tmp_path / "out"))
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "whole")


def test_a_k_that_cannot_be_reached_is_one_sentence(people, tmp_path):
    with pytest.raises(ParameterError, match="k"):
        generalize_parts(job(people, tmp_path / "out", k=2_000))


def test_a_number_of_many_values_wants_a_hierarchy(people, tmp_path):
    source = Input(people, quasi_identifiers=("income",), identifiers=("name",))
    with pytest.raises(SchemaError, match="'income' has more than 256 different values"):
        generalize_parts(GeneralizeJob(source, tmp_path / "out", 5))
