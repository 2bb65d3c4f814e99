"""Protect a file larger than memory: search on a sample, apply the recipe to all chunks.

A sample of the records is protected by `runs.protect`, in a run folder of its own (`search/`): the
same engine, plan, journal, reports and choices as for any file. The recipe of its released point is
applied to all chunks, measured and verified there.
"""

import json
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from evomask.data.frames import Declarations
from evomask.data.schema import Kind, Role, Schema
from evomask.engine.front import UNBOUNDED, Bounds, FrontPoint, validate_pick
from evomask.errors import ParameterError, RunError, UnmetError
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import Local
from evomask.io.chunks import FLAG, Alike, class_sizes, parquet_files
from evomask.io.files import replace_file
from evomask.io.paired_chunks import table_of_rows
from evomask.masking.enforce.requirement import Requirement, parse_requirement, required_in
from evomask.masking.enforce.scenarios import maskable
from evomask.measures.disclosure.control_group import combine
from evomask.outofcore.compare import ChunkComparison, Comparison, released_attributes
from evomask.outofcore.generalize import GeneralizeJob
from evomask.outofcore.mask import PartsJob
from evomask.outofcore.prepare import (
    MASKED,
    PLAN,
    WORK,
    PreparedFile,
    Progress,
    job_fields,
    prepare_file,
    read_chunks_plan,
    remove_path,
    survey,
)
from evomask.outofcore.recipes import (
    AppliedChunks,
    apply_recipe,
    masked_twin,
    sample_input,
    with_recipe_hierarchies,
)
from evomask.outofcore.release import (
    ChunksPromise,
    ConfidentialPromise,
    CountedGuarantees,
    ScenarioPromise,
    finalize,
)
from evomask.outofcore.reports import SearchedProtection, record_of_chunks
from evomask.outofcore.shuffle import mix_chunks, shuffle_chunks
from evomask.report.record import ReleaseRecord
from evomask.report.scenarios import required_models
from evomask.runs.inputs import check_described, declarations_of, intruders_of
from evomask.runs.protect import (
    NothingReleasedError,
    ProtectJob,
    choose,
    protect_file,
    resume_protection,
)
from evomask.runs.recipes import RECIPE, SavedRecipe, read_recipe
from evomask.runs.release import Release, load_record, report_parts
from evomask.runs.store.release import PointId, last_entry
from evomask.runs.store.run_folder import RunFolder, refuse_links
from evomask.runs.store.run_summary import PLAN as RUN_PLAN
from evomask.runs.store.signature import read_key
from evomask.searches.catalogue import RECIPES

SEARCH = "search"
"""Folder of the run on the sample."""

POINT_INDEPENDENT = (
    "converted", "deal", "dealt", "mix-", "mixed-", "released-", "values-", "sample-",
)  # fmt: skip
"""Prefixes of work files that do not depend on the chosen point."""


@dataclass(frozen=True)
class ProtectionOutcome:
    """Outcome of a protection by a recipe.

    Args:
        found: record of the search on the sample.
        k: required size of equivalence classes; 1 if none is required.
        compared: loss and risk of the released records.
        suppressed: number of suppressed records.
    """

    out: Path
    found: ReleaseRecord
    k: int
    compared: Comparison
    alike: Alike
    parts: int
    suppressed: int
    seconds: float
    notes: tuple[str, ...] = ()

    @property
    def sample(self) -> int:
        """Number of records in the sample."""
        return self.found.input.records


def protect_parts(
    job: ProtectJob, *, evaluators: Evaluators = Local(), told: Progress = lambda *_: None
) -> ProtectionOutcome:
    """Search on a sample of a large file, and apply the chosen recipe to all chunks; resumable."""
    began = time.perf_counter()
    _check(job)
    seed = secrets.randbits(63) if job.seed is None else job.seed
    stored = job_fields("recipes", job, key=None)
    settings = {"recipes": {n: v for n, v in stored.items() if n not in ("source", "folder")}}
    with prepare_file(job.source, job.folder, settings, seed, job=stored, by_recipe=True) as file:
        done = _Job(replace(job, seed=file.seed), file, evaluators, told).done()
    return replace(done, seconds=time.perf_counter() - began)


def choose_in_parts(
    job: ProtectJob,
    pick: str,
    bounds: Bounds = UNBOUNDED,
    *,
    evaluators: Evaluators = Local(),
    told: Progress = lambda *_: None,
) -> ProtectionOutcome:
    """Apply another point of the front; if it breaks its limits, nothing changes."""
    validate_pick(pick)
    folder, plan = job.folder, (job.folder / PLAN).read_bytes()
    other = replace(job, pick=pick, bounds=bounds)
    released = last_entry(folder / SEARCH)
    choose(folder / SEARCH, pick, bounds)
    with RunFolder(folder).locked():
        _store(other)
    try:
        return protect_parts(other, evaluators=evaluators, told=told)
    except UnmetError:
        if released is not None:
            own = replace(job.bounds, accept_risk=True, accept_loss=True)
            choose(folder / SEARCH, f"file={released.file}", own)
        with RunFolder(folder).locked():
            _remove_point_files(folder)
            replace_file(folder / PLAN, lambda file: file.write(plan))
        raise


def _store(job: ProtectJob) -> None:
    """Write the plan of another choice; files of the earlier point are removed."""
    stored = job_fields("recipes", job, key=None)
    plan = read_chunks_plan(job.folder)
    own = {n: v for n, v in stored.items() if n not in ("source", "folder")}
    plan = msgspec.structs.replace(plan, settings={**plan.settings, "recipes": own}, job=stored)
    _remove_point_files(job.folder)
    text = json.dumps(msgspec.to_builtins(plan), indent=1).encode()
    replace_file(job.folder / PLAN, lambda file: file.write(text))


def _remove_point_files(folder: Path) -> None:
    for path in (folder / WORK).iterdir():
        if not path.name.startswith(POINT_INDEPENDENT):
            remove_path(path)


def _check(job: ProtectJob) -> None:
    validate_pick(job.pick)
    check_described(job.source)
    if job.requirement.limits:
        raise ParameterError(
            "files in parts have no limits of the population risk; require k, or protect a sample"
        )
    schema = declarations_of(job.source)[1]
    scenarios = intruders_of(schema, job.source)
    if any(one.unit for one in scenarios):
        raise ParameterError(
            "k cannot count households or persons in chunks, which may divide them; leave `unit` "
            "out of the scenarios, or protect a sample"
        )
    required = [job.requirement, *(parse_requirement(one.require) for one in scenarios)]
    if any(one.t < 1 for one in required):
        raise ParameterError(
            "t cannot be enforced chunk by chunk, because it refers to the whole file; use "
            "--searches generalization, or leave t out"
        )
    if set(job.searches) - {RECIPES}:
        raise ParameterError(
            "only recipes can be applied to chunks; leave --searches out, or give recipes or "
            "generalization"
        )
    if any(path.suffix != ".toml" for path in job.start):
        raise ParameterError("a search on chunks starts from recipes (.toml) only")
    if job.key is not None:
        read_key(job.key)


@dataclass(frozen=True, eq=False)
class _Job:
    job: ProtectJob
    file: PreparedFile
    evaluators: Evaluators
    told: Progress

    def done(self) -> ProtectionOutcome:
        job, tools = self.job, (self.evaluators, self.told)
        self._check_file()
        file = mix_chunks(self.file, *tools, keep_order=job.keep_order)
        declared = {name: file.declaration(name) for name in released_attributes(file.schema)}
        overview = survey(file, declared, *tools, "released")
        found = self._search(file, overview)
        saved = read_recipe(job.folder / SEARCH / RECIPE)
        file = with_recipe_hierarchies(file, saved, overview.attributes)
        masked = apply_recipe(file, job.folder / SEARCH / RECIPE, file.seed, *tools)
        compared = self._compared(file, saved, masked, declared)
        self._check_bounds(found, compared)
        shuffle_chunks(file, masked.parts, *tools, keep_order=job.keep_order, is_mixed=True)
        return self._released(file, found, saved, masked, compared)

    def _check_file(self) -> None:
        """Raise for a requirement that certainly cannot hold."""
        k, records = self.job.requirement.k, self.file.parts.records
        if k > records:
            raise ParameterError(
                f"k must not exceed the number of records, got k = {k} for {records}; choose a "
                "smaller k"
            )
        if self.job.requirement.l > 1 and not self.file.schema.with_role(Role.CONFIDENTIAL):
            raise ParameterError(
                "l and t require a confidential attribute; name one with --confidential"
            )

    def _compared(
        self, file: PreparedFile, saved: SavedRecipe, masked: AppliedChunks, declared: Declarations
    ) -> Comparison:
        """Compare both files; attribute disclosure is above that of a control group, if any."""
        tools = self.evaluators, self.told
        recipe = self.job.folder / SEARCH / RECIPE
        twin = masked_twin(file, masked.parts, recipe, *tools)
        release = ChunkComparison(
            file,
            masked.parts,
            *tools,
            flag=(FLAG,) if masked.suppressed else (),
            scenarios=tuple(one.scenario(name) for name, one in saved.file.scenarios.items()),
            infers=twin is None,
        )
        found = release.compared()
        if twin is None:
            return found
        control = table_of_rows([twin.control], declared)
        own = replace(
            release, file=twin.file, masked=twin.masked, control=control, links=False, infers=True
        ).compared()
        return replace(
            found,
            assessment=combine(found.assessment, own.assessment),
            original=combine(found.original, own.original),
        )

    def _search(self, file: PreparedFile, overview: Any) -> ReleaseRecord:  # noqa: ANN401
        """Protect the sample, or read what an earlier search released."""
        folder, job = self.job.folder / SEARCH, self.job
        source = sample_input(job.source, file, overview)
        if last_entry(folder) is None:
            self.told("search", 0, 1)
            if (folder / RUN_PLAN).exists():
                done = self._protected(None)
            else:
                own = replace(
                    job, source=source, folder=folder, searches=(RECIPES,), key=None,
                    keep_order=False,
                )  # fmt: skip
                done = self._protected(own)
            if done.protection.unfinished:
                raise KeyboardInterrupt
            self.told("search", 1, 1)
        return load_record(folder)

    def _protected(self, job: ProtectJob | None) -> Release:
        """Protect the sample by a job, or resume its protection."""
        try:
            if job is None:
                return resume_protection(self.job.folder / SEARCH, evaluators=self.evaluators)
            return protect_file(job, evaluators=self.evaluators)
        except NothingReleasedError as nothing:
            raise UnmetError(
                f"{nothing}; the search is saved: `evomask choose {self.job.folder}` applies a "
                "point of its front"
            ) from None

    def _released(
        self,
        file: PreparedFile,
        found: ReleaseRecord,
        saved: SavedRecipe,
        masked: AppliedChunks,
        compared: Comparison,
    ) -> ProtectionOutcome:
        job, names = self.job, file.schema.quasi_identifiers
        scenarios = tuple(scenario_promises(file.schema, saved, job.requirement))
        k = 1 if scenarios else job.requirement.k
        notes = (*file.notes, _sample_note(found, compared))
        promised = ChunksPromise(
            names, k, job.key, tuple(confidential_promises(file.schema, job.requirement)),
            shuffled=True, point=PointId(found.chosen.point, found.chosen.file),
            scenarios=scenarios,
        )  # fmt: skip
        paths = dict.fromkeys(Path(place.path) for place in file.parts.places)

        def more(counted: CountedGuarantees) -> dict[str, bytes]:
            searched = SearchedProtection(
                found, compared, masked.suppressed, class_sizes(paths, names),
                class_sizes(parquet_files(file.folder / MASKED), names), notes,
            )  # fmt: skip
            record = record_of_chunks(file, searched, counted)
            recipe = (job.folder / SEARCH / RECIPE).read_bytes()
            return {**report_parts(record), RECIPE: recipe}

        alike = finalize(file, promised, more)
        return ProtectionOutcome(
            job.folder, found, k, compared, alike, len(file.parts), masked.suppressed, 0.0, notes
        )

    def _check_bounds(self, found: ReleaseRecord, compared: Comparison) -> None:
        limits = replace(
            self.job.bounds, table_error=None, model_error=None, indicator_error=None, error_in={}
        )
        point = FrontPoint(
            found.chosen.file or 0, loss=compared.loss, risk=compared.assessment.risk,
            assessment=compared.assessment,
        )  # fmt: skip
        if limits.excess(point) or limits.beyond(point):
            rule = f"{limits} is required" if limits.excess(point) else f"{limits.in_words} hold"
            raise UnmetError(
                f"point {found.chosen.point} has a loss of {point.loss:.2f} % and a risk of "
                f"{point.risk:.2f} % on all records, but {rule}; nothing was released: choose "
                f"another point with `evomask choose {self.job.folder} --point`, "
                "or raise the limit"
            )


def scenario_promises(
    schema: Schema, saved: SavedRecipe, requirement: Requirement
) -> Iterator[ScenarioPromise]:
    """What must be counted in the written chunks for the intruder of each scenario."""
    scenarios = tuple(entry.scenario(name) for name, entry in saved.file.scenarios.items())
    required = required_in(replace(schema, scenarios=scenarios), requirement)
    for one in scenarios:
        sets = tuple(maskable(schema, names) for names in one.combinations())
        own = required[one.name]
        if sets:
            yield ScenarioPromise(one.name, sets, own.k, own.l, required_models(own))


def confidential_promises(
    schema: Schema, requirement: Requirement
) -> Iterator[ConfidentialPromise]:
    """What must be counted of each confidential attribute."""
    for name in schema.with_role(Role.CONFIDENTIAL):
        own = schema[name]
        order = own.categories if own.kind is Kind.ORDINAL else ()
        l = 1 if schema.scenarios else requirement.l  # noqa: E741
        yield ConfidentialPromise(name, l, 1.0, own.kind is not Kind.NOMINAL, order)


def _sample_note(found: ReleaseRecord, compared: Comparison) -> str:
    chosen = found.chosen
    return (
        f"the search and all points but the released one are those of a sample of "
        f"{found.input.records:,} records; the chosen recipe had a loss of {chosen.loss:.2f} % "
        f"and a risk of {chosen.risk:.2f} % there, and has {compared.loss:.2f} % and "
        f"{compared.assessment.risk:.2f} % on all records"
    )


Job = PartsJob | GeneralizeJob | ProtectJob
JOB_TYPES: dict[object, Any] = {"mask": PartsJob, "protect": GeneralizeJob, "recipes": ProtectJob}
"""Job types by their kind in a plan."""


def read_job(folder: Path, key: Path | None = None) -> Job:
    """Return the job stored in a folder, to resume it.

    Args:
        key: file of the key that signs the release; a plan stores none.
    """
    refuse_links(folder)
    told = dict(read_chunks_plan(folder).job)
    try:
        kind = JOB_TYPES[told.pop("kind", "")]
        place = "folder" if kind is ProtectJob else "out"
        job: Job = msgspec.convert(
            {**told, place: str(folder)}, kind, dec_hook=lambda wanted, text: wanted(text)
        )
    except (msgspec.ValidationError, KeyError, TypeError):
        raise RunError(
            f"{folder / PLAN} does not describe the job; run the same command again to continue"
        ) from None
    if key is None:
        return job
    if isinstance(job, PartsJob):
        raise RunError("masked chunks cannot be signed; leave out --key-file")
    return replace(job, key=key)


def read_recipe_job(folder: Path, key: Path | None = None) -> ProtectJob:
    """Return the job of a folder whose front has other points to choose."""
    job = read_job(folder, key)
    if isinstance(job, ProtectJob):
        return job
    made = (
        "masked by one method" if isinstance(job, PartsJob) else "generalized with the least loss"
    )
    raise RunError(f"the file in {folder} was {made}; there is no other point to choose")
