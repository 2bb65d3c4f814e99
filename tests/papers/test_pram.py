"""What chapter 4 of the thesis prints, and its claims on a small effort."""

import numpy as np
import pytest

from evomask.evolution.individual import ScoreRule
from evomask.masking.randomization.pram import (
    category_frequencies,
    constant_diagonal,
    frequency_shift,
)
from evomask.measures.profiles import PapersLoss, PapersRisk
from evomask.searches.pram.genome import Limits, constrain
from evomask.searches.pram.search import Algorithm
from evomask_papers.catalogue import REPRODUCTIONS, reproduce
from evomask_papers.effort import Effort
from evomask_papers.housing import DEGREE, DEGREES, RECORDS, housing
from evomask_papers.pram import equations
from evomask_papers.pram.equations import standard
from evomask_papers.pram.inputs import (
    ATTRIBUTES,
    BOTH,
    CONTROL,
    DEPTHS,
    EVEN,
    FLARE,
    GERMAN,
    HOUSING,
    INITIAL,
    MASKED,
    ONLY_INVARIANT,
    PROTECTIONS,
    RATIOS,
    SCORES,
    SKEWED,
    SUMMARIES,
    VARIANTS,
    crossed,
    original,
)
from evomask_papers.pram.invariance import (
    RANGE,
    chi_square_change,
    chi_square_claims,
    evolution_claim,
    matrix_of,
    utility,
    utility_claims,
)
from evomask_papers.pram.matrices import SearchRun, searched, single_claim, together_claim

QUICK = 0.005


@pytest.fixture(autouse=True)
def _has_data(reference):
    reference("uci/adult.csv")


@pytest.mark.parametrize("name", [HOUSING, GERMAN, FLARE])
def test_printed_scores_are_means_of_loss_and_risk(name):
    for il, dr, score in SCORES[name].values():
        assert (il + dr) / 2 == pytest.approx(score, abs=0.011)


@pytest.mark.parametrize("beside", [SKEWED, EVEN])
@pytest.mark.parametrize("variant", VARIANTS)
def test_printed_risks_are_the_weighted_ratios(beside, variant):
    found = np.average(RATIOS[beside][variant], weights=DEGREE[:6])
    assert found == pytest.approx(SUMMARIES[beside][variant][1], abs=0.002)


@pytest.mark.parametrize("name", [GERMAN, HOUSING])
def test_table_4_15_at_depth_five_is_the_maximum_of_tables_4_12_and_4_14(name):
    assert DEPTHS[name][5] == PROTECTIONS[name]["GP Max"]


def test_housing_stands_in_with_the_printed_frequencies():
    table = original(HOUSING)
    assert len(table) == RECORDS == DEGREE.sum()
    assert table.schema.names == ATTRIBUTES[HOUSING]
    assert [row["records ours"] for row in reproduce("pram-table-4.2").rows] == DEGREE.tolist()


def test_the_first_matrix_is_that_of_table_4_1():
    rows = reproduce("pram-table-4.1").rows
    cells = [(row[f"to {c} paper"], row[f"to {c} ours"]) for row in rows for c in DEGREES]
    assert max(abs(paper - ours) for paper, ours in cells) < 0.0011


def test_one_crossing_is_skewed_and_the_other_even():
    shares = {b: np.bincount(housing().codes(b)).max() / RECORDS for b in (SKEWED, EVEN)}
    assert shares[SKEWED] > 0.8
    assert shares[EVEN] < 0.2


def test_our_uniform_matrix_is_that_of_table_4_12():
    loss, risk = standard(GERMAN, Effort())["Unif PRAM"]
    paper = PROTECTIONS[GERMAN]["Unif PRAM"]
    assert loss == pytest.approx(paper[0], abs=0.5)
    assert risk == pytest.approx(paper[1], abs=0.5)


@pytest.mark.parametrize("table", ["pram-table-4.8", "pram-table-4.9"])
@pytest.mark.parametrize("row", [0, 1], ids=["initial", "only invariance"])
def test_rows_that_do_not_evolve_have_the_printed_ratios(table, row):
    found = reproduce(table, share=QUICK).rows[row]
    ours = [found[f"DEGREE {i} ours"] for i in range(1, 7)]
    assert ours == pytest.approx([found[f"DEGREE {i} paper"] for i in range(1, 7)], abs=0.0011)


@pytest.mark.parametrize("table", ["pram-table-4.10", "pram-table-4.11"])
def test_rows_that_do_not_evolve_have_the_printed_risks(table):
    for row in reproduce(table, share=QUICK).rows[:2]:
        assert row["risk ours"] == pytest.approx(row["risk paper"], abs=0.0006)


@pytest.mark.parametrize("beside", [SKEWED, EVEN])
def test_only_invariance_keeps_frequencies_and_its_diagonal_in_range(beside):
    frequencies = category_frequencies(crossed(beside), MASKED)
    matrix = matrix_of(beside, ONLY_INVARIANT, Effort(1, QUICK))
    assert frequency_shift(matrix, frequencies) < 1e-12
    assert RANGE[0] <= np.diagonal(matrix).min()
    assert np.diagonal(matrix).max() <= RANGE[1]


@pytest.mark.parametrize("table", ["pram-table-4.10", "pram-table-4.11"])
@pytest.mark.slow
def test_rows_that_evolve_compare_as_the_thesis_says(table):
    rows = {row["matrix"]: row for row in reproduce(table, share=0.2).rows}
    counts = {variant: row["utility ours"] for variant, row in rows.items()}
    assert counts[BOTH] <= counts[ONLY_INVARIANT] < counts[INITIAL]
    assert counts[BOTH] < counts[CONTROL] < counts[INITIAL]
    assert rows[BOTH]["risk ours"] > rows[INITIAL]["risk ours"]


def test_with_control_the_diagonal_stays_in_its_range():
    for variant in (BOTH, CONTROL):
        diagonal = np.diagonal(matrix_of(SKEWED, variant, Effort(1, 0.05)))
        held = np.bincount(crossed(SKEWED).codes(MASKED), minlength=len(diagonal)) > 0
        assert RANGE[0] - 1e-9 <= diagonal[held].min()
        assert diagonal[held].max() <= RANGE[1] + 1e-9


def test_invariance_makes_counts_differ_less_as_in_figure_4_12():
    effort = Effort(1, 0.05)
    assert utility(EVEN, BOTH, effort) < utility(EVEN, CONTROL, effort)
    assert utility(SKEWED, BOTH, effort) < utility(SKEWED, CONTROL, effort)


def test_every_matrix_weakens_the_relation_of_the_two_attributes():
    assert all(0 < chi_square_change(EVEN, v, Effort(1, QUICK)) <= 100 for v in VARIANTS)


def test_the_first_six_categories_of_degree_can_be_invariant_and_in_range():
    held = DEGREE[:6]
    matrix = constrain(constant_diagonal(held, 0.4), held, Limits(*RANGE, invariant=True))
    assert frequency_shift(matrix, held) < 1e-12


def test_the_risk_of_chapter_4_has_probabilistic_linkage_and_five_draws():
    run = searched(GERMAN, ATTRIBUTES[GERMAN], Algorithm.THESIS, Effort(1, QUICK))
    matrices = run.problem.matrices(run.genome)
    risk = PapersRisk(ATTRIBUTES[GERMAN], probabilistic=True).against(original(GERMAN))
    loss = PapersLoss(ATTRIBUTES[GERMAN]).against(original(GERMAN))
    files = [run.problem.draws.masked(matrices, r) for r in range(5)]
    assert run.fitness == pytest.approx(
        (np.mean([loss(file) for file in files]), np.mean([risk(file) for file in files]))
    )


def test_table_4_15_spends_all_generations_at_full_share(monkeypatch):
    spent = []

    def run_setup(setup, effort, usual):
        spent.append((usual, effort.of(usual)))
        return SearchRun(setup.problem, None, ((0.0, 0.0),))

    monkeypatch.setattr(equations, "run_setup", run_setup)
    equations.searched.cache_clear()
    equations.table_4_15(share=1.0)
    equations.searched.cache_clear()
    assert len(spent) == 18
    assert set(spent) == {(1_500, 1_500), (60, 60)}


OURS = [name for name in REPRODUCTIONS if name.startswith(("pram-", "equations-"))]


QUICK_ONES = {"pram-table-4.1", "pram-table-4.8", "pram-figure-4.1", "equations-figure-4.14"}
"""What `make test` makes again; `make test-slow` makes all."""
WORKED = {
    *(f"pram-figure-4.{i}" for i in (1, 2, 3)),
    *(f"equations-figure-4.{i}" for i in (14, 15)),
}
"""Examples in numbers, without a chart."""


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n not in QUICK_ONES)) for n in OURS]
)
def test_every_table_and_figure_of_chapter_4_is_made(name):
    found = reproduce(name, share=QUICK)
    assert found.rows
    assert bool(found.charts) == ("figure" in name and name not in WORKED)


def test_the_chapter_is_complete():
    tables, figures = range(1, 16), range(1, 21)
    made = {name.split("-", 1)[1] for name in OURS}
    assert made == {f"table-4.{i}" for i in tables} | {f"figure-4.{i}" for i in figures}


class TestClaims:
    def test_an_equation_that_stays_has_not_improved(self):
        assert not equations.improved(ScoreRule.MEAN, FLARE, [30.0, 30.0]).holds
        told = equations.improved(ScoreRule.MEAN, FLARE, [30.0, 29.0])
        assert told.holds
        assert "33.09 to 26.1" in told.told

    def test_balance_is_the_distance_of_loss_and_risk(self):
        assert equations.balanced(GERMAN, (0.0, 50.0), (30.0, 31.0)).holds
        assert not equations.balanced(GERMAN, (30.0, 31.0), (0.0, 50.0)).holds

    def test_of_single_attributes_risk_falls_more_than_loss(self):
        assert single_claim(GERMAN, [(50.0, 40.0), (45.0, 10.0)]).holds
        assert not single_claim(GERMAN, [(50.0, 40.0), (10.0, 35.0)]).holds

    def test_of_all_three_attributes_loss_falls_and_risk_rises(self):
        assert together_claim(FLARE, [(80.0, 26.0), (35.0, 31.0)]).holds
        assert not together_claim(FLARE, [(80.0, 26.0), (35.0, 20.0)]).holds
        assert together_claim(HOUSING, [(60.0, 30.0), (50.0, 9.0)]).holds

    def test_invariance_ends_lower_or_does_not(self):
        assert evolution_claim(EVEN, {BOTH: [9, 5], CONTROL: [9, 6]}).holds
        assert not evolution_claim(EVEN, {BOTH: [9, 7], CONTROL: [9, 6]}).holds

    def test_matrices_are_compared_with_the_initial_one(self):
        usual, other = [9.0, 6.0, 5.0, 8.0, 7.0], [9.0, 6.0, 5.0, 9.5, 7.0]
        assert utility_claims({EVEN: usual})[0].holds
        assert not utility_claims({EVEN: other})[0].holds

    def test_chi_square_is_asked_for_both_crossings(self):
        best, more = chi_square_claims({EVEN: [9, 6, 5, 8, 7], SKEWED: [1, 2, 3, 4, 5]})
        assert (best.holds, more.holds) == (False, True)

    @pytest.mark.parametrize("number", [4, 7, 9, 10, 12, 13])
    @pytest.mark.slow
    def test_a_figure_of_matrices_has_the_thesis_beside_ours(self, number):
        for chart in reproduce(f"pram-figure-4.{number}", share=QUICK).charts:
            assert "Thesis: " in chart.reading
            assert "Ours: yes, " in chart.reading or "Ours: no, " in chart.reading

    @pytest.mark.parametrize("number", [16, 17])
    def test_a_figure_of_equations_has_the_thesis_beside_ours(self, number):
        for chart in reproduce(f"equations-figure-4.{number}", share=QUICK).charts:
            assert "Ours: yes, " in chart.reading or "Ours: no, " in chart.reading


def test_standard_matrices_are_judged_by_files_of_the_seed():
    first, again, other = (standard(GERMAN, Effort(seed)) for seed in (1, 1, 2))
    assert first == again != other
