"""What to do, written down: all that a run depends on, as TOML."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Any

import msgspec
import tomli_w

from evomask.data.parameters import parameters_of, read_parameters
from evomask.errors import ParameterError, RunError
from evomask.evolution.stopping import Budget
from evomask.io.schemas import SchemaFile, read_schema, sentence
from evomask.measures.keeping.keeping import NO_STATISTICS, Keeping
from evomask.portfolio.front import UNBOUNDED, Bounds
from evomask.runs.inputs import Input
from evomask.searches.search import Search

if TYPE_CHECKING:
    from evomask.portfolio.worker import Settings

FORMAT = 1
SNAPSHOT_EVERY = 1000
HIERARCHIES = "hierarchies"
"""The parameter by which a search has a folder of value trees read."""


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything a run depends on; the number of workers is not among it.

    Args:
        parameters: all parameters of the search, also those left at their defaults.
        sha256: of every file that was read: data, schema, value trees.
        snapshot: how many evaluations lie between two snapshots.
        out: where the masked file goes in the end.
        pick: which point of the front it is.
        keep: tables and models that must survive.
        bounds: what the released point may have at most.
        keep_order: whether it is kept how the released records were shuffled.
        baseline: what could be released instead, shown in the reports.
    """

    search: str
    seed: int
    input: Input
    sha256: dict[str, str]
    parameters: dict[str, Any]
    budget: Budget
    versions: dict[str, str]
    snapshot: int = SNAPSHOT_EVERY
    out: Path | None = None
    pick: str = "best"
    keep: Keeping = NO_STATISTICS
    bounds: Bounds = UNBOUNDED
    keep_order: bool = False
    baseline: str = ""
    format: int = FORMAT


def make_plan(
    search: Search,
    source: Input,
    texts: Mapping[str, str],
    *,
    seed: int,
    budget: Budget | None = None,
    out: Path | None = None,
    pick: str = "best",
    keep: Keeping = NO_STATISTICS,
    at_hand: bool = False,
) -> Plan:
    """A plan from what a user says; the search's parameters are read from text."""
    values = read_parameters(search.name, parameters_of(search.parameters), texts)
    parameters = search.parameters(**values)
    limits = budget or search.budget
    return plan_of(
        search.name, source, parameters, seed=seed, budget=limits, out=out, pick=pick,
        keep=keep, at_hand=at_hand,
    )  # fmt: skip


def plan_of(
    search: str,
    source: Input,
    parameters: object,
    *,
    seed: int,
    budget: Budget,
    out: Path | None = None,
    pick: str = "best",
    keep: Keeping = NO_STATISTICS,
    bounds: Bounds = UNBOUNDED,
    keep_order: bool = False,
    baseline: str = "",
    at_hand: bool = False,
) -> Plan:
    """A plan for a search whose parameters are at hand.

    Args:
        at_hand: whether the records are, too: then there are no files to know again.
    """
    plain = msgspec.to_builtins(parameters)
    return Plan(
        search=search,
        seed=seed,
        input=_absolute(source),
        sha256={} if at_hand else _hashes(source, plain),
        parameters=plain,
        budget=budget,
        versions={name: version(name) for name in ("evomask", "numpy")}
        | {"python": python_version()},
        out=out and out.absolute(),
        pick=pick,
        keep=keep,
        bounds=bounds,
        keep_order=keep_order,
        baseline=baseline,
    )


def parameters_in(plan: Plan, search: Search) -> Any:  # noqa: ANN401
    """The plan's parameters as the search wants them."""
    try:
        return msgspec.convert(plan.parameters, search.parameters)
    except msgspec.ValidationError as error:
        raise ParameterError(f"the plan does not fit {search.name}: {sentence(error)}") from None


def settings_in(plan: Plan) -> "Settings":
    """What the files of a planned protection are made by."""
    from evomask.portfolio.worker import Settings

    try:
        return msgspec.convert(plan.parameters, Settings)
    except msgspec.ValidationError as error:
        raise RunError(f"plan.toml cannot be read by this version: {sentence(error)}") from None


def encode_plan(plan: Plan) -> bytes:
    """The plan as TOML."""
    plain = _without_nothing(msgspec.to_builtins(plan, enc_hook=str))
    return tomli_w.dumps(plain).encode()


def decode_plan(text: bytes) -> Plan:
    """The plan in a TOML file of this version."""
    try:
        plan = msgspec.toml.decode(text, type=Plan, dec_hook=lambda kind, value: kind(value))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RunError(
            f"plan.toml is not a plan this version can read: {sentence(error)}"
        ) from None
    if plan.format != FORMAT:
        raise RunError(f"plan.toml has format {plan.format}, this version reads {FORMAT}")
    return plan


def check_input(plan: Plan) -> None:
    """Refuse to go on with other records, roles or value trees than those the run began with."""
    now = _hashes(plan.input, plan.parameters)
    for part in plan.sha256.keys() | (now.keys() if _names_trees(plan) else set()):
        if plan.sha256.get(part) != now.get(part):
            what = f"{part} file" if part in ("data", "schema") else part
            raise RunError(
                f"the {what} has changed since the run began; "
                "put the old one back or start a new run"
            )


def _names_trees(plan: Plan) -> bool:
    """Whether the plan tells of value trees; those of earlier versions do not."""
    return any(part.startswith("hierarchy") for part in plan.sha256)


def changed_versions(plan: Plan) -> tuple[str, ...]:
    """A note for each library that is not the one the run began with."""
    now = {name: version(name) for name in plan.versions if name != "python"}
    return tuple(
        f"the run began with {name} {plan.versions[name]}, this is {there}; results may differ"
        for name, there in now.items()
        if there != plan.versions[name]
    )


def _absolute(source: Input) -> Input:
    schema = source.schema and source.schema.absolute()
    return replace(source, path=source.path.absolute(), schema=schema)


def _hashes(source: Input, parameters: Mapping[str, Any]) -> dict[str, str]:
    """Everything that is read from files: data, schema, and every value tree."""
    files = {"data": source.path, "schema": source.schema, **_trees(source, parameters)}
    return {part: _sha256(path) for part, path in files.items() if path is not None}


def _trees(source: Input, parameters: Mapping[str, Any]) -> dict[str, Path]:
    """The value trees that a schema names, and those in the folder that a search was given."""
    schema = read_schema(source.schema) if source.schema else SchemaFile()
    named = {n: Path(d.hierarchy) for n, d in schema.declarations.items() if d.hierarchy}
    folder = parameters.get(HIERARCHIES)
    others = sorted(Path(folder).glob("*.csv")) if isinstance(folder, str) and folder else []
    return {
        **{f"hierarchy of {name}": path for name, path in named.items()},
        **{f"hierarchy in {path.name}": path for path in others},
    }


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror or error}") from None


def _without_nothing(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {name: _without_nothing(part) for name, part in value.items() if part is not None}
    return value
