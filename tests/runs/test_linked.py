"""Persons with events: keys, counts, rules and k across both released tables."""

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from evomask.errors import DataError, FileError, SchemaError
from evomask.masking.enforce.requirement import Requirement
from evomask.runs.inputs import Input
from evomask.runs.linked import LinkedJob, protect_linked
from evomask.runs.protect import ProtectJob
from evomask.runs.store.verify import verify

SCHEMA = """
[attributes.age]
kind = "continuous"
role = "quasi-identifier"

[attributes.sex]
role = "quasi-identifier"

[attributes.visit]
kind = "date"
role = "other"

[attributes.ward]
role = "quasi-identifier"

[attributes.illness]
role = "confidential"

[scenarios.neighbour]
knows = ["age", "sex"]

[scenarios.nurse]
knows = ["sex", "ward"]

[rules]
edits = ["if sex = m then ward != birth"]
"""


def write_tables(folder, people=80, seed=5):
    rng = np.random.default_rng(seed)
    sex = rng.choice(["m", "f"], people)
    persons = pl.DataFrame(
        {"patient": [f"P{i:03d}" for i in range(people)], "age": rng.integers(20, 70, people),
         "sex": sex}
    )  # fmt: skip
    rows = []
    for patient in range(people):
        for _ in range(rng.integers(0, 5)):
            ward = str(rng.choice(["eyes", "heart"] + ["birth"] * (sex[patient] == "f")))
            day = date(2024, 1, 1) + timedelta(days=int(rng.integers(300)))
            rows.append([f"P{patient:03d}", str(day), ward, str(rng.choice(["flu", "cold"]))])
    events = pl.DataFrame(rows, ["patient", "visit", "ward", "illness"], orient="row")
    persons.write_csv(folder / "persons.csv")
    events.write_csv(folder / "events.csv")
    (folder / "both.toml").write_text(SCHEMA, encoding="utf-8")
    return persons, events


def job_in(folder, **more):
    search = ProtectJob(
        Input(folder), folder, Requirement(k=3), evaluations=15, seed=7, searches=("recipes",)
    )
    usual = {"key": "patient", "schema": folder / "both.toml", "out": folder / "release"}
    files = folder / "persons.csv", folder / "events.csv"
    return LinkedJob(*files, **(usual | more), protect=search)


def test_keys_counts_rules_and_k_hold_across_both_tables(tmp_path):
    persons, events = write_tables(tmp_path)
    done = protect_linked(job_in(tmp_path))
    one, other = (pl.read_csv(path, infer_schema=False) for path in (done.persons, done.events))
    assert len(one) == len(persons) == one["patient"].n_unique()
    assert len(other) == len(events)
    assert set(other["patient"]) <= set(one["patient"])
    assert not set(one["patient"]) & set(persons["patient"])
    before = events["patient"].value_counts()["count"].sort()
    assert other["patient"].value_counts()["count"].sort().equals(before)
    assert one.group_by("age", "sex").len()["len"].min() >= 3
    both = one.join(other, on="patient")
    assert both.group_by("sex", "ward").agg(pl.col("patient").n_unique())["patient"].min() >= 3
    assert not len(both.filter((pl.col("sex") == "m") & (pl.col("ward") == "birth")))
    assert done.counts.same_counts == len(persons)
    assert done.orders == {"visit": len(persons)}
    assert verify(done.release.folder).holds


@pytest.mark.parametrize(
    ("change", "error", "why"),
    [
        (lambda p, e: (p, e.rename({"ward": "sex"})), SchemaError, "'sex' is in both tables"),
        (lambda p, e: (p.head(5), e), DataError, "that persons.csv does not have"),
        (lambda p, e: (pl.concat([p, p.head(1)]), e), DataError, "that another one has"),
        (lambda p, e: (p.drop("patient"), e), SchemaError, "no column 'patient'"),
    ],
)
def test_tables_that_do_not_fit_are_refused_before_anything_is_written(
    tmp_path, change, error, why
):
    tables = change(*write_tables(tmp_path))
    for table, name in zip(tables, ("persons.csv", "events.csv"), strict=True):
        table.write_csv(tmp_path / name)
    with pytest.raises(error, match=why):
        protect_linked(job_in(tmp_path))
    assert not (tmp_path / "release").exists()


def test_an_existing_folder_is_not_written_to(tmp_path):
    write_tables(tmp_path)
    (tmp_path / "release").mkdir()
    with pytest.raises(FileError, match="name a new folder"):
        protect_linked(job_in(tmp_path))
