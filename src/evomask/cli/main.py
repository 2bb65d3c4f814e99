"""The ``evomask`` command: its verbs, and how errors reach a person.

Exit codes: 0 done, 1 an evomask error (one sentence), 2 wrong usage, 130 interrupted.
"""

import sys
from typing import Annotated

import typer

from evomask.cli.audit import audit
from evomask.cli.compile import compile_
from evomask.cli.example import example
from evomask.cli.graph import graphs
from evomask.cli.hierarchy import hierarchy
from evomask.cli.init import init
from evomask.cli.mask import mask
from evomask.cli.measure import measure
from evomask.cli.output import complain, say_json
from evomask.cli.protect import choose, protect
from evomask.cli.report import report
from evomask.cli.reproduce import reproduce
from evomask.cli.runs import runs
from evomask.cli.search import resume, searches
from evomask.errors import EvomaskError
from evomask.runs.kept.stopping import interrupt_on_termination

OWN_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Options of a method or a search are read by the command itself."""

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Evolve protections for microdata: little information loss, little disclosure risk.",
)
app.command()(example)
app.command()(init)
app.command()(hierarchy)
app.command(context_settings=OWN_OPTIONS)(mask)
app.command()(measure)
app.command()(audit)
app.command()(protect)
app.add_typer(searches, name="search")
app.add_typer(graphs, name="graph")
app.command()(resume)
app.command()(choose)
app.command()(runs)
app.command()(report)
app.command()(reproduce)
app.command("compile")(compile_)


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
    interrupt_on_termination()
    try:
        app()
    except EvomaskError as error:
        complain(str(error))
        if "--json" in sys.argv:
            say_json({"error": str(error)})
        sys.exit(1)
    except KeyboardInterrupt:
        complain("interrupted")
        sys.exit(130)
