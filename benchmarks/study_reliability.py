"""How sure are the outside judges of use, how far do they agree, and what can a loss reach?

``python benchmarks/study_reliability.py KEPT SEEDS [FILE...]``: every masking of a file is
judged by models of values and of ranks, each with SEEDS ways of splitting the records and
growing trees, and by two-way tables. Prints Spearman's correlations: of a judge with itself under
another seed (a judge that is noisy bounds what anything can reach with it), of the judges with
each other (two judges that agree by r allow no order more than the root of (1 + r) / 2 with
both), and of several losses with each judge and with the ranks of all. Readings are kept as
JSON in the folder KEPT.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.stats import rankdata, spearmanr

from outside_files import FILES, maskings
from outside_judges import Judges
from study_losses import Weighing, parts_of

WEIGHINGS: Mapping[str, Weighing] = {
    "reference 1,000, five families": Weighing(1_000),
    "reference 100, five families": Weighing(100),
    "reference 1,000, no means, variances": Weighing(1_000, (0, 0, 1, 1, 1)),
    "reference 100, no means, variances": Weighing(100, (0, 0, 1, 1, 1)),
    "reference 30, no means, variances": Weighing(30, (0, 0, 1, 1, 1)),
}
VALUES, RANKS, TABLES = "models of values", "models of ranks", "tables"

Readings = dict[str, list[list[float]]]
"""Of each judge, for every seed, what it says of every masking."""


def readings_of(name: str, kept: Path, seeds: int) -> tuple[Readings, dict[str, list[float]]]:
    """What judges and losses say of the maskings of a file, read from where it is kept."""
    path = kept / f"reliability-{name}-{seeds}.json"
    if not path.exists():
        kept.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(_judged(name, seeds), indent=1))
    readings, losses = json.loads(path.read_text())
    return readings, losses


def _judged(name: str, seeds: int) -> tuple[Readings, dict[str, list[float]]]:
    file = FILES[name]()
    masked = [table for _, table in maskings(file)]
    readings: Readings = {TABLES: [[Judges(file).table_error(table) for table in masked]]}
    for title, by_ranks in ((VALUES, False), (RANKS, True)):
        judges = [Judges(file, seed, by_ranks) for seed in range(seeds)]
        readings[title] = [[j.lost_accuracy(table) for table in masked] for j in judges]
    parts = [parts_of(file, table) for table in masked]
    losses = {t: [w.loss(file, part) for part in parts] for t, w in WEIGHINGS.items()}
    return readings, losses


def rho(first: Sequence[float], second: Sequence[float]) -> float:
    return float(spearmanr(first, second).statistic)


def report(name: str, readings: Readings, losses: Mapping[str, list[float]]) -> None:
    print(f"\n{name}")
    for title, by_seed in readings.items():
        pairs = [rho(a, b) for a, b in combinations(by_seed, 2)]
        if pairs:
            print(f"  {title} under another seed: {min(pairs):.2f}")
    means = {title: np.mean(by_seed, axis=0) for title, by_seed in readings.items()}
    for first, second in combinations(means, 2):
        own = rho(means[first], means[second])
        print(f"  {first}, {second}: {own:.2f}, bound {np.sqrt((1 + own) / 2):.2f}")
    weights = {VALUES: 1, RANKS: 1, TABLES: 2}
    pooled = sum(weights[title] * rankdata(mean) for title, mean in means.items())
    print("  | loss | " + " | ".join(means) + " | all |")
    for title, loss in losses.items():
        cells = [rho(loss, judge) for judge in (*means.values(), pooled)]
        print(f"  | {title} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |")


def main() -> None:
    kept, seeds = Path(sys.argv[1]), int(sys.argv[2])
    for name in sys.argv[3:] or list(FILES):
        report(name, *readings_of(name, kept, seeds))


if __name__ == "__main__":
    main()
