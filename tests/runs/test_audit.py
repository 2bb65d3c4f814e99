"""Audits of files."""

import numpy as np
import pytest

from evomask.data.recoding import identity_recoding
from evomask.errors import FileError, SchemaError
from evomask.io.tables import write_table
from evomask.measures.attacks.audit import audit
from evomask.runs.audit import audit_files
from evomask.runs.inputs import Input
from tests.measures.files import confidential, generalized, perturbed
from tests.tables import mixed

TABLE = mixed(60)
NAMES = TABLE.schema.quasi_identifiers
SCHEMA = """
[attributes.id]
role = "identifier"
[attributes.age]
kind = "continuous"
role = "quasi-identifier"
[attributes.income]
kind = "continuous"
role = "quasi-identifier"
[attributes.school]
kind = "ordinal"
role = "quasi-identifier"
categories = ["none", "basic", "middle", "high"]
[attributes.region]
kind = "nominal"
role = "quasi-identifier"
[attributes.illness]
kind = "nominal"
role = "confidential"
[attributes.weight]
kind = "continuous"
role = "weight"
"""


@pytest.fixture
def files(tmp_path):
    """A schema, the original, and a way to write a masked file."""
    schema, original = tmp_path / "schema.toml", tmp_path / "original.csv"
    schema.write_text(SCHEMA, encoding="utf-8")
    write_table(TABLE, original)
    text = original.read_text(encoding="utf-8").splitlines()
    numbered = [f"{line},{i}" for i, line in enumerate(text[1:])]
    original.write_text("\n".join([f"{text[0]},id", *numbered]) + "\n", encoding="utf-8")

    def written(masked):
        path = tmp_path / "masked.csv"
        write_table(masked, path, force=True)
        return Input(path, schema)

    return original, written


def attacks(found):
    return {finding.name: finding.success for finding in found.attacks}


def test_a_masked_file_is_audited_like_the_table_it_holds(files):
    original, written = files
    masked = perturbed(TABLE, NAMES)
    found = audit_files(written(masked), original)
    expected = audit(masked, TABLE)
    assert (found.k, found.l, found.t) == (expected.k, expected.l, expected.t)
    for name, success in attacks(expected).items():
        assert attacks(found)[name] == pytest.approx(success), name


def recoded():
    masked = generalized(TABLE, ("age", "income"))
    codes = np.where(np.arange(60) % 3, TABLE["school"], 4)
    return masked.with_recoded(
        "school", codes, identity_recoding(TABLE.attribute("school")).with_suppressed_cell()
    )


def test_a_recoded_file_is_audited_without_its_original(files):
    found = audit_files(files[1](recoded()))
    expected = audit(recoded())
    assert (found.k, found.uniques) == (expected.k, expected.uniques)
    assert found.record_risk.average == pytest.approx(expected.record_risk.average)


def test_a_confidential_attribute_keeps_its_order_while_it_can(files):
    source = files[1](TABLE)
    ordered = Input(source.path, source.schema, confidential=("school",))
    expected = audit(confidential(TABLE, "school")).confidential["school"].t
    assert audit_files(ordered).confidential["school"].t == pytest.approx(expected)


def test_a_suppressed_confidential_attribute_is_audited_too(files):
    source = files[1](recoded())
    both = Input(source.path, source.schema, confidential=("school",))
    assert audit_files(both).confidential["school"].l == 1


def test_columns_that_are_gone_are_named(files):
    masked = TABLE.only([n for n in TABLE.schema.names if n not in ("illness", "region")])
    found = audit_files(files[1](masked))
    assert "not in the file: region, illness" in found.notes
    assert found.l is None


def test_a_confidential_column_that_is_gone_is_not_attacked(files):
    original, written = files
    masked = TABLE.only([n for n in TABLE.schema.names if n != "illness"])
    found = audit_files(written(masked), original)
    assert "not in the file: illness" in found.notes
    assert "learned-illness" not in attacks(found)


def test_identifiers_in_a_masked_file_are_found(files):
    original, written = files
    everything = Input(original, written(TABLE).schema)
    found = audit_files(everything)
    assert "identifiers are in the file: id; remove them" in found.notes


def test_weights_make_the_file_a_sample(files):
    assert audit_files(files[1](TABLE)).record_risk.weight == "weight"


def test_a_named_column_that_is_gone_is_an_error(files):
    source = files[1](TABLE)
    with pytest.raises(SchemaError, match="no column 'shoe' in the data"):
        audit_files(Input(source.path, source.schema, ("shoe",)))


def test_a_file_that_is_not_there_is_an_error(files, tmp_path):
    with pytest.raises(FileError, match="there is no file"):
        audit_files(Input(tmp_path / "none.csv"))


WITH_HOMES = SCHEMA.replace('role = "identifier"', 'role = "household"')


def test_households_are_those_of_the_original(files, tmp_path):
    original, written = files
    source = written(TABLE)
    source.schema.write_text(WITH_HOMES, encoding="utf-8")
    found = audit_files(source, original)
    assert found.households.households == 60
    assert found.households.of_records == pytest.approx(found.record_risk.average)
    assert audit_files(source).households is None


def test_household_numbers_in_a_masked_file_are_noticed(files):
    original, written = files
    written(TABLE).schema.write_text(WITH_HOMES, encoding="utf-8")
    found = audit_files(Input(original, written(TABLE).schema))
    assert found.households.households == 60
    assert "id is in the file and identifies members of a household; remove it" in found.notes


def test_suppressed_cells_are_counted_with_and_without_the_original(files):
    original, written = files
    gaps = identity_recoding(TABLE.attribute("school")).with_suppressed_cell()
    masked = TABLE.with_recoded("school", np.where(np.arange(60) % 3, TABLE["school"], 4), gaps)
    assert audit_files(written(masked), original).suppressed == {"school": 20}
    assert audit_files(written(masked)).suppressed == {"school": 20}


def test_a_control_group_is_read_under_the_schema_of_the_original(files, tmp_path):
    original, written = files
    everybody = mixed(100)
    control = tmp_path / "control.csv"
    write_table(everybody.take(np.arange(60, 100)), control)
    text = control.read_text(encoding="utf-8").splitlines()
    column = text[0].split(",").index("region")
    cells = text[1].split(",")
    strange = ",".join([*cells[:column], "atlantis", *cells[column + 1 :]])
    control.write_text("\n".join([*text, strange]) + "\n", encoding="utf-8")
    masked = perturbed(TABLE, NAMES)
    found = audit_files(written(masked), original, control=control)
    by_name = {attack.name: attack for attack in found.attacks}
    assert by_name["membership"].control_people == 40
    assert by_name["learned-illness"].is_controlled
    assert any("that the original does not have: 1" in note for note in found.notes)


def test_several_masked_files_are_attacked_together(files, tmp_path):
    original, written = files
    second = tmp_path / "second.csv"
    write_table(TABLE, second)
    found = audit_files(written(perturbed(TABLE, NAMES)), original, others=(second,))
    together = found.attacks[-1]
    assert together.name == "several-releases"
    assert together.targets == 60
    assert together.gain >= 0
