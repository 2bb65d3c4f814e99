"""Carrying out a plan, from the start or from where it stopped."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from evomask.data.chart import Chart
from evomask.data.table import Table
from evomask.evolution.brood import Outcome, Task
from evomask.evolution.checkpoint import StateCodec
from evomask.evolution.loop import Observer, Worker, begin, evolve
from evomask.evolution.setup import Decide, Setup
from evomask.evolution.state import State, Summary
from evomask.evolution.stopping import either, idle, not_before
from evomask.evolution.streams import draw_stream
from evomask.evolution.study import Alone
from evomask.execution.evaluator import Evaluator, Evaluators
from evomask.execution.local import Local
from evomask.io.files import check_apart
from evomask.io.tables import write_table
from evomask.masking.guarantees.fulfilment import Guarantees
from evomask.measures.keeping.estimates import KeptStatistic
from evomask.measures.keeping.keeping import Kept
from evomask.portfolio.front import pick
from evomask.portfolio.members import note_on_strata
from evomask.portfolio.worker import compile_for
from evomask.runs.inputs import Loaded, check_stated, files_of, load
from evomask.runs.kept.events import (
    Ended,
    Ending,
    Events,
    Generation,
    Noted,
    Phase,
    Watch,
    telling_how_it_ends,
)
from evomask.runs.kept.journal import Journal
from evomask.runs.kept.plan import (
    HIERARCHIES,
    Plan,
    changed_versions,
    check_input,
    parameters_in,
)
from evomask.runs.kept.rows import search_rows
from evomask.runs.kept.stopping import StopRequest
from evomask.runs.kept.store import Snapshots, Store
from evomask.runs.notes import more_may_help, note_on_seed
from evomask.runs.points import Point, answer_of, best_of, compared, decoded, point_of, points_of
from evomask.searches.catalogue import search_named
from evomask.searches.search import Proving, Surroundings

INITIAL_BEST, FIRST_SERIAL = "initial_best", "initial_best_serial"

PROOF = "proof"
"""The operator of what proving found, and the journal's name for what was proved."""


@dataclass(frozen=True)
class Run:
    """A plan carried out.

    Args:
        initial_best: the best of the first genomes, as users see it.
        chosen: the point whose masked file was asked for.
        answer: what this kind of search tells of the chosen point and of the whole run besides.
        charts: figures of the whole run, where this kind of search has any.
        kept: tables and models that must survive, before and after in the chosen file.
        file_of: makes the masked file of a point, its edit rules obeyed.
    """

    plan: Plan
    state: State[Any]
    front: tuple[Point, ...]
    best: Point
    initial_best: Mapping[str, object]
    chosen: Point
    answer: Mapping[str, object]
    seconds: float
    notes: tuple[str, ...]
    charts: Sequence[Chart] = ()
    kept: tuple[KeptStatistic, ...] = ()
    file_of: Callable[[Point], Table] | None = field(default=None, repr=False)


def perform(
    plan: Plan,
    store: Store | None = None,
    *,
    evaluators: Evaluators = Local(),
    watch: Watch | None = None,
    stop: StopRequest | None = None,
) -> Run:
    """Carry out a plan; with a store, go on from its newest snapshot and keep everything there."""
    check_input(plan)
    if plan.out is not None:
        check_apart(plan.out, files_of(plan.input))
    events = Events(watch)
    if store is None:
        with telling_how_it_ends(events):
            return _perform(_Kept(plan, Journal(), events, stop or StopRequest()), evaluators)
    with store.locked():
        journal, asked = store.journal(), stop or StopRequest(store.folder)
        asked.withdraw()
        events.kept_in(journal)
        with telling_how_it_ends(events):
            return _perform(_Kept(plan, journal, events, asked, store), evaluators)


def resume(
    folder: Path,
    *,
    evaluators: Evaluators = Local(),
    watch: Watch | None = None,
    stop: StopRequest | None = None,
) -> Run:
    """Go on with the run kept in a folder."""
    store = Store(folder)
    return perform(store.plan(), store, evaluators=evaluators, watch=watch, stop=stop)


def perform_alone(
    plan: Plan, operator: str, *, generations: int, evaluators: Evaluators = Local()
) -> State[Any]:
    """Carry out a plan with one operator only, for no more than so many generations.

    Nothing is kept but the last state.
    """
    budget = replace(plan.budget, generations=generations)
    plan = msgspec.structs.replace(plan, budget=budget)
    kept, loaded = _Kept(plan, Journal(), Events(), StopRequest()), loaded_for(plan)
    setup = prepared(plan, loaded, kept.journal.decide)
    setup = replace(setup, scheme=Alone(setup.scheme, operator))
    return _evolved(_Underway(kept, setup), loaded, evaluators)


@dataclass(frozen=True)
class _Kept:
    """A plan, where it is told and kept what happens, and who may stop it."""

    plan: Plan
    journal: Journal
    events: Events
    stop: StopRequest
    store: Store | None = None


@dataclass(frozen=True)
class _Underway:
    """A plan being carried out: its search made ready, and where what happens is kept."""

    kept: _Kept
    setup: Setup[Any]

    @property
    def plan(self) -> Plan:
        """All that the run depends on."""
        return self.kept.plan

    @property
    def journal(self) -> Journal:
        """Where every generation is written down."""
        return self.kept.journal

    @property
    def store(self) -> Store | None:
        """The folder of the run, where it is kept."""
        return self.kept.store

    def is_to_stop(self, _: State[Any]) -> bool:
        """Whether somebody asked the run to stop."""
        return self.kept.stop.is_asked

    @property
    def codec(self) -> StateCodec[Any]:
        """How states of this search are kept."""
        problem = self.setup.problem
        return StateCodec(problem.pack, problem.unpack, self.setup.archive)


def perform_loaded(
    plan: Plan, loaded: Loaded, *, evaluators: Evaluators = Local(), watch: Watch | None = None
) -> Run:
    """Carry out a plan on a table at hand; nothing is read, written or kept."""
    events = Events(watch)
    with telling_how_it_ends(events):
        return _perform(_Kept(plan, Journal(), events, StopRequest()), evaluators, loaded)


def _perform(kept: _Kept, evaluators: Evaluators, at_hand: Loaded | None = None) -> Run:
    plan, events = kept.plan, kept.events
    events.begin(Phase.LOADING, f"reading {plan.input.path}")
    loaded = at_hand or loaded_for(plan)
    if kept.store is None or not kept.store.snapshot_files():
        check_stated(loaded.table, loaded.stated)
    guarantees, keep = Guarantees.of(loaded.table), plan.keep + loaded.keep
    statistics = keep.against(loaded.table) if keep else None
    compile_for(plan.search, partial(events.begin, Phase.COMPILING))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        setup = prepared(plan, loaded, kept.journal.decide, evaluators.workers)
    warned = tuple(str(warning.message) for warning in caught)
    loaded = replace(loaded, notes=(*loaded.notes, *warned))
    underway = _Underway(kept, setup)
    events.begin(Phase.SEARCHING)
    state = _proved(underway, _evolved(underway, loaded, evaluators))
    run = _finished(underway, state, loaded, statistics)
    if statistics is not None:
        run = replace(run, kept=statistics.compare(guarantees(decoded(run.chosen, setup))))
    run = replace(
        run,
        notes=(*run.notes, *_released(run, setup, guarantees, loaded)),
        file_of=lambda point: guarantees(decoded(point, setup)),
    )
    for note in run.notes:
        events.tell(Noted(note))
    events.tell(Ended(Ending.STOPPED if kept.stop.is_asked else Ending.FINISHED))
    return run


def _released(
    run: Run, setup: Setup[Any], guarantees: Guarantees, loaded: Loaded
) -> tuple[str, ...]:
    """Write the file that was asked for, its edit rules obeyed; what is to be told of that."""
    if run.plan.out is None:
        return guarantees.notes
    masked = decoded(run.chosen, setup)
    released = guarantees(masked)
    write_table(
        released, run.plan.out, force=True, dialect=loaded.dialect, origin=loaded.origin
    )  # fmt: skip
    return (*guarantees.notes, *guarantees.notes_on(masked, released))


def loaded_for(plan: Plan) -> Loaded:
    """The plan's file, with the value trees of the folder that its parameters may name."""
    folder = plan.parameters.get(HIERARCHIES)
    return load(plan.input, Path(folder) if folder else None)


def prepared(plan: Plan, loaded: Loaded, decide: Decide, workers: int = 1) -> Setup[Any]:
    """The plan's search made ready for its table."""
    search = search_named(plan.search)
    draws = partial(draw_stream, plan.seed)
    clocked = decide if plan.budget.seconds is not None else None
    keep = plan.keep + loaded.keep
    around = Surroundings(draws, clocked, plan.budget, workers, loaded.hierarchies, keep)
    return search.setup(loaded.table, parameters_in(plan, search), around)


@dataclass(frozen=True)
class SentWorker(Worker[Any]):
    """A worker that is made anew in each process it is sent to.

    So a problem may hold what cannot be sent, such as readings bound to their original.

    Args:
        notes: what was decided by the clock when the problem was made here.
    """

    plan: Plan
    loaded: Loaded
    notes: Mapping[str, Any]

    def __reduce__(self) -> tuple[Callable[..., Worker[Any]], tuple[Any, ...]]:
        """The ingredients instead of the problem."""
        return made_anew, (self.plan, replace(self.loaded, origin=None), dict(self.notes))


def made_anew(plan: Plan, loaded: Loaded, notes: Mapping[str, Any]) -> Worker[Any]:
    """The same worker in another process: whatever was decided is decided the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they were told where the run began
        return Worker(prepared(plan, loaded, lambda name, _: notes[name]).problem, plan.seed)


def _evolved(underway: _Underway, loaded: Loaded, evaluators: Evaluators) -> State[Any]:
    plan, setup, journal = underway.plan, underway.setup, underway.journal
    worker = SentWorker(setup.problem, plan.seed, plan, loaded, journal.notes)
    with evaluators(worker) as work:
        journal.start()
        state = _newest(underway) or _begun(underway, work)
        journal.require(state)
        enough = either(plan.budget.until(journal.time_at), idle, underway.is_to_stop)
        until = not_before(setup.least, enough)
        return evolve(
            state,
            setup.scheme,
            work,
            seed=plan.seed,
            until=until,
            observers=[*_watching(underway), *_keeping(underway, state)],
            cost=setup.cost,
        )


def _proved(underway: _Underway, state: State[Any]) -> State[Any]:
    """The state with what proving found, if anybody wants a proof and there is none yet."""
    problem, journal = underway.setup.problem, underway.journal
    if PROOF in journal.notes or not isinstance(problem, Proving):
        return state
    underway.kept.events.begin(Phase.PROVING, "how far from the best possible this is")
    proven = problem.proved(state)
    if proven is None:
        return state
    journal.note(PROOF, dict(proven.answer))
    brood, outcomes = (Task(PROOF, (best_of(state, underway.setup),)),), (proven.outcome,)
    after = state.advanced(brood, outcomes, state.population, underway.setup.cost)
    for observe in _watching(underway):
        observe(state, brood, outcomes, after)
    return after


def _newest(underway: _Underway) -> State[Any] | None:
    return underway.store.newest_state(underway.codec) if underway.store else None


def _begun(underway: _Underway, work: Evaluator[Task[Any], Outcome[Any]]) -> State[Any]:
    """The first generation; its best is noted, to be told beside the best in the end."""
    setup, journal = underway.setup, underway.journal
    watching = _watching(underway)
    state = begin(setup.first, work, archive=setup.archive, observers=watching, cost=setup.cost)
    if INITIAL_BEST not in journal.notes:
        best = best_of(state, setup)
        journal.note(FIRST_SERIAL, best.serial)
        point = point_of(best, setup, underway.plan.search, 0)
        journal.note(INITIAL_BEST, point.as_json())
    return state


def _watching(underway: _Underway) -> list[Observer[Any]]:
    """Who is told of every generation."""
    journal, events = underway.journal, underway.kept.events

    def show(*turn: Any) -> None:  # noqa: ANN401
        summary: Summary = turn[-1].summary
        seconds = journal.time_at(turn[-1])
        events.show(
            Generation(
                summary.generation, summary.tasks, summary.evaluations, summary.best, seconds
            )
        )

    return [journal.observe, show]


def _keeping(underway: _Underway, state: State[Any]) -> list[Observer[Any]]:
    """Who takes snapshots from a state on, where the run is kept."""
    if underway.store is None:
        return []
    snapshots = Snapshots(
        underway.store,
        underway.codec,
        underway.journal,
        every=underway.plan.snapshot,
        since=state.evaluations,
    )
    return [lambda *turn: snapshots.offer(turn[-1])]


def _finished(underway: _Underway, state: State[Any], loaded: Loaded, kept: Kept | None) -> Run:
    plan, setup, journal = underway.plan, underway.setup, underway.journal
    problem: Any = setup.problem
    points = points_of(state, setup, plan.search)
    front = tuple(compared(point, problem, kept) for point in points)
    winner = best_of(state, setup)
    among = [point for point in front if point.individual.serial == winner.serial]
    last = () if among else (point_of(winner, setup, plan.search, len(front) + 1),)
    best = (*among, *(compared(point, problem, kept) for point in last))[0]
    _keep(underway, state, front)
    chosen = pick(front, plan.pick, best)
    first, proof = journal.notes.get(FIRST_SERIAL), journal.notes.get(PROOF, {})
    answer, charts = answer_of(problem, loaded.table, state, chosen, winner, first)
    answer |= proof
    notes = (
        *loaded.notes,
        *changed_versions(plan),
        *note_on_seed(plan.seed),
        *answer.pop("warnings", ()),
        *note_on_strata(plan.search, loaded.table),
        *more_may_help(state, setup, winner, plan.seed),
    )
    initial = journal.noted(INITIAL_BEST)
    return Run(plan, state, front, best, initial, chosen, answer, journal.seconds, notes, charts)


def _keep(underway: _Underway, state: State[Any], front: Sequence[Point]) -> None:
    """Write the last state and the front, where the run is kept."""
    if underway.store is not None:
        problem: Any = underway.setup.problem
        underway.store.save_state(state, underway.codec)
        underway.store.save_front(search_rows(front, underway.plan, problem))
