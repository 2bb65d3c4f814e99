"""The job of a search: one file, one search, a front and a masked file."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from evomask.evolution.stopping import Budget
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import Local
from evomask.io.tables import check_table_target
from evomask.measures.keeping.keeping import NO_STATISTICS, Keeping
from evomask.portfolio.front import check_wish
from evomask.runs.inputs import Input, Loaded, files_of
from evomask.runs.kept.events import Watch
from evomask.runs.kept.plan import make_plan
from evomask.runs.kept.store import Store
from evomask.runs.perform import Run, perform, perform_loaded
from evomask.searches.catalogue import search_named


@dataclass(frozen=True)
class Limits:
    """What the user lets a run spend; where nothing is said, the search's own budget holds.

    Args:
        stalled, equal_means, target: what ends it earlier; see `Budget`.
    """

    generations: int | None = None
    evaluations: int | None = None
    seconds: float | None = None
    stalled: int | None = None
    equal_means: int | None = None
    target: float | None = None

    def budget(self, usual: Budget) -> Budget:
        """The budget that was asked for, or the usual one; it ends early as was asked for."""
        given = self.generations, self.evaluations, self.seconds
        spent = usual if given == (None, None, None) else Budget(*given)
        return replace(
            spent, stalled=self.stalled, equal_means=self.equal_means, target=self.target
        )


@dataclass(frozen=True)
class SearchJob:
    """What to search, how long, and what to keep.

    Args:
        options: the search's parameters as text, by name.
        out: where the masked file of the picked point goes.
        folder: where the run is kept; nowhere when absent.
        seed: drawn from the system when absent, and told to nobody.
        keep: tables and models that must survive, besides those that the schema names.
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
    keep: Keeping = NO_STATISTICS


def search_file(
    job: SearchJob, *, evaluators: Evaluators = Local(), watch: Watch | None = None
) -> Run:
    """Search for masked files of one file; whatever is wrong is said before it begins."""
    check_wish(job.pick)
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
    )
    store = None if job.folder is None else Store.create(job.folder, plan)
    return perform(plan, store, evaluators=evaluators, watch=watch)


def search_loaded(
    job: SearchJob, loaded: Loaded, *, evaluators: Evaluators = Local(), watch: Watch | None = None
) -> Run:
    """Search for masked versions of a table at hand; nothing is written or kept."""
    check_wish(job.pick)
    search = search_named(job.search)
    plan = make_plan(
        search,
        job.source,
        job.options,
        seed=secrets.randbits(63) if job.seed is None else job.seed,
        budget=job.limits.budget(search.budget),
        pick=job.pick,
        at_hand=True,
    )
    return perform_loaded(plan, loaded, evaluators=evaluators, watch=watch)
