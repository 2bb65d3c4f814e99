"""The grouping thesis (Balasch, 2010): its tables and figures, paper beside ours."""

import cProfile
import pstats
import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from evomask.evolution.brood import Brood, Outcomes
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.state import State
from evomask.evolution.stopping import either, generations, idle
from evomask.evolution.study import Alone
from evomask.execution.local import InProcess
from evomask.papers.effort import Effort
from evomask.papers.grouping.inputs import (
    BEST,
    CENSUS,
    PROFILE,
    SCORES,
    SIZES,
    WATER,
    hand_made,
    original,
)
from evomask.searches.grouping.genome import Grouping
from evomask.searches.grouping.problem import AttributeGrouping
from evomask.searches.grouping.search import GroupingSearch, Parameters
from evomask.studies.operators import operators_used

GENERATIONS = 100

Row = dict[str, object]


class GroupingRun(NamedTuple):
    """A search for groupings of attributes carried out.

    Args:
        groups: mean number of groups in the population at each generation's end.
    """

    problem: AttributeGrouping
    state: State[Grouping]
    groups: tuple[float, ...]
    seconds: float

    @property
    def best(self) -> Grouping:
        """The grouping of attributes with the best score of the last population."""
        return self.state.population[0].genome


@lru_cache(maxsize=64)
def searched(
    name: str, k: int, effort: Effort, operator: str = "", dynamic: bool = False
) -> GroupingRun:
    """GOMM with the thesis' numbers; with one operator only where it is named."""
    setup = GroupingSearch.setup(original(name), Parameters(k=k, dynamic=dynamic), effort.around)
    scheme = Alone(setup.scheme, operator) if operator else setup.scheme
    work = InProcess(Worker(setup.problem, effort.seed))
    groups: list[float] = []

    def watch(_: Any, __: Brood[Any], ___: Outcomes[Any], after: State[Grouping]) -> None:  # noqa: ANN401
        counts = [int(member.genome.max()) + 1 for member in after.population]
        groups.append(sum(counts) / len(counts))

    started = time.process_time()
    state = begin(setup.first, work, archive=setup.archive, observers=[watch], cost=setup.cost)
    until = either(generations(effort.of(GENERATIONS)), idle)
    state = evolve(
        state, scheme, work, seed=effort.seed, until=until, observers=[watch], cost=setup.cost
    )
    problem: Any = setup.problem
    return GroupingRun(problem, state, tuple(groups), time.process_time() - started)


def alone(name: str, k: int, effort: Effort) -> dict[str, State[Grouping]]:
    """The last state of a run for each operator that breeds with it alone."""
    names = operators_used(searched(name, k, effort).state)
    return {operator: searched(name, k, effort, operator).state for operator in names}


def table_5_1(seed: int = 1, share: float = 1.0) -> list[Row]:
    """The best grouping by k, Water-treatment."""
    return _best_rows(WATER, Effort(seed, share))


def table_5_2(seed: int = 1, share: float = 1.0) -> list[Row]:
    """The best grouping by k, Census."""
    return _best_rows(CENSUS, Effort(seed, share))


def table_5_3(seed: int = 1, share: float = 1.0) -> list[Row]:
    """The score of every hand-made grouping and of the best found, Water-treatment."""
    return _all_scores(WATER, Effort(seed, share))


def table_5_4(seed: int = 1, share: float = 1.0) -> list[Row]:
    """The score of every hand-made grouping and of the best found, Census."""
    return _all_scores(CENSUS, Effort(seed, share))


def _best_rows(name: str, effort: Effort) -> list[Row]:
    return [_best_row(name, k, searched(name, k, effort)) for k in SIZES]


def _best_row(name: str, k: int, run: GroupingRun) -> Row:
    parts = run.problem.components(run.best)
    ours = (*parts, parts.score, int(run.best.max()) + 1)
    printed = BEST[name][k]
    row: Row = {"k": k}
    for label, theirs, our in zip(
        ("IL", "ID", "DLD", "score", "groups"), printed, ours, strict=True
    ):
        row |= {f"{label} paper": theirs, f"{label} ours": our}
    return row


def _all_scores(name: str, effort: Effort) -> list[Row]:
    return [
        row
        for place, k in enumerate(SIZES)
        for row in _score_rows(name, k, place, searched(name, k, effort))
    ]


def _score_rows(name: str, k: int, place: int, run: GroupingRun) -> Iterator[Row]:
    for label, grouping in {**hand_made(name), "GOMM": run.best}.items():
        yield {
            "grouping": label,
            "k": k,
            "score paper": SCORES[name][label][place],
            "score ours": run.problem.components(grouping).score,
            "groups": int(grouping.max()) + 1,
        }


PARTS = {
    "MDAV": ("_mdav", "with_rest"),
    "euclideanDistance": ("_strictly_nearest",),
    "computeSingleID": ("_disclosed",),
}
"""Our functions that do what those of table 3.1 do; the rest is compared with the rest."""


def table_3_1(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Where the time of GOMM goes, Water-treatment, k = 25."""
    profiler = cProfile.Profile()
    profiler.runcall(searched.__wrapped__, WATER, 25, Effort(seed, share))
    stats: Any = pstats.Stats(profiler)
    spent = {
        label: [(row[0], row[2]) for (_, _, name), row in stats.stats.items() if name in names]
        for label, names in PARTS.items()
    }
    seconds = {label: sum(own_time for _, own_time in rows) for label, rows in spent.items()}
    seconds["score"] = stats.total_tt - sum(seconds.values())
    return [
        {
            "function": label if label != "score" else "score and all else",
            "percent paper": printed[0],
            "percent ours": 100.0 * seconds[label] / stats.total_tt,
            "seconds paper": printed[1],
            "seconds ours": seconds[label],
            "calls paper": printed[2],
            "calls ours": max((calls for calls, _ in spent.get(label, [])), default=None),
        }
        for label, printed in PROFILE.items()
    ]


def time_rows(effort: Effort) -> list[Row]:
    """How long GOMM and D-GOMM take, how many evaluations they make, and what they find."""
    return [_time_row(name, k, effort) for name in (CENSUS, WATER) for k in SIZES]


def _time_row(name: str, k: int, effort: Effort) -> Row:
    plain, dynamic = searched(name, k, effort), searched(name, k, effort, dynamic=True)
    return {
        "set": name,
        "k": k,
        "GOMM seconds": plain.seconds,
        "D-GOMM seconds": dynamic.seconds,
        "GOMM evaluations": plain.state.evaluations,
        "D-GOMM evaluations": dynamic.state.evaluations,
        "GOMM score": plain.state.summary.best,
        "D-GOMM score": dynamic.state.summary.best,
    }
