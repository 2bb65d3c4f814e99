import inspect
from pathlib import Path

from evomask.cli.main import app
from evomask.cli.reference import reference

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"


def test_the_page_is_what_the_commands_say():
    hint = "run `python -m evomask.cli.reference > docs/commands.md`"
    assert PAGE.read_text(encoding="utf-8") == reference().rstrip() + "\n", hint


def test_every_command_has_a_section():
    shown = [command for command in app.registered_commands if not command.hidden]
    names = {command.name or command.callback.__name__ for command in shown}
    assert {name for name in names if f"\n## evomask {name}\n" not in reference()} == set()


def test_options_about_the_data_are_told_once():
    assert reference().count("--confidential CONFIDENTIAL") == 1


def test_every_command_can_be_told_to_be_quiet():
    loud = [
        command.callback.__name__
        for command in app.registered_commands
        if "quiet" not in inspect.signature(command.callback).parameters
    ]
    assert loud == ["completion"], "it prints a script and nothing else"
