"""Groups that never reach over two strata."""

import numpy as np
import pytest

from evomask.data.partition import group_sizes, within_sum_of_squares
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.stopping import Budget
from evomask.evolution.streams import draw_stream
from evomask.execution.local import InProcess
from evomask.kernels.groups.mdav import mdav
from evomask.searches.base import SearchContext
from evomask.searches.partition.search import Algorithm, Parameters, PartitionSearch

K = 4
SIZES = (45, 30, 25)


def town(sizes=SIZES):
    """People of several regions, in no order."""
    rng = np.random.default_rng(2)
    regions = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    schema = Schema(
        (
            Attribute("age", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
            Attribute("pay", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
            Attribute("region", Kind.NOMINAL, Role.STRATUM, tuple("abc"[: len(sizes)])),
        )
    )
    age, pay = rng.normal(size=(2, sum(sizes)))
    return Table(schema, {"age": age, "pay": pay, "region": regions})


def setup_of(table, budget=None, **wanted):
    around = SearchContext(lambda number: draw_stream(1, number), None, budget)
    return PartitionSearch.setup(table, Parameters(k=K, **wanted), around)


@pytest.fixture(scope="module")
def searched():
    table, budget = town(), Budget(generations=6)
    setup = setup_of(table, budget, burst=20_000)
    work = InProcess(Worker(setup.problem, 1))
    state = begin(setup.first, work, archive=setup.archive)
    return table, setup, evolve(state, setup.scheme, work, seed=1, until=budget.until(lambda _: 0))


def test_no_group_reaches_over_two_strata(searched):
    table, _, last = searched
    for member in last.population:
        assert group_sizes(member.genome).min() >= K
        pairs = set(zip(member.genome.tolist(), table["region"].tolist(), strict=True))
        assert len(pairs) == len(group_sizes(member.genome))


def test_every_operator_had_its_turn(searched):
    assert {"first", "anneal", "recombine", "resolve"} <= searched[2].ledger.births.keys()


def test_the_fitness_is_that_of_the_whole_partition(searched):
    _, setup, last = searched
    for member in last.population:
        expected = within_sum_of_squares(setup.problem.points, member.genome)
        assert member.fitness == (pytest.approx(expected),)


def test_it_beats_mdav_in_every_stratum_together(searched):
    _, setup, last = searched
    points = setup.problem.points
    alone = sum(
        within_sum_of_squares(points[own], mdav(points[own], K)) for own in setup.problem.strata
    )
    assert last.summary.best < alone


def test_bursts_are_shared_out_by_the_records_of_strata():
    problem = setup_of(town(), burst=10_000).problem
    assert [part.long for part in problem.parts] == [10_000 * n // sum(SIZES) for n in SIZES]


def test_a_trial_takes_about_as_many_steps_as_told():
    problem = setup_of(town(), burst=10_000).problem
    assert problem.run_trial(problem.construct(0), 50_000) == pytest.approx(50_000, rel=0.05)


def test_it_says_that_groups_lie_within_strata(searched):
    _, setup, last = searched
    assert setup.problem.making(last.population[0].genome).strata == ("region",)


def test_a_stratum_of_fewer_than_k_records_is_refused():
    with pytest.raises(ParameterError, match="within a stratum: k must not exceed"):
        setup_of(town((40, 3)))


def test_an_algorithm_that_ignores_strata_says_so():
    with pytest.warns(UserWarning, match="partition by mdav ignores the strata of reg"):
        setup_of(town(), algorithm=Algorithm.MDAV)


@pytest.mark.filterwarnings("error")
def test_the_memetic_algorithm_has_nothing_to_say_of_strata():
    assert setup_of(town()).first
