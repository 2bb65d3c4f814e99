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
        success = attack.success
        print(
            f"{attack.about.name:<24}{success.value:8.2f}, without the file "
            f"{success.baseline:.2f}, from the original {attack.unmasked:.2f}"
        )
    print(f"Adult {len(table)} x {len(NAMES)}: {spent:.1f} s CPU, {spent / AIM:.2f} of the aim")


if __name__ == "__main__":
    main()
