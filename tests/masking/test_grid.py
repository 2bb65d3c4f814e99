from itertools import product

import numpy as np
import pytest

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.masking.grid import BY_FORMULA, first_population
from evomask.masking.method import provenance_of
from evomask.masking.randomization.formula_pram import shipped_formulas
from tests.tables import mixed, numbers

ROLE = Role.QUASI_IDENTIFIER
DOMAIN = tuple("abcde")


def categories(kinds, n_records=200):
    rng = np.random.default_rng(0)
    schema = Schema(tuple(Attribute(f"c{j}", kind, ROLE, DOMAIN) for j, kind in enumerate(kinds)))
    return Table(schema, {a.name: rng.integers(0, 5, n_records) for a in schema})


def continuous(width=4, n_records=300):
    rng = np.random.default_rng(0)
    return numbers(**{f"x{j}": rng.normal(size=n_records) for j in range(width)})


TABLES = {
    "ordinal": categories([Kind.ORDINAL] * 3),
    "nominal": categories([Kind.NOMINAL] * 3),
    "numbers": continuous(),
    "one number": continuous(1),
    "mixed": mixed(),
    "small": continuous(2, 7),
    "two records": numbers(a=[1, 2]),
    "one category": categories([Kind.NOMINAL]),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
class TestEveryTable:
    def test_every_method_masks_it(self, table):
        for method, _ in first_population(table):
            assert len(method.mask(table, np.random.default_rng(1))) == len(table)

    def test_every_method_stays_in_the_domain(self, table):
        for method, _ in first_population(table):
            assert not method.mask(table, np.random.default_rng(1)).recodings

    def test_every_method_of_the_grid_has_a_distinct_provenance(self, table):
        makings = [provenance_of(method) for method, _ in first_population(table)]
        assert not [own for place, own in enumerate(makings) if own in makings[:place]]


@pytest.mark.parametrize(
    ("name", "least", "most"), [("ordinal", 90, 140), ("nominal", 80, 120), ("numbers", 45, 70)]
)
def test_the_population_has_about_the_size_of_the_thesis(name, least, most):
    known = [m for m, family in first_population(TABLES[name]) if family != BY_FORMULA]
    assert least <= len(known) <= most


def test_only_the_named_attributes_are_masked():
    for method, _ in first_population(mixed(), ["age", "school"]):
        assert set(method.attributes) <= {"age", "school"}


def test_a_table_without_quasi_identifiers_is_refused():
    table = mixed().only(["illness"])
    with pytest.raises(SchemaError, match="needs quasi-identifiers"):
        list(first_population(table))


def test_shipped_formulas_take_part_without_a_search():
    for name in ("ordinal", "nominal", "one category"):
        tried = {
            (m.formula, m.change) for m, f in first_population(TABLES[name]) if f == BY_FORMULA
        }
        assert tried == set(product(shipped_formulas().formulas, shipped_formulas().changes))
