"""Runs in the oracles' environment: k, l and t of many tables by pycanon."""

import json
import sys
from pathlib import Path

import pandas as pd
from pycanon import anonymity


def answer(question):
    table = pd.DataFrame(question["columns"])
    quasi, confidential = question["quasi"], [question["confidential"]]
    return {
        "k": int(anonymity.k_anonymity(table, quasi)),
        "l": int(anonymity.l_diversity(table, quasi, confidential)),
        "entropy": int(anonymity.entropy_l_diversity(table, quasi, confidential)),
        "t": float(anonymity.t_closeness(table, quasi, confidential)),
    }


if __name__ == "__main__":
    asked, answered = map(Path, sys.argv[1:])
    questions = json.loads(asked.read_text(encoding="utf-8"))
    answered.write_text(json.dumps([answer(q) for q in questions]), encoding="utf-8")
