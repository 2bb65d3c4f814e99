"""The transition matrices that a search found: as files, and as charts."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evomask.data.chart import Axis, Chart, HeatMap
from evomask.data.schema import MISSING, Attribute, Kind
from evomask.io.files import check_apart
from evomask.io.matrices import write_matrix
from evomask.runs.figures import made, write_chart
from evomask.runs.inputs import files_of
from evomask.runs.perform import Run

FOLDER = "matrices"


@dataclass(frozen=True)
class FoundMatrix:
    """One attribute's matrix as a search found it."""

    attribute: str
    categories: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]

    @property
    def chart(self) -> Chart:
        """The matrix as a heat map."""
        stays = [row[i] for i, row in enumerate(self.rows)]
        names = tuple("missing" if name == MISSING else name for name in self.categories)
        return Chart(
            f"matrix-{self.attribute}",
            f"How {self.attribute} changes",
            f"A category of {self.attribute} stays with a probability of {min(stays):.2f} to "
            f"{max(stays):.2f}; what is off the diagonal is the chance to become another.",
            Axis("masked category", names),
            Axis("original category", names),
            heat=HeatMap("probability", self.rows),
        )

    def write(self, path: Path) -> Path:
        """Write it as CSV, so that `evomask mask --method matrix-pram` can use it again."""
        attribute = Attribute(self.attribute, Kind.NOMINAL, categories=self.categories)
        write_matrix(np.array(self.rows), attribute, path, force=True)
        return path


def found_matrices(answer: Mapping[str, Any]) -> tuple[FoundMatrix, ...]:
    """The matrices in a search's answer; none where the search has none."""
    return tuple(
        FoundMatrix(name, tuple(matrix["categories"]), tuple(map(tuple, matrix["rows"])))
        for name, matrix in answer.get("matrices", {}).items()
    )


def matrices_folder(run: Run, kept: Path | None) -> Path | None:
    """Where a run's matrices go: as the user says, or into the folder that keeps the run."""
    folder = run.plan.parameters.get(FOLDER)
    return Path(folder) if folder else kept and kept / FOLDER


def write_matrices(run: Run, kept: Path | None) -> list[str]:
    """Write what the search found, if it has matrices and there is a folder for them.

    Files are numbered in the order of the attributes; each tells its attribute in its first cell.

    Args:
        kept: the folder that keeps the run, where there is one.
    """
    folder, found = matrices_folder(run, kept), found_matrices(run.answer)
    if folder is None or not found:
        return []
    written: list[Path] = []
    for number, matrix in enumerate(found, 1):
        path = made(folder) / f"matrix-{number}.csv"
        check_apart(path, files_of(run.plan.input))
        written += [matrix.write(path), write_chart(matrix.chart, path.with_suffix(".svg"))]
    return [str(path) for path in written]
