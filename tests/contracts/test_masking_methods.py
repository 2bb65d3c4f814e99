"""The laws that every masking method obeys, run over the whole catalogue."""

import numpy as np
import pytest

from evomask.data.schema import Kind
from evomask.runs.methods import METHODS
from tests.tables import mixed

TABLE = mixed()
QUASI = TABLE.schema.quasi_identifiers


def method_of(entry):
    names = [name for name in QUASI if TABLE.attribute(name).kind in entry.kinds]
    return entry.build(names, {})


@pytest.fixture(params=METHODS, ids=lambda entry: entry.name)
def method(request):
    return method_of(request.param)


class TestEveryMaskingMethod:
    def test_keeps_names_order_and_roles(self, method):
        masked = method.mask(TABLE, np.random.default_rng(1))
        assert [(a.name, a.role) for a in masked.schema] == [(a.name, a.role) for a in TABLE.schema]

    def test_keeps_the_number_of_records(self, method):
        assert len(method.mask(TABLE, np.random.default_rng(1))) == len(TABLE)

    def test_leaves_other_attributes_alone(self, method):
        masked = method.mask(TABLE, np.random.default_rng(1))
        for name in set(TABLE.schema.names) - set(method.attributes):
            assert np.array_equal(masked[name], TABLE[name])

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


@pytest.mark.parametrize("entry", METHODS, ids=lambda entry: entry.name)
def test_every_method_explains_itself(entry):
    assert entry.summary.endswith(".")
    assert all(parameter.meaning for parameter in entry.parameters)
