"""Generator of the command reference, docs/commands.md.

``python -m evomask.cli.reference > docs/commands.md`` writes it; a test compares the two.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import typer

from evomask.cli.terminal.output import say
from evomask.runs.options import DATA

TOP = """# The command line
Generated from the commands by `python -m evomask.cli.reference > docs/commands.md`; a test
compares the two.

Results go to stdout, progress and notes to stderr. `--json` prints one JSON object and nothing
else there, `--quiet` suppresses progress and notes. Exit codes: 0 done, 1 an error (one sentence),
2 wrong usage, 3 roles to be confirmed first, 130 interrupted. Existing files are not overwritten
without `--force`, and no command but `evomask graph crawl` uses the network.

Most commands read a file of records and take the same options about it:
"""

Command = Any
"""A command of the command line library, whose type names are not stable."""


def reference() -> str:
    """Return the command reference as Markdown: every command, option and masking method."""
    from evomask.cli.main import app

    found = list(commands(typer.main.get_command(app), "evomask"))
    shared = max((_data_options(command) for _, command in found), key=len)
    sections = (_section(name, command, len(shared)) for name, command in found)
    return "\n".join([TOP, _table(shared), *sections, _methods()])


def commands(group: Command, name: str) -> Iterator[tuple[str, Command]]:
    """Iterate over all commands with their full names, in the order of the help."""
    context = typer.Context(group)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        full = f"{name} {word}"
        if hasattr(command, "list_commands"):
            yield from commands(command, full)
        elif not command.hidden:
            yield full, command


def _data_options(command: Command) -> list[Any]:
    return [p for p in command.params if getattr(p, "rich_help_panel", None) == DATA]


def _section(name: str, command: Command, shared: int) -> str:
    data = _data_options(command)
    own = [p for p in command.params if p not in data and p.name != "help"]
    arguments = [_usage(p) for p in own if p.param_type_name == "argument"]
    lines = [
        f"## {name}",
        " ".join((command.help or "").split()),
        "```",
        " ".join([name, *arguments, "[OPTIONS]"]),
        *(["", *command.epilog.splitlines()] if command.epilog else []),
        "```",
        _table(p for p in own if not getattr(p, "hidden", False)),
    ]
    if data:
        names = ", ".join(f"`{p.opts[0]}`" for p in data)
        lines.append(f"And {'the options' if len(data) == shared else names} about the data.\n")
    return "\n".join(lines)


def _usage(parameter: Any) -> str:  # noqa: ANN401
    if parameter.param_type_name == "argument":
        name = parameter.metavar or parameter.name.upper()
        return name if parameter.required else f"[{name}]"
    names = ", ".join((*parameter.opts, *parameter.secondary_opts))
    return names if parameter.is_flag else f"{names} {parameter.name.strip('_').upper()}"


def _table(parameters: Iterable[Any]) -> str:
    rows = [f"| `{_cell(_usage(p))}` | {_cell(_meaning(p))} |" for p in parameters]
    return "\n".join(["| option | meaning |", "|---|---|", *rows, ""])


def _meaning(parameter: Any) -> str:  # noqa: ANN401
    default = parameter.default
    shown = "" if default in (None, "", False, ()) or callable(default) else f" [{default}]"
    is_required = parameter.required and parameter.param_type_name == "option"
    return f"{parameter.help or ''}{shown}{' (required)' if is_required else ''}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _methods() -> str:
    from evomask.runs.catalogue import methods_listed

    lines = [
        "## Methods of evomask mask",
        "`evomask mask --method NAME` also takes the options of its method.\n",
    ]
    for entry in methods_listed():
        kinds = ", ".join(entry.kinds)
        lines.append(f"**{entry.name}** {entry.summary} Masks {kinds} attributes.\n")
        for parameter in entry.parameters:
            default = "" if parameter.is_required else f" [{parameter.default}]"
            lines.append(f"- `{parameter.option}` {_cell(parameter.meaning)}{default}")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    say(reference().rstrip())
