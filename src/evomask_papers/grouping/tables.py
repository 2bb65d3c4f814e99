"""Reproductions of the tables of the grouping thesis (Balasch, 2010)."""

import cProfile
import pstats
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from statistics import fmean
from typing import Any, NamedTuple

from evomask.evolution.individual import Brood, Outcomes
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.schemes import Alone
from evomask.evolution.state import State
from evomask.evolution.stopping import either, generations, idle
from evomask.execution.local import InProcess
from evomask.searches.grouping.genome import Grouping
from evomask.searches.grouping.problem import AttributeGrouping
from evomask.searches.grouping.search import GroupingMeasures, GroupingSearch, Parameters
from evomask_papers.claims import verdict
from evomask_papers.effort import Effort, spread
from evomask_papers.grouping.inputs import (
    BEST,
    CENSUS,
    PER_CALL,
    PROFILE,
    SCORES,
    SIZES,
    WATER,
    hand_made,
    original,
)
from evomask_papers.operator_study import operators_used

GENERATIONS = 100
GOMM, DYNAMIC = "GOMM", "D-GOMM"

Row = dict[str, object]


class GroupingRun(NamedTuple):
    """A finished search for groupings of attributes.

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


@lru_cache(maxsize=256)
def searched(
    name: str, k: int, effort: Effort, operator: str = "", dynamic: bool = False
) -> GroupingRun:
    """Run GOMM as the thesis did: its fitness, clones allowed; with a single operator if named."""
    thesis = GroupingMeasures.THESIS
    parameters = Parameters(k=k, dynamic=dynamic, clones=True, fitness=thesis)
    setup = GroupingSearch.setup(original(name), parameters, effort.around)
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
    """Final state of a run for each operator used alone."""
    names = operators_used(searched(name, k, effort).state)
    return {operator: searched(name, k, effort, operator).state for operator in names}


def table_5_1(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Row]:
    """The best grouping by k, Water-treatment."""
    return _best_rows(WATER, Effort(seed, share), runs)


def table_5_2(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Row]:
    """The best grouping by k, Census."""
    return _best_rows(CENSUS, Effort(seed, share), runs)


def table_5_3(seed: int = 1, share: float = 1.0) -> list[Row]:
    """The score of every hand-made grouping and of the best found, Water-treatment."""
    return _all_scores(WATER, Effort(seed, share))


def table_5_4(seed: int = 1, share: float = 1.0) -> list[Row]:
    """The score of every hand-made grouping and of the best found, Census."""
    return _all_scores(CENSUS, Effort(seed, share))


def _best_rows(name: str, effort: Effort, runs: int) -> list[Row]:
    efforts = effort.repeated(runs)
    return [_best_row(name, k, [searched(name, k, each) for each in efforts]) for k in SIZES]


def _best_row(name: str, k: int, runs: Sequence[GroupingRun]) -> Row:
    """The best run beside the paper, and how the scores of several runs spread."""
    scores = [each.state.summary.best for each in runs]
    run = runs[scores.index(min(scores))]
    parts = run.problem.components(run.best)
    ours = (*parts, parts.score, int(run.best.max()) + 1)
    printed = BEST[name][k]
    row: Row = {"k": k}
    for label, theirs, our in zip(
        ("IL", "ID", "DLD", "score", "groups"), printed, ours, strict=True
    ):
        row |= {f"{label} paper": theirs, f"{label} ours": our}
    same = sum(is_rounded(our, theirs) for our, theirs in zip(ours, printed, strict=True))
    row |= {f"{AS_PRINTED}, of 5": same}
    return {**row, **spread("score", scores)} if len(runs) > 1 else row


AS_PRINTED = "as printed"
"""Column of the numbers that agree to the last printed digit."""

CLOSE = 1e-9
"""Slack of a digit for rounding in floating point."""


def is_rounded(ours: float, printed: float) -> bool:
    """Whether a number rounds to the two decimals that Tables 5.1 and 5.2 print."""
    return abs(ours - printed) <= 0.005 + CLOSE


def is_cut(ours: float, printed: float) -> bool:
    """Whether a number cut off after one decimal is the one that Tables 5.3 and 5.4 print."""
    return -CLOSE <= ours - printed < 0.1 - CLOSE


def _all_scores(name: str, effort: Effort) -> list[Row]:
    return [
        row
        for place, k in enumerate(SIZES)
        for row in _score_rows(name, k, place, searched(name, k, effort))
    ]


def _score_rows(name: str, k: int, place: int, run: GroupingRun) -> Iterator[Row]:
    for label, grouping in {**hand_made(name), GOMM: run.best}.items():
        score, printed = run.problem.components(grouping).score, SCORES[name][label][place]
        yield {
            "grouping": label,
            "k": k,
            "score paper": printed,
            "score ours": score,
            AS_PRINTED: verdict(is_cut(score, printed)),
            "groups paper": _printed_groups(name, k, label),
            "groups ours": int(grouping.max()) + 1,
        }


def _printed_groups(name: str, k: int, label: str) -> int:
    """The number in parentheses of tables 5.3 and 5.4."""
    if label == GOMM:
        return BEST[name][k][4]
    return int(hand_made(name)[label].max()) + 1


PARTS = {
    "MDAV": ("city_block_mdav", "_mixed_mdav"),
    "euclideanDistance": ("strictly_nearest", "_strictly_nearest"),
    "computeSingleID": ("_cells_within",),
    "score": ("components", "_linked"),
    "initOriginalData": ("setup",),
    "groupCreate": ("create_group",),
    "cost": ("work",),
    "crossover": ("cross",),
    "elementMove": ("move_element",),
    "elementSwap": ("swap_elements",),
    "groupEliminate": ("eliminate_group",),
    "groupSplit": ("split_group",),
    "generateNewPopulation": ("propose",),
    "populate": ("begin",),
    "sort": ("plus",),
}
"""Our functions that do what those of table 3.1 do, the first of which is counted."""

ELSE = "all else"
LOADING = 0.01
"""Share of a run before the profiled one, so that no kernel is loaded in it."""


THREE = ("MDAV", "euclideanDistance", "computeSingleID")
"""The functions that take 99 % of the thesis' time."""


class Spent(NamedTuple):
    """Profile of one function: calls, own seconds, and cumulative seconds."""

    calls: int
    own: float
    total: float


def table_3_1(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Where the time of GOMM goes, all functions, Water-treatment, k = 25."""
    searched.__wrapped__(WATER, 25, Effort(seed, LOADING))
    profiler = cProfile.Profile(time.process_time)
    profiler.runcall(searched.__wrapped__, WATER, 25, Effort(seed, share))
    stats: Any = pstats.Stats(profiler)
    parts = {label: _spent(stats.stats, names) for label, names in PARTS.items()}
    rest = stats.total_tt - sum(spent.own for spent in parts.values())
    parts[ELSE] = Spent(0, rest, rest)
    rows = [_profile_row(label, parts.get(label), stats.total_tt) for label in (*PROFILE, ELSE)]
    return [*rows, _three_row(parts, stats.total_tt)]


def _spent(stats: Mapping[tuple[str, int, str], tuple[Any, ...]], names: Sequence[str]) -> Spent:
    rows = {key: row for key, row in stats.items() if key[2] in names}
    inside = [spent[3] for row in rows.values() for by, spent in row[4].items() if by in rows]
    return Spent(
        max((row[0] for key, row in rows.items() if key[2] == names[0]), default=0),
        sum(row[2] for row in rows.values()),
        sum(row[3] for row in rows.values()) - sum(inside),
    )


def _profile_row(label: str, spent: Spent | None, whole: float) -> Row:
    percent, seconds, calls = PROFILE.get(label, (None, None, None))
    per_call = PER_CALL.get(label, (None, None))
    ours = spent.calls if spent and spent.calls else None
    return {
        "function": label,
        "percent paper": percent,
        "percent ours": 100.0 * spent.own / whole if spent else None,
        "with what it calls ours": 100.0 * spent.total / whole if spent else None,
        "seconds paper": seconds,
        "seconds ours": spent.own if spent else None,
        "calls paper": calls,
        "calls ours": ours,
        "self per call paper": per_call[0],
        "self per call ours": spent.own / ours if spent and ours else None,
        "total per call paper": per_call[1],
        "total per call ours": spent.total / ours if spent and ours else None,
    }


def _three_row(parts: Mapping[str, Spent], whole: float) -> Row:
    """Total of the three functions that take 99 % of the thesis' time."""
    return {
        "function": f"{', '.join(THREE)} together",
        "percent paper": sum(PROFILE[label][0] for label in THREE),
        "percent ours": 100.0 * sum(parts[label].own for label in THREE) / whole,
        "with what it calls ours": 100.0 * sum(parts[label].total for label in THREE) / whole,
        "seconds paper": sum(PROFILE[label][1] for label in THREE),
        "seconds ours": sum(parts[label].own for label in THREE),
    }


def time_rows(effort: Effort, runs: int = 1) -> list[Row]:
    """Seconds, evaluations and best scores of GOMM and D-GOMM, the means of runs."""
    efforts = effort.repeated(runs)
    return [_time_row(name, k, efforts) for name in (CENSUS, WATER) for k in SIZES]


def _time_row(name: str, k: int, efforts: Sequence[Effort]) -> Row:
    pairs = [(searched(name, k, each), searched(name, k, each, dynamic=True)) for each in efforts]
    row: Row = {"set": name, "k": k}
    for kind, runs in zip((GOMM, DYNAMIC), zip(*pairs, strict=True), strict=True):
        row |= {
            f"{kind} seconds": fmean(run.seconds for run in runs),
            f"{kind} evaluations": fmean(run.state.evaluations for run in runs),
            f"{kind} score": fmean(run.state.summary.best for run in runs),
        }
    apart = [dynamic.state.summary.best - plain.state.summary.best for plain, dynamic in pairs]
    return row | {"runs": len(pairs), "as good": sum(abs(a) < SAME for a in apart)}


SAME = 0.005
"""Scores that differ by less are equal as printed, with two decimals."""
