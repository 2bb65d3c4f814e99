"""Figures and studies on disk: every chart as SVG, a study's data as JSON."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evomask.data.chart import Chart
from evomask.errors import FileError
from evomask.io.files import write_atomically, write_text
from evomask.reports.figures import svg

PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
"""Names of charts that a file can be called by; in others something of the data may stand."""


def write_study(data: Mapping[str, Any], charts: Sequence[Chart], folder: Path) -> list[str]:
    """Write ``study.json`` and a file for each chart; the charts' paths, in order."""
    write_text(made(folder) / "study.json", json.dumps(data, allow_nan=False), force=True)
    return write_charts(charts, folder)


def write_charts(charts: Sequence[Chart], folder: Path) -> list[str]:
    """Write a file for each chart, called by its name or its number; their paths, in order."""
    names = [c.name if PLAIN.fullmatch(c.name) else f"chart-{i}" for i, c in enumerate(charts, 1)]
    paths = [made(folder) / f"{name}.svg" for name in names]
    return [str(write_chart(chart, path)) for chart, path in zip(charts, paths, strict=True)]


def write_chart(chart: Chart, path: Path) -> Path:
    """Write one chart, in the place of an older one."""
    picture = svg(chart)
    write_atomically(path, lambda temporary: temporary.write_bytes(picture), force=True)
    return path


def made(folder: Path) -> Path:
    """The folder, made where it was not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder} cannot be written: {error.strerror or error}") from None
    return folder
