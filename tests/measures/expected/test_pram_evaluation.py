"""Loss and risk of PRAM matrices: expectations and common draws."""

import numpy as np
import pytest

from evomask.errors import ParameterError
from evomask.masking.randomization.pram import CommonDraws, normalize_rows
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.expected.expectation import PramEvaluation
from evomask.measures.papers.categorical_loss import BivariateLoss
from evomask.measures.profiles import PROFILES, PapersLoss, PapersRisk
from tests.measures.files import categories

NAMES = ("a", "b")
RNG = np.random.default_rng(3)
TABLE = categories(
    ordinal=True, a=RNG.integers(0, 4, 50).tolist(), b=RNG.integers(0, 3, 50).tolist()
)
MATRICES = {"a": normalize_rows(RNG.random((4, 4))), "b": normalize_rows(RNG.random((3, 3)))}
DRAW = CommonDraws(TABLE, NAMES, lambda number: np.random.default_rng([1, 2, number])).masked


def randomized(profile, draws=5, *, probabilistic=False):
    measures = PROFILES[profile].measures(NAMES, probabilistic=probabilistic)
    return PramEvaluation.of(TABLE, measures, DRAW, draws)


def test_papers_measures_are_expectations():
    expected = (
        PapersLoss(NAMES).against(TABLE).expected(MATRICES),
        PapersRisk(NAMES, probabilistic=False).against(TABLE).expected(MATRICES),
    )
    assert randomized("papers")(MATRICES) == expected


@pytest.mark.parametrize(("profile", "probabilistic"), [("strict", False), ("papers", True)])
def test_what_has_no_expectation_is_the_mean_of_common_draws(profile, probabilistic):
    kind = DisclosureRisk if profile == "strict" else PapersRisk
    reading = kind(NAMES, probabilistic).against(TABLE)
    mean = np.mean([reading(DRAW(MATRICES, r)) for r in range(3)])
    found = randomized(profile, 3, probabilistic=probabilistic)(MATRICES)
    assert found[1] == pytest.approx(mean)


def test_draws_can_be_forced_where_there_are_expectations():
    measures = PROFILES["papers"].measures(NAMES, probabilistic=False)
    forced = PramEvaluation.of(TABLE, measures, DRAW, 5, by_draws=True)(MATRICES)
    for found, measure in zip(forced, measures, strict=True):
        reading = measure.against(TABLE)
        assert found == pytest.approx(np.mean([reading(DRAW(MATRICES, r)) for r in range(5)]))
    assert forced != randomized("papers")(MATRICES)


def test_a_released_draw_has_its_own_reading_and_the_expected_beside():
    measured = randomized("papers")
    told = measured.released(MATRICES, 4)
    assert told["loss"] == PapersLoss(NAMES).against(TABLE)(DRAW(MATRICES, 4))
    assert (told["expected_loss"], told["expected_risk"]) == measured(MATRICES)


def test_bivariate_counts_are_compared_cell_by_cell():
    masked = DRAW({"a": MATRICES["a"]}, 0)
    moved = 0
    for a in range(4):
        for b in range(3):
            before = np.sum((TABLE["a"] == a) & (TABLE["b"] == b))
            moved += abs(before - np.sum((masked["a"] == a) & (masked["b"] == b)))
    assert BivariateLoss(NAMES).against(TABLE)(masked) == pytest.approx(100 * moved / (2 * 50))


def test_expected_bivariate_counts_are_the_mean_of_draws():
    reading = BivariateLoss(NAMES).against(TABLE)
    only = {"a": MATRICES["a"]}
    values = [reading(DRAW(only, r)) for r in range(400)]
    error = np.std(values) / 20
    assert reading.expected(only) == pytest.approx(np.mean(values), abs=5 * error)


def test_bivariate_counts_need_two_attributes():
    with pytest.raises(ParameterError, match="another, different one"):
        BivariateLoss(("a",))


def test_bivariate_counts_of_several_attributes_are_the_mean():
    table = categories(a=[0, 1, 2, 0], b=[0, 1, 1, 0], c=[1, 0, 1, 0])
    masked = table.with_columns({"a": np.array([1, 1, 2, 0]), "b": np.array([0, 0, 0, 0])})
    both = BivariateLoss(("a", "b", "c")).against(table)(masked)
    each = [BivariateLoss((name, "c")).against(table)(masked) for name in "ab"]
    assert both == pytest.approx(np.mean(each))


def test_no_draws_are_refused():
    with pytest.raises(ParameterError, match="draws must be at least 1"):
        randomized("strict", 0)
