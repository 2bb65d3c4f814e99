"""Shell completion of commands, options and columns."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evomask.cli.terminal.options import header_of

HEADERS = {"plain.csv": "age,sex,income", "marks.csv": "age;sex;income", "tabs.tsv": "age\tsex"}


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text('age,sex,"full name",income\n30,f,"N. N.",1\n')
    return path


def offered(folder, *words):
    """What fish would offer for the last of the words."""
    done = subprocess.run(
        [sys.executable, "-m", "evomask"], cwd=folder, capture_output=True, text=True, check=True,
        env={
            **os.environ, "_EVOMASK_COMPLETE": "complete_fish",
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
            "_TYPER_COMPLETE_ARGS": " ".join(["evomask", *words]),
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
    )  # fmt: skip
    return [line.split("\t")[0] for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("prot",), ["protect"]),
        (("search", "par"), ["partition"]),
        (("completion", ""), ["bash", "zsh", "fish"]),
        (("protect", "--max-r"), ["--max-risk"]),
        (("choose", "release", "--point", "k"), ["knee"]),
        (("mask", "x.csv", "--method", "rank"), ["rank-swapping"]),
        (("protect", "x.csv", "--searches", "recipes,par"), ["recipes,partition"]),
        (("protect", "--out", ""), []),
    ],
)
def test_the_last_word_is_completed(tmp_path, words, expected):
    assert offered(tmp_path, *words) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--quasi", "a"), ["age"]),
        (("--quasi", "age,i"), ["age,income"]),
        (("--quasi", "age,sex,"), ["age,sex,full name", "age,sex,income"]),
        (("--quasi", "age", "--json", "--drop", "full"), ["full name"]),
    ],
)
def test_columns_of_the_file_are_offered(people, words, expected):
    assert offered(people.parent, "protect", people.name, *words) == expected


def test_the_column_of_a_hierarchy_is_offered(people):
    assert offered(people.parent, "hierarchy", people.name, "s") == ["sex"]


@pytest.mark.parametrize(("name", "header"), HEADERS.items())
def test_columns_are_read_whatever_separates_them(tmp_path, name, header):
    (tmp_path / name).write_text(f"{header}\n")
    assert header_of(tmp_path / name)[:2] == ["age", "sex"]


@pytest.mark.parametrize("name", ["missing.csv", "people.parquet", "."])
def test_a_file_that_is_not_read_cheaply_offers_nothing(tmp_path, name):
    (tmp_path / "people.parquet").write_bytes(b"PAR1")
    assert header_of(tmp_path / name) == []


SHELLS = {
    "bash": (
        (
            'eval "$(evomask completion bash)"\n'
            "COMP_WORDS=(evomask protect people.csv --quasi age,fu)\n"
            'COMP_CWORD=4; _evomask_completion evomask; printf "%s" "${COMPREPLY[@]}"'
        ),
        "age,full\\ name",
    ),
    "fish": (
        "evomask completion fish | source\ncomplete -C 'evomask protect people.csv --quasi age,fu'",
        "age,full name\n",
    ),
}
"""A script for each shell, and what the shell then offers."""


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_makes_the_shell_complete(people, tmp_path, shell):
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    command = tmp_path / "evomask"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m evomask "$@"\n')
    command.chmod(0o755)
    script, expected = SHELLS[shell]
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    done = subprocess.run(
        [shell, "-c", script], env={**os.environ, "PATH": path, "HOME": str(tmp_path)},
        cwd=Path(tmp_path), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == expected
