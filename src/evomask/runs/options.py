"""Options of ``protect`` and of input files, declared once.

Command line, Python interface and web app take names, types, defaults and help texts from here.
The module imports nothing heavy, so that ``evomask --help`` is fast. A new option of ``protect``
is a field of `ProtectOptions`, a field of `ProtectJob` and, if Python users need it, a parameter
of `evomask.protect`.
"""
# ruff: noqa: RUF009 - each default is a field of a dataclass

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from evomask.runs.inputs import Input
    from evomask.runs.protect import ProtectJob

T = TypeVar("T")

DEFAULT_SECONDS = 120.0
"""Time budget of ``protect`` where neither seconds nor evaluations are given."""

GOALS, SEARCH, LARGE, RELEASE, DATA = (
    "Goals and limits", "Search", "Large files", "Release", "Data",
)  # fmt: skip
"""Groups of options, as headings of the help."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option, as every front end needs it.

    Args:
        flags: names on the command line.
        group: heading of the help below which it is listed.
        minimum: smallest value allowed.
        several: whether a list is given by repeating the option, instead of separated by commas.
        in_parts: whether ``protect --in-parts`` accepts it.
    """

    name: str
    type: Any
    default: Any
    help: str
    group: str
    flags: tuple[str, ...]
    minimum: float | None = None
    several: bool = False
    in_parts: bool = False


def _option(
    default: T,
    text: str,
    group: str,
    *flags: str,
    minimum: float | None = None,
    several: bool = False,
    in_parts: bool = False,
) -> T:
    """Declare a field that is an option; without flags it is called like the field."""
    about = {"help": text, "group": group, "flags": flags, "minimum": minimum}
    declared: T = field(
        default=default, metadata={**about, "several": several, "in_parts": in_parts}
    )
    return declared


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """Roles and kinds of the columns of an input file, and the format of its text."""

    schema: Path | None = _option(None, "Schema file (TOML) with roles and kinds of columns.", DATA)
    quasi: tuple[str, ...] = _option(
        (), "Quasi-identifiers (columns an intruder may know), A,B,C.", DATA
    )
    confidential: tuple[str, ...] = _option((), "Confidential (sensitive) columns.", DATA)
    drop: tuple[str, ...] = _option((), "Direct identifiers, never released.", DATA)
    keep: tuple[str, ...] = _option((), "Columns to release although they look identifying.", DATA)
    household: str = _option("", "Column with the household number, never released.", DATA)
    person: str = _option("", "Column with the number of a person, never released.", DATA)
    weight: str = _option("", "Column of survey weights.", DATA)
    ordinal: tuple[str, ...] = _option((), "Ordinal columns (ordered categories).", DATA)
    nominal: tuple[str, ...] = _option((), "Nominal columns (unordered categories).", DATA)
    delimiter: str | None = _option(None, "Field delimiter of a CSV file.", DATA)
    encoding: str | None = _option(None, "Character encoding of a CSV file.", DATA)
    decimal: str | None = _option(None, "Decimal mark of numbers in text.", DATA)
    thousands: str | None = _option(None, "Mark between thousands of numbers in text.", DATA)
    missing: tuple[str, ...] = _option((), "Texts or codes of missing values, ?,NA,-999.", DATA)
    header: int | None = _option(None, "Row that names the columns [1].", DATA, minimum=1)
    sheet: str | None = _option(None, "Sheet of a workbook; by default the first.", DATA)
    scenarios: tuple[str, ...] = _option(
        (),
        'What an intruder knows, "clerk: age, income ~ 20 %; k=5" or "press: any 3 of age, sex, '
        'job"; may be given several times.',
        DATA,
        "--scenario",
        several=True,
    )
    population_size: float | None = _option(
        None, "People of the population that the file is a sample of.", DATA, minimum=1
    )
    population_table: Path | None = _option(
        None, "File of the population: a column for each attribute, and `count`.", DATA
    )

    def input(self, path: Path) -> "Input":
        """Return the input that consists of a file and these options."""
        from evomask.runs.inputs import Input

        return Input(
            path=path,
            schema=self.schema,
            quasi_identifiers=self.quasi,
            confidential=self.confidential,
            identifiers=self.drop,
            ordinal=self.ordinal,
            nominal=self.nominal,
            delimiter=self.delimiter,
            encoding=self.encoding,
            decimal=self.decimal,
            thousands=self.thousands,
            missing=self.missing,
            header=self.header,
            sheet=self.sheet,
            household=self.household,
            person=self.person,
            keep=self.keep,
            weight=self.weight,
            scenarios=self.scenarios,
            population=self.population_size,
            population_table=self.population_table,
        )


@dataclass(frozen=True, kw_only=True)
class ProtectOptions:
    """Requirements, limits, budget and release options of ``protect``."""

    pick: str = _option(
        "suggested",
        "Point to release: its number, suggested, balanced, knee, sum, max-risk=R, max-loss=L.",
        "",
        "--pick",
        "--point",
        in_parts=True,
    )
    require: str = _option(
        "", "Privacy models that the release must fulfil, k=5,l=2,t=0.3.", GOALS, in_parts=True
    )
    max_risk: str | None = _option(
        None,
        "Release the least loss up to this risk, %, or register=5,insurer=9.",
        GOALS,
        in_parts=True,
    )
    max_loss: float | None = _option(
        None, "Release the least risk with at most this loss, %.", GOALS, in_parts=True
    )
    release: str = _option(
        "public",
        "Who receives the file, public, scientific or secure: largest risk 10, 20 or 35 %.",
        GOALS,
        in_parts=True,
    )
    accept_risk: bool = _option(
        False,  # noqa: FBT003
        "Release although the risk is above its limit.",
        GOALS,
        in_parts=True,
    )
    accept_loss: bool = _option(
        False,  # noqa: FBT003
        "Release although the loss is above its limit.",
        GOALS,
        in_parts=True,
    )
    keep_tables: tuple[str, ...] = _option(
        (),
        'Table to preserve, "education x sex: mean hours <= 5 %"; may be given several times.',
        GOALS,
        "--keep-table",
        several=True,
        in_parts=True,
    )
    keep_models: tuple[str, ...] = _option(
        (),
        'Regression to preserve, "income ~ age <= 5 %"; may be given several times.',
        GOALS,
        "--keep-model",
        several=True,
        in_parts=True,
    )
    keep_indicators: tuple[str, ...] = _option(
        (),
        'Indicator to preserve, "gini(income) by region <= 5 %"; may be given several times.',
        GOALS,
        "--keep-indicator",
        several=True,
        in_parts=True,
    )
    max_table_error: float | None = _option(
        None, "Largest error of preserved tables, %.", GOALS, in_parts=True
    )
    max_model_error: float | None = _option(
        None, "Largest error of preserved models, %.", GOALS, in_parts=True
    )
    uses: tuple[str, ...] = _option(
        (),
        'What the file is for, "regional poverty statistics <= 5 %": preserves its analyses.',
        GOALS,
        "--use",
        several=True,
        in_parts=True,
    )
    replicates: str = _option(
        "",
        'Replicate weights or units for intervals of analyses, "brr: repw*", "units: household".',
        GOALS,
    )
    keep_objective: bool = _option(
        False,  # noqa: FBT003
        "Search for a small mean error of the preserved analyses, as a third objective.",
        GOALS,
        in_parts=True,
    )
    max_indicator_error: float | None = _option(
        None, "Largest error of preserved indicators, %.", GOALS, in_parts=True
    )
    seconds: float | None = _option(
        None, f"Time budget in seconds [{DEFAULT_SECONDS:g}].", SEARCH, minimum=0, in_parts=True
    )
    evaluations: int | None = _option(
        None,
        "Stop after N candidate files; reproducible with --seed.",
        SEARCH,
        minimum=1,
        in_parts=True,
    )
    searches: tuple[str, ...] = _option(
        (),
        "Searches that refine recipes, partition,files [default: all that apply].",
        SEARCH,
        in_parts=True,
    )
    start: tuple[str, ...] = _option(
        (),
        "Recipe (.toml) or masked version of FILE to start from; may be given several times.",
        SEARCH,
        several=True,
        in_parts=True,
    )
    profile: str = _option(
        "strict", "Risk measure: strict (all intruders) or papers (as published).", SEARCH
    )
    loss: str = _option(
        "", "Weights of the parts of the loss, accuracy=1,distributions=1,relations=2.", SEARCH
    )
    baseline: str = _option(
        "",
        "Compare with synthetic records: synthetic, cart, bayesian-network, private=EPS.",
        SEARCH,
    )
    seed: int | None = _option(
        None, "Random seed; keep it secret, it can undo masking.", SEARCH, minimum=0, in_parts=True
    )
    keep_order: bool = _option(
        False,  # noqa: FBT003
        "Save the permutation of the records (order.npy).",
        RELEASE,
        in_parts=True,
    )
    key_file: Path | None = _option(
        None, "Secret key that signs the release.", RELEASE, in_parts=True
    )

    def job(self, source: "Input", folder: Path) -> "ProtectJob":
        """Return the job that protects an input with these options and writes to a folder."""
        from evomask.runs.protect import ProtectJob, required
        from evomask.runs.store.preserved_analyses import build_bounds, parse_analyses

        return ProtectJob(
            source=source,
            folder=folder,
            requirement=required(self.require),
            profile=self.profile,
            loss=self.loss,
            seconds=self.seconds,
            seed=self.seed,
            evaluations=self.evaluations,
            searches=self.searches,
            pick=self.pick,
            keep=replace(
                parse_analyses(self.keep_tables, self.keep_models, self.keep_indicators, self.uses),
                objective=self.keep_objective,
                replicates=self.replicates,
            ),
            bounds=build_bounds(
                self.max_risk,
                self.max_loss,
                self.max_table_error,
                self.max_model_error,
                self.max_indicator_error,
                release=self.release,
                accept_risk=self.accept_risk,
                accept_loss=self.accept_loss,
            ),
            keep_order=self.keep_order,
            key=self.key_file,
            baseline=self.baseline,
            start=tuple(map(Path, self.start)),
        )

    def command_words(self) -> list[str]:
        """Return the options that differ from their defaults, as words of a command."""
        words: list[str] = []
        for option in declared(type(self)):
            value = getattr(self, option.name)
            if value in (option.default, None, ()):
                continue
            if option.several:
                words += [word for text in value for word in (option.flags[0], text)]
            elif value is True:
                words.append(option.flags[0])
            else:
                words += [
                    option.flags[0],
                    ",".join(value) if isinstance(value, tuple) else _text(value),
                ]
        return words


def risk_limits(limits: float | Mapping[str, float] | None) -> str | None:
    """Write limits of the risk, of all or of single scenarios, as the option `max_risk`.

    The empty name stands for all scenarios that are not named.
    """
    if limits is None or isinstance(limits, int | float):
        return None if limits is None else _number(limits)
    parts = ((f"{name}=" if name else "", limit) for name, limit in limits.items())
    return ",".join(f"{start}{_number(limit)}" for start, limit in parts)


def _number(limit: float) -> str:
    """Write a number so that it is the same when it is read."""
    return repr(float(limit)).removesuffix(".0")


def declared(options: type[DataOptions] | type[ProtectOptions]) -> Iterator[Option]:
    """Iterate over the options that a class declares, in the order of its fields."""
    for entry in fields(options):
        about = dict(entry.metadata)
        flags = about.pop("flags") or (f"--{entry.name.replace('_', '-')}",)
        yield Option(name=entry.name, type=entry.type, default=entry.default, flags=flags, **about)


def help_of(name: str) -> str:
    """Return the help text of an option of ``protect``."""
    return next(option.help for option in declared(ProtectOptions) if option.name == name)


def _text(value: object) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def readable_endings() -> tuple[str, ...]:
    """Return the endings of the file names that can be read, such as ``.csv`` and ``.csv.gz``."""
    from evomask.io.formats import READABLE

    return READABLE
