"""Which part of the loss disagrees with outside judges, and would another weighing agree more?

``python benchmarks/study_losses.py KEPT [FILE...]``: reads what `study_judges.py` has kept in
the folder KEPT, masks the same files again, takes the loss apart and puts it together in other
ways. Prints Spearman's correlations with lost accuracy, with table error, and with the sum of
the ranks that both give; and how far the two judges agree with each other, which bounds what
any loss can reach with both.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata, spearmanr

from evomask.data.table import Table
from evomask.measures.columns import CategoricalColumn
from evomask.measures.loss.loss import (
    as_missing,
    ends_of_scales,
    information_retained,
    without_uninformative_cells,
)
from evomask.measures.papers.categorical_loss import ContingencyLoss, DistanceLoss, EntropyLoss
from evomask.measures.papers.continuous_loss import Statistics, _shares_gone, _worsened
from evomask.measures.statistics import Columns
from outside_files import FILES, HELD_OUT, StudyFile, maskings
from study_judges import Row, rows_of

REFERENCES = (1_000, 300, 100, 30)
EVENLY = (1, 1, 1, 1, 1)


class Parts(NamedTuple):
    """The parts of a masked file's loss in percent.

    ``numbers`` by size of the reference sample: means, variances, covariances, correlations,
    quantiles; ``categories``: tables, distances, entropies.
    """

    numbers: Mapping[int, list[float]]
    categories: list[float]


class Weighing(NamedTuple):
    """How the parts are put together."""

    reference: int = 1_000
    numbers: tuple[int, ...] = EVENLY
    categories: tuple[int, ...] = (1, 1, 1)

    def loss(self, file: StudyFile, parts: Parts) -> float:
        total = 0.0
        if file.numbers:
            shares = parts.numbers[self.reference]
            total += len(file.numbers) * np.average(shares, weights=self.numbers)
        if file.categories:
            total += len(file.categories) * np.average(parts.categories, weights=self.categories)
        return float(total / len(file.names))


WEIGHINGS: Mapping[str, Weighing] = {
    "as it is": Weighing(),
    "reference 300": Weighing(300),
    "reference 100": Weighing(100),
    "reference 30": Weighing(30),
    "means alone": Weighing(numbers=(1, 0, 0, 0, 0)),
    "variances alone": Weighing(numbers=(0, 1, 0, 0, 0)),
    "covariances alone": Weighing(numbers=(0, 0, 1, 0, 0)),
    "correlations alone": Weighing(numbers=(0, 0, 0, 1, 0)),
    "quantiles alone": Weighing(numbers=(0, 0, 0, 0, 1)),
    "without means and variances, 100": Weighing(100, (0, 0, 1, 1, 1)),
    "tables alone": Weighing(categories=(1, 0, 0)),
    "distances alone": Weighing(categories=(0, 1, 0)),
    "entropies alone": Weighing(categories=(0, 0, 1)),
    "tables twice": Weighing(categories=(2, 1, 1)),
    "without entropies": Weighing(categories=(1, 1, 0)),
    "reference 100, tables twice": Weighing(100, categories=(2, 1, 1)),
}


def parts_of(file: StudyFile, masked: Table) -> Parts:
    numbers = {r: _of_numbers(file, masked, r) for r in REFERENCES} if file.numbers else {}
    return Parts(numbers, _of_categories(file, masked) if file.categories else [])


def _of_numbers(file: StudyFile, masked: Table, reference: int) -> list[float]:
    columns = Columns.of(file.table, file.numbers)
    statistics = Statistics.of(columns, reference)
    pairs = list(zip(columns.columns, columns.cells(masked), strict=True))
    told = np.column_stack([information_retained(column, cells) for column, cells in pairs])
    cells = [as_missing(cells, told[:, a] == 0.0) for a, (_, cells) in enumerate(pairs)]
    gone = _shares_gone(statistics.before.counts, told.T @ told)
    families = statistics.errors.losses(statistics.before, columns.masked_moments(cells), gone)
    triples = zip(statistics.quantiles, cells, np.diag(gone), strict=True)
    quantiles = np.mean(
        [_worsened(q.losses(q.shares_of(c)), lost).mean() for q, c, lost in triples]
    )
    return [100.0 * float(part) for part in (*families, quantiles)]


def _of_categories(file: StudyFile, masked: Table) -> list[float]:
    names, original = file.categories, file.table
    columns = [CategoricalColumn.of(original, name) for name in names]
    cells = [without_uninformative_cells(column, column.cells(masked)) for column in columns]
    tables = ContingencyLoss(names).compared(columns, cells)
    counted = 50.0 * tables.total / (len(original) * tables.tables)
    readings = (
        counted,
        DistanceLoss(names).against(original)(masked),
        EntropyLoss(names).against(original)(masked),
    )
    ends = ends_of_scales(original, names)
    return [min(100.0, 100.0 * read / end) for read, end in zip(readings, ends, strict=True)]


def agreements(losses: list[float], rows: list[Row]) -> str:
    """Correlations with lost accuracy, with table error, with the ranks of both."""
    accuracy, tables = ([float(row[name]) for row in rows] for name in ("accuracy", "tables"))
    judges = (accuracy, tables, rankdata(accuracy) + rankdata(tables))
    return " ".join(f"{spearmanr(losses, judge).statistic:.2f}" for judge in judges)


def between_judges(rows: list[Row]) -> str:
    """How far two judges agree, and the most that a loss can reach with both at once."""
    accuracy, tables = ([float(row[name]) for row in rows] for name in ("accuracy", "tables"))
    own = float(spearmanr(accuracy, tables).statistic)
    return f"{own:.2f} {np.sqrt((1 + own) / 2):.2f}"


def main() -> None:
    kept = Path(sys.argv[1])
    names = sys.argv[2:] or [name for name in FILES if name not in HELD_OUT]
    columns, judges = {}, {}
    for name in list(FILES) if names == ["all"] else names:
        file, rows = FILES[name](), rows_of(name, kept)
        parts = [parts_of(file, masked) for _, masked in maskings(file)]
        judges[name] = between_judges(rows)
        columns[name] = {
            title: agreements([weighing.loss(file, part) for part in parts], rows)
            for title, weighing in WEIGHINGS.items()
        }
    print("| loss; with accuracy, tables, both | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    print("| the judges with each other, bound | " + " | ".join(judges.values()) + " |")
    for title in WEIGHINGS:
        print(f"| {title} | " + " | ".join(found[title] for found in columns.values()) + " |")


if __name__ == "__main__":
    main()
