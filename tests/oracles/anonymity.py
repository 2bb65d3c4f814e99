"""What pycanon says of masked tables; it pins old libraries, so it is asked in its own Python."""

import tempfile
from pathlib import Path

from evomask.data.frames import polars_from
from tests.oracles import answers


def pycanon_answers(tables, quasi, confidential=None):
    """k, and l and t of *confidential*, of every table as it would be released.

    One process answers for all. Missing values are written as a value of their own.
    """
    asked = [
        {"columns": released(table), "quasi": list(quasi), "confidential": confidential}
        for table in tables
    ]
    with tempfile.TemporaryDirectory() as folder:
        return answers("ask_pycanon.py", asked, Path(folder))


def released(table):
    """The columns that a release holds, missing values in words."""
    return {
        series.name: ["missing" if value is None else value for value in series.to_list()]
        for series in polars_from(table)
    }
