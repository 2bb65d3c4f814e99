"""Transition matrices as CSV: a column and a row for each category, named by it.

The first column names the category a value comes from, the others the categories it may
become; the cell holds the probability. Rows and columns may stand in any order. The file of an
attribute is called ``NAME.csv``, or its very first cell holds the name, as in what is written
here: no file is ever named by an attribute.
"""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evomask.data.schema import Attribute
from evomask.data.table import Table
from evomask.errors import FileError
from evomask.io.dialects import records
from evomask.io.files import write_text

Matrix = NDArray[np.float64]


def read_matrices(folder: Path, table: Table, names: Iterable[str]) -> dict[str, Matrix]:
    """The matrix of each attribute, in the order of its categories."""
    files = _by_attribute(folder)
    return {name: _of(table.attribute(name), files, folder) for name in names}


def matrix_files(folder: Path) -> list[Path]:
    """The files in a folder of matrices, by name."""
    return sorted(folder.glob("*.csv"))


def _by_attribute(folder: Path) -> dict[str, Path]:
    """The files by what they are called, and by the name in their first cell, which wins."""
    files = matrix_files(folder)
    return {path.stem: path for path in files} | {_first_cell(path): path for path in files}


def _first_cell(path: Path) -> str:
    return next(iter(_rows(path)[:1]), [""])[0]


def _of(attribute: Attribute, files: Mapping[str, Path], folder: Path) -> Matrix:
    if attribute.name not in files:
        raise FileError(f"there is no matrix for {attribute.name!r} in {folder}; write one")
    return read_matrix(files[attribute.name], attribute)


def _rows(path: Path) -> list[list[str]]:
    try:
        return [row for row in records(path.read_bytes().decode(), ",") if row]
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, csv.Error):
        raise FileError(f"{path} is not CSV in UTF-8; see evomask mask --list") from None


def read_matrix(path: Path, attribute: Attribute) -> Matrix:
    """One attribute's matrix; every category must be named once in both directions."""
    if not path.is_file():
        raise FileError(f"there is no matrix {path}; write one for {attribute.name!r}")
    header, *rows = _rows(path) or [[""]]
    wanted = sorted(attribute.categories)
    if sorted(header[1:]) != wanted or sorted(row[0] for row in rows) != wanted:
        raise FileError(
            f"{path} must name every category of {attribute.name!r} once, as a row and as a column"
        )
    return _ordered(path, header[1:], rows, attribute)


def _ordered(path: Path, to: list[str], rows: list[list[str]], attribute: Attribute) -> Matrix:
    matrix = np.empty((len(to), len(to)))
    place = {category: code for code, category in enumerate(attribute.categories)}
    for line, (origin, *cells) in enumerate(rows, 2):
        try:
            matrix[place[origin], [place[name] for name in to]] = [float(cell) for cell in cells]
        except ValueError:
            raise FileError(
                f"line {line} of {path} must hold {len(to)} probabilities; correct it"
            ) from None
    return matrix


def write_matrix(matrix: Matrix, attribute: Attribute, path: Path, *, force: bool = False) -> None:
    """Write a matrix so that it can be read again exactly."""
    rows = [[attribute.name, *attribute.categories]]
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
