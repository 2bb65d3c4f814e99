"""The audit of Adult, eight categorical attributes: under 30 seconds is the aim."""

import time

import numpy as np

from bench_measures import NAMES, adult, perturbed
from evomask.measures.attacks.audit import audit

AIM = 30.0


def main() -> None:
    table = adult()
    masked = perturbed(table, np.random.default_rng(1))
    some = table.take(np.arange(100))
    audit(some, some)
    start = time.process_time()
    found = audit(masked, table)
    spent = time.process_time() - start
    for attack in found.attacks:
        print(f"{attack.name:<24}{attack.success:8.2f}, gain {attack.gain:.2f}")
    print(f"Adult {len(table)} x {len(NAMES)}: {spent:.1f} s CPU, {spent / AIM:.2f} of the aim")


if __name__ == "__main__":
    main()
