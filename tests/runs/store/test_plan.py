import hashlib
from pathlib import Path

import msgspec
import pytest

from evomask.errors import ParameterError, RunError
from evomask.evolution.stopping import Budget
from evomask.runs.inputs import Input
from evomask.runs.store.run_folder import (
    changed_versions,
    check_input,
    decode_plan,
    encode_plan,
    make_plan,
    search_parameters,
)


def test_a_plan_written_and_read_is_the_same(plan_of):
    plan = plan_of(levels="5", out=Path("masked.csv"))
    assert decode_plan(encode_plan(plan)) == plan


def test_all_parameters_are_written_down_also_the_defaults(plan_of):
    assert plan_of(levels="5").parameters == {"levels": 5, "population": 8, "pause": 0.0}


def test_parameters_come_back_as_the_search_wants_them(plan_of, toy):
    assert search_parameters(plan_of(levels="5"), toy) == toy.parameters(levels=5)


def test_paths_are_absolute(plan_of):
    plan = plan_of(out=Path("masked.csv"))
    assert plan.input.path.is_absolute()
    assert plan.out == Path.cwd() / "masked.csv"


def test_the_data_are_named_by_their_hash(plan_of, people):
    assert plan_of().sha256 == {"data": hashlib.sha256(people.read_bytes()).hexdigest()}


def test_a_schema_is_named_by_its_hash_too(toy, people, tmp_path):
    schema = tmp_path / "schema.toml"
    schema.write_text('[attributes.age]\nrole = "quasi-identifier"\n', encoding="utf-8")
    plan = make_plan(toy, Input(people, schema), {}, seed=1)
    assert plan.sha256["schema"] == hashlib.sha256(schema.read_bytes()).hexdigest()


def test_other_records_than_at_the_start_are_refused(plan_of, people):
    plan = plan_of()
    people.write_text(people.read_text(encoding="utf-8") + "30,1000,n\n", encoding="utf-8")
    with pytest.raises(RunError, match="data file has changed"):
        check_input(plan)


def test_a_file_that_is_gone_is_an_error_naming_it(plan_of, people):
    plan = plan_of()
    people.unlink()
    with pytest.raises(RunError, match=r"people\.csv cannot be read"):
        check_input(plan)


def test_the_searchs_own_budget_is_the_default(toy, people):
    assert make_plan(toy, Input(people), {}, seed=1).budget == Budget(generations=50)


def test_a_misspelt_parameter_is_refused(plan_of):
    with pytest.raises(ParameterError, match="toy has no option 'level'"):
        plan_of(level="5")


def test_a_parameter_the_search_refuses_is_refused_at_once(plan_of):
    with pytest.raises(ParameterError, match="levels must be at least 1"):
        plan_of(levels="0")


def test_a_plan_with_a_misspelt_key_is_refused(plan_of):
    text = encode_plan(plan_of()).replace(b"seed =", b"sede =")
    with pytest.raises(RunError, match="sede"):
        decode_plan(text)


def test_a_plan_of_another_format_is_refused(plan_of):
    text = encode_plan(msgspec.structs.replace(plan_of(), format=2))
    with pytest.raises(RunError, match="format 2, this version reads 1"):
        decode_plan(text)


def test_parameters_of_the_wrong_type_are_refused(plan_of, toy):
    plan = msgspec.structs.replace(plan_of(), parameters={"levels": "many"})
    with pytest.raises(ParameterError, match="does not fit toy"):
        search_parameters(plan, toy)


def test_another_version_of_a_library_is_noted(plan_of):
    plan = plan_of()
    older = msgspec.structs.replace(plan, versions={**plan.versions, "numpy": "1.0"})
    assert changed_versions(plan) == ()
    assert "numpy 1.0" in changed_versions(older)[0]


@pytest.mark.parametrize("wrong", [{}, {"generations": -1}, {"evaluations": 0}, {"seconds": -1.0}])
def test_a_budget_needs_a_sensible_limit(wrong):
    with pytest.raises(ParameterError):
        Budget(**wrong)
