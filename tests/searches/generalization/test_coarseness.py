"""How exact a level of a hierarchy is, read from its labels."""

import pytest

from evomask.data.hierarchy import hierarchy_from_lines
from evomask.searches.generalization.problem import coarseness

AGES = hierarchy_from_lines(
    [(str(age), f"{age // 10 * 10}-{age // 10 * 10 + 9}", "*") for age in range(20, 60)]
)
ARX = hierarchy_from_lines([(str(a), f"[{a // 20 * 20}, {a // 20 * 20 + 20}[") for a in range(80)])
CODES = hierarchy_from_lines([("0812", "08**"), ("0843", "08**"), ("1720", "17**")])
PLATES = hierarchy_from_lines([("AB1", "A*"), ("AC2", "A*"), ("BC1", "B*")])
JOBS = hierarchy_from_lines([("cook", "manual"), ("cleaner", "manual"), ("clerk", "office")])
ODD = hierarchy_from_lines([("1", "0-17"), ("20", "18-64"), ("70", "65-99")])
OPEN = hierarchy_from_lines([("1", "0-9"), ("12", "10-19"), ("23", "20-29"), ("70", "30 and more")])


@pytest.mark.parametrize(
    ("tree", "level", "found"),
    [
        (AGES, 0, {"level": 0, "labels": 40}),
        (AGES, 1, {"level": 1, "labels": 4, "bands": 4, "width": 10.0}),
        (AGES, 2, {"level": 2, "labels": 1}),
        (ARX, 1, {"level": 1, "labels": 4, "bands": 4, "width": 20.0}),
        (CODES, 1, {"level": 1, "labels": 2, "digits": 2}),
        (PLATES, 1, {"level": 1, "labels": 2, "characters": 1}),
        (JOBS, 1, {"level": 1, "labels": 2}),
        (ODD, 1, {"level": 1, "labels": 3, "bands": 3}),
        (OPEN, 1, {"level": 1, "labels": 4, "bands": 4, "width": 10.0}),
    ],
)
def test_a_level_is_known_by_what_its_labels_leave(tree, level, found):
    assert coarseness(tree, level) == found


def test_missing_values_are_no_label():
    tree = hierarchy_from_lines([("a", "*"), ("b", "*"), ("", "")])
    assert coarseness(tree, 1) == {"level": 1, "labels": 1}
