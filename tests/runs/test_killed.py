"""Killed at any moment, whoever takes part: a resumed run ends with the same bytes.

No file suits all searches, so there are two: numbers alone, and categories with hierarchies.
"""

import numpy as np
import polars as pl
import pytest

from evomask.data.schema import Kind, Role
from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, protect_file
from tests.runs.test_protect import check_kill

PEOPLE = 48
MEMBERS = {
    "numbers": {
        "recipes", "files-front", "files-balanced", "partition-3", "partition-10", "grouping-5",
    },
    "categories": {
        "recipes", "files-front", "files-balanced", "partition-3", "partition-10", "generalization",
        "generalization-local", "clustered", "pram", "pram-invariant", "equations",
    },
}  # fmt: skip
EVALUATIONS = {"numbers": 130, "categories": 280}


def write_numbers(folder):
    """Three numbers that hang together somewhat."""
    age, pay, rent = np.random.default_rng(1).normal(size=(3, PEOPLE))
    columns = {"age": 40 + 9 * age, "pay": 900 + 90 * (age + pay), "rent": 300 + 50 * rent}
    pl.DataFrame({n: np.round(c) for n, c in columns.items()}).write_csv(folder / "town.csv")
    return Input(folder / "town.csv", None, tuple(columns))


def write_categories(folder):
    """An ordered attribute and two plain ones, each with a hierarchy, in a schema."""
    rng = np.random.default_rng(1)
    values = {"age": "012345", "sex": "fm", "job": "abcd"}
    frame = pl.DataFrame({name: rng.choice(list(some), PEOPLE) for name, some in values.items()})
    frame.write_csv(folder / "town.csv")
    lines = []
    for name, some in values.items():
        tree = [
            f"{value};{value if len(some) < 3 else place // 2};*"
            for place, value in enumerate(some)
        ]
        (folder / f"{name}.csv").write_text("\n".join(tree) + "\n", encoding="utf-8")
        kind = Kind.ORDINAL if name == "age" else Kind.NOMINAL
        lines += [
            f"[attributes.{name}]", f'kind = "{kind}"', f'role = "{Role.QUASI_IDENTIFIER}"',
            f'hierarchy = "{name}.csv"',
        ]  # fmt: skip
    (folder / "town.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Input(folder / "town.csv", folder / "town.toml")


WRITERS = {"numbers": write_numbers, "categories": write_categories}


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    """A job of one kind for a folder of its own, and the same once done without a break."""
    sources, finished = {}, {}

    def make(kind, name):
        if kind not in sources:
            sources[kind] = WRITERS[kind](tmp_path_factory.mktemp(kind))
            finished[kind] = protect_file(job(kind, "once"))
        return job(kind, name), finished[kind]

    def job(kind, name):
        folder = sources[kind].path.parent / name
        return ProtectJob(sources[kind], folder, seed=7, evaluations=EVALUATIONS[kind])

    return make


@pytest.mark.slow
@pytest.mark.parametrize("kind", WRITERS)
def test_everyone_who_can_takes_part(jobs, kind):
    _, once = jobs(kind, "unused")
    assert {"recipes", *once.protection.state.generations} == MEMBERS[kind]


@pytest.mark.slow
@pytest.mark.parametrize("moment", range(25))
@pytest.mark.parametrize("kind", WRITERS)
def test_a_run_of_all_members_killed_at_a_random_moment_resumes_to_the_same_bytes(
    jobs, kind, moment, monkeypatch
):
    job, once = jobs(kind, f"killed{moment}")
    check_kill(once, job, moment, monkeypatch)
