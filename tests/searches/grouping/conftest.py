"""Small tables of numbers, and groupings at random."""

import numpy as np
import pytest

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table


def numbers(n_records=60, n_attributes=6, seed=3):
    """Two factors and noise, all positive; every attribute a quasi-identifier."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(n_records, 2)) @ rng.normal(size=(2, n_attributes))
    values = np.exp(1.0 + 0.4 * factors + 0.2 * rng.normal(size=(n_records, n_attributes)))
    names = [f"a{i}" for i in range(n_attributes)]
    schema = Schema(tuple(Attribute(n, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for n in names))
    return Table(schema, dict(zip(names, values.T, strict=True)))


@pytest.fixture
def table():
    """Sixty records of six attributes."""
    return numbers()
