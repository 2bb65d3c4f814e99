"""The command reference, made from the commands themselves.

``python -m evomask.cli.reference > docs/commands.md`` writes it; a test compares the two.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import typer

from evomask.cli.terminal.output import say

TOP = """# The command line
Made from the commands themselves by `python -m evomask.cli.reference > docs/commands.md`; a test
compares the two.

Results go to stdout, progress and notes to stderr. `--json` prints one JSON object and nothing
else there, `--quiet` leaves progress and notes out. Exit codes: 0 done, 1 an error (one sentence),
2 wrong usage, 3 roles to be confirmed first, 130 interrupted. Nothing that exists is overwritten
without `--force`, and no command but `evomask graph crawl` uses the network.

Most commands read a file of records and take the same options about it:
"""
SHARED = "Data"
"""The panel of the options that say what the columns are."""

Command = Any
"""A command as the command line library has it; its own type names are not stable."""


def reference() -> str:
    """The command reference as Markdown: every command, option and masking method."""
    from evomask.cli.main import app

    commands = list(_commands(typer.main.get_command(app), "evomask"))
    shared = _shared(commands)
    parts = [
        TOP,
        _table(shared),
        *(_section(name, command, shared) for name, command in commands),
        _methods(),
    ]
    return "\n".join(parts)


def _commands(group: Command, name: str) -> Iterator[tuple[str, Command]]:
    """Every command with its full name, in the order of the help."""
    context = typer.Context(group)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        full = f"{name} {word}"
        if hasattr(command, "list_commands"):
            yield from _commands(command, full)
        elif not command.hidden:
            yield full, command


def _shared(commands: Sequence[tuple[str, Command]]) -> list[Any]:
    """The options about the data, from a command that has all of them."""
    return max((_about_data(command) for _, command in commands), key=len)


def _about_data(command: Command) -> list[Any]:
    return [parameter for parameter in command.params if _panel(parameter) == SHARED]


def _panel(parameter: Any) -> str | None:  # noqa: ANN401
    panel: str | None = getattr(parameter, "rich_help_panel", None)
    return panel


def _section(name: str, command: Command, shared: Sequence[Any]) -> str:
    data = _about_data(command)
    parameters = [
        parameter
        for parameter in command.params
        if parameter not in data and parameter.name != "help"
    ]
    arguments = [
        _written(parameter) for parameter in parameters if parameter.param_type_name == "argument"
    ]
    lines = [
        f"## {name}",
        " ".join((command.help or "").split()),
        "```",
        " ".join([name, *arguments, "[OPTIONS]"]),
        *(["", *command.epilog.splitlines()] if command.epilog else []),
        "```",
        _table(parameters),
    ]
    if data:
        listed = ", ".join(f"`{parameter.opts[0]}`" for parameter in data)
        whole = len(data) == len(shared)
        lines.append(f"And {'the options' if whole else listed} about the data.\n")
    return "\n".join(lines)


def _written(parameter: Any) -> str:  # noqa: ANN401
    """How an argument stands in a command, or an option in a table."""
    if parameter.param_type_name == "argument":
        name = parameter.metavar or parameter.name.upper()
        return name if parameter.required else f"[{name}]"
    names = ", ".join((*parameter.opts, *parameter.secondary_opts))
    return names if parameter.is_flag else f"{names} {parameter.name.strip('_').upper()}"


def _table(parameters: Iterable[Any]) -> str:
    rows = [
        f"| `{_cell(_written(parameter))}` | {_cell(_meaning(parameter))} |"
        for parameter in parameters
    ]
    return "\n".join(["| option | meaning |", "|---|---|", *rows, ""])


def _meaning(parameter: Any) -> str:  # noqa: ANN401
    default = parameter.default
    default_text = "" if default in (None, "", False, ()) or callable(default) else f" [{default}]"
    needed = " (needed)" if parameter.required and parameter.param_type_name == "option" else ""
    return f"{parameter.help or ''}{default_text}{needed}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _methods() -> str:
    """A section on the masking methods, each with what it does and its own options."""
    from evomask.runs.catalogue import methods_listed

    lines = [
        "## Methods of evomask mask",
        "`evomask mask --method NAME` takes the options of its method, too.\n",
    ]
    for entry in methods_listed():
        kinds = ", ".join(entry.kinds)
        lines.append(f"**{entry.name}** {entry.summary} Masks {kinds} attributes.\n")
        lines += [_method_option(parameter) for parameter in entry.parameters]
        lines.append("")
    return "\n".join(lines)


def _method_option(parameter: Any) -> str:  # noqa: ANN401
    default = "" if parameter.is_required else f" [{parameter.default}]"
    return f"- `{parameter.option}` {_cell(parameter.meaning)}{default}"


if __name__ == "__main__":
    say(reference().rstrip())
