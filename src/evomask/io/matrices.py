"""Transition matrices of PRAM as CSV files with one row and one column per category.

The first column has the original categories, the header the masked ones; a cell is the
transition probability. Rows and columns may be in any order. The file of an attribute is called
``NAME.csv``, or its first cell has the attribute's name, as in files written here.
"""

import csv
from collections.abc import Iterable
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
    """Read the matrix of each attribute, in the order of its categories."""
    files = matrix_files(folder)
    by_name = {path.stem: path for path in files}
    by_name |= {next(iter(_rows(path)[:1]), [""])[0]: path for path in files}
    matrices = {}
    for name in names:
        attribute = table.attribute(name)
        if name not in by_name:
            raise FileError(f"there is no matrix for {name!r} in {folder}; write one")
        matrices[name] = read_matrix(by_name[name], attribute)
    return matrices


def matrix_files(folder: Path) -> list[Path]:
    """Matrix files of a folder, sorted by name."""
    return sorted(folder.glob("*.csv"))


def _rows(path: Path) -> list[list[str]]:
    try:
        return [row for row in records(path.read_bytes().decode(), ",") if row]
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, csv.Error):
        raise FileError(f"{path} is not CSV in UTF-8; see evomask mask --list") from None


def read_matrix(path: Path, attribute: Attribute) -> Matrix:
    """Read the matrix of one attribute; rows and columns must be its categories."""
    if not path.is_file():
        raise FileError(f"there is no matrix {path}; write one for {attribute.name!r}")
    header, *rows = _rows(path) or [[""]]
    expected = sorted(attribute.categories)
    if sorted(header[1:]) != expected or sorted(row[0] for row in rows) != expected:
        raise FileError(
            f"{path} must name every category of {attribute.name!r} once, as a row and as a column"
        )
    code_of = {category: code for code, category in enumerate(attribute.categories)}
    columns = [code_of[category] for category in header[1:]]
    matrix = np.empty((len(columns), len(columns)))
    for line, (category, *cells) in enumerate(rows, 2):
        try:
            matrix[code_of[category], columns] = [float(cell) for cell in cells]
        except ValueError:
            raise FileError(
                f"line {line} of {path} must hold {len(columns)} probabilities; correct it"
            ) from None
    return matrix


def write_matrix(matrix: Matrix, attribute: Attribute, path: Path, *, force: bool = False) -> None:
    """Write a matrix with full precision."""
    rows = [[attribute.name, *attribute.categories]]
    rows += [
        [category, *(repr(float(cell)) for cell in row)]
        for category, row in zip(attribute.categories, matrix, strict=True)
    ]
    write_text(path, "".join(_line(row) for row in rows), force=force)


def _line(cells: list[str]) -> str:
    quoted = [
        f'"{cell.replace(chr(34), chr(34) * 2)}"' if set(cell) & set(',"\n\r') else cell
        for cell in cells
    ]
    return ",".join(quoted) + "\n"
