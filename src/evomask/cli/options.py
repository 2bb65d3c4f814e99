"""Options that many commands share, written once."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evomask.runs.inputs import Input

DATA = "Data"

DataFile = Annotated[Path, typer.Argument(metavar="FILE", help="The file of records.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="Where to write the masked file.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the output if it exists.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no notes on stderr.")]
Seed = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="Repeat a result; keep it secret: it can undo a masking."),
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


def source(
    path: Path,
    schema: Path | None,
    quasi: str,
    confidential: str,
    drop: str,
    ordinal: str,
    nominal: str,
    delimiter: str | None,
    encoding: str | None,
    decimal: str | None,
    missing: str,
) -> "Input":
    """The data options as one description of the input."""
    from evomask.runs.inputs import Input

    return Input(
        path, schema, names(quasi), names(confidential), names(drop), names(ordinal),
        names(nominal), delimiter, encoding, decimal, names(missing),
    )  # fmt: skip
