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
EditedPlan = Annotated[
    bool, typer.Option("--edited-plan", help="Use a plan.toml changed by hand, and record that.")
]
KeepOrder = Annotated[
    bool,
    typer.Option(
        "--keep-order",
        help="Keep how the records were shuffled (order.npy).",
        rich_help_panel=RELEASE,
    ),
]
_about_data = partial(typer.Option, rich_help_panel=DATA)

SchemaPath = Annotated[Path | None, _about_data("--schema", help="What the columns are (TOML).")]
Quasi = Annotated[str, _about_data("--quasi", help="Columns an intruder may know, A,B,C.")]
Confidential = Annotated[str, _about_data("--confidential", help="Sensitive columns.")]
Drop = Annotated[str, _about_data("--drop", help="Identifiers: never written.")]
Keep = Annotated[
    str, _about_data("--keep", help="Columns to release though they look identifying.")
]
Household = Annotated[
    str, _about_data("--household", help="Column that tells households: never written.")
]
Weight = Annotated[str, _about_data("--weight", help="Column of survey weights.")]
Ordinal = Annotated[str, _about_data("--ordinal", help="Columns with ordered categories.")]
Nominal = Annotated[str, _about_data("--nominal", help="Columns with plain categories.")]
Delimiter = Annotated[str | None, _about_data("--delimiter", help="Of a CSV file.")]
Encoding = Annotated[str | None, _about_data("--encoding", help="Of a CSV file.")]
Decimal = Annotated[str | None, _about_data("--decimal", help="Mark in a CSV file.")]
Missing = Annotated[str, _about_data("--missing", help="Texts for a missing value, ?,NA.")]


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
