import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.errors import ParameterError
from evomask.evolution.individual import FIRST, Individual, Task
from evomask.evolution.schemes import CROSS
from evomask.searches.grouping.baselines import one_group
from evomask.searches.grouping.genome import compact
from evomask.searches.grouping.operators import SizedGenes, Sizes, with_equal_k, with_majority_k
from evomask.searches.grouping.search import Parameters
from tests.searches.grouping.conftest import numbers
from tests.searches.grouping.test_search import ready, searched

SIZES = Sizes(4, 40)
seeds = st.integers(0, 2**32)


@st.composite
def sized_groupings(draw):
    labels = compact(np.array(draw(st.lists(st.integers(0, 8), min_size=5, max_size=5))))
    ks = draw(st.lists(st.integers(4, 40), min_size=5, max_size=5))
    return np.stack([labels, np.array(ks)[labels]])


def parent(genome):
    return Individual(genome, (1.0,), 0, FIRST, (), 0)


def is_sized(genome):
    """Groups without gaps, one k a group, every k allowed."""
    labels, ks = genome
    alike = all(len(set(ks[labels == g])) == 1 for g in range(labels.max() + 1))
    return alike and set(labels) == set(range(labels.max() + 1)) and 4 <= ks.min() <= ks.max() <= 40


@pytest.mark.parametrize("operator", [CROSS, *SizedGenes.mutations])
@given(first=sized_groupings(), second=sized_groupings(), seed=seeds)
def test_children_have_one_allowed_k_for_each_group(operator, first, second, seed):
    before = first.copy(), second.copy()
    task = Task(operator, (parent(first), parent(second)))
    child = SizedGenes(5, SIZES).child(task, np.random.default_rng(seed))
    assert is_sized(child)
    assert np.array_equal(first, before[0])
    assert np.array_equal(second, before[1])


@given(sized_groupings(), seeds)
def test_resizing_changes_the_k_of_one_group_and_nothing_else(genome, seed):
    task = Task("resize", (parent(genome),))
    child = SizedGenes(5, SIZES).child(task, np.random.default_rng(seed))
    assert np.array_equal(child[0], genome[0])
    changed = child[1] != genome[1]
    assert len(set(genome[0][changed])) <= 1


def test_a_new_group_has_the_k_that_most_of_its_attributes_had():
    labels = np.array([0, 0, 0, 1, 1])
    assert with_majority_k(labels, np.array([5, 9, 9, 7, 6])).tolist()[1] == [9, 9, 9, 6, 6]


def test_known_groupings_come_first_with_the_least_k():
    genes = SizedGenes(3, SIZES, (one_group(np.eye(3)),))
    first = genes.child(Task(FIRST, (), 0), np.random.default_rng(1))
    assert first.tolist() == [[0, 0, 0], [4, 4, 4]]


def test_every_first_genome_is_allowed():
    genes = SizedGenes(5, SIZES)
    made = [genes.child(Task(FIRST, (), i), np.random.default_rng(i)) for i in range(50)]
    assert all(is_sized(genome) for genome in made)
    assert len({genes.identity(genome) for genome in made}) > 40


def test_two_genomes_of_the_same_groups_and_sizes_are_the_same():
    genes = SizedGenes(3, SIZES)
    one, other = np.array([[0, 1, 0], [4, 9, 4]]), np.array([[1, 0, 1], [4, 9, 4]])
    assert genes.identity(one) == genes.identity(other)
    assert genes.identity(one) != genes.identity(np.array([[0, 1, 0], [4, 8, 4]]))


def test_groups_of_one_size_cost_what_the_plain_search_says(table):
    grouping = np.array([0, 1, 0, 2, 1, 0])
    plain, sized = ready(table).problem, ready(table, own_k=True).problem
    assert sized.fitness(with_equal_k(grouping, 4)) == plain.fitness(grouping)


def test_every_group_of_the_masked_file_has_as_many_equals_as_its_k(table):
    setup, state = searched(table, own_k=True, adaptive=True)
    genome = state.population[-1].genome
    masked = setup.problem.decode(genome, 0)
    told = setup.problem.answer(genome)
    for names, k in zip(told["groups"], told["sizes"], strict=True):
        _, counts = np.unique(masked.matrix(names), axis=0, return_counts=True)
        assert counts.min() >= k >= 4


def test_with_own_k_it_is_never_worse_than_its_known_groupings(table):
    setup, state = searched(table, own_k=True)
    told = setup.problem.answer(min(state.population, key=lambda m: sum(m.fitness)).genome)
    assert all(told["score"] <= known["score"] for known in told["baselines"].values())


def test_adaptive_rates_spend_as_many_evaluations_as_fixed_ones(table):
    _, fixed = searched(table, 5)
    _, adaptive = searched(table, 5, adaptive=True)
    assert fixed.evaluations == adaptive.evaluations


def test_screening_measures_no_more_and_finds_no_clone_of_a_parent(table):
    setup, state = searched(table, 5, own_k=True, screen=4, sample=30, adaptive=True)
    assert setup.problem.screening.children == 4
    assert state.evaluations == 12 + 5 * (2 * 4 + 5 * 2)


def test_a_small_file_is_not_sampled():
    assert ready(numbers(40, 3), screen=4, sample=40).problem.screening is None


def test_what_a_sample_promises_orders_groupings_nearly_as_all_records_do():
    """Spearman's correlation over twenty groupings of four hundred records."""
    problem = ready(numbers(400, 6), own_k=True, screen=2, sample=150).problem
    genes, sample = problem.genes, problem.screening.sample
    made = [genes.child(Task(FIRST, (), 9 + i), np.random.default_rng(i)) for i in range(20)]
    costs = [[sum(p.fitness(genome)) for genome in made] for p in (problem, sample)]
    ranks = np.argsort(np.argsort(costs, axis=1), axis=1)
    assert np.corrcoef(ranks)[0, 1] > 0.6


@pytest.mark.parametrize(
    "wrong",
    [
        {"dynamic": True, "adaptive": True},
        {"largest": 50},
        {"own_k": True, "largest": 3, "k": 4},
        {"screen": 0},
        {"k": 25, "sample": 40},
    ],
)
def test_settings_that_contradict_each_other_are_refused(wrong):
    with pytest.raises(ParameterError):
        Parameters(**wrong)


def test_the_largest_k_leaves_two_groups_in_a_small_file():
    assert ready(numbers(30, 3), k=5, own_k=True).problem.genes.sizes == Sizes(5, 15)
