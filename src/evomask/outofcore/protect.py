"""Protect a file larger than memory with the best recipe found on a sample; resume any job.

Recipes of methods that need only additive statistics of the file are tried on a sample, which gives
a front. The chosen point is applied to all chunks, measured and verified there.
"""

import json
import secrets
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from evomask.data.frames import Declarations
from evomask.data.schema import Role
from evomask.engine.front import UNBOUNDED, Bounds, FrontPoint, stable_reference, validate_pick
from evomask.engine.offers import check_accepted
from evomask.errors import ParameterError, RunError, UnmetError
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import Local
from evomask.io.chunks import Alike, class_sizes, parquet_files
from evomask.io.files import replace_file
from evomask.masking.chunk_recipes import guaranteed_k
from evomask.masking.enforce.requirement import NOTHING, Requirement
from evomask.outofcore.compare import ChunkComparison, Comparison
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
    survey,
)
from evomask.outofcore.recipes import (
    POINTS,
    RecipeSearch,
    StoredFront,
    apply_recipe,
    candidates,
    front_notes,
    read_front,
    recipe_cells,
)
from evomask.outofcore.release import ChunksPromise, CountedGuarantees, finalize, shuffle_chunks
from evomask.outofcore.reports import ChunkedProtection, render_reports
from evomask.report.describe import describe_provenance
from evomask.report.protection import Choice, choose_from_front
from evomask.runs.inputs import Input, check_described
from evomask.runs.store.release import PointId, read_key
from evomask.runs.store.run_folder import RunFolder, refuse_links

DEFAULT_TRIALS = 100
"""Default number of recipes to try."""

POINT_INDEPENDENT = ("converted", "survey-", "values-", "sample-", "try-")
"""Prefixes of work files that do not depend on the chosen point."""


@dataclass(frozen=True)
class RecipeJob:
    """Protection of a large file by a recipe, and the output folder.

    Args:
        requirement: k only; then only recipes that guarantee it are tried.
        evaluations: number of recipes to try on the sample.
        pick: which point of the front is applied.
        bounds: upper bounds of the released file.
        hierarchies: folder of hierarchies; others are built from the values.
        key: file of the key that signs the release.
        keep_order: whether the permutation of the released records is stored.
    """

    source: Input
    out: Path
    requirement: Requirement = NOTHING
    evaluations: int = DEFAULT_TRIALS
    pick: str = "suggested"
    bounds: Bounds = UNBOUNDED
    hierarchies: Path | None = None
    seed: int | None = None
    key: Path | None = None
    keep_order: bool = False

    @property
    def settings(self) -> dict[str, object]:
        return {
            "recipes": self.evaluations,
            "requirement": self.requirement.as_text,
            "pick": self.pick,
            "bounds": self.bounds.given,
            "order": self.keep_order,
        }

    def as_told(self) -> dict[str, object]:
        trees = None if self.hierarchies is None else self.hierarchies.resolve()
        return job_fields("recipes", self, key=None, hierarchies=trees)


@dataclass(frozen=True)
class ProtectionOutcome:
    """Outcome of a protection by a recipe.

    Args:
        front: the points on the sample.
        sample, tried: number of records in the sample, and of recipes.
        choice: the chosen point, as measured on the sample.
        k: guaranteed size of equivalence classes; 1 if none is guaranteed.
        compared: loss and risk of the released records.
    """

    out: Path
    front: tuple[FrontPoint, ...]
    sample: int
    tried: int
    choice: Choice
    k: int
    compared: Comparison
    alike: Alike
    parts: int
    seconds: float
    notes: tuple[str, ...] = ()


def protect_parts(
    job: RecipeJob, *, evaluators: Evaluators = Local(), told: Progress = lambda *_: None
) -> ProtectionOutcome:
    """Try recipes on a sample of a large file and apply the chosen one; resumable."""
    began = time.perf_counter()
    _check(job)
    seed = secrets.randbits(63) if job.seed is None else job.seed
    with prepare_file(
        job.source, job.out, job.settings, seed, job.hierarchies, job.as_told()
    ) as file:
        done = _Job(job, file, evaluators, told).done()
    return replace(done, seconds=time.perf_counter() - began)


def choose_in_parts(
    job: RecipeJob,
    pick: str,
    bounds: Bounds = UNBOUNDED,
    *,
    evaluators: Evaluators = Local(),
    told: Progress = lambda *_: None,
) -> ProtectionOutcome:
    """Apply another point of the front; if it breaks its limits, nothing changes."""
    plan = (job.out / PLAN).read_bytes()
    other = replan_choice(job, pick, bounds)
    try:
        return protect_parts(other, evaluators=evaluators, told=told)
    except UnmetError:
        with RunFolder(job.out).locked():
            _remove_point_files(job.out)
            replace_file(job.out / PLAN, lambda file: file.write(plan))
        raise


def _remove_point_files(folder: Path) -> None:
    for path in (folder / WORK).iterdir():
        if not path.name.startswith(POINT_INDEPENDENT):
            path.unlink(missing_ok=True)


def replan_choice(job: RecipeJob, pick: str, bounds: Bounds = UNBOUNDED) -> RecipeJob:
    """Return the job with another point of its front; files of the old point are removed.

    Args:
        job: as stored in the folder.
        bounds: upper bounds of the point, which replace those of the job.
    """
    validate_pick(pick)
    folder = job.out
    with RunFolder(folder).locked():
        choice = choose_from_front(pick, candidates(read_front(folder)), bounds)
        check_accepted(choice.candidate, bounds, pick)
        other = replace(job, pick=stable_reference(pick, choice.candidate), bounds=bounds)
        if other.settings != job.settings:
            _remove_point_files(folder)
            plan = read_chunks_plan(folder)
            settings = {**plan.settings, **other.settings}
            plan = msgspec.structs.replace(plan, settings=settings, job=other.as_told())
            text = json.dumps(msgspec.to_builtins(plan), indent=1).encode()
            replace_file(folder / PLAN, lambda file: file.write(text))
    return other


def _check(job: RecipeJob) -> None:
    validate_pick(job.pick)
    check_described(job.source)
    if job.evaluations < 1:
        raise ParameterError(f"evaluations must be at least 1, got {job.evaluations}")
    if job.requirement != Requirement(k=job.requirement.k):
        raise ParameterError(
            "no recipe for chunked files guarantees l or t; leave out --searches to generalize"
        )
    if job.bounds.given.keys() - {"loss", "risk"}:
        raise ParameterError(
            "chunked files do not support tables or models to preserve; leave them out"
        )
    if job.key is not None:
        read_key(job.key)


@dataclass(frozen=True, eq=False)
class _Job:
    job: RecipeJob
    file: PreparedFile
    evaluators: Evaluators
    told: Progress

    def done(self) -> ProtectionOutcome:
        file, job = self.file, self.job
        overview = survey(file, self._declared(), self.evaluators, self.told)
        recipes = RecipeSearch(file, overview, job.requirement.k)
        front = recipes.front(job.evaluations, self.evaluators, self.told)
        points = candidates(front)
        choice = choose_from_front(job.pick, points, job.bounds)
        check_accepted(choice.candidate, job.bounds, job.pick)
        recipe = recipes.all[choice.candidate.number].method
        masked = apply_recipe(file, overview, recipe, self.evaluators, self.told)
        compared = ChunkComparison(
            file, masked, self.evaluators, self.told, cells=recipe_cells(recipe)
        ).compared()
        self._check_bounds(choice.candidate, compared)
        shuffle_chunks(file, masked, self.evaluators, self.told, keep_order=job.keep_order)
        names = file.schema.quasi_identifiers
        k = guaranteed_k(recipe, names)
        named = PointId(choice.candidate.point, choice.candidate.number)
        promised = ChunksPromise(names, k, job.key, shuffled=True, point=named)
        notes = (self._on_promise(k), _sample_note(front, choice.candidate, compared))

        def more(counted: CountedGuarantees) -> dict[str, bytes]:
            found = self._found(front, choice, compared, notes)
            kept = {POINTS: (file.folder / POINTS).read_bytes()}
            return {**render_reports(file, found, counted), **kept}

        alike = finalize(file, promised, more)
        return ProtectionOutcome(
            job.out, points, front.sample, front.tried, choice, k, compared, alike,
            len(file.parts), 0.0, (*file.notes, *notes),
        )  # fmt: skip

    def _declared(self) -> Declarations:
        schema = self.file.schema
        names = (*schema.quasi_identifiers, *schema.with_role(Role.CONFIDENTIAL))
        return {name: self.file.declaration(name) for name in names}

    def _check_bounds(self, chosen: FrontPoint, compared: Comparison) -> None:
        made = replace(chosen, loss=compared.loss, risk=compared.assessment.risk)
        if self.job.bounds.excess(made):
            raise UnmetError(
                f"point {chosen.point} has a loss of {made.loss:.2f} % and a risk of "
                f"{made.risk:.2f} % on all records, but {self.job.bounds} is required; nothing "
                f"was released: choose another point with `evomask choose {self.file.folder} "
                "--point`, or raise the limit"
            )

    def _found(
        self, front: StoredFront, choice: Choice, compared: Comparison, notes: tuple[str, ...]
    ) -> ChunkedProtection:
        names, chosen = self.file.schema.quasi_identifiers, choice.candidate
        paths = dict.fromkeys(Path(place.path) for place in self.file.parts.places)
        return ChunkedProtection(
            self.job.requirement, chosen.making, describe_provenance(chosen.making),
            {"sample": front.sample}, choice.reason, 0, front.tried, compared,
            class_sizes(paths, names),
            class_sizes(parquet_files(self.file.folder / MASKED), names),
            front_notes(front), PointId(chosen.point, chosen.number), notes,
        )  # fmt: skip

    @staticmethod
    def _on_promise(k: int) -> str:
        if k > 1:
            return (
                f"groups of {k} or more records were made on all quasi-identifiers: k = {k} holds"
            )
        return "the recipe does not guarantee k; the k of the release is counted only"


def _sample_note(front: StoredFront, chosen: FrontPoint, compared: Comparison) -> str:
    return (
        f"the front was measured on a sample of {front.sample:,} records; the chosen recipe had a "
        f"loss of {chosen.loss:.2f} % and a risk of {chosen.risk:.2f} % there, and has "
        f"{compared.loss:.2f} % and {compared.assessment.risk:.2f} % on all records"
    )


Job = PartsJob | GeneralizeJob | RecipeJob
JOB_TYPES: dict[object, Any] = {"mask": PartsJob, "protect": GeneralizeJob, "recipes": RecipeJob}
"""Job types by their kind in a plan."""


def read_job(folder: Path, key: Path | None = None) -> Job:
    """Return the job stored in a folder, to resume it.

    Args:
        key: file of the key that signs the release; a plan stores none.
    """
    refuse_links(folder)
    told = dict(read_chunks_plan(folder).job)
    try:
        job: Job = msgspec.convert(
            {**told, "out": str(folder)},
            JOB_TYPES[told.pop("kind", "")],
            dec_hook=lambda wanted, text: wanted(text),
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


def read_recipe_job(folder: Path, key: Path | None = None) -> RecipeJob:
    """Return the job of a folder whose front has other points to choose."""
    job = read_job(folder, key)
    if isinstance(job, RecipeJob):
        return job
    made = (
        "masked by one method" if isinstance(job, PartsJob) else "generalized with the least loss"
    )
    raise RunError(f"the file in {folder} was {made}; there is no other point to choose")
