"""One changed cell, tracked, against a full reading, and in bursts: Census and German credit.

All times are CPU times.
"""

import time
from collections.abc import Callable

import numpy as np

from evomask.data.frames import Declaration
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.evolution.individual import ScoreRule
from evomask.io.datasets import reference_file
from evomask.io.tables import read_table
from evomask.kernels.incremental.measures import replay
from evomask.measures.incremental.readings import Request
from evomask.measures.incremental.tracker import TrackedFile, Tracker
from evomask.measures.profiles import PROFILES, RiskProfile
from evomask.searches.files.fitness import AIMS
from evomask.searches.files.genome import Coding
from evomask.searches.files.steps import Steps
from evomask.types import Floats, Indices

GERMAN = ("EXISTACC", "SAVINGS", "PRESEMPLOY")
STEPS = 2_000
BURSTS = 4
SHARE = 0.3

Changes = tuple[Indices, Indices, Floats, Indices]


def census() -> Table:
    return read_table(reference_file("casc/census.csv"))


def german() -> Table:
    declared = {name: Declaration(Kind.ORDINAL, Role.QUASI_IDENTIFIER) for name in GERMAN}
    return read_table(reference_file("uci/german_credit.csv"), declared).only(GERMAN)


def perturbed(table: Table, rng: np.random.Generator) -> Table:
    """Some cells of each attribute from another record."""
    changes = {}
    for name in table.schema.names:
        drawn = table[name][rng.permutation(len(table))]
        changes[name] = np.where(rng.random(len(table)) < SHARE, drawn, table[name])
    return table.with_columns(changes)


def permuted(table: Table, rng: np.random.Generator) -> Table:
    """Some cells changed and all categories renamed: the renamed version is followed too."""
    masked = perturbed(table, rng)
    sizes = {name: len(table.attribute(name).categories) for name in table.schema.names}
    return masked.with_columns({name: (masked[name] + 1) % size for name, size in sizes.items()})


def spent(work: Callable[[], object]) -> float:
    """CPU seconds, warm."""
    work()
    start = time.process_time()
    work()
    return time.process_time() - start


def real_changes(table: Table, masked: Table, rng: np.random.Generator) -> Changes:
    """Changes of different cells to other values than they hold, half of them kept."""
    names, n = table.schema.names, len(table)
    cells = rng.permutation(n * len(names))[:STEPS]
    records, attributes = cells % n, cells // n
    pairs = list(zip(attributes, records, rng.integers(0, n, len(cells)), strict=True))
    values = np.array([float(table[names[a]][i]) for a, _, i in pairs])
    held = np.array([float(masked[names[a]][r]) for a, r, _ in pairs])
    other = values != held
    return records[other], attributes[other], values[other], rng.integers(0, 2, other.sum())


def step_of(tracked: TrackedFile, warm: TrackedFile, changes: Changes) -> float:
    """CPU seconds of one change, with loss and risk read after it."""
    replay(warm.state, *changes)
    start = time.process_time()
    replay(tracked.state, *changes)
    return (time.process_time() - start) / len(changes[0])


def figure(title: str, table: Table, masked: Table, *, strict: bool, aim: float) -> None:
    names, rng = table.schema.names, np.random.default_rng(2)
    profile = PROFILES["strict" if strict else "papers"]
    loss, risk = profile.loss(names).against(table), profile.followable(names).against(table)
    changes = real_changes(table, masked, rng)
    steps = []
    for measure in (profile.loss.about.name, profile.followed):
        tracker = Tracker(table, Request(measure, names))
        steps.append(step_of(tracker.begin(masked), tracker.begin(masked), changes))
    alone, step = steps
    full = spent(lambda: (loss(masked), risk(masked)))
    begun = spent(lambda: tracker.begin(masked))
    print(
        f"{title:<34} {step * 1e6:7.1f} us, {step * 1e6 / aim:5.2f} of the aim; loss alone "
        f"{alone * 1e6:5.2f} us; full reading {full * 1e3:6.2f} ms, {full / step:6.0f} times as "
        f"much; beginning {begun * 1e3:6.2f} ms"
    )


def burst_figure(title: str, table: Table, masked: Table, profile: RiskProfile) -> None:
    """Mean cost of a cell that a burst of ``files`` tries, after a first burst."""
    names = table.schema.names
    coding = Coding(table, names)
    steps, weights = Steps(coding, PROFILES[profile].followed), np.array(AIMS[ScoreRule.WORST])
    rng = np.random.default_rng(3)
    file, _ = steps.run(coding.to_file(coding.encode(masked)), weights, 500, rng)
    start, cells = time.process_time(), 0
    for _ in range(BURSTS):
        file, counts = steps.run(file, weights, STEPS, rng)
        cells += int(counts[-1])
    step = (time.process_time() - start) / cells
    print(f"{title:<34} {step * 1e6:7.1f} us for each cell of a burst")


def main() -> None:
    rng = np.random.default_rng(1)
    table = census()
    masked = perturbed(table, rng)
    figure("Census papers, loss and risk", table, masked, strict=False, aim=30)
    figure("Census strict, loss and risk", table, masked, strict=True, aim=60)
    for profile in RiskProfile:
        burst_figure(f"Census {profile}, bursts", table, masked, profile)
    table = german()
    masked = perturbed(table, rng)
    figure("German papers, loss and risk", table, masked, strict=False, aim=50)
    figure("German strict, loss and risk", table, masked, strict=True, aim=60)
    for profile in RiskProfile:
        burst_figure(f"German {profile}, bursts", table, masked, profile)
    masked = permuted(table, rng)
    figure("German strict, categories renamed", table, masked, strict=True, aim=60)


if __name__ == "__main__":
    main()
