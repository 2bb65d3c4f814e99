import pytest

from evomask.engine.front import Bounds, FrontPoint, within
from evomask.engine.offers import suggested
from evomask.errors import ParameterError
from evomask.masking.provenance import Provenance


def candidates(*rows):
    """Candidates with a loss, a risk and the errors of tables and models."""
    return [
        FrontPoint(
            i,
            Provenance(),
            loss,
            risk,
            errors={"table_error": table, "model_error": model},
            point=i + 1,
        )
        for i, (loss, risk, table, model) in enumerate(rows)
    ]


FRONT = candidates((5, 60, 2, 9), (12, 30, 6, 5), (25, 20, 3, 30), (50, 4, 40, 2))


def chosen(**limits):
    bounds = Bounds(**limits)
    return suggested(within(FRONT, bounds), bounds).number


def test_with_a_largest_risk_the_least_loss_is_suggested():
    assert chosen(risk=35) == 1


def test_with_a_largest_loss_the_least_risk_is_suggested():
    assert chosen(loss=30, release="secure") == 2


def test_with_both_the_smallest_larger_one_is_suggested():
    assert chosen(loss=30, risk=60) == 2


def test_with_largest_errors_alone_the_least_loss_within_the_limits_is_suggested():
    assert chosen(table_error=6, release="secure") == 1
    assert chosen(table_error=3, release="secure") == 2
    with pytest.raises(ParameterError, match="a table error of at most 3 % and the limits"):
        chosen(table_error=3, release="public")


def test_errors_and_risk_bound_together():
    assert chosen(risk=35, table_error=5) == 2


def test_a_reading_that_equals_its_bound_is_within_it():
    assert within(FRONT, Bounds(risk=4)) == (FRONT[3],)


def test_where_no_point_is_within_the_sentence_tells_how_near_the_best_comes():
    with pytest.raises(
        ParameterError,
        match=r"no point has a table error of at most 1 %; the nearest, point 1, "
        r"has a table error of 2\.00 %",
    ):
        within(FRONT, Bounds(table_error=1))


def test_the_nearest_is_that_whose_worst_reading_exceeds_least():
    with pytest.raises(ParameterError, match=r"the nearest, point 3, has a risk of 20\.00 % and"):
        within(FRONT, Bounds(risk=10, loss=10))


@pytest.mark.parametrize("limits", [{"risk": -1}, {"table_error": 101}, {"loss": float("nan")}])
def test_a_bound_outside_0_to_100_is_refused(limits):
    with pytest.raises(ParameterError, match="must lie in 0 to 100 percent"):
        Bounds(**limits)
