"""Run by anjana's own Python: many tables made k-anonymous, l-diverse or t-close by anjana.

Reads a list of {columns, quasi, confidential, k, l, t} from the first file named and writes to the
second what it releases of each (nothing where it gives up), with k, l and t as it counts them.
"""

import contextlib
import io
import json
import sys
from pathlib import Path

import pandas as pd
from anjana.anonymity import k_anonymity, l_diversity, t_closeness
from pycanon import anonymity


def made(question):
    table, quasi = pd.DataFrame(question["columns"]), list(question["quasi"])
    trees = {name: _tree(table[name]) for name in quasi}
    secret, k = question["confidential"], question["k"]
    if question["l"]:
        return l_diversity(table, [], quasi, secret, k, question["l"], 50, trees)
    if question["t"]:
        return t_closeness(table, [], quasi, secret, k, question["t"], 50, trees)
    return k_anonymity(table, [], quasi, k, 50, trees)


def _tree(column):
    values = sorted(set(column))
    return {0: pd.Series(values).values, 1: pd.Series(["*"] * len(values)).values}


def answer(question):
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            found = made(question)
            return {"failed": "nothing left"} if found.empty else counted(question, found)
    except Exception as error:  # noqa: BLE001 - its failures are its own; they are counted
        return {"failed": type(error).__name__}


def counted(question, found):
    quasi, secret = list(question["quasi"]), question["confidential"]
    return {
        "columns": {name: found[name].tolist() for name in (*quasi, secret)},
        "k": int(anonymity.k_anonymity(found, quasi)),
        "l": int(anonymity.l_diversity(found, quasi, [secret])),
        "t": float(anonymity.t_closeness(found, quasi, [secret])),
    }


if __name__ == "__main__":
    asked, answered = map(Path, sys.argv[1:])
    questions = json.loads(asked.read_text(encoding="utf-8"))
    answered.write_text(json.dumps([answer(q) for q in questions]), encoding="utf-8")
