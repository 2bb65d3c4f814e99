"""Synthetic baselines: drawn, evaluated, shown in the internal report, never written."""

import numpy as np
import pytest

from evomask.errors import ParameterError
from evomask.measures.profiles import profile
from evomask.report.pages import internal_page
from evomask.runs.protect import choose, protect_file
from evomask.runs.synthetic import MODELS, synthetic_file
from tests.runs.test_protect import QUASI, job_for, write_town
from tests.tables import mixed

FEW = {"evaluations": 6, "searches": ("recipes",)}


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    parent = tmp_path_factory.mktemp("town")
    write_town(parent)
    return protect_file(job_for(parent, "run", baseline="synthetic", **FEW))


def test_it_is_judged_by_the_same_pair(done):
    (point,) = done.record.points.baselines
    table = done.protection.table
    assert 0 < point.loss <= 100
    assert 0 <= point.risk < done.protection.original.risk
    ours = profile("strict").loss(QUASI).against(table)
    shuffled = synthetic_file(table, np.random.default_rng(1))
    shuffled = shuffled.take(np.random.default_rng(2).permutation(len(table)))
    assert point.loss < ours(shuffled)


def test_it_is_on_the_map_of_the_internal_report_and_nowhere_in_the_public_one(done):
    page = internal_page(done.record)
    assert "were released instead" in page
    assert "released instead" not in done.reports.public.read_text(encoding="utf-8")


def test_it_cannot_be_chosen(done):
    (point,) = done.record.points.baselines
    assert point.point not in [candidate.point for candidate in done.protection.front]


def test_it_stays_the_same_when_another_point_is_chosen(done):
    before = done.record.points.baselines
    assert choose(done.folder, "knee").record.points.baselines == before


def test_nothing_is_shown_where_nobody_asks(tmp_path):
    write_town(tmp_path)
    released = protect_file(job_for(tmp_path, "run", **FEW))
    assert released.record.points.baselines == ()
    assert "released instead" not in internal_page(released.record)


def test_a_baseline_that_there_is_not_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="no baseline 'copy'; there is synthetic, cart"):
        job_for(tmp_path, "run", baseline="copy")


@pytest.mark.parametrize("name", MODELS)
def test_every_baseline_replaces_all_that_is_known_and_confidential(name):
    before = mixed()
    after = synthetic_file(before, np.random.default_rng(1), name)
    for column in (*before.schema.quasi_identifiers, "illness"):
        assert not np.array_equal(before[column], after[column], equal_nan=column == "income")
    assert np.array_equal(before["weight"], after["weight"])
    assert after.schema == before.schema
