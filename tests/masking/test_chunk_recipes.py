"""Recipes for files in parts: every step can be made without the whole file."""

import numpy as np
import pytest

from evomask.data.hierarchy import hierarchy_from_lines
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.masking.chunk_recipes import (
    fit_recipes,
    guaranteed_k,
    in_order,
    recipes_for,
    split_recipe,
)
from evomask.masking.method import FileStatistics, Fittable, NumberStatistics
from evomask.masking.microaggregation.mdav import Mdav

QUASI = Role.QUASI_IDENTIFIER
NUMBERS = (Attribute("a", Kind.CONTINUOUS, QUASI), Attribute("b", Kind.CONTINUOUS, QUASI))
CATEGORY = Attribute("c", Kind.ORDINAL, QUASI, ("1", "2", "3", "4"))
TREES = {
    "c": hierarchy_from_lines(
        [("1", "low", "*"), ("2", "low", "*"), ("3", "up", "*"), ("4", "up", "*")]
    )
}


def table(*attributes, n=200):
    rng = np.random.default_rng(1)
    columns = {
        a.name: rng.integers(0, 4, n).astype(np.int32) if a.is_categorical else rng.normal(size=n)
        for a in attributes
    }
    return Table(Schema(attributes), columns)


def statistics(of):
    numbers = {
        a.name: NumberStatistics(*np.unique(of.values(a.name), return_counts=True))
        for a in of.schema
        if not a.is_categorical
    }
    frequencies = {
        a.name: np.bincount(of.codes(a.name), minlength=len(a.categories)).astype(float)
        for a in of.schema
        if a.is_categorical
    }
    return FileStatistics(numbers, frequencies)


@pytest.mark.parametrize("attributes", [NUMBERS, (CATEGORY,), (*NUMBERS, CATEGORY)])
def test_every_recipe_masks_a_part_by_what_is_known_of_the_whole(attributes):
    own = table(*attributes)
    part, known = own.take(np.arange(50)), statistics(own)
    recipes = recipes_for(own, TREES)
    assert len(recipes) > 10
    for recipe in recipes:
        grouping, others = split_recipe(recipe.method)
        assert all(isinstance(step, Fittable) for step in others)
        assert len(others) + (grouping is not None) >= 1
        if grouping is None:
            (ready,) = fit_recipes([recipe.method], known)
            assert len(ready.mask(part, np.random.default_rng(2))) == 50


def test_both_kinds_are_masked_by_every_recipe_of_a_mixed_file():
    own = table(*NUMBERS, CATEGORY)
    assert all(set(r.method.attributes) == {"a", "b", "c"} for r in recipes_for(own, TREES))


def test_only_groups_of_all_quasi_identifiers_promise_k():
    own = table(*NUMBERS)
    wanted = [recipe.method for recipe in recipes_for(own, {}, k=5)]
    assert wanted
    assert all(isinstance(method, Mdav) and method.k >= 5 for method in wanted)
    assert recipes_for(table(*NUMBERS, CATEGORY), TREES, k=5) == ()
    assert guaranteed_k(Mdav(("a",), 7), ("a", "b")) == 1


def test_families_are_tried_in_turn_and_every_recipe_once():
    recipes = recipes_for(table(*NUMBERS, CATEGORY), TREES)
    order = in_order(recipes, np.random.default_rng(3))
    assert sorted(order) == list(range(len(recipes)))
    families = {recipe.family for recipe in recipes}
    assert {recipes[number].family for number in order[: len(families)]} == families
