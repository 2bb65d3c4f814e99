"""``evomask scenarios``: named intruders, what they know of a file, and whom they single out."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import hanging, input_path, notes, say, say_json

if TYPE_CHECKING:
    from evomask.runs.onboarding.scenarios import FileScenario, FileScenarios, LibraryScenario

INDENT = "    "
UNKNOWN = "quasi-identifiers that no scenario knows: "


@examples(
    "evomask scenarios                                    # the library",
    "evomask scenarios survey.csv --schema survey.toml    # with the sample uniques of each",
    "evomask scenarios survey.toml                        # what a schema says, and proposals",
    'evomask scenarios survey.csv --scenario "ex-partner: age, sex, children"',
)
@options.with_data_options
def scenarios(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE|SCHEMA]", help="File of records, or schema (TOML)."),
    ] = None,
    library: options.Library = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    *,
    source: options.Source,
) -> None:
    """List scenarios: who may attack, what they know, and how many people they single out."""
    from evomask.runs.onboarding.scenarios import (
        file_scenarios,
        named_scenarios,
        schema_scenarios,
    )

    if file is None:
        found = named_scenarios(library)
        say_json(_library_as_json(found)) if json else say("\n".join(_library_lines(found)))
        return
    if file.suffix.lower() == ".toml":
        of_file = schema_scenarios(file, library)
    else:
        of_file = file_scenarios(source(input_path(file)), library)
    notes(of_file.notes, quiet=quiet)
    say_json(_as_json(of_file)) if json else say("\n".join(_lines(of_file)))


def _library_as_json(found: "tuple[LibraryScenario, ...]") -> dict[str, object]:
    return {
        "scenarios": [
            {
                "name": one.name,
                "knows": list(one.knows),
                "knows_about": {topic: str(amount) for topic, amount in one.knows_about.items()},
                "any": one.any,
                "takes_part": one.takes_part,
                "require": one.require,
                "source": one.source,
                "reason": one.reason,
            }
            for one in found
        ]
    }


def _library_lines(found: "tuple[LibraryScenario, ...]") -> Iterator[str]:
    for one in found:
        known = [topic for topic in one.knows if topic not in one.knows_about]
        known += [f"{topic} within {amount}" for topic, amount in one.knows_about.items()]
        chosen = f"any {one.any} of " if one.any else ""
        yield from hanging(f"{one.name}: ", one.reason)
        yield from hanging(f"{INDENT}knows    ", f"{chosen}{', '.join(known)}")
        yield from hanging(f"{INDENT}require  ", one.require or "as --require")


def _as_json(found: "FileScenarios") -> dict[str, object]:
    return {
        "scenarios": [one.as_json() for one in found.scenarios],
        "known_to_nobody": list(found.unknown),
    }


def _lines(found: "FileScenarios") -> Iterator[str]:
    if not found.scenarios:
        yield "no scenario suits the columns; describe yours below [scenarios] in the schema"
    for one in found.scenarios:
        yield from _scenario_lines(one)
    if found.unknown:
        yield from hanging(UNKNOWN, ", ".join(found.unknown))


def _scenario_lines(one: "FileScenario") -> Iterator[str]:
    origin = "in the schema" if one.origin == "schema" else "proposed"
    yield from hanging(f"{one.scenario.name} ({origin}): ", one.proposed.reason or one.intruder)
    yield from hanging(f"{INDENT}knows     ", one.intruder.removeprefix("an intruder who knows "))
    if one.uniques is not None:
        what = f"units of {one.uniques.unit}" if one.uniques.unit else "records"
        total = f"{one.uniques.in_words} of {one.uniques.records:,} {what}"
        yield from hanging(f"{INDENT}uniques   ", total)
    yield from hanging(f"{INDENT}require   ", one.scenario.require or "as --require")
    if one.proposed.beyond:
        beyond = f"{', '.join(one.proposed.beyond)} (no quasi-identifiers, so never masked)"
        yield from hanging(f"{INDENT}may know  ", beyond)
