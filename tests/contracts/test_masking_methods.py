"""The laws that every masking method obeys, run over the whole catalogue."""

from dataclasses import replace

import numpy as np
import pytest

from evomask.data.hierarchy import Hierarchy
from evomask.data.partition import group_sizes
from evomask.data.schema import Kind
from evomask.errors import ParameterError
from evomask.masking.catalogue import METHODS, method_named
from evomask.masking.composition import InTurn, Stratified, StratifiedMicroaggregation
from evomask.masking.local_suppression import LocalSuppression, Matching
from evomask.masking.microaggregation.mdav_generic import MdavGeneric
from evomask.masking.microaggregation.mondrian import Cut, Mondrian
from evomask.masking.randomization.pram import Pram
from evomask.masking.rank_swapping import RankSwapping
from tests.tables import mixed

TABLE = mixed()
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
    **{f"suppression, {m}": LocalSuppression(("school", "region"), 8, m) for m in Matching},
    **{f"{name}, one value": with_one_value(name)
       for name in ("mondrian", "global-recoding", "top-coding", "bottom-coding")},
}  # fmt: skip
ALL = {**CATALOGUE, **OTHERS}
GROUPING = {name: method for name, method in ALL.items() if hasattr(method, "partition")}
WITH_K = {name: method for name, method in GROUPING.items() if hasattr(method, "k")}


@pytest.fixture(params=ALL.values(), ids=ALL)
def method(request):
    return request.param


class TestEveryMaskingMethod:
    def test_keeps_names_order_and_roles(self, method):
        masked = method.mask(TABLE, np.random.default_rng(1))
        assert [(a.name, a.role) for a in masked.schema] == [(a.name, a.role) for a in TABLE.schema]

    def test_keeps_the_number_of_records(self, method):
        assert len(method.mask(TABLE, np.random.default_rng(1))) == len(TABLE)

    def test_leaves_other_attributes_alone(self, method):
        masked = method.mask(TABLE, np.random.default_rng(1))
        for name in set(TABLE.schema.names) - set(method.attributes):
            assert masked[name].tobytes() == TABLE[name].tobytes()

    def test_leaves_its_argument_alone(self, method):
        table = mixed()
        method.mask(table, np.random.default_rng(1))
        for name in table.schema.names:
            assert np.array_equal(table[name], TABLE[name], equal_nan=table[name].dtype.kind == "f")

    def test_makes_the_same_file_from_the_same_seed(self, method):
        first, second = (method.mask(TABLE, np.random.default_rng(5)) for _ in range(2))
        for name in TABLE.schema.names:
            assert first[name].tobytes() == second[name].tobytes()

    def test_stays_in_the_domain_or_says_what_a_cell_stands_for(self, method):
        masked = method.mask(TABLE, np.random.default_rng(1))
        for name in method.attributes:
            if name in masked.recodings:
                assert masked[name].max() < len(masked.recodings[name].labels)
            elif TABLE.attribute(name).kind is Kind.CONTINUOUS:
                known = TABLE[name][~np.isnan(TABLE[name])]
                released = masked[name][~np.isnan(masked[name])]
                assert released.min() >= known.min()
                assert released.max() <= known.max()
            else:
                assert set(masked[name]) <= set(range(len(TABLE.attribute(name).categories)))


@pytest.mark.parametrize("method", GROUPING.values(), ids=GROUPING)
class TestEveryMicroaggregation:
    def test_groups_are_numbered_without_gaps(self, method):
        labels = method.partition(TABLE, np.random.default_rng(1))
        assert len(labels) == len(TABLE)
        assert set(labels) == set(range(labels.max() + 1))

    def test_releases_the_records_of_a_group_alike(self, method):
        labels = method.partition(TABLE, np.random.default_rng(1))
        masked = method.mask(TABLE, np.random.default_rng(1))
        together = np.column_stack([labels, *(masked[name] for name in method.attributes)])
        assert len(np.unique(together, axis=0)) == labels.max() + 1


@pytest.mark.parametrize("method", WITH_K.values(), ids=WITH_K)
class TestEveryMicroaggregationOfK:
    def test_groups_hold_k_records(self, method):
        labels = method.partition(TABLE, np.random.default_rng(1))
        assert group_sizes(labels).min() >= method.k

    def test_refuses_more_than_all_records(self, method):
        with pytest.raises(ParameterError, match="k must not exceed the number of records"):
            replace(method, k=len(TABLE) + 1).mask(TABLE, np.random.default_rng(1))


@pytest.mark.parametrize("entry", METHODS, ids=lambda entry: entry.name)
def test_every_method_explains_itself(entry):
    assert entry.summary.endswith(".")
    assert all(parameter.meaning for parameter in entry.parameters)
