"""Writes docs/commands.md from the help texts and docs/api.md from the docstrings: `make docs`."""

import inspect
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import entry_points
from itertools import groupby
from pathlib import Path
from typing import Any

import typer

import evomask
from evomask.cli.main import app
from evomask.runs.catalogue import ALL_METHODS

COMMANDS = """# The command line
Written by `make docs` from the help texts of the commands; a test compares the two.

Results go to stdout, progress and notes to stderr. `--json` prints one JSON object and nothing
else there, `--quiet` suppresses progress and notes. Exit codes: 0 done, 1 an error (one sentence),
2 wrong usage, 3 roles to be confirmed first, 130 interrupted. Existing files are not overwritten
without `--force`, and no command but `evomask graph crawl` uses the network. Most commands read a
file of records and take the same options about it, which are listed once, with
[`evomask protect`](#evomask-protect).
"""

API = """# The Python interface
Written by `make docs` from the docstrings; a test compares the two, and runs every example in a
folder with the bundled survey.

Functions take pandas, polars and pyarrow frames and return frames of the same library. All names
are in `evomask` itself, so `import evomask` is enough. Results have a short text form and an HTML
form for notebooks, and `plot()` returns a matplotlib figure. Errors derive from `EvomaskError` and
have one sentence.
"""


def commands(group: Any, name: str = "evomask") -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    """Iterate over all commands with their full names, in the order of the help."""
    context = typer.Context(group)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        if hasattr(command, "list_commands"):
            yield from commands(command, f"{name} {word}")
        elif not command.hidden:
            yield f"{name} {word}", command


def command_page() -> str:
    """The help of every command, and the masking methods with their options."""
    parts = [COMMANDS]
    for name, command in commands(typer.main.get_command(app)):
        context = typer.Context(command, info_name=name, terminal_width=100)
        text = command.get_help(context)
        if name != "evomask protect":
            text = re.sub(r"\nData:\n(?:  .*\n)+", "", text)
        parts.append(f"## {name}\n```\n{text.strip()}\n```\n")
    parts.append(
        "## Methods of evomask mask\n`--method NAME` also takes the options of its method.\n"
    )
    for entry in ALL_METHODS:
        parts.append(f"**{entry.name}** {entry.summary}\n")
        parts += [f"- `{p.option}` {p.meaning}" for p in entry.parameters] + [""]
    return "\n".join(parts).rstrip() + "\n"


def api_page() -> str:
    """Every public name with its signature and docstring, by module; methods come last."""
    extensions = (entry.name for entry in entry_points(group="evomask.names"))
    things = [(name, getattr(evomask, name)) for name in sorted([*evomask.__all__, *extensions])]
    parts = [API]
    for title, group in groupby(
        sorted(things, key=lambda t: _section(t[1])), lambda t: _section(t[1])
    ):
        parts.append(f"## {title[1]}\n")
        parts += [_entry(name, thing) for name, thing in group]
    return "\n".join(parts).rstrip() + "\n"


def _section(thing: Any) -> tuple[int, str]:  # noqa: ANN401
    module = thing.__module__
    if module.startswith("evomask.masking."):
        return 2, "Masking methods"
    title = (import_module(module).__doc__ or "").splitlines()[0].rstrip(".")
    return int(not module.startswith("evomask.api.")), title.replace("``", "`")


def _entry(name: str, thing: Any) -> str:  # noqa: ANN401
    lines = [f"### {name}"]
    if not inspect.isclass(thing) or thing.__module__.startswith("evomask.masking."):
        lines.append(f"```\n{name}{_signature(thing)}\n```")
    lines.append(_markdown(inspect.getdoc(thing) or ""))
    if inspect.isclass(thing) and thing.__module__.startswith("evomask.api."):
        members = {
            n: m for n, m in vars(thing).items() if n[0] != "_" and getattr(m, "__doc__", "")
        }
        for member, own in members.items():
            if isinstance(own, property) or callable(own):
                call = "" if isinstance(own, property) else _signature(own)
                summary = (inspect.getdoc(own) or "").split("\n\n")[0].replace("\n", " ")
                lines.append(f"- `{member}{call}`: {_markdown(summary)}")
    return "\n".join(lines) + "\n"


def _signature(thing: Any) -> str:  # noqa: ANN401
    parameters = inspect.signature(thing).parameters.values()
    plain = [p.replace(annotation=p.empty) for p in parameters if p.name != "self"]
    return re.sub(r"<factory>|<[^<>]*>", "...", str(inspect.Signature(plain))).replace("'", '"')


def _markdown(text: str) -> str:
    """A docstring as Markdown: arguments as a list, the example as a block of code."""
    text, _, example = text.partition("Example:\n")
    before, found, rest = text.partition("Args:\n")
    end = re.search(r"^(?! |$)", rest, re.M)
    listed, after = (rest[: end.start()], rest[end.start() :]) if end else (rest, "")
    listed = re.sub(r"^    (\w[\w, ]*): ", r"- `\1`: ", listed, flags=re.M)
    text = f"{before}{re.sub(r'^ {8}', '  ', listed, flags=re.M)}{after}" if found else text
    code = f"\n\n```python\n{inspect.cleandoc(example)}\n```" if example else ""
    return text.replace("``", "`").rstrip() + code


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    (folder / "commands.md").write_text(command_page(), encoding="utf-8")
    (folder / "api.md").write_text(api_page(), encoding="utf-8")
