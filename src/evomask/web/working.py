"""Work for the pages that no command does, in a process of its own: ``WORK WORDS``, JSON out."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from evomask.errors import EvomaskError


def compare(folder: str, files: str, attack: str = "yes") -> dict[str, Any]:
    """Points of a run side by side, by their files; aggregates only."""
    from evomask.record.record import encode_record
    from evomask.runs.comparing import compare_points

    numbers = [int(number) for number in files.split(",")]
    records = compare_points(Path(folder), numbers, attack=attack == "yes")
    return {"points": [json.loads(encode_record(record)) for record in records]}


def outlook(path: str, schema: str, require: str = "") -> dict[str, Any]:
    """How many files there is time for, and who takes part."""
    from evomask.runs.beginning.outlook import outlook as told
    from evomask.runs.inputs import Input

    found = told(Input(Path(path), Path(schema)), require)
    return {"seconds": found.seconds, "risk": found.risk, "members": list(found.members)}


def copy(path: str, target: str) -> dict[str, Any]:
    """A released file once more in another format."""
    from evomask.runs.copying import copy_released

    return {"records": copy_released(Path(path), Path(target))}


def preview(path: str, count: str) -> dict[str, Any]:
    """The first records of a released file, which stand in random order."""
    from evomask.runs.copying import first_records

    columns, rows = first_records(Path(path), int(count))
    return {"columns": list(columns), "rows": [list(row) for row in rows]}


WORK: dict[str, Callable[..., dict[str, Any]]] = {
    "compare": compare,
    "outlook": outlook,
    "copy": copy,
    "preview": preview,
}


def carry_out(words: Sequence[str]) -> dict[str, Any]:
    """What the work brings; its sentence where it cannot be done."""
    try:
        return WORK[words[0]](*words[1:])
    except EvomaskError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "there is not enough memory for this; try a smaller file"}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(carry_out(sys.argv[1:]), allow_nan=False))
