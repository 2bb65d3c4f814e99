"""Mending: rules hold, values stay plausible, little changes, records alike stay alike."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evomask.data.classes import classes_of
from evomask.data.edits import EditRepair, rules_of
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import DataError

QUASI = Role.QUASI_IDENTIFIER
SUM = ("total = a + b", "a <= b", "start <= end")
NAMES = ("a", "b", "total", "start", "end")


def schema_of(names, edits, decimals=0, roles=None):
    roles = roles or {}
    return Schema(
        tuple(
            Attribute(name, Kind.CONTINUOUS, roles.get(name, QUASI), decimals=decimals)
            for name in names
        ),
        tuple(edits),
    )


def obedient(n_records=40, seed=0, decimals=0, roles=None):
    """Records that obey a sum, an order among its parts, and an order of two others."""
    rng = np.random.default_rng(seed)
    scale = 10.0 ** -(decimals or 0)
    a = rng.integers(0, 30, n_records) * scale
    b = a + rng.integers(0, 30, n_records) * scale
    start = rng.integers(0, 50, n_records) * scale
    end = start + rng.integers(0, 10, n_records) * scale
    schema = schema_of(NAMES, SUM, decimals, roles)
    return Table(schema, dict(zip(NAMES, (a, b, a + b, start, end), strict=True)))


def disturbed(table, seed, spread=5.0):
    rng = np.random.default_rng(seed)
    return table.with_columns(
        {name: table[name] + rng.normal(0, spread, len(table)) for name in table.schema.names}
    )


def rows(table):
    return table.matrix(table.schema.names)


seeds = st.integers(0, 2**32)


class TestAnyMaskedTable:
    @given(seeds, st.floats(0.1, 60))
    @settings(max_examples=40, deadline=None)
    def test_every_record_obeys_every_rule(self, seed, spread):
        original = obedient()
        mended = EditRepair.of(original).mended(disturbed(original, seed, spread))
        assert rules_of(original.schema).violations(mended) == {}

    @given(seeds)
    @settings(max_examples=20, deadline=None)
    def test_numbers_without_decimals_obey_every_rule(self, seed):
        original = obedient(decimals=None)
        mended = EditRepair.of(original).mended(disturbed(original, seed))
        assert rules_of(original.schema).violations(mended) == {}

    @given(seeds)
    @settings(max_examples=20, deadline=None)
    def test_values_keep_their_decimals(self, seed):
        original = obedient(decimals=1)
        mended = rows(EditRepair.of(original).mended(disturbed(original, seed)))
        assert np.array_equal(mended, np.round(mended, 1))

    @given(seeds)
    @settings(max_examples=20, deadline=None)
    def test_values_of_changed_records_stay_in_the_range_of_the_original(self, seed):
        original = obedient()
        masked = disturbed(original, seed, 30)
        masked = masked.with_columns(
            {n: np.clip(masked[n], original[n].min(), original[n].max()) for n in NAMES}
        )
        mended = rows(EditRepair.of(original).mended(masked))
        assert (mended >= rows(original).min(axis=0)).all()
        assert (mended <= rows(original).max(axis=0)).all()

    @given(seeds)
    @settings(max_examples=20, deadline=None)
    def test_missing_values_stay_missing(self, seed):
        original = obedient()
        masked = disturbed(original, seed)
        holes = np.random.default_rng(seed).random((len(original), len(NAMES))) < 0.3
        columns = {n: np.where(holes[:, j], np.nan, masked[n]) for j, n in enumerate(NAMES)}
        mended = EditRepair.of(original).mended(masked.with_columns(columns))
        assert np.array_equal(np.isnan(rows(mended)), holes)
        assert rules_of(original.schema).violations(mended) == {}

    @given(seeds)
    @settings(max_examples=20, deadline=None)
    def test_mending_twice_is_mending_once(self, seed):
        original = obedient()
        mender = EditRepair.of(original)
        once = mender.mended(disturbed(original, seed))
        assert np.array_equal(rows(mender.mended(once)), rows(once))

    @given(seeds)
    @settings(max_examples=20, deadline=None)
    def test_one_record_is_mended_as_in_the_table(self, seed):
        original = obedient(n_records=12)
        mender = EditRepair.of(original)
        masked = disturbed(original, seed)
        alone = [mender.record(record) for record in rows(masked)]
        assert np.array_equal(np.array(alone), rows(mender.mended(masked)))

    def test_an_obedient_table_is_left_as_it_is(self):
        original = obedient()
        assert EditRepair.of(original).mended(original) is original

    def test_without_rules_nothing_changes(self):
        table = Table(schema_of("a", ()), {"a": np.array([1.5])})
        assert EditRepair.of(table).mended(table) is table

    def test_suppressed_records_are_left_alone(self):
        original = obedient()
        masked = disturbed(original, 1).suppressing(np.ones(len(original), dtype=bool))
        assert EditRepair.of(original).mended(masked) is masked


class TestSmallestChange:
    def test_two_numbers_meet_half_way(self):
        schema = schema_of(("start", "end"), ["start <= end"], decimals=None)
        original = Table(schema, {"start": np.array([0.0, 10]), "end": np.array([2.0, 12])})
        masked = original.with_columns({"start": np.array([8.0, 2]), "end": np.array([4.0, 5])})
        mended = EditRepair.of(original).mended(masked)
        assert mended["start"] == pytest.approx([6.0, 2])
        assert mended["end"] == pytest.approx([6.0, 5])

    def test_a_record_that_obeys_is_not_touched(self):
        original = obedient()
        masked = disturbed(original, 3)
        kept = np.arange(len(original)) % 2 == 0
        masked = masked.with_columns({n: np.where(kept, original[n], masked[n]) for n in NAMES})
        mended = EditRepair.of(original).mended(masked)
        assert np.array_equal(rows(mended)[kept], rows(original)[kept])

    @given(seeds)
    @settings(max_examples=25, deadline=None)
    def test_no_point_of_the_grid_is_nearer_by_more_than_rounding(self, seed):
        """Brute force over all whole records of three attributes."""
        rng = np.random.default_rng(seed)
        names, edits = ("a", "b", "total"), ("total = a + b", "a <= b")
        a = rng.integers(0, 5, 30)
        b = a + rng.integers(0, 5, 30)
        original = Table(
            schema_of(names, edits),
            {"a": a.astype(float), "b": b.astype(float), "total": (a + b).astype(float)},
        )
        mender = EditRepair.of(original)
        masked = np.clip(
            rng.integers(0, 15, (20, 3)), rows(original).min(axis=0), rows(original).max(axis=0)
        ).astype(float)
        ranges = [range(int(c.min()), int(c.max()) + 1) for c in rows(original).T]
        grid = np.array(list(product(*ranges)), dtype=float)
        grid = grid[~mender.rules.broken(grid).any(axis=1)]
        ours = np.sqrt((((mender.rows(masked) - masked) / mender.spreads) ** 2).sum(axis=1))
        apart = (grid[None, :, :] - masked[:, None, :]) / mender.spreads
        best = np.sqrt((apart**2).sum(axis=2)).min(axis=1)
        rounding = np.sqrt((1 / mender.spreads**2).sum())
        assert (ours <= best + rounding).all()


class TestCategoriesThatAreNumbers:
    AGES = ("16", "17", "20", "30", "")

    def table(self, ages, years):
        schema = Schema(
            (
                Attribute("age", Kind.ORDINAL, QUASI, self.AGES),
                Attribute("years", Kind.CONTINUOUS, QUASI, decimals=0),
            ),
            ("years + 16 <= age",),
        )
        return Table(schema, {"age": np.array(ages), "years": np.array(years, float)})

    def test_they_stay_categories(self):
        original = self.table([0, 1, 2, 3, 4], [0, 1, 4, 14, 9])
        mended = EditRepair.of(original).mended(self.table([0, 0, 1, 2, 4], [14, 3, 9, 12, 9]))
        assert rules_of(original.schema).violations(mended) == {}
        assert set(mended["age"][:4]) <= {0, 1, 2, 3}

    def test_missing_ones_stay_missing(self):
        original = self.table([0, 3, 4], [0, 14, 9])
        mended = EditRepair.of(original).mended(self.table([4, 0, 4], [14, 9, 0]))
        assert mended["age"].tolist()[::2] == [4, 4]


ROLES = {"total": Role.CONFIDENTIAL, "end": Role.OTHER}


class TestClasses:
    def masked(self, original, seed):
        """Quasi-identifiers alike in groups of four, the others as they were."""
        moved = disturbed(original, seed, 20)
        groups = np.arange(len(original)) // 4 * 4
        names = original.schema.quasi_identifiers
        return original.with_columns({name: moved[name][groups] for name in names})

    @given(seeds)
    @settings(max_examples=30, deadline=None)
    def test_records_alike_stay_alike(self, seed):
        original = obedient(roles=ROLES)
        masked = self.masked(original, seed)
        mended = EditRepair.of(original).mended(masked, whole_classes=True)
        sizes = classes_of(mended, original.schema.quasi_identifiers).sizes
        assert sizes.min() >= 4

    def test_attributes_that_nobody_knows_give_way(self):
        schema = schema_of(
            ("known", "secret"), ["known <= secret"], roles={"secret": Role.CONFIDENTIAL}
        )
        original = Table(schema, {"known": np.array([1.0, 9]), "secret": np.array([2.0, 9])})
        masked = original.with_columns({"known": np.array([5.0, 5])})
        mended = EditRepair.of(original).mended(masked)
        assert (mended["known"].tolist(), mended["secret"].tolist()) == ([5, 5], [5, 9])

    def test_all_move_where_others_cannot_give_way_enough(self):
        """The total may be 10 at most, and the parts say 12."""
        roles = {"total": Role.CONFIDENTIAL}
        schema = schema_of(("a", "b", "total"), ["total = a + b"], roles=roles)
        original = Table(
            schema,
            {"a": np.array([0.0, 6]), "b": np.array([6.0, 4]), "total": np.array([6.0, 10])},
        )
        masked = original.with_columns({"a": np.array([6.0, 6]), "b": np.array([6.0, 4])})
        mender = EditRepair.of(original)
        assert rules_of(schema).violations(mender.mended(masked)) == {}
        whole = mender.mended(masked, whole_classes=True)
        assert rules_of(schema).violations(whole) == {"total = a + b": 1}

    def test_weights_never_change(self):
        schema = schema_of(("x", "weight"), ["x >= weight"], roles={"weight": Role.WEIGHT})
        original = Table(schema, {"x": np.array([5.0, 9]), "weight": np.array([1.0, 8])})
        mended = EditRepair.of(original).mended(original.with_columns({"x": np.array([5.0, 5])}))
        assert (mended["x"].tolist(), mended["weight"].tolist()) == ([5, 8], [1, 8])


class TestHardCases:
    def test_multiples_are_met_by_whole_numbers(self):
        schema = schema_of(("a", "b"), ["3 * a = 2 * b"])
        original = Table(schema, {"a": np.array([0.0, 20]), "b": np.array([0.0, 30])})
        masked = original.with_columns({"a": np.array([7.0, 13]), "b": np.array([10.0, 21])})
        mended = EditRepair.of(original).mended(masked)
        assert rules_of(schema).violations(mended) == {}

    def test_equations_that_build_on_one_another_all_hold(self):
        rng = np.random.default_rng(4)
        a, b, c = rng.integers(0, 20, (3, 50)).astype(float)
        names = ("a", "b", "t", "c", "u")
        schema = schema_of(names, ["t = a + b", "u = t + c", "u >= 2 * c"])
        original = Table(schema, dict(zip(names, (a, b, a + b, c, a + b + c), strict=True)))
        mended = EditRepair.of(original).mended(disturbed(original, 5, 8))
        assert rules_of(schema).violations(mended) == {}

    def test_rules_that_nothing_can_obey_are_refused(self):
        schema = schema_of(("a", "b"), ["a >= b + 100"])
        original = Table(schema, {"a": np.array([1.0, 2]), "b": np.array([1.0, 2])})
        with pytest.raises(DataError, match="contradict each other or the ranges"):
            EditRepair.of(original)

    def test_records_of_the_original_that_break_a_rule_are_mended_too(self):
        schema = schema_of(("a", "b"), ["a <= b"])
        original = Table(schema, {"a": np.array([1.0, 9]), "b": np.array([5.0, 2])})
        mended = EditRepair.of(original).mended(original)
        assert rules_of(schema).violations(mended) == {}
