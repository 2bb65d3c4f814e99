"""Run by its own Python: files drawn from SDV's Gaussian copula and CTGAN."""

from typing import Any

import pandas as pd
from asking import Clock, Task, serve
from sdv.metadata import Metadata
from sdv.single_table import CTGANSynthesizer, GaussianCopulaSynthesizer

TABLE = "people"


def synthetic(task: Task, clock: Clock) -> dict[str, Any]:
    return _drawn(GaussianCopulaSynthesizer, task, clock)


def ctgan(task: Task, clock: Clock) -> dict[str, Any]:
    return _drawn(CTGANSynthesizer, task, clock)


def _drawn(model: Any, task: Task, clock: Clock) -> dict[str, Any]:
    original = pd.read_csv(task["file"])
    metadata = Metadata.detect_from_dataframes({TABLE: original})
    for name in original.columns:
        numeric = pd.api.types.is_numeric_dtype(original[name])
        metadata.update_column(
            name, table_name=TABLE, sdtype="numerical" if numeric else "categorical"
        )

    def work() -> Any:
        synthesizer = model(metadata)
        synthesizer.fit({TABLE: original})
        drawn = synthesizer.sample(len(original))
        return drawn[TABLE] if isinstance(drawn, dict) else drawn

    clock.timed(work).to_csv(task["out"], index=False)
    return {"file": task["out"]}


if __name__ == "__main__":
    serve("sdv", {"synthetic": synthetic, "ctgan": ctgan})
