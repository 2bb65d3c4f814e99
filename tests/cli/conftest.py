"""Running commands as a user would, in the same process."""

import sys
from dataclasses import dataclass

import pytest

from evomask.cli.main import run


@dataclass
class Answer:
    code: int
    out: str
    err: str


@pytest.fixture
def evomask(monkeypatch, capsys):
    """Call the command line with words; its exit code and what it printed."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["evomask", *map(str, words)])
        try:
            run()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        printed = capsys.readouterr()
        return Answer(code, printed.out, printed.err)

    return call


@pytest.fixture
def people(tmp_path):
    """A small file of people."""
    rows = [f"{20 + i % 7},{1000 + 37 * i},{'nsw'[i % 3]}" for i in range(20)]
    path = tmp_path / "people.csv"
    path.write_text("age,income,region\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path
