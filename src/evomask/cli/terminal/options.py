"""Options shared by several commands, most of them declared in `evomask.runs.options`.

Commands and options are completed in the shell by the command line library; this module adds
column names, methods, searches and fixed values.
"""

import csv
import inspect
import os
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evomask.cli.terminal.help import OUTPUT
from evomask.cli.terminal.output import input_path
from evomask.runs.options import LARGE, SEARCH, DataOptions, Option, ProtectOptions, declared

if TYPE_CHECKING:
    from evomask.runs.inputs import Input

Source = Callable[[Path], "Input"]
"""Function that combines the data options of a command with the path of a file."""

COLUMNS = {
    "quasi", "confidential", "drop", "keep", "household", "person", "weight", "ordinal", "nominal",
}  # fmt: skip
"""Options whose values are column names."""

VALUES = {
    "profile": ("strict", "papers"),
    "release": ("public", "scientific", "secure"),
    "pick": ("suggested", "balanced", "knee", "sum", "max-risk=", "max-loss="),
    "require": ("k=", "l=", "t="),
    "baseline": ("synthetic", "cart", "bayesian-network", "private="),
}
"""Values that the shell offers for other options."""


MAX_HEADER = 1_000_000
"""Characters of a file that are searched for its header."""

INSTRUCTION = "_EVOMASK_COMPLETE"
"""Environment variable by which a shell requests its script, or completions."""


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
    from evomask.runs.catalogue import ALL_METHODS

    return _starting((entry.name for entry in ALL_METHODS), incomplete)


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


def names(text: str) -> tuple[str, ...]:
    """Return the names in a comma-separated list."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _typer_option(option: Option) -> Any:  # noqa: ANN401
    if option.name in COLUMNS:
        complete: Any = complete_columns
    elif option.name == "searches":
        complete = complete_searches
    else:
        complete = complete_words(*VALUES[option.name]) if option.name in VALUES else None
    return typer.Option(
        *option.flags,
        help=option.help,
        rich_help_panel=option.group or None,
        min=option.minimum,
        autocompletion=complete,
    )


_DECLARED = {
    option.name: option for kind in (DataOptions, ProtectOptions) for option in declared(kind)
}


def _shared(name: str) -> Any:  # noqa: ANN401
    return _typer_option(_DECLARED[name])


DataFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="File of records, or - for standard input.")
]
RunFolder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the run.")]
Column = Annotated[
    str,
    typer.Argument(
        metavar="COLUMN", help="Column to build the hierarchy for.", autocompletion=column_names
    ),
]
Library = Annotated[
    Path | None,
    typer.Option("--library", help="File (TOML) that extends the library of named scenarios."),
]
Force = Annotated[
    bool, typer.Option("--force", help="Overwrite existing output.", rich_help_panel=OUTPUT)
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on stdout.", rich_help_panel=OUTPUT)
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", help="No progress and no notes on stderr.", rich_help_panel=OUTPUT),
]
Workers = Annotated[
    int,
    typer.Option("--workers", min=1, help="Number of worker processes.", rich_help_panel=SEARCH),
]
AutomaticWorkers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="Number of worker processes [all cores, for budgets of 20 s or more].",
        show_default=False,
        rich_help_panel=SEARCH,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Dask cluster: tls://host:8786, local:8, or a scheduler file.",
        rich_help_panel=SEARCH,
    ),
]
InParts = Annotated[
    bool,
    typer.Option(
        "--in-parts",
        help="Process a FILE larger than memory in chunks; --out is a folder of chunks.",
        rich_help_panel=LARGE,
    ),
]
EditedPlan = Annotated[
    bool, typer.Option("--edited-plan", help="Accept a plan.toml edited by hand, and record that.")
]
StrictReleases = Annotated[
    bool,
    typer.Option(
        "--strict-releases", help="Refuse if another file of the same original was released."
    ),
]
KTogether = Annotated[
    int | None,
    typer.Option(
        "--k-together", min=1, help="Refuse if k is smaller together with earlier releases."
    ),
]
Seed = Annotated[int | None, _shared("seed")]
Profile = Annotated[str, _shared("profile")]
Pick = Annotated[str, _shared("pick")]
KeyFile = Annotated[Path | None, _shared("key_file")]
KeepOrder = Annotated[bool, _shared("keep_order")]
KeepTable = Annotated[list[str] | None, _shared("keep_tables")]
KeepModel = Annotated[list[str] | None, _shared("keep_models")]
KeepIndicator = Annotated[list[str] | None, _shared("keep_indicators")]
Replicates = Annotated[str, _shared("replicates")]
Use = Annotated[list[str] | None, _shared("uses")]
MaxRisk = Annotated[str | None, _shared("max_risk")]
MaxLoss = Annotated[float | None, _shared("max_loss")]
ReleaseType = Annotated[str, _shared("release")]
AcceptRisk = Annotated[bool, _shared("accept_risk")]
AcceptLoss = Annotated[bool, _shared("accept_loss")]
MaxTableError = Annotated[float | None, _shared("max_table_error")]
MaxModelError = Annotated[float | None, _shared("max_model_error")]
MaxIndicatorError = Annotated[float | None, _shared("max_indicator_error")]
Delimiter = Annotated[str | None, _shared("delimiter")]
Encoding = Annotated[str | None, _shared("encoding")]
Decimal = Annotated[str | None, _shared("decimal")]
Missing = Annotated[str, _shared("missing")]
Thousands = Annotated[str | None, _shared("thousands")]
Header = Annotated[int | None, _shared("header")]
Sheet = Annotated[str | None, _shared("sheet")]


def with_data_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the data options to a command; its argument *source* builds an input from a path."""
    return _with_options(
        command, DataOptions, "source", lambda data: lambda path: data.input(input_path(path))
    )


def with_protect_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of ``protect`` to a command, which gets them as *options*."""
    return _with_options(command, ProtectOptions, "options", lambda options: options)


def _with_options(
    command: Callable[..., None],
    kind: type[DataOptions] | type[ProtectOptions],
    argument: str,
    convert: Callable[[Any], Any],
) -> Callable[..., None]:
    """Replace an argument of a command by the options that a class declares."""
    own = [p for p in inspect.signature(command).parameters.values() if p.name != argument]
    added = {option.name: _parameter(option) for option in declared(kind)}
    signature = inspect.Signature(
        [
            *(p for p in own if p.kind is not p.KEYWORD_ONLY),
            *added.values(),
            *(p for p in own if p.kind is p.KEYWORD_ONLY),
        ]
    )

    @wraps(command)
    def wrapped(*args: Any, **values: Any) -> None:  # noqa: ANN401
        given = {name: _value(_DECLARED[name], values.pop(name)) for name in added}
        command(*args, **{argument: convert(kind(**given))}, **values)

    wrapped.__signature__ = signature  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    return wrapped


def _parameter(option: Option) -> inspect.Parameter:
    """Return the command line form of an option; lists become text, or repeated options."""
    hint, default = option.type, option.default
    if isinstance(default, tuple):
        hint, default = (list[str] | None, None) if option.several else (str, "")
    return inspect.Parameter(
        option.name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=default,
        annotation=Annotated[hint, _typer_option(option)],
    )


def _value(option: Option, given: Any) -> Any:  # noqa: ANN401
    if isinstance(option.default, tuple):
        return tuple(given or ()) if option.several else names(given)
    return given
