"""Two fidelities: a sample of neighbours, trials on it, and promotion by promise."""

from dataclasses import replace

import numpy as np
import pytest

from evomask.data.frames import Declaration
from evomask.data.schema import Kind, Role
from evomask.evolution.individual import Individual
from evomask.evolution.stopping import Budget
from evomask.execution.local import InProcess, Local
from evomask.masking.guarantees.requirement import Requirement
from evomask.portfolio.members import members_for
from evomask.portfolio.portfolio import Portfolio
from evomask.portfolio.sample import blocks_of, promising, sample_of
from evomask.portfolio.state import PortfolioCodec, PortfolioState
from evomask.portfolio.worker import Make, Maker, Settings, Try
from evomask.runs.kept.journal import Journal
from evomask.searches.grid.search import paired
from evomask.searches.search import File
from tests.portfolio.test_portfolio import people, table_of


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
    members = members_for(File(table, requirement, "strict"), searches)
    return Maker(table, Settings(requirement, "strict", members, sample=sample), seed)


def explored(maker, evaluations=30, work=None):
    portfolio = Portfolio(maker, Budget(None, evaluations), Journal(), work or InProcess(maker))
    return list(portfolio.states(PortfolioState()))


@pytest.fixture(scope="module")
def states():
    return explored(large(mixed()))


def test_blocks_hold_every_record_once_and_are_of_about_the_same_size():
    points = np.random.default_rng(1).normal(size=(5000, 3))
    blocks = blocks_of(points, 100)
    assert np.array_equal(np.sort(np.concatenate(blocks)), np.arange(5000))
    sizes = [len(block) for block in blocks]
    assert max(sizes) - min(sizes) <= 1
    assert 50 <= min(sizes) <= 200


def test_records_of_a_block_are_nearer_to_one_another_than_to_others():
    points = np.random.default_rng(1).normal(size=(4000, 2))
    spreads = [points[block].var(axis=0).sum() for block in blocks_of(points, 250)]
    assert np.mean(spreads) < 0.2 * points.var(axis=0).sum()


def test_people_have_their_look_alikes_in_the_sample():
    table = mixed(8000)
    points = np.column_stack([table.values("age"), table.values("income") / 20.0])
    drawn = np.sort(np.random.default_rng(3).permutation(8000)[:1000])

    def nearest(rows):
        own = points[rows]
        apart = ((own[:, None] - own[None]) ** 2).sum(axis=2)
        np.fill_diagonal(apart, np.inf)
        return apart.min(axis=1).mean()

    assert nearest(sample_of(table, 1000)) < 0.7 * nearest(drawn)


def test_a_file_with_strata_has_no_sample():
    stratum = Declaration(Kind.NOMINAL, Role.STRATUM)
    table = table_of(people(900, region=nominal(2)[1]), region=stratum)
    assert len(sample_of(table, 100)) == 0


def test_a_small_file_has_no_sample():
    assert large(mixed(500)).small is None
    assert large(mixed(900)).small is not None


def test_what_nothing_beats_on_the_sample_is_promoted_first():
    own = [Individual(None, (0.0,), serial, "first", (), 0) for serial in range(4)]
    trials = {
        "grid": dict(enumerate([(50.0, 50.0), (10.0, 30.0), (20.0, 20.0), (21.0, 21.0)])),
        "other": {0: (5.0, 25.0)},
    }
    chosen = promising(trials, "grid", own, 3)
    assert [individual.serial for individual in chosen] == [2, 1, 3]


def test_every_pair_of_a_method_for_numbers_and_one_for_categories_is_a_recipe():
    pairs = [grid.method.methods for grid in paired(mixed())]
    assert len(pairs) >= 200
    assert len({repr(pair) for pair in pairs}) == len(pairs)
    assert list(paired(table_of(people()))) == []


def test_more_is_tried_on_the_sample_than_is_made(states):
    own = [row for row in states[-1].rounds if row.member == "grid"]
    assert sum(row.trials for row in own) >= 3 * sum(row.files for row in own) > 0


def test_every_point_of_the_front_was_measured_on_the_whole_file(states):
    maker, last = large(mixed()), states[-1]
    for point in last.front:
        again = maker(Make(point.member, last.genomes[point.number]), 0)
        assert (again.loss, again.risk) == (point.loss, point.risk)


def test_a_trial_is_the_same_recipe_on_the_sample_alone():
    maker = large(mixed())
    alone = replace(maker, table=maker.table.take(maker.sample), _setups={})
    assert maker(Try("grid", 5), 0) == alone(Make("grid", 5), 0)


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
