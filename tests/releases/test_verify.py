"""`evomask verify` says whether a release is what it says, and staged releases are whole."""

import contextlib
import json
import shutil

import pytest

from evomask.errors import FileError, ParameterError, RunError
from evomask.report.record import Statement
from evomask.runs.protect import choose, protect_file
from evomask.runs.release import report_again
from evomask.runs.store import release as store_release
from evomask.runs.store import verify as verifying
from evomask.runs.store.release import PointId, write_manifest
from evomask.runs.store.run_folder import RunFolder
from evomask.runs.store.verify import verify
from tests.runs.test_protect import job_for, write_town

PARTS = (
    "findings.json", "front.parquet", "masked/town.csv", "plan.toml", "promise.json",
    "record-public.json", "record.json", "report-internal.html", "report-public.html",
)  # fmt: skip


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    parent = tmp_path_factory.mktemp("town")
    write_town(parent)
    return protect_file(job_for(parent, "run", evaluations=14, searches=("recipes",)))


@pytest.fixture
def folder(once, tmp_path):
    return shutil.copytree(once.folder, tmp_path / "run")


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "key"
    path.write_text("0123456789abcdef" * 2)
    path.chmod(0o600)
    return path


def failed(folder, key=None):
    return {found.check for found in verify(folder, key).findings if found.holds is False}


def test_a_fresh_release_is_what_it_says(folder):
    verdict = verify(folder)
    assert verdict.holds
    checks = ["log", "files", "journal", "file", "guarantees", "reports", "original", "signature"]
    assert [found.check for found in verdict.findings] == checks


def test_an_archive_that_cannot_be_written_to_is_checked_without_a_lock(folder, monkeypatch):
    (folder / ".lock").unlink()
    monkeypatch.setattr(verifying.os, "access", lambda *_: False)
    assert verify(folder).holds
    assert not (folder / ".lock").exists()
    (folder / store_release.COMMITTED).mkdir()
    with pytest.raises(RunError, match="so that it can be completed"):
        verify(folder)


def test_the_check_of_the_written_file_is_in_the_record(once):
    record = json.loads((once.folder / "record.json").read_bytes())
    assert record["checked"]["k"] >= record["required"]["k"] == 3
    assert record["checked"]["records"] == 80


def test_files_that_were_changed_are_named(folder):
    for name in PARTS:
        with (folder / name).open("ab") as file:
            file.write(b"\n")
    told = next(found for found in verify(folder).findings if found.check == "files")
    assert told.holds is False
    assert set(told.text.removeprefix("changed since the release: ").split(", ")) == set(PARTS)


def test_a_masked_file_that_breaks_the_guarantee_fails_even_with_a_new_hash(folder):
    path = folder / "masked" / "town.csv"
    lines = path.read_text().splitlines()
    lines[1] = "99,1999," + lines[1].split(",", 2)[2]
    path.write_text("\n".join(lines) + "\n")
    assert failed(folder) == {"files", "file", "guarantees"}


def test_reports_of_another_record_fail(once, folder):
    other = next(c for c in once.protection.front if c != once.chosen)
    page = (folder / "report-public.html").read_bytes()
    choose(folder, str(other.point))
    (folder / "report-public.html").write_bytes(page)
    assert failed(folder) == {"files", "reports"}


def test_a_log_whose_line_was_changed_fails(folder):
    report_again(folder, Statement(by="A Steward"))
    report_again(folder, Statement(by="Another"))
    lines = (folder / "log.jsonl").read_text().splitlines()
    assert [json.loads(line)["did"] for line in lines] == ["released", "reported", "reported"]
    (folder / "log.jsonl").write_text("\n".join([lines[0], lines[2]]) + "\n")
    assert failed(folder) == {"log"}
    lines[1] = lines[1].replace("reported", "released")
    (folder / "log.jsonl").write_text("\n".join(lines) + "\n")
    assert failed(folder) == {"log"}


def test_who_chose_and_reported_is_in_the_log(once, folder):
    choose(folder, str(once.protection.front[0].point))
    entry = json.loads((folder / "log.jsonl").read_text().splitlines()[-1])
    assert entry["did"] == "chose"
    assert entry["user"]
    assert entry["point"] == once.protection.front[0].point == 1


def test_another_original_fails(once, folder):
    path = once.folder.parent / "town.csv"
    content = path.read_bytes()
    try:
        path.write_bytes(content + b"x,1,1,a,flu\n")
        assert failed(folder) == {"original"}
    finally:
        path.write_bytes(content)


def test_a_signature_holds_with_its_key_alone(folder, key, tmp_path):
    report_again(folder, Statement(), key=key)
    assert verify(folder, key).holds
    other = tmp_path / "other"
    other.write_text("f" * 32)
    other.chmod(0o600)
    assert failed(folder, other) == {"signature"}
    report_again(folder, Statement())
    assert failed(folder, key) == {"signature"}


def test_rewriting_the_whole_log_does_not_help_without_the_key(folder, key):
    report_again(folder, Statement(), key=key)
    (folder / "masked" / "town.csv").write_bytes(b"age\n1\n")
    signature = (folder / "signature.json").read_bytes()
    (folder / "log.jsonl").unlink()
    with store_release.stage_release(folder) as stage:
        stage.write("masked/town.csv", b"age\n1\n")
        write_manifest(stage, folder, "released", PointId(1, 0))
    (folder / "signature.json").write_bytes(signature)
    assert "signature" in failed(folder, key)


def test_a_key_that_others_may_read_or_guess_is_refused(folder, key):
    key.chmod(0o644)
    with pytest.raises(ParameterError, match="others may read the key"):
        verify(folder, key)
    key.chmod(0o600)
    key.write_text("short")
    with pytest.raises(ParameterError, match="5 bytes and needs 16"):
        verify(folder, key)


def test_findings_that_somebody_changed_are_not_believed(once, folder):
    before = json.loads((folder / "findings.json").read_bytes())
    changed = {n: {**f, "audit": {**f["audit"], "k": 999}} for n, f in before.items()}
    (folder / "findings.json").write_text(json.dumps(changed))
    done = choose(folder)
    assert done.protection.findings[done.chosen.number].audit.k < 999
    assert any("findings.json was changed or removed" in note for note in done.protection.notes)


def test_findings_of_another_file_are_not_believed(once, folder):
    before = json.loads((folder / "findings.json").read_bytes())
    number = str(once.chosen.number)
    before[number] |= {"file": "0" * 64, "measures": {}}
    (folder / "findings.json").write_text(json.dumps(before))
    (folder / "log.jsonl").unlink()
    assert choose(folder).protection.findings[once.chosen.number].measures


def test_a_plan_that_somebody_changed_is_refused_unless_it_is_asked_for(folder):
    plan = (folder / "plan.toml").read_text()
    (folder / "plan.toml").write_text(plan.replace("k = 3", "k = 1"))
    before = snapshot(folder)
    with pytest.raises(
        RunError, match=r"plan\.toml is not as it was released; restore the old one"
    ):
        choose(folder)
    assert snapshot(folder) == before
    done = choose(folder, edited_plan=True)
    assert any("plan.toml was changed or removed" in note for note in done.protection.notes)
    assert "plan.toml was changed or removed" in (folder / "record.json").read_text()
    assert json.loads((folder / "log.jsonl").read_text().splitlines()[-1])["edited"]
    told = next(found for found in verify(folder).findings if found.check == "log")
    assert told.holds
    assert "plan.toml was edited by hand before line 2 and accepted" in told.text
    assert not any("plan.toml" in note for note in choose(folder).protection.notes)
    assert not json.loads((folder / "log.jsonl").read_text().splitlines()[-1])["edited"]


def test_reports_are_not_made_from_a_changed_record(folder):
    record = (folder / "record.json").read_text().replace('"profile": "strict"', '"profile": "x"')
    (folder / "record.json").write_text(record)
    with pytest.raises(RunError, match=r"record\.json was changed since the release"):
        report_again(folder, Statement())


def test_reporting_takes_the_lock(folder):
    with RunFolder(folder).locked(), pytest.raises(RunError, match="another process works on"):
        report_again(folder, Statement())


def test_private_files_are_for_their_owner_alone(once):
    names = {path for path in once.folder.rglob("*") if path.is_file()}
    open_to_others = {path.name for path in names if path.stat().st_mode & 0o077}
    assert open_to_others <= {"town.csv"}


def snapshot(folder):
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in (".lock", "journal.jsonl")
    }


class Killed(BaseException):
    """Stands for a kill: nothing that handles errors sees it."""


def killed_at(moment, work, monkeypatch):
    """Do *work* until so many calls have written, renamed or removed something."""
    steps = iter(range(1000))

    def counted(call):
        def step(*words, **named):
            if next(steps) == moment:
                patched.setattr(store_release.shutil, "rmtree", lambda *_, **__: None)
                raise Killed
            return call(*words, **named)

        return step

    with monkeypatch.context() as patched:
        patched.setattr(store_release, "sync", counted(store_release.sync))
        patched.setattr(store_release.shutil, "rmtree", counted(store_release.shutil.rmtree))
        for name in ("replace", "rename", "unlink", "write_bytes"):
            patched.setattr(store_release.Path, name, counted(getattr(store_release.Path, name)))
        with contextlib.suppress(Killed):
            work()
            return False
    return True


def test_killed_between_any_two_steps_the_old_or_the_new_files_are_there(tmp_path, monkeypatch):
    old = {"a": b"old", "b/c": b"old", "d": b"old"}
    new = {"a": b"new", "b/c": b"new"}
    seen, moment, killed = [], 0, True
    while killed:
        folder = tmp_path / str(moment)
        (folder / "b").mkdir(parents=True)
        for name, content in old.items():
            (folder / name).write_bytes(content)

        def work(folder=folder):
            with store_release.stage_release(folder) as stage:
                for name, content in new.items():
                    stage.write(name, content)
                stage.drop(["d"])

        killed = killed_at(moment, work, monkeypatch)
        store_release.complete_release(folder)
        seen.append({str(name): content for name, content in snapshot(folder).items()})
        moment += 1
    assert moment > 15
    assert seen[0] == old
    assert seen[-1] == new
    assert all(found in (old, new) for found in seen)


def test_a_release_that_was_decided_on_is_completed_by_whoever_comes_next(folder, monkeypatch):
    def work():
        report_again(folder, Statement(by="A Steward"))

    assert killed_at(21, work, monkeypatch)
    assert (folder / ".decided").is_dir()
    assert verify(folder).holds
    assert not (folder / ".decided").exists()
    assert json.loads((folder / "record.json").read_bytes())["statement"]["by"] == "A Steward"


@pytest.mark.parametrize("left", [(), ("masked",)])
def test_killed_while_it_tidies_up_the_new_release_stands(folder, left):
    before = snapshot(folder)
    (folder / store_release.COMMITTED).mkdir()
    for name in left:
        (folder / store_release.COMMITTED / name).mkdir()
    assert verify(folder).holds
    assert not (folder / store_release.COMMITTED).exists()
    assert snapshot(folder) == before


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'["../victim"]', b'["/etc/victim"]'])
def test_a_list_of_files_to_remove_that_somebody_wrote_removes_nothing(folder, content):
    victim = folder.parent / "victim"
    victim.write_text("mine")
    (folder / store_release.COMMITTED).mkdir()
    (folder / store_release.COMMITTED / store_release.REMOVED).write_bytes(content)
    with pytest.raises(FileError, match="was changed; remove"):
        verify(folder)
    assert victim.read_text() == "mine"


def test_a_log_that_names_a_device_is_not_read_from_there(folder):
    lines = (folder / "log.jsonl").read_text()
    (folder / "log.jsonl").write_text(lines.replace("plan.toml", "/dev/zero"))
    assert failed(folder) == {"files"}


def test_a_disk_that_is_full_leaves_the_old_release(folder, monkeypatch):
    before = snapshot(folder)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store_release, "sync", full)
    with pytest.raises(FileError, match="No space left on device; what was there stays"):
        report_again(folder, Statement(by="A Steward"))
    monkeypatch.undo()
    assert snapshot(folder) == before
