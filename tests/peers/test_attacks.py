"""anonymeter's attacks succeed in the order in which ours do, over maskings from weak to strong."""

import json
import os
import subprocess

import numpy as np
import pytest
from scipy.stats import spearmanr

from evomask.data.frames import polars_from
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.masking.randomization.pram import Pram
from evomask.masking.rank_swapping import RankSwapping
from evomask.measures.attacks.singling_out import SinglingOut
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.runs.synthetic import synthetic_file
from tests.oracles import ROOT

PYTHON = ROOT / ".venv-peers-anonymeter" / "bin" / "python"
SCRIPT = ROOT / "benchmarks" / "peers" / "ask_anonymeter.py"
NAMES = tuple("abcdef")
LEAST = 0.8

pytestmark = pytest.mark.slow


def people(n_records=400, values=7):
    """Six ordered attributes that hang together by two things behind them."""
    rng = np.random.default_rng(1)
    behind = rng.normal(size=(n_records, 2)) @ rng.normal(size=(2, len(NAMES)))
    seen = behind + 0.7 * rng.normal(size=behind.shape)
    codes = np.clip(np.round(seen + values / 2), 0, values - 1).astype(int)
    labels = tuple(f"v{value}" for value in range(values))
    schema = Schema(tuple(Attribute(n, Kind.ORDINAL, Role.QUASI_IDENTIFIER, labels) for n in NAMES))
    return Table(schema, {name: codes[:, place] for place, name in enumerate(NAMES)})


def maskings(table):
    """From hardly masked to hardly anything left."""
    methods = [Pram(NAMES, change=change) for change in (0.02, 0.1, 0.25, 0.45, 0.7, 0.95)]
    methods += [RankSwapping(NAMES, window) for window in (4.0, 15.0, 40.0)]
    made = [m.mask(table, np.random.default_rng(i)) for i, m in enumerate(methods)]
    return [*made, synthetic_file(table, np.random.default_rng(99))]


@pytest.fixture(scope="module")
def rates(tmp_path_factory):
    """How often each attack is right, theirs and ours, file by file."""
    if not PYTHON.exists():
        pytest.skip("anonymeter is not here; `make bench-peers` installs it")
    folder, table = tmp_path_factory.mktemp("attacks"), people()
    files = maskings(table)
    paths = [str(folder / f"{place}.csv") for place in range(len(files) + 1)]
    for path, one in zip(paths, (table, *files), strict=True):
        polars_from(one).write_csv(path)
    task = {"work": "attacks", "file": paths[0], "files": paths[1:], "most": 1}
    asked, answered = folder / "task.json", folder / "answer.json"
    asked.write_text(json.dumps(task), encoding="utf-8")
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [PYTHON, "-W", "ignore", SCRIPT, asked, answered]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    theirs = json.loads(answered.read_text(encoding="utf-8"))["rates"]
    judge, single = DisclosureRisk(NAMES).against(table), SinglingOut(NAMES).against(table)
    judged = [judge.assess(file) for file in files]
    return theirs, {
        "linkability": [one.reidentification.percent for one in judged],
        "inference": [one.attribute_disclosure.percent for one in judged],
        "singling-out": [single(file).details["bets_won"] for file in files],
    }


@pytest.mark.parametrize("attack", ["linkability", "inference", "singling-out"])
def test_files_are_ordered_as_by_anonymeter(attack, rates):
    theirs, ours = rates
    found = spearmanr([rate[attack] for rate in theirs], ours[attack]).statistic
    assert found >= LEAST
