"""Run by the oracles' own Python: k, l and t of many tables, as pycanon sees them.

Reads a list of {columns, quasi, confidential} from the first file named and writes a list of
answers to the second; without a confidential attribute there is k alone.
"""

import json
import sys
from pathlib import Path

import pandas as pd
from pycanon import anonymity


def answer(question):
    table, quasi = pd.DataFrame(question["columns"]), question["quasi"]
    found = {"k": int(anonymity.k_anonymity(table, quasi))}
    if question["confidential"]:
        confidential = [question["confidential"]]
        found["l"] = int(anonymity.l_diversity(table, quasi, confidential))
        found["entropy"] = int(anonymity.entropy_l_diversity(table, quasi, confidential))
        found["t"] = float(anonymity.t_closeness(table, quasi, confidential))
    return found


if __name__ == "__main__":
    asked, answered = map(Path, sys.argv[1:])
    questions = json.loads(asked.read_text(encoding="utf-8"))
    answered.write_text(json.dumps([answer(q) for q in questions]), encoding="utf-8")
