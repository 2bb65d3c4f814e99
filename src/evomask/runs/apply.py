"""Applying a recipe to a file: the same masking of other records with the same columns.

Steps whose parameters depend on the data are fitted to the new file, what is required in every
scenario is enforced there, and loss and risk are measured beside those that the recipe promises.
Where a guarantee cannot hold, an error says where, and nothing is written.
"""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from evomask.data.schema import Schema
from evomask.data.table import Table
from evomask.engine.engine import Engine
from evomask.engine.evaluation import EvaluationContext, Settings
from evomask.engine.front import FrontPoint
from evomask.engine.specialists import Specialist
from evomask.engine.state import EngineCodec, EngineState
from evomask.errors import DataError, EvomaskError, SchemaError
from evomask.evolution.stopping import Budget
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import InProcess, Local
from evomask.io.schemas import PromisedSection, SchemaFile, read_schema
from evomask.io.tables import WrittenFile, check_table_target, rows_as_parquet, write_table
from evomask.masking.enforce.enforcement import Enforcement
from evomask.masking.enforce.requirement import Requirement, parse_requirement, required_in
from evomask.masking.recipe import Recipe
from evomask.measures.loss.loss import parse_loss_weights
from evomask.report.protection import Choice, point_file
from evomask.runs.difference import difference_with_earlier
from evomask.runs.front_evaluation import (
    FINDINGS,
    SearchOutcome,
    encode_findings,
    evaluate_front,
)
from evomask.runs.inputs import Input, Loaded, check_stated, files_of, load, note_on_seed
from evomask.runs.protect import PROTECT, ProtectJob, protect_file
from evomask.runs.recipes import SavedRecipe, check_steps, read_recipe, scenario_risks
from evomask.runs.release import Release, prepare_release, release
from evomask.runs.saved_release import SavedRelease
from evomask.runs.store.earlier_releases import EarlierReleases
from evomask.runs.store.journal import EventCallback, EventDispatcher, Journal, Phase
from evomask.runs.store.release import draw_order, file_hash
from evomask.runs.store.run_folder import RunFolder, build_plan, front_rows
from evomask.runs.store.run_summary import FRONT, PLAN
from evomask.runs.store.signature import read_key
from evomask.searches.catalogue import RECIPES

ONCE = Budget(None, 1, None)
"""Budget of one evaluation."""

ANY = -1
"""No candidate: an application releases its only one."""

REASON = "the recipe that was given"
"""Why a file that a recipe masked is released."""


@dataclass(frozen=True)
class ApplyJob:
    """Job of `apply_file`.

    Args:
        recipe: file of the recipe.
        source: file to mask; without a schema, the columns are declared by the recipe.
        out: masked file, or a new folder for a release with its reports.
        seed: by default that of the recipe, or drawn from the system if it has none.
        keep_order: whether the order of the released records is stored in the folder.
        key: file of the key that signs the release in the folder.
        force: whether an existing file is replaced.
        strict_releases: refuse where another file of the same original was released.
        k_together: refuse a file that has less k together with earlier releases.
        person: column by which people of the recipe's original are found again in this file.
    """

    recipe: Path
    source: Input
    out: Path
    seed: int | None = None
    keep_order: bool = False
    key: Path | None = None
    force: bool = False
    strict_releases: bool = False
    k_together: int | None = None
    person: str = ""


@dataclass(frozen=True, eq=False)
class AppliedRecipe:
    """A recipe applied to a table, with its loss and risk there.

    Args:
        state: of an engine that evaluated this recipe only.
        point: loss and risk.
        masked: masked table in the order of the original.
        promised: loss and risk that the recipe states.
        seconds: duration of masking and measuring.
    """

    context: EvaluationContext
    state: EngineState
    point: FrontPoint
    masked: Table
    promised: PromisedSection
    seconds: float
    notes: tuple[str, ...] = ()

    @property
    def scenarios(self) -> dict[str, float]:
        """Risk in each scenario, if there are several."""
        return scenario_risks(self.point.assessment)


@dataclass(frozen=True, eq=False)
class Application:
    """A written masked file, and the release that it belongs to if it was written to a folder."""

    applied: AppliedRecipe
    written: WrittenFile
    release: Release | None = None


def apply_file(job: ApplyJob, tell: Callable[[str], None] = lambda _: None) -> Application:
    """Apply a recipe to a file, and write the masked file or a release.

    Args:
        tell: callback with a sentence on what is done now.
    """
    saved = read_recipe(job.recipe)
    is_folder = job.out.is_dir() or not job.out.suffix
    if is_folder:
        RunFolder.check_new(job.out)
        _ = job.key and read_key(job.key)
    else:
        inputs = (*files_of(job.source), job.recipe)
        check_table_target(job.out, force=job.force, inputs=inputs)
    source, schema = _with_schema(job.source, job.recipe, saved)
    loaded = load(source)
    check_columns(loaded.table.schema, schema)
    check_stated(loaded.table, loaded.stated)
    earlier = EarlierReleases.of(job.out, file_hash(source.path), ANY, job.recipe.parent)
    if job.strict_releases:
        earlier.refuse()
    loaded = replace(loaded, notes=(*earlier.notes, *loaded.notes))
    applied = apply_recipe(saved, loaded, job.seed, tell)
    applied = _beside_earlier(applied, loaded, source, job, earlier)
    if not is_folder:
        return Application(applied, _write(applied, loaded, job))
    tell("evaluating the masked file")
    done = _release(applied, replace(loaded, notes=applied.notes), source, job, earlier)
    return Application(applied, done.written, done)


def search_from_recipe(
    job: ApplyJob,
    seconds: float,
    *,
    evaluators: Evaluators = Local(),
    watch: EventCallback | None = None,
) -> Release:
    """Search for better points on a file, from its masking by a recipe, and release one.

    What the recipe requires holds in every point; a note compares with the loss and risk that it
    states.
    """
    saved = read_recipe(job.recipe)
    source, schema = _with_schema(job.source, job.recipe, saved)
    check_columns(load(source).table.schema, schema)
    earlier = EarlierReleases.of(job.out, file_hash(source.path), ANY, job.recipe.parent)
    if job.strict_releases:
        earlier.refuse()
    file = saved.file
    search = ProtectJob(
        source, job.out, parse_requirement(file.require), file.profile, file.loss, seconds,
        job.seed, keep_order=job.keep_order, key=job.key, start=(job.recipe,),
    )  # fmt: skip
    return protect_file(search, evaluators=evaluators, watch=watch)


def _beside_earlier(
    applied: AppliedRecipe, loaded: Loaded, source: Input, job: ApplyJob, earlier: EarlierReleases
) -> AppliedRecipe:
    """Compare with earlier releases, and with that of the recipe if a column links both."""
    of_recipe = job.recipe.parent.resolve()
    if job.person and of_recipe not in earlier.folders and (of_recipe / PLAN).is_file():
        earlier = replace(earlier, folders=(*earlier.folders, of_recipe))
    if not earlier.folders:
        return applied
    required = applied.context.settings.requirement
    data = file_hash(source.path)
    current = SavedRelease("this file", loaded, applied.masked, required, data, job.out)
    together = difference_with_earlier(current, earlier, job.person, job.k_together)
    return replace(applied, notes=(*together, *applied.notes))


def _with_schema(source: Input, path: Path, saved: SavedRecipe) -> tuple[Input, SchemaFile]:
    """Let the recipe declare the columns, unless a schema is given."""
    if source.schema is not None:
        return source, read_schema(source.schema)
    if not saved.file.attributes:
        raise SchemaError(f"{path} declares no columns; add [attributes.NAME], or give --schema")
    return replace(source, schema=path), saved.file


def check_columns(schema: Schema, declared: SchemaFile) -> None:
    """Refuse columns that are not declared, which would be released as they are."""
    known = declared.attributes
    new = [name for name in schema.names if name not in known]
    if new and known:
        raise SchemaError(
            f"the recipe does not know {_listed('column', new)} of this file, which would be "
            "released unchanged; remove them, or declare them under [attributes.NAME]"
        )


def _listed(noun: str, names: list[str]) -> str:
    return f"{noun}{'s' if len(names) > 1 else ''} {', '.join(map(repr, names))}"


def apply_recipe(
    saved: SavedRecipe,
    loaded: Loaded,
    seed: int | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> AppliedRecipe:
    """Mask a table by a recipe, enforce what is required, and measure loss and risk."""
    file, table = saved.file, loaded.table
    seed = next((s for s in (seed, file.seed) if s is not None), None)
    seed = secrets.randbits(63) if seed is None else seed
    context = recipe_context(saved, loaded, seed)
    context.load_kernels(tell)
    tell(f"masking {len(table):,} records by the recipe")
    began = time.perf_counter()
    state = _evaluated(context, saved.recipe)
    (point,) = state.front
    masked = point_file(context, state, point.number).masked
    assessment = context.assess_risk(masked, context.twin(RECIPES, saved.recipe, masked))
    if assessment is not None:
        point = replace(point, risk=assessment.risk, assessment=assessment)
        state = replace(state, front=(point,))
    seconds = time.perf_counter() - began
    decoded = context.decoded(RECIPES, saved.recipe)
    notes = (
        *loaded.notes,
        *note_on_seed(seed),
        *context.guarantees.notes,
        *context.guarantees.notes_on(decoded, masked),
    )
    return AppliedRecipe(context, state, point, masked, file.promised, seconds, notes)


def recipe_context(saved: SavedRecipe, loaded: Loaded, seed: int) -> EvaluationContext:
    """Context in which a recipe masks a table; raise where a step cannot."""
    file = saved.file
    check_steps(saved.recipe, loaded.table.schema)
    settings = Settings(
        parse_requirement(file.require),
        file.profile,
        {RECIPES: Specialist(RECIPES)},
        lag=1,
        loss=parse_loss_weights(file.loss),
        start=(saved.recipe,),
    )
    return EvaluationContext(loaded.table, settings, seed, loaded.hierarchies)


def mask_by_recipe(context: EvaluationContext, recipe: Recipe) -> Table:
    """Mask the table by a recipe, and enforce what is required; an error says where it fails."""
    try:
        return context.masked(RECIPES, recipe)
    except EvomaskError as error:
        raise DataError(f"nothing was written: {_why_not(context, recipe) or error}") from None


def _evaluated(context: EvaluationContext, recipe: Recipe) -> EngineState:
    """Return the state of an engine that evaluates the recipe, and nothing else."""
    mask_by_recipe(context, recipe)
    return next(Engine(context, ONCE, Journal(), InProcess(context)).states(EngineState()))


def _why_not(context: EvaluationContext, recipe: Recipe) -> str:
    """Say where a recipe cannot be applied: in a step, or in which scenario."""
    try:
        masked = context.decoded(RECIPES, recipe)
    except EvomaskError as error:
        return f"a step cannot mask this file: {error}"
    table, general = context.table, context.settings.requirement
    for scenario in table.schema.scenarios:
        own = required_in(table.schema, general)[scenario.name]
        alone = replace(table.schema, scenarios=(scenario,))
        if reason := _objection(table.with_schema(alone), masked.with_schema(alone), general):
            return f"in scenario {scenario.name!r}, {own} cannot hold in this file: {reason}"
    reason = _objection(table, masked, general)
    what = "what the scenarios require together" if table.schema.scenarios else str(general)
    return f"{what} cannot hold in this file: {reason}" if reason else ""


def _objection(table: Table, masked: Table, requirement: Requirement) -> str:
    """Why enforcement fails; empty if it does not."""
    try:
        guarantees = Enforcement.of(table, requirement)
        released = guarantees(masked)
    except EvomaskError as error:
        return str(error)
    broken = guarantees.mender.rules.broken_by(released).any()
    return "the edit rules contradict it" if broken else ""


def _write(applied: AppliedRecipe, loaded: Loaded, job: ApplyJob) -> WrittenFile:
    """Write the records in random order, read back and checked."""
    order = draw_order(len(applied.masked))
    required = applied.context.settings.requirement
    masked, spec = prepare_release(applied.masked.take(order), required, loaded)
    return write_table(
        masked,
        job.out,
        force=job.force,
        dialect=loaded.dialect,
        origin=loaded.origin and loaded.origin.shuffled(order),
        spec=spec,
    )


def _release(
    applied: AppliedRecipe,
    loaded: Loaded,
    source: Input,
    job: ApplyJob,
    earlier: EarlierReleases,
) -> Release:
    """Write a run folder whose front is the masked file, and release it."""
    context, events = applied.context, EventDispatcher()
    outcome = SearchOutcome(applied.state, (applied.seconds,))
    done = evaluate_front(context, ONCE, outcome, applied.point, {}, events)
    plan = build_plan(
        PROTECT, source, context.settings, seed=context.seed, budget=ONCE, pick="suggested",
        keep_order=job.keep_order,
    )  # fmt: skip
    notes = (*loaded.notes, *_comparison(applied), *done.notes)
    done = replace(done, notes=notes)
    rows = rows_as_parquet(front_rows(done.state, done.findings, context))
    store = RunFolder.create(job.out, plan)
    with store.locked():
        journal = store.journal()
        journal.tell(applied.state)
        events.kept_in(journal)
        events.begin(Phase.RELEASING, f"writing the file and its reports into {job.out}")
        journal.sync()
        store.save_state(applied.state, EngineCodec(context))
        (chosen,) = done.front
        return release(
            done, Choice(chosen, REASON), loaded, plan, job.out, did="released", earlier=earlier,
            parts={FINDINGS: encode_findings(done.findings), FRONT: rows}, key=job.key,
        )  # fmt: skip


def _comparison(applied: AppliedRecipe) -> tuple[str, ...]:
    """Note on the loss and risk that the recipe states."""
    known, point = applied.promised, applied.point
    if known.loss is None or known.risk is None:
        return ()
    note = (
        f"the recipe had a loss of {known.loss:.2f} % and a risk of {known.risk:.2f} % on the "
        f"{known.records:,} records that it was found on, and has {point.loss:.2f} % and "
        f"{point.risk:.2f} % on these {len(applied.masked):,}"
    )
    return (note,)
