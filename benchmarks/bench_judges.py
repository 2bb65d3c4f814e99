"""Do loss and risk order files as outside judges do, when an optimiser has searched for holes?

    python benchmarks/bench_judges.py [--candidates 400] [--judged 30] [--seed 5]
        [--cache FOLDER] [FILE...]

On a sample of each file, the engine of `protect` evolves masked files against loss and risk. Files
of the front and beyond it, and simple maskings, are then ranked by judges that share no code with
loss and risk. Printed are Spearman's correlations with the mean rank of the judges, on all files
and on the evolved ones alone, the pairs of files in which every judge calls one worse by a tenth of
the judge's range while evomask calls it better, and the table of docs/measures.md. Reference data
are read through EVOMASK_DATA.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from time import process_time

import numpy as np
from scipy.stats import rankdata, spearmanr
from threadpoolctl import threadpool_limits

from evomask.data.hierarchy_builders import complete_hierarchies
from evomask.data.table import Table
from evomask.engine.engine import Engine, lag_for
from evomask.engine.evaluation import EvaluationContext, Settings
from evomask.engine.specialists import specialists_for
from evomask.engine.state import Candidate, EngineState
from evomask.evolution.stopping import Budget
from evomask.execution.local import InProcess
from evomask.masking.enforce.requirement import NOTHING
from evomask.masking.method import MaskingMethod
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.masking.noise import IndependentNoise
from evomask.masking.randomization.pram import Pram
from evomask.masking.rank_swapping import RankSwapping
from evomask.masking.recoding.group_values import GroupValues
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.loss.loss import InformationLoss
from evomask.runs.store.journal import Journal
from evomask.searches.base import SearchInput
from outside_files import FILES, StudyFile
from outside_judges import Judges

SIX = ("adult", "census", "household", "german", "solar", "eia")
"""Loss and risk were chosen on the first three; nobody chose anything on the others."""

TARGETS = CONTROL = 300
PROFILE = "strict"
ALL_PERMUTED = "all permuted as a block"
"""Judged for its loss alone: judges of the risk take a record at another place for another's."""

RANGE = 0.1
"""Share of a judge's range by which one file is clearly worse than another."""

Row = dict[str, float | str | bool]


@dataclass(frozen=True)
class Found:
    """A candidate that evolution found, and what made it."""

    loss: float
    risk: float
    candidate: Candidate
    is_front: bool


def evolve(file: StudyFile, candidates: int, seed: int) -> tuple[EvaluationContext, list[Found]]:
    """Evolve files by the engine of `protect`, against loss and risk with people held out.

    All searches that apply take part. Returned are the candidates in the order of their loss.
    """
    hierarchies = complete_hierarchies(file.table, file.lines)
    budget = Budget(evaluations=candidates)
    members = specialists_for(SearchInput(file.table, NOTHING, PROFILE, hierarchies))
    order = np.random.default_rng(seed).permutation(len(file.others))[:CONTROL]
    context = EvaluationContext(
        file.table,
        Settings(NOTHING, PROFILE, members, lag=lag_for(budget)),
        seed,
        hierarchies,
        outside=file.others.take(np.sort(order)),
        people=TARGETS,
    )
    engine = Engine(context, budget, Journal(), InProcess(context))
    state, seen = EngineState(), dict[int, Candidate]()
    for after in engine.states(state):
        state = after
        seen |= {n: one for n, one in state.live.items() if one.readings and one.readings[-1]}
    best = {point.number for point in state.front}
    found = [
        Found(*one.readings[-1], one, number in best)
        for number, one in seen.items()
        if one.readings[-1] is not None
    ]
    return context, sorted(found, key=lambda one: (one.loss, one.risk))


def evolved_files(
    file: StudyFile, candidates: int, judged: int, seed: int
) -> Iterator[tuple[str, Table]]:
    """Half of the judged files from the front, half from the candidates beyond it."""
    context, found = evolve(file, candidates, seed)
    best = [one for one in found if one.is_front]
    spread = np.unique(np.linspace(0, len(best) - 1, judged // 2).astype(int))
    chosen = [best[place] for place in spread]
    rest = [one for one in found if one not in chosen]
    drawn = np.random.default_rng(seed).permutation(len(rest))[: judged - len(chosen)]
    for one in (*chosen, *(rest[place] for place in np.sort(drawn))):
        title = f"{one.candidate.search} {one.candidate.number}"
        masked = context.masked(one.candidate.member, one.candidate.genome)
        yield f"{title}{' (front)' if one.is_front else ''}", masked


def simple_files(file: StudyFile) -> Iterator[tuple[str, Table]]:
    """Simple maskings from mild to strong, and columns permuted at random."""
    names, rng = file.names, np.random.default_rng(9)
    methods: dict[str, MaskingMethod] = {}
    for k in (3, 10, 30, 80):
        methods[f"microaggregation {k}"] = MdavGeneric(names, k)
    for k in (5, 40):
        methods[f"mondrian {k}"] = Mondrian(names, k, release=GroupValues.VALUE)
    for share in (0.1, 0.4) if file.categories else ():
        methods[f"PRAM {share}"] = Pram(file.categories, change=share)
    for window in (5, 40) if file.numbers else ():
        methods[f"swapping {window}"] = RankSwapping(file.numbers, window)
    for percent in (10, 60) if file.numbers else ():
        methods[f"noise {percent}"] = IndependentNoise(file.numbers, percent)
    for title, method in methods.items():
        yield title, method.mask(file.table, rng)
    for name in names[:3]:
        yield f"{name} permuted", permuted(file.table, (name,), rng)
    yield "half permuted as a block", permuted(file.table, names[: len(names) // 2], rng)
    yield ALL_PERMUTED, permuted(file.table, names, rng)


def permuted(table: Table, names: Sequence[str], rng: np.random.Generator) -> Table:
    """The same values of some columns, moved to other records together."""
    order = rng.permutation(len(table))
    return table.with_columns({name: table[name][order] for name in names})


def rows_of(file: StudyFile, candidates: int, judged: int, seed: int) -> list[Row]:
    """A row of readings for each judged file; everybody is attacked."""
    judges = Judges(file)
    loss = InformationLoss(file.names).against(file.table)
    risk = DisclosureRisk(file.names, people=len(file.table)).against(file.table, file.others)
    rows: list[Row] = []
    for is_evolved, files in (
        (True, evolved_files(file, candidates, judged, seed)),
        (False, simple_files(file)),
    ):
        for title, masked in files:
            lost, assessed = loss.assess(masked), risk.assess(masked)
            rows.append(
                {
                    "file": title,
                    "evolved": is_evolved,
                    "loss": lost.loss,
                    "accuracy": lost.accuracy,
                    "distributions": lost.distributions,
                    "relations": lost.relations,
                    "risk": assessed.risk,
                    **{name: part.percent for name, part in assessed.parts.items()},
                    **{f"loss by {name}": one for name, one in judges.loss(masked).items()},
                    **{f"risk by {name}": one for name, one in judges.risk(masked).items()},
                }
            )
    return rows


def cached_rows(
    name: str, candidates: int, judged: int, seed: int, folder: Path | None
) -> list[Row]:
    """Readings of a file, read from *folder* where they are there already."""
    path = folder / f"{name}-{candidates}-{judged}-{seed}.json" if folder else None
    if path and path.exists():
        rows: list[Row] = json.loads(path.read_text())
        return rows
    rows = rows_of(FILES[name](), candidates, judged, seed)
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(rows, indent=1))
    return rows


def readings(rows: Sequence[Row], side: str) -> dict[str, list[float]]:
    """Readings of each judge of one side, ``loss`` or ``risk``."""
    names = [name for name in rows[0] if name.startswith(f"{side} by ")]
    return {name: [float(row[name]) for row in rows] for name in names}


def comparable(rows: Sequence[Row], side: str) -> list[Row]:
    """The files that the judges of one side can judge."""
    return [row for row in rows if side == "loss" or row["file"] != ALL_PERMUTED]


def agreement(rows: Sequence[Row], ours: str, side: str) -> float:
    """Spearman's correlation of one of our readings with the mean rank of the judges."""
    rows = comparable(rows, side)
    consensus = np.mean([rankdata(one) for one in readings(rows, side).values()], axis=0)
    own = [float(row[ours]) for row in rows]
    return float(spearmanr(own, consensus).statistic) if np.ptp(own) > 0 else float("nan")


def contradictions(rows: Sequence[Row], side: str) -> list[tuple[str, str]]:
    """Pairs of a file and one that every judge calls clearly worse, while evomask does not."""
    rows = comparable(rows, side)
    judges = [np.array(one) for one in readings(rows, side).values()]
    found = []
    for a, b in permutations(range(len(rows)), 2):
        is_worse = all(one[b] - one[a] > RANGE * np.ptp(one) for one in judges)
        if is_worse and float(rows[b][side]) < float(rows[a][side]):
            found.append((str(rows[a]["file"]), str(rows[b]["file"])))
    return found


def judges_agreement(rows: Sequence[Row], side: str) -> float:
    """Mean correlation of a judge with the mean rank of the other judges."""
    rows = comparable(rows, side)
    ranks = [rankdata(one) for one in readings(rows, side).values()]
    others = [np.mean(ranks[:i] + ranks[i + 1 :], axis=0) for i in range(len(ranks))]
    pairs = zip(ranks, others, strict=True)
    return float(np.mean([spearmanr(own, rest).statistic for own, rest in pairs]))


def print_file(name: str, rows: Sequence[Row], spent: float) -> None:
    evolved = [row for row in rows if row["evolved"]]
    print(f"\n{name}: {len(rows)} files, {len(evolved)} evolved; {spent:.0f} s CPU")
    for side, parts in (
        ("loss", ("loss", "accuracy", "distributions", "relations")),
        ("risk", [n for n in ("risk", "reidentification", "attribute_disclosure", "confidential")
                  if n in rows[0]]),
    ):  # fmt: skip
        for part in parts:
            every, alone = (agreement(some, part, side) for some in (rows, evolved))
            print(f"  {part:<22} all files {every:6.3f}, evolved alone {alone:6.3f}")
        both = (judges_agreement(some, side) for some in (rows, evolved))
        print("  a judge with the others     {:6.3f},               {:6.3f}".format(*both))
        for better, worse in contradictions(rows, side):
            print(f"  {side}: every judge calls {worse} clearly worse than {better}")


def print_table(found: Mapping[str, Sequence[Row]]) -> None:
    """Correlations of all files, as a table for docs/measures.md."""
    print("\n| file | files, evolved | loss: all | evolved | risk: all | evolved |")
    print("|---" * 6 + "|")
    for name, rows in found.items():
        evolved = [row for row in rows if row["evolved"]]
        figures = [
            f"{agreement(some, side, side):.2f}"
            for side in ("loss", "risk")
            for some in (rows, evolved)
        ]
        print(f"| {name} | {len(rows)}, {len(evolved)} | {' | '.join(figures)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("files", nargs="*", default=SIX)
    parser.add_argument("--candidates", type=int, default=400)
    parser.add_argument("--judged", type=int, default=30)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    found = {}
    for name in given.files:
        start = process_time()
        with threadpool_limits(1):
            rows = cached_rows(name, given.candidates, given.judged, given.seed, given.cache)
        print_file(name, rows, process_time() - start)
        found[name] = rows
    print_table(found)


if __name__ == "__main__":
    main()
