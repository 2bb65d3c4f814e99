from itertools import chain, combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.classes import classes_of_columns
from evomask.data.frames import Declaration, polars_from
from evomask.data.recoding import SUPPRESSED
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.io.tables import read_table
from evomask.masking import local_suppression
from evomask.masking.local_suppression import (
    Keys,
    LocalSuppression,
    SuppressionMatching,
    category_cells,
    covering_cells,
    fewest_cells,
    patterns_by_size,
    wildcard_cells,
)
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.measures.disclosure.privacy_models import k_anonymity
from tests.oracles.anonymity import pycanon_answers
from tests.tables import mixed

RNG = np.random.default_rng(0)
KEYS = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")


def pairs(rows, cells, alike):
    """Number of records that match each record, by comparing cells."""
    shown = list(zip(rows.tolist(), cells.tolist(), strict=True))
    return [
        sum(all(map(alike, a, hidden_a, b, hidden_b)) for b, hidden_b in shown)
        for a, hidden_a in shown
    ]


def wildcard(rows, cells):
    return min(pairs(rows, cells, lambda a, ha, b, hb: a == b or ha or hb))


def category(rows, cells):
    return min(pairs(rows, cells, lambda a, ha, b, hb: ha == hb and (ha or a == b)))


def covered(rows, cells):
    return min(pairs(rows, cells, lambda a, ha, b, hb: a == b or ha))


MEANINGS = {"wildcard": wildcard, "category": category, "covering": covered}
WAYS = {"wildcard": wildcard_cells, "category": category_cells, "covering": covering_cells}


def random_rows(seed, n=14, width=3):
    return np.random.default_rng(seed).integers(0, 3, (n, width)).astype(np.int32)


def brute_force(rows, k, meaning):
    """The fewest cells, by trying all sets of cells from the smallest up."""
    places = list(product(range(len(rows)), range(rows.shape[1])))
    for chosen in chain.from_iterable(combinations(places, c) for c in range(len(places) + 1)):
        cells = np.zeros(rows.shape, dtype=bool)
        for place in chosen:
            cells[place] = True
        if meaning(rows, cells) >= k:
            return len(chosen)
    return None


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("k", [2, 3, 5])
def test_every_record_matches_k_records(way, seed, k):
    rows = random_rows(seed)
    assert MEANINGS[way](rows, WAYS[way](rows, k)) >= k


@pytest.mark.parametrize("seed", range(8))
def test_what_is_covering_is_wildcard_too(seed):
    rows = random_rows(seed)
    assert wildcard(rows, covering_cells(rows, 4)) >= 4


@pytest.mark.parametrize("way", WAYS)
def test_a_k_anonymous_file_is_unchanged(way):
    rows = np.repeat(random_rows(0), 3, axis=0)
    assert not WAYS[way](rows, 3).any()


@pytest.mark.parametrize("way", WAYS)
def test_all_records_different_in_every_cell(way):
    rows = np.tile(np.arange(6, dtype=np.int32)[:, None], (1, 2))
    assert MEANINGS[way](rows, WAYS[way](rows, 6)) == 6


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [2, 3])
def test_covering_is_exact(seed, k):
    rows = random_rows(seed, n=7)
    fewest = 0
    for i in range(len(rows)):
        options = [
            sum(hidden)
            for hidden in product([False, True], repeat=3)
            if sum(all(h or a == b for a, b, h in zip(rows[i], other, hidden, strict=True))
                   for other in rows) >= k
        ]  # fmt: skip
        fewest += min(options)
    assert covering_cells(rows, k).sum() == fewest


def test_covering_without_trying_all_patterns_still_covers(monkeypatch):
    monkeypatch.setattr(local_suppression, "MAX_COVERING_PATTERNS", 0)
    rows = random_rows(3)
    assert covered(rows, covering_cells(rows, 4)) >= 4


@pytest.mark.parametrize("way", ["wildcard", "category"])
@pytest.mark.parametrize("seed", range(4))
def test_the_program_finds_the_fewest(way, seed):
    rows = random_rows(seed, n=4)
    exact = fewest_cells(rows, 2, wildcard=way == "wildcard")
    assert MEANINGS[way](rows, exact) >= 2
    assert exact.sum() == brute_force(rows, 2, MEANINGS[way])


def education():
    """Six men by education, where sdcMicro makes three suppressions and one is enough."""
    role = Role.QUASI_IDENTIFIER
    schema = Schema(
        (
            Attribute("gender", Kind.NOMINAL, role, ("male",)),
            Attribute("education", Kind.ORDINAL, role, ("none", "primary", "secondary")),
        )
    )
    return Table(schema, {"gender": np.zeros(6), "education": np.array([0, 1, 1, 1, 2, 2])})


def suppressed_cells(masked, names):
    return sum(polars_from(masked)[name].to_list().count(SUPPRESSED) for name in names)


@pytest.mark.parametrize(
    ("matching", "count"),
    [
        (SuppressionMatching.WILDCARD, 1),
        (SuppressionMatching.COVERING, 3),
        (SuppressionMatching.CATEGORY, 3),
    ],
)
def test_the_6_by_2_example_needs_one_cell_with_wildcards(matching, count):
    names = ("gender", "education")
    masked = LocalSuppression(names, 3, matching).mask(education(), RNG)
    assert suppressed_cells(masked, names) == count


@pytest.fixture(scope="module")
def testdata(reference):
    kinds = {key: Declaration(Kind.NOMINAL) for key in KEYS}
    return read_table(reference("sdcmicro/testdata.csv"), kinds).only(KEYS)


def counts_with_wildcards(table):
    """Matches of every record, by comparing all pairs of cells."""
    alike = np.ones((len(table), len(table)), dtype=bool)
    for name in table.schema.names:
        codes = table[name]
        hidden = codes == len(table.recodings[name].labels) - 1
        alike &= (codes[:, None] == codes) | hidden[:, None] | hidden
    return alike.sum(axis=1)


@pytest.mark.parametrize(
    ("k", "matching", "most"),
    [
        (3, SuppressionMatching.COVERING, 283),
        (5, SuppressionMatching.COVERING, 461),
        (3, SuppressionMatching.WILDCARD, 14),
        (5, SuppressionMatching.WILDCARD, 28),
    ],
)
def test_testdata_needs_fewer_cells_than_sdcmicro(testdata, k, matching, most):
    masked = LocalSuppression(KEYS, k, matching).mask(testdata, RNG)
    assert counts_with_wildcards(masked).min() >= k
    assert suppressed_cells(masked, KEYS) <= most < {3: 293, 5: 500}[k]


@pytest.mark.parametrize(("k", "fewest", "most"), [(2, 187, 203), (3, 358, 381), (5, 649, 706)])
def test_testdata_is_k_anonymous_by_default_for_few_cells(testdata, k, fewest, most):
    """An integer program needed 1, 14 and 36 seconds to find and prove the fewest cells."""
    masked = LocalSuppression(KEYS, k).mask(testdata, RNG)
    assert k_anonymity(masked, KEYS) >= k
    assert fewest <= suppressed_cells(masked, KEYS) <= most


def test_pycanon_agrees_that_no_class_is_smaller_than_k(testdata):
    tables = [LocalSuppression(KEYS, k).mask(testdata, RNG) for k in (2, 5)]
    assert [found["k"] for found in pycanon_answers(tables, KEYS)] >= [2, 5]


@st.composite
def files_and_k(draw):
    n, width = draw(st.integers(2, 25)), draw(st.integers(1, 5))
    values = st.lists(st.integers(0, draw(st.integers(1, 4))), min_size=width, max_size=width)
    rows = draw(st.lists(values, min_size=n, max_size=n))
    return np.array(rows, dtype=np.int32), draw(st.integers(2, n))


@given(files_and_k(), st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=5, max_size=5))
def test_any_file_is_k_anonymous_whatever_cells_are_worth(file, costs):
    rows, k = file
    cells = category_cells(rows, k, np.array(costs[: rows.shape[1]]))
    assert category(rows, cells) >= k


@given(files_and_k())
def test_every_record_at_risk_loses_a_cell_and_a_k_anonymous_file_none(file):
    rows, k = file
    sizes = classes_of_columns(list(rows.T), len(rows)).sizes_of_records
    cells = category_cells(rows, k)
    assert cells[sizes < k].any(axis=1).all()
    assert cells.any() == (sizes < k).any()


@given(files_and_k(), st.integers(0, 4))
def test_rows_agree_if_keys_overflow(file, dropped):
    rows, _ = file
    wide, places = np.hstack([rows] * 3) * np.int32(2**29 // 4), np.arange(len(rows))
    others = [rows[:, j] for j in range(rows.shape[1]) if j != dropped]
    gone = tuple(j for j in range(wide.shape[1]) if j % rows.shape[1] == dropped)
    expected = classes_of_columns(others, len(rows)).labels
    found = Keys.of(wide).without(gone, places)
    assert np.array_equal(found[:, None] == found, expected[:, None] == expected)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [2, 3])
def test_by_category_few_more_cells_are_suppressed_than_needed(seed, k):
    rows = random_rows(seed, n=7)
    exact = fewest_cells(rows, k, wildcard=False)
    assert category_cells(rows, k).sum() <= exact.sum() + 4


def test_too_many_patterns_leave_a_chain_of_larger_ones(monkeypatch):
    monkeypatch.setattr(local_suppression, "MAX_PATTERNS", 10)
    rows = random_rows(4, n=40, width=5)
    sizes = [len(some) for some in patterns_by_size(rows, np.ones(5))]
    assert sizes == [5, 1, 1, 1, 1]
    assert category(rows, category_cells(rows, 6)) >= 6


def test_important_attributes_lose_fewer_cells(testdata):
    def lost(importance):
        masked = LocalSuppression(KEYS, 5, importance=importance).mask(testdata, RNG)
        assert k_anonymity(masked, KEYS) >= 5
        return suppressed_cells(masked, ["relat"])

    assert lost((1, 1, 1, 1, 1, 20, 1)) < lost((1,) * 7) / 4


@pytest.mark.parametrize(
    ("importance", "matching", "sentence"),
    [
        ((1.0,), "category", "importance must name a positive number for each of a, b, got 1"),
        ((1.0, -2.0), "category", "positive number for each of a, b, got 1, -2"),
        ((1.0, 2.0), "wildcard", "importance needs the matching category, and it is wildcard"),
    ],
)
def test_an_invalid_importance_is_an_error(importance, matching, sentence):
    with pytest.raises(ParameterError, match=sentence):
        LocalSuppression(("a", "b"), 3, SuppressionMatching(matching), importance)


@pytest.mark.parametrize("importance", [(), (1.0, 2.0, 3.0, 1.0, 1.0, 1.0)])
def test_a_hundred_thousand_records_are_k_anonymous(importance):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(100_000, 1)) * 0.6 + rng.normal(size=(100_000, 6)) * 1.2
    rows = np.clip(np.round(rows + 2.5), 0, 7).astype(np.int32)
    cells = category_cells(rows, 5, np.array(importance) if importance else None)
    released = np.where(cells, -1, rows) + 1
    assert classes_of_columns(list(released.T), len(rows)).sizes.min() >= 5


def test_shown_cells_keep_their_value():
    masked = LocalSuppression(("school", "region"), 8).mask(mixed(), RNG)
    for name in ("school", "region"):
        shown = masked[name] < len(mixed().attribute(name).categories)
        assert masked[name][shown].tolist() == mixed()[name][shown].tolist()


@pytest.mark.parametrize("matching", SuppressionMatching)
def test_intervals_and_sets_can_be_suppressed_too(matching):
    names = ("age", "school")
    coarse = Mondrian(("age",), 8).mask(mixed(), RNG)
    coarse = Mondrian(("school",), 20).mask(coarse, RNG)
    masked = LocalSuppression(names, 12, matching).mask(coarse, RNG)
    cells = np.column_stack([masked[n] == len(coarse.recodings[n].labels) for n in names])
    rows = np.column_stack([coarse[name] for name in names])
    assert MEANINGS[matching](rows, cells) >= 12
    assert classes_of_columns(list(rows.T), len(rows)).sizes.min() < 12


def test_numbers_are_refused():
    with pytest.raises(SchemaError, match="categories are needed, and 'age' is continuous"):
        LocalSuppression(("age",)).mask(mixed(), RNG)


def test_more_than_all_records_are_refused():
    with pytest.raises(ParameterError, match="k must not exceed the number of records"):
        LocalSuppression(("school",), 61).mask(mixed(), RNG)
