"""Transition matrices as CSV: a column and a row for each category, named by it.

The first column names the category a value comes from, the others the categories it may
become; the cell holds the probability. Rows and columns may stand in any order.
"""

import csv
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evomask.data.schema import Attribute
from evomask.data.table import Table
from evomask.errors import FileError
from evomask.io.files import write_text

Matrix = NDArray[np.float64]
FROM = "from"


def read_matrices(folder: Path, table: Table, names: Iterable[str]) -> dict[str, Matrix]:
    """The matrix ``NAME.csv`` of each attribute, in the order of its categories."""
    return {name: read_matrix(folder / f"{name}.csv", table.attribute(name)) for name in names}


def read_matrix(path: Path, attribute: Attribute) -> Matrix:
    """One attribute's matrix; every category must be named once in both directions."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
    except OSError:
        raise FileError(f"there is no matrix {path}; write one for {attribute.name!r}") from None
    except (ValueError, csv.Error):
        raise FileError(f"{path} is empty or is not CSV; see evomask mask --list") from None
    wanted = sorted(attribute.categories)
    if sorted(header[1:]) != wanted or sorted(row[0] for row in rows if row) != wanted:
        raise FileError(
            f"{path} must name every category of {attribute.name!r} once, as a row and as a column"
        )
    return _ordered(path, header[1:], rows, attribute)


def _ordered(path: Path, to: list[str], rows: list[list[str]], attribute: Attribute) -> Matrix:
    matrix = np.empty((len(to), len(to)))
    place = {category: code for code, category in enumerate(attribute.categories)}
    for line, (origin, *cells) in enumerate(filter(None, rows), 2):
        try:
            matrix[place[origin], [place[name] for name in to]] = [float(cell) for cell in cells]
        except ValueError:
            raise FileError(
                f"line {line} of {path} must hold {len(to)} probabilities; correct it"
            ) from None
    return matrix


def write_matrix(matrix: Matrix, attribute: Attribute, path: Path, *, force: bool = False) -> None:
    """Write a matrix so that it can be read again exactly."""
    rows = [[FROM, *attribute.categories]]
    rows += [
        [category, *(repr(float(cell)) for cell in row)]
        for category, row in zip(attribute.categories, matrix, strict=True)
    ]
    write_text(path, "".join(_line(row) for row in rows), force=force)


def _line(cells: list[str]) -> str:
    quoted = [f'"{cell.replace(chr(34), chr(34) * 2)}"' if _needs(cell) else cell for cell in cells]
    return ",".join(quoted) + "\n"


def _needs(cell: str) -> bool:
    return any(mark in cell for mark in ',"\n\r')
