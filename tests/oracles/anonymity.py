"""What pycanon says of masked tables; it pins old libraries, so it is asked in its own Python."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from evomask.data.frames import polars_from

ROOT = Path(__file__).parents[2]


def oracle_python():
    """The Python that has pycanon; the test is skipped where there is none."""
    named = Path(os.environ.get("EVOMASK_ORACLES", ROOT / ".venv-oracles/bin/python"))
    if not named.is_file():
        pytest.skip("pycanon is not here; set EVOMASK_ORACLES to a Python that has it")
    return named


def pycanon_answers(tables, quasi, confidential=None):
    """k, and l and t of *confidential*, of every table as it would be released.

    One process answers for all. Missing values are written as a value of their own.
    """
    python = oracle_python()
    asked = [
        {"columns": released(table), "quasi": list(quasi), "confidential": confidential}
        for table in tables
    ]
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "asked.json", Path(folder) / "answers.json"
        source.write_text(json.dumps(asked), encoding="utf-8")
        program = Path(__file__).parent / "pycanon_answers.py"
        subprocess.run([python, program, source, target], check=True, env={})
        return json.loads(target.read_text(encoding="utf-8"))


def released(table):
    """The columns that a release holds, missing values in words."""
    return {
        series.name: ["missing" if value is None else value for value in series.to_list()]
        for series in polars_from(table)
    }
