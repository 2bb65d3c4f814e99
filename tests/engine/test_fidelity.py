"""Two fidelities: a sample, trials on it, and promotion by promise."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from evomask.data.frames import Declaration
from evomask.data.schema import Kind, Role
from evomask.engine.evaluation import EvaluationContext, Make, Settings, Try, sample_of
from evomask.engine.portfolio import Portfolio, most_promising
from evomask.engine.specialists import specialists_for
from evomask.engine.state import PortfolioCodec, PortfolioState
from evomask.evolution.individual import Individual
from evomask.evolution.stopping import Budget
from evomask.execution.local import InProcess, Local
from evomask.masking.enforce.requirement import Requirement
from evomask.runs.store.journal import Journal
from evomask.searches.base import SearchInput
from evomask.searches.grid.search import method_pairs
from tests.engine.test_portfolio import people, table_of


def nominal(categories):
    return Declaration(Kind.NOMINAL, Role.QUASI_IDENTIFIER), (
        lambda rng, n: rng.choice([f"c{i}" for i in range(categories)], n)
    )


def mixed(count=900):
    """Numbers and categories of many people, who are all quasi-identified by them."""
    declaration, draw = nominal(4)
    return table_of(people(count, kind=draw), kind=declaration)


def large(table, searches=("grid", "partition"), sample=150, seed=11):
    """A maker for which a small table is a large one."""
    requirement = Requirement(k=3)
    members = specialists_for(SearchInput(table, requirement, "strict"), searches)
    return EvaluationContext(table, Settings(requirement, "strict", members, sample=sample), seed)


def explored(maker, evaluations=30, work=None):
    portfolio = Portfolio(maker, Budget(None, evaluations), Journal(), work or InProcess(maker))
    return list(portfolio.states(PortfolioState()))


@pytest.fixture(scope="module")
def states():
    return explored(large(mixed()))


def test_a_smaller_sample_is_part_of_a_larger_one_and_always_the_same():
    table = mixed(2000)
    small, large_one = sample_of(table, 100), sample_of(table, 700)
    assert len(set(small)) == 100
    assert set(small) < set(large_one)
    assert np.array_equal(small, sample_of(table, 100))


def test_a_file_with_strata_has_no_sample():
    stratum = Declaration(Kind.NOMINAL, Role.STRATUM)
    table = table_of(people(900, region=nominal(2)[1]), region=stratum)
    assert len(sample_of(table, 100)) == 0


def test_a_small_file_has_no_sample():
    assert large(mixed(299)).small is None
    assert len(large(mixed(300)).sample) == 75
    assert len(large(mixed(900)).sample) == 150


def test_what_nothing_beats_on_the_sample_is_promoted_first():
    own = [Individual(None, (0.0,), serial, "first", (), 0) for serial in range(4)]
    trials = {
        "grid": dict(enumerate([(50.0, 50.0), (10.0, 30.0), (20.0, 20.0), (21.0, 21.0)])),
        "other": {0: (5.0, 25.0)},
    }
    chosen = most_promising(trials, "grid", own, 3)
    assert [individual.serial for individual in chosen] == [2, 1, 3]


def test_every_pair_of_a_method_for_numbers_and_one_for_categories_is_a_recipe():
    pairs = [grid.method.methods for grid in method_pairs(mixed())]
    assert len(pairs) >= 200
    assert len({repr(pair) for pair in pairs}) == len(pairs)
    assert list(method_pairs(table_of(people()))) == []


def test_more_is_tried_on_the_sample_than_is_made(states):
    own = [row for row in states[-1].rounds if row.member == "grid"]
    assert sum(row.trials for row in own) >= 2 * sum(row.files for row in own) > 0


def test_every_point_of_the_front_was_measured_on_the_whole_file(states):
    maker, last = large(mixed()), states[-1]
    for point in last.front:
        again = maker(Make(point.member, last.genomes[point.number]), 0)
        assert (again.loss, again.risk) == (point.loss, point.risk)


@pytest.mark.parametrize("middle", [400, 900])
def test_a_trial_is_a_recipe_of_many_records_repaired_on_the_sample(middle):
    maker = large(mixed())
    maker = replace(maker, settings=replace(maker.settings, middle=middle))
    many = sample_of(maker.table, middle)
    assert len(maker.middle.table) == middle
    assert np.array_equal(many[maker._positions_of_sample], maker.sample)
    decode = maker.middle.setup("grid").problem.sampled(maker._positions_of_sample)
    repaired = maker.small.releasable(decode(5, 0))
    assert maker(Try("grid", 5), 0) == maker.small.measured(repaired)


def test_searches_of_groups_of_records_work_on_the_whole_file():
    maker = large(mixed())
    assert maker.breeder("partition-3") is maker
    assert maker.breeder("grid") is maker.small


def test_the_same_seed_tries_and_makes_the_same_on_any_number_of_workers(states):
    maker = large(mixed())
    with Local(2)(maker) as work:
        again = explored(maker, work=work)
    assert again[-1].rounds == states[-1].rounds
    assert again[-1].tried == states[-1].tried
    assert list(again[-1].candidates) == list(states[-1].candidates)


def test_trials_are_kept_with_the_state(states):
    codec = PortfolioCodec(large(mixed()))
    assert codec.load(codec.save(states[-1])).tried == states[-1].tried


def test_trials_cost_as_little_as_the_sample_is_small(states):
    share = len(large(mixed()).sample) / 900
    first = states[0].summary
    assert 0.1 < share < 0.25
    assert first.cost == np.ceil(first.trials * share) + first.files


def test_under_a_clock_few_recipes_are_tried_before_there_is_a_front():
    maker, journal = large(mixed()), Journal()
    journal.start()
    portfolio = Portfolio(maker, Budget(seconds=60.0), journal, InProcess(maker))
    first, second = islice(portfolio.states(PortfolioState()), 2)
    assert first.summary.trials == 1
    assert first.front
    assert second.summary.trials > first.summary.trials
