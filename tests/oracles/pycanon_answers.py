"""Run by the oracles' own Python: k, l and t of many tables, as pycanon sees them.

Reads a list of {columns, quasi, confidential} from the first file named and writes a list of
{k, l, t} to the second; l and t are left out where no confidential attribute is named.
"""

import json
import sys
from pathlib import Path

import pandas as pd
from pycanon import anonymity


def answer(asked):
    data = pd.DataFrame(asked["columns"])
    found = {"k": int(anonymity.k_anonymity(data, asked["quasi"]))}
    if asked["confidential"]:
        secret = [asked["confidential"]]
        found["l"] = int(anonymity.l_diversity(data, asked["quasi"], secret))
        found["t"] = float(anonymity.t_closeness(data, asked["quasi"], secret))
    return found


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    answers = [answer(asked) for asked in json.loads(source.read_text(encoding="utf-8"))]
    target.write_text(json.dumps(answers), encoding="utf-8")
