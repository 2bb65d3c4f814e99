"""The ``evomask`` command: its subcommands, and the translation of errors to exit codes.

Exit codes: 0 done, 1 an evomask error (one sentence), 2 wrong usage, 3 nothing released (roles to
be confirmed first, or no point within the limits), 130 interrupted.
"""

import inspect
import os
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from importlib.metadata import entry_points, version
from typing import Annotated, Any

import typer

from evomask.cli.apply import apply
from evomask.cli.audit import audit
from evomask.cli.combine import combine
from evomask.cli.compile import compile_
from evomask.cli.difference import difference
from evomask.cli.explain import explain
from evomask.cli.export import export
from evomask.cli.linked import linked
from evomask.cli.mask import mask
from evomask.cli.measure import measure
from evomask.cli.onboarding import example, hierarchy, init
from evomask.cli.protect import choose, protect
from evomask.cli.register import register
from evomask.cli.saved_runs import report, runs, verify
from evomask.cli.scenarios import scenarios
from evomask.cli.search import resume, searches
from evomask.cli.serve import serve
from evomask.cli.terminal.help import GroupedCommands, examples, register_command
from evomask.cli.terminal.interrupt_watchdog import leave, start_watchdog
from evomask.cli.terminal.options import INSTRUCTION
from evomask.cli.terminal.output import complain, finish_output, note, say_json
from evomask.errors import EvomaskError, UnmetError
from evomask.runs.store.run_control import (
    InterruptHandler,
    interrupt_on_termination,
    unwrap_interrupts,
)
from evomask.system import hold_lifetime_lock

INTERRUPTED = 130
NOTHING_RELEASED = 3
NOT_ENOUGH = "not enough memory; use fewer records, columns or workers"
NO_MEMORY = ("failed to map segment", "Cannot allocate memory", "load shared object")
"""What libraries say that cannot be loaded, mostly for lack of memory."""
SUMMARY = "Statistical disclosure control: evolve protected versions of microdata files."

PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Settings of a command that parses the options of a method itself."""

app = typer.Typer(
    cls=GroupedCommands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help=SUMMARY,
)
PREPARE, PROTECT, AFTER, STEPS, MORE = (
    "Prepare", "Protect a file", "After a run", "Single steps", "More",
)  # fmt: skip


def _register(group: str, *commands: Callable[..., None]) -> None:
    for command in commands:
        register_command(app, rich_help_panel=group)(command)


_register(PREPARE, example, init, scenarios, hierarchy)
_register(PROTECT, protect, linked, serve)
_register(AFTER, choose, apply, difference, explain, export, report, verify, resume, runs)
_register(STEPS, measure, audit, combine)
register_command(app, rich_help_panel=STEPS, context_settings=PASS_ON)(mask)
app.add_typer(register, name="register", rich_help_panel=AFTER)
app.add_typer(searches, name="search", rich_help_panel=STEPS)
for extension in sorted(entry_points(group="evomask.commands")):
    try:
        extra = extension.load()
        if isinstance(extra, typer.Typer):
            app.add_typer(extra, name=extension.name, rich_help_panel=MORE)
        else:
            inspect.signature(extra)
            register_command(app, name=extension.name, rich_help_panel=MORE)(extra)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - of another package
        note(
            f"the command {extension.name!r} of another package cannot be loaded "
            f"({type(error).__name__}); repair or remove the package"
        )


Shell = StrEnum("Shell", ["bash", "zsh", "fish"])


@examples(
    'eval "$(evomask completion bash)"                    # in ~/.bashrc to make it permanent',
    'eval "$(evomask completion zsh)"                     # the same in ~/.zshrc',
    "evomask completion fish > ~/.config/fish/completions/evomask.fish",
)
def completion(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print the completion script of a SHELL; nothing is installed."""
    os.environ[INSTRUCTION] = f"source_{shell}"
    app(prog_name="evomask")


def _show_version(requested: bool) -> None:
    if requested:
        typer.echo(f"evomask {version('evomask')}")
        raise typer.Exit


_register(MORE, completion)
register_command(app, name="compile", rich_help_panel=MORE)(compile_)


@app.callback(help=SUMMARY)
def evomask(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Parse the options that come before the subcommand."""


def run() -> None:
    """Run the command line; errors become one sentence on stderr and an exit code."""
    warnings.showwarning = _show_warning
    hold_lifetime_lock()
    in_terminal = start_watchdog()
    code = max(_exit_code(interrupt_on_termination()), finish_output())
    leave(code, at_once=in_terminal and code == INTERRUPTED)


def _exit_code(interrupts: InterruptHandler) -> int:
    """Run the subcommand and return its exit code; errors after an interrupt count as 130."""
    try:
        with unwrap_interrupts():
            app(prog_name="evomask")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    except EvomaskError as error:
        code = NOTHING_RELEASED if isinstance(error, UnmetError) else 1
        return max(code * _fail(str(error)), INTERRUPTED * interrupts.happened)
    except MemoryError:
        return max(_fail(NOT_ENOUGH), INTERRUPTED * interrupts.happened)
    except OSError as error:
        sentence = f"{error.filename or 'a file'} cannot be used: {error.strerror or error}"
        if any(words in str(error) for words in NO_MEMORY):
            sentence = "a library cannot be loaded; give the process more memory, or reinstall"
        return max(_fail(sentence), INTERRUPTED * interrupts.happened)
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    return 0


def _fail(sentence: str) -> int:
    complain(sentence)
    if "--json" in sys.argv:
        with suppress(EvomaskError):
            say_json({"error": sentence})
    return 1


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:  # noqa: ANN401
    """Print a warning as a note, without its place in the code."""
    note(str(message))
