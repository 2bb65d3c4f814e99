"""The grouping thesis (Balasch, 2010): its tables and figures, paper beside ours."""

import cProfile
import pstats
import time
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, NamedTuple

from evomask.data.chart import Axis, Chart, Series
from evomask.evolution.alone import Alone
from evomask.evolution.brood import Brood, Outcomes
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.setup import Surroundings
from evomask.evolution.state import State
from evomask.evolution.stopping import either, generations, idle
from evomask.evolution.streams import draw_stream
from evomask.execution.local import InProcess
from evomask.papers.catalogue import Effort, Item, Reproduction, Row
from evomask.papers.grouping_inputs import (
    BEST,
    CENSUS,
    PROFILE,
    SCORES,
    SIZES,
    WATER,
    hand_made,
    original,
)
from evomask.runs.operators import alone_charts, best_cost_chart, operator_charts, operators_of
from evomask.searches.grouping.genome import Grouping
from evomask.searches.grouping.problem import AttributeGrouping
from evomask.searches.grouping.search import GroupingSearch, Parameters

GENERATIONS = 100


class Found(NamedTuple):
    """A search carried out.

    Args:
        groups: mean number of groups in the population at each generation's end.
    """

    problem: AttributeGrouping
    state: State[Grouping]
    groups: tuple[float, ...]
    seconds: float

    @property
    def best(self) -> Grouping:
        """The best grouping."""
        return self.state.population[0].genome


@lru_cache(maxsize=64)
def searched(name: str, k: int, effort: Effort, operator: str = "", dynamic: bool = False) -> Found:
    """GOMM with the thesis' numbers; with one operator only where it is named."""
    around = Surroundings(partial(draw_stream, effort.seed))
    setup = GroupingSearch.setup(original(name), Parameters(k=k, dynamic=dynamic), around)
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
    return Found(problem, state, tuple(groups), time.process_time() - started)


def alone(name: str, k: int, effort: Effort) -> dict[str, State[Grouping]]:
    """The last state of each operator's own run."""
    names = operators_of(searched(name, k, effort).state)
    return {operator: searched(name, k, effort, operator).state for operator in names}


def best_table(name: str, effort: Effort) -> Reproduction:
    """Tables 5.1 and 5.2."""
    return Reproduction(tuple(_best_row(name, k, searched(name, k, effort)) for k in SIZES))


def _best_row(name: str, k: int, found: Found) -> Row:
    parts = found.problem.components(found.best)
    ours = (*parts, parts.score, int(found.best.max()) + 1)
    printed = BEST[name][k]
    row: Row = {"k": k}
    for label, theirs, our in zip(
        ("IL", "ID", "DLD", "score", "groups"), printed, ours, strict=True
    ):
        row |= {f"{label} paper": theirs, f"{label} ours": our}
    return row


def score_table(name: str, effort: Effort) -> Reproduction:
    """Tables 5.3 and 5.4."""
    rows = tuple(
        row
        for place, k in enumerate(SIZES)
        for row in _score_rows(name, k, place, searched(name, k, effort))
    )
    return Reproduction(rows)


def _score_rows(name: str, k: int, place: int, found: Found) -> Iterator[Row]:
    for label, grouping in {**hand_made(name), "GOMM": found.best}.items():
        yield {
            "grouping": label,
            "k": k,
            "score paper": SCORES[name][label][place],
            "score ours": found.problem.components(grouping).score,
            "groups": int(grouping.max()) + 1,
        }


PARTS = {
    "MDAV": ("_mdav", "with_rest"),
    "euclideanDistance": ("_strictly_nearest",),
    "computeSingleID": ("_disclosed",),
}
"""Our functions that do what those of table 3.1 do; the rest is compared with the rest."""


def profile(effort: Effort) -> Reproduction:
    """Table 3.1: where the time goes, Water-treatment with k = 25."""
    profiler = cProfile.Profile()
    profiler.runcall(searched.__wrapped__, WATER, 25, effort)
    stats: Any = pstats.Stats(profiler)
    spent = {
        label: [(row[0], row[2]) for (_, _, name), row in stats.stats.items() if name in names]
        for label, names in PARTS.items()
    }
    seconds = {label: sum(own for _, own in rows) for label, rows in spent.items()}
    seconds["score"] = stats.total_tt - sum(seconds.values())
    return Reproduction(
        tuple(
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
        )
    )


def times(effort: Effort) -> Reproduction:
    """Figure 5.1: how long GOMM and D-GOMM take, by k."""
    rows = tuple(_time_row(name, k, effort) for name in (CENSUS, WATER) for k in SIZES)
    series = tuple(
        Series(
            f"{kind}, {name}",
            "line",
            tuple(map(float, SIZES)),
            tuple(float(str(row[f"{kind} seconds"])) for row in rows if row["set"] == name),
        )
        for name in (CENSUS, WATER)
        for kind in ("GOMM", "D-GOMM")
    )
    chart = Chart(
        "grouping-figure-5.1",
        "Time of GOMM and D-GOMM",
        "The dynamic optimizer saves the evaluations of operators that work in vain.",
        Axis("k"),
        Axis("CPU seconds"),
        series,
    )
    return Reproduction(rows, (chart,))


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


def figure(number: str, charts: Callable[[Effort], tuple[Chart, ...]]) -> Item:
    """A figure whose rows are its points."""

    def make(effort: Effort) -> Reproduction:
        drawn = charts(effort)
        return Reproduction(tuple(row for chart in drawn for row in _points(chart)), drawn)

    return Item(f"grouping-figure-{number}", CAPTIONS[number], make)


def _points(chart: Chart) -> Iterator[Row]:
    for name, x, y in chart.rows:
        yield {"chart": chart.name, "series": name, "x": x, "y": y}


KINDS = ("utilization", "lifetime", "efficacy", "efficiency")


def studied(
    kind: str, name: str, k: int, effort: Effort, *, by_itself: bool = False
) -> tuple[Chart, ...]:
    """One aspect of the operators, combined or each by itself."""
    place = KINDS.index(kind)
    if by_itself:
        return (alone_charts(alone(name, k, effort))[place],)
    return (operator_charts(searched(name, k, effort).state)[place],)


def best_costs(name: str, effort: Effort) -> tuple[Chart, ...]:
    """Figures 4.9 and 4.10."""
    return tuple(
        best_cost_chart(searched(name, k, effort).state, alone(name, k, effort), f"best-cost-{k}")
        for k in (25, 100)
    )


def group_counts(effort: Effort) -> tuple[Chart, ...]:
    """Figure 4.11."""
    means = {name: searched(name, 25, effort).groups for name in (WATER, CENSUS)}
    lines = tuple(
        Series(name, "line", tuple(map(float, range(len(mean)))), mean)
        for name, mean in means.items()
    )
    return (
        Chart(
            "grouping-figure-4.11",
            "Mean number of groups in the population, k = 25",
            "First the number of groups is found, then attributes move between groups.",
            Axis("generation"),
            Axis("mean number of groups"),
            lines,
        ),
    )


CAPTIONS = {
    **{
        f"4.{2 * place + 1}": f"{kind} of each operator alone, Water-treatment, k = 25"
        for place, kind in enumerate(KINDS)
    },
    **{
        f"4.{2 * place + 2}": f"{kind} of the operators combined, Water-treatment, k = 25"
        for place, kind in enumerate(KINDS)
    },
    "4.9": "best cost of each operator alone against all combined, Water-treatment",
    "4.10": "best cost of each operator alone against all combined, Census",
    "4.11": "mean number of groups by generation, both sets, k = 25",
    **{
        f"B.{place + 1}": f"{kind} of the operators combined, Census, k = 25"
        for place, kind in enumerate(KINDS)
    },
    **{
        f"B.{place + 5}": f"{kind} of the operators combined, Water-treatment, k = 100"
        for place, kind in enumerate(KINDS)
    },
}

ITEMS: tuple[Item, ...] = (
    Item("grouping-table-3.1", "where the time of GOMM goes, Water-treatment", profile),
    Item("grouping-table-5.1", "best grouping by k, Water-treatment", partial(best_table, WATER)),
    Item("grouping-table-5.2", "best grouping by k, Census", partial(best_table, CENSUS)),
    Item(
        "grouping-table-5.3",
        "score of every hand-made grouping, Water-treatment",
        partial(score_table, WATER),
    ),
    Item(
        "grouping-table-5.4",
        "score of every hand-made grouping, Census",
        partial(score_table, CENSUS),
    ),
    *(
        figure(
            f"4.{2 * place + 1 + combined}",
            partial(studied, kind, WATER, 25, by_itself=not combined),
        )
        for place, kind in enumerate(KINDS)
        for combined in (False, True)
    ),
    figure("4.9", partial(best_costs, WATER)),
    figure("4.10", partial(best_costs, CENSUS)),
    figure("4.11", group_counts),
    Item("grouping-figure-5.1", "time of GOMM and D-GOMM by k, both sets", times),
    *(figure(f"B.{i + 1}", partial(studied, kind, CENSUS, 25)) for i, kind in enumerate(KINDS)),
    *(figure(f"B.{i + 5}", partial(studied, kind, WATER, 100)) for i, kind in enumerate(KINDS)),
)
