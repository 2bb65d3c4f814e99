"""What the grouping thesis prints, and its claims on a small effort."""

import numpy as np
import pytest

from evomask.data.partition import centroids
from evomask.kernels.groups.mdav import mdav
from evomask.papers.catalogue import REPRODUCTIONS, reproduce
from evomask.papers.effort import Effort
from evomask.papers.grouping.inputs import (
    BEST,
    CENSUS,
    HAND_MADE,
    SCORES,
    SIZES,
    WATER,
    hand_made,
    original,
)
from evomask.papers.grouping.tables import searched

QUICK = 0.02


def aggregated(values, k):
    points = np.array(values, dtype=float)[:, None]
    labels = mdav(points, k)
    return centroids(points, labels)[labels, 0].tolist()


def test_first_attribute_of_table_2_1():
    assert aggregated([1, 3, 5, 8, 12, 13], 2) == [2, 2, 6.5, 6.5, 12.5, 12.5]


def test_second_attribute_of_table_2_1():
    """The thesis prints 1.5 for the mean of 2 and 3: a misprint."""
    assert aggregated([2, 6, 3, 9, 8, 10], 2) == [2.5, 7, 2.5, 9.5, 7, 9.5]


def test_after_both_groups_of_table_2_1_all_records_differ():
    first = aggregated([1, 3, 5, 8, 12, 13], 2)
    second = aggregated([2, 6, 3, 9, 8, 10], 2)
    assert len(set(zip(first, second, strict=True))) == 6


@pytest.mark.parametrize(("name", "size"), [(CENSUS, 12), (WATER, 38)])
def test_hand_made_groupings_hold_every_attribute_once(name, size):
    for text in HAND_MADE[name].values():
        assert sorted(int(w) for w in text.replace("|", " ").split()) == [*range(1, size + 1)]


@pytest.mark.parametrize("name", [CENSUS, WATER])
def test_printed_scores_follow_from_their_printed_parts(name):
    for il, interval, dld, score, _ in BEST[name].values():
        assert (il + (interval + dld) / 2) / 2 == pytest.approx(score, abs=0.03)


@pytest.mark.parametrize("name", [CENSUS, WATER])
def test_printed_tables_agree_on_what_gomm_finds(name):
    printed = dict(zip(SIZES, SCORES[name]["GOMM"], strict=True))
    assert all(abs(printed[k] - BEST[name][k][3]) < 0.1 for k in SIZES)


@pytest.mark.parametrize(("name", "shape"), [(CENSUS, (1080, 12)), (WATER, (380, 38))])
def test_the_files_have_the_size_the_thesis_gives(reference, name, shape):
    reference("casc/census.csv")
    table = original(name)
    assert table.matrix(table.schema.names).shape == shape


def test_a_short_search_beats_every_hand_made_grouping_of_census(reference):
    reference("casc/census.csv")
    found = searched(CENSUS, 25, Effort(1, 0.1))
    scores = [found.problem.components(g).score for g in hand_made(CENSUS).values()]
    assert found.state.summary.best <= min(scores)


def test_one_group_links_nobody_as_in_table_5_2(reference):
    reference("casc/census.csv")
    problem = searched(CENSUS, 25, Effort(1, QUICK)).problem
    assert problem.components(hand_made(CENSUS)["one group"]).dld == 0.0


def test_a_table_has_the_paper_beside_ours(reference, monkeypatch):
    reference("casc/census.csv")
    monkeypatch.setattr("evomask.papers.grouping.tables.SIZES", (100,))
    (row,) = reproduce("grouping-table-5.2", share=QUICK).rows
    assert (row["k"], row["IL paper"], row["score paper"]) == (100, 16.28, 13.74)
    assert row["score ours"] == pytest.approx(
        row["IL ours"] / 2 + row["ID ours"] / 4 + row["DLD ours"] / 4
    )


def test_the_profile_adds_up_to_the_whole(reference):
    reference("uci/water_treatment.csv")
    rows = reproduce("grouping-table-3.1", share=QUICK).rows
    assert sum(row["percent ours"] or 0.0 for row in rows) == pytest.approx(100.0)
    assert len([row for row in rows if row["percent paper"] is not None]) == 19


def test_the_number_of_groups_is_drawn_for_every_generation(reference):
    reference("uci/water_treatment.csv")
    (chart,) = reproduce("grouping-figure-4.11", share=QUICK).charts
    assert [series.x for series in chart.series] == [(0.0, 1.0, 2.0)] * 2


def test_a_figure_is_a_mean_over_runs_with_its_worsening_half(reference):
    reference("casc/census.csv")
    (chart,) = reproduce("grouping-figure-b.3", share=QUICK, runs=2).charts
    assert "Means of 2 runs" in chart.reading
    assert {"split", "split, worse"} <= {line.name for line in chart.series}


@pytest.mark.parametrize("figure", [*(f"4.{i}" for i in range(1, 12)), "5.1", "b.1", "b.8"])
def test_every_figure_of_the_thesis_is_in_the_catalogue(figure):
    assert f"grouping-figure-{figure}" in REPRODUCTIONS
