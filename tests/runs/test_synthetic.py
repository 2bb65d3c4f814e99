"""Synthetic baseline: drawn, matched, evaluated, shown in the internal report, never written."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from evomask.errors import ParameterError
from evomask.measures.profiles import profile
from evomask.report.pages import internal_page
from evomask.runs import synthetic as baseline
from evomask.runs.protect import choose, protect_file
from evomask.runs.synthetic import matched, synthetic, synthetic_file
from tests.measures.files import categories
from tests.runs.test_protect import QUASI, job_for, write_town
from tests.tables import mixed, numbers

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
    with pytest.raises(ParameterError, match="no baseline 'copy'; there is synthetic"):
        job_for(tmp_path, "run", baseline="copy")


def bent_pair(n_records=2000):
    """Two numbers that go together, on scales of their own."""
    rng = np.random.default_rng(1)
    first = rng.normal(size=n_records)
    return numbers(a=np.exp(first), b=first + 0.5 * rng.normal(size=n_records))


def ranks(values):
    return np.argsort(np.argsort(values))


def test_columns_keep_their_distributions():
    before = bent_pair()
    after = synthetic(before, ("a", "b"), np.random.default_rng(2))
    for name in ("a", "b"):
        shares = np.linspace(0.05, 0.95, 19)
        quantiles = np.quantile(before[name], shares)
        below = [np.mean(after[name] <= quantile) for quantile in quantiles]
        assert below == pytest.approx(shares, abs=0.04)


def test_columns_go_together_as_before():
    before = bent_pair()
    after = synthetic(before, ("a", "b"), np.random.default_rng(2))
    was, is_now = (np.corrcoef(ranks(t["a"]), ranks(t["b"]))[0, 1] for t in (before, after))
    assert is_now == pytest.approx(was, abs=0.05)


def test_no_record_is_copied():
    before = bent_pair()
    after = synthetic(before, ("a", "b"), np.random.default_rng(2))
    known = set(map(tuple, before.matrix(("a", "b"))))
    assert not known & set(map(tuple, after.matrix(("a", "b"))))


def test_categories_are_as_frequent_as_before_and_stay_in_their_domain():
    rng = np.random.default_rng(3)
    before = categories(x=rng.choice(3, 3000, p=[0.7, 0.2, 0.1]), y=rng.integers(0, 2, 3000))
    after = synthetic(before, ("x", "y"), np.random.default_rng(4))
    assert np.bincount(after["x"]) / 3000 == pytest.approx([0.7, 0.2, 0.1], abs=0.03)


def test_a_column_of_one_value_stays():
    before = numbers(a=np.ones(50), b=np.arange(50.0))
    after = synthetic(before, ("a", "b"), np.random.default_rng(5))
    assert (after["a"] == 1.0).all()


def test_values_are_missing_as_often_as_before():
    before = mixed()
    names = before.schema.quasi_identifiers
    after = synthetic(before, names, np.random.default_rng(6))
    for name in names:
        if not before.attribute(name).is_categorical:
            assert np.isnan(after[name]).sum() == np.isnan(before[name]).sum()


def test_the_same_generator_gives_the_same_file_and_other_columns_stay():
    before = bent_pair(100)
    one, two = (synthetic(before, ("a",), np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(one["a"], two["a"])
    assert np.array_equal(one["b"], before["b"])


def test_a_shuffled_file_is_put_back_in_order():
    rng = np.random.default_rng(1)
    before = numbers(a=rng.permutation(700.0 * np.arange(700)), b=rng.normal(size=700))
    order = rng.permutation(700)
    found = matched(before, before.take(order), ("a", "b"))
    assert np.array_equal(order[found], np.arange(700))


def test_every_drawn_record_stands_for_one():
    rng = np.random.default_rng(2)
    before = categories(x=rng.integers(0, 4, 1000), y=rng.integers(0, 3, 1000))
    after = categories(x=rng.integers(0, 4, 1000), y=rng.integers(0, 3, 1000))
    assert sorted(matched(before, after, ("x", "y"))) == list(range(1000))


def test_a_small_file_is_paired_as_well_as_can_be():
    """Against the assignment of ranks, all pairs at once."""
    rng = np.random.default_rng(3)
    before, after = (numbers(a=rng.permutation(40.0 * np.arange(40))) for _ in range(2))
    places = [np.argsort(np.argsort(table["a"])) for table in (before, after)]
    costs = np.abs(np.subtract.outer(*places))
    best = costs[linear_sum_assignment(costs)].sum()
    assert costs[np.arange(40), matched(before, after, ("a",))].sum() == best


def test_parts_of_a_large_file_are_nearly_as_good(monkeypatch):
    rng = np.random.default_rng(4)
    before, after = (numbers(a=rng.normal(size=400), b=rng.normal(size=400)) for _ in range(2))

    def apart():
        found = matched(before, after, ("a", "b"))
        return sum(np.abs(before[n] - after[n][found]).mean() for n in ("a", "b"))

    by_parts = apart()
    monkeypatch.setattr(baseline, "FEW", 1000)
    whole = apart()
    by_chance = sum(np.abs(before[n] - after[n]).mean() for n in ("a", "b"))
    assert whole <= by_parts + 1e-9
    assert by_parts - whole < 0.1 * (by_chance - whole)


def test_missing_numbers_lie_in_the_middle():
    before = numbers(a=[0.0, 1.0, 2.0, np.nan])
    after = numbers(a=[np.nan, 2.0, 0.0, 1.0])
    found = matched(before, after, ("a",))
    assert [after["a"][found][0], after["a"][found][2]] == pytest.approx([0.0, 2.0])
