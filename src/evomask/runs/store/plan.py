"""The plan of a run: everything that its result depends on, written as TOML."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Any

import msgspec
import tomli_w

from evomask.data.parameters import parameters_of, parse_parameters
from evomask.engine.front import UNBOUNDED, Bounds
from evomask.errors import ParameterError, RunError
from evomask.evolution.stopping import Budget
from evomask.io.schemas import SchemaFile, describe_error, read_schema
from evomask.measures.analyses.analyses import NO_ANALYSES, AnalysesToPreserve
from evomask.runs.inputs import Input
from evomask.runs.store.journal import Journal
from evomask.searches.base import Search

if TYPE_CHECKING:
    from evomask.engine.evaluation import Settings


FORMAT = 1
SNAPSHOT_EVERY = 1000
HIERARCHIES = "hierarchies"
"""Parameter of a search that names a folder of hierarchies."""


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything that a run depends on, except the number of workers.

    Args:
        parameters: all parameters of the search, including defaults.
        sha256: hashes of all input files: data, schema, hierarchies.
        snapshot: evaluations between two snapshots.
        out: path of the released file.
        pick: which point of the front is released.
        keep: tables and models that must be preserved.
        bounds: upper bounds of the released point.
        keep_order: whether the permutation of the released records is stored.
        baseline: alternative release that the reports show for comparison.
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
    keep: AnalysesToPreserve = NO_ANALYSES
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
    keep: AnalysesToPreserve = NO_ANALYSES,
    at_hand: bool = False,
) -> Plan:
    """Build a plan from options; the parameters of the search are parsed from text."""
    values = parse_parameters(search.name, parameters_of(search.parameters), texts)
    parameters = search.parameters(**values)
    limits = budget or search.budget
    return build_plan(
        search.name, source, parameters, seed=seed, budget=limits, out=out, pick=pick,
        keep=keep, at_hand=at_hand,
    )  # fmt: skip


def build_plan(
    search: str,
    source: Input,
    parameters: object,
    *,
    seed: int,
    budget: Budget,
    out: Path | None = None,
    pick: str = "best",
    keep: AnalysesToPreserve = NO_ANALYSES,
    bounds: Bounds = UNBOUNDED,
    keep_order: bool = False,
    baseline: str = "",
    at_hand: bool = False,
) -> Plan:
    """Build a plan for a search with given parameters.

    Args:
        at_hand: whether the records are in memory, so that there are no files to hash.
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


def search_parameters(plan: Plan, search: Search) -> Any:  # noqa: ANN401
    """Return the parameters in a plan as the search's type."""
    try:
        return msgspec.convert(plan.parameters, search.parameters)
    except msgspec.ValidationError as error:
        raise ParameterError(
            f"the plan does not fit {search.name}: {describe_error(error)}"
        ) from None


def protection_settings(plan: Plan) -> "Settings":
    """Return the settings of a planned protection."""
    from evomask.engine.evaluation import Settings

    try:
        return msgspec.convert(plan.parameters, Settings)
    except msgspec.ValidationError as error:
        raise RunError(
            f"plan.toml cannot be read by this version: {describe_error(error)}"
        ) from None


def encode_plan(plan: Plan) -> bytes:
    """Encode a plan as TOML."""
    plain = _drop_none(msgspec.to_builtins(plan, enc_hook=str))
    return tomli_w.dumps(plain).encode()


def decode_plan(text: bytes) -> Plan:
    """Decode a plan from TOML of this version."""
    try:
        plan = msgspec.toml.decode(text, type=Plan, dec_hook=lambda kind, value: kind(value))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RunError(
            f"plan.toml is not a plan this version can read: {describe_error(error)}"
        ) from None
    if plan.format != FORMAT:
        raise RunError(f"plan.toml has format {plan.format}, this version reads {FORMAT}")
    return plan


def check_input(plan: Plan) -> None:
    """Raise if data, schema or hierarchies have changed since the run began."""
    now = _hashes(plan.input, plan.parameters)
    for part in plan.sha256.keys() | (now.keys() if _lists_hierarchies(plan) else set()):
        if plan.sha256.get(part) != now.get(part):
            what = f"{part} file" if part in ("data", "schema") else part
            raise RunError(
                f"the {what} has changed since the run began; "
                "put the old one back or start a new run"
            )


def _lists_hierarchies(plan: Plan) -> bool:
    """Whether the plan has hashes of hierarchies; those of earlier versions do not."""
    return any(part.startswith("hierarchy") for part in plan.sha256)


def changed_versions(plan: Plan) -> tuple[str, ...]:
    """A note for each library whose version has changed since the run began."""
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
    files = {"data": source.path, "schema": source.schema, **_hierarchy_files(source, parameters)}
    return {part: _sha256(path) for part, path in files.items() if path is not None}


def _hierarchy_files(source: Input, parameters: Mapping[str, Any]) -> dict[str, Path]:
    """Hierarchies named by the schema, and those in the folder given to the search."""
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


def _drop_none(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {name: _drop_none(part) for name, part in value.items() if part is not None}
    return value


SEARCH_SECONDS, ABANDONED_ROUND = "searching", "given up"
"""Journal notes: seconds of the search, and the round that was abandoned."""


def extend_budget(plan: Plan, journal: Journal, seconds: float) -> Plan:
    """Return the plan with *seconds* more of search from now on, and note it in the journal.

    With 0 seconds the search is over: its front is evaluated and a point is released.
    """
    before = plan.budget.seconds
    if before is None:
        raise ParameterError("the run is bound by a number of files; resume it without --seconds")
    total = journal.seconds + seconds
    change = total - float(journal.notes.get(SEARCH_SECONDS, before))
    journal.note(SEARCH_SECONDS, total)
    journal.note(ABANDONED_ROUND, -1)
    budget = replace(plan.budget, seconds=max(1.0, before + change))
    return msgspec.structs.replace(plan, budget=budget)
