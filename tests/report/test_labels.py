import re

import pytest

from evomask.data.chart import Axis, Chart, Series
from evomask.report.drawing import COLOURS, DASHES, HATCHES, SHAPES, Box, best_place, svg

HERE = Box(0, 0, 10, 5)
NEXT = Box(10, 0, 10, 5)
ACROSS = Box(5, 2, 10, 5)


@pytest.mark.parametrize(("other", "meets"), [(HERE, True), (NEXT, False), (ACROSS, True)])
def test_boxes_that_only_touch_do_not_meet(other, meets):
    assert HERE.meets(other) == meets
    assert other.meets(HERE) == meets


def test_a_name_goes_where_no_other_name_is():
    assert best_place([HERE, NEXT], [Box(1, 1, 2, 2)], []) == NEXT


def test_among_places_without_a_name_the_one_on_fewest_points_is_taken():
    assert best_place([HERE, NEXT], [], [Box(1, 1, 2, 2)]) == NEXT


def test_rather_on_points_than_on_a_name():
    assert best_place([HERE, NEXT], [Box(11, 1, 2, 2)], [Box(1, 1, 2, 2)] * 3) == HERE


def named(points):
    xs, ys = zip(*points, strict=True)
    series = Series("some", "points", xs, ys, labels=tuple(f"name{i}" for i in range(len(xs))))
    return Chart("c", "t", "r", Axis("x"), Axis("y"), (series,))


def places(chart):
    """Where the names of points are written in a drawing."""
    found = re.findall(r'<text[^>]* x="([\d.]+)" y="([\d.]+)"[^>]*>name', svg(chart).decode())
    return [(float(x), float(y)) for x, y in found]


def test_names_of_points_that_lie_together_are_apart():
    chart = named([(50.0, 50.0), (50.2, 50.1), (50.1, 49.9), (0.0, 0.0), (100.0, 100.0)])
    found = places(chart)
    assert len(found) == 5
    near = [
        (one, other)
        for i, one in enumerate(found)
        for other in found[:i]
        if abs(one[0] - other[0]) < 15 and abs(one[1] - other[1]) < 7
    ]
    assert near == []


def test_a_name_too_long_for_the_picture_is_cut():
    series = Series("some", "points", (1.0,), (1.0,), labels=("name" * 60,))
    drawing = svg(Chart("c", "t", "r", Axis("x"), Axis("y"), (series,))).decode()
    assert "name" * 6 in drawing
    assert "name" * 8 not in drawing


@pytest.mark.parametrize("other", [SHAPES, DASHES, HATCHES])
def test_colour_and_shape_together_do_not_repeat_soon(other):
    pairs = [(COLOURS[i % len(COLOURS)], other[i % len(other)]) for i in range(40)]
    assert len(set(pairs)) == 40
