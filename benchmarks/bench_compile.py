"""Time to compile kernels, their run time, and whether their results have changed.

    python benchmarks/bench_compile.py [--cold] [--first] [name ...]

Fixed work for kernels of every family: CPU milliseconds, their ratio to the time before states
were passed as one pointer (decisions/0013), and whether the results are the same to the last
bit. With ``--cold`` it first compiles every kernel into an empty folder, in CPU seconds. With
``--first`` it only measures how long `protect` takes to its first candidates on the example
survey, with an empty folder and in two processes.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench_track import census, german, permuted, perturbed, real_changes
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.measures.profiles import IncrementalRisk
from evomask.searches.files.genome import Coding
from evomask.searches.files.steps import Steps

Work = Callable[[], Callable[[], Any]]
"""Prepares something afresh and gives what is to be timed."""

FOLLOWED = IncrementalRisk.about.name
AIM = np.array([0.3, 0.3, 0.3, 0.4])
BEFORE = {
    "replay, German strict": (51.09, "8f6cca3bfe0bb92e"),
    "replay, German renamed": (105.92, "c7b6e7567812f00b"),
    "replay, Census papers": (28.03, "d9fc84000be64aa3"),
    "replay, Census strict": (84.88, "c238c1e033747b6e"),
    "burst, German strict": (80.22, "756a512999cad3ab"),
    "burst, German papers": (10.09, "e86b3e4772028ad1"),
    "burst, Census strict": (105.03, "b7a1a1d73af70f87"),
    "burst, Census papers": (32.03, "49e8860dcf6fb2e3"),
    "annealing, k = 3": (270.77, "3037431bc5be45e8"),
    "annealing, k = 10": (258.63, "61f55daec54a2930"),
    "mdav": (5.58, "121befdd8a61cf6f"),
    "mdav by walks": (5.76, "be37700cb25f3b7a"),
    "vmdav": (20.87, "0c56b1dcd303f19b"),
    "mondrian": (3.82, "090173b3bf6cdad0"),
    "risk, Census strict": (101.40, "9fdae2e8c8d875fd"),
    "risk, German strict": (3.81, "c983d14a8116ea3b"),
    "lattice of Adult": (902.41, "8bc392fec1cd43a2"),
    "forecast of PRAM": (9.72, "0a9a49ae0ee499af"),
    "burst, German renamed": (126.94, "c189f1cbad2a0fb1"),
}
"""Milliseconds, with states handed on by value, and digest of the results.

Where the measures themselves have changed since, the digest is of the same kernels compiled
before elements and loops were translated leanly.
"""


def replaying(table: Table, masked: Table, measure: str) -> Work:
    def prepared() -> Callable[[], Any]:
        from evomask.kernels.incremental.measures import replay
        from evomask.measures.incremental.readings import Request
        from evomask.measures.incremental.tracker import Tracker

        changes = real_changes(table, masked, np.random.default_rng(2))
        tracked = Tracker(table, Request(measure, table.schema.names)).begin(masked)
        return lambda: replay(tracked.state, *changes)

    return prepared


def bursting(table: Table, masked: Table, measure: str) -> Work:
    roles = dict.fromkeys(table.schema.names, Role.QUASI_IDENTIFIER)
    coding = Coding(table.with_schema(table.schema.assigning(roles)), table.schema.names)
    steps = Steps(coding, measure).load()
    file = coding.file(masked)
    return lambda: lambda: steps.run(file, AIM, 1_000, np.random.default_rng(3), heat=0.5)


def annealing(k: int) -> Work:
    def prepared() -> Callable[[], Any]:
        from evomask.kernels.groups.annealing import anneal, center_and_pad
        from evomask.kernels.groups.mdav import mdav
        from evomask.searches.partition.genome import near_records

        points = census_points()
        near, first = near_records(points, max(12, 2 * k)), mdav(points, k)
        heat = np.array([1.0, 0.3, 0.1, 0.03, 0.0])
        return lambda: anneal(center_and_pad(points), near, first, k, heat, 200_000, 5)

    return prepared


def census_points() -> Any:
    from evomask.data.distance import Standardizer

    matrix = census().matrix(census().schema.names)
    return np.ascontiguousarray(Standardizer.of(matrix)(matrix))


def grouping(name: str, *parameters: Any) -> Work:
    def prepared() -> Callable[[], Any]:
        from importlib import import_module

        module, function = name.rsplit(".", 1)
        work = getattr(import_module(f"evomask.kernels.groups.{module}"), function)
        points = np.random.default_rng(4).normal(size=(4_000, 6))
        return lambda: work(points, *parameters)

    return prepared


def reading(measure: str, table: Table, masked: Table) -> Work:
    def prepared() -> Callable[[], Any]:
        from evomask.measures import profiles

        own = getattr(profiles, measure)(table.schema.names).against(table)
        return lambda: own(masked)

    return prepared


def sweeping() -> Callable[[], Any]:
    from evomask_papers import generalization as paper

    lattice = paper.adult_lattice()

    def swept() -> Any:
        figures = lattice.sweep(lattice.rule(limit=301))
        return figures.whole, figures.real

    return swept


def foretelling() -> Callable[[], Any]:
    from evomask.kernels.pram.transitions import mutate_matrices
    from evomask.measures.expected.forecast import Forecast
    from evomask.searches.pram.genome import Layout, Limits

    table = german()
    forecast = Forecast(table, table.schema.names, strict=True)
    layout = Layout(table, table.schema.names, Limits())

    def climbed() -> Any:
        here, found = forecast.flat({}), []
        for seed in range(1, 200):
            here = mutate_matrices(here, layout.bounds, 0.3, seed)
            found.append(forecast.of_flat(here))
        return here, np.array(found)

    return climbed


def works() -> dict[str, Work]:
    rng = np.random.default_rng(1)
    numbers, classes = census(), german()
    moved, drawn = perturbed(numbers, rng), perturbed(classes, rng)
    renamed = permuted(classes, rng)
    return {
        "replay, German strict": replaying(classes, drawn, FOLLOWED),
        "replay, German renamed": replaying(classes, renamed, FOLLOWED),
        "replay, Census papers": replaying(numbers, moved, "risk-papers"),
        "replay, Census strict": replaying(numbers, moved, FOLLOWED),
        "burst, German strict": bursting(classes, drawn, FOLLOWED),
        "burst, German renamed": bursting(classes, renamed, FOLLOWED),
        "burst, German papers": bursting(classes, drawn, "risk-papers"),
        "burst, Census strict": bursting(numbers, moved, FOLLOWED),
        "burst, Census papers": bursting(numbers, moved, "risk-papers"),
        "annealing, k = 3": annealing(3),
        "annealing, k = 10": annealing(10),
        "mdav": grouping("mdav.mdav", 5),
        "mdav by walks": grouping("walks.mdav_by_walks", 5, 500, 1),
        "vmdav": grouping("vmdav.vmdav", 5, 0.2),
        "mondrian": grouping("mondrian.mondrian", np.ones(6), 5),
        "risk, Census strict": reading("DisclosureRisk", numbers, moved),
        "risk, German strict": reading("DisclosureRisk", classes, drawn),
        "lattice of Adult": sweeping,
        "forecast of PRAM": foretelling,
    }


def bytes_of(value: Any) -> Iterator[bytes]:
    if isinstance(value, tuple):
        for part in value:
            yield from bytes_of(part)
    else:
        yield np.asarray(value).tobytes()


def digest_of(value: Any) -> str:
    return hashlib.sha256(b"".join(bytes_of(value))).hexdigest()[:16]


def measured(work: Work) -> tuple[float, str]:
    """Milliseconds of CPU, the best of five, and the digest of the first result."""
    digest, spent = digest_of(work()()), []
    for _ in range(5):
        prepared = work()
        start = time.process_time()
        prepared()
        spent.append(time.process_time() - start)
    return min(spent) * 1e3, digest


def compiled_cold() -> None:
    with tempfile.TemporaryDirectory() as folder:
        before = os.times()
        subprocess.run(
            [sys.executable, "-m", "evomask.kernels"],
            check=True, env={**os.environ, "EVOMASK_CACHE": folder},
        )  # fmt: skip
        after = os.times()
    user = after.children_user - before.children_user
    system = after.children_system - before.children_system
    print(f"all kernels from nothing: {user:.1f} s CPU ({system:.1f} s of the system)")


FIRST = """
import os, sys, time
began = time.perf_counter()
from pathlib import Path
from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, protect_file

def spent(what):
    print(f"{what}: {time.perf_counter() - began:.1f} s wall, {sum(os.times()[:4]):.1f} s CPU")

def watch(event):
    kind = type(event).__name__
    if kind == "PhaseStarted" and event.phase in ("compiling", "searching"):
        spent(f"{event.phase} begins")
    if kind == "RoundFinished":
        spent(f"{event.files} candidates evaluated")
        sys.stdout.flush()
        os._exit(0)

survey = Path(sys.argv[1])
source = Input(survey, survey.with_suffix(".toml"))
protect_file(ProtectJob(source, survey.parent / "run", seconds=60.0, seed=1), watch=watch)
"""


def measure_first_candidates() -> None:
    from evomask.api.files import example

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environment = {**os.environ, "EVOMASK_CACHE": f"{folder}/cache", "EVOMASK_CARRIED": "0"}
        survey = example(f"{folder}/survey")
        subprocess.run([sys.executable, "-c", FIRST, survey], check=True, env=environment)


def main() -> None:
    names = [name for name in sys.argv[1:] if not name.startswith("--")]
    if "--first" in sys.argv:
        measure_first_candidates()
        return
    if "--cold" in sys.argv:
        compiled_cold()
    for name, work in works().items():
        if not names or name in names:
            spent, digest = measured(work)
            known, former = BEFORE.get(name, (float("nan"), digest))
            same = "same" if digest == former else "DIFFERENT"
            print(f"{name:24} {spent:8.2f} ms, {spent / known:5.2f} of before, {digest} {same}")


if __name__ == "__main__":
    main()
