"""What chapter 5 prints, and its claims on a small effort."""

import pytest

from evomask.errors import ParameterError
from evomask.papers.catalogue import REPRODUCTIONS, reproduce
from evomask.papers.clustered import (
    CLUSTERED_MEDIAN,
    GERMAN,
    HOUSING,
    MICRO,
    PRINTED,
    original,
    tried,
)
from evomask.papers.effort import Effort
from evomask.searches.clustered.search import LossOf

QUICK = 0.4
NAMES = [name for name in REPRODUCTIONS if name.startswith("clustered-")]


def test_all_tables_and_figures_of_the_chapter_are_there():
    assert len(NAMES) == 3 + 10


@pytest.mark.parametrize("printed", PRINTED.values())
def test_the_global_median_is_printed_as_the_most_balanced(printed):
    worst = {method: max(pair) for method, pair in printed.items()}
    assert min(worst, key=worst.__getitem__) == CLUSTERED_MEDIAN


@pytest.mark.parametrize(("name", "sizes"), [(GERMAN, [4, 5, 5]), (HOUSING, [25, 8, 21])])
def test_files_have_a_thousand_records_of_ordinal_attributes(reference, name, sizes):
    reference("uci/german_credit.csv")
    table = original(name)
    assert len(table) == 1000
    assert [a.domain_size for a in table.schema] == sizes


@pytest.mark.parametrize("loss", list(LossOf))
def test_clustering_first_balances_better_on_german_credit(reference, loss):
    reference("uci/german_credit.csv")
    found = {
        method: tried(GERMAN, method, loss, Effort(share=QUICK)).best
        for method in (MICRO, CLUSTERED_MEDIAN)
    }
    plain, clustered = (max(found[m].il, found[m].dr) for m in (MICRO, CLUSTERED_MEDIAN))
    assert clustered < plain


@pytest.mark.parametrize("name", ["clustered-table-5.2", "clustered-figure-5.6"])
def test_paper_and_ours_stand_side_by_side(reference, name):
    reference("uci/german_credit.csv")
    made = reproduce(name, share=QUICK)
    assert made.rows
    for chart in made.charts:
        assert "German credit, 1000 records" in chart.reading


def test_an_impossible_share_is_refused():
    with pytest.raises(ParameterError, match="share must lie in"):
        Effort(share=0)
