"""Nothing that lies about is run: the current folder, and caches that others can write to."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from evomask.kernels.compiler import cache, precompile

TAKEN = ("numba", "pickle", "json", "numpy", "csv", "threading")
WORK = """
import os, sys
from evomask.execution.local import Local

def work(task, serial):
    return task + serial

if __name__ == "__main__":
    sys.path.insert(0, "")
    os.chdir(sys.argv[1])
    with Local(2)(work) as evaluator:
        print(evaluator([1, 2, 3], 10))
    print("" in sys.path, "PYTHONSAFEPATH" in os.environ)
"""


@pytest.fixture
def trap(tmp_path):
    """A folder with modules that leave a trace when they are run."""
    folder = tmp_path / "trap"
    folder.mkdir()
    for name in TAKEN:
        path = tmp_path / "sprung"
        (folder / f"{name}.py").write_text(f"open({str(path)!r}, 'a').write('{name} ')\n")
    return folder


def sprung(trap):
    path = trap.parent / "sprung"
    return path.read_text() if path.exists() else ""


def without_safe_path():
    return {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}


def test_workers_run_no_module_of_the_current_folder(trap, tmp_path):
    (tmp_path / "work.py").write_text(WORK)
    answer = subprocess.run(
        [sys.executable, tmp_path / "work.py", trap],
        env=without_safe_path(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert answer.stdout.split("\n")[:2] == ["[11, 13, 15]", "True False"]
    assert sprung(trap) == ""


def test_processes_that_compile_run_no_module_of_the_current_folder(trap, monkeypatch):
    monkeypatch.chdir(trap)
    monkeypatch.syspath_prepend("")
    process = precompile._start_process(())
    assert process.communicate("no.such.module\n", timeout=60)[0] == "failed\n"
    assert sprung(trap) == ""


def test_the_module_run_as_a_command_runs_none_either(trap):
    answer = subprocess.run(
        [sys.executable, "-m", "evomask", "measure", "--explain", "dbil"],
        cwd=trap, env=without_safe_path(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert answer.stdout.startswith("dbil")
    assert sprung(trap) == ""


@pytest.fixture
def own_homes(tmp_path, monkeypatch):
    """Homes for kernels below a folder of the test alone."""
    monkeypatch.delenv("EVOMASK_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(cache.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(cache.tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_kernels_are_kept_in_a_folder_of_the_user_alone(own_homes):
    folder = cache.cache_folder()
    assert folder == own_homes / "cache" / "evomask" / "kernels"
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o770, 0o777, 0o702])
def test_a_cache_that_others_can_write_to_is_not_used(own_homes, mode):
    cache.cache_folder().chmod(mode)
    with pytest.warns(UserWarning, match="are not used, because another user owns that folder"):
        assert cache.cache_folder() == own_homes / f"evomask-{os.getuid()}" / "kernels"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_a_cache_of_another_user_is_not_used_and_the_last_resort_goes_with_the_run(own_homes):
    os.chown(cache.cache_folder(), 12345, 12345)
    (own_homes / f"evomask-{os.getuid()}" / "kernels").mkdir(parents=True)
    os.chown(own_homes / f"evomask-{os.getuid()}" / "kernels", 12345, 12345)
    code = "import os; from evomask.kernels.compiler.cache import cache_folder; "
    code += "print(cache_folder(), os.environ['EVOMASK_CACHE'])"
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**os.environ, "TMPDIR": str(own_homes)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    folder, home = map(Path, answer.stdout.split())
    assert folder.parent == home
    assert home.parent == own_homes
    assert not home.exists()


def test_a_cache_that_is_named_and_that_others_can_write_to_is_not_used(own_homes, monkeypatch):
    (own_homes / "named" / "kernels").mkdir(parents=True)
    (own_homes / "named" / "kernels").chmod(0o777)
    monkeypatch.setenv("EVOMASK_CACHE", str(own_homes / "named"))
    with pytest.warns(UserWarning, match="named"):
        assert cache.cache_folder() == own_homes / "cache" / "evomask" / "kernels"


@pytest.mark.parametrize("told", ["", "relative/folder"])
def test_a_cache_home_that_says_nothing_is_as_if_it_were_not_there(own_homes, monkeypatch, told):
    monkeypatch.setenv("XDG_CACHE_HOME", told)
    monkeypatch.setenv("HOME", str(own_homes))
    monkeypatch.chdir(own_homes)
    assert cache.cache_folder() == own_homes / ".cache" / "evomask" / "kernels"


def test_a_user_whom_no_list_knows_has_a_cache(own_homes, monkeypatch):
    def nobody():
        raise RuntimeError("could not determine home directory")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(cache.Path, "home", nobody)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache.cache_folder() == own_homes / f"evomask-{os.getuid()}" / "kernels"


def a_kernel(folder, content=b"no kernel"):
    file = cache.KernelFile("a", folder)
    file.path.write_bytes(content)
    file.path.chmod(0o644)
    return file


def test_a_kernel_that_others_can_write_to_is_not_read(tmp_path):
    assert a_kernel(tmp_path)._bytes() == b"no kernel"
    a_kernel(tmp_path).path.chmod(0o666)
    assert cache.KernelFile("a", tmp_path)._bytes() is None


def test_a_kernel_behind_a_link_is_not_read(tmp_path):
    (tmp_path / "b.kernel").symlink_to(a_kernel(tmp_path).path)
    assert cache.KernelFile("b", tmp_path)._bytes() is None


@pytest.mark.parametrize("content", [b"", b"no kernel", b"\x80\x04N.", b"\x80\x05."])
def test_a_damaged_kernel_is_compiled_again(tmp_path, content):
    class Context:
        def refresh(self):
            pass

    assert a_kernel(tmp_path, content).load_overload(None, Context()) is None
