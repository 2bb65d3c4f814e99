"""One small finished job and its record, for all tests of the reports."""

import numpy as np
import pytest

from evomask.masking.enforce.requirement import parse_requirement
from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, protect_file

PEOPLE = 150


@pytest.fixture(scope="session")
def town(tmp_path_factory):
    """People with numbers, ordered and plain categories, and a confidential one."""
    rng = np.random.default_rng(1)
    rows = zip(
        rng.integers(18, 90, PEOPLE),
        rng.lognormal(7, 1, PEOPLE).round(),
        rng.choice(["none", "basic", "higher"], PEOPLE),
        rng.choice(["north", "south"], PEOPLE, p=[0.6, 0.4]),
        rng.choice(["well", "ill", "sick"], PEOPLE),
        strict=True,
    )
    lines = [f"p{i},{','.join(map(str, row))}" for i, row in enumerate(rows)]
    path = tmp_path_factory.mktemp("town") / "town.csv"
    path.write_text("name,age,income,school,side,health\n" + "\n".join(lines), encoding="utf-8")
    return Input(
        path,
        quasi_identifiers=("age", "income", "school", "side"),
        confidential=("health",),
        identifiers=("name",),
        ordinal=("school",),
    )


@pytest.fixture(scope="session")
def done(town, tmp_path_factory):
    """A finished job."""
    folder = tmp_path_factory.mktemp("run") / "release"
    job = ProtectJob(town, folder, parse_requirement("k=3"), seed=20_261_116, evaluations=40)
    return protect_file(job)


@pytest.fixture(scope="session")
def record(done):
    """Its release record."""
    return done.record
