"""Single search: one file, one search of the catalogue, a front and a masked file.

`search_file` plans a search from the options of a user; `perform` carries out a plan, from the
start or from its newest snapshot.
"""

import secrets
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import msgspec

from evomask.data.chart import Chart
from evomask.data.table import Table
from evomask.engine.front import FrontPoint, pick, validate_pick
from evomask.engine.kernel_loading import compile_for
from evomask.engine.specialists import note_on_strata
from evomask.evolution.checkpoint import StateCodec
from evomask.evolution.individual import Individual, Outcome, Task
from evomask.evolution.loop import Decide, Observer, Setup, Worker, begin, evolve
from evomask.evolution.schemes import Alone
from evomask.evolution.state import State, Summary
from evomask.evolution.stopping import Budget, either, idle, not_before
from evomask.evolution.streams import breeding_stream, draw_stream
from evomask.execution.evaluator import Evaluator, Evaluators
from evomask.execution.local import Local
from evomask.io.files import check_not_input
from evomask.io.tables import check_table_target, write_table
from evomask.masking.enforce.enforcement import Enforcement
from evomask.measures.analyses.analyses import (
    NO_ANALYSES,
    AnalysesToPreserve,
    PreparedAnalyses,
    errors_of,
)
from evomask.measures.analyses.estimates import AnalysisComparison
from evomask.measures.attacks.audit import audit
from evomask.runs.inputs import Input, Loaded, check_stated, files_of, load, note_on_seed
from evomask.runs.release import replace_numbers
from evomask.runs.store.journal import (
    EventCallback,
    EventDispatcher,
    GenerationFinished,
    Journal,
    NoteAdded,
    Phase,
    RunEnded,
    RunOutcome,
    record_outcome,
)
from evomask.runs.store.run_control import StopRequest
from evomask.runs.store.run_folder import (
    HIERARCHIES,
    Plan,
    RunFolder,
    SnapshotWriter,
    changed_versions,
    check_input,
    make_plan,
    search_parameters,
    search_rows,
)
from evomask.searches.base import (
    RELEASED_DRAW,
    MaskingProblem,
    SearchContext,
    overrides,
)
from evomask.searches.catalogue import search_named

INITIAL_BEST, FIRST_SERIAL = "initial_best", "initial_best_serial"

MOST_OVERRUN = 1.1
"""Share of the allowed evaluations above which a note says how many were used."""

PROOF = "proof"
"""Operator of the result of a proof, and key of the proof in the journal."""

TOLERATED = 5.0
"""Percentage points by which a held-out attack may improve on the evolved file unreported."""


@dataclass(frozen=True)
class Limits:
    """Budget set by the user; the default is the budget of the search.

    Args:
        stalled, equal_means, target: conditions that end the search earlier; see `Budget`.
    """

    generations: int | None = None
    evaluations: int | None = None
    seconds: float | None = None
    stalled: int | None = None
    equal_means: int | None = None
    target: float | None = None

    def budget(self, default: Budget) -> Budget:
        """Budget of the limits, or the default, with the conditions that end it earlier."""
        given = self.generations, self.evaluations, self.seconds
        budget = default if given == (None, None, None) else Budget(*given)
        return replace(
            budget, stalled=self.stalled, equal_means=self.equal_means, target=self.target
        )


@dataclass(frozen=True)
class SearchJob:
    """Job of a single search.

    Args:
        options: parameters of the search as text, by name.
        out: path of the masked file of the picked point.
        folder: run folder; nothing is stored when absent.
        seed: drawn from the system when absent, and not shown.
        keep: analyses to preserve, besides those of the schema.
    """

    source: Input
    search: str
    options: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = Limits()
    out: Path | None = None
    pick: str = "best"
    folder: Path | None = None
    seed: int | None = None
    force: bool = False
    keep: AnalysesToPreserve = NO_ANALYSES


@dataclass(frozen=True, kw_only=True)
class Run:
    """Result of a plan.

    Args:
        initial_best: best of the first genomes, as JSON.
        chosen: point whose masked file was requested.
        answer: further results of this kind of search, for the chosen point and the whole run.
        charts: figures of the whole run, if this kind of search has any.
        kept: analyses to preserve, before and after masking, for the chosen point.
        file_of: makes the masked file of a point, with edit rules enforced.
    """

    plan: Plan
    state: State[Any]
    front: tuple[FrontPoint, ...]
    best: FrontPoint
    initial_best: Mapping[str, object]
    chosen: FrontPoint
    answer: Mapping[str, object]
    seconds: float
    notes: tuple[str, ...]
    charts: Sequence[Chart] = ()
    kept: tuple[AnalysisComparison, ...] = ()
    file_of: Callable[[FrontPoint], Table] | None = field(default=None, repr=False)


def search_file(
    job: SearchJob,
    *,
    loaded: Loaded | None = None,
    evaluators: Evaluators = Local(),
    watch: EventCallback | None = None,
) -> Run:
    """Search for masked versions of a file; errors in the job are reported before it starts.

    Args:
        loaded: a table in memory, which is searched instead of the file of the job.
    """
    validate_pick(job.pick)
    if job.out is not None:
        check_table_target(job.out, force=job.force, inputs=files_of(job.source))
    search = search_named(job.search)
    plan = make_plan(
        search,
        job.source,
        job.options,
        seed=secrets.randbits(63) if job.seed is None else job.seed,
        budget=job.limits.budget(search.budget),
        out=job.out,
        pick=job.pick,
        keep=job.keep,
        at_hand=loaded is not None,
    )
    store = None if job.folder is None else RunFolder.create(job.folder, plan)
    return perform(plan, store, loaded=loaded, evaluators=evaluators, watch=watch)


def perform(
    plan: Plan,
    store: RunFolder | None = None,
    *,
    loaded: Loaded | None = None,
    evaluators: Evaluators = Local(),
    watch: EventCallback | None = None,
    stop: StopRequest | None = None,
) -> Run:
    """Carry out a plan; with a store, continue from its newest snapshot and write results there."""
    if loaded is None:
        check_input(plan)
    if plan.out is not None:
        check_not_input(plan.out, files_of(plan.input))
    events = EventDispatcher(watch)
    with nullcontext() if store is None else store.locked():
        journal = Journal() if store is None else store.journal()
        stop = stop or StopRequest(None if store is None else store.folder)
        if store is not None:
            stop.withdraw()
            events.kept_in(journal)
        with record_outcome(events):
            return _perform(_Session(plan, journal, events, stop, store), evaluators, loaded)


def resume(
    folder: Path,
    *,
    evaluators: Evaluators = Local(),
    watch: EventCallback | None = None,
    stop: StopRequest | None = None,
) -> Run:
    """Continue the run in a folder."""
    store = RunFolder(folder)
    return perform(store.plan(), store, evaluators=evaluators, watch=watch, stop=stop)


def perform_alone(
    plan: Plan, operator: str, *, generations: int, evaluators: Evaluators = Local()
) -> State[Any]:
    """Carry out a plan with one operator only and return the last state; nothing is written."""
    budget = replace(plan.budget, generations=generations)
    plan = msgspec.structs.replace(plan, budget=budget)
    session = _Session(plan, Journal(), EventDispatcher(), StopRequest())
    loaded = loaded_for(plan)
    setup = set_up(plan, loaded, session.journal.decide)
    setup = replace(setup, scheme=Alone(setup.scheme, operator))
    return _evolve(session, setup, loaded, evaluators)


@dataclass(frozen=True)
class _Session:
    """A plan with its journal, events, stop request and run folder."""

    plan: Plan
    journal: Journal
    events: EventDispatcher
    stop: StopRequest
    store: RunFolder | None = None


def _codec(setup: Setup[Any]) -> StateCodec[Any]:
    return StateCodec(setup.problem.pack, setup.problem.unpack, setup.archive)


def _perform(session: _Session, evaluators: Evaluators, in_memory: Loaded | None = None) -> Run:
    plan, events = session.plan, session.events
    events.begin(Phase.LOADING, f"reading {plan.input.path}")
    loaded = in_memory or loaded_for(plan)
    if session.store is None or not session.store.snapshot_files():
        check_stated(loaded.table, loaded.stated)
    guarantees, keep = Enforcement.of(loaded.table), plan.keep + loaded.keep
    statistics = keep.against(loaded.table) if keep else None
    compile_for(plan.search, partial(events.begin, Phase.COMPILING))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        setup = set_up(plan, loaded, session.journal.decide, evaluators.workers)
    warned = tuple(str(warning.message) for warning in caught)
    loaded = replace(loaded, notes=(*loaded.notes, *session.journal.damage, *warned))
    events.begin(Phase.SEARCHING)
    state = _prove(session, setup, _evolve(session, setup, loaded, evaluators))
    run = _result(session, setup, state, loaded, statistics)
    if statistics is not None:
        run = replace(run, kept=statistics.compare(guarantees(_decode(run.chosen, setup))))
    run = replace(
        run,
        notes=(
            *run.notes,
            *_note_on_evaluations(plan, state),
            *_write_masked(run, setup, guarantees, loaded),
        ),
        file_of=lambda point: guarantees(_decode(point, setup)),
    )
    for note in run.notes:
        events.tell(NoteAdded(note))
    events.tell(RunEnded(RunOutcome.STOPPED if session.stop.is_asked else RunOutcome.FINISHED))
    return run


def _note_on_evaluations(plan: Plan, state: State[Any]) -> tuple[str, ...]:
    """Note where the last generation used far more evaluations than were allowed."""
    allowed = plan.budget.evaluations
    if allowed is None or state.evaluations <= MOST_OVERRUN * allowed:
        return ()
    note = (
        f"{state.evaluations} evaluations were used and {allowed} allowed: the limit is checked "
        "between generations, and a burst counts every change of a cell or matrix that it tries"
    )
    return (note,)


def _write_masked(
    run: Run, setup: Setup[Any], guarantees: Enforcement, loaded: Loaded
) -> tuple[str, ...]:
    """Write the masked file of the chosen point, edit rules enforced; return notes."""
    if run.plan.out is None:
        return guarantees.notes
    masked = _decode(run.chosen, setup)
    released = guarantees(masked)
    written = write_table(
        replace_numbers(released, loaded),
        run.plan.out,
        force=True,
        dialect=loaded.dialect,
        origin=loaded.origin,
    )
    return (*written.notes, *guarantees.notes, *guarantees.notes_on(masked, released))


def loaded_for(plan: Plan) -> Loaded:
    """Load the file of a plan, with the folder of hierarchies that its parameters may name."""
    folder = plan.parameters.get(HIERARCHIES)
    return load(plan.input, Path(folder) if folder else None)


def set_up(plan: Plan, loaded: Loaded, decide: Decide, workers: int = 1) -> Setup[Any]:
    """Set up the search of a plan for its table."""
    search = search_named(plan.search)
    draws = partial(draw_stream, plan.seed)
    clocked = decide if plan.budget.seconds is not None else None
    keep = plan.keep + loaded.keep
    around = SearchContext(draws, clocked, plan.budget, workers, loaded.hierarchies, keep)
    return search.setup(loaded.table, search_parameters(plan, search), around)


@dataclass(frozen=True)
class SentWorker(Worker[Any]):
    """A worker that is rebuilt in each process, since its problem may not be picklable.

    Args:
        notes: decisions based on time that were made when the problem was set up.
    """

    plan: Plan
    loaded: Loaded
    notes: Mapping[str, Any]

    def __reduce__(self) -> tuple[Callable[..., Worker[Any]], tuple[Any, ...]]:
        """Pickle the plan and the table instead of the problem."""
        return rebuild_worker, (self.plan, replace(self.loaded, origin=None), dict(self.notes))


def rebuild_worker(plan: Plan, loaded: Loaded, notes: Mapping[str, Any]) -> Worker[Any]:
    """Build the same worker in another process, with the same decisions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the run reported them at its start
        return Worker(set_up(plan, loaded, lambda name, _: notes[name]).problem, plan.seed)


def _evolve(
    session: _Session, setup: Setup[Any], loaded: Loaded, evaluators: Evaluators
) -> State[Any]:
    plan, journal, store = session.plan, session.journal, session.store
    observers = _observers(session)
    worker = SentWorker(setup.problem, plan.seed, plan, loaded, journal.notes)
    with evaluators(worker) as work:
        journal.start()
        newest = store.newest_state(_codec(setup)) if store else None
        state = newest or _begin(session, setup, work)
        journal.require(state)
        if store is not None:
            snapshots = SnapshotWriter(
                store, _codec(setup), journal, every=plan.snapshot, since=state.evaluations
            )
            observers.append(lambda *step: snapshots.offer(step[-1]))
        enough = either(plan.budget.until(journal.time_at), idle, lambda _: session.stop.is_asked)
        return evolve(
            state,
            setup.scheme,
            work,
            seed=plan.seed,
            until=not_before(setup.least, enough),
            observers=observers,
            cost=setup.cost,
        )


def _prove(session: _Session, setup: Setup[Any], state: State[Any]) -> State[Any]:
    """Add the result of a proof of optimality, if it is requested and not in the journal."""
    problem: Any = setup.problem
    journal = session.journal
    if PROOF in journal.notes or not overrides(problem, "proved"):
        return state
    session.events.begin(Phase.PROVING, "computing a bound of the optimum")
    proven = problem.proved(state)
    if proven is None:
        return state
    journal.note(PROOF, dict(proven.answer))
    brood, outcomes = (Task(PROOF, (best_of(state, setup),)),), (proven.outcome,)
    after = state.advanced(brood, outcomes, state.population, setup.cost)
    for observe in _observers(session):
        observe(state, brood, outcomes, after)
    return after


def _begin(
    session: _Session, setup: Setup[Any], work: Evaluator[Task[Any], Outcome[Any]]
) -> State[Any]:
    """Evaluate the first generation; the journal keeps its best, to compare with the final one."""
    journal, observers = session.journal, _observers(session)
    state = begin(setup.first, work, archive=setup.archive, observers=observers, cost=setup.cost)
    if INITIAL_BEST not in journal.notes:
        best = best_of(state, setup)
        journal.note(FIRST_SERIAL, best.serial)
        journal.note(INITIAL_BEST, _point(best, setup, session.plan.search, 0).as_json())
    return state


def _observers(session: _Session) -> list[Observer[Any]]:
    """Callbacks of every generation: the journal and the events."""
    journal, events = session.journal, session.events

    def show(*step: Any) -> None:  # noqa: ANN401
        summary: Summary = step[-1].summary
        events.show(
            GenerationFinished(
                summary.generation,
                summary.tasks,
                summary.evaluations,
                summary.best,
                journal.time_at(step[-1]),
            )
        )

    return [lambda *step: journal.tell(step[-1]), show]


def _result(
    session: _Session,
    setup: Setup[Any],
    state: State[Any],
    loaded: Loaded,
    statistics: PreparedAnalyses | None,
) -> Run:
    plan, journal = session.plan, session.journal
    problem: Any = setup.problem
    points = points_of(state, setup, plan.search)
    front = tuple(_with_errors(point, problem, statistics) for point in points)
    winner = best_of(state, setup)
    among = [point for point in front if point.serial == winner.serial]
    last = () if among else (_point(winner, setup, plan.search, len(front) + 1),)
    best = (*among, *(_with_errors(point, problem, statistics) for point in last))[0]
    if session.store is not None:
        session.store.save_state(state, _codec(setup))
        session.store.save_front(search_rows(front, plan, problem))
    chosen = pick(front, plan.pick, best)
    first, proof = journal.notes.get(FIRST_SERIAL), journal.notes.get(PROOF, {})
    answer, charts = _answer(problem, loaded.table, state, chosen, winner, first)
    answer |= proof
    notes = (
        *loaded.notes,
        *changed_versions(plan),
        *note_on_seed(plan.seed),
        *answer.pop("warnings", ()),
        *note_on_strata(plan.search, loaded.table),
        *note_on_progress(state, setup, winner, plan.seed),
    )
    return Run(
        plan=plan,
        state=state,
        front=front,
        best=best,
        initial_best=journal.noted(INITIAL_BEST),
        chosen=chosen,
        answer=answer,
        seconds=journal.seconds,
        notes=notes,
        charts=charts,
    )


def note_on_progress(
    state: State[Any], setup: Setup[Any], best: Individual[Any], seed: int
) -> tuple[str, ...]:
    """Warn where the best is still one of the first individuals and the search could go on."""
    if best.born > 0 or not setup.scheme.propose(state, breeding_stream(seed, state.generation)):
        return ()
    if state.generation < 1:
        return (
            (f"the first {state.tasks} candidates used up the budget: nothing evolved; raise it"),
        )
    found = "found nothing better than the best of the first candidates; more time may help"
    return (f"{state.generation} generations {found}",)


def points_of(state: State[Any], setup: Setup[Any], search: str) -> tuple[FrontPoint, ...]:
    """Archive as points in the order of loss, or of fitness; the best individual if it is empty."""
    individuals = state.archive.members or (best_of(state, setup),)
    points = [_point(individual, setup, search, 0) for individual in individuals]
    ordered = sorted(
        points, key=lambda p: (p.readings.get("loss", 0.0), p.individual.fitness, p.serial)
    )
    return tuple(replace(point, point=place) for place, point in enumerate(ordered, 1))


def _with_errors(
    point: FrontPoint, problem: MaskingProblem, statistics: PreparedAnalyses | None
) -> FrontPoint:
    """Add the errors of analyses to preserve, if there are any."""
    if statistics is None:
        return point
    masked = problem.decode(point.individual.genome, point.draw)
    return replace(point, errors=errors_of(statistics.compare(masked)))


def best_of(state: State[Any], setup: Setup[Any]) -> Individual[Any]:
    """Individual of the least cost; the earliest of equals."""
    individuals = (*state.archive.members, *state.population)
    return min(individuals, key=lambda one: (setup.cost(one.fitness), one.serial))


def _point(individual: Individual[Any], setup: Setup[Any], search: str, place: int) -> FrontPoint:
    """Evaluate an individual in full as a point."""
    problem: MaskingProblem = setup.problem  # type: ignore[assignment]
    readings = problem.read(individual.genome, RELEASED_DRAW)
    measures = {name: float(value) for name, value in readings.items()}
    return FrontPoint(
        number=individual.serial,
        loss=measures.get("loss", inf),
        risk=measures.get("risk", inf),
        search=search,
        member=search,
        operator=individual.operator,
        serial=individual.serial,
        point=place,
        individual=individual,
        draw=RELEASED_DRAW,
        measures=measures,
    )


def _decode(point: FrontPoint, setup: Setup[Any]) -> Table:
    problem: MaskingProblem = setup.problem  # type: ignore[assignment]
    return problem.decode(point.individual.genome, point.draw)


def _answer(
    problem: Any,  # noqa: ANN401
    table: Table,
    state: State[Any],
    chosen: FrontPoint,
    winner: Individual[Any],
    first: Any,  # noqa: ANN401
) -> tuple[dict[str, Any], Sequence[Chart]]:
    """Further results and figures of this kind of search.

    Args:
        first: serial number of the best of the first genomes.
    """
    overview: Mapping[str, object] = {}
    charts: Sequence[Chart] = ()
    if overrides(problem, "overview"):
        overview, charts = problem.overview(state), problem.charts(state)
    answer = {**problem.answer(chosen.individual.genome), **overview}
    if overrides(problem, "compared"):
        files = problem.compared(first, winner.genome)
        answer |= compare_held_out_attacks(table, *files) if files else {}
    return answer, charts


def compare_held_out_attacks(original: Table, first: Table, evolved: Table) -> Mapping[str, object]:
    """Success of held-out attacks on the best first file and the evolved file, with warnings."""
    before, after = attack_successes(original, first), attack_successes(original, evolved)
    worse_by = {name: after[name] - before[name] for name in before}
    found = {
        name: {"initial_best": before[name], "best": after[name], "worse_by": worse_by[name]}
        for name in before
    }
    messages = [
        f"{name} succeeds on {after[name]:.1f} % of the evolved file and on "
        f"{before[name]:.1f} % of the best first one: the search did not use this attack"
        for name in before
        if worse_by[name] > TOLERATED
    ]
    return {"held_out": found, "warnings": messages}


def attack_successes(original: Table, masked: Table) -> dict[str, float]:
    """Success of every held-out attack on a masked file, in percent."""
    found = audit(masked, original, in_order=True).attacks
    return {attack.name: attack.success for attack in found}
