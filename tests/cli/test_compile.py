"""``evomask compile``."""

import json

import pytest

from evomask.kernels.compiler.precompile import Progress
from evomask.runs import precompile

STEPS = [
    Progress("groups.mdav", 0, 2),
    Progress("groups.walks", 0, 2),
    Progress("groups.walks", 1, 2, 0.5),
    Progress("groups.mdav", 2, 2, 1.25),
]


@pytest.fixture(autouse=True)
def _nothing_is_compiled(monkeypatch):
    def follow(watch):
        for step in STEPS:
            watch(step)

    monkeypatch.setattr(precompile, "compile_everything", follow)


def test_a_line_tells_of_each_module_and_the_last_where_they_are_kept(evomask):
    answer = evomask("compile")
    assert answer.code == 0
    assert answer.err.splitlines() == [
        "1 of 2 compiled: groups.walks, 0.5 s",
        "2 of 2 compiled: groups.mdav, 1.2 s",
    ]
    assert str(precompile.CACHE) in answer.out


def test_as_json_it_names_modules_and_seconds(evomask):
    result = json.loads(evomask("compile", "--json").out)
    assert result["modules"] == {"groups.walks": 0.5, "groups.mdav": 1.25}
    assert result["seconds"] >= 0
    assert result["folder"] == str(precompile.CACHE)


def test_quietly_it_says_nothing(evomask):
    answer = evomask("compile", "--quiet")
    assert (answer.code, answer.out, answer.err) == (0, "", "")


def test_on_a_terminal_a_bar_moves(evomask, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    answer = evomask("compile", "--json")
    assert answer.code == 0
    assert list(json.loads(answer.out)) == ["folder", "seconds", "modules"]
