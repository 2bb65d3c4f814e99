"""Persons with events, end to end: `evomask linked` on synthetic tables.

    python benchmarks/bench_linked.py [PERSONS] [EVENTS] [SECONDS]

Prints the seconds of joining, masking, checking and splitting, and what was counted in the written
tables: smallest number of persons with the same known values, columns that differ within a person,
persons with as many events as before and in the same order.
"""

import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import polars as pl

from evomask.masking.enforce.requirement import Requirement
from evomask.runs.inputs import Input
from evomask.runs.linked import LinkedJob, protect_linked
from evomask.runs.protect import ProtectJob

SCHEMA = """
[attributes.age]
kind = "continuous"
role = "quasi-identifier"
[attributes.sex]
role = "quasi-identifier"
[attributes.region]
role = "quasi-identifier"
[attributes.visit]
kind = "date"
role = "other"
[attributes.ward]
role = "quasi-identifier"
[attributes.days]
kind = "continuous"
role = "confidential"
[scenarios.neighbour]
knows = ["age", "sex", "region"]
[scenarios.nurse]
knows = ["sex", "region", "ward"]
"""


def write_tables(folder: Path, people: int, events: int) -> None:
    rng = np.random.default_rng(1)
    persons = pl.DataFrame(
        {
            "patient": np.arange(people),
            "age": rng.integers(0, 100, people),
            "sex": rng.choice(["m", "f"], people),
            "region": rng.choice([f"r{i}" for i in range(20)], people),
        }
    )
    own = rng.integers(people, size=events)
    days = [date(2024, 1, 1) + timedelta(days=int(d)) for d in rng.integers(365, size=events)]
    table = pl.DataFrame(
        {
            "patient": own,
            "visit": days,
            "ward": rng.choice(["eyes", "heart", "birth", "lung"], events),
            "days": rng.poisson(4, events),
        }
    )
    persons.write_csv(folder / "persons.csv")
    table.write_csv(folder / "events.csv")
    (folder / "both.toml").write_text(SCHEMA, encoding="utf-8")


def main(people: int = 10_000, events: int = 100_000, seconds: float = 60.0) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_tables(folder, people, events)
        files = folder / "persons.csv", folder / "events.csv"
        search = ProtectJob(Input(folder), folder, Requirement(k=5), seconds=seconds, seed=2**40)
        job = LinkedJob(*files, "patient", folder / "both.toml", folder / "out", search)
        began = time.perf_counter()
        done = protect_linked(job)
        took = time.perf_counter() - began
        one, other = (pl.read_csv(path, infer_schema=False) for path in (done.persons, done.events))
        known = one.group_by("age", "sex", "region").len()["len"].min()
        both = other.join(one, on="patient")
        nurse = both.group_by("sex", "region", "ward").agg(pl.col("patient").n_unique())
        print(f"{people:,} persons, {events:,} events: {took:.1f} s (budget {seconds:g} s)")
        print(f"k of persons: {known!r}, with events: {nurse['patient'].min()!r}")
        print(f"persons {len(one):,}, events {len(other):,}")
        print(f"as many events as before: {done.counts.same_counts:,} persons")
        print(f"events in the same order: {done.orders}")
        print(f"loss {done.release.chosen.loss:.2f} %, risk {done.release.chosen.risk:.2f} %")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(*map(int, given[:2]), *map(float, given[2:]))
