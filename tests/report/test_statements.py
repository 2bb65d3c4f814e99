"""Every statement of public reports is what somebody counts who opens the released file."""

import json
from itertools import islice

import numpy as np
import polars as pl
import pytest

from evomask.engine.front import Bounds
from evomask.masking.enforce.requirement import Requirement
from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, choose, protect_file
from tests.report.statements import check_release

QUASI = ("age", "income", "school", "town")


def write_people(folder, seed):
    """Three hundred people with numbers, categories and missing values, as a file."""
    rng = np.random.default_rng(seed)
    n = 300
    incomes = rng.lognormal(7, 0.7, n).round().astype(int).astype(str)
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "income": np.where(rng.random(n) < 0.1, "", incomes),
            "school": rng.choice(["none", "primary", "secondary", "tertiary"], n),
            "town": rng.choice([f"T{i}" for i in range(9)], n, p=np.arange(1, 10) / 45),
            "ill": rng.choice(["yes", "no"], n),
        }
    )
    frame.write_csv(folder / "people.csv")
    return folder / "people.csv"


def releases(folder, seed, evaluations=12):
    """Protect a file; release every point of its front in turn."""
    path = write_people(folder, seed)
    source = Input(path, None, QUASI, ("ill",), ordinal=("school",))
    done = protect_file(
        ProtectJob(
            source, folder / "run", Requirement(k=(1, 3, 5)[seed % 3]), seed=seed,
            evaluations=evaluations, keep_order=True,
        )
    )  # fmt: skip
    yield path, done.folder
    for point in done.protection.front[::2]:
        choose(done.folder, str(point.point), Bounds(), keep_order=True)
        yield path, done.folder


def test_every_statement_holds_in_a_few_releases(tmp_path):
    for path, folder in islice(releases(tmp_path, 1), 4):
        assert list(check_release(folder, path)) == []
        record = json.loads((folder / "record-public.json").read_bytes())
        assert not any("edit rules" in sentence for sentence in record["method"])  # has none


def test_a_false_statement_is_found(tmp_path):
    path, folder = next(releases(tmp_path, 2, evaluations=4))
    record = json.loads((folder / "record-public.json").read_bytes())
    for attribute in record["attributes"]:
        attribute["changed"] = 0
    for spread in record["spreads"]:
        spread["after"] = spread["after"][::-1]
    (folder / "record-public.json").write_text(json.dumps(record))
    assert len(list(check_release(folder, path))) > 2


@pytest.mark.slow
def test_every_statement_holds_in_50_releases(tmp_path):
    folders = [tmp_path / str(seed) for seed in range(40)]
    for folder in folders:
        folder.mkdir()
    every = (one for i, folder in enumerate(folders) for one in releases(folder, i, 20))
    checked = [list(check_release(release, path)) for path, release in islice(every, 50)]
    assert checked == [[]] * 50
