"""Do loss and risk order masked files as outside judges do?

``python benchmarks/study_judges.py [KEPT [FILE...]]``: eight public files, twenty maskings of
each, judged by evomask's strict pair and by models, tables and attacks that share no code with
it. Prints Spearman's rank correlations, a line for each file. Readings are kept in the folder
KEPT as JSON and read from there again. The two files held out are judged when they are named,
or with ``all``.
"""

import json
import sys
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from evomask.data.table import Table
from evomask.measures.disclosure.risk import StrictRisk
from evomask.measures.loss.loss import StrictLoss
from evomask.measures.targets import ALL_TARGETS
from outside_files import FILES, HELD_OUT, StudyFile, maskings
from outside_judges import Judges

PAIRS = (
    ("loss", "accuracy"), ("loss", "tables"), ("loss", "categories"),
    ("risk", "audit"), ("risk", "linking"), ("risk", "learned"), ("risk", "nearest"),
    ("linked", "linking"), ("linked", "nearest"), ("read", "learned"),
)  # fmt: skip

Row = dict[str, float | str]


def by_strict(file: StudyFile, masked: Table) -> dict[str, float]:
    """Loss and risk by the strict pair, everybody attacked."""
    judged = StrictRisk(file.names, people=ALL_TARGETS).against(file.table).judged(masked)
    return {
        "loss": StrictLoss(file.names).against(file.table)(masked),
        "risk": judged.risk,
        "linked": judged.linked.percent,
        "read": judged.read.percent if judged.read else 0.0,
    }


def judged_maskings(file: StudyFile) -> list[Row]:
    """A row of readings for each masking."""
    judges = Judges(file)
    return [
        {"masking": title, **by_strict(file, masked), **judges.use(masked), **judges.risk(masked)}
        for title, masked in maskings(file)
    ]


def rows_of(name: str, kept: Path | None) -> list[Row]:
    """Readings of a file, from the folder where they are kept if they are."""
    path = kept / f"{name}.json" if kept else None
    if path and path.exists():
        rows: list[Row] = json.loads(path.read_text())
        return rows
    rows = judged_maskings(FILES[name]())
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(rows, indent=1))
    return rows


def agreement(rows: list[Row], ours_by: str, judge: str) -> float:
    """Spearman's rank correlation over the maskings of a file."""
    ours, theirs = ([float(row[name]) for row in rows] for name in (ours_by, judge))
    return float(spearmanr(ours, theirs).statistic)


def print_rows(rows: list[Row]) -> None:
    names = [name for name in rows[0] if name != "masking"]
    print(f"{'':<66}" + "".join(f"{name:>11}" for name in names))
    for row in rows:
        print(f"{row['masking']:<66}" + "".join(f"{float(row[n]):11.1f}" for n in names))


def main() -> None:
    kept = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    wanted = sys.argv[2:] or [name for name in FILES if name not in HELD_OUT]
    names = list(FILES) if wanted == ["all"] else wanted
    found = {}
    for name in names:
        rows = rows_of(name, kept)
        found[name] = [agreement(rows, *pair) for pair in PAIRS]
        print(f"\n{name}")
        print_rows(rows)
    print("\n| file | " + " | ".join(f"{a}, {b}" for a, b in PAIRS) + " |")
    print("|---" * (len(PAIRS) + 1) + "|")
    for name, values in found.items():
        print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in values) + " |")
    least = np.min(list(found.values()), axis=0)
    print("| least | " + " | ".join(f"{value:.2f}" for value in least) + " |")


if __name__ == "__main__":
    main()
