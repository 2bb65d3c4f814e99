import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evomask.searches.generalization.uses import Recipe, Recipes, pack_recipe, unpack_recipe
from tests.searches.generalization.lattices import small_lattice

LATTICE = small_lattice()
RECIPES = Recipes(LATTICE, (2, 5))
seeds = st.integers(0, 2**32)


@st.composite
def recipes(draw):
    number, seed = draw(st.integers(0, 20)), draw(seeds)
    return RECIPES.first(number, np.random.default_rng(seed))


def is_whole(recipe):
    """A node inside the lattice, or a group size and a price for each attribute."""
    if recipe.is_local:
        return 2 <= recipe.k <= 40 and len(recipe.prices) == 3 and min(recipe.prices) > 0
    return len(recipe.levels) == 3 and (np.array(recipe.levels) <= LATTICE.heights).all()


def test_local_recoding_of_every_size_and_both_ends_of_the_lattice_come_first():
    made = [RECIPES.first(i, np.random.default_rng(0)) for i in range(4)]
    assert [recipe.k for recipe in made[:2]] == [2, 5]
    assert [recipe.levels for recipe in made[2:]] == [LATTICE.top, (0, 0, 0)]


@given(recipes(), recipes(), seeds)
def test_children_are_whole_recipes(first, second, seed):
    rng = np.random.default_rng(seed)
    assert is_whole(RECIPES.mutate(first, rng))
    assert is_whole(RECIPES.cross_pair(first, second, rng))


@given(recipes(), recipes(), seeds)
def test_a_child_is_of_its_first_parents_kind(first, second, seed):
    child = RECIPES.cross_pair(first, second, np.random.default_rng(seed))
    assert child.is_local == first.is_local


@given(recipes())
def test_what_was_packed_is_unpacked(recipe):
    assert unpack_recipe(pack_recipe(recipe)) == recipe


def test_mutation_reaches_other_sizes_and_other_prices():
    parent = Recipe(k=5, prices=(1.0, 1.0, 1.0))
    made = [RECIPES.mutate(parent, np.random.default_rng(seed)) for seed in range(40)]
    assert len({recipe.k for recipe in made}) > 5
    assert len({recipe.prices for recipe in made}) > 5
