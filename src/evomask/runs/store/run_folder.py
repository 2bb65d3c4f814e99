"""The folder of a run (plan, journal, snapshots, front, lock), and the list of runs in a folder.

The plan is everything that the result of a run depends on, written as TOML. The folder is readable
by its owner only, because snapshots hold records. A killed run resumes from it.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import IO, Any, Generic, TypeAlias, TypeVar

import msgspec
import tomli_w

from evomask.data.parameters import parameters_of, parse_parameters
from evomask.engine.evaluation import EvaluationContext, Settings
from evomask.engine.front import UNBOUNDED, Bounds, FrontPoint
from evomask.engine.state import EngineState
from evomask.errors import EvomaskError, FileError, ParameterError, RunError
from evomask.evolution.checkpoint import Arrays, Codec, arrays_as_bytes, read_state, write_state
from evomask.evolution.stopping import Budget
from evomask.io.files import check_name, replace_file
from evomask.io.schemas import SchemaFile, describe_error, read_schema
from evomask.io.tables import read_frame, rows_as_parquet
from evomask.measures.analyses.analyses import NO_ANALYSES, AnalysesToPreserve
from evomask.report.describe import point_fields
from evomask.report.protection import PointEvaluation
from evomask.runs.inputs import Input, population_table_of
from evomask.runs.store import run_summary
from evomask.runs.store.journal import (
    Event,
    Journal,
    JournalFollower,
    RunEnded,
    RunState,
    read_events,
)
from evomask.runs.store.release import complete_release
from evomask.runs.store.run_control import request_stop
from evomask.runs.store.run_summary import is_running
from evomask.searches.base import RELEASED_DRAW, MaskingProblem, Search
from evomask.system import NO_LINKS, SYSTEM

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
        keep: analyses that must be preserved.
        bounds: upper bounds of the released point.
        keep_order: whether the permutation of the released records is stored.
        baseline: alternative release that the reports show for comparison.
        start: masked versions of the file that the search started from.
        nested_in: run folders of releases in which the released file is nested, and the numbers
            of their files.
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
    start: tuple[Path, ...] = ()
    nested_in: dict[str, int] = msgspec.field(default_factory=dict)
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
    start: tuple[Path, ...] = (),
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
        sha256={} if at_hand else _hashes(source, plain, start),
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
        start=tuple(path.absolute() for path in start),
    )


def search_parameters(plan: Plan, search: Search) -> Any:  # noqa: ANN401
    """Return the parameters in a plan as the search's type."""
    try:
        return msgspec.convert(plan.parameters, search.parameters)
    except msgspec.ValidationError as error:
        raise ParameterError(
            f"the plan does not fit {search.name}: {describe_error(error)}"
        ) from None


def protection_settings(plan: Plan) -> Settings:
    """Return the settings of a planned protection."""
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
    now = _hashes(plan.input, plan.parameters, plan.start)
    for part in plan.sha256.keys() | (
        now.keys() if any(part.startswith("hierarchy") for part in plan.sha256) else set()
    ):
        if plan.sha256.get(part) != now.get(part):
            what = f"{part} file" if part in ("data", "schema") else part
            raise RunError(
                f"the {what} has changed since the run began; "
                "restore the old one or start a new run"
            )


def changed_versions(plan: Plan) -> tuple[str, ...]:
    """A note for each library whose version has changed since the run began."""
    now = {name: version(name) for name in plan.versions if name != "python"}
    return tuple(
        f"the run began with {name} {plan.versions[name]}, and {there} is installed now; results "
        f"may differ"
        for name, there in now.items()
        if there != plan.versions[name]
    )


def _absolute(source: Input) -> Input:
    schema = source.schema and source.schema.absolute()
    table = source.population_table and source.population_table.absolute()
    return replace(source, path=source.path.absolute(), schema=schema, population_table=table)


def _hashes(
    source: Input, parameters: Mapping[str, Any], start: Sequence[Path] = ()
) -> dict[str, str]:
    files = {"data": source.path, "schema": source.schema, **_hierarchy_files(source, parameters)}
    files |= {f"masked file {number} to start from": path for number, path in enumerate(start, 1)}
    schema = read_schema(source.schema) if source.schema else SchemaFile()
    files["population table"] = population_table_of(source, schema)
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


SEARCH_SECONDS = "searching"
"""Journal note: seconds of the search."""


def extend_budget(plan: Plan, journal: Journal, seconds: float) -> Plan:
    """Return the plan with *seconds* more of search from now on, and note it in the journal.

    With 0 seconds the search is over: its front is evaluated and a point is released.
    """
    before = plan.budget.seconds
    if before is None:
        raise ParameterError(
            "the budget of this run is a number of files; resume it without --seconds"
        )
    total = journal.seconds + seconds
    change = total - float(journal.notes.get(SEARCH_SECONDS, before))
    journal.note(SEARCH_SECONDS, total)
    budget = replace(plan.budget, seconds=max(1.0, before + change))
    return msgspec.structs.replace(plan, budget=budget)


Row: TypeAlias = dict[str, object]


def search_rows(points: Sequence[FrontPoint], plan: Plan, problem: MaskingProblem) -> list[Row]:
    """One row for each point of a single search."""
    return [
        front_row(
            point.as_json(),
            {"operator": point.individual.operator},
            plan.parameters,
            {"serial": point.individual.serial, "born": point.individual.born},
            problem.pack(point.individual.genome),
            point.draw,
        )
        for point in points
    ]


def released_files(folder: Path) -> tuple[int, ...]:
    """Numbers of the files on the front of the last release; none before a release."""
    try:
        frame = read_frame(folder / run_summary.FRONT)
    except FileError:
        return ()
    return tuple(frame["file"].to_list()) if "file" in frame.columns else ()


def front_rows(
    state: EngineState, found: Mapping[int, PointEvaluation], maker: EvaluationContext
) -> list[Row]:
    """One row for each point of a front, with its evaluation."""
    return [
        _candidate_row(candidate, state.genomes[candidate.number], maker)
        | _evaluation_columns(found.get(candidate.number))
        for candidate in state.front
    ]


def front_row(
    shown: Mapping[str, object],
    maker: Mapping[str, object],
    parameters: Mapping[str, Any],
    birth: Mapping[str, int],
    recipe: Arrays,
    draw: int,
) -> Row:
    """One point: its public fields, its provenance and its packed genome.

    Args:
        draw: number of the random draw that is released, if masking is random.
        recipe: the packed genome.
    """
    return {
        **shown,
        **maker,
        "parameters": json.dumps(parameters, sort_keys=True),
        **birth,
        "draw": draw,
        "recipe": arrays_as_bytes(recipe),
    }


def _candidate_row(candidate: FrontPoint, genome: Any, maker: EvaluationContext) -> Row:  # noqa: ANN401
    return front_row(
        point_fields(candidate),
        {"member": candidate.member, "making": msgspec.json.encode(candidate.making).decode()},
        candidate.parameters,
        {"serial": candidate.serial, "round": candidate.round},
        maker.breeder(candidate.member).setup(candidate.member).problem.pack(genome),
        RELEASED_DRAW,
    )


def _evaluation_columns(finding: PointEvaluation | None) -> Row:
    return {**finding.guarantees, **finding.measures} if finding else {}


MOST_SNAPSHOTS = 2

LOCK_WAITS = (0.02, 0.05, 0.1, 0.2)
"""Seconds to wait between attempts to take a lock that another process holds."""


S = TypeVar("S", bound=RunState)


class BusyError(RunError):
    """Another process is running in the folder."""


def refuse_links(folder: Path) -> None:
    """Raise if a folder is a symbolic link or holds one, as files would go elsewhere."""
    if folder.is_symlink():
        raise RunError(f"{folder} is a link; give the folder that it points to")
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            raise RunError(f"{path} is a link, and a run folder must not contain links; remove it")


class RunFolder:
    """The folder of one run.

    The codec decides the type of its states: of a single search, or of the engine.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def create(cls, folder: Path, plan: Plan) -> "RunFolder":
        """Create a folder that holds a plan."""
        cls.check_new(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o700)
        except OSError as error:
            raise RunError(f"{folder} cannot be made: {error.strerror or error}") from None
        store = cls(folder)
        with store.locked():
            cls.check_new(folder)
            store.save_plan(plan)
        return store

    @staticmethod
    def check_new(folder: Path) -> None:
        """Raise if a folder is not empty or cannot be created."""
        check_name(folder)
        if folder.exists() and (not folder.is_dir() or any(folder.glob("[!.]*"))):
            raise RunError(
                f"{folder} is not empty; go on with `evomask resume {folder}` "
                "if it holds a run, or choose another folder"
            )
        refuse_links(folder)
        above = next((place for place in folder.absolute().parents if place.exists()), folder)
        if not above.is_dir() or not os.access(above, os.W_OK):
            raise RunError(f"{folder} cannot be made: {above} is not a writable folder")

    def save_plan(self, plan: Plan) -> None:
        content = encode_plan(plan)
        replace_file(self.folder / run_summary.PLAN, lambda file: file.write(content))

    def plan(self) -> Plan:
        if not os.path.lexists(self.folder / run_summary.PLAN):
            raise RunError(f"{self.folder} holds no run; give a run folder")
        refuse_links(self.folder)
        try:
            return decode_plan((self.folder / run_summary.PLAN).read_bytes())
        except OSError:
            raise RunError(f"{self.folder} holds no run; give a run folder") from None

    def journal(self) -> Journal:
        return Journal(self.folder / run_summary.JOURNAL)

    def save_state(self, state: S, codec: Codec[S]) -> None:
        """Write a snapshot and delete all but the most recent ones."""
        path = self.folder / f"state-{state.generation:012d}.npz"
        replace_file(path, lambda file: write_state(file, state, codec))
        for old in self.snapshot_files()[MOST_SNAPSHOTS:]:
            old.unlink()

    def newest_state(self, codec: Codec[S]) -> S | None:
        """Return the most recent complete snapshot, if there is one."""
        for path in self.snapshot_files():
            try:
                with path.open("rb") as file:
                    return read_state(file, codec)
            except (OSError, RunError):
                continue
        return None

    def save_front(self, rows: Sequence[Row]) -> None:
        content = rows_as_parquet(rows)
        replace_file(self.folder / run_summary.FRONT, lambda file: file.write(content))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the run; complete a committed release that a kill interrupted."""
        refuse_links(self.folder)
        with self._lock() as lock:
            for wait in LOCK_WAITS:
                with suppress(OSError):
                    if SYSTEM.lock(lock.fileno()):
                        break
                time.sleep(wait)
            else:
                raise BusyError(f"another process works on {self.folder}; wait for it")
            complete_release(self.folder)
            yield

    def _lock(self) -> IO[bytes]:
        """Open the lock file; symbolic links are not followed."""
        try:
            handle = os.open(
                self.folder / run_summary.LOCK, os.O_RDWR | os.O_CREAT | NO_LINKS, 0o600
            )
        except OSError as error:
            raise RunError(f"{self.folder} cannot be locked: {error.strerror or error}") from None
        return os.fdopen(handle, "r+b")

    @property
    def is_busy(self) -> bool:
        return is_running(self.folder)

    def snapshot_files(self) -> list[Path]:
        return sorted(self.folder.glob("state-*.npz"), reverse=True)


SNAPSHOT_TIME_SHARE = 0.05
"""Largest share of the time that snapshots may take."""

MOST_SECONDS_BETWEEN = 30.0
"""Seconds after which a snapshot is due in any case."""


class SnapshotWriter(Generic[S]):
    """Takes a snapshot after a number of evaluations, or every half minute.

    It waits while snapshots would take more than a twentieth of the time.

    Args:
        every: evaluations between two snapshots; with 0 every offered state is due.
        since: evaluations at the start of the run.
    """

    def __init__(
        self,
        store: RunFolder,
        codec: Codec[S],
        journal: Journal,
        *,
        every: int = 0,
        since: int = 0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._codec, self._journal = store, codec, journal
        self._every, self._saved, self._now = every, since, now
        self._ended, self._not_before = now(), now()

    def offer(self, state: S) -> None:
        """Take a snapshot if one is due."""
        started = self._now()
        enough = state.evaluations - self._saved >= self._every
        if (
            enough or started - self._ended >= MOST_SECONDS_BETWEEN
        ) and started >= self._not_before:
            self.take(state)

    def take(self, state: S) -> None:
        """Take a snapshot, after the journal is on disk."""
        started = self._now()
        self._journal.sync()
        self._store.save_state(state, self._codec)
        self._saved, self._ended = state.evaluations, self._now()
        self._not_before = self._ended + (self._ended - started) / SNAPSHOT_TIME_SHARE


class RunStatus(StrEnum):
    """Status of a run."""

    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"
    BROKEN_OFF = "broken off"


@dataclass(frozen=True)
class RunSummary:
    """Summary of a run.

    Args:
        search: ``protect``, or the name of a single search.
        file: name of the protected file.
        share: share of the budget that is used, from 0 to 1.
        points: number of points on the front.
        released: number of the released point, if any.
        reason: why it failed, if it did.
    """

    name: str
    folder: Path
    search: str
    file: str
    standing: RunStatus
    share: float = 0.0
    seconds: float = 0.0
    points: int = 0
    released: int | None = None
    reason: str = ""


class RunList:
    """The runs in a folder, each in a folder of its own; other folders are skipped."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __iter__(self) -> Iterator[RunSummary]:
        for path in sorted(self._folder.glob(f"*/{run_summary.PLAN}")):
            try:
                yield _summarize(path.parent)
            except EvomaskError:
                continue

    def find(self, name: str) -> RunSummary:
        return _summarize(self._home(name))

    def events(self, name: str) -> tuple[Event, ...]:
        return read_events(self._home(name) / run_summary.JOURNAL)

    def stop(self, name: str) -> None:
        """Request a stop: the run finishes its round and saves its results."""
        folder = self._home(name)
        if not RunFolder(folder).is_busy:
            raise RunError(f"{name} is not running; there is nothing to stop")
        request_stop(folder)

    def _home(self, name: str) -> Path:
        folder = self._folder / name
        if folder.parent != self._folder or not (folder / run_summary.PLAN).is_file():
            raise RunError(f"there is no run {name!r} in {self._folder}; check the name")
        return folder


def _summarize(folder: Path) -> RunSummary:
    store, journal = RunFolder(folder), JournalFollower(folder)
    plan = store.plan()
    journal.look()
    course, end = journal.course, journal.course.ended
    return RunSummary(
        name=folder.name,
        folder=folder,
        search=plan.search,
        file=plan.input.path.name,
        standing=_status(store, end),
        share=course.share,
        seconds=course.seconds,
        points=len(course.front),
        released=end.point if end else None,
        reason=end.reason if end else "",
    )


def _status(store: RunFolder, end: RunEnded | None) -> RunStatus:
    if store.is_busy:
        return RunStatus.RUNNING
    return RunStatus.BROKEN_OFF if end is None else RunStatus(end.how.value)
