import os
import stat

import pytest

from evomask.errors import FileError
from evomask.io.files import replace_file, write_atomically, write_text


def fail(file):
    file.write(b"half")
    raise OSError(28, "No space left on device")


@pytest.fixture
def synced(monkeypatch):
    """What was brought to the disk, in order."""
    kinds = []

    def sync(handle):
        kinds.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")

    monkeypatch.setattr(os, "fsync", sync)
    return kinds


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(FileError, match="could not be written: No space left on device"):
        replace_file(path, fail)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"old"


def test_a_write_that_is_interrupted_leaves_nothing_behind(tmp_path):
    def interrupted(file):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace_file(tmp_path / "file", interrupted)
    assert list(tmp_path.iterdir()) == []


def test_only_the_owner_may_read_a_file_of_a_run(tmp_path):
    replace_file(tmp_path / "file", lambda file: file.write(b"records"))
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600


def test_a_file_for_others_has_the_rights_of_any_new_file(tmp_path):
    (tmp_path / "usual").touch()
    write_text(tmp_path / "file", "text")
    rights = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("file", "usual")]
    assert rights[0] == rights[1]


@pytest.mark.skipif(os.name != "posix", reason="folders cannot be synced elsewhere")
def test_file_and_folder_are_on_the_disk_in_the_end(tmp_path, synced):
    replace_file(tmp_path / "file", lambda file: file.write(b"records"))
    assert synced == ["file", "folder"]


def test_a_file_that_exists_stays_unless_it_may_be_overwritten(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(FileError, match="exists; choose another name"):
        write_atomically(tmp_path / "file", lambda temporary: temporary.write_bytes(b"new"))
    assert (tmp_path / "file").read_bytes() == b"old"
