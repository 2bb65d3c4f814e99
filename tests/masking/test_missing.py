"""Missing stays missing: in every method, in every enforcement, in random files."""

import numpy as np
import polars as pl
import pytest

from evomask.data.classes import classes_of
from evomask.data.recoding import SUPPRESSED
from evomask.data.scenario import Scenario
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table, missing_codes, tag_missing
from evomask.masking.catalogue import METHODS
from evomask.masking.enforce.enforcement import Enforcement
from evomask.masking.enforce.requirement import Requirement

NUMBERS, SCHOOL, REGION = ("age", "income"), "school", "region"
QUASI = (*NUMBERS, SCHOOL, REGION)
SCENARIOS = (
    Scenario(name="register", knows=("age", "region")),
    Scenario(name="colleague", knows=("age", "school", "income")),
)
FILES = 100


def random_file(seed, scenarios=()):
    """A file of people, with codes -8 and -9 for unknown numbers and empty categories."""
    rng = np.random.default_rng(seed)
    n, rate = int(rng.integers(30, 120)), rng.uniform(0.02, 0.3, 4)
    levels = ("a", "b", "c", "d", "")
    ages, incomes = rng.integers(18, 90, n) * 1.0, rng.lognormal(7, 1, n).round()
    columns = {
        "age": tag_missing(np.where(rng.random(n) < rate[0], -9.0, ages), np.zeros(n, bool)),
        "income": incomes,
    }
    for name, share in zip(NUMBERS, rate, strict=False):
        gone = rng.random(n) < share
        codes = np.where(rng.random(n) < 0.5, -8.0, -9.0)
        columns[name] = tag_missing(np.where(gone, codes, np.abs(columns[name])), gone)
    for name, share in zip((SCHOOL, REGION), rate[2:], strict=True):
        known = rng.integers(0, 4, n)
        columns[name] = np.where(rng.random(n) < share, 4, known).astype(np.int32)
    schema = Schema(
        (
            Attribute("age", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER, decimals=0),
            Attribute("income", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER, decimals=0),
            Attribute(SCHOOL, Kind.ORDINAL, Role.QUASI_IDENTIFIER, levels),
            Attribute(REGION, Kind.NOMINAL, Role.QUASI_IDENTIFIER, levels),
        ),
        scenarios=scenarios,
    )
    return Table(schema, columns)


def released_texts(table, name):
    """What somebody who reads the released cells sees: None for a missing value."""
    column = table[name]
    if table.is_recoded(name) or table.attribute(name).is_categorical:
        return [table.labels(name)[code] or None for code in column]
    return [None if value != value else str(value) for value in column]


def invented(original, masked):
    """Number of cells that were missing and have a value, by attribute."""
    return {
        name: sum(
            before is None and after not in (None, SUPPRESSED) and not gone
            for before, after, gone in zip(
                released_texts(original, name),
                released_texts(masked, name),
                masked.suppressed,
                strict=True,
            )
        )
        for name in QUASI
    }


NONE = dict.fromkeys(QUASI, 0)


def methods_for(table):
    """Every method of the catalogue on all attributes that it can mask."""
    for entry in METHODS:
        names = [a.name for a in table.schema if a.kind in entry.kinds]
        if entry.from_files or not names:
            continue
        yield entry.name, entry.build(names, {})


@pytest.mark.parametrize("scenarios", [(), SCENARIOS], ids=["together", "scenarios"])
def test_no_value_is_invented_in_100_random_files(scenarios):
    for seed in range(FILES):
        original = random_file(seed, scenarios)
        rows = list(methods_for(original))
        name, method = rows[seed % len(rows)]
        masked = method.mask(original, np.random.default_rng(seed))
        for k in (1, 3):
            released = Enforcement.of(original, Requirement(k=k))(masked)
            assert invented(original, released) == NONE, (name, seed, k)


@pytest.mark.parametrize("scenarios", [(), SCENARIOS], ids=["together", "scenarios"])
def test_k_holds_with_missing_values_as_a_category(scenarios):
    sets = [one.knows for one in scenarios] or [QUASI]
    for seed in range(25):
        original = random_file(seed, scenarios)
        released = Enforcement.of(original, Requirement(k=4))(original)
        kept = released.take(np.flatnonzero(~released.suppressed))
        assert len(kept) > 0.7 * len(original)
        for names in sets:
            rows = zip(*(released_texts(kept, name) for name in names), strict=True)
            frame = pl.DataFrame(list(rows), schema=list(names), orient="row")
            assert frame.group_by(names).len()["len"].min() >= 4
            assert classes_of(kept, names).sizes.min() >= 4


def test_the_reason_why_a_number_is_missing_survives():
    original = random_file(3)
    method = next(m for name, m in methods_for(original) if name == "mdav")
    masked = Enforcement.of(original)(method.mask(original, np.random.default_rng(0)))
    for name in NUMBERS:
        before, after = missing_codes(original[name]), missing_codes(masked[name])
        assert np.array_equal(before[0], after[0])
        assert np.array_equal(before[1], after[1])


def test_a_method_alone_may_fill_cells_which_enforcement_undoes():
    original = random_file(3)
    method = next(m for name, m in methods_for(original) if name == "mdav-generic")
    assert invented(original, method.mask(original, np.random.default_rng(0))) != NONE
