"""``evomask example``: a synthetic survey to try the other commands on."""

from pathlib import Path
from typing import Annotated

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import say, say_json


@examples(
    "evomask example trial            # a made-up survey, its schema and hierarchies",
)
def example(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to write it.")],
    records: Annotated[int, typer.Option("--records", "-n", min=10, help="How many.")] = 3000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Other people, same country.")] = 1,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a synthetic household survey with its schema and hierarchies into FOLDER."""
    from evomask.runs.beginning.example import write_example

    paths = write_example(folder, records, seed, force=force)
    if json:
        say_json({"records": records, "files": [str(path) for path in paths]})
    elif not quiet:
        say(f"{records} invented people in {paths[0]}; what the columns are is in {paths[1]}")
