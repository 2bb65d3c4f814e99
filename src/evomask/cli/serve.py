"""``evomask serve``: start the web app on the loopback interface."""

from pathlib import Path
from typing import Annotated

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import finish_output, say
from evomask.errors import ParameterError

MEGABYTE = 1_000_000
HOUR = 3600.0
DEFAULT_FOLDER = Path("evomask-runs")


@examples(
    "evomask serve results            # opens a browser; no data leaves this machine",
    "evomask serve results --port 9000 --no-browser",
)
def serve(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Folder for runs and uploaded files.")
    ] = DEFAULT_FOLDER,
    port: Annotated[
        int | None, typer.Option("--port", min=1, max=65535, help="Port of 127.0.0.1 [8765].")
    ] = None,
    at_once: Annotated[
        int, typer.Option("--at-once", min=1, help="Number of concurrent runs; others wait.")
    ] = 1,
    largest: Annotated[
        int, typer.Option("--largest", min=1, help="Maximum upload size in MB.")
    ] = 2000,
    session: Annotated[
        float, typer.Option("--session", min=0.01, help="Hours that a login lasts.")
    ] = 12.0,
    container: Annotated[
        bool,
        typer.Option(
            "--container",
            help="Listen on all addresses of a container whose port the host publishes on its "
            "127.0.0.1 under the same number; never use it elsewhere.",
        ),
    ] = False,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open a web browser.")
    ] = True,
    quiet: options.Quiet = False,
) -> None:
    """Serve the web app for the runs in FOLDER on 127.0.0.1; runs continue when it ends."""
    try:
        from evomask.web.security import Limits
        from evomask.web.server import link_to_running
        from evomask.web.server import serve as serve_folder
    except ModuleNotFoundError as error:
        raise ParameterError(
            f"the web app needs {error.name}; install it with: pip install 'evomask[web]'"
        ) from None

    def announce(link: str) -> None:
        say(f"evomask serves {folder} on this machine only; open\n  {link}")
        if not quiet:
            say("The link works once. Ctrl-C ends the server; runs continue.")
        finish_output()
        if browser:
            _open_browser(link)

    running = link_to_running(folder)
    if running is not None:
        announce(running)
        return
    limits = Limits(upload=largest * MEGABYTE, session=session * HOUR)
    serve_folder(
        folder, announce, port=port, at_once=at_once, limits=limits, in_container=container
    )


def _open_browser(link: str) -> None:
    """Open a browser if there is a display."""
    import os
    import sys

    if sys.platform == "darwin" or os.environ.get("DISPLAY"):
        import webbrowser

        webbrowser.open(link)
