"""Figures of searches and studies on disk: charts as SVG, data as JSON, PRAM matrices as CSV."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from evomask.data.chart import Chart
from evomask.data.schema import MISSING, Attribute, Kind
from evomask.errors import FileError
from evomask.io.files import check_not_input, write_atomically, write_text
from evomask.io.matrices import write_matrix
from evomask.report.charts import matrix_chart
from evomask.report.drawing import svg
from evomask.report.public_record import PublicMatrix
from evomask.runs.inputs import files_of

if TYPE_CHECKING:
    from evomask.runs.search import Run

FOLDER = "matrices"
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
"""Chart names that are safe as file names; other names may contain values of the data."""


def write_study(data: Mapping[str, Any], charts: Sequence[Chart], folder: Path) -> list[str]:
    """Write ``study.json`` and one file per chart; return the paths of the charts."""
    write_text(make_folder(folder) / "study.json", json.dumps(data, allow_nan=False), force=True)
    return write_charts(charts, folder)


def write_charts(charts: Sequence[Chart], folder: Path) -> list[str]:
    """Write one file per chart, named by the chart or its number; return the paths."""
    names = [c.name if PLAIN.fullmatch(c.name) else f"chart-{i}" for i, c in enumerate(charts, 1)]
    paths = [make_folder(folder) / f"{name}.svg" for name in names]
    return [str(_write_chart(chart, path)) for chart, path in zip(charts, paths, strict=True)]


def _write_chart(chart: Chart, path: Path) -> Path:
    picture = svg(chart)
    write_atomically(path, lambda temporary: temporary.write_bytes(picture), force=True)
    return path


def make_folder(folder: Path) -> Path:
    """Create a folder if it does not exist."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder} cannot be written: {error.strerror or error}") from None
    return folder


def matrices_in_answer(answer: Mapping[str, Any]) -> tuple[PublicMatrix, ...]:
    """PRAM matrices in the answer of a search; empty where it has none."""
    return tuple(
        PublicMatrix(name, tuple(matrix["categories"]), tuple(map(tuple, matrix["rows"])))
        for name, matrix in answer.get("matrices", {}).items()
    )


def write_found_matrix(matrix: PublicMatrix, path: Path) -> list[Path]:
    """Write a matrix as CSV, as `evomask mask --method matrix-pram` reads it, and as SVG."""
    attribute = Attribute(matrix.attribute, Kind.NOMINAL, categories=matrix.categories)
    write_matrix(np.array(matrix.rows), attribute, path, force=True)
    names = tuple("missing" if name == MISSING else name for name in matrix.categories)
    chart = matrix_chart(msgspec.structs.replace(matrix, categories=names))
    return [path, _write_chart(chart, path.with_suffix(".svg"))]


def write_matrices(run: "Run", run_folder: Path | None) -> list[str]:
    """Write the PRAM matrices of a search as CSV and SVG, and return the paths.

    The folder is that of the search's parameters, or a subfolder of the run folder; without either
    nothing is written. Files are numbered in the order of the attributes, and the first cell of
    each names its attribute.
    """
    named = run.plan.parameters.get(FOLDER)
    folder = Path(named) if named else run_folder and run_folder / FOLDER
    matrices = matrices_in_answer(run.answer)
    if folder is None or not matrices:
        return []
    written: list[Path] = []
    for number, matrix in enumerate(matrices, 1):
        path = make_folder(folder) / f"matrix-{number}.csv"
        check_not_input(path, files_of(run.plan.input))
        written += write_found_matrix(matrix, path)
    return [str(path) for path in written]
