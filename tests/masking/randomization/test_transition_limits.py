"""Limits of PRAM: forbidden transitions, bands along an order and along a hierarchy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from evomask.data.hierarchy import Hierarchy
from evomask.errors import ParameterError, SchemaError
from evomask.masking.catalogue import method_named
from evomask.masking.method import FileStatistics
from evomask.masking.randomization.formula_pram import FormulaPram
from evomask.masking.randomization.pram import (
    Design,
    Pram,
    category_frequencies,
    limit_matrix,
    normalize_rows,
)
from evomask.masking.randomization.transition_limits import (
    TransitionLimits,
    restrict_transitions,
)
from evomask.testing import check_method, example_table
from tests.tables import mixed

TABLE = mixed()
SCHOOL, REGION = TABLE.attribute("school"), TABLE.attribute("region")
TREE = Hierarchy(SCHOOL.categories, (SCHOOL.categories, ("low", "low", "high", "high"), ("*",) * 4))


@st.composite
def limited_matrices(draw):
    size = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    matrix = normalize_rows(rng.random((size, size)) * (rng.random((size, size)) < 0.8))
    permitted = rng.random((size, size)) < draw(st.floats(0, 1))
    np.fill_diagonal(permitted, val=True)
    frequencies = rng.integers(0, 20, size) + np.eye(size)[0]
    return matrix, permitted, frequencies


@given(limited_matrices(), st.booleans())
def test_rows_sum_to_one_and_forbidden_transitions_are_exactly_zero(case, invariant):
    matrix, permitted, frequencies = case
    limited = limit_matrix(matrix, permitted, frequencies, invariant=invariant)
    assert limited.sum(axis=1) == pytest.approx(1)
    assert limited.min() >= 0
    assert (limited[~permitted] == 0).all()


@given(limited_matrices())
def test_an_invariant_limited_matrix_preserves_expected_frequencies(case):
    matrix, permitted, frequencies = case
    limited = limit_matrix(matrix, permitted, frequencies, invariant=True)
    assert frequencies @ limited == pytest.approx(frequencies)


@given(limited_matrices())
def test_the_probability_of_change_is_preserved_where_a_change_is_permitted(case):
    matrix, permitted, _ = case
    limited = restrict_transitions(matrix, permitted)
    free = permitted.sum(axis=1) > 1
    assert np.diagonal(limited)[free] == pytest.approx(np.diagonal(matrix)[free])
    assert np.diagonal(limited)[~free] == pytest.approx(1)


@given(limited_matrices())
def test_the_ratios_of_permitted_transitions_are_those_of_the_design(case):
    matrix, permitted, _ = case
    limited = restrict_transitions(matrix, permitted)
    for row, (before, after) in enumerate(zip(matrix, limited, strict=True)):
        others = permitted[row] & (np.arange(len(matrix)) != row)
        if before[others].sum() > 0:
            shares = before[others] / before[others].sum()
            assert after[others] == pytest.approx(shares * (1 - before[row]))


def test_without_limits_the_matrix_is_the_same_object():
    matrix = np.full((4, 4), 0.25)
    assert restrict_transitions(matrix, np.ones((4, 4), dtype=bool)) is matrix


def test_a_limited_invariant_matrix_is_feasible_for_a_linear_program():
    # an invariant matrix with these zeros exists; the program changes at least as many records
    frequencies = np.array([50.0, 30, 15, 5])
    permitted = np.abs(np.subtract.outer(range(4), range(4))) <= 1
    ours = limit_matrix(np.full((4, 4), 0.25), permitted, frequencies, invariant=True)
    flows = frequencies[:, None] * ours
    margins = np.vstack([np.kron(np.eye(4), np.ones(4)), np.kron(np.ones(4), np.eye(4))])
    bounds = [(0, None if allowed else 0) for allowed in permitted.ravel()]
    best = linprog(np.eye(4).ravel(), A_eq=margins, b_eq=np.tile(frequencies, 2), bounds=bounds)
    assert margins @ flows.ravel() == pytest.approx(np.tile(frequencies, 2))
    assert best.fun <= np.trace(flows) < frequencies.sum()


def test_a_forbidden_transition_is_never_drawn():
    first, second, *_ = REGION.categories
    method = Pram(("region",), change=1.0, forbidden=(f"region:{first}->{second}",))
    rng = np.random.default_rng(3)
    held = TABLE.codes("region") == 0
    drawn = {int(c) for _ in range(200) for c in method.mask(TABLE, rng).codes("region")[held]}
    assert drawn == {2, 3}


def test_a_star_forbids_all_other_categories():
    first = REGION.categories[0]
    limits = TransitionLimits((f"region:{first}->*", f"region:*->{REGION.categories[2]}"))
    assert limits.permitted(REGION).astype(int).tolist() == [
        [1, 0, 0, 0], [1, 1, 0, 1], [1, 1, 1, 1], [1, 1, 0, 1],
    ]  # fmt: skip


def test_a_band_limits_ordinal_attributes_only():
    limits = TransitionLimits(band=1)
    assert limits.permitted(SCHOOL).sum() == 10
    assert limits.permitted(REGION).all()


def test_a_level_keeps_categories_below_their_ancestor():
    blocks = TransitionLimits(level=1, hierarchies={"school": TREE}).permitted(SCHOOL)
    assert blocks.astype(int).tolist() == np.kron(np.eye(2), np.ones((2, 2))).tolist()


@pytest.mark.parametrize("invariant", [False, True])
@pytest.mark.parametrize("design", Design)
def test_masked_values_have_the_ancestor_of_the_original_ones(design, invariant):
    method = Pram(("school",), design, 0.9, invariant, level=1, hierarchies={"school": TREE})
    masked = method.mask(TABLE, np.random.default_rng(1)).codes("school")
    ancestors = TREE.ancestors(1)
    assert (ancestors[masked] == ancestors[TABLE.codes("school")]).all()
    assert (masked != TABLE.codes("school")).any()


def test_a_formula_is_limited_too():
    first, second, *_ = REGION.categories
    free = FormulaPram(("region",), "freq_j")
    limited = FormulaPram(("region",), "freq_j", forbidden=(f"region:{first}->{second}",))
    row = limited.matrix(TABLE, "region")[0]
    assert row[1] == 0
    assert row[0] == pytest.approx(free.matrix(TABLE, "region")[0, 0])
    assert limited.matrix(TABLE, "region")[1:] == pytest.approx(free.matrix(TABLE, "region")[1:])


def test_a_fitted_method_has_the_matrix_of_the_whole_file():
    method = Pram(("school",), band=1, invariant=True)
    whole = FileStatistics({}, {"school": category_frequencies(TABLE, "school")})
    chunk = TABLE.take(np.arange(2))
    matrix = method.fitted(whole).matrix(chunk, "school")
    assert np.array_equal(matrix, method.matrix(TABLE, "school"))
    assert not np.array_equal(matrix, method.matrix(chunk, "school"))


def test_the_catalogue_reads_limits_from_text():
    texts = {"forbidden": "school:a->b,school:b->*", "band": "2"}
    method = method_named("pram").build(["school"], texts, {})
    assert method.forbidden == ("school:a->b", "school:b->*")
    assert method.band == 2


def test_a_limited_method_obeys_the_laws():
    table = example_table()
    first, second, *_ = table.attribute("region").categories
    check_method(Pram(("school", "region"), band=1, forbidden=(f"region:{first}->{second}",)))


def test_labels_may_hold_the_arrow():
    from evomask.data.schema import Attribute, Kind

    attribute = Attribute("pay", Kind.NOMINAL, categories=("<-", "->", ">50K"))
    limits = TransitionLimits(("pay:-> -> >50K", "pay:>50K-><-"))
    assert np.argwhere(~limits.permitted(attribute)).tolist() == [[1, 2], [2, 0]]


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"band": -1}, "band must be 0 .no limit. or more, got -1"),
        ({"level": -2}, "level must be 0 .no limit. or more, got -2"),
        ({"forbidden": ("school",)}, "forbidden must be written ATTRIBUTE:FROM->TO"),
        ({"forbidden": ("town:a->b",)}, "of none of the masked attributes school"),
        ({"forbidden": ("school:moon->*",)}, "of 'school' must name two of its categories"),
        ({"level": 3, "hierarchies": {"school": TREE}}, "between 0 and 2 for 'school', got 3"),
    ],
)
def test_an_invalid_limit_is_an_error(limits, sentence):
    with pytest.raises(ParameterError, match=sentence):
        Pram(("school",), **limits).mask(TABLE, np.random.default_rng(0))


def test_a_level_without_a_hierarchy_is_an_error():
    with pytest.raises(SchemaError, match="level 1 needs a hierarchy of 'school'; name one in"):
        Pram(("school",), level=1).mask(TABLE, np.random.default_rng(0))


def test_a_hierarchy_of_other_categories_is_an_error():
    other = Hierarchy(("x", "y"), (("x", "y"), ("*", "*")))
    method = Pram(("school",), level=1, hierarchies={"school": other})
    with pytest.raises(SchemaError, match="must have its 4 categories in the same order, got 2"):
        method.mask(TABLE, np.random.default_rng(0))
