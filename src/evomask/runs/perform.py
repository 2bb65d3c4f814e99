"""Carrying out a plan, from the start or from where it stopped."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from evomask.data.chart import Chart
from evomask.evolution.alone import Alone
from evomask.evolution.loop import Evaluator, Observer, Worker, begin, evolve
from evomask.evolution.setup import Decide, Setup
from evomask.evolution.state import State, Summary
from evomask.evolution.stopping import either, idle, not_before
from evomask.evolution.streams import draw_stream
from evomask.execution.local import evaluator
from evomask.io.tables import write_table
from evomask.masking.guarantees.fulfilment import Guarantees
from evomask.portfolio.members import note_on_strata
from evomask.runs.front import Point, best_of, front_of, pick, point_of
from evomask.runs.held_out import held_out
from evomask.runs.inputs import Loaded, load
from evomask.runs.journal import Journal
from evomask.runs.patience import more_may_help
from evomask.runs.plan import Plan, changed_versions, check_input, parameters_in
from evomask.runs.store import Store
from evomask.searches.catalogue import search_named
from evomask.searches.search import Comparing, Overview, Surroundings

INITIAL_BEST, FIRST_SERIAL = "initial_best", "initial_best_serial"
HIERARCHIES = "hierarchies"
"""The parameter by which a search has a folder of value trees read."""

Watch = Callable[[Summary], None]


@dataclass(frozen=True)
class Run:
    """A plan carried out.

    Args:
        initial_best: the best of the first genomes, as users see it.
        chosen: the point whose masked file was asked for.
        answer: what this kind of search tells of the chosen point and of the whole run besides.
        charts: figures of the whole run, where this kind of search has any.
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


def perform(
    plan: Plan, store: Store | None = None, *, workers: int = 1, watch: Watch | None = None
) -> Run:
    """Carry out a plan; with a store, go on from its newest snapshot and keep everything there."""
    check_input(plan)
    if store is None:
        return _perform(plan, None, Journal(), workers, watch)
    with store.locked():
        return _perform(plan, store, store.journal(), workers, watch)


def resume(folder: Path, *, workers: int = 1, watch: Watch | None = None) -> Run:
    """Go on with the run kept in a folder."""
    store = Store(folder)
    return perform(store.plan(), store, workers=workers, watch=watch)


def perform_alone(plan: Plan, operator: str, *, generations: int, workers: int = 1) -> State[Any]:
    """Carry out a plan with one operator only, for no more than so many generations.

    Nothing is kept but the last state.
    """
    budget = replace(plan.budget, generations=generations)
    plan = msgspec.structs.replace(plan, budget=budget)
    journal, loaded = Journal(), loaded_for(plan)
    setup = prepared(plan, loaded, journal.decide)
    setup = replace(setup, scheme=Alone(setup.scheme, operator))
    worker = SentWorker(setup.problem, plan.seed, plan, loaded, journal.notes)
    with evaluator(worker, workers) as work:
        journal.start()
        return _evolved(plan, setup, work, None, journal, None)


def _perform(
    plan: Plan, store: Store | None, journal: Journal, workers: int, watch: Watch | None
) -> Run:
    loaded = loaded_for(plan)
    guarantees = Guarantees.of(loaded.table)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        setup = prepared(plan, loaded, journal.decide, workers)
    said = tuple(str(warning.message) for warning in caught)
    loaded = replace(loaded, notes=(*loaded.notes, *said))
    worker = SentWorker(setup.problem, plan.seed, plan, loaded, journal.notes)
    with evaluator(worker, workers) as work:
        journal.start()
        state = _evolved(plan, setup, work, store, journal, watch)
    run = _finished(plan, setup, state, store, journal, loaded)
    return replace(run, notes=(*run.notes, *_released(run, setup, guarantees, loaded)))


def _released(
    run: Run, setup: Setup[Any], guarantees: Guarantees, loaded: Loaded
) -> tuple[str, ...]:
    """Write the file that was asked for, its edit rules obeyed; what is to be told of that."""
    if run.plan.out is None:
        return guarantees.notes
    problem: Any = setup.problem
    masked = problem.decode(run.chosen.individual.genome, run.chosen.draw)
    released = guarantees(masked)
    write_table(released, run.plan.out, force=True, dialect=loaded.dialect)
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
    around = Surroundings(draws, clocked, plan.budget, workers, loaded.hierarchies)
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
        return made_anew, (self.plan, self.loaded, dict(self.notes))


def made_anew(plan: Plan, loaded: Loaded, notes: Mapping[str, Any]) -> Worker[Any]:
    """The same worker in another process: whatever was decided is decided the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they were told where the run began
        return Worker(prepared(plan, loaded, lambda name, _: notes[name]).problem, plan.seed)


def _evolved(
    plan: Plan,
    setup: Setup[Any],
    work: Evaluator[Any],
    store: Store | None,
    journal: Journal,
    watch: Watch | None,
) -> State[Any]:
    observers: list[Observer[Any]] = [journal.observe]
    if watch is not None:
        observers.append(lambda *turn: watch(turn[-1].summary))
    state = store.newest_state(setup.problem.unpack, setup.archive) if store else None
    if state is None:
        state = begin(
            setup.first, work, archive=setup.archive, observers=observers, cost=setup.cost
        )
        if INITIAL_BEST not in journal.notes:
            best = best_of(state, setup)
            journal.note(FIRST_SERIAL, best.serial)
            first = point_of(best, setup, plan.search, 0)
            journal.note(INITIAL_BEST, first.as_json())
    journal.require(state)
    if store is not None:
        observers.append(store.snapshots(plan.snapshot, setup.problem.pack, journal))
    until = not_before(setup.least, either(plan.budget.until(journal.time_at), idle))
    return evolve(
        state,
        setup.scheme,
        work,
        seed=plan.seed,
        until=until,
        observers=observers,
        cost=setup.cost,
    )


def _finished(
    plan: Plan,
    setup: Setup[Any],
    state: State[Any],
    store: Store | None,
    journal: Journal,
    loaded: Loaded,
) -> Run:
    front = front_of(state, setup, plan.search)
    winner = best_of(state, setup)
    among = [point for point in front if point.individual.serial == winner.serial]
    best = among[0] if among else point_of(winner, setup, plan.search, len(front))
    problem: Any = setup.problem
    if store is not None:
        store.save_state(state, problem.pack)
        store.save_front(front, plan, problem.pack)
    chosen = pick(front, plan.pick, best)
    initial = journal.notes[INITIAL_BEST]
    overview, charts = _overview(problem, state)
    answer = {**problem.answer(chosen.individual.genome), **overview}
    if isinstance(problem, Comparing):
        files = problem.compared(journal.notes[FIRST_SERIAL], winner.genome)
        answer |= held_out(loaded.table, *files) if files else {}
    notes = (
        *loaded.notes,
        *changed_versions(plan),
        *answer.pop("warnings", ()),
        *note_on_strata(plan.search, loaded.table),
        *more_may_help(state, setup, winner, plan.seed),
    )
    return Run(plan, state, front, best, initial, chosen, answer, journal.seconds, notes, charts)


def _overview(problem: object, state: State[Any]) -> tuple[Mapping[str, object], Sequence[Chart]]:
    if not isinstance(problem, Overview):
        return {}, ()
    return problem.overview(state), problem.charts(state)
