"""``evomask combine``: analyses of several synthetic copies of a file."""

from pathlib import Path
from typing import Annotated

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import progress, say, say_json


@examples(
    'evomask combine copy-1.csv copy-2.csv copy-3.csv --keep-model "income ~ age + education"',
    'evomask combine copy-*.csv --keep-table "region x sex: mean wage" --rule simple --json',
)
@options.with_data_options
def combine(
    copies: Annotated[
        list[Path], typer.Argument(metavar="COPY...", help="Synthetic copies of one file.")
    ],
    rule: Annotated[
        str,
        typer.Option(
            "--rule",
            help="partial (partly synthetic files), simple (also for one copy) or full (each copy "
            "a sample of its own synthetic population).",
        ),
    ] = "partial",
    keep_table: options.KeepTable = None,
    keep_model: options.KeepModel = None,
    keep_indicator: options.KeepIndicator = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    *,
    source: options.Source,
) -> None:
    """Estimate tables, models and indicators from synthetic copies, with combined intervals."""
    from evomask.runs.combine import combine_files
    from evomask.runs.store.preserved_analyses import parse_analyses

    first, *others = copies
    progress(f"combining {len(copies)} copies", quiet=quiet)
    analyses = parse_analyses(keep_table, keep_model, keep_indicator)
    found = combine_files(source(first), others, analyses, rule)
    if json:
        analyses_as_json = [
            {
                "analysis": one.text,
                "meaning": one.meaning,
                "estimates": {
                    name: {"value": own.value, "interval": [own.low, own.high]}
                    for name, own in one.values.items()
                },
            }
            for one in found
        ]
        say_json({"copies": len(copies), "rule": rule, "analyses": analyses_as_json})
        return
    for one in found:
        say(f"{one.text}\n    {one.meaning}; 95 % confidence intervals")
        width = max(map(len, one.values), default=0)
        for name, own in one.values.items():
            say(f"    {name:<{width}}  {own.value:.5g} [{own.low:.5g}, {own.high:.5g}]")
