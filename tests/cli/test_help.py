"""What the help shows, and how soon."""

import shlex
import subprocess
import sys

import pytest
import typer

from evomask.cli.main import app


def commands(group, name):
    """All commands with their full names, in the order of the help."""
    context = typer.Context(group)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        if hasattr(command, "list_commands"):
            yield from commands(command, f"{name} {word}")
        elif not command.hidden:
            yield f"{name} {word}", command


COMMANDS = dict(commands(typer.main.get_command(app), "evomask"))
EXAMPLES = [
    (name, line)
    for name, command in COMMANDS.items()
    for line in (command.epilog or "").splitlines()
]


def test_every_command_has_examples():
    assert [name for name, command in COMMANDS.items() if not command.epilog] == []


@pytest.mark.parametrize(("name", "line"), [e for e in EXAMPLES if e[1].startswith("evomask")])
def test_an_example_is_understood_by_its_command(name, line):
    words = shlex.split(line, comments=True)
    words = words[: words.index(">")] if ">" in words else words
    assert " ".join(words).startswith(name)
    COMMANDS[name].make_context(name, words[len(name.split()) :])


def test_options_stand_in_groups_and_examples_at_the_end(evomask):
    told = evomask("protect", "--help").out
    titles = [line for line in told.splitlines() if line.endswith(":") and line[:1].isalpha()]
    assert titles == [
        "Arguments:", "Options:", "Goals and limits:", "Search:", "Large files:", "Release:",
        "Data:", "Output:", "Examples:",
    ]  # fmt: skip
    goals = told[told.index("Goals and limits:") : told.index("Search:")]
    assert "--require" in goals
    assert "--quiet" not in goals


def test_commands_stand_in_groups_with_whole_sentences(evomask):
    told = evomask("--help").out
    assert "Protect a file:" in told
    assert "..." not in told.partition("Prepare:")[2]


def test_help_loads_nothing_that_computes():
    heavy = "{'numpy', 'polars', 'numba', 'rich', 'pandas', 'fastapi'}"
    script = f"import sys, evomask.cli.main; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
