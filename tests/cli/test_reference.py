import inspect
from pathlib import Path

import pytest
from typer import Context

from evomask.cli.main import app
from tests.cli.test_help import COMMANDS

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_shows_every_option_of_a_command_with_its_help(name):
    _, _, after = PAGE.read_text(encoding="utf-8").partition(f"\n## {name}\n")
    section = "".join(after.partition("\n## ")[0].split())
    assert section, "run `make docs`"
    for parameter in COMMANDS[name].params:
        record = parameter.get_help_record(Context(COMMANDS[name]))
        if record and getattr(parameter, "rich_help_panel", None) != "Data":
            assert "".join((parameter.help or "").split()) in section, "run `make docs`"
            assert max(parameter.opts, key=len) in section or parameter.metavar in section


def test_options_about_the_data_are_told_once():
    page = PAGE.read_text(encoding="utf-8")
    assert page.count("Confidential (sensitive) columns.") == 1


def test_every_command_can_be_told_to_be_quiet():
    loud = [
        command.callback.__name__
        for command in app.registered_commands
        if "quiet" not in inspect.signature(command.callback).parameters
    ]
    assert loud == ["completion"], "it prints a script and nothing else"
