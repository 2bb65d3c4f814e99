"""Reproductions on disk: a file for each entry, its charts, and the page of all entries."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evomask.data.chart import Chart
from evomask.errors import FileError
from evomask.io.files import write_text
from evomask.runs.figures import make_folder, write_charts
from evomask_papers.page import Entry, page

PAGE = "reproduction.md"


def read_entry(folder: Path, name: str) -> Entry | None:
    """Read a stored entry, if there is one, with its current remarks."""
    path = folder / f"{name}.json"
    if not path.exists():
        return None
    try:
        fields: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return Entry(**fields).as_told_now
    except (OSError, ValueError, TypeError):
        raise FileError(
            f"{path} is not an entry of a reproduction; delete it to continue"
        ) from None


def write_entry(folder: Path, entry: Entry, charts: Sequence[Chart]) -> None:
    """Write an entry, and its charts in a folder of its name."""
    text = json.dumps(entry.as_json(), ensure_ascii=False)
    write_text(make_folder(folder) / f"{entry.name}.json", text, force=True)
    if charts:
        write_charts(charts, folder / entry.name)


def write_entries_page(folder: Path, entries: Sequence[Entry]) -> None:
    """Write the page of all entries so far."""
    write_text(make_folder(folder) / PAGE, page(entries), force=True)
