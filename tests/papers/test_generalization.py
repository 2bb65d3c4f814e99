"""Adult with the paper's heights: the lattice, PBG-EA near the paper, ours above it."""

import pytest

from evomask.errors import ParameterError
from evomask.searches.generalization.search import Algorithm
from evomask_papers import generalization as paper
from evomask_papers.adult import HEIGHTS, hierarchies
from evomask_papers.catalogue import REPRODUCTIONS, reproduce, summary_of


@pytest.fixture(autouse=True)
def _adult(reference):
    reference("uci/adult.csv")


def test_our_trees_have_the_papers_heights():
    assert {name: tree.height for name, tree in hierarchies().items()} == HEIGHTS


def test_the_lattice_has_the_papers_size():
    assert paper.adult_lattice().size == 17920
    assert paper.adult_lattice(classified=True).size == 8960
    assert paper.adult_lattice().n_records == 30162


def test_as_many_nodes_are_safe_as_arx_counts_on_such_a_lattice():
    lattice = paper.adult_lattice()
    safe = (lattice.sweep(lattice.rule(k=5)).suppressed <= paper.LIMIT).sum()
    diverse = (lattice.sweep(lattice.rule(k=5, distinct=2)).suppressed <= paper.LIMIT).sum()
    assert (safe, diverse) == (5612, 5554)


@pytest.mark.slow
@pytest.mark.parametrize("case", paper.TABLE_1B, ids=lambda case: ",".join(case.objectives))
def test_pbg_ea_represents_the_front_about_as_well_as_in_the_paper(case):
    found = [paper.run_once(case, Algorithm.PBG_EA, seed) for seed in range(20)]
    assert sum(f.rr for f in found) / 20 > case.rr - 0.05
    assert all(f.nodes < 0.08 * 17920 for f in found)


def test_one_run_of_pbg_ea_finds_most_of_the_front():
    found = paper.run_once(paper.TABLE_1B[0], Algorithm.PBG_EA, 0)
    assert found.rr > 0.8
    assert found.nodes < 0.08 * 17920


@pytest.mark.slow
@pytest.mark.parametrize("case", paper.TABLE_1B, ids=lambda case: ",".join(case.objectives))
def test_guided_search_finds_the_front_with_a_twentieth_of_the_nodes(case):
    found = [paper.run_once(case, Algorithm.GUIDED, seed) for seed in range(20)]
    assert sum(f.rr for f in found) / 20 >= 0.99
    assert all(f.nodes <= 0.05 * 17920 for f in found)


def test_table_1a_has_a_row_for_each_quasi_identifier():
    rows = reproduce("generalization-table-1a").rows
    assert [row["height"] for row in rows] == [*HEIGHTS.values(), "sensitive"]
    assert [row["attribute"] for row in rows][-1] == "occupation"


def test_a_figure_has_rows_and_charts():
    found = reproduce("generalization-figure-3")
    assert len(found.charts) == 1
    assert {row[0] for row in found.rows} == {"nodes", "front", "PBG-EA"}


@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_every_reproduction_says_what_it_shows(name):
    assert summary_of(name).endswith(".")


def test_an_unknown_reproduction_is_told_the_known_ones():
    with pytest.raises(ParameterError, match="generalization-table-1b"):
        reproduce("table-0")
