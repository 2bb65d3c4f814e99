"""The ``evomask`` command: its verbs, and how errors reach a person.

Exit codes: 0 done, 1 an evomask error (one sentence), 2 wrong usage, 3 roles to be confirmed
first, 130 interrupted.
"""

import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any

import typer

from evomask.cli.audit import audit
from evomask.cli.compile import compile_
from evomask.cli.completion import complete, completion
from evomask.cli.example import example
from evomask.cli.graph import graphs
from evomask.cli.hierarchy import hierarchy
from evomask.cli.init import init
from evomask.cli.mask import mask
from evomask.cli.measure import measure
from evomask.cli.protect import choose, protect
from evomask.cli.report import report
from evomask.cli.reproduce import reproduce
from evomask.cli.runs import runs
from evomask.cli.search import resume, searches
from evomask.cli.serve import serve
from evomask.cli.terminal.companion import accompanied, leave
from evomask.cli.terminal.help import GroupedCommands, registered
from evomask.cli.terminal.output import complain, finish_output, note, say_json
from evomask.cli.trajectories import trajectories
from evomask.cli.verify import verify
from evomask.errors import EvomaskError
from evomask.runs.kept.stopping import Interrupts, interrupt_on_termination, interrupts_as_such

INTERRUPTED = 130

OWN_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Options of a method or a search are read by the command itself."""

app = typer.Typer(
    cls=GroupedCommands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Evolve protections for microdata: little information loss, little disclosure risk.",
)
BEGIN, PROTECT, AFTER, PARTS, MORE = (
    "Begin", "Protect a file", "After that", "Single steps", "More",
)  # fmt: skip


def _enter(group: str, *commands: Callable[..., None]) -> None:
    for command in commands:
        registered(app, rich_help_panel=group)(command)


_enter(BEGIN, example, init, hierarchy)
_enter(PROTECT, protect, serve)
_enter(AFTER, choose, report, verify, resume, runs)
_enter(PARTS, measure, audit)
registered(app, rich_help_panel=PARTS, context_settings=OWN_OPTIONS)(mask)
app.add_typer(searches, name="search", rich_help_panel=PARTS)
app.add_typer(graphs, name="graph", rich_help_panel=MORE)
_enter(MORE, trajectories, reproduce, completion)
registered(app, name="compile", rich_help_panel=MORE)(compile_)
app.command(hidden=True)(complete)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"evomask {version('evomask')}")
        raise typer.Exit


@app.callback()
def evomask(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Evolve protections for microdata: little information loss, little disclosure risk."""


def run() -> None:
    """Run the command line, turning errors into one sentence and an exit code."""
    warnings.showwarning = _as_note
    in_terminal = accompanied()
    code = max(_carried_out(interrupt_on_termination()), finish_output())
    leave(code, at_once=in_terminal and code == INTERRUPTED)


def _carried_out(interrupts: Interrupts) -> int:
    """Carry out the command and say what went wrong; its exit code.

    What fails because it was interrupted counts as interrupted.
    """
    try:
        with interrupts_as_such():
            app()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    except EvomaskError as error:
        return max(_failed(str(error)), INTERRUPTED * interrupts.happened)
    except (OSError, MemoryError) as error:
        return max(_failed(_by_the_system(error)), INTERRUPTED * interrupts.happened)
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    return 0


def _by_the_system(error: OSError | MemoryError) -> str:
    """What the system refused, where no part of evomask said it better."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for this; try fewer records, columns or workers"
    return f"{error.filename or 'a file'} cannot be used: {error.strerror or error}"


def _failed(sentence: str) -> int:
    complain(sentence)
    if "--json" in sys.argv:
        with suppress(EvomaskError):
            say_json({"error": sentence})
    return 1


def _as_note(message: Warning | str, *_: Any, **__: Any) -> None:  # noqa: ANN401
    """What a part warns of is a note on the command line, without the place in the code."""
    note(str(message))
