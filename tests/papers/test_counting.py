"""Table I and Example 1 of Solanas et al. (2006)."""

import pytest

from evomask_papers.partition.counting import chance_of_candidate, representatives, represented

TABLE_I = {
    10: (2, 2, 1),
    20: (6, 6, 5),
    30: (11, 14, 14),
    40: (18, 27, 29),
    50: (26, 45, 56),
    100: (94, 272, 520),
    500: (2134, 26477, 197549),
    1000: (8434, 205037, 2953389),
}


@pytest.mark.parametrize("n", TABLE_I)
def test_representatives_are_those_of_table_1(n):
    assert tuple(representatives(n, k) for k in (3, 4, 5)) == TABLE_I[n]


def test_mu_of_example_1():
    assert represented(30, 3) == 1208883745669600000


def test_bound_of_example_1():
    assert float(chance_of_candidate(30, 3)) == pytest.approx(13.2977212023656e-12, rel=1e-13)
