"""Run by its own Python: SDMetrics' quality report of files beside their original."""

from typing import Any

import pandas as pd
from asking import Clock, Task, serve
from sdmetrics.reports.single_table import QualityReport


def quality(task: Task, clock: Clock) -> dict[str, Any]:
    """Its overall score in percent: 100 is a file whose columns and pairs look the same."""
    original = pd.read_csv(task["file"])
    numbers = {n for n in original.columns if pd.api.types.is_numeric_dtype(original[n])}
    kinds = {
        n: {"sdtype": "numerical" if n in numbers else "categorical"} for n in original.columns
    }

    def work() -> list[float]:
        return [_score(original, pd.read_csv(path), {"columns": kinds}) for path in task["files"]]

    return {"scores": clock.timed(work)}


def _score(original: Any, masked: Any, metadata: dict[str, Any]) -> float:
    report = QualityReport()
    report.generate(original, masked, metadata, verbose=False)
    return 100 * float(report.get_score())


if __name__ == "__main__":
    serve("sdmetrics", {"quality": quality})
