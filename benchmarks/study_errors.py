"""Are the standard errors of sampled risks right? Many samples of people against everybody.

``python benchmarks/study_errors.py [RECORDS [PEOPLE [SAMPLES]]]``: files of one made-up
population are attacked as a whole once, then on SAMPLES samples of PEOPLE drawn with other
seeds. Prints for each part of the risk how many samples lie within two standard errors of the
truth, and the root of the mean squared deviation in standard errors, which is 1 where the errors
are right and below where they are cautious.
"""

import sys

import numpy as np

from bench_judging import CATEGORIES, NAMES, NUMBERS, masked, people
from evomask.data.table import Table
from evomask.measures.disclosure.risk import StrictRisk
from evomask.measures.targets import ALL_TARGETS


def files(table: Table) -> dict[str, Table]:
    """Four maskings of which different parts of the risk are the largest."""
    grouped = masked(table, "mdav", NUMBERS, k="5")
    return {
        "noise": masked(table, "independent-noise", NUMBERS, percent="10"),
        "swapping": masked(table, "rank-swapping", NUMBERS, window="15"),
        "PRAM": masked(table, "pram", CATEGORIES, change="0.3"),
        "MDAV and PRAM": masked(grouped, "pram", CATEGORIES, change="0.5"),
    }


def main() -> None:
    given = [int(text) for text in sys.argv[1:]]
    records, asked, samples = (*given, *(6_000, 1_000, 40)[len(given) :])
    table = people(records)
    exact = StrictRisk(NAMES, people=ALL_TARGETS).against(table)
    risks = [StrictRisk(NAMES, people=asked, seed=s).against(table) for s in range(samples)]
    print("| file | part | truth | within two errors | root mean square |\n|---|---|---|---|---|")
    for title, file in files(table).items():
        truth = exact.judged(file)
        found = [risk.judged(file) for risk in risks]
        for name, part in truth.parts.items():
            own = [one.parts[name] for one in found]
            apart = np.array([(each.percent - part.percent) / each.error for each in own])
            within = 100 * np.mean(np.abs(apart) <= 2)
            print(
                f"| {title} | {name} | {part.percent:.1f} | {within:.0f} % "
                f"| {np.sqrt(np.mean(apart**2)):.2f} |"
            )


if __name__ == "__main__":
    main()
