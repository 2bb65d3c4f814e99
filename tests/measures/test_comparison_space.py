"""Projections in a comparison space: equal records have exactly equal ones."""

import numpy as np
import pytest

from evomask.measures.comparison_space import Space
from evomask.measures.profiles import PapersRisk
from tests.tables import numbers

RNG = np.random.default_rng(4)
TABLE = numbers(**{f"a{i}": np.round(RNG.lognormal(8, 2, 300)) for i in range(13)})
NAMES = TABLE.schema.names


def test_an_unchanged_file_is_followed_as_it_is_read():
    reading = PapersRisk(NAMES, probabilistic=False).against(TABLE)
    assert reading.track(TABLE).value == pytest.approx(reading(TABLE), abs=1e-9)


@pytest.mark.parametrize("count", [1, 2, 7, 299])
def test_a_place_does_not_depend_on_how_many_records_are_placed(count):
    space = Space.of(TABLE, NAMES)
    some = np.arange(count)
    places = space.places(space.originals)
    assert np.array_equal(space.places(space.originals.take(some)), places[some])
