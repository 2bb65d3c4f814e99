import json

import pytest

from evomask.data.chart import (
    MOST_PATHS,
    OTHERS,
    Axis,
    Chart,
    HeatMap,
    Line,
    Series,
    minimax_point,
    parallel_chart,
)
from evomask.errors import ParameterError

LOSS, RISK = Axis("information loss (percent)"), Axis("disclosure risk (percent)")


def chart_of(*series, x=LOSS, y=RISK, **fields):
    return Chart("front", "Front", "Risk falls as loss grows.", x, y, series, **fields)


def heat_chart(rows, down=("2", "3"), across=("a", "b")):
    heat = HeatMap("score", rows)
    return Chart("heat", "Heat", "It is hot.", Axis("c", across), Axis("k", down), heat=heat)


def test_a_chart_becomes_json_and_back_the_same_values():
    chart = chart_of(Series("ours", "points", (1.0, 2.0), (4.0, 3.0), labels=("A", "B")))
    assert json.loads(json.dumps(chart.as_json()))["series"][0]["y"] == [4.0, 3.0]


def test_a_chart_reads_as_a_table():
    chart = chart_of(Series("ours", "line", (1.0, 2.0), (4.0, 3.0)))
    assert chart.rows == (("ours", 1.0, 4.0), ("ours", 2.0, 3.0))


def test_categories_stand_in_the_table_by_name():
    chart = chart_of(Series("ours", "bars", (0, 1), (4.0, 3.0)), x=Axis("method", ("pram", "mdav")))
    assert chart.rows == (("ours", "pram", 4.0), ("ours", "mdav", 3.0))


def test_a_heat_map_reads_as_a_table():
    assert heat_chart(((1.0, None), (3.0, 4.0))).rows == (
        ("2", "a", 1.0),
        ("2", "b", None),
        ("3", "a", 3.0),
        ("3", "b", 4.0),
    )


def test_positions_and_values_must_be_equally_many():
    with pytest.raises(ParameterError, match="2 positions for 1 values"):
        Series("ours", "line", (1.0, 2.0), (4.0,))


def test_an_unknown_mark_is_refused():
    with pytest.raises(ParameterError, match="'pie'"):
        Series("ours", "pie", (1.0,), (1.0,))


def test_a_range_needs_both_ends():
    with pytest.raises(ParameterError, match="low and high together"):
        Series("ours", "line", (1.0,), (1.0,), low=(0.5,))


def test_labels_are_as_many_as_values():
    with pytest.raises(ParameterError, match="as many labels"):
        Series("ours", "points", (1.0,), (1.0,), labels=("A", "B"))


def test_a_chart_without_a_reading_is_refused():
    with pytest.raises(ParameterError, match="sentence"):
        Chart("front", "Front", " ", LOSS, RISK, (Series("ours", "line", (), ()),))


def test_a_chart_without_values_is_refused():
    with pytest.raises(ParameterError, match="either series or a heat map"):
        chart_of()


def test_a_heat_map_fits_its_axes():
    with pytest.raises(ParameterError, match="2 rows of 2 values"):
        heat_chart(((1.0, 2.0),))


def test_the_rows_of_a_heat_map_are_equally_long():
    with pytest.raises(ParameterError, match="equally long"):
        HeatMap("score", ((1.0,), (1.0, 2.0)))


def test_a_line_stands_at_one_x_or_one_y():
    with pytest.raises(ParameterError, match="either x or y"):
        Line("limit", x=1.0, y=2.0)


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
    assert minimax_point(POINTS) == 1


@pytest.mark.parametrize("shown", [{}, {"chosen": 0}])
def test_a_single_point_is_drawn(shown):
    assert parallel_chart("uses", "Uses", ("a",), [(3.0,)], shown).series
