"""Claims of chapter 4 of the grouping thesis about its operators, tested on our runs.

Generations are those of the text. `GROUP` are the mutations that change the number of groups.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evomask.evolution.state import State
from evomask_papers.claims import Claim, Named
from evomask_papers.operator_statistics import lifetime, utilization

CREATE, ELIMINATE, SPLIT, MOVE, SWAP, CROSS = (
    "create", "eliminate", "split", "move", "swap", "cross",
)  # fmt: skip
GROUP, FINE = (CREATE, ELIMINATE, SPLIT), (MOVE, SWAP)
NEARLY_ALL, HARDLY = 95.0, 0.1
"""Percent of children, and generations lived, that count as all and as none."""


@dataclass(frozen=True)
class WatchedOperators:
    """Runs for the operator study: for each operator, the state of the run that used it."""

    runs: Sequence[Mapping[str, State[Any]]]

    def unused(self, operator: str, first: int = 1, last: int | None = None) -> float:
        """Percent of the children born in these generations that never became a parent."""
        return _percent(
            (utilization(state)[operator].get(born, 0), children)
            for state, born, children in self._births(operator, first, last)
        )

    def lived(self, operator: str, first: int = 1, last: int | None = None) -> float:
        """How many generations the children of these generations lived."""
        return _mean(
            lifetime(state)[operator].get(born, 0.0)
            for state, born, _ in self._births(operator, first, last)
        )

    def improved(self, operator: str, first: int = 1, last: int | None = None) -> float:
        """Percent of the children born in these generations that cost less than their parents."""
        rows = [row for row, _ in self._rows(operator, first, last)]
        return _percent((row.improved, row.children) for row in rows)

    def gained(self, operator: str, first: int = 1, last: int | None = None) -> float:
        """The largest gain of a child of these generations in percent, the mean of the runs."""
        each = [[row.best for row in self._of(run, operator, first, last)] for run in self.runs]
        return _mean(max(0.0, *best) for best in each if best)

    def gained_mostly(self, operator: str, first: int = 1, last: int | None = None) -> float:
        """The largest gain of a child of each generation in percent, the mean of generations."""
        return _mean(max(0.0, row.best) for row, _ in self._rows(operator, first, last))

    def gained_at_best(self, operator: str, span: int = 10) -> float:
        """The same in the decade of generations in which it is largest."""
        last = max((row.generation for row, _ in self._rows(operator, 1, None)), default=0)
        firsts = range(1, last + 1, span)
        return max((self.gained_mostly(operator, f, f + span - 1) for f in firsts), default=np.nan)

    def each(
        self, part: Callable[..., float], names: Iterable[str], first: int, last: int | None = None
    ) -> dict[str, float]:
        """One of these parts for some operators."""
        return {name: part(name, first, last) for name in names}

    def _of(
        self, run: Mapping[str, State[Any]], operator: str, first: int, last: int | None
    ) -> list[Any]:
        rows = run[operator].ledger.births[operator] if operator in run else ()
        return [r for r in rows if r.generation >= first and (last is None or r.generation <= last)]

    def _rows(self, operator: str, first: int, last: int | None) -> list[tuple[Any, State[Any]]]:
        return [
            (row, run[operator])
            for run in self.runs
            for row in self._of(run, operator, first, last)
        ]

    def _births(
        self, operator: str, first: int, last: int | None
    ) -> list[tuple[State[Any], int, int]]:
        rows = self._rows(operator, first, last)
        return [(state, row.generation, row.children) for row, state in rows]


def _percent(parts: Iterable[tuple[int, int]]) -> float:
    counts = list(parts)
    whole = sum(count for _, count in counts)
    return 100.0 * sum(part for part, _ in counts) / whole if whole else float("nan")


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return float(np.mean(found)) if found else float("nan")


def _named(values: Mapping[str, float], what: str) -> dict[str, float]:
    return {f"{name} {what}": value for name, value in values.items()}


def figure_4_1(alone: WatchedOperators) -> Claim:
    """Children discarded unused, each operator alone."""
    create, split = alone.unused(CREATE, 21), alone.unused(SPLIT, 61)
    cross = alone.unused(CROSS)
    return Claim(
        "nearly all children of create are unused after generation 20, of split after 60, and "
        "about 70 % of crossover's",
        min(create, split) >= NEARLY_ALL,
        {"create": create, "split": split, "crossover": cross},
        (Named(70, cross, 10),),
    )


def figure_4_2(combined: WatchedOperators) -> Claim:
    """Children discarded unused, operators combined."""
    groups = combined.each(combined.unused, GROUP, 26)
    fine = combined.each(combined.unused, FINE, 20, 30)
    cross = combined.unused(CROSS)
    return Claim(
        "create, eliminate and split work in vain after generation 25 (100 %), of move and swap "
        "less than half is unused from 20 to 30, of crossover about 75 %",
        min(groups.values()) >= NEARLY_ALL and max(fine.values()) < 50,
        {**groups, **fine, "crossover": cross},
        (Named(75, cross, 10),),
    )


def figure_4_3(alone: WatchedOperators) -> Claim:
    """Lifetimes, each operator alone."""
    early, late = alone.lived(CREATE, 1, 20), alone.lived(CREATE, 21)
    return Claim(
        "children that create makes in the first generations live a lot longer than later ones",
        early > 2 * late,
        {"generations to 20": early, "after 20": late},
    )


def figure_4_4(combined: WatchedOperators) -> Claim:
    """How long children live, operators combined."""
    groups = combined.each(combined.lived, GROUP, 26)
    cross = combined.lived(CROSS)
    return Claim(
        "children of create, eliminate and split die at once after generation 25, those of "
        "crossover live 2 to 3 generations",
        max(groups.values()) <= HARDLY,
        {**groups, "crossover": cross},
        (Named(2.5, cross, 0.5),),
    )


def figure_4_5(alone: WatchedOperators) -> Claim:
    """Efficacy, each operator alone."""
    early, late = alone.improved(CREATE, 1, 20), alone.improved(CREATE, 21)
    split = alone.improved(SPLIT, 51)
    return Claim(
        "create improves at first and hardly after generation 20, split never after 50",
        early > 2 * late and split == 0,
        {"percent of create's to 20": early, "after 20": late, "of split's after 50": split},
    )


def figure_4_6(combined: WatchedOperators) -> Claim:
    """How many children improve, operators combined."""
    groups = combined.each(combined.improved, GROUP, 26)
    cross = combined.improved(CROSS, 21)
    return Claim(
        "create, eliminate and split only worsen after generation 25, and 5 % of crossover's "
        "children improve after 20",
        max(groups.values()) < 100 - NEARLY_ALL,
        {**_named(groups, "percent"), "crossover percent": cross},
        (Named(5, cross, 2.5),),
    )


def figure_4_7(alone: WatchedOperators) -> Claim:
    """Efficiency, each operator alone."""
    create = alone.gained(CREATE)
    others = max(alone.gained(name) for name in (ELIMINATE, SPLIT, MOVE, SWAP, CROSS))
    return Claim(
        "create gains up to 20 %, no other operator more than 5 %",
        others <= 5,
        {"create up to": create, "others up to": others},
        (Named(20, create, 5),),
    )


def figure_4_8(combined: WatchedOperators) -> Claim:
    """By how much children improve, operators combined."""
    early = combined.each(combined.gained_mostly, (CREATE, ELIMINATE), 1, 10)
    fine = {name: combined.gained_at_best(name) for name in FINE}
    late = max(combined.each(combined.gained, GROUP, 26).values())
    return Claim(
        "at most create and eliminate gain around 10 % at first, and with split nothing after "
        "generation 25; move and swap around 2 % when they are best",
        late == 0,
        {**early, **fine, "group mutations after 25": late},
        (*(Named(10, gain, 5) for gain in early.values()),
         *(Named(2, gain, 1) for gain in fine.values())),
    )  # fmt: skip


def best_costs(ends: Mapping[str, float], k: int, *, few: bool) -> Claim:
    """Figures 4.9 and 4.10: best costs alone over combined at the end.

    Args:
        few: whether the file has few attributes, as Census.
    """
    near = (CREATE, ELIMINATE, MOVE) if few else (CREATE,) if k < 100 else (CREATE, ELIMINATE)
    others = [value for name, value in ends.items() if name not in near]
    together = " and ".join(near)
    first = min(ends.values()) >= 1 and max(ends[name] for name in near) <= min(others)
    ahead = few or k < 100 or ends[ELIMINATE] <= ends[CREATE]
    after = "" if few or k < 100 else ", eliminate at last nearer than create"
    return Claim(
        f"alone {together} come nearest to all combined{after}; combined is always better",
        first and ahead,
        ends,
    )


def figure_b_1(combined: WatchedOperators) -> Claim:
    """Children discarded unused, Census."""
    groups = combined.each(combined.unused, GROUP, 21)
    return Claim(
        "as Water-treatment, settled earlier than generation 25",
        min(groups.values()) >= NEARLY_ALL,
        {f"{name} unused after 20": value for name, value in groups.items()},
    )


def figure_b_2(combined: WatchedOperators) -> Claim:
    """How long children live, Census."""
    groups = combined.each(combined.lived, GROUP, 21)
    return Claim(
        "create, eliminate and split are useless some generations before the 25th",
        max(groups.values()) <= HARDLY,
        {f"{name} after 20": value for name, value in groups.items()},
    )


def figure_b_3(combined: WatchedOperators) -> Claim:
    """How many children improve, Census."""
    early, late = combined.improved(CROSS, 1, 10), combined.improved(CROSS, 91)
    return Claim(
        "many improvements at first, in the last generations not even by crossover",
        late == 0 < early,
        {"percent of crossover's to 10": early, "after 90": late},
    )


def figure_b_4(combined: WatchedOperators, water: WatchedOperators) -> Claim:
    """By how much children improve, Census."""
    ours, theirs = (max(w.gained(n) for n in (*GROUP, *FINE)) for w in (combined, water))
    return Claim(
        "gains are larger than on Water-treatment",
        ours > theirs,
        {"Census up to": ours, "Water-treatment up to": theirs},
    )


def figure_b_5(combined: WatchedOperators, usual: WatchedOperators) -> Claim:
    """Children discarded unused, k = 100."""
    late = {k: _least(w.each(w.unused, GROUP, 50, 95)) for k, w in ((100, combined), (25, usual))}
    return Claim(
        "the group mutations still bring something in late, unlike with k = 25",
        late[100] < NEARLY_ALL <= late[25],
        {f"least unused from 50 to 95, k = {k}": value for k, value in late.items()},
    )


def figure_b_6(combined: WatchedOperators) -> Claim:
    """How long children live, k = 100."""
    lived = combined.each(combined.lived, (*GROUP, CROSS), 26)
    return Claim(
        "children of create live very shortly, those of eliminate and split as crossover's",
        lived[CREATE] < min(lived[ELIMINATE], lived[SPLIT]),
        lived,
    )


def figure_b_7(combined: WatchedOperators, usual: WatchedOperators) -> Claim:
    """How many children improve, k = 100."""
    early = {k: _most(w.each(w.improved, GROUP, 1, 10)) for k, w in ((100, combined), (25, usual))}
    late = {k: _most(w.each(w.improved, GROUP, 26)) for k, w in ((100, combined), (25, usual))}
    return Claim(
        "the group mutations improve fewer children at first than with k = 25, and for longer",
        early[100] < early[25] and late[100] > late[25],
        {f"percent to 10, k = {k}": value for k, value in early.items()}
        | {f"after 25, k = {k}": value for k, value in late.items()},
    )


def figure_b_8(combined: WatchedOperators, usual: WatchedOperators) -> Claim:
    """By how much children improve, k = 100."""
    gains = {k: _most(w.each(w.gained, GROUP, 1)) for k, w in ((100, combined), (25, usual))}
    return Claim(
        "the group mutations gain less than with k = 25",
        gains[100] < gains[25],
        {f"up to, k = {k}": value for k, value in gains.items()},
    )


def _least(values: Mapping[str, float]) -> float:
    return min(values.values())


def _most(values: Mapping[str, float]) -> float:
    return max(values.values())


def settled(values: Sequence[float], within: float = 0.5) -> int:
    """Generation from which on all values stay close to the last one."""
    apart = [place for place, value in enumerate(values) if abs(value - values[-1]) > within]
    return apart[-1] + 1 if apart else 0


SETTLED = {"Water-treatment": 30, "Census": 20}
"""From which generation on the number of groups is constant in figure 4.11."""


def figure_4_11(groups: Mapping[str, Sequence[float]]) -> Claim:
    """When the number of groups has been found."""
    ours = {name: float(settled(values)) for name, values in groups.items()}
    return Claim(
        "the number of groups is constant from generation 30 on Water-treatment, 20 on Census",
        ours["Census"] < ours["Water-treatment"],
        ours,
        tuple(Named(told, ours[name], 10) for name, told in SETTLED.items()),
    )
