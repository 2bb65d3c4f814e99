"""Jobs of the pages without a command of their own, run as a process that prints JSON.

``python -m evomask.web.jobs JOB ARGUMENTS`` is how `evomask.web.processes` starts them.
"""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from evomask.errors import EvomaskError


def compare(folder: str, files: str, attack: str = "yes") -> dict[str, Any]:
    """Evaluate points of a run for comparison; return aggregates only."""
    from evomask.report.record import encode_record
    from evomask.runs.comparison import compare_points

    numbers = [int(number) for number in files.split(",")]
    records = compare_points(Path(folder), numbers, attack=attack == "yes")
    return {"points": [json.loads(encode_record(record)) for record in records]}


def outlook(path: str, schema: str, require: str = "") -> dict[str, Any]:
    """Estimate the time for one candidate, and list the searches that apply."""
    from evomask.runs.inputs import Input
    from evomask.runs.onboarding.preview import preview_search as estimate

    found = estimate(Input(path=Path(path), schema=Path(schema)), require)
    return {"seconds": found.seconds, "risk": found.risk, "members": list(found.members)}


def copy(path: str, target: str) -> dict[str, Any]:
    """Convert a released file to another format."""
    from evomask.runs.release import copy_released

    return {"records": copy_released(Path(path), Path(target))}


def preview(path: str, count: str) -> dict[str, Any]:
    """Return the first records of a released file, which are in random order."""
    from evomask.runs.release import first_records

    columns, rows = first_records(Path(path), int(count))
    return {"columns": list(columns), "rows": [list(row) for row in rows]}


JOBS: dict[str, Callable[..., dict[str, Any]]] = {
    "compare": compare,
    "outlook": outlook,
    "copy": copy,
    "preview": preview,
}


def run_job(words: Sequence[str]) -> dict[str, Any]:
    """Run a job; return its result, or its error sentence."""
    try:
        return JOBS[words[0]](*words[1:])
    except EvomaskError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "there is not enough memory for this; try a smaller file"}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run_job(sys.argv[1:]), allow_nan=False))
