"""What chapter 5 prints, and its claims on a small effort."""

import pytest

from evomask.errors import ParameterError
from evomask.searches.clustered.search import LossOf
from evomask_papers.catalogue import REPRODUCTIONS, reproduce
from evomask_papers.clustered import (
    CLUSTERED_MEDIAN,
    CLUSTERED_MICRO,
    GERMAN,
    HOUSING,
    MICRO,
    PRINTED,
    GridCell,
    TriedGrid,
    against,
    directions,
    faster,
    moved,
    original,
    steeper_axis,
    tried,
)
from evomask_papers.effort import Effort

QUICK = 0.4
NAMES = [name for name in REPRODUCTIONS if name.startswith("clustered-")]


def test_all_tables_and_figures_of_the_chapter_are_there():
    assert len(NAMES) == 3 + 1 + 10  # tables, readings of the text, figures


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


def grid_of(value, *, ks=(2, 50, 200), clusters=(2, 60)):
    """A grid whose loss is *value* of k and the number of clusters, and whose risk is its rest."""
    cells = [GridCell(k, c, value(k, c), 100 - value(k, c)) for k in ks for c in clusters]
    return TriedGrid(tuple(cells), 0.0)


class TestClaims:
    def test_directions_are_read_from_the_cells(self):
        usual = grid_of(lambda k, c: k / 10 - c / 10)
        assert all(directions(usual, part).holds for part in ("il", "dr"))
        other = grid_of(lambda k, c: k / 10 + c / 10)
        assert not any(directions(other, part).holds for part in ("il", "dr"))

    def test_a_flat_surface_has_no_direction(self):
        assert not directions(grid_of(lambda k, c: 7.0), "il").holds

    def test_the_steeper_axis_is_that_of_the_larger_change(self):
        by_clusters = grid_of(lambda k, c: k / 100 + c)
        assert moved(by_clusters, "clusters", "il") == pytest.approx(58)
        assert steeper_axis(by_clusters, "il", CLUSTERED_MICRO).holds
        assert not steeper_axis(by_clusters, "il", CLUSTERED_MEDIAN).holds

    def test_loss_and_risk_of_the_median_are_compared_with_microaggregation(self):
        low, high = grid_of(lambda k, c: 10.0), grid_of(lambda k, c: 20.0)
        assert against(low, high, "il").holds
        assert against(low, high, "dr").holds
        assert not against(high, low, "il").holds

    def test_german_credit_changes_faster_or_does_not(self):
        flat, steep = grid_of(lambda k, c: k / 100), grid_of(lambda k, c: k / 2)
        assert faster(steep, flat, "il").holds
        assert not faster(flat, steep, "il").holds

    @pytest.mark.parametrize("number", ["5.1", "5.3", "5.4", "5.6", "5.8", "5.9"])
    def test_a_figure_has_what_the_thesis_says_beside_ours(self, reference, number):
        reference("uci/german_credit.csv")
        for chart in reproduce(f"clustered-figure-{number}", share=0.2).charts:
            assert "Thesis: " in chart.reading
            assert "Ours: yes, " in chart.reading or "Ours: no, " in chart.reading
