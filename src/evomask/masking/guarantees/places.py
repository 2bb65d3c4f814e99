"""Where records lie, whatever their cells are: numbers, categories, sets or intervals.

Squared distances add up those of the attributes, by their kind: of standardised numbers, of
ranks over the size of the domain, of nominal cells 1 where they have nothing in common.
"""

from dataclasses import dataclass

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.data.distance import Standardizer, with_medians
from evomask.data.schema import Attribute, Kind
from evomask.data.table import Column, Table
from evomask.masking.microaggregation.mdav_generic import side_by_side
from evomask.masking.microaggregation.regions import Coded

MOST_CELLS = 2_000
"""Different cells of an attribute whose distances are kept as a square; more are too many."""


@dataclass(frozen=True, eq=False)
class Places:
    """The records of a table as points, made for those that are asked for.

    Args:
        numbers: standardised, by number a column.
        columns: for each categorical attribute the cell of each record.
        cells: for each categorical attribute the place of each cell.
        ordered: 1 for each that has plain ordinal categories, else 0.
        domains: number of cells of each that are not missing.
        order: for each attribute whether it is a number, in the order of the attributes.
    """

    numbers: Points
    columns: tuple[Column, ...]
    cells: tuple[Points, ...]
    ordered: Indices
    domains: Indices
    order: tuple[bool, ...]

    @classmethod
    def of(cls, table: Table, names: tuple[str, ...]) -> "Places":
        """The places of a table's records; scales are those of the whole table."""
        categorical = [name for name in names if table.attribute(name).is_categorical]
        numbers = [_numbers(table, name) for name in names if name not in categorical]
        plain = [not table.is_recoded(name) for name in categorical]
        attributes = [table.attribute(name) for name in categorical]
        cells = tuple(_cells(table, name) for name in categorical)
        return cls(
            np.column_stack(numbers) if numbers else np.empty((len(table), 0)),
            tuple(table[name] for name in categorical),
            cells,
            np.array([p and a.kind is Kind.ORDINAL for p, a in zip(plain, attributes, strict=True)])
            .astype(np.int64),
            np.array(
                [a.domain_size if p else len(c)
                 for p, a, c in zip(plain, attributes, cells, strict=True)],
                dtype=np.int64,
            ),
            tuple(name not in categorical for name in names),
        )  # fmt: skip

    def points(self, records: Indices) -> Points:
        """Some records as points, attribute after attribute."""
        numbers = iter(self.numbers[records].T[:, :, None])
        cells = iter(
            [cells[column[records]] for cells, column in zip(self.cells, self.columns, strict=True)]
        )
        return np.column_stack([next(numbers if number else cells) for number in self.order])

    @property
    def are_few(self) -> bool:
        """Whether distances of all pairs of cells can be kept."""
        return all(len(cells) <= MOST_CELLS for cells in self.cells)

    def coded(self, records: Indices) -> Coded:
        """Some records as numbers and codes, with the distances of cells."""
        codes = [column[records] for column in self.columns]
        none = np.empty((len(records), 0), dtype=np.int32)
        return Coded(
            np.ascontiguousarray(self.numbers[records]),
            np.column_stack(codes) if codes else none,
            side_by_side([_squares(cells) for cells in self.cells]),
            self.ordered,
            self.domains,
        )


def _numbers(table: Table, name: str) -> Floats:
    numbers = with_medians(table.middles(name)[:, None])
    standardised: Floats = Standardizer.of(numbers)(numbers)[:, 0]
    return standardised


def _cells(table: Table, name: str) -> Points:
    attribute = table.attribute(name)
    shares = table.recoding(name).spread(np.ones(len(attribute.categories)))
    nominal = attribute.kind is Kind.NOMINAL
    return _directions(shares) if nominal else _ranks(attribute, shares)


def _directions(shares: Points) -> Points:
    """Nominal cells: at distance 1 where no category is common to both, else nearer."""
    lengths = np.sqrt(2 * np.sum(shares**2, axis=1, keepdims=True))
    directions: Points = shares / lengths
    return directions


def _ranks(attribute: Attribute, shares: Points) -> Points:
    """Mean rank of each ordinal cell over the size of the domain, missing values aside."""
    size = attribute.domain_size
    missing = shares[:, size:]
    ranks = shares[:, :size] @ np.arange(size) / max(1, size) + missing.sum(axis=1) / 2
    return np.column_stack([ranks, missing])


def _squares(cells: Points) -> Floats:
    """Squared distance of every two cells; exactly 0 of a cell to itself."""
    lengths = np.sum(cells**2, axis=1)
    squares: Floats = np.maximum(lengths[:, None] + lengths - 2 * cells @ cells.T, 0.0)
    np.fill_diagonal(squares, 0.0)
    return squares
