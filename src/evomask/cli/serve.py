"""``evomask serve``: the web app, on this machine alone."""

from pathlib import Path
from typing import Annotated

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import finish_output, say
from evomask.errors import ParameterError

MEGABYTE = 1_000_000
USUAL = Path("evomask-runs")


@examples(
    "evomask serve results            # opens a browser; nothing leaves this machine",
    "evomask serve results --port 9000 --no-browser",
)
def serve(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Keeps runs and files that are brought.")
    ] = USUAL,
    port: Annotated[
        int | None, typer.Option("--port", min=1, max=65535, help="Of 127.0.0.1 [8765].")
    ] = None,
    at_once: Annotated[
        int, typer.Option("--at-once", min=1, help="Runs that work at once; others wait.")
    ] = 1,
    largest: Annotated[
        int, typer.Option("--largest", min=1, help="Megabytes of a file that is brought.")
    ] = 2000,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
    quiet: options.Quiet = False,
) -> None:
    """Serve the web app for the runs in FOLDER on 127.0.0.1; runs go on when it ends."""
    try:
        from evomask.web.guard import Limits
        from evomask.web.serving import Serving, link_to_running
        from evomask.web.serving import serve as serve_until_ended
    except ModuleNotFoundError as error:
        raise ParameterError(
            f"the web app needs {error.name}; install it with: pip install 'evomask[web]'"
        ) from None

    def tell(link: str) -> None:
        say(f"evomask serves {folder} on this machine alone; open\n  {link}")
        if not quiet:
            say("The link works once. Ctrl-C ends the server; runs go on.")
        finish_output()
        _open(link, wanted=browser)

    running = link_to_running(folder)
    if running is not None:
        tell(running)
        return
    serve_until_ended(Serving(folder, port, at_once, Limits(upload=largest * MEGABYTE)), tell)


def _open(link: str, *, wanted: bool) -> None:
    """Open a browser where there is a screen; the printed link does elsewhere."""
    import os
    import sys

    if wanted and (sys.platform == "darwin" or os.environ.get("DISPLAY")):
        import webbrowser

        webbrowser.open(link)
