"""Run by its own Python: k-anonymous recoding by anjana, along the value trees it is given."""

import contextlib
import io
from typing import Any

import pandas as pd
from anjana.anonymity import k_anonymity, utils
from asking import Clock, Task, serve


def recoding(task: Task, clock: Clock) -> dict[str, Any]:
    """Levels of each attribute and how many records are left."""
    table = pd.read_csv(task["file"], dtype=str, keep_default_na=False)
    quasi = list(task["quasi"])
    trees = {
        name: {level: pd.Series(labels).values for level, labels in enumerate(tree)}
        for name, tree in task["trees"].items()
    }

    def work() -> Any:
        return k_anonymity(table, [], quasi, task["k"], task["suppression"], trees)

    with contextlib.redirect_stdout(io.StringIO()):
        found = clock.timed(work)
    if found.empty:
        return {"levels": None, "records": 0}
    levels = utils.get_transformation(found, quasi, trees)
    return {"levels": [int(level) for level in levels], "records": len(found)}


if __name__ == "__main__":
    serve("anjana", {"recoding": recoding})
