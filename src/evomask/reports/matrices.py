"""The transition matrices of a run on disk: a CSV and a heat map each."""

from pathlib import Path

from evomask.errors import FileError
from evomask.reports.figures import svg
from evomask.runs.matrices import found_matrices, matrices_folder
from evomask.runs.perform import Run


def write_matrices(run: Run, kept: Path | None) -> list[str]:
    """Write what the search found, if it has matrices and there is a folder for them.

    Args:
        kept: the folder that keeps the run, where there is one.
    """
    folder, found = matrices_folder(run, kept), found_matrices(run.answer)
    if folder is None or not found:
        return []
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for matrix in found:
            picture = folder / f"{matrix.attribute}.svg"
            picture.write_bytes(svg(matrix.chart))
            written += [matrix.write(folder), picture]
    except OSError as error:
        raise FileError(f"{folder} cannot be written: {error.strerror or error}") from None
    return [str(path) for path in written]
