"""Help texts in plain text: commands and options in groups, examples at the end."""

from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from evomask.runs.options import DATA, GOALS, LARGE, RELEASE, SEARCH

OUTPUT = "Output"
ORDER = ("Arguments", "Options", "", GOALS, SEARCH, LARGE, RELEASE, DATA, OUTPUT)
"""Groups of parameters in the order of the help; the empty name stands for all others."""

MAX_SUMMARY = 200
"""Longest summary of a command, in characters."""

C = TypeVar("C", bound=Callable[..., None])

Formatter = Any
"""The help formatter of the command line library, whose type names are not stable."""


def examples(*lines: str) -> Callable[[C], C]:
    """Attach example command lines to a command, for its help and the command reference."""

    def attach(command: C) -> C:
        command.examples = lines  # type: ignore[attr-defined]
        return command

    return attach


def register_command(app: typer.Typer, **settings: Any) -> Callable[[C], C]:  # noqa: ANN401
    """Register a function as a command of *app*, with grouped options and its examples."""

    def register(command: C) -> C:
        epilog = "\n".join(getattr(command, "examples", ())) or None
        return app.command(cls=GroupedCommand, **{"epilog": epilog, **settings})(command)

    return register


class GroupedCommand(TyperCommand):
    """A command whose help lists the options in groups, and the examples after them."""

    def format_options(self, ctx: Any, formatter: Formatter) -> None:  # noqa: ANN401
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx)
            if row is not None:
                groups.setdefault(_group(parameter), []).append(row)
        for title in sorted(groups, key=lambda t: ORDER.index(t if t in ORDER else "")):
            with formatter.section(title):
                formatter.write_dl(groups[title])

    def format_epilog(self, _ctx: Any, formatter: Formatter) -> None:  # noqa: ANN401
        if self.epilog:
            with formatter.section("Examples"):
                for line in self.epilog.splitlines():
                    formatter.write(f"{'':{formatter.current_indent}}{line}\n")


class GroupedCommands(TyperGroup):
    """A group of commands whose help lists the commands by topic."""

    def format_commands(self, ctx: Any, formatter: Formatter) -> None:  # noqa: ANN401
        groups: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                title = getattr(command, "rich_help_panel", None) or "Commands"
                row = (name, command.get_short_help_str(MAX_SUMMARY))
                groups.setdefault(title, []).append(row)
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl(rows)


def _group(parameter: Any) -> str:  # noqa: ANN401
    if parameter.param_type_name == "argument":
        return "Arguments"
    default = OUTPUT if parameter.name == "help" else "Options"
    return getattr(parameter, "rich_help_panel", None) or default
