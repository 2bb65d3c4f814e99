"""Audits of files in parts: models as of the whole file, attacks on people of all parts."""

from dataclasses import replace

import pytest

from evomask.errors import FileError
from evomask.outofcore.generalize import generalize_parts
from evomask.outofcore.mask import PartsJob, mask_parts
from evomask.outofcore.measure import AuditPartsJob, audit_parts
from evomask.runs.audit import audit_files
from evomask.runs.inputs import Input
from tests.outofcore.conftest import town, written
from tests.outofcore.test_generalize import job as generalizing

QUASI = ("age", "income")


def source(path):
    return Input(
        path, quasi_identifiers=QUASI, confidential=("illness",), identifiers=("name",),
        nominal=("sex", "illness"),
    )  # fmt: skip


@pytest.fixture
def masked(people, tmp_path):
    mask_parts(PartsJob(source(people), "mdav", tmp_path / "masked", {"k": "4"}, QUASI, 1))
    return tmp_path / "masked"


@pytest.fixture
def whole(masked, tmp_path):
    written(masked).write_parquet(tmp_path / "masked.parquet")
    town().write_parquet(tmp_path / "original.parquet")
    return audit_files(source(tmp_path / "masked.parquet"), tmp_path / "original.parquet")


def test_models_and_attacks_are_those_of_the_whole_file(masked, whole, people):
    found = audit_parts(AuditPartsJob(source(masked), people))
    assert (found.records, found.k, found.uniques) == (1_000, whole.k, whole.uniques)
    own, other = found.confidential["illness"], whole.confidential["illness"]
    assert own.l == other.l
    assert own.l_entropy == pytest.approx(other.l_entropy)
    assert own.t == pytest.approx(other.t)
    assert found.record_risk.cells == whole.record_risk.cells
    assert found.record_risk.average == pytest.approx(whole.record_risk.average)
    assert found.record_risk.expected == pytest.approx(whole.record_risk.expected)
    # the sample is everything here, so attacks on it are attacks on the file
    by_name = {finding.name: finding for finding in found.attacks}
    for attack in whole.attacks:
        assert by_name[attack.name].success == pytest.approx(attack.success)
    assert {"reidentification", "attribute_disclosure", "confidential"} <= by_name.keys()
    assert by_name["reidentification"].success <= by_name["reidentification"].unmasked
    assert any("1,000 people against all records" in note for note in found.notes)


def test_without_the_original_nothing_is_attacked(masked):
    found = audit_parts(AuditPartsJob(source(masked)))
    assert found.k >= 4
    assert found.attacks == ()


def test_a_shuffled_release_is_audited_by_its_models_alone(people, tmp_path):
    done = generalize_parts(generalizing(people, tmp_path / "out"))
    own = replace(generalizing(people, tmp_path).source, path=tmp_path / "out")
    found = audit_parts(AuditPartsJob(own, people))
    alone = audit_parts(AuditPartsJob(own))
    assert alone.confidential == found.confidential
    assert alone.record_risk == found.record_risk
    assert found.k == alone.k == done.alike.least
    assert found.records == done.alike.records
    assert found.attacks == ()
    assert any("were shuffled" in note for note in found.notes)


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(FileError, match="there is no file"):
        audit_parts(AuditPartsJob(source(tmp_path / "nothing")))
