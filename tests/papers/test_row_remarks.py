"""Remarks that are computed from the rows of a reproduction."""

import re

import pytest

from evomask_papers.catalogue import reproduce
from evomask_papers.remarks import REMARKS, remark_on
from evomask_papers.row_remarks import WORKED, is_printed, remark_from


@pytest.mark.parametrize(
    ("printed", "ours", "same"),
    [
        (0.714, 0.7142857, True),
        (0.714, 0.7146, False),
        (5, 5.4, True),
        (5, 6, False),
        (1.33e-11, 1.3297e-11, True),
        (1.33e-11, 1.3397e-11, False),
        ([1, 2.5], [1.0, 2.54], True),
        ([1, 2.5], [1.0], False),
        ("0110", "0110", True),
        ("0110", "0111", False),
        (True, False, False),
    ],
)
def test_a_value_is_the_printed_one_when_it_rounds_to_it(printed, ours, same):
    assert is_printed(printed, ours) is same


def test_the_first_worked_example_that_differs_is_noticed():
    rows = [{"what": "a", "paper": 0.5, "ours": 0.5}, {"what": "b", "paper": 0.5, "ours": 0.6}]
    assert remark_from("graphs-figure-6.6", rows[:1]) == "Nothing differs."
    assert remark_from("graphs-figure-6.6", rows) == "1 of 2 values differs."


@pytest.mark.parametrize("name", [n for n in WORKED if n != "grouping-table-2.1"])
def test_worked_examples_have_the_printed_values(name):
    assert remark_on(name, reproduce(name).rows).endswith("Nothing differs.")


def test_an_error_in_print_is_counted():
    # 1.5 where the mean of 2 and 3 is 2.5; a printed list is one value
    assert remark_on("grouping-table-2.1", reproduce("grouping-table-2.1").rows).endswith(
        "1 of 2 values differs."
    )


def test_counts_that_differ_are_named_by_how_much():
    rows = [
        {"attribute": name, "paper": paper, "ours": 5}
        for name, paper in (("A", 5), ("B", 6), ("C", 7), ("D", 6), ("E", 4))
    ]
    told = remark_from("data-table-2.3", rows)
    assert told.startswith("1 of 5 attributes agree")
    assert told.endswith("1 more of B, D; 1 fewer of E; 2 more of C.")


def reading(risk, first, fall):
    return {
        "loss": "probabilistic", "risk": risk,
        "Census fall paper": 50.0, "Census fall ours": fall,
        "Census best paper": 10.0, "Census best ours": first * (1 - fall / 100),
    }  # fmt: skip


def test_the_reading_with_the_nearest_first_scores_is_found():
    told = remark_from("files-readings", [reading("ranks", 30.0, 5.0), reading("shares", 21.0, 2)])
    assert "the risk of shares: Census 21.00 (20.00); they fall by 2 to 2 percent" in told


def matrix(name, utility, risk, ours):
    return {
        "matrix": name, "utility paper": utility, "utility ours": ours[0],
        "risk paper": risk, "risk ours": ours[1],
    }  # fmt: skip


def test_risks_and_the_order_of_utilities_are_read_from_the_rows():
    rows = [matrix("initial", 8.99, 1.78, (8.73, 1.784)), matrix("other", 6.41, 2.83, (9.0, 3.1))]
    assert remark_from("pram-table-4.10", rows) == (
        "Risks are the printed ones of: initial. Utilities come in another order than the thesis'."
    )
    rows[1]["utility ours"] = 3.0
    assert "in the thesis' order" in remark_from("pram-table-4.11", rows)
    assert remark_from("pram-table-4.8", rows).endswith("of: no matrix.")


def test_typed_remarks_state_no_results():
    # numbers of a remark are the paper's or those of a setting, never what a run gave
    results = re.compile(r"ours? (is|are|moves?|come to) [-+]?\d|\bby [-+]?\d+(\.\d+)? points")
    found = {name for name, text in REMARKS.items() if results.search(text)}
    assert found == {"partition-hybrid-figure-2"}  # 160 points are drawn
