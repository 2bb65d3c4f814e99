"""What columns that are released as they are tell: copies and combinations are all named."""

import numpy as np
import polars as pl
import pytest

from evomask.data.frames import Declaration, table_from
from evomask.data.roles.dependencies import find_leakage
from evomask.data.schema import Kind, Role
from evomask.io.datasets import survey
from evomask.io.tables import read_source
from tests.data.roles.careful import ROLES

RNG = np.random.default_rng(5)


def copied(values):
    return values


def relabelled(values):
    """The same values under other names."""
    names = {value: f"c{place}" for place, value in enumerate(sorted(set(values), key=str))}
    return [names[value] for value in values]


def stretched(values):
    return [None if v is None else 3.0 * v - 7.0 for v in values]


def curved(values):
    least = min(v for v in values if v is not None)
    return [None if v is None else float(np.log1p(v - least)) for v in values]


def nearly(values):
    """A copy of which one value in two hundred is wrong."""
    changed = list(values)
    for place in range(7, len(changed), 200):
        changed[place] = changed[place - 3]
    return changed


def halves(values):
    """Two columns that settle a category together and not alone."""
    places = relabelled(values)
    numbers = [int(text[1:]) for text in places]
    return [n // 3 for n in numbers], [n % 3 for n in numbers]


def parts(values):
    """Two amounts whose sum is the number."""
    known = [0.0 if v is None else float(v) for v in values]
    first = [v * share for v, share in zip(known, RNG.uniform(0.2, 0.8, len(known)), strict=True)]
    return first, [v - f for v, f in zip(known, first, strict=True)]


def masked_columns(frame):
    """A column of numbers and one of a few categories, where a file has them."""
    numbers = [c for c in frame.columns if frame[c].dtype.is_numeric() and frame[c].n_unique() > 40]
    several = [c for c in frame.columns if 6 <= frame[c].n_unique() <= 40]
    return numbers[0] if numbers else "", several[0] if several else ""


@pytest.fixture(scope="module")
def frames(reference):
    """Twenty files: ten of others, ten surveys."""
    found = {name: read_source(reference(name)).frame.head(3000) for name in ROLES}
    found |= {f"survey {seed}": survey(400 + 50 * seed, seed) for seed in range(1, 11)}
    return found


def told(frame, masked, planted):
    """What planted columns tell, where they alone are released beside a masked one."""
    frame = frame.select(masked).with_columns(
        pl.Series(name, list(values), strict=False) for name, values in planted.items()
    )
    roles = {masked: Declaration(role=Role.QUASI_IDENTIFIER)}
    found = find_leakage(table_from(frame, roles))
    return {(telling.columns, telling.about) for telling in found if telling.about}


def test_copies_and_combinations_in_twenty_files_are_all_named(frames):
    missed, planted = [], 0
    for name, frame in frames.items():
        number, category = masked_columns(frame)
        trials = [(number, how) for how in (copied, stretched, curved, nearly, parts) if number]
        trials += [(category, how) for how in (copied, relabelled, nearly, halves) if category]
        for masked, how in trials:
            columns = how(frame[masked].to_list())
            pair = isinstance(columns, tuple)
            names = ("planted a", "planted b") if pair else ("planted a",)
            given = dict(zip(names, columns if pair else (columns,), strict=True))
            planted += 1
            if (names, masked) not in told(frame, masked, given):
                missed.append((name, masked, how.__name__))
    assert len(frames) == 20
    assert planted == 167
    assert missed == []


def test_columns_that_have_nothing_to_do_with_one_another_are_not_named():
    frame = pl.DataFrame(
        {
            "age": RNG.integers(18, 90, 2000),
            "town": RNG.choice(list("abcdefgh"), 2000),
            "income": RNG.normal(2000, 400, 2000).round(),
            "health": RNG.choice(["good", "fair", "bad"], 2000),
            "party": RNG.choice(["red", "blue"], 2000),
        }
    )
    masked = {name: Declaration(role=Role.QUASI_IDENTIFIER) for name in ("age", "town")}
    assert [t for t in find_leakage(table_from(frame, masked)) if t.about] == []


def test_columns_that_single_people_out_together_are_named_with_their_share():
    streets, houses = np.divmod(np.arange(900), 30)
    frame = pl.DataFrame({"age": RNG.integers(18, 90, 900), "street": streets, "house": houses})
    kinds = {name: Declaration(Kind.NOMINAL) for name in ("street", "house")}
    roles = {"age": Declaration(role=Role.QUASI_IDENTIFIER), **kinds}
    (found,) = find_leakage(table_from(frame, roles))
    assert set(found.columns) == {"street", "house"}
    assert found.share == 100.0
    assert "together single out 100 % of the people" in found.text


def test_a_column_that_is_left_out_or_linked_tells_nothing():
    ages = RNG.integers(18, 90, 500)
    frame = pl.DataFrame({"age": ages, "copy": ages, "other": ages})
    roles = {
        "age": Declaration(role=Role.QUASI_IDENTIFIER),
        "copy": Declaration(role=Role.IDENTIFIER),
        "other": Declaration(linked="age"),
    }
    assert find_leakage(table_from(frame, roles)) == ()
