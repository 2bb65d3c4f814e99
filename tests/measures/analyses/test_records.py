"""A masked file as plain records: each cell as the values that it covers."""

from itertools import product

import numpy as np
import pytest

from evomask.measures.analyses import records
from evomask.measures.analyses.records import OriginalFile
from tests.measures.analyses.people import people
from tests.measures.files import generalized, suppressed


def plain_records(original, masked, names):
    """Some attributes of a masked file, with each cell as the values that it covers."""
    return OriginalFile(original).against(masked).records(names)


def table_of(records, names):
    """Weights by combination of values."""
    found = {}
    for *values, weight in zip(*(records.columns[n] for n in names), records.weight, strict=True):
        key = tuple(float(value) for value in values)
        found[key] = found.get(key, 0.0) + weight
    return found


def by_hand(original, masked, names):
    """Slow reference: each record spread over all combinations that its cells cover."""
    found = {}
    for record in range(len(original)):
        parts = []
        for name in names:
            attribute, column = original.attribute(name), original[name]
            if not masked.is_recoded(name):
                covered = np.array([masked[name][record]])
            elif attribute.is_categorical:
                row = masked.recoding(name).leaves[masked[name][record]]
                covered = column[row[column]]
            else:
                low, high = (end[record] for end in masked.ends(name))
                covered = column[(column >= low) & (column <= high)]
            values, counts = np.unique(covered, return_counts=True)
            parts.append(list(zip(values, counts / counts.sum(), strict=True)))
        for combination in product(*parts):
            key = tuple(float(value) for value, _ in combination)
            found[key] = found.get(key, 0.0) + np.prod([share for _, share in combination])
    return found


def test_the_original_is_its_own_records():
    table = people(50)
    found = plain_records(table, table, ("school", "sex"))
    counts = np.zeros((4, 2))
    np.add.at(counts, (table["school"], table["sex"]), 1)
    expected = {(float(i), float(j)): counts[i, j] for i in range(4) for j in range(2)}
    assert table_of(found, ("school", "sex")) == {k: v for k, v in expected.items() if v}


@pytest.mark.parametrize("mask", [generalized, suppressed])
def test_cells_are_spread_over_what_they_cover_by_its_frequency(mask):
    table, names = people(40), ("school", "sex", "age")
    masked = mask(table, ("school", "age"))
    found, expected = (
        table_of(plain_records(table, masked, names), names),
        by_hand(table, masked, names),
    )
    assert found.keys() == expected.keys()
    assert [found[key] for key in expected] == pytest.approx(list(expected.values()))


def test_too_many_combinations_are_met_evenly(monkeypatch):
    table, names = people(500), ("school", "sex", "age", "hours")
    masked = suppressed(table, names)
    monkeypatch.setattr(records, "MAX_PIECES", 1 << 12)
    found = plain_records(table, masked, names)
    assert len(found.count) == 1 << 12
    assert found.count.sum() == pytest.approx(500)
    for name in ("age", "hours"):
        mean = np.average(found.columns[name], weights=found.weight)
        assert abs(mean - table[name].mean()) < 0.01 * table[name].std()
    joint = np.corrcoef([found.columns[name] for name in names])
    assert np.abs(joint - np.eye(4)).max() < 0.02


def test_a_suppressed_record_may_be_anybody():
    table = people(100)
    first = np.arange(100) == 0
    found = plain_records(table, table.suppressing(first), ("school",))
    shares = np.bincount(table["school"], minlength=4) / 100
    rest = np.bincount(table["school"][1:], minlength=4)
    weights = np.bincount(found.columns["school"], found.weight, 4)
    assert weights == pytest.approx(rest + shares)


def test_weights_are_those_of_the_survey():
    table = people(60, weighted=True)
    found = plain_records(table, table, ("sex",))
    expected = np.bincount(table["sex"], table["weight"])
    assert np.bincount(found.columns["sex"], found.weight) == pytest.approx(expected)
    weights = table["weight"]
    assert found.effective == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
