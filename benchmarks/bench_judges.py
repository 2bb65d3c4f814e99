"""Do loss and risk order files as outside judges do, when an optimiser has searched for holes?

    python benchmarks/bench_judges.py [--candidates 300] [--judged 30] [--cache FOLDER] [FILE...]

On a sample of each file, recipes (attributes microaggregated in blocks, each with its own k, and
perturbed one by one) are evolved against loss and risk. Files of the front and beyond it, and
simple maskings, are then ranked by judges that share no code with loss and risk. Printed are
Spearman's correlations with the mean rank of the judges, on all files and on the evolved ones
alone, and the pairs of files in which every judge calls one worse by a tenth of the judge's range
while evomask calls it better. Reference data are read through EVOMASK_DATA.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from pathlib import Path
from time import process_time

import numpy as np
from scipy.stats import rankdata, spearmanr

from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.masking.method import MaskingMethod
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.masking.noise import IndependentNoise
from evomask.masking.randomization.pram import Design, Pram
from evomask.masking.rank_swapping import RankSwapping
from evomask.masking.recoding.group_values import GroupValues
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.loss.loss import InformationLoss
from outside_files import FILES, StudyFile
from outside_judges import Judges

SIX = ("adult", "census", "household", "german", "solar", "eia")
"""Loss and risk were chosen on the first three; nobody chose anything on the others."""

TARGETS = CONTROL = 300
SIZES = (2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 75, 100, 150)
LEAST_CHANGE = 0.005
ALL_PERMUTED = "all permuted as a block"
"""Judged for its loss alone: judges of the risk take a record at another place for another's."""

RANGE = 0.1
"""Share of a judge's range by which one file is clearly worse than another."""

Row = dict[str, float | str | bool]


@dataclass(frozen=True)
class Gene:
    """What happens to one attribute; the first of a block decides how the block is averaged."""

    block: int
    k: int
    averages: bool
    divides: bool
    change: float


Recipe = tuple[Gene, ...]


@dataclass(frozen=True, eq=False)
class Evolution:
    """Recipes evolved against loss and risk on a sample of a file."""

    file: StudyFile
    seed: int

    @cached_property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    @cached_property
    def loss(self) -> Callable[[Table], float]:
        return InformationLoss(self.file.names).against(self.file.table)

    @cached_property
    def risk(self) -> Callable[[Table], float]:
        chosen = np.random.default_rng(self.seed).permutation(len(self.file.others))[:CONTROL]
        control = self.file.others.take(np.sort(chosen))
        return DisclosureRisk(self.file.names, people=TARGETS).against(self.file.table, control)

    def evolve(self, candidates: int) -> list[tuple[float, float, Table]]:
        """Loss, risk and masked file of every candidate."""
        found: list[tuple[float, float, Table]] = []
        recipes: list[Recipe] = []
        while len(found) < candidates:
            recipe = self._next(recipes, found)
            masked = self.mask(recipe, len(found))
            recipes.append(recipe)
            found.append((self.loss(masked), self.risk(masked), masked))
        return found

    def mask(self, recipe: Recipe, number: int) -> Table:
        rng, masked = np.random.default_rng([self.seed, number]), self.file.table
        for method in self._methods(recipe):
            masked = method.mask(masked, rng)
        return masked

    def _methods(self, recipe: Recipe) -> Iterator[MaskingMethod]:
        names = self.file.names
        for name, gene in zip(names, recipe, strict=True):
            if gene.change <= LEAST_CHANGE:
                continue
            if self.file.table.attribute(name).kind is Kind.NOMINAL:
                yield Pram((name,), Design.DIAGONAL, min(0.95, gene.change))
            else:
                yield RankSwapping((name,), max(0.5, 100.0 * gene.change))
        for block in sorted({gene.block for gene in recipe}):
            chosen = [place for place, gene in enumerate(recipe) if gene.block == block]
            first, together = recipe[chosen[0]], tuple(names[place] for place in chosen)
            if not first.averages:
                continue
            if first.divides:
                yield Mondrian(together, first.k, release=GroupValues.VALUE)
            else:
                yield MdavGeneric(together, first.k)

    def _next(self, recipes: list[Recipe], found: list[tuple[float, float, Table]]) -> Recipe:
        """The first recipes treat all attributes alike or at random; the others are bred."""
        rng, n = self.rng, len(self.file.names)
        if len(recipes) < 12:
            k, divides = SIZES[1 + len(recipes) % 6 * 2], len(recipes) >= 6
            return (Gene(block=0, k=k, averages=True, divides=divides, change=0.0),) * n
        if len(recipes) < 40:
            blocks = int(rng.integers(1, n + 1))
            return tuple(self._random_gene(blocks) for _ in range(n))
        good = front(found)
        parents = [recipes[int(rng.choice(good))] for _ in range(2)]
        if rng.random() < 0.2:
            parents[0] = recipes[int(rng.integers(len(recipes)))]
        child = list(parents[0])
        if rng.random() < 0.5:
            child = [pair[int(rng.random() < 0.5)] for pair in zip(*parents, strict=True)]
        for _ in range(1 + rng.poisson(1)):
            place = int(rng.integers(n))
            child[place] = self._mutant(child[place])
        return tuple(child)

    def _random_gene(self, blocks: int) -> Gene:
        rng = self.rng
        return Gene(
            int(rng.integers(blocks)),
            int(rng.choice(SIZES)),
            bool(rng.random() < 0.7),
            bool(rng.random() < 0.3),
            float(rng.choice([0, 0, 0, 0.02, 0.05, 0.1, 0.2, 0.4])),
        )

    def _mutant(self, gene: Gene) -> Gene:
        rng = self.rng
        match int(rng.integers(5)):
            case 0:
                return replace(gene, block=int(rng.integers(len(self.file.names))))
            case 1:
                place = SIZES.index(gene.k) + int(rng.integers(-3, 4))
                return replace(gene, k=SIZES[int(np.clip(place, 0, len(SIZES) - 1))])
            case 2:
                return replace(gene, averages=not gene.averages)
            case 3:
                return replace(gene, divides=not gene.divides)
            case _:
                change = gene.change * np.exp(rng.normal(0, 0.5)) + 0.03 * (gene.change == 0)
                return replace(gene, change=float(min(change, 0.9)) * bool(rng.random() < 0.8))


def front(found: Sequence[tuple[float, float, Table]]) -> list[int]:
    """Places of the candidates that no other beats in both loss and risk."""
    order = sorted(range(len(found)), key=lambda i: found[i][:2])
    least, chosen = np.inf, []
    for place in order:
        if found[place][1] < least:
            chosen.append(place)
            least = found[place][1]
    return chosen


def evolved_files(file: StudyFile, candidates: int, judged: int) -> Iterator[tuple[str, Table]]:
    """Half of the judged files from the front, half from the candidates beyond it."""
    evolution = Evolution(file, seed=5)
    found = evolution.evolve(candidates)
    best = front(found)
    spread = np.unique(np.linspace(0, len(best) - 1, judged // 2).astype(int))
    chosen = [best[place] for place in spread]
    rest = np.setdiff1d(np.arange(len(found)), chosen)
    beyond = evolution.rng.permutation(rest)[: judged - len(chosen)].tolist()
    for place in (*chosen, *sorted(beyond)):
        yield f"evolved {place}{' (front)' if place in best else ''}", found[place][2]


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


def rows_of(file: StudyFile, candidates: int, judged: int) -> list[Row]:
    """A row of readings for each judged file; everybody is attacked."""
    judges = Judges(file)
    loss = InformationLoss(file.names).against(file.table)
    risk = DisclosureRisk(file.names, people=len(file.table)).against(file.table, file.others)
    rows: list[Row] = []
    for is_evolved, files in (
        (True, evolved_files(file, candidates, judged)),
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


def cached_rows(name: str, candidates: int, judged: int, folder: Path | None) -> list[Row]:
    """Readings of a file, read from *folder* where they are there already."""
    path = folder / f"{name}-{candidates}-{judged}.json" if folder else None
    if path and path.exists():
        rows: list[Row] = json.loads(path.read_text())
        return rows
    rows = rows_of(FILES[name](), candidates, judged)
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("files", nargs="*", default=SIX)
    parser.add_argument("--candidates", type=int, default=300)
    parser.add_argument("--judged", type=int, default=30)
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    for name in given.files:
        start = process_time()
        rows = cached_rows(name, given.candidates, given.judged, given.cache)
        print_file(name, rows, process_time() - start)


if __name__ == "__main__":
    main()
