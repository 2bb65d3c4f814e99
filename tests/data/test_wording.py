import pytest

from evomask.data.hierarchy import of_lines
from evomask.data.wording import extremes, level_in_words, levels_in_words, listed, percent

AGES = of_lines(
    [(str(age), f"{age // 10 * 10}-{age // 10 * 10 + 9}", "*") for age in range(20, 60)]
)
ARX = of_lines([(str(a), f"[{a // 20 * 20}, {a // 20 * 20 + 20}[") for a in range(80)])
CODES = of_lines([("0812", "08**"), ("0843", "08**"), ("1720", "17**")])
PLATES = of_lines([("AB1", "A*"), ("AC2", "A*"), ("BC1", "B*")])
JOBS = of_lines([("cook", "manual"), ("cleaner", "manual"), ("clerk", "office")])
ODD = of_lines([("1", "0-17"), ("20", "18-64"), ("70", "65-99")])
OPEN = of_lines([("1", "0-9"), ("12", "10-19"), ("23", "20-29"), ("70", "30 and more")])


@pytest.mark.parametrize(
    ("tree", "level", "words"),
    [
        (AGES, 0, "as it is"),
        (AGES, 1, "to bands of 10"),
        (AGES, 2, "withheld"),
        (ARX, 1, "to bands of 20"),
        (CODES, 1, "to 2 digits"),
        (PLATES, 1, "to 1 character"),
        (JOBS, 1, "to 2 groups"),
        (ODD, 1, "to 3 bands"),
        (OPEN, 1, "to bands of 10"),
    ],
)
def test_a_level_is_told_by_what_its_labels_leave(tree, level, words):
    assert level_in_words(tree, level) == words


def test_missing_values_are_no_group():
    tree = of_lines([("a", "*"), ("b", "*"), ("", "")])
    assert level_in_words(tree, 1) == "withheld"


def test_attributes_left_alone_are_not_mentioned():
    trees = {"age": AGES, "zip": CODES, "job": JOBS}
    assert levels_in_words(trees, (2, 1, 0)) == "zip to 2 digits, withheld: age"
    assert levels_in_words(trees, (0, 0, 0)) == "none, values as they are"


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ("", ""),
        ("a", "a"),
        ("ab", "a and b"),
        ("abc", "a, b and c"),
        ("abcde", "a, b, c and 2 more"),
    ],
)
def test_long_lists_are_cut(names, text):
    assert listed(list(names), 3) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (0.004, "under 1 %"), (0.5, "50 %"), (0.995, "over 99 %"), (1.0, "100 %")],
)
def test_only_none_and_all_look_so(share, text):
    assert percent(share) == text


def test_extremes_are_named_where_they_differ():
    assert extremes({"a": 0.2, "b": 0.7, "c": 0.5}) == " (b 70 %, a 20 %)"
    assert extremes({"a": 0.501, "b": 0.502}) == ""
