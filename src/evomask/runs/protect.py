"""The main job: a file in, a front of protected files, one of them written.

All searches that apply share the budget (`portfolio`); what they find is repaired to what is
required, and measured. What nothing else beats in both loss and risk is the front; its
points are audited, and the balanced one, whose larger part is smallest, is released.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np

from evomask.data.hierarchy import TreeLines
from evomask.data.table import Table
from evomask.errors import RunError
from evomask.evolution.stopping import Budget
from evomask.execution.local import evaluator
from evomask.io.tables import Written, write_table
from evomask.portfolio.members import members_for, searches_for
from evomask.portfolio.portfolio import Portfolio, share_used, shares
from evomask.portfolio.preparation import load_kernels
from evomask.portfolio.state import PortfolioState
from evomask.portfolio.worker import Settings, Workshop
from evomask.runs.conclusion import concluded
from evomask.runs.findings import read_findings, write_findings
from evomask.runs.front import check_wish
from evomask.runs.inputs import Loaded, load
from evomask.runs.journal import Journal
from evomask.runs.plan import Plan, changed_versions, check_input, plan_of
from evomask.runs.portfolio_store import Snapshots, newest_state, write_front
from evomask.runs.protected import Progress, Protected, ProtectJob
from evomask.runs.store import Store
from evomask.searches.search import File

Watch = Callable[[Progress], None]
Tell = Callable[[str], None]

PORTFOLIO = "portfolio"
FOR_AUDIT = 0.1
"""Share of the seconds that is kept for the audit."""

ORDER = 3
"""Marks the stream that released records are shuffled with."""


def protect_file(
    job: ProtectJob,
    *,
    workers: int = 1,
    watch: Watch | None = None,
    tell: Tell = lambda _: None,
) -> Protected:
    """Find the front of protected files, write the chosen one and what is known of it."""
    check_wish(job.pick)
    loaded = load(job.source)
    seed = secrets.randbits(63) if job.seed is None else job.seed
    job = replace(job, seed=seed)
    shop = workshop_for(loaded.table, job, seed, tell, loaded.hierarchies)
    plan = plan_of(
        PORTFOLIO, job.source, shop.settings, seed=seed, budget=job.budget, pick=job.pick
    )
    store = Store.create(job.folder, plan)
    with store.locked():
        return _protected(_Run(job, loaded, shop, plan, store, workers), watch, tell)


def protect_table(
    table: Table,
    job: ProtectJob,
    *,
    workers: int = 1,
    watch: Watch | None = None,
    hierarchies: TreeLines | None = None,
) -> Protected:
    """The same for a table at hand, with its value trees; nothing is kept on disk."""
    check_wish(job.pick)
    seed = secrets.randbits(63) if job.seed is None else job.seed
    shop = workshop_for(table, job, seed, hierarchies=hierarchies)
    journal, budget = Journal(), for_search(job.budget)
    state = search(shop, PortfolioState(), budget, journal, workers, watch)
    left = _left(job.budget, journal.seconds)
    done = concluded(replace(job, seed=seed), shop, state, journal.times, {}, left)
    return replace(done, interrupted=_is_unfinished(state, shop, budget, journal.seconds))


def resume_protection(
    folder: Path,
    *,
    workers: int = 1,
    watch: Watch | None = None,
    tell: Tell = lambda _: None,
    go_on: bool = True,
    wish: str = "",
) -> Protected:
    """Go on with the job kept in a folder, or only take up what it has found.

    Args:
        go_on: whether to use what is left of the budget.
        wish: which point to release instead of the one planned.
    """
    store = Store(folder)
    with store.locked():
        plan = store.plan()
        if wish:
            check_wish(wish)
            plan = msgspec.structs.replace(plan, pick=wish)
        done = _protected(_taken_up(plan, store, workers), watch, tell, go_on=go_on)
        store.save_plan(plan)
        return done


def workshop_for(
    table: Table,
    job: ProtectJob,
    seed: int,
    tell: Tell = lambda _: None,
    hierarchies: TreeLines | None = None,
) -> Workshop:
    """Where the files of a job are made, kernels loaded; what cannot be required is said."""
    file = File(table, job.requirement, job.profile, hierarchies or {})
    load_kernels(tell, searches_for(file, job.searches))
    settings = Settings(job.requirement, job.profile, members_for(file, job.searches))
    shop = Workshop(table, settings, seed, file.hierarchies)
    shop.releasable(table)
    return shop


def is_protection(plan: Plan) -> bool:
    """Whether a plan is one of the main job."""
    return plan.search == PORTFOLIO


@dataclass(frozen=True)
class _Run:
    """A job with all that it needs."""

    job: ProtectJob
    loaded: Loaded
    shop: Workshop
    plan: Plan
    store: Store
    workers: int


def _taken_up(plan: Plan, store: Store, workers: int) -> _Run:
    check_input(plan)
    loaded = load(plan.input)
    try:
        settings = msgspec.convert(plan.parameters, Settings)
    except msgspec.ValidationError as error:
        raise RunError(f"plan.toml is not a plan this version can read: {error}") from None
    job = ProtectJob(
        plan.input,
        store.folder,
        settings.requirement,
        settings.profile,
        plan.budget.seconds,
        plan.seed,
        plan.budget.evaluations,
        pick=plan.pick,
    )
    shop = Workshop(loaded.table, settings, plan.seed, loaded.hierarchies)
    return _Run(job, loaded, shop, plan, store, workers)


def _protected(run: _Run, watch: Watch | None, tell: Tell, *, go_on: bool = True) -> Protected:
    journal = run.store.journal()
    state = newest_state(run.store, run.shop)
    if state.rounds:
        journal.require(state)
    budget = for_search(run.plan.budget)
    if go_on:
        members = run.shop.settings.members.values()
        load_kernels(tell, {member.search for member in members})
        snapshots = Snapshots(run.store, run.shop, journal)
        state = search(run.shop, state, budget, journal, run.workers, watch, snapshots.offer)
        snapshots.take(state)
    if not state.front:
        raise RunError(f"nothing was found yet; go on with `evomask resume {run.store.folder}`")
    times = journal.times[: len(state.rounds)]
    stopped = _is_unfinished(state, run.shop, budget, times[-1])
    left = 0.0 if stopped else _left(run.plan.budget, times[-1])
    known = read_findings(run.store.folder)
    done = concluded(run.job, run.shop, state, times, known, left, attack=not stopped)
    done = replace(
        done,
        plan=run.plan,
        notes=(*run.loaded.notes, *done.notes, *changed_versions(run.plan)),
        interrupted=stopped,
        sha256=run.plan.sha256["data"],
    )
    write_findings(run.store.folder, done.found)
    write_front(run.store.folder, replace(state, front=done.front), done.found, run.shop)
    return replace(done, written=_release(done, run))


def for_search(budget: Budget) -> Budget:
    """The budget without what is kept for the audit."""
    if budget.seconds is None:
        return budget
    return replace(budget, seconds=budget.seconds * (1.0 - FOR_AUDIT))


def search(
    shop: Workshop,
    state: PortfolioState,
    budget: Budget,
    journal: Journal,
    workers: int = 1,
    watch: Watch | None = None,
    keep: Callable[[PortfolioState], None] = lambda _: None,
) -> PortfolioState:
    """Go on from a state until the budget is used up or someone interrupts."""
    now = state
    try:
        with evaluator(shop, workers) as work:
            journal.start()
            portfolio = Portfolio(shop, budget, journal, work, workers)
            for now in portfolio.states(state):
                keep(now)
                if watch and now.front:
                    watch(Progress(now, portfolio.used(now), journal.seconds, shares(now)))
    except KeyboardInterrupt:
        if not now.front:
            raise
    if not now.front:
        reasons = "; ".join(f"{name}: {why}" for name, why in now.closed.items())
        raise RunError(f"no file could be made that fulfils what is required ({reasons})")
    return now


def _is_unfinished(state: PortfolioState, shop: Workshop, budget: Budget, seconds: float) -> bool:
    """Whether there is something left to try, and a budget for it."""
    some_left = len(state.closed) < len(shop.settings.members)
    return some_left and share_used(budget, state, seconds) < 1.0


def _left(budget: Budget, used: float) -> float | None:
    """Seconds for the audit; none where no clock runs."""
    return None if budget.seconds is None else max(0.0, budget.seconds - used)


def _release(done: Protected, run: _Run) -> Written:
    """Write the records in random order; how they were shuffled stays in the folder.

    Every point has an order of its own, so that two released files cannot be put side by side.
    """
    order = np.random.default_rng([done.seed, ORDER, done.chosen.number]).permutation(done.records)
    np.save(done.job.folder / "order.npy", order, allow_pickle=False)
    folder = done.job.folder / "masked"
    folder.mkdir(exist_ok=True)
    masked = done.masked(done.chosen.number).take(order)
    path = folder / done.job.source.path.name
    return write_table(masked, path, force=True, dialect=run.loaded.dialect)
