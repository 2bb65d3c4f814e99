"""What chapter 3 prints, and its claims on a small effort."""

from collections import Counter

import numpy as np
import pytest

from evomask.evolution.individual import ScoreRule
from evomask.masking.method import provenance_of
from evomask.measures.profiles import RiskProfile
from evomask.searches.files.search import Parameters
from evomask_papers.catalogue import REPRODUCTIONS, reproduce
from evomask_papers.effort import Effort
from evomask_papers.file_study import FilesStudy, ScoreRange
from evomask_papers.files import claims
from evomask_papers.files.attacks import (
    FOR_AVERAGES,
    FOR_SWAPPING,
    RANKS,
    STANDARD,
    overcomes,
)
from evomask_papers.files.initial_files import PRINTED, first_files
from evomask_papers.files.inputs import (
    ADULT,
    CATEGORICAL,
    CENSUS,
    CONTINUOUS,
    DIABETES,
    EIA,
    FALLS,
    FINAL_SCORES,
    FIRST_BEST,
    FLARE,
    GERMAN,
    HOUSING,
    TARRAGONA,
    original,
    with_more,
)
from evomask_papers.files.tables import fall, prepared, searched

QUICK = 0.02


class TestWhatIsPrinted:
    def test_all_tables_and_figures_of_the_chapter_are_there(self):
        assert len([name for name in REPRODUCTIONS if name.startswith("files-")]) == 4 + 14

    def test_falls_are_those_of_the_text(self):
        printed = {name: min(scores[0] for scores in FINAL_SCORES[name]) for name in CONTINUOUS}
        falls = [round(fall(FIRST_BEST[name], printed[name])) for name in CONTINUOUS]
        assert falls == [70, 71, 39, 74]

    @pytest.mark.parametrize(
        ("name", "percent"), [*zip(CATEGORICAL, (18, 29, 18, 19), strict=True)]
    )
    def test_the_mean_worst_score_falls_as_in_the_text(self, name, percent):
        assert round(fall(*FALLS["worst"][name][1])) == percent


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        (CENSUS, (1080, 13)),
        (DIABETES, (768, 8)),
        (EIA, (2000, 10)),
        (TARRAGONA, (834, 13)),
        (ADULT, (30718, 3)),
        (HOUSING, (1000, 3)),
        (GERMAN, (1000, 3)),
        (FLARE, (1389, 3)),
    ],
)
def test_files_have_the_records_and_attributes_that_are_told(reference, name, shape):
    reference("casc/census.csv")
    table = original(name)
    assert (len(table), len(table.schema.quasi_identifiers)) == shape


def test_a_second_file_of_adult_is_read_where_it_is_there(reference, tmp_path):
    reference("uci/adult.csv")
    table = original(ADULT)
    assert with_more(table, tmp_path / "none.csv") is table
    more = tmp_path / "adult_test.csv"
    more.write_text(
        "education,marital-status,occupation,income\n11th,Divorced,Sales,<=50K.\n"
        "Doctorate,Widowed,?,>50K.\n",
        encoding="utf-8",
    )
    joined = with_more(table, more)
    assert len(joined) == len(table) + 2
    assert joined.schema == table.schema
    names = joined.schema.names
    last = [joined.attribute(n).categories[joined[n][-2]] for n in names]
    assert last == ["11th", "Divorced", "Sales"]
    assert joined["occupation"][-1] == joined.attribute("occupation").domain_size


class TestFirstFiles:
    @pytest.fixture(autouse=True)
    def _data(self, reference):
        reference("uci/adult.csv")

    @pytest.mark.parametrize(
        ("name", "files"), [(HOUSING, 110), (GERMAN, 104), (FLARE, 104), (ADULT, 86)]
    )
    def test_the_thesis_counts_so_many(self, name, files):
        assert PRINTED[name].files == files

    @pytest.mark.parametrize(
        ("name", "grouped", "coded"),
        [(HOUSING, 72, 6), (GERMAN, 72, 3), (FLARE, 72, 4), (ADULT, 48, 6)],
    )
    def test_ours_have_its_methods_and_nearly_its_counts(self, name, grouped, coded):
        families = Counter(entry.family for entry in first_files(name, original(name)))
        assert families == {
            "microaggregation": grouped, "rank swapping": 11, "PRAM": 9, "bottom coding": coded,
            "top coding": coded, "global recoding": coded,
        }  # fmt: skip

    def test_a_run_begins_from_them_and_from_none_of_our_own(self):
        parameters = Parameters(profile=RiskProfile.PAPERS, held_out=False)
        problem = prepared(FLARE, parameters, Effort(), classic=False).problem
        used = {step.method for m in problem.methods for step in provenance_of(m.method).steps}
        assert used == {
            "mdav-generic", "rank-swapping", "pram", "top-coding", "bottom-coding",
            "global-recoding",
        }  # fmt: skip


class TestRuns:
    @pytest.fixture(autouse=True)
    def _data(self, reference):
        reference("uci/german_credit.csv")

    def test_no_score_rises(self):
        scores = np.array(searched(GERMAN, ScoreRule.WORST, Effort(share=QUICK)).scores)
        assert (np.diff(scores[:, 1:], axis=0) <= 1e-9).all()

    def test_two_executions_begin_alike_and_go_apart(self):
        runs = [
            searched(TARRAGONA, ScoreRule.MEAN, Effort(share=QUICK), execution=i) for i in (0, 1)
        ]
        assert runs[0].first == runs[1].first
        assert runs[0].last != runs[1].last

    def test_without_the_best_the_first_population_has_a_hole(self):
        effort = Effort(share=0.001)
        whole, holed = (
            searched(FLARE, ScoreRule.WORST, effort, without_best=percent)
            for percent in (0.0, 10.0)
        )
        gone = sorted(max(pair) for pair in whole.first)[: len(whole.first) - len(holed.first)]
        assert len(gone) == round(len(whole.first) / 10)
        assert min(max(pair) for pair in holed.first) >= max(gone)

    def test_crossovers_and_mutations_are_timed_apart(self):
        rows = reproduce("files-table-3.3", share=0.2).rows
        assert {(row["operator"], row["part"]) for row in rows if row["data"] == TARRAGONA} == {
            ("cross", "fitness"), ("cross", "other"), ("mutate", "fitness"), ("mutate", "other"),
        }  # fmt: skip

    def test_both_operators_in_one_generation_are_compared_on_tarragona(self):
        (chart,) = reproduce("files-figure-3.5", share=0.005).charts
        assert [series.name[:6] for series in chart.series] == ["one op", "test 1", "test 2"]
        assert all(len(series.y) == 6 for series in chart.series)

    @pytest.mark.parametrize("number", ["3.8", "3.9", "3.10", "3.12"])
    def test_a_figure_tells_data_effort_and_seconds(self, number):
        for chart in reproduce(f"files-figure-{number}", share=0.005).charts:
            assert "5 generations" in chart.reading
            assert chart.reading.endswith(" s.")

    def test_scores_of_census_begin_near_those_of_the_thesis(self):
        """By IL1 to IL5; by our probabilistic loss they begin at 30."""
        begun = searched(CENSUS, ScoreRule.MEAN, Effort(share=0.001)).scores[0]
        assert begun.smallest == pytest.approx(FIRST_BEST[CENSUS], abs=4)

    def test_tables_have_paper_and_ours_in_every_row(self):
        rows = reproduce("files-table-3.2", share=0.002, runs=1).rows
        assert [row["data"] for row in rows] == [name for name in CONTINUOUS for _ in range(2)]
        assert all({"min paper", "min ours", "seconds"} <= row.keys() for row in rows)


def test_seconds_have_the_papers_least_most_and_deviation_beside_ours(reference, monkeypatch):
    reference("casc/tarragona.csv")
    monkeypatch.setattr("evomask_papers.files.tables.CONTINUOUS", (TARRAGONA,))
    row = reproduce("files-table-3.3", share=0.2).rows[0]
    paper = [row[f"{label} paper, s"] for label in ("mean", "min", "max", "sd")]
    assert paper == [167.4, 163.1, 171.7, 2.33]
    assert row["min ours, ms"] <= row["mean ours, ms"] <= row["max ours, ms"]


def test_a_third_execution_has_no_paper_beside_it(reference, monkeypatch):
    reference("casc/tarragona.csv")
    monkeypatch.setattr("evomask_papers.files.tables.CONTINUOUS", (TARRAGONA,))
    rows = reproduce("files-table-3.2", share=0.002, runs=3).rows
    assert [row["execution"] for row in rows] == [1, 1, 2, 2, 3, 3]
    assert [row["min paper"] is None for row in rows] == [False] * 4 + [True] * 2
    assert rows[-1]["fall paper"] is None


class TestAttacks:
    @pytest.fixture
    def rows(self, reference, monkeypatch):
        reference("casc/tarragona.csv")
        monkeypatch.setattr("evomask_papers.files.attacks.CONTINUOUS", (TARRAGONA,))
        return reproduce("files-attacks", share=0.005).rows

    def test_each_attack_links_more_than_one_that_does_not_know_the_method(self, rows):
        swapped, averaged, *_ = rows
        assert swapped["made for swapping"] > swapped["ranks alone"]
        assert averaged["made for microaggregation"] > averaged["distance linkage"]
        assert [row["holds"] for row in (swapped, averaged)] == ["yes", "yes"]

    def test_the_evolved_file_is_asked_whether_it_overcomes_both(self, rows):
        attacks = (STANDARD, RANKS, FOR_SWAPPING, FOR_AVERAGES)
        linked = {attack: rows[-1][attack] for attack in attacks}
        assert rows[-1]["holds"] == ("yes" if overcomes(linked) else "no")
        assert [row["file"] for row in rows[-2:]] == ["best first file", "evolved"]

    @pytest.mark.parametrize(
        ("swapping", "averages", "so"), [(50, 40, True), (51, 3, False), (3, 41, False)]
    )
    def test_it_overcomes_them_where_neither_gains_by_what_it_knows(self, swapping, averages, so):
        linked = {STANDARD: 40.0, RANKS: 50.0, FOR_SWAPPING: swapping, FOR_AVERAGES: averages}
        assert overcomes(linked) is so


def study_of(first, last, means=((30.0,), (20.0,))):
    scores = tuple(ScoreRange(i, 99.0, m, 1.0) for i, m in enumerate([50.0, *means[0]]))
    return FilesStudy(first, last, scores, (), 0, 0.0, np.zeros(1))


class TestClaims:
    def test_loss_and_risk_both_fall_or_do_not(self):
        assert claims.both_fall(study_of([(30, 40)], [(20, 30)])).holds
        assert not claims.both_fall(study_of([(30, 40)], [(20, 45)])).holds

    def test_pairs_fall_at_the_price_of_balance_or_do_not(self):
        first = [(30, 40), (20, 60)]
        assert claims.pairs_fall(study_of(first, [(25, 35), (5, 50)])).holds
        assert not claims.pairs_fall(study_of(first, [(25, 35), (30, 32)])).holds
        assert not claims.pairs_fall(study_of(first, [(35, 45), (20, 60)])).holds

    def test_one_operator_is_better_in_all_generations_or_not(self):
        low, high, crossing = (
            study_of([(1, 1)], [(1, 1)], (means,)) for means in ((20, 19), (30, 29), (21, 18))
        )
        assert claims.one_is_better([low, high, high]).holds
        told = claims.one_is_better([low, high, crossing])
        assert not told.holds
        assert "50" in told.told

    def test_balance_is_the_distance_of_loss_and_risk(self):
        even, uneven = study_of([(10, 50)], [(30, 31)]), study_of([(10, 50)], [(10, 40)])
        assert claims.more_balanced(even, uneven).holds
        assert not claims.more_balanced(uneven, even).holds
        assert claims.fewer_categories_less_balanced(
            {ADULT: even, HOUSING: even, GERMAN: uneven, FLARE: uneven}
        ).holds

    def test_a_hole_is_seen_and_filled_or_not(self):
        whole = study_of([(30, 30), (50, 10)], [(29, 29)])
        assert claims.has_a_hole(study_of([(50, 10)], [(32, 30)]), whole).holds
        assert not claims.has_a_hole(study_of([(50, 10)], [(50, 10)]), whole).holds

    @pytest.mark.parametrize("number", ["3.2", "3.6", "3.8", "3.10", "3.5"])
    def test_a_figure_has_what_the_thesis_says_beside_ours(self, reference, monkeypatch, number):
        reference("casc/tarragona.csv")
        monkeypatch.setattr("evomask_papers.files.figures.CONTINUOUS", (TARRAGONA,))
        for chart in reproduce(f"files-figure-{number}", share=0.002).charts:
            assert "Thesis: " in chart.reading
            assert "Ours: yes, " in chart.reading or "Ours: no, " in chart.reading
