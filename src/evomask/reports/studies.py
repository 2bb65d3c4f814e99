"""Studies on disk: their data, and every figure as SVG."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evomask.data.chart import Chart
from evomask.errors import FileError
from evomask.reports.figures import svg


def write_study(data: Mapping[str, Any], charts: Sequence[Chart], folder: Path) -> list[str]:
    """Write ``study.json`` and a file for each chart; the charts' paths, in order."""
    with _writing(folder):
        (folder / "study.json").write_text(json.dumps(data, allow_nan=False), encoding="utf-8")
    return write_charts(charts, folder)


def write_charts(charts: Sequence[Chart], folder: Path) -> list[str]:
    """Write a file for each chart; their paths, in order."""
    written = [folder / f"{chart.name}.svg" for chart in charts]
    with _writing(folder):
        for path, chart in zip(written, charts, strict=True):
            path.write_bytes(svg(chart))
    return [str(path) for path in written]


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise FileError(f"{folder} cannot be written: {error.strerror or error}") from None
