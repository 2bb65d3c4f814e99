"""Numbers on the lattice: as values or as bands, and back as intervals."""

from collections import Counter

import numpy as np
import polars as pl
import pytest

from evomask.data.frames import Declaration, table_from
from evomask.data.hierarchy_builders import complete_hierarchies
from evomask.data.schema import Kind, Role
from evomask.measures.loss.loss import InformationLoss
from evomask.searches.generalization.lattice import lattice_for
from evomask.searches.generalization.local_recoding import recode_locally
from evomask.searches.generalization.objectives import Reader

NAMES = ("age", "income", "sex")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    n = 700
    income = np.exp(rng.normal(8, 1, n))
    income[::50] = np.nan
    frame = pl.DataFrame(
        {
            "age": rng.integers(16, 90, n), "income": income, "sex": rng.choice(["f", "m"], n),
        }
    )  # fmt: skip
    kinds = {"sex": Kind.NOMINAL}
    return table_from(
        frame, {name: Declaration(kinds.get(name), Role.QUASI_IDENTIFIER) for name in NAMES}
    )


@pytest.fixture(scope="module")
def lattice(table):
    return lattice_for(table, complete_hierarchies(table, {}))


def texts(masked, name):
    """Cells as they would be written."""
    if name not in masked.recodings:
        return [str(value) for value in masked[name]]
    return [masked.recodings[name].labels[code] for code in masked[name]]


def rows(masked):
    return list(zip(*(texts(masked, name) for name in NAMES), strict=True))


def test_the_generalized_table_keeps_its_kinds(table, lattice):
    masked = lattice.applied((1, 2, 0))
    assert [masked.attribute(name).kind for name in NAMES] == [
        table.attribute(name).kind for name in NAMES
    ]


def test_every_cell_holds_the_number_it_stands_for(table, lattice):
    masked = lattice.applied((2, 3, 0))
    for name in ("age", "income"):
        low, high = masked.ends(name)
        values = table.values(name)
        known = ~np.isnan(values)
        assert np.all((low <= values) & (values <= high) | ~known)
        assert np.array_equal(np.isnan(low), ~known)


@pytest.mark.parametrize("levels", [(0, 0, 0), (1, 1, 0), (3, 4, 1), (2, 5, 0)])
def test_classes_are_those_of_the_written_cells(lattice, levels):
    reader = Reader(lattice, lattice.rule())
    smallest = min(Counter(rows(lattice.applied(levels))).values())
    assert int(reader.figures(levels).k[0]) == smallest


def test_level_0_leaves_numbers_with_few_values_alone(table, lattice):
    assert "age" not in lattice.applied((0, 0, 0)).recodings
    assert "income" in lattice.applied((0, 0, 0)).recodings  # its leaves are bands


def test_the_top_tells_nothing(table, lattice):
    assert InformationLoss(NAMES).against(table)(lattice.applied(lattice.top)) == pytest.approx(
        100.0
    )


def test_going_up_never_lowers_the_loss(table, lattice):
    loss = InformationLoss(("income",)).against(table)
    height = int(lattice.heights[1])
    losses = [loss(lattice.applied((0, level, 0))) for level in range(height + 1)]
    assert losses == sorted(losses)


@pytest.mark.parametrize("k", [3, 20])
def test_local_recoding_makes_groups_of_k_of_numbers_too(lattice, k):
    masked = recode_locally(lattice, k).applied()
    assert min(Counter(rows(masked)).values()) >= k
