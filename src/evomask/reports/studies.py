"""Studies on disk: their data, and every figure as SVG."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evomask.data.chart import Chart
from evomask.errors import FileError
from evomask.reports.figures import svg


def write_study(data: Mapping[str, Any], charts: Sequence[Chart], folder: Path) -> list[str]:
    """Write ``study.json`` and a file for each chart; the charts' paths, in order."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "study.json").write_text(json.dumps(data, allow_nan=False), encoding="utf-8")
        written = [folder / f"{chart.name}.svg" for chart in charts]
        for path, chart in zip(written, charts, strict=True):
            path.write_bytes(svg(chart))
    except OSError as error:
        raise FileError(f"{folder} cannot be written: {error.strerror or error}") from None
    return [str(path) for path in written]
