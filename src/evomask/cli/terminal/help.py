"""Help in groups, with examples: plain text, so that it is there at once."""

from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

OPTIONS = "Options"
GOALS, SEARCH, LARGE, RELEASE = "Goals and limits", "Search", "Large files", "Release"
DATA, OUTPUT = "Data", "Output"
LAST = (GOALS, SEARCH, LARGE, RELEASE, DATA, OUTPUT)
"""Groups of options that come after those that a command has alone, in this order."""

LONGEST = 200
"""Characters of the sentence that tells what a command does."""

C = TypeVar("C", bound=Callable[..., None])

Formatter = Any
"""What writes help in the command line library; its own type names are not stable."""


def examples(*lines: str) -> Callable[[C], C]:
    """Give a command examples, one line each, which its help and the reference show."""

    def shown(command: C) -> C:
        command.examples = lines  # type: ignore[attr-defined]
        return command

    return shown


def epilog_of(command: Callable[..., None]) -> str | None:
    """The examples of a command as the text below its help."""
    lines: tuple[str, ...] = getattr(command, "examples", ())
    return "\n".join(lines) or None


def registered(app: typer.Typer, **settings: Any) -> Callable[[C], C]:  # noqa: ANN401
    """Make a function a command of *app*, its options in groups, its examples in the help."""

    def entered(command: C) -> C:
        own = {"epilog": epilog_of(command), **settings}
        return app.command(cls=GroupedCommand, **own)(command)

    return entered


class GroupedCommand(TyperCommand):
    """A command whose options stand in groups, those that all commands have at the end."""

    def format_options(self, ctx: Any, formatter: Formatter) -> None:  # noqa: ANN401
        """Arguments, the command's own options, and the groups that it shares with others."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx)
            if row is not None:
                groups.setdefault(group_of(parameter), []).append(row)
        for title in sorted(groups, key=_place):
            with formatter.section(title):
                formatter.write_dl(groups[title])

    def format_epilog(self, _ctx: Any, formatter: Formatter) -> None:  # noqa: ANN401
        """The examples, each on a line that can be copied."""
        if self.epilog:
            with formatter.section("Examples"):
                for line in self.epilog.splitlines():
                    formatter.write(f"{'':{formatter.current_indent}}{line}\n")


class GroupedCommands(TyperGroup):
    """Commands that stand in groups by what they are for."""

    def format_commands(self, ctx: Any, formatter: Formatter) -> None:  # noqa: ANN401
        """Each group with a line for each of its commands."""
        groups: dict[str, list[tuple[str, str]]] = {}
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        for name, command in commands.items():
            if command is not None and not command.hidden:
                title = getattr(command, "rich_help_panel", None) or "Commands"
                groups.setdefault(title, []).append((name, command.get_short_help_str(LONGEST)))
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl(rows)


def group_of(parameter: Any) -> str:  # noqa: ANN401
    """The title of the group that an argument or option stands in."""
    if parameter.param_type_name == "argument":
        return "Arguments"
    usual = OUTPUT if parameter.name == "help" else OPTIONS
    return getattr(parameter, "rich_help_panel", None) or usual


def _place(title: str) -> int:
    first = {"Arguments": -2, OPTIONS: -1}
    return first.get(title, 1 + LAST.index(title) if title in LAST else 0)
