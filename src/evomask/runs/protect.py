"""Main use case: search for protected versions of a file and release one point of the front.

Recipes of masking methods evolve, refined by all searches that apply (`engine.engine`). Every
candidate is enforced to meet the requirement before it is evaluated. The points of the Pareto front
are evaluated further, and the chosen one is released: by default the least loss within the limits
of risk and loss. Where no point is within them nothing is released, and three points are offered.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import msgspec

from evomask.data.hierarchy import HierarchyDefinitions
from evomask.data.hierarchy_builders import complete_hierarchies
from evomask.data.table import Table
from evomask.engine.engine import lag_for
from evomask.engine.evaluation import EvaluationContext, Settings
from evomask.engine.front import (
    UNBOUNDED,
    Bounds,
    stable_reference,
    validate_pick,
)
from evomask.engine.offers import NotAcceptedError, check_accepted, likely
from evomask.engine.specialists import Specialist, specialists_for
from evomask.engine.state import EngineCodec, EngineState
from evomask.errors import RunError, UnmetError
from evomask.evolution.stopping import Budget
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import Local
from evomask.io.tables import rows_as_parquet
from evomask.masking.enforce.requirement import NOTHING, Requirement, parse_requirement
from evomask.measures.analyses.analyses import NO_ANALYSES, AnalysesToPreserve, PreparedAnalyses
from evomask.measures.loss.loss import parse_loss_weights
from evomask.measures.profiles import profile
from evomask.report.offers import offer_notes
from evomask.report.protection import (
    Protection,
    choose_point,
    is_by_number,
    point_file,
    with_best_within,
    with_files,
)
from evomask.runs.difference import difference_with_earlier
from evomask.runs.exploration import Exploration
from evomask.runs.front_evaluation import (
    FINDINGS,
    SearchOutcome,
    encode_findings,
    evaluate_front,
    read_findings,
    refine_chosen_risk,
    unevaluated,
)
from evomask.runs.inputs import (
    Input,
    Loaded,
    check_described,
    check_stated,
    load,
    note_on_format,
    note_on_seed,
    note_on_width,
    notes_on_leakage,
)
from evomask.runs.options import DEFAULT_SECONDS
from evomask.runs.population_limits import within_limits
from evomask.runs.purposes import expand_purposes
from evomask.runs.release import Release, release
from evomask.runs.saved_release import (
    SavedRelease,
    held_release,
    load_context,
    nested_outcome,
)
from evomask.runs.start import NOTHING_GIVEN, Start, load_start
from evomask.runs.store.earlier_releases import EarlierReleases
from evomask.runs.store.journal import (
    EventCallback,
    EventDispatcher,
    Journal,
    NoteAdded,
    Phase,
    RunEnded,
    RunOutcome,
    record_outcome,
)
from evomask.runs.store.preserved_analyses import (
    ERRORS,
    check_bounds,
    compare_front,
    encode_errors,
    prepare_analyses,
    read_errors,
)
from evomask.runs.store.release import change_note, check_changes
from evomask.runs.store.run_control import (
    StopRequest,
)
from evomask.runs.store.run_folder import (
    Plan,
    RunFolder,
    SnapshotWriter,
    build_plan,
    changed_versions,
    extend_budget,
    front_rows,
    released_files,
)
from evomask.runs.store.run_summary import FRONT
from evomask.runs.store.signature import read_key
from evomask.runs.synthetic import baselines, check_baseline
from evomask.searches.base import SearchInput
from evomask.searches.catalogue import GIVEN

PROTECT = "protect"
"""What the plan of a protection says instead of the name of a search."""


@dataclass(frozen=True)
class ProtectJob:
    """Job of `protect_file` and `protect_table`.

    Args:
        folder: run folder; it must be new or empty.
        loss: weights of the parts of the loss, such as ``accuracy=1,relations=2``.
        seconds: budget for everything but the first compilation; 120 if no limit is given.
        seed: drawn from the system when absent, and stored in the run folder only.
        evaluations: budget in files, where tasks count by their cost; reproducible to the byte.
        searches: names of the searches; all applicable ones where none is named.
        pick: rule for the released point.
        keep: analyses to preserve, besides those of the schema.
        bounds: upper bounds of the released point.
        keep_order: whether the order of the released records is stored.
        key: file of the key that signs the release.
        width: ignored, with a note where it is not 1; earlier versions ran so many searches in
            parallel rounds.
        baseline: alternative release that is evaluated and shown in the reports.
        start: recipes (``.toml``) and masked versions of the file that are evaluated first.
    """

    source: Input
    folder: Path
    requirement: Requirement = NOTHING
    profile: str = "strict"
    loss: str = ""
    seconds: float | None = None
    seed: int | None = None
    evaluations: int | None = None
    searches: tuple[str, ...] = ()
    pick: str = "suggested"
    keep: AnalysesToPreserve = NO_ANALYSES
    bounds: Bounds = UNBOUNDED
    keep_order: bool = False
    key: Path | None = None
    width: int = 1
    baseline: str = ""
    start: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        check_baseline(self.baseline)

    @property
    def budget(self) -> Budget:
        """Budget of the search and everything after it."""
        unlimited = self.seconds is None and self.evaluations is None
        return Budget(None, self.evaluations, DEFAULT_SECONDS if unlimited else self.seconds)


def required(text: str) -> Requirement:
    """Parse a requirement such as ``k=5,l=2,t=0.3``."""
    return parse_requirement(text)


def protect_file(
    job: ProtectJob,
    *,
    evaluators: Evaluators = Local(),
    watch: EventCallback | None = None,
    stop: StopRequest | None = None,
    began: float | None = None,
) -> Release:
    """Search for the front of protected files and release the chosen point with its reports.

    Args:
        began: start of the budget's seconds by the monotonic clock; now by default.
    """
    validate_pick(job.pick)
    profile(job.profile)
    check_described(job.source)
    RunFolder.check_new(job.folder)
    if job.key is not None:
        read_key(job.key)
    events = EventDispatcher(watch, began=began)
    with record_outcome(events):
        events.begin(Phase.LOADING, f"reading {job.source.path}")
        loaded = load(job.source)
        notes = (
            *note_on_format(job.source.path),
            *notes_on_leakage(loaded.table),
            *note_on_width(job.width),
        )
        for note in notes:
            events.begin(Phase.LOADING, note)
        start = load_start(job.start, loaded)
        loaded = replace(loaded, notes=(*loaded.notes, *notes, *start.notes))
        check_stated(loaded.table, loaded.stated)
        keep, uses = expand_purposes(loaded.keep + job.keep, loaded.table)
        loaded = replace(loaded, notes=(*loaded.notes, *uses))
        job = replace(job, keep=keep, bounds=job.bounds.with_errors(keep.limits))
        statistics = prepare_analyses(loaded.table, keep, job.bounds)
        seed = secrets.randbits(63) if job.seed is None else job.seed
        context = context_for(loaded.table, job, seed, events, loaded.hierarchies, start, keep)
        plan = build_plan(
            PROTECT,
            job.source,
            context.settings,
            seed=seed,
            budget=job.budget,
            pick=job.pick,
            keep=keep,
            bounds=job.bounds,
            keep_order=job.keep_order,
            baseline=job.baseline,
            start=start.paths,
        )
        store = RunFolder.create(job.folder, plan)
        with store.locked():
            run = _Run(
                loaded=loaded,
                context=context,
                plan=plan,
                store=store,
                events=events,
                statistics=statistics,
                key=job.key,
            )
            return _release(run, run.explore(evaluators, stop))


def protect_table(
    table: Table,
    job: ProtectJob,
    *,
    evaluators: Evaluators = Local(),
    watch: EventCallback | None = None,
    stop: StopRequest | None = None,
    hierarchies: HierarchyDefinitions | None = None,
    start: Start = NOTHING_GIVEN,
) -> Protection:
    """Search for the front of protected versions of a table in memory; nothing is written."""
    validate_pick(job.pick)
    profile(job.profile)
    keep, uses = expand_purposes(job.keep, table)
    job = replace(job, keep=keep, bounds=job.bounds.with_errors(keep.limits))
    events, journal = EventDispatcher(watch), Journal()
    with record_outcome(events):
        statistics = prepare_analyses(table, job.keep, job.bounds)
        seed = secrets.randbits(63) if job.seed is None else job.seed
        context = context_for(table, job, seed, events, hierarchies or {}, start, job.keep)
        search = Exploration(
            context=context,
            budget=job.budget,
            journal=journal,
            events=events,
            stop=stop or StopRequest(),
            bounds=job.bounds,
            evaluators=evaluators,
            compares=statistics is not None,
        )
        state = with_best_within(search.explore(EngineState()), job.bounds)
        ends = search.deadline
        if statistics:
            state = compare_front(context, state, statistics, {}, events, ends)
        outcome = SearchOutcome(state, journal.times, search.is_unfinished(state), ends)
        try:
            choose_from = partial(choose_point, job.pick, bounds=job.bounds)
            outcome, choice = refine_chosen_risk(context, outcome, choose_from)
            chosen = choice.candidate
        except UnmetError:
            chosen = likely(outcome.state.front, job.bounds)
        done = evaluate_front(
            context=context,
            budget=job.budget,
            outcome=outcome,
            chosen=chosen,
            known={},
            events=events,
            statistics=statistics,
        )
        return replace(
            done,
            notes=(
                *notes_on_leakage(table),
                *note_on_width(job.width),
                *start.notes,
                *uses,
                *done.notes,
            ),
            baselines=baselines(job.baseline, context) if job.baseline else {},
            offers=offer_notes(done, job.bounds),
            phases=events.seconds if done.clocked else {},
        )


def resume_protection(
    folder: Path,
    *,
    evaluators: Evaluators = Local(),
    watch: EventCallback | None = None,
    stop: StopRequest | None = None,
    key: Path | None = None,
    seconds: float | None = None,
    edited_plan: bool = False,
    strict_releases: bool = False,
) -> Release:
    """Continue the protection in a run folder; a key signs the release.

    Args:
        seconds: further seconds to search; by default the rest of the budget.
        strict_releases: refuse to release where another file of the original was released.
    """
    with _open_run(folder, watch, key, edited_plan=edited_plan) as opened:
        run = replace(opened, strict_releases=strict_releases)
        if seconds is not None:
            run = replace(run, plan=extend_budget(run.plan, run.store.journal(), seconds))
        run.context.load_kernels(partial(run.events.begin, Phase.COMPILING))
        run.events.enter(Phase.LOADING)
        return _release(run, run.explore(evaluators, stop))


def choose(
    folder: Path,
    wish: str = "",
    bounds: Bounds = UNBOUNDED,
    *,
    watch: EventCallback | None = None,
    keep_order: bool = False,
    key: Path | None = None,
    edited_plan: bool = False,
    strict_releases: bool = False,
    nested_in: str = "",
    k_together: int | None = None,
) -> Release:
    """Release a point of the front in a run folder, in a new random order, without searching.

    Args:
        wish: ``suggested``, ``balanced``, ``knee``, ``sum``, ``max-risk=20``, ``max-loss=10`` or
            a point's number; by default the rule of the last release.
        bounds: upper bounds of the point; they replace those of the run.
        keep_order: whether the order of the released records is stored.
        key: file of the key that signs the release.
        edited_plan: whether a plan that was edited since the release is accepted.
        strict_releases: refuse to release where another file of the original was released.
        nested_in: run folder, or ``FOLDER:POINT``, of a release that others hold: every point is
            made so coarse that both files together keep the k that is required.
        k_together: refuse a file that has less k together with earlier releases.
    """
    if wish:
        validate_pick(wish)
    with _open_run(folder, watch, key, edited_plan=edited_plan, nested_in=nested_in) as run:
        outcome = run.last_outcome()
        costs: tuple[str, ...] = ()
        if nested_in:
            outcome, costs = nested_outcome(run.context, outcome)
        bounds = replace(bounds, release=bounds.release or run.plan.bounds.release)
        if not is_by_number(wish):
            bounds = bounds.with_errors(run.plan.keep.limits)
        changes = {"pick": wish, "bounds": bounds} if wish else {}
        plan = msgspec.structs.replace(run.plan, keep_order=keep_order, **changes)
        if bounds.given:
            check_bounds(bounds, plan.keep, run.context.table)
        outcome = replace(outcome, state=with_best_within(outcome.state, plan.bounds))
        try:  # unmet limits are an error of this command, and no event of the run
            choice = choose_point(plan.pick, outcome.state, plan.bounds)
            check_accepted(choice.candidate, plan.bounds, plan.pick)
        except UnmetError as error:
            raise _nothing_released(replace(run, plan=plan), outcome, error) from error
        plan = msgspec.structs.replace(plan, pick=stable_reference(plan.pick, choice.candidate))
        run.events.kept_in(run.store.journal())
        loaded = replace(run.loaded, notes=(*costs, *run.loaded.notes))
        strict = replace(
            run,
            plan=plan,
            loaded=loaded,
            strict_releases=strict_releases,
            k_together=k_together,
        )
        return _release(strict, outcome, "chose")


def is_protection(plan: Plan) -> bool:
    """Whether a plan is one of `protect`, not of a single search."""
    return plan.search == PROTECT


def context_for(
    table: Table,
    job: ProtectJob,
    seed: int,
    events: EventDispatcher,
    hierarchies: HierarchyDefinitions,
    start: Start = NOTHING_GIVEN,
    keep: AnalysesToPreserve = NO_ANALYSES,
) -> EvaluationContext:
    """Build the evaluation context of a job, load kernels, and refuse an impossible requirement."""
    file = SearchInput(
        table, job.requirement, job.profile, complete_hierarchies(table, hierarchies)
    )
    members = specialists_for(file, job.searches)
    if start.files:
        members[GIVEN] = Specialist(GIVEN)
    settings = Settings(
        job.requirement,
        job.profile,
        members,
        lag=lag_for(job.budget),
        loss=parse_loss_weights(job.loss),
        start=start.recipes,
        keep=keep,
        limits=job.bounds.of_errors,
    )
    context = EvaluationContext(
        table,
        settings,
        seed,
        file.hierarchies,
        given=start.files,
        objectives=start.objectives,
    )
    context.load_kernels(partial(events.begin, Phase.COMPILING))
    events.enter(Phase.LOADING)
    if not context.guarantees.are_plainly_possible:
        context.releasable(table)
    return context


@dataclass(frozen=True, kw_only=True)
class _Run:
    """A protection in a run folder, with its inputs."""

    loaded: Loaded
    context: EvaluationContext
    plan: Plan
    store: RunFolder
    events: EventDispatcher
    statistics: PreparedAnalyses | None = None
    key: Path | None = None
    changed: tuple[str, ...] = ()
    strict_releases: bool = False
    k_together: int | None = None

    @property
    def codec(self) -> EngineCodec:
        return EngineCodec(self.context)

    def explore(self, evaluators: Evaluators, stop: StopRequest | None) -> SearchOutcome:
        """Search with the rest of the budget, from the newest snapshot."""
        search = self._exploration(evaluators, stop or StopRequest(self.store.folder))
        self.events.kept_in(search.journal)
        snapshots = SnapshotWriter(self.store, self.codec, search.journal)
        before = self.store.newest_state(self.codec) or EngineState()
        if before.rounds:
            search.journal.require(before)
        state = search.explore(before, snapshots.offer)
        snapshots.take(state)
        return self._outcome(search, state)

    def last_outcome(self) -> SearchOutcome:
        """Outcome of the search so far."""
        search = self._exploration(Local(), StopRequest())
        state = self.store.newest_state(self.codec)
        if state is None or not state.front:
            folder = self.store.folder
            raise RunError(f"nothing was found yet; continue with `evomask resume {folder}`")
        search.journal.require(state)
        released = () if FRONT in self.changed else released_files(self.store.folder)
        return self._outcome(search, with_files(state, released))

    def _exploration(self, evaluators: Evaluators, stop: StopRequest) -> "Exploration":
        return Exploration(
            context=self.context,
            budget=self.plan.budget,
            journal=self.store.journal(),
            events=self.events,
            stop=stop,
            bounds=self.plan.bounds,
            evaluators=evaluators,
            compares=self.statistics is not None,
        )

    def _outcome(self, search: "Exploration", state: EngineState) -> SearchOutcome:
        times = search.journal.times[: len(state.rounds)]
        ends = search.deadline
        unfinished = search.is_unfinished(state)
        state = with_best_within(state, self.plan.bounds)
        if self.statistics is not None:
            known = {} if ERRORS in self.changed else read_errors(self.store.folder)
            state = compare_front(self.context, state, self.statistics, known, self.events, ends)
        return SearchOutcome(state, times, unfinished, ends)

    def parts(self, done: Protection) -> dict[str, bytes]:
        """Contents of files that are stored with a release, for later choices."""
        rows = front_rows(done.state, done.findings, self.context)
        errors = {ERRORS: encode_errors(done.state)} if self.statistics else {}
        return {FINDINGS: encode_findings(done.findings), FRONT: rows_as_parquet(rows), **errors}


@contextmanager
def _open_run(
    folder: Path,
    watch: EventCallback | None,
    key: Path | None,
    *,
    edited_plan: bool,
    nested_in: str = "",
) -> Iterator[_Run]:
    """Open and lock a run folder; files that were changed since the release are not used.

    Args:
        nested_in: release in which every point is nested.
    """
    if key is not None:
        read_key(key)
    store = RunFolder(folder)
    if not is_protection(store.plan()):
        raise RunError(
            f"{folder} is the run of a single search, not of protect; use `evomask resume`"
        )
    with store.locked():
        plan, events = store.plan(), EventDispatcher(watch)
        changed = check_changes(folder, edited_plan=edited_plan)
        held = held_release(nested_in, plan) if nested_in else {}
        plan = msgspec.structs.replace(plan, nested_in=held)
        with record_outcome(events):
            events.begin(Phase.LOADING, f"reading {plan.input.path}")
            loaded, context = load_context(plan)
            StopRequest(folder).withdraw()
            notes = (
                *map(change_note, changed),
                *note_on_width(plan.parameters.get("width", 1)),
            )
            yield _Run(
                loaded=replace(loaded, notes=(*loaded.notes, *notes)),
                context=context,
                plan=plan,
                store=store,
                events=events,
                statistics=prepare_analyses(loaded.table, plan.keep, plan.bounds),
                key=key,
                changed=changed,
            )


def _release(run: _Run, outcome: SearchOutcome, did: str = "released") -> Release:
    """Choose a point, evaluate the front, and release the chosen point."""
    folder, events, plan = run.store.folder, run.events, run.plan
    choose_from = partial(choose_point, plan.pick, bounds=plan.bounds)
    try:
        outcome, choice = refine_chosen_risk(run.context, outcome, choose_from)
        check_accepted(choice.candidate, plan.bounds, plan.pick)
        choice = within_limits(choice, run.context, outcome.state, plan.pick)
    except UnmetError as error:
        raise _nothing_released(run, outcome, error) from error
    earlier = EarlierReleases.of(folder, plan.sha256["data"], choice.candidate.number)
    if run.strict_releases:
        earlier.refuse()
    together: tuple[str, ...] = ()
    if earlier.files or earlier.folders:
        masked = point_file(run.context, outcome.state, choice.candidate.number).masked
        required, data = run.context.settings.requirement, plan.sha256["data"]
        current = SavedRelease("this file", run.loaded, masked, required, data, folder)
        together = difference_with_earlier(current, earlier, least=run.k_together)
    known = {} if FINDINGS in run.changed else read_findings(folder)
    done = evaluate_front(
        context=run.context,
        budget=plan.budget,
        outcome=outcome,
        chosen=choice.candidate,
        known=known,
        events=events,
        statistics=run.statistics,
    )
    journal = run.store.journal()
    journal.require(outcome.state)
    notes = (*earlier.notes, *together, *journal.damage, *run.loaded.notes, *done.notes)
    notes = (*notes, *changed_versions(plan), *note_on_seed(plan.seed))
    instead = baselines(plan.baseline, run.context) if plan.baseline else {}
    done = replace(done, notes=notes, baselines=instead)
    events.begin(Phase.RELEASING, f"writing the file and its reports into {folder}")
    for note in done.notes:
        events.tell(NoteAdded(note))
    if done.clocked:
        done = replace(done, phases=events.seconds)
    (chosen,) = (point for point in done.front if point.number == choice.candidate.number)
    released = release(
        done,
        replace(choice, candidate=chosen),
        run.loaded,
        plan,
        folder,
        did=did,
        earlier=earlier,
        parts=run.parts(done),
        key=run.key,
    )
    ending = RunOutcome.STOPPED if done.unfinished else RunOutcome.FINISHED
    released = replace(released, phases=events.seconds)
    events.tell(RunEnded(ending, point=released.chosen.point))
    return released


class NothingReleasedError(UnmetError):
    """A search ended without a release; the run is kept.

    Args:
        protection: its front, and three offers; no point was evaluated further.
        wish, bounds: what was asked for.
        beyond: measures of the named point beyond their limits, with value and limit.
    """

    def __init__(self, error: UnmetError, plan: Plan, folder: Path, protection: Protection) -> None:
        super().__init__(str(error))
        self.folder, self.protection = folder, protection
        self.wish, self.bounds = plan.pick, plan.bounds
        self.beyond = error.beyond if isinstance(error, NotAcceptedError) else {}


def _nothing_released(run: _Run, outcome: SearchOutcome, error: UnmetError) -> NothingReleasedError:
    """Record that nothing is released, and describe what could be."""
    plan = run.plan
    done = unevaluated(run.context, plan.budget, outcome)
    journal = run.store.journal()
    notes = (*journal.damage, *run.loaded.notes, *done.notes, *changed_versions(plan))
    done = replace(done, notes=notes, offers=offer_notes(done, plan.bounds))
    ended = RunOutcome.STOPPED if outcome.unfinished else RunOutcome.FINISHED
    run.events.tell(RunEnded(ended, str(error), offers=done.offers))
    return NothingReleasedError(error, plan, run.store.folder, done)
