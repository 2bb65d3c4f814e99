"""Figures of the two microaggregation papers, as far as they can be checked quickly."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import f as f_test
from scipy.stats import tukey_hsd

from evomask.data.partition import within_sum_of_squares
from evomask.kernels.groups.exact import optimum
from evomask.kernels.groups.mdav import mdav
from evomask.searches.partition.genetic import Inner
from evomask.searches.partition.search import Algorithm
from evomask_papers.partition import claims, genetic, hybrid, locations
from evomask_papers.partition.sensitivity import (
    FactorialDesign,
    SensitivityStudy,
    Trial,
    trials,
)
from evomask_papers.synthetic import clustered, clustered_with_clusters


def test_a_share_of_the_effort_thins_runs_then_epochs_and_never_the_grid():
    whole, half, little = (genetic.design_for(20, share) for share in (1.0, 0.5, 0.01))
    assert (whole.runs, whole.epochs) == (10, 10_000)
    assert (half.runs, half.epochs) == (5, 10_000)
    assert (little.runs, little.epochs) == (1, 1_000)
    assert len(little.mutation) * len(little.crossover) * len(little.chromosomes) == 1_210
    assert genetic.design_for(50, 0.01).epochs == 10_000


def test_table_1_and_example_1_agree_with_the_paper():
    rows = [*genetic.table_1(), *genetic.example_1()[:2]]
    assert all(row["paper"] == row["ours"] for row in rows)


def test_table_4_finds_the_optimum_of_eleven_records():
    rows = genetic.table_4(share=0.0003)
    ours = {(row["file"], row["what"]): row["ours"] for row in rows}
    for file in ("11x5", "11x7", "11x10"):
        assert ours[file, "genetic algorithm, least"] == pytest.approx(ours[file, "optimum"])


@pytest.mark.slow
def test_table_4_finds_the_optimum_in_nine_runs_of_ten():
    rows = genetic.table_4(share=0.02)
    found = [row["ours"] for row in rows if row["what"] == "where both rates are above 0"]
    assert min(found) >= 90.0


def grid_of(value, epoch=lambda mutation: int(100 * mutation)):
    """One run at every pair of rates, whose sum of squares *value* tells."""
    tenths = [round(0.1 * i, 1) for i in range(11)]
    return [Trial(m, c, 10, value(m, c), epoch(m)) for m in tenths for c in tenths]


def stuck(mutation, crossover):
    return 1.0 if mutation > 0 and crossover > 0 else 2.0


def test_the_optimum_is_counted_over_the_whole_grid(monkeypatch):
    least = within_sum_of_squares(
        genetic.random_file(11, 5), optimum(genetic.random_file(11, 5), 3)
    )
    made = grid_of(lambda m, c: least * stuck(m, c))
    monkeypatch.setattr(genetic, "studied", lambda *_: tuple(made))
    ours = {(r["file"], r["what"]): r["ours"] for r in genetic.table_4()}
    assert ours["11x5", "optimum found, percent"] == pytest.approx(100 * 100 / 121)
    assert ours["11x5", "where both rates are above 0"] == 100.0


def test_whether_the_optimum_is_always_found_is_answered_by_runs():
    assert claims.optimum_claim(grid_of(stuck), 6.83, 1.0).holds
    missed = [t._replace(sse=3.0) if t[:2] == (0.5, 0.5) else t for t in grid_of(stuck)]
    answer = claims.optimum_claim(missed, 6.83, 1.0).told
    assert "Paper: the optimum (6.83) is always found" in answer
    assert "above 0. Ours: no, percent of these runs 99, optimum 1." in answer


def test_whether_the_epoch_grows_is_answered_step_by_step():
    assert claims.growth_claim(grid_of(stuck)).holds
    flat = grid_of(stuck, lambda mutation: int(10 * min(mutation, 0.5)))
    assert "no, from" in claims.growth_claim(flat).told
    assert "steps between rates 10, of which it grows at 5" in claims.growth_claim(flat).told


def test_the_mutation_rates_of_the_smallest_sums_are_answered():
    made = grid_of(lambda m, c: abs(m - (0.1 if c < 0.5 else 0.4)))
    assert "0.1 to 0.4. Ours: yes, crossover rates 11" in claims.rates_claim(made, 0.4).told
    answer = claims.rates_claim(made, 0.1)
    assert not answer.holds
    assert list(answer.ours.values()) == [11, 5, 0.1, 0.4]


def test_settings_that_reach_the_least_are_counted(monkeypatch):
    monkeypatch.setattr(genetic, "studied", lambda *_: tuple(2 * grid_of(stuck)))
    ours = {(row["file"], row["what"]): row["ours"] for row in genetic.table_2()}
    assert ours["20x2", "least: settings that reach it, of 1210"] == 100


def test_mdav_of_the_tables_has_its_classic_ending():
    points = genetic.random_file(20, 2)
    endings = [within_sum_of_squares(points, mdav(points, 3, classic=c)) for c in (True, False)]
    assert endings[0] != endings[1]
    rows = genetic.table_2(share=0.0001)
    assert next(r["ours"] for r in rows if r["what"] == "MDAV") == endings[0]


@pytest.mark.slow
def test_the_genetic_algorithm_beats_mdav_on_20_records_and_fails_on_100():
    rows = genetic.table_2(share=0.0005)
    ours = {(row["file"], row["what"]): row["ours"] for row in rows}
    assert ours["20x2", "least"] < ours["20x2", "MDAV"]
    assert ours["100x2", "least"] > 2 * ours["100x2", "MDAV"]


@pytest.mark.parametrize(
    ("macro", "algorithm", "paper"),
    [
        (18, Algorithm.ONE_STEP, 879.94),
        (18, Algorithm.TWO_STEP, 767),
        pytest.param(12, Algorithm.ONE_STEP, 865.04, marks=pytest.mark.slow),
        pytest.param(12, Algorithm.TWO_STEP, 768, marks=pytest.mark.slow),
    ],
)
def test_census_hybrids_are_within_3_percent_of_the_paper(reference, macro, algorithm, paper):
    reference("casc/census.csv")
    census = hybrid.file_named("Census")
    points = hybrid.file_points(census)
    labels = hybrid.hybrid(census, algorithm, macro, Inner.GENETIC)
    assert within_sum_of_squares(points, labels) == pytest.approx(paper, rel=0.03)


HYBRIDS = [
    *[("Census", *pair) for pair in ((12, 768), (18, 767), (27, 789))],
    *[
        pytest.param("EIA", *pair, marks=pytest.mark.slow)
        for pair in ((12, 189), (18, 186), (27, 197))
    ],
]


@pytest.mark.parametrize(("name", "macro", "paper"), HYBRIDS)
def test_two_step_with_our_inner_search_is_no_worse_than_the_paper(reference, name, macro, paper):
    reference(f"casc/{name.lower()}.csv")
    table = hybrid.file_named(name)
    points = hybrid.file_points(table)
    labels = hybrid.hybrid(table, Algorithm.TWO_STEP, macro, Inner.BEST)
    assert within_sum_of_squares(points, labels) <= paper


def test_one_step_helps_clustered_points_and_hurts_scattered_ones():
    for name, helps in (("Clustered", True), ("Scattered", False)):
        table = hybrid.file_named(name)
        points = hybrid.file_points(table)
        labels = hybrid.hybrid(table, Algorithm.ONE_STEP, 12, Inner.BEST)
        alone = within_sum_of_squares(points, mdav(points, 3))
        assert (within_sum_of_squares(points, labels) < alone) == helps


def test_a_natural_cluster_is_split_when_its_records_lie_in_two_macrogroups():
    clusters, macrogroups = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 1, 0])
    assert hybrid.split_clusters(clusters, macrogroups) == 1
    assert hybrid.split_clusters(clusters, clusters) == 0


def test_figure_2_answers_what_the_paper_claims():
    charts = hybrid.figure_2()
    told = "Ours: no, points 160, natural clusters 41, split by one step 4, by two 8."
    assert all(told in chart.reading for chart in charts)


def test_natural_clusters_are_those_that_were_drawn():
    table, clusters = clustered_with_clusters(1, 160)
    assert np.array_equal(table.matrix(("x1", "x2")), clustered(1, 160).matrix(("x1", "x2")))
    sizes = np.bincount(clusters)
    assert 3 <= sizes.min() <= sizes.max() <= 7
    spread = [np.ptp(table["x1"][clusters == c]) for c in range(len(sizes))]
    assert max(spread) <= 20_000


def test_improvements_stand_beside_the_printed_ones(monkeypatch):
    monkeypatch.setattr(hybrid, "TABLE_2", {"Scattered": {12: hybrid.TABLE_2["Scattered"][12]}})
    rows = {row["what"]: row for row in hybrid.table_2(inner=Inner.BEST)}
    better = rows["two-step, percent below MDAV"]
    assert better["paper"] == 9
    assert better["ours"] == pytest.approx(
        100 * (1 - rows["two-step"]["ours"] / rows["MDAV"]["ours"])
    )


def test_the_hybrid_of_the_comparison_is_named_after_our_search_inside():
    table = clustered(1, 60)
    methods = hybrid._methods(table, hybrid.file_points(table), "Census", 3, 1, 0.01)
    assert "two-step hybrid, our inner search" in methods


def test_figure_2_shows_every_point_once():
    for chart in hybrid.figure_2():
        assert sum(len(series.x) for series in chart.series) == 160


DOCS = Path(__file__).parents[2] / "docs"
GRID = FactorialDesign((0.0, 0.1), (0.0, 0.5), (10, 20), runs=2, epochs=50)


def test_a_study_runs_its_whole_grid():
    made = list(trials(genetic.random_file(11, 2), 3, GRID, seed=1))
    assert len(made) == 2 * 2 * 2 * 2


def analysed(made, *, jointly=False):
    return SensitivityStudy.of(made, jointly=jointly).analyses[0].factors


def significant(made):
    return tuple(factor.name for factor in analysed(made) if factor.comparisons is not None)


def best_mutation(made, *, jointly=False):
    return analysed(made, jointly=jointly)[0].best


def made_up(effect):
    rng = np.random.default_rng(0)
    return [
        Trial(m, c, p, 10.0 + effect * (m == 0.0) + rng.normal(), int(rng.integers(100)))
        for m in (0.0, 0.1, 0.2)
        for c in (0.0, 0.5)
        for p in (10, 20)
        for _ in range(10)
    ]


@pytest.mark.parametrize("effect", [0.0, 0.3, 5.0])
def test_significance_is_that_of_a_library_for_models(effect):
    pandas = pytest.importorskip("pandas")
    formula = pytest.importorskip("statsmodels.formula.api")
    from statsmodels.stats.anova import anova_lm

    frame = pandas.DataFrame(made_up(effect))
    model = formula.ols("sse ~ C(mutation) + C(crossover) + C(chromosomes)", frame).fit()
    table = anova_lm(model, typ=2)
    expected = [
        n for n in ("mutation", "crossover", "chromosomes") if table.loc[f"C({n})", "PR(>F)"] < 0.05
    ]
    assert list(significant(made_up(effect))) == expected


def test_only_what_has_an_effect_is_significant():
    assert significant(made_up(5.0)) == ("mutation",)


def test_the_best_values_are_those_not_told_from_the_best():
    assert SensitivityStudy.of(made_up(5.0)).best["mutation"] == (0.1, 0.2)


@pytest.mark.parametrize("effect", [0.3, 0.6, 1.2])
def test_one_way_groups_are_those_of_a_library(effect):
    made = made_up(effect)
    values = sorted({t.mutation for t in made})
    samples = [[t.sse for t in made if t.mutation == value] for value in values]
    first = int(np.argmin([np.mean(sample) for sample in samples]))
    tukey = tukey_hsd(*samples).pvalue[first]
    alike = {value for value, chance in zip(values, tukey, strict=True) if chance >= 0.05}
    assert set(best_mutation(made)) <= alike
    within = np.mean([np.var(sample, ddof=1) for sample in samples])
    means = [np.mean(sample) for sample in samples]
    scheffe = [
        f_test.sf((m - min(means)) ** 2 / (within * 2 / 40) / 2, 2, 117) >= 0.05 for m in means
    ]
    expected = alike & {value for value, keeps in zip(values, scheffe, strict=True) if keeps}
    assert set(best_mutation(made)) == expected


def test_the_joint_error_leaves_out_what_other_parameters_do():
    made = [t._replace(sse=t.sse + 20.0 * t.crossover) for t in made_up(1.2)]
    assert len(best_mutation(made)) == 3
    assert sorted(best_mutation(made, jointly=True)) == [0.1, 0.2]


def test_without_any_effect_all_values_stay():
    assert SensitivityStudy.of(made_up(0.0)).best["mutation"] == (0.0, 0.1, 0.2)


def test_equal_results_have_no_significant_cause():
    same = [Trial(m, 0.5, 10, 7.0, 3) for m in (0.1, 0.2) for _ in range(5)]
    assert significant(same) == ()


def test_regions_hold_their_people():
    table = locations.town(60, 1)
    labels = mdav(hybrid.file_points(table), 5)
    found = locations.regions(table, labels)
    apart = np.linalg.norm(table.matrix(("east", "north")) - found.centres[labels], axis=1)
    assert (apart <= found.radii[labels]).all()
    assert found.people.min() >= 5


def test_a_disc_is_rounded_so_that_nobody_s_position_shows():
    table = locations.town(60, 1)
    found = locations.regions(table, mdav(hybrid.file_points(table), 5))
    assert not (np.column_stack([found.centres, found.radii]) % 10).any()


def test_locations_of_the_memetic_search_are_nearest():
    rows = {row["what"]: row["mean move, metres"] for row in locations.locations()}
    assert rows["memetic"] < rows["two-step hybrid"] < rows["MDAV"] < rows["boxes (Mondrian)"]


def rows_of_page(name):
    """Rows of a table of docs/reproduction.md, as text by column."""
    text = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    section = text.split(f"\n## {name}\n")[1].split("\n## ")[0]
    lines = [line[2:-2].split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[2:]]


def test_the_page_of_the_search_has_the_hybrids_of_the_page_of_reproductions():
    apart = {}
    for row in rows_of_page("partition-hybrid-table-2"):
        if row["what"] in ("one-step", "two-step"):
            percent = 100 * (float(row["ours"]) / float(row["paper"]) - 1)
            apart.setdefault((row["file"], row["what"]), []).append(percent)
    text = (DOCS / "partition.md").read_text(encoding="utf-8")
    for name in ("Scattered", "Clustered", "Census", "EIA"):
        (line,) = (line for line in text.splitlines() if re.match(rf"\| {name} \| -?\d+ / ", line))
        for cell, what in zip(line[2:-2].split(" | ")[1:], ("one-step", "two-step"), strict=True):
            assert [int(n) for n in cell.split(" / ")] == pytest.approx(apart[name, what], abs=1)


def test_the_page_says_how_often_the_file_of_100_records_was_run():
    text = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    for name in ("partition-table-2", "partition-table-5", "partition-figure-4"):
        section = text.split(f"\n## {name}\n")[1].split("\n## ")[0]
        assert "every setting was run once" in section
