"""Completing commands, options and columns, as a shell asks for it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from evomask.cli.completion import columns_of, offered
from evomask.cli.main import app

HEADERS = {"plain.csv": "age,sex,income", "marks.csv": "age;sex;income", "tabs.tsv": "age\tsex"}


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "people.csv"
    path.write_text('age,sex,"full name",income\n30,f,"N. N.",1\n')
    return path.name


def found(*words):
    return offered(typer.main.get_command(app), words)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("prot",), ["protect"]),
        (("search", "par"), ["partition"]),
        (("compl",), ["completion"]),
        (("completion", ""), ["bash", "zsh", "fish"]),
        (("protect", "--max-r"), ["--max-risk"]),
        (("choose", "release", "--point", "k"), ["knee"]),
        (("mask", "x.csv", "--method", "rank"), ["rank-swapping"]),
        (("protect", "x.csv", "--searches", "grid,par"), ["grid,partition"]),
        (("protect", "--out", ""), []),
        (("no-such-command", "--x"), []),
    ],
)
def test_the_last_word_is_completed(words, expected):
    assert found(*words) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--quasi", "a"), ["age"]),
        (("--quasi", "=", "s"), ["sex"]),
        (("--quasi", "age,i"), ["age,income"]),
        (("--quasi", "age,sex,"), ["age,sex,full name", "age,sex,income"]),
        (("--out", "release", "--weight", "in"), ["income"]),
        (("--quasi", "age", "--json", "--drop", "full"), ["full name"]),
    ],
)
def test_columns_of_the_file_are_offered(people, words, expected):
    assert found("protect", people, *words) == expected


def test_the_column_of_a_hierarchy_is_offered(people):
    assert found("hierarchy", people, "s") == ["sex"]


@pytest.mark.parametrize(("name", "header"), HEADERS.items())
def test_columns_are_read_whatever_separates_them(tmp_path, name, header):
    (tmp_path / name).write_text(f"{header}\n")
    assert columns_of([str(tmp_path / name)])[:2] == ["age", "sex"]


@pytest.mark.parametrize("name", ["missing.csv", "people.parquet", "."])
def test_a_file_that_is_not_read_cheaply_offers_nothing(tmp_path, name):
    (tmp_path / "people.parquet").write_bytes(b"PAR1")
    assert columns_of([str(tmp_path / name)]) == []


SHELLS = {
    "bash": (
        (
            'eval "$(evomask completion bash)"\n'
            "COMP_WORDS=(evomask protect people.csv --quasi age,fu)\n"
            'COMP_CWORD=4; _evomask 2>/dev/null; printf "%s" "${COMPREPLY[@]}"'
        ),
        "age,full\\ name",
    ),
    "zsh": (
        (
            'autoload -U compinit; compinit -u -d zcompdump; eval "$(evomask completion zsh)"\n'
            'compadd() { shift; print -rn -- "$@" }\n'
            "words=(evomask protect people.csv --quasi age,fu) CURRENT=5; $_comps[evomask]"
        ),
        "age,full name",
    ),
    "fish": (
        "evomask completion fish | source\ncomplete -C 'evomask protect people.csv --quasi age,fu'",
        "age,full name\n",
    ),
}
"""What each shell is told, and what it offers then."""


@pytest.mark.parametrize("shell", SHELLS)
def test_shells_complete_as_told(people, tmp_path, shell):
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
