"""Run by the oracles' Python: k, l and t of a file by pycanon."""

from typing import Any

import pandas as pd
from asking import Clock, Task, serve
from pycanon import anonymity


def _read(task: Task) -> pd.DataFrame:
    return pd.read_csv(task["file"], dtype=str, keep_default_na=False)


def k(task: Task, clock: Clock) -> dict[str, Any]:
    table, quasi = _read(task), list(task["quasi"])
    return {"value": int(clock.timed(lambda: anonymity.k_anonymity(table, quasi)))}


def l(task: Task, clock: Clock) -> dict[str, Any]:  # noqa: E743
    table, quasi, secret = _read(task), list(task["quasi"]), [task["confidential"]]
    return {"value": int(clock.timed(lambda: anonymity.l_diversity(table, quasi, secret)))}


def t(task: Task, clock: Clock) -> dict[str, Any]:
    table, quasi, secret = _read(task), list(task["quasi"]), [task["confidential"]]
    return {"value": float(clock.timed(lambda: anonymity.t_closeness(table, quasi, secret)))}


if __name__ == "__main__":
    serve("pycanon", {"k": k, "l": l, "t": t})
