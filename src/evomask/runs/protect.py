"""The main job: a file in, a front of protected files, one of them released.

All searches that apply share the budget (`portfolio`); what they find is repaired to what is
required, and measured. What nothing else beats in both loss and risk is the front; its
points are audited, and the chosen one is released: the least loss at the usual risk.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import msgspec

from evomask.data.bands import ValueTrees
from evomask.data.table import Table
from evomask.data.trees.making import completed
from evomask.errors import RunError
from evomask.evolution.stopping import Budget
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import Local
from evomask.io.fronts import front_as_parquet
from evomask.masking.guarantees.requirement import NOTHING, Requirement, requirement_of
from evomask.measures.keeping.keeping import NO_STATISTICS, Keeping, Kept
from evomask.measures.profiles import profile
from evomask.portfolio.front import UNBOUNDED, Bounds, check_wish, lasting
from evomask.portfolio.members import members_for
from evomask.portfolio.state import PortfolioCodec, PortfolioState
from evomask.portfolio.worker import Maker, Settings
from evomask.record.protection import Protection, choice_of
from evomask.runs.baseline.baselines import baselines, check_baseline
from evomask.runs.exploring import Exploration
from evomask.runs.findings import (
    FINDINGS,
    Found,
    encode_findings,
    examined,
    read_findings,
    settled,
)
from evomask.runs.inputs import Input, Loaded, check_described, check_stated, load
from evomask.runs.kept.deadline import Deadline
from evomask.runs.kept.events import (
    Ended,
    Ending,
    Events,
    Noted,
    Phase,
    Watch,
    telling_how_it_ends,
    telling_what_is_unmet,
)
from evomask.runs.kept.journal import Journal
from evomask.runs.kept.keeping import (
    ERRORS,
    check_bounds,
    encode_errors,
    measured,
    read_errors,
    surviving,
)
from evomask.runs.kept.log import changed_in_words, changes_since
from evomask.runs.kept.plan import Plan, changed_versions, check_input, plan_of, settings_in
from evomask.runs.kept.prolonging import prolonged
from evomask.runs.kept.rows import portfolio_rows
from evomask.runs.kept.signing import read_key
from evomask.runs.kept.stopping import StopRequest
from evomask.runs.kept.store import FRONT, Snapshots, Store
from evomask.runs.notes import note_on_seed, noted, notes_on_untouched
from evomask.runs.release import Handling, Release, release
from evomask.searches.search import File

PORTFOLIO = "portfolio"

SECONDS = 120.0
"""How long is searched where nobody says."""


@dataclass(frozen=True)
class ProtectJob:
    """What to protect, and what is asked of the result.

    Args:
        folder: where all that is made goes; it must be new or empty.
        seconds: how long all of it may take, but for compiling, which happens once; two minutes
            where no limit is given.
        seed: drawn from the system when absent, and kept in the folder only.
        evaluations: how many files to try, tasks counting by their cost; repeatable to the byte.
        searches: who takes part; all that apply where none is named.
        pick: which point of the front is released.
        keep: tables and models that must survive, besides those that the schema names.
        bounds: what the released point may have at most.
        keep_order: whether to keep how the released records were shuffled.
        key: file of the key that signs the release.
        width: how many members have turns side by side; more give more workers something to do.
        baseline: what could be released instead, judged and shown in the reports.
    """

    source: Input
    folder: Path
    requirement: Requirement = NOTHING
    profile: str = "strict"
    seconds: float | None = None
    seed: int | None = None
    evaluations: int | None = None
    searches: tuple[str, ...] = ()
    pick: str = "suggested"
    keep: Keeping = NO_STATISTICS
    bounds: Bounds = UNBOUNDED
    keep_order: bool = False
    key: Path | None = None
    width: int = 1
    baseline: str = ""

    def __post_init__(self) -> None:
        check_baseline(self.baseline)

    @property
    def budget(self) -> Budget:
        """What may be spent."""
        unlimited = self.seconds is None and self.evaluations is None
        return Budget(None, self.evaluations, SECONDS if unlimited else self.seconds)


def required(text: str) -> Requirement:
    """What is asked of every released file, as a user writes it: ``k=5,l=2,t=0.3``."""
    return requirement_of(text)


def protect_file(
    job: ProtectJob,
    *,
    evaluators: Evaluators = Local(),
    watch: Watch | None = None,
    stop: StopRequest | None = None,
    began: float | None = None,
) -> Release:
    """Find the front of protected files, release the chosen one and what is known of it.

    Args:
        began: when the seconds of the budget began, by the monotonic clock; now where nobody says.
    """
    check_wish(job.pick)
    profile(job.profile)
    check_described(job.source)
    Store.check_new(job.folder)
    if job.key is not None:
        read_key(job.key)
    events = Events(watch, began=began)
    with telling_how_it_ends(events):
        events.begin(Phase.LOADING, f"reading {job.source.path}")
        loaded = noted(load(job.source), job.source.path, events)
        check_stated(loaded.table, loaded.stated)
        kept = _to_survive(loaded.table, keep := job.keep + loaded.keep, job.bounds)
        seed = secrets.randbits(63) if job.seed is None else job.seed
        maker = maker_for(loaded.table, job, seed, events, loaded.hierarchies)
        plan = plan_of(
            PORTFOLIO, job.source, maker.settings, seed=seed, budget=job.budget, pick=job.pick,
            keep=keep, bounds=job.bounds, keep_order=job.keep_order, baseline=job.baseline,
        )  # fmt: skip
        store = Store.create(job.folder, plan)
        with store.locked():
            run = _Run(loaded, maker, plan, store, events, kept, job.key)
            return _released(run, run.explored(evaluators, stop))


def protect_table(
    table: Table,
    job: ProtectJob,
    *,
    evaluators: Evaluators = Local(),
    watch: Watch | None = None,
    stop: StopRequest | None = None,
    hierarchies: ValueTrees | None = None,
) -> Protection:
    """The same for a table at hand, with its value trees; nothing is kept on disk."""
    check_wish(job.pick)
    profile(job.profile)
    events, journal = Events(watch), Journal()
    with telling_how_it_ends(events):
        kept = _to_survive(table, job.keep, job.bounds)
        seed = secrets.randbits(63) if job.seed is None else job.seed
        maker = maker_for(table, job, seed, events, hierarchies or {})
        search = Exploration(
            maker, job.budget, journal, events, stop or StopRequest(), evaluators, kept is not None
        )
        explored = search.explore(PortfolioState())
        ends = search.deadline
        state = measured(maker, explored, kept, {}, events, ends) if kept else explored
        found = Found(state, journal.times, search.is_unfinished(state), ends)
        choose_from = partial(choice_of, job.pick, bounds=job.bounds)
        found = settled(maker, found, choose_from)
        done = examined(maker, job.budget, found, choose_from(found.state), {}, events, kept)
        instead = baselines(job.baseline, maker) if job.baseline else {}
        done = replace(done, notes=(*notes_on_untouched(table), *done.notes), baselines=instead)
        return replace(done, phases=events.seconds if done.clocked else {})


def resume_protection(
    folder: Path,
    *,
    evaluators: Evaluators = Local(),
    watch: Watch | None = None,
    stop: StopRequest | None = None,
    key: Path | None = None,
    seconds: float | None = None,
    edited_plan: bool = False,
) -> Release:
    """Go on with the job kept in a folder; a key signs what is released.

    Args:
        seconds: how long to search from here on; what is left of the budget where nobody says.
    """
    with _opened(folder, watch, key, edited_plan=edited_plan) as kept:
        run = kept if seconds is None else kept.prolonged(seconds)
        run.maker.load_kernels(partial(run.events.begin, Phase.COMPILING))
        run.events.enter(Phase.LOADING)
        return _released(run, run.explored(evaluators, stop))


def choose(
    folder: Path,
    wish: str = "",
    bounds: Bounds = UNBOUNDED,
    *,
    watch: Watch | None = None,
    keep_order: bool = False,
    key: Path | None = None,
    edited_plan: bool = False,
) -> Release:
    """Release a point of the front kept in a folder, in a new order; nothing is searched any more.

    Args:
        wish: ``suggested``, ``balanced``, ``knee``, ``sum``, ``max-risk=20``, ``max-loss=10`` or
            a point's number; without one, the point that was chosen before.
        bounds: what the point may have at most; they take the place of those of the run.
        keep_order: whether to keep how the records are shuffled now.
        key: file of the key that signs the release.
        edited_plan: whether a plan that was changed by hand since the release is used.
    """
    if wish:
        check_wish(wish)
    with _opened(folder, watch, key, edited_plan=edited_plan) as run:
        found = run.found_before()
        changes = {"pick": wish, "bounds": bounds} if wish else {}
        plan = msgspec.structs.replace(run.plan, keep_order=keep_order, **changes)
        if bounds.given:
            check_bounds(bounds, plan.keep)
        # what no point meets is no event of a run
        choice = choice_of(plan.pick, found.state, plan.bounds)
        plan = msgspec.structs.replace(plan, pick=lasting(plan.pick, choice.candidate))
        run.events.kept_in(run.store.journal())
        return _released(replace(run, plan=plan), found, "chose")


def _to_survive(table: Table, keep: Keeping, bounds: Bounds) -> Kept | None:
    """What must survive, where somebody names something."""
    return surviving(table, keep, bounds) if keep or bounds.given else None


def maker_for(
    table: Table, job: ProtectJob, seed: int, events: Events, hierarchies: ValueTrees
) -> Maker:
    """Where the files of a job are made, kernels loaded; what cannot be required is said."""
    file = File(table, job.requirement, job.profile, completed(table, hierarchies))
    members = members_for(file, job.searches)
    settings = Settings(job.requirement, job.profile, members, width=job.width)
    maker = Maker(table, settings, seed, file.hierarchies)
    maker.load_kernels(partial(events.begin, Phase.COMPILING))
    events.enter(Phase.LOADING)
    if not maker.guarantees.are_plainly_possible:
        maker.releasable(table)
    return maker


def is_protection(plan: Plan) -> bool:
    """Whether a plan is one of the main job."""
    return plan.search == PORTFOLIO


@dataclass(frozen=True)
class _Run:
    """A job kept in a folder, with all that it needs."""

    loaded: Loaded
    maker: Maker
    plan: Plan
    store: Store
    events: Events
    statistics: Kept | None = None
    key: Path | None = None
    changed: tuple[str, ...] = ()

    @property
    def codec(self) -> PortfolioCodec:
        """How states are saved."""
        return PortfolioCodec(self.maker)

    def prolonged(self, seconds: float) -> "_Run":
        """The same job with so many seconds to search from here on."""
        return replace(self, plan=prolonged(self.plan, self.store.journal(), seconds))

    def explored(self, evaluators: Evaluators, stop: StopRequest | None) -> Found:
        """What is found with the rest of the budget."""
        search = self._exploration(evaluators, stop or StopRequest(self.store.folder))
        self.events.kept_in(search.journal)
        snapshots = Snapshots(self.store, self.codec, search.journal)
        before = self.store.newest_state(self.codec) or PortfolioState()
        if before.rounds:
            search.journal.require(before)
        state = search.explore(before, snapshots.offer)
        snapshots.take(state)
        return self._found(search, state)

    def found_before(self) -> Found:
        """What was found so far."""
        search = self._exploration(Local(), StopRequest())
        state = self.store.newest_state(self.codec)
        if state is None or not state.front:
            folder = self.store.folder
            raise RunError(f"nothing was found yet; go on with `evomask resume {folder}`")
        search.journal.require(state)
        return self._found(search, state)

    def _exploration(self, evaluators: Evaluators, stop: StopRequest) -> Exploration:
        return Exploration(
            self.maker, self.plan.budget, self.store.journal(), self.events, stop, evaluators,
            self.statistics is not None,
        )  # fmt: skip

    def _found(self, search: Exploration, state: PortfolioState) -> Found:
        times = search.journal.times[: len(state.rounds)]
        ends = search.deadline
        return Found(self._compared(state, ends), times, search.is_unfinished(state), ends)

    def _compared(self, state: PortfolioState, ends: Deadline | None) -> PortfolioState:
        """The state with what became of statistics that must survive."""
        if self.statistics is None:
            return state
        known = {} if ERRORS in self.changed else read_errors(self.store.folder)
        return measured(self.maker, state, self.statistics, known, self.events, ends)

    def parts(self, done: Protection) -> dict[str, bytes]:
        """What is kept with a release, to be found again when another point is chosen."""
        rows = portfolio_rows(done.state, done.findings, self.maker)
        errors = {ERRORS: encode_errors(done.state)} if self.statistics else {}
        return {FINDINGS: encode_findings(done.findings), FRONT: front_as_parquet(rows), **errors}


@contextmanager
def _opened(
    folder: Path, watch: Watch | None, key: Path | None, *, edited_plan: bool
) -> Iterator[_Run]:
    """A run taken up again, kept from other processes; what others changed in it is not used."""
    if key is not None:
        read_key(key)
    store = Store(folder)
    if not is_protection(store.plan()):
        raise RunError(f"{folder} holds a single search, not a protection; use `evomask resume`")
    with store.locked():
        plan, events = store.plan(), Events(watch)
        changed = changes_since(folder, edited_plan=edited_plan)
        with telling_how_it_ends(events):
            events.begin(Phase.LOADING, f"reading {plan.input.path}")
            check_input(plan)
            loaded = load(plan.input)
            trees = completed(loaded.table, loaded.hierarchies)
            maker = Maker(loaded.table, settings_in(plan), plan.seed, trees)
            StopRequest(folder).withdraw()
            kept = _to_survive(loaded.table, plan.keep, plan.bounds)
            loaded = replace(loaded, notes=(*loaded.notes, *map(changed_in_words, changed)))
            yield _Run(loaded, maker, plan, store, events, kept, key, changed)


def _released(run: _Run, found: Found, did: str = "released") -> Release:
    """Look closely at what was found, keep what is known, and release the chosen point."""
    folder, events = run.store.folder, run.events
    choose_from = partial(choice_of, run.plan.pick, bounds=run.plan.bounds)
    with telling_what_is_unmet(events, unfinished=found.unfinished):
        found = settled(run.maker, found, choose_from)
        choice = choose_from(found.state)
    known = {} if FINDINGS in run.changed else read_findings(folder)
    done = examined(run.maker, run.plan.budget, found, choice, known, events, run.statistics)
    about = *changed_versions(run.plan), *note_on_seed(run.plan.seed)
    instead = baselines(run.plan.baseline, run.maker) if run.plan.baseline else {}
    done = replace(done, notes=(*run.loaded.notes, *done.notes, *about), baselines=instead)
    events.begin(Phase.RELEASING, f"writing the file and its reports into {folder}")
    for note in done.notes:
        events.tell(Noted(note))
    choice = choose_from(done.state)
    if done.clocked:
        done = replace(done, phases=events.seconds)
    handling = Handling(did, run.parts(done), run.key)
    released = release(done, choice, run.loaded, run.plan, folder, handling)
    released = replace(released, phases=events.seconds)
    how = Ending.STOPPED if done.unfinished else Ending.FINISHED
    events.tell(Ended(how, point=released.chosen.point))
    return released
