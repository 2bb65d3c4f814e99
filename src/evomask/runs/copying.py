"""A released file once more: in another format, or its first records to look at."""

from pathlib import Path

from evomask.io.tables import read_frame, write_table
from evomask.runs.inputs import Input, load_released


def copy_released(path: Path, target: Path) -> int:
    """Write a released file in the format that the target's name ends with; how many records."""
    table = load_released(Input(path)).table
    return write_table(table, target).records


def first_records(path: Path, count: int) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The columns of a released file and its first records as text; they are in random order."""
    frame = read_frame(path).head(count)
    rows = [tuple("" if cell is None else str(cell) for cell in row) for row in frame.iter_rows()]
    return tuple(frame.columns), rows
