"""Worked examples of the two theses come out as printed."""

import pytest

from evomask_papers.catalogue import reproduce


@pytest.mark.parametrize(
    "name",
    [
        "graphs-figure-6.2", "graphs-figure-6.3", "masking-figure-2.4", "grouping-figure-3.1",
        "grouping-figure-3.2",
    ],
)  # fmt: skip
def test_a_worked_example_is_as_printed(name):
    rows = reproduce(name).rows
    assert rows
    for row in rows:
        ours, paper = row["ours"], row["paper"]
        assert ours == (pytest.approx(paper, abs=0.0005) if isinstance(paper, float) else paper)


def test_distances_of_places_are_those_of_the_text():
    rows = reproduce("graphs-figure-6.2").rows
    assert [row["paper"] for row in rows[:2]] == [1.0, 0.714]
