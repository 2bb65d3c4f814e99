import numpy as np
import pytest

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table


def categories(sizes, n_records=60, kind=Kind.NOMINAL, seed=1, empty=False):
    """A table of quasi-identifiers with so many categories each, some more frequent."""
    rng = np.random.default_rng(seed)
    attributes, columns = [], {}
    for place, size in enumerate(sizes):
        name = f"a{place}"
        domain = tuple(f"c{i:02}" for i in range(size + empty))
        attributes.append(Attribute(name, kind, Role.QUASI_IDENTIFIER, domain))
        codes = np.minimum(rng.geometric(1.5 / size, n_records) - 1, size - 1)
        codes[:size] = np.arange(size)
        columns[name] = codes.astype(np.int32)
    return Table(Schema(tuple(attributes)), columns)


@pytest.fixture(scope="session")
def table():
    return categories((4, 3, 5))
