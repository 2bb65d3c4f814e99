"""Laws of masking methods, checked on the whole catalogue."""

import numpy as np
import pytest

from evomask.data.hierarchy import Hierarchy
from evomask.masking.catalogue import METHODS, method_named
from evomask.masking.composition import InTurn, Stratified, StratifiedMicroaggregation
from evomask.masking.local_suppression import LocalSuppression, SuppressionMatching
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.microaggregation.mondrian import Cut, Mondrian
from evomask.masking.randomization.pram import Pram
from evomask.masking.rank_swapping import RankSwapping
from evomask.testing import check_method, example_table

TABLE = example_table()
QUASI = TABLE.schema.quasi_identifiers


def method_of(entry):
    names = [name for name in QUASI if TABLE.attribute(name).kind in entry.kinds]
    trees = {"school": tree("school"), "region": tree("region")}
    matrices = {"school": np.full((4, 4), 0.25), "region": np.full((4, 4), 0.25)}
    return entry.build(names, {}, {"hierarchies": trees, "matrices": matrices})


def tree(name):
    categories = TABLE.attribute(name).categories
    return Hierarchy(categories, (categories, tuple("any" for _ in categories)))


def with_one_value(name):
    return method_named(name).build(["school"], {"release": "value"})


CATALOGUE = {entry.name: method_of(entry) for entry in METHODS}
OTHERS = {
    "invariant pram": Pram(("school", "region"), invariant=True),
    "in turn": InTurn((CATALOGUE["pram"], CATALOGUE["independent-noise"])),
    "stratified": Stratified(RankSwapping(("age", "income"), 20), ("region",)),
    "stratified sets": Stratified(Mondrian(("age", "school"), 3), ("region",)),
    "stratified groups": StratifiedMicroaggregation(MdavGeneric(("age",), 3), ("region",)),
    "relaxed": Mondrian(QUASI, 5, Cut.RELAXED),
    "weighted": MdavGeneric(QUASI, 3, "weight"),
    **{
        f"suppression, {matching}": LocalSuppression(("school", "region"), 8, matching)
        for matching in SuppressionMatching
    },
    **{
        f"{name}, one value": with_one_value(name)
        for name in ("mondrian", "global-recoding", "top-coding", "bottom-coding")
    },
}
ALL = {**CATALOGUE, **OTHERS}


@pytest.mark.parametrize("method", ALL.values(), ids=ALL)
def test_every_masking_method_obeys_the_laws(method):
    check_method(method)


@pytest.mark.parametrize("entry", METHODS, ids=lambda entry: entry.name)
def test_every_method_explains_itself(entry):
    assert entry.summary.endswith(".")
    assert all(parameter.meaning for parameter in entry.parameters)
