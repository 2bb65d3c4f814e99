"""MDAV on the reference files of the field, against published sums of squares."""

import numpy as np
import pytest

from evomask.data.distance import Standardizer
from evomask.data.partition import information_loss, within_sum_of_squares
from evomask.io.tables import read_table
from evomask.masking.microaggregation.mdav import Mdav

EIA = (
    "UTILITYID", "RESREVENUE", "RESSALES", "COMREVENUE", "COMSALES", "INDREVENUE", "INDSALES",
    "OTHREVENUE", "OTHRSALES", "TOTREVENUE", "TOTSALES",
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "k", "sse", "il"),
    [
        ("census", 3, 799.1830, 5.692186),
        ("census", 4, 1052.2559, 7.494700),
        ("census", 5, 1276.0163, 9.088435),
        ("census", 10, 1987.4926, 14.155930),
        ("tarragona", 3, 1835.8312, 16.932588),
        ("tarragona", 4, 2119.1732, 19.545962),
        ("tarragona", 5, 2435.3148, 22.461860),
        ("tarragona", 10, 3598.7726, 33.192885),
        ("eia", 3, 217.3804, 0.482939),
        ("eia", 4, 302.1859, 0.671345),
        ("eia", 5, 750.2038, 1.666675),
        ("eia", 10, 1728.3124, 3.839670),
    ],
)
def test_sum_of_squares_is_the_published_one(reference, name, k, sse, il):
    table = read_table(reference(f"casc/{name}.csv"))
    names = EIA if name == "eia" else table.schema.names
    labels = Mdav(names, k).partition(table, np.random.default_rng(0))
    points = Standardizer.of(table.matrix(names))(table.matrix(names))
    assert within_sum_of_squares(points, labels) == pytest.approx(sse, abs=5e-5)
    assert information_loss(points, labels) == pytest.approx(il, abs=5e-7)
