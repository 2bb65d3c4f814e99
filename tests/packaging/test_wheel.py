"""The package as others get it: built, installed into a new environment, README followed."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.test_docs import ROOT, blocks

pytestmark = pytest.mark.slow

LONGEST = 900.0


def pip(python, *words):
    """Run pip; where packages cannot be had the test says nothing."""
    done = subprocess.run(
        [python, "-m", "pip", "--disable-pip-version-check", *map(str, words)],
        capture_output=True, text=True, timeout=LONGEST, check=False,
    )  # fmt: skip
    if done.returncode and ("ConnectionError" in done.stderr or "No matching" in done.stderr):
        pytest.skip("the packages that evomask needs cannot be fetched here")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from the sources in a folder where no other build lies."""
    folder = tmp_path_factory.mktemp("wheel")
    pip(sys.executable, "wheel", ROOT, "--no-deps", "--wheel-dir", folder)
    (built,) = folder.glob("evomask-*.whl")
    return built


@pytest.fixture(scope="module")
def programs(wheel, tmp_path_factory):
    """Where the programs of a new environment lie that holds the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder, with_pip=True)
    found = folder / ("Scripts" if os.name == "nt" else "bin")
    pip(found / "python", "install", wheel)
    return found


@pytest.fixture
def clean(programs, tmp_path):
    """Run a program of the new environment in an empty folder, with nothing of ours in sight."""

    def run(*words, text=None):
        around = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL"))}
        path = os.pathsep.join([str(programs), os.environ["PATH"]])
        return subprocess.run(
            words, input=text, cwd=tmp_path, env={**around, "PATH": path}, capture_output=True,
            text=True, timeout=LONGEST, check=False,
        )  # fmt: skip

    return run


def test_the_wheel_holds_sources_templates_and_licence_but_no_tests(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.endswith("report/templates/internal.html") for name in names)
    assert any(name.endswith("web/static/map.js") for name in names)
    assert any(Path(name).name == "LICENSE" for name in names)
    assert not any(name.startswith(("tests/", "benchmarks/")) for name in names)


def test_the_command_is_on_the_path_and_is_the_one_installed(clean, programs):
    assert clean("evomask", "--version").stdout.startswith("evomask ")
    place = clean("python", "-c", "import evomask; print(evomask.__file__)").stdout
    assert str(programs.parent) in place


def test_the_shell_lines_of_the_readme_run(clean):
    (lines,) = blocks(ROOT / "README.md", "sh")
    done = clean("sh", "-e", text=lines)
    assert done.returncode == 0, done.stderr


def test_the_python_lines_of_the_readme_run(clean):
    for block in blocks(ROOT / "README.md", "python"):
        done = clean("python", "-", text=block)
        assert done.returncode == 0, done.stderr
