"""Clustering before protecting: recipes, their operators, and what is found."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evomask.data.classes import classes_of
from evomask.data.clustering import Clusterer
from evomask.data.edits import rules_of
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.individual import ScoreRule
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.stopping import generations
from evomask.evolution.streams import draw_stream
from evomask.execution.local import InProcess
from evomask.masking.microaggregation.clustered import (
    ClusteredGlobalMedian,
    ClusteredMicroaggregation,
)
from evomask.measures.profiles import RiskProfile
from evomask.searches.base import SearchContext
from evomask.searches.clustered.problem import (
    CLUSTERS,
    START,
    ClusterMethod,
    K,
    RecipeSpace,
    cross,
    draw_recipe,
    log_spaced,
    redraw,
    step,
)
from evomask.searches.clustered.search import (
    ClusteredSearch,
    LossOf,
    Parameters,
    WantedClustering,
    WantedMethod,
)

SPACE = RecipeSpace(tuple(ClusterMethod), tuple(Clusterer), 4, 9, 2, 30)
SMALL = {"population": 4, "children": 4, "most_k": 12, "most_clusters": 6, "restarts": 2}
seeds = st.integers(0, 2**32)


def people(n_records=80, kinds=(Kind.ORDINAL, Kind.ORDINAL), edits=(), seed=0):
    rng = np.random.default_rng(seed)
    names = [f"v{j}" for j in range(len(kinds))]
    schema = Schema(
        tuple(
            Attribute(name, kind, Role.QUASI_IDENTIFIER, tuple(str(c) for c in range(8)))
            for name, kind in zip(names, kinds, strict=True)
        ),
        tuple(edits),
    )
    first = rng.integers(0, 8, n_records)
    columns = [first, *(np.minimum(7, first + rng.integers(0, 4, n_records)) for _ in names[1:])]
    return Table(schema, dict(zip(names, columns, strict=True)))


def ready(table, **wanted):
    around = SearchContext(lambda number: draw_stream(1, number))
    return ClusteredSearch.setup(table, Parameters(**{**SMALL, **wanted}), around)


def searched(table, until=4, seed=1, **wanted):
    setup = ready(table, **wanted)
    work = InProcess(Worker(setup.problem, seed))
    state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    until = generations(until)
    return setup, evolve(state, setup.scheme, work, seed=seed, until=until, cost=setup.cost)


def inside(recipe):
    return bool((recipe >= SPACE.lowest).all() and (recipe <= SPACE.highest).all())


class TestOperators:
    @given(seeds)
    def test_drawn_recipes_lie_in_the_space(self, seed):
        assert inside(draw_recipe(SPACE, np.random.default_rng(seed)))

    @given(seeds)
    def test_a_step_changes_one_count_at_most(self, seed):
        parent = draw_recipe(SPACE, np.random.default_rng(seed))
        child = step(parent, SPACE, np.random.default_rng(seed + 1))
        changed = set(np.flatnonzero(child != parent).tolist())
        assert inside(child)
        assert changed in (set(), {CLUSTERS}, {K})

    @given(seeds)
    def test_a_step_inside_the_space_always_moves(self, seed):
        parent = np.array([0, 0, 0, 5, 10])
        child = step(parent, SPACE, np.random.default_rng(seed))
        assert not np.array_equal(child, parent)

    @given(seeds)
    def test_redrawing_changes_one_gene_at_most(self, seed):
        parent = draw_recipe(SPACE, np.random.default_rng(seed))
        child = redraw(parent, SPACE, np.random.default_rng(seed + 1))
        assert inside(child)
        assert np.sum(child != parent) <= 1

    def test_where_there_is_no_choice_redrawing_clones(self):
        only = RecipeSpace((ClusterMethod.GLOBAL_MEDIAN,), (Clusterer.TREE,), 1, 1, 5, 5)
        parent = only.lowest
        assert redraw(parent, only, np.random.default_rng(0)).tolist() == parent.tolist()

    @given(seeds)
    def test_crossing_takes_every_gene_from_a_parent(self, seed):
        rng = np.random.default_rng(seed)
        one, other = draw_recipe(SPACE, rng), draw_recipe(SPACE, rng)
        child = cross(one, other, rng)
        assert ((child == one) | (child == other)).all()

    @given(seeds)
    def test_the_two_children_of_a_crossing_share_all_genes(self, seed):
        one, other = (draw_recipe(SPACE, np.random.default_rng(seed + i)) for i in range(2))
        children = [
            cross(*parents, np.random.default_rng(seed)) for parents in ((one, other), (other, one))
        ]
        assert np.array_equal(children[0] + children[1], one + other)

    def test_parents_are_left_alone(self):
        parent = draw_recipe(SPACE, np.random.default_rng(0))
        before = parent.copy()
        for change in (step, redraw):
            change(parent, SPACE, np.random.default_rng(1))
        assert np.array_equal(parent, before)


class TestGrid:
    def test_gaps_grow(self):
        assert list(log_spaced(2, 32, 5)) == [2, 4, 8, 16, 32]

    def test_it_holds_every_choice(self):
        grid = SPACE.grid(3)
        assert len(grid) == 2 * 3 * 3 * 3
        assert {tuple(recipe) for recipe in grid} == {tuple(r) for r in grid if inside(r)}

    def test_an_exhaustive_search_tries_all_of_it_once(self):
        setup, state = searched(people(), 20, exhaustive=True, levels=3)
        assert state.tasks == 2 * 3 * 3 * 3
        cost = min(setup.cost(setup.problem.fitness(r)) for r in setup.problem.first)
        assert state.summary.best == cost


class TestFiles:
    @pytest.mark.parametrize("method", [ClusteredMicroaggregation, ClusteredGlobalMedian])
    @pytest.mark.parametrize("clusterer", list(Clusterer))
    def test_a_recipe_makes_the_file_of_the_masking_method(self, method, clusterer):
        table = people()
        problem = ready(table).problem
        number = list(problem.space.clusterers).index(clusterer)
        choice = int(method is ClusteredGlobalMedian)
        found = problem.decode(np.array([choice, number, 3, 4, 5]), 0)
        names = table.schema.quasi_identifiers
        wanted = method(names, 5, 4, 2, clusterer).mask(table, draw_stream(1, 3))
        assert all(np.array_equal(found[name], wanted[name]) for name in names)

    @given(seeds)
    @settings(max_examples=10, deadline=None)
    def test_every_file_has_k_records_alike(self, seed):
        problem = ready(people()).problem
        recipe = draw_recipe(problem.space, np.random.default_rng(seed))
        masked = problem.decode(recipe, 0)
        assert classes_of(masked, masked.schema.quasi_identifiers).sizes.min() >= recipe[K]

    def test_edit_rules_hold_in_every_file(self):
        table = people(edits=("v0 <= v1",))
        problem = ready(table).problem
        for recipe in problem.space.grid(2):
            assert rules_of(table.schema).violations(problem.decode(recipe, 0)) == {}

    def test_a_tree_does_not_depend_on_the_start(self):
        problem = ready(people()).problem
        tree = problem.space.clusterers.index(Clusterer.TREE)
        files = [problem.decode(np.array([0, tree, start, 4, 3]), 0) for start in (0, 2)]
        assert np.array_equal(files[0]["v0"], files[1]["v0"])


class TestSearch:
    @pytest.mark.parametrize("joined", list(ScoreRule))
    @pytest.mark.parametrize("loss", list(LossOf))
    def test_any_loss_and_score_can_be_its_fitness(self, loss, joined):
        setup, state = searched(people(40), 2, score=joined, loss=loss, loss_clusters=3)
        told = setup.problem.read(state.population[0].genome, 0)
        parts = told["loss"], told["risk"]
        assert told["score"] == (max(parts) if joined is ScoreRule.WORST else sum(parts) / 2)

    def test_evolution_does_not_lose_what_it_began_with(self):
        setup, state = searched(people(), 6)
        first = [setup.cost(m.fitness) for m in searched(people(), 0)[1].population]
        assert state.summary.best <= min(first)

    def test_a_nominal_attribute_leaves_microaggregation(self):
        setup = ready(people(kinds=(Kind.ORDINAL, Kind.NOMINAL)))
        assert setup.problem.space.methods == (ClusterMethod.MICROAGGREGATION,)

    def test_the_global_median_of_a_nominal_attribute_is_refused(self):
        with pytest.raises(SchemaError, match="'v1' is nominal"):
            ready(people(kinds=(Kind.ORDINAL, Kind.NOMINAL)), method=WantedMethod.GLOBAL_MEDIAN)

    def test_numbers_are_refused(self):
        schema = Schema((Attribute("x", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),))
        with pytest.raises(SchemaError, match="'x' is continuous"):
            ready(Table(schema, {"x": np.arange(9.0)}))

    def test_k_above_the_number_of_records_is_refused(self):
        with pytest.raises(ParameterError, match="k must not exceed"):
            ready(people(5), least_k=6)

    def test_what_is_told_of_the_best_is_its_recipe(self):
        problem = ready(people()).problem
        recipe = problem.answer(np.array([1, 0, 2, 4, 5]))["recipe"]
        assert (recipe["method"], recipe["clustering"], recipe["k"]) == (
            "global-median",
            "c-medians",
            5,
        )

    def test_packed_recipes_come_back(self):
        problem = ready(people()).problem
        recipe = np.array([1, 0, 2, 4, 5])
        assert np.array_equal(problem.unpack(problem.pack(recipe)), recipe)
        assert recipe[START] == 2


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"most_k": 1}, "most_k must be at least least_k"),
        ({"starts": 0}, "starts must be at least 1"),
        ({"children": 3}, "children must be at least 4"),
        ({"levels": 1}, "levels must be at least 2"),
    ],
)
def test_impossible_parameters_are_refused(wrong, why):
    with pytest.raises(ParameterError, match=why):
        Parameters(**wrong)


def test_german_credit_is_balanced_better_than_in_the_thesis(reference):
    from evomask.data.frames import Declaration
    from evomask.io.tables import read_table

    names = ("EXISTACC", "SAVINGS", "PRESEMPLOY")
    ordinal = Declaration(kind=Kind.ORDINAL, role=Role.QUASI_IDENTIFIER)
    table = read_table(reference("uci/german_credit.csv"), dict.fromkeys(names, ordinal))
    thesis = {
        "method": WantedMethod.GLOBAL_MEDIAN,
        "clustering": WantedClustering.C_MEDIANS,
        "profile": RiskProfile.PAPERS,
    }
    wide = {"population": 16, "children": 16, "most_k": 100, "most_clusters": 60, "starts": 1}
    _, state = searched(table.only(names), 4, **thesis, **wide)
    assert state.summary.best <= 31.62
