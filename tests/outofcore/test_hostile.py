"""Folders of parts that somebody damaged, and input that is not what it seems."""

import fcntl
import json
import shutil

import polars as pl
import pytest

from evomask.errors import EvomaskError, FileError, RunError
from evomask.masking.enforce.requirement import Requirement
from evomask.outofcore.generalize import GeneralizeJob, generalize_parts
from evomask.outofcore.mask import PartsJob, mask_parts
from evomask.outofcore.release import verify_parts
from evomask.runs.inputs import Input
from tests.outofcore.conftest import town, written

ROLES = {"quasi_identifiers": ("sex", "region"), "identifiers": ("name",)}
DAMAGED = [b"", b"{", b"[]", b"[1]", b"{}", b"\xff", b'{"names": 3, "settings": 1, "file": 3}',
           b'{"file": "/etc/passwd", "sha256": "x"}', b'{"file": 3, "sha256": "x"}',
           b'{"names": ["nobody"], "k": 1, "records": 1}']  # fmt: skip


REPORTS = ("report-internal.html", "report-public.html", "record.json", "record-public.json")


def job(people, out, **more):
    return GeneralizeJob(Input(people, **ROLES), out, Requirement(k=3), seed=1, **more)


@pytest.fixture
def done(people, tmp_path):
    generalize_parts(job(people, tmp_path / "done"))
    return tmp_path / "done"


def failed(folder, key=None):
    return {found.check for found in verify_parts(folder, key).findings if found.holds is False}


def holds(folder):
    """Whether it can be checked, and is as it should be."""
    try:
        return verify_parts(folder).holds
    except RunError:
        return False


@pytest.mark.parametrize("name", ["plan.json", "done.json", "work/mask-000000.json", "log.jsonl"])
def test_a_damaged_file_is_one_sentence_or_made_again(people, done, tmp_path, name):
    for number, content in enumerate(DAMAGED):
        folder = shutil.copytree(done, tmp_path / str(number))
        (folder / name).write_bytes(content)
        assert name.startswith("work") or not holds(folder)
        if name == "plan.json":
            with pytest.raises(
                RunError, match=r"plan\.json is damaged|holds a run on another file"
            ):
                generalize_parts(job(people, folder))
        elif name != "log.jsonl" and number % 5 == 0:
            generalize_parts(job(people, folder))
            assert verify_parts(folder).holds


def test_parts_that_were_changed_added_or_are_no_parquet_are_named(done):
    assert failed(done) == set()
    (done / "masked" / "part-000009.parquet").write_bytes(b"PAR1")
    assert failed(done) == {"parts", "records"}


def test_an_identifier_that_comes_back_is_named(done):
    path = done / "masked" / "part-000000.parquet"
    frame = pl.read_parquet(path)
    frame.with_columns(name=pl.lit("p")).write_parquet(path)
    assert {"parts", "identifiers"} <= failed(done)


def test_a_key_signs_the_log_of_parts(people, tmp_path):
    key = tmp_path / "key"
    key.write_text("0123456789abcdef" * 2)
    key.chmod(0o600)
    generalize_parts(job(people, tmp_path / "done", key=key))
    assert failed(tmp_path / "done", key) == set()
    key.write_text("f" * 32)
    assert failed(tmp_path / "done", key) == {"signature"}


def test_a_link_in_the_folder_is_not_followed(people, done, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (done / "journal.jsonl").unlink()
    (done / "journal.jsonl").symlink_to(victim)
    for work in (lambda: generalize_parts(job(people, done)), lambda: verify_parts(done)):
        with pytest.raises(RunError, match="is a link"):
            work()
    assert victim.read_text() == "mine"


def test_two_processes_do_not_work_in_one_folder(people, done):
    with (done / ".lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(RunError, match="another process works on"):
            generalize_parts(job(people, done))


def test_other_roles_are_other_work(people, done):
    other = Input(people, quasi_identifiers=("sex",), identifiers=("name", "age"))
    with pytest.raises(RunError, match="holds a run on another file or with other options"):
        generalize_parts(GeneralizeJob(other, done, Requirement(k=3), seed=1))


def test_what_is_refused_leaves_no_copy_of_the_data(tmp_path):
    town().write_csv(tmp_path / "town.csv")
    source = Input(tmp_path / "town.csv", quasi_identifiers=("sex",))
    with pytest.raises(EvomaskError, match="'name' looks like names of people"):
        generalize_parts(GeneralizeJob(source, tmp_path / "out", Requirement(k=3)))
    assert not (tmp_path / "out").exists()


def test_text_that_cannot_be_converted_is_told_without_its_values(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "1,2\n" * 110_000 + "secret,3\n")
    source = Input(path, quasi_identifiers=("a",))
    with pytest.raises(FileError, match=r"column 'a' of .* has values of different types") as told:
        generalize_parts(GeneralizeJob(source, tmp_path / "o", Requirement(k=3)))
    assert "secret" not in str(told.value)
    path.write_text("a,b\n1,2\n1,2,secret\n")
    with pytest.raises(FileError, match="the same number of fields in every record") as told:
        generalize_parts(GeneralizeJob(source, tmp_path / "o", Requirement(k=3)))
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    ("method", "options"), [("mdav", {"k": "3"}), ("independent-noise", {"percent": "30"})]
)
def test_masked_parts_have_no_more_decimals_than_the_file(people, tmp_path, method, options):
    source = Input(people, quasi_identifiers=("income", "wealth"), identifiers=("name",))
    mask_parts(PartsJob(source, method, tmp_path / "out", options, seed=1))
    found = written(tmp_path / "out")
    assert (found["income"] == found["income"].round(1)).all()
    assert (found["wealth"].drop_nulls() == found["wealth"].drop_nulls().round(0)).all()
    assert found["wealth"].dtype == pl.Float64


def test_the_log_names_every_part(done):
    entry = json.loads((done / "log.jsonl").read_text().splitlines()[-1])
    parts = {f"masked/{path.name}" for path in (done / "masked").iterdir()}
    assert set(entry["files"]) == parts | {"plan.json", "done.json", *REPORTS}


@pytest.mark.parametrize("name", ["__count", "__suppressed", "__row", "__value"])
def test_a_column_that_has_a_name_of_ours_is_refused(people, tmp_path, name):
    path = tmp_path / "named.parquet"
    town().with_columns(pl.lit("no").alias(name)).write_parquet(path)
    with pytest.raises(EvomaskError, match=f"the column name {name} is reserved"):
        generalize_parts(job(path, tmp_path / "out"))
    assert not (tmp_path / "out" / "masked").exists()


def test_what_a_killed_writer_left_among_the_parts_is_gone_when_the_work_goes_on(people, tmp_path):
    out = tmp_path / "out"
    generalize_parts(job(people, out))
    (out / "done.json").unlink()
    left = out / "masked" / ".part-000001.parquet.abc_d123"
    left.write_bytes(b"half of a part")
    generalize_parts(job(people, out))
    assert not left.exists()
    assert verify_parts(out).holds
