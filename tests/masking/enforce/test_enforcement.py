"""Edit rules in written files, with and without requirements."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evomask.data.classes import classes_of
from evomask.data.edits import rules_of
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.evolution.stopping import Budget
from evomask.io.tables import read_table
from evomask.masking.enforce.enforcement import Enforcement, broken_rules
from evomask.masking.enforce.requirement import Requirement
from evomask.masking.microaggregation.mdav import Mdav
from evomask.runs.inputs import Input, load
from evomask.runs.mask import MaskJob, mask_file
from evomask.runs.measure import Measuring, measure_files
from evomask.runs.search import perform
from evomask.runs.store.run_folder import make_plan

EDITS = ("total = wage + other", "start <= end")
NAMES = ("wage", "other", "total", "start", "end")


def people(n_records=60, seed=0, total=Role.QUASI_IDENTIFIER):
    rng = np.random.default_rng(seed)
    wage, other = rng.integers(0, 900, n_records), rng.integers(0, 90, n_records)
    start = rng.integers(1990, 2010, n_records)
    columns = (wage, other, wage + other, start, start + rng.integers(0, 9, n_records))
    schema = Schema(
        tuple(
            Attribute(
                name,
                Kind.CONTINUOUS,
                total if name == "total" else Role.QUASI_IDENTIFIER,
                decimals=0,
            )
            for name in NAMES
        ),
        EDITS,
    )
    return Table(schema, {n: c.astype(float) for n, c in zip(NAMES, columns, strict=True)})


@pytest.fixture
def survey(tmp_path):
    """A file with a schema that has rules."""
    table = people()
    pl.DataFrame({n: table[n].astype(int) for n in NAMES}).write_csv(tmp_path / "survey.csv")
    roles = "\n".join(f'[attributes.{n}]\nrole = "quasi-identifier"' for n in NAMES)
    rules = '[rules]\nedits = ["total = wage + other", "start <= end"]'
    (tmp_path / "survey.toml").write_text(f"{roles}\n{rules}\n", encoding="utf-8")
    return Input(tmp_path / "survey.csv", tmp_path / "survey.toml")


def obeys(path):
    found = pl.read_csv(path)
    equal = (found["total"] == found["wage"] + found["other"]).all()
    return equal and (found["start"] <= found["end"]).all()


@given(st.integers(0, 2**32), st.integers(2, 9))
@settings(max_examples=15, deadline=None)
def test_rules_and_k_hold_together(seed, k):
    original = people(seed=seed)
    masked = original.with_columns(
        {n: original[n] + np.random.default_rng(seed).normal(0, 40, 60) for n in NAMES}
    )
    released = Enforcement.of(original, Requirement(k))(masked)
    assert rules_of(original.schema).violations(released) == {}
    assert classes_of(released, NAMES).sizes.min() >= k


def test_rules_with_a_confidential_attribute_leave_k_alone():
    original = people(total=Role.CONFIDENTIAL)
    names = original.schema.quasi_identifiers
    masked = Mdav(names, 4).mask(original, np.random.default_rng(0))
    released = Enforcement.of(original, Requirement(4))(masked)
    assert rules_of(original.schema).violations(released) == {}
    assert classes_of(released, names).sizes.min() >= 4


def test_l_diversity_holds_with_edit_rules():
    original = people(total=Role.CONFIDENTIAL)
    names = original.schema.quasi_identifiers
    masked = Mdav(names, 3).mask(original, np.random.default_rng(0))
    released = Enforcement.of(original, Requirement(3, 3))(masked)
    classes = classes_of(released, names)
    distinct = [len(set(released["total"][classes.labels == c])) for c in range(len(classes))]
    assert min(distinct) >= 3


@pytest.mark.parametrize("method", ["mdav", "individual-ranking", "independent-noise"])
def test_a_masked_file_satisfies_the_edit_rules(survey, tmp_path, method):
    mask_file(MaskJob(survey, method, tmp_path / "masked.csv", seed=1))
    assert obeys(tmp_path / "masked.csv")


def test_changed_records_are_reported(survey, tmp_path):
    outcome = mask_file(MaskJob(survey, "independent-noise", tmp_path / "masked.csv", seed=1))
    assert any("records were changed to fulfil the edit rules" in note for note in outcome.notes)


def test_original_records_that_violate_a_rule_are_reported(survey, tmp_path):
    table = pl.read_csv(survey.path)
    first = pl.int_range(table.height) == 0
    table.with_columns(total=pl.col("total") + first).write_csv(survey.path)
    outcome = mask_file(MaskJob(survey, "mdav", tmp_path / "masked.csv", seed=1))
    assert "1 records of the original violate the rule total = wage + other" in outcome.notes


def test_the_file_of_a_search_satisfies_the_edit_rules(survey, toy, tmp_path):
    plan = make_plan(
        toy, survey, {}, seed=1, budget=Budget(generations=4), out=tmp_path / "masked.csv"
    )
    perform(plan)
    assert obeys(tmp_path / "masked.csv")


def test_invalid_rules_are_errors_when_data_are_loaded(survey):
    said = survey.schema.read_text(encoding="utf-8").replace("start <= end", "start <= stop")
    survey.schema.write_text(said, encoding="utf-8")
    with pytest.raises(SchemaError, match="names 'stop'"):
        load(survey)


def test_smaller_equivalence_classes_are_reported():
    original = people(total=Role.CONFIDENTIAL)
    before = original.with_columns({"start": np.full(60, 2000.0), "end": np.full(60, 2001.0)})
    before = before.with_columns(dict.fromkeys(("wage", "other"), np.zeros(60)))
    after = before.with_columns({"wage": np.arange(60.0)})
    notes = Enforcement.of(original).notes_on(before, after)
    assert (
        "enforcing the edit rules reduced the smallest equivalence class from 60 to 1 records"
        in notes
    )


def test_broken_rules_names_the_rules_that_a_masked_file_violates(survey, tmp_path):
    wrong = pl.col("end") - 100 * (pl.int_range(pl.len()) < 2)
    path = tmp_path / "masked.csv"
    pl.read_csv(survey.path).with_columns(end=wrong).drop("other").write_csv(path)
    assert broken_rules(load(survey).table, read_table(path)) == (
        "2 masked records violate the rule start <= end",
    )


def test_a_masked_file_without_violations_has_no_note(survey):
    outcome = measure_files(survey, survey.path, Measuring(("dbil",)))
    assert not [note for note in outcome.notes if "break" in note]
