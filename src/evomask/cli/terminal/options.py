"""Options that many commands share, written once."""

import inspect
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evomask.cli.terminal.help import DATA, LARGE, OUTPUT, RELEASE, SEARCH
from evomask.cli.terminal.streams import given

if TYPE_CHECKING:
    from evomask.runs.inputs import Input

Source = Callable[[Path], "Input"]
"""What the data options say of a file, once its path is known."""

DataFile = Annotated[Path, typer.Argument(metavar="FILE", help="The file of records, or -.")]
Force = Annotated[
    bool, typer.Option("--force", help="Overwrite the output if it exists.", rich_help_panel=OUTPUT)
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
    typer.Option("--workers", min=1, help="Processes that work at once.", rich_help_panel=SEARCH),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Work on Dask: tls://host:8786, local:8, a scheduler file.",
        rich_help_panel=SEARCH,
    ),
]
InParts = Annotated[
    bool,
    typer.Option(
        "--in-parts",
        help="FILE does not fit in memory; --out is a folder of parts.",
        rich_help_panel=LARGE,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        min=0,
        help="Repeat a result; keep it secret: it can undo a masking.",
        rich_help_panel=SEARCH,
    ),
]
Profile = Annotated[
    str,
    typer.Option(
        "--profile",
        help="Risk by all attackers (strict), or the papers' (papers).",
        rich_help_panel=SEARCH,
    ),
]
KeyFile = Annotated[
    Path | None,
    typer.Option(
        "--key-file", help="A key that signs the release, yours alone.", rich_help_panel=RELEASE
    ),
]
KeepOrder = Annotated[
    bool,
    typer.Option(
        "--keep-order",
        help="Keep how the records were shuffled (order.npy).",
        rich_help_panel=RELEASE,
    ),
]
SchemaPath = Annotated[
    Path | None,
    typer.Option("--schema", help="What the columns are (TOML).", rich_help_panel=DATA),
]
Quasi = Annotated[
    str,
    typer.Option(
        "--quasi", help="Columns an intruder may know, A,B,C.", rich_help_panel=DATA
    ),
]  # fmt: skip
Confidential = Annotated[
    str, typer.Option("--confidential", help="Sensitive columns.", rich_help_panel=DATA)
]
Drop = Annotated[
    str, typer.Option("--drop", help="Identifiers: never written.", rich_help_panel=DATA)
]
Keep = Annotated[
    str,
    typer.Option(
        "--keep", help="Columns to release though they look identifying.", rich_help_panel=DATA
    ),
]  # fmt: skip
Household = Annotated[
    str,
    typer.Option(
        "--household", help="Column that tells households: never written.", rich_help_panel=DATA
    ),
]  # fmt: skip
Weight = Annotated[
    str, typer.Option("--weight", help="Column of survey weights.", rich_help_panel=DATA)
]
Ordinal = Annotated[
    str, typer.Option("--ordinal", help="Columns with ordered categories.", rich_help_panel=DATA)
]
Nominal = Annotated[
    str, typer.Option("--nominal", help="Columns with plain categories.", rich_help_panel=DATA)
]
Delimiter = Annotated[
    str | None, typer.Option("--delimiter", help="Of a CSV file.", rich_help_panel=DATA)
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="Of a CSV file.", rich_help_panel=DATA)
]
Decimal = Annotated[
    str | None, typer.Option("--decimal", help="Mark in a CSV file.", rich_help_panel=DATA)
]
Missing = Annotated[
    str, typer.Option("--missing", help="Texts for a missing value, ?,NA.", rich_help_panel=DATA)
]


def names(text: str) -> tuple[str, ...]:
    """The names in a comma separated list."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _source(
    path: Path,
    schema: SchemaPath = None,
    quasi: Quasi = "",
    confidential: Confidential = "",
    drop: Drop = "",
    keep: Keep = "",
    household: Household = "",
    weight: Weight = "",
    ordinal: Ordinal = "",
    nominal: Nominal = "",
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    missing: Missing = "",
) -> "Input":
    from evomask.runs.inputs import Input

    return Input(
        given(path), schema, names(quasi), names(confidential), names(drop), names(ordinal),
        names(nominal), delimiter, encoding, decimal, names(missing), household, names(keep),
        weight,
    )  # fmt: skip


def with_data_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the data options; its *source* then makes an input of a path."""
    data = list(inspect.signature(_source).parameters.values())[1:]
    of_command = [p for p in inspect.signature(command).parameters.values() if p.name != "source"]

    @wraps(command)
    def wrapped(*words: Any, **values: Any) -> None:  # noqa: ANN401
        given = {option.name: values.pop(option.name) for option in data}
        command(*words, source=partial(_source, **given), **values)

    wrapped.__signature__ = inspect.Signature([*of_command, *data])  # type: ignore[attr-defined]
    wrapped.__annotations__ = {option.name: option.annotation for option in [*of_command, *data]}
    return wrapped
