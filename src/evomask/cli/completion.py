"""Shell completion: ``evomask completion``, and the values offered for options.

Commands and options are completed by the command line library; this module adds column names,
methods, searches and fixed values.
"""

import csv
import os
from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from evomask.cli.terminal.help import examples

MAX_HEADER = 1_000_000
"""Characters of a file that are searched for its header."""

INSTRUCTION = "_EVOMASK_COMPLETE"
"""Environment variable by which a shell requests its script, or completions."""


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
    from evomask.cli.main import app

    os.environ[INSTRUCTION] = f"source_{shell}"
    app(prog_name="evomask")


def complete_columns(ctx: typer.Context, incomplete: str) -> list[str]:
    """Offer the next column name of a comma-separated list."""
    done, comma, begun = incomplete.rpartition(",")
    taken = done.split(",")
    return [f"{done}{comma}{name}" for name in column_names(ctx, begun) if name not in taken]


def column_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Offer the columns of the first text file among the arguments."""
    # Arguments before an option that still lacks its value are left in ctx.args, unparsed.
    paths = [value for value in ctx.params.values() if isinstance(value, Path)]
    paths += [Path(word) for word in ctx.args]
    names = next((found for path in paths if (found := header_of(path))), [])
    if os.environ.get(INSTRUCTION, "").endswith("bash"):
        names = [name.replace(" ", "\\ ") for name in names]
    return _starting(names, incomplete)


def complete_searches(incomplete: str) -> list[str]:
    """Offer the next name of a comma-separated list of searches."""
    from evomask.runs.catalogue import search_names

    done, comma, begun = incomplete.rpartition(",")
    return [f"{done}{comma}{name}" for name in _starting(search_names(), begun)]


def complete_methods(incomplete: str) -> list[str]:
    """Offer the names of the masking methods."""
    from evomask.runs.catalogue import methods_listed

    return _starting((entry.name for entry in methods_listed()), incomplete)


def complete_words(*words: str) -> Callable[[str], list[str]]:
    """Return a completion function that offers fixed words."""

    def complete(incomplete: str) -> list[str]:
        return _starting(words, incomplete)

    return complete


def _starting(names: Iterable[str], begun: str) -> list[str]:
    return [name for name in names if name.startswith(begun) and "\n" not in name]


def header_of(path: Path) -> list[str]:
    """Return the column names of a text file; none for other formats, which are slow to open."""
    path = path.expanduser()
    if path.suffix.lower() not in (".csv", ".tsv", ".txt") or not path.is_file():
        return []
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            line = file.readline(MAX_HEADER)
        delimiter = max(",;\t|", key=line.count)
        return [name.strip() for name in next(csv.reader([line], delimiter=delimiter), [])]
    except (OSError, csv.Error):
        return []
