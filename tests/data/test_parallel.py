import pytest

from evomask.data.parallel import MOST_PATHS, OTHERS, balanced, parallel_chart

POINTS = [(1.0, 90.0, 5.0), (40.0, 30.0, 20.0), (90.0, 2.0, 50.0)]
NAMES = ("risk", "loss", "table a x b")


def test_every_point_is_a_path_over_all_objectives():
    chart = parallel_chart("uses", "Uses", NAMES, POINTS, {"chosen": 1})
    others, chosen = chart.series
    assert (others.name, chosen.name) == (OTHERS, "chosen")
    assert others.y == (1.0, 90.0, 5.0, 90.0, 2.0, 50.0)
    assert chosen.y == POINTS[1]
    assert chart.x.categories == NAMES


def test_the_reading_tells_the_ends_of_every_objective():
    chart = parallel_chart("uses", "Uses", NAMES, POINTS, {})
    assert "risk 1.0 to 90.0" in chart.reading
    assert "table a x b 5.0 to 50.0" in chart.reading


def test_of_very_many_points_so_many_are_drawn_with_both_ends():
    points = [(float(i), float(-i)) for i in range(1000)]
    (series,) = parallel_chart("uses", "Uses", ("a", "b"), points, {}).series
    assert len(series.x) == 2 * MOST_PATHS
    assert {0.0, 999.0} <= set(series.y)


def test_the_balanced_point_has_the_best_worst_objective():
    assert balanced(POINTS) == 1


@pytest.mark.parametrize("shown", [{}, {"chosen": 0}])
def test_a_single_point_is_drawn(shown):
    assert parallel_chart("uses", "Uses", ("a",), [(3.0,)], shown).series
