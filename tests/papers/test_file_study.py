import pytest

from evomask.evolution.stopping import Budget
from evomask.searches.files.search import Algorithm, Parameters
from evomask_papers.file_study import study_files
from tests.tables import mixed

TABLE = mixed(30)


@pytest.fixture(scope="module")
def study():
    return study_files(
        TABLE, Parameters(Algorithm.THESIS, first=10), Budget(generations=12), seed=1
    )


def test_every_generation_has_its_spread(study):
    assert [spread.generation for spread in study.scores] == list(range(13))
    assert all(one.smallest <= one.mean <= one.largest for one in study.scores)


def test_the_spreads_are_those_of_the_populations(study):
    for population, spread in ((study.first, study.scores[0]), (study.last, study.scores[-1])):
        assert min(map(max, population)) == spread.smallest
        assert max(map(max, population)) == spread.largest


def test_every_generation_has_its_time(study):
    assert {turn.operator for turn in study.turns} == {"mutate", "cross"}
    crossing = study.timing("cross", lambda turn: turn.fitness)
    assert 0 < crossing.least <= crossing.mean <= crossing.most
    assert study.timing("polish", lambda turn: turn.fitness) is None


def test_both_figures_can_be_drawn(study):
    points = study.map("figure-3-2", "Populations")
    assert len(points.series[0].x) == len(study.first)
    lines = study.evolution("figure-3-3", "Scores")
    assert lines.series[2].y[-1] == study.scores[-1].smallest


def test_without_the_best_the_first_population_is_told_without_them():
    whole = study_files(TABLE, Parameters(burst=50, first=20), Budget(generations=1), seed=1)
    parted = study_files(
        TABLE, Parameters(burst=50, first=20, without_best=10.0), Budget(generations=1), seed=1
    )
    assert len(parted.first) == len(whole.first) - round(len(whole.first) / 10)
    assert parted.scores[0].smallest >= whole.scores[0].smallest
