"""Locks, processes and replacement of files on POSIX and, simulated, on Windows and macOS."""

import errno
import fcntl
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from evomask import system
from evomask.io import files
from evomask.kernels.compiler import cache
from evomask.runs.store import run_folder
from evomask.web import processes


class Msvcrt:
    """Locks of single bytes as on Windows: of one open file, refused at once, gone with it."""

    LK_NBLCK = 2

    def locking(self, handle, mode, count):
        assert (mode, count) == (self.LK_NBLCK, 1)
        assert os.lseek(handle, 0, os.SEEK_CUR) == system.FAR_BYTE
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PermissionError(errno.EACCES, "Permission denied") from None


class SimulatedWindows(system.Windows):
    """Starts processes as Windows does, without the flags that only Windows knows."""

    def __init__(self):
        self.naps = []
        super().__init__(Msvcrt(), self.naps.append)


@pytest.fixture(params=[system.Posix, SimulatedWindows])
def machine(request, monkeypatch):
    if request.param is SimulatedWindows:
        monkeypatch.setattr(system, "NEW_GROUP", 0)
        monkeypatch.setattr(system, "NO_WINDOW", 0)
    made = request.param()
    for module in (system, files, cache, run_folder, processes):
        monkeypatch.setattr(module, "SYSTEM", made)
    return made


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "lock"
    path.write_bytes(b"content")
    return path


def test_only_one_open_file_has_the_lock_until_it_is_closed(machine, file):
    first, second = (os.open(file, os.O_RDWR) for _ in range(2))
    assert machine.lock(first)
    assert not machine.lock(second)
    assert system.is_locked(file)
    assert os.read(second, 7) == b"content"
    os.close(first)
    assert machine.lock(second)
    os.close(second)
    assert not system.is_locked(file)


def test_a_missing_file_and_a_link_are_not_locked(machine, tmp_path, file):
    (tmp_path / "link").symlink_to(file)
    assert not system.is_locked(tmp_path / "none")
    assert not system.is_locked(tmp_path / "link")


def test_windows_waits_for_a_lock(file, monkeypatch):
    holder, waiting = (os.open(file, os.O_RDWR) for _ in range(2))
    windows = SimulatedWindows()
    assert windows.lock(holder)
    monkeypatch.setattr(windows, "_sleep", lambda _: os.close(holder))
    assert windows.lock(waiting, wait=True)
    os.close(waiting)


HOLD = "from evomask.system import hold_lifetime_lock as hold; hold(); print('up', flush=True); "


def start(machine, file, script):
    words = [sys.executable, "-c", HOLD + script]
    with file.with_name("out").open("wb") as out:
        return machine.start(words, dict(os.environ), file, out.fileno(), out.fileno())


def wait_until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_started_process_holds_its_lock_until_it_is_asked_to_end(machine, file):
    child = start(machine, file, "import time; time.sleep(60)")
    wait_until(lambda: b"up" in file.with_name("out").read_bytes())
    assert system.is_locked(file)
    machine.end(child.pid)
    assert child.wait(10) == -signal.SIGTERM
    assert not system.is_locked(file)
    machine.end(child.pid)  # it is gone, which is no error


def test_a_started_process_ignores_the_interrupts_of_its_parent(file):
    child = start(system.Posix(), file, "import os; print(os.getsid(0) == os.getpid())")
    assert child.wait(30) == 0
    assert b"True" in file.with_name("out").read_bytes()


def test_a_killed_process_leaves_no_lock(machine, file):
    child = start(machine, file, "import time; time.sleep(60)")
    wait_until(lambda: system.is_locked(file))
    child.kill()
    child.wait()
    assert not system.is_locked(file)


def test_a_file_that_is_being_read_on_windows_is_replaced_once_it_is_closed(monkeypatch, file):
    windows, source = SimulatedWindows(), file.with_name("new")
    source.write_bytes(b"new")
    refusals, replace = [PermissionError, PermissionError], Path.replace

    def refuse(path, target):
        if refusals:
            raise refusals.pop()
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", refuse)
    windows.replace(source, file)
    assert file.read_bytes() == b"new"
    assert windows.naps == list(system.REPLACEMENT_WAITS[:2])


def test_a_file_that_stays_open_on_windows_is_a_sentence_and_stays_as_it_was(
    monkeypatch, machine, file
):
    def refuse(path, target):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(files.FileError, match="could not be written: Permission denied"):
        files.replace_text(file, "new")
    assert file.read_bytes() == b"content"
    assert [path.name for path in file.parent.iterdir()] == ["lock"]


def test_files_are_private_and_complete_on_both(machine, file):
    files.replace_text(file, "new")
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_cache_folder_is_where_each_system_has_it(monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ada"))
    assert system.Posix().cache_folder() == Path("/home/ada/.cache/evomask")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert system.Posix().cache_folder() == Path("/home/ada/Library/Caches/evomask")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert system.Posix().cache_folder() == Path("/caches/evomask")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    assert SimulatedWindows().cache_folder() == Path("/home/ada/AppData/Local/evomask/Cache")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    assert SimulatedWindows().cache_folder() == Path("/local/evomask/Cache")


def test_files_of_others_are_not_judged_by_modes_on_windows(monkeypatch, file):
    file.chmod(0o666)
    assert not cache.is_trusted(file.stat())
    monkeypatch.setattr(os, "name", "nt")
    assert cache.is_trusted(file.stat())


def test_the_queue_of_the_web_app_starts_ends_and_sees_runs(machine, tmp_path, monkeypatch):
    queue = processes.RunQueue(tmp_path, at_once=1)
    words = (sys.executable, "-c", HOLD + "import time; time.sleep(60)")
    monkeypatch.setattr(processes, "child_environment", lambda: dict(os.environ))
    for name in ("first", "second"):
        queue.add(name, processes.QueuedRun("", name, {}, words, float(name == "second")))
    queue.start_waiting()
    queue.start_waiting()
    assert queue.is_alive("first")
    assert queue.waiting() == ["second"]
    wait_until(lambda: system.is_locked(tmp_path / "first" / processes.ALIVE))
    other = processes.RunQueue(tmp_path, at_once=1)  # after a restart of the server
    assert other.is_alive("first")
    other.cancel("first")
    wait_until(lambda: not (other.is_alive("first") or queue.is_alive("first")))
    queue.cancel("second")
    assert queue.waiting() == []
