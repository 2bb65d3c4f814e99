import numpy as np
import pytest

from evomask.masking.randomization.formula_pram import Domains, parse_equation
from evomask.searches.equations.genome import row_sum_error

DOMAINS = Domains.of([np.array([5.0, 0.0, 3.0, 2.0])], [1.0 - np.eye(4)])


def test_an_equation_whose_rows_sum_to_one_departs_from_nothing():
    assert row_sum_error(parse_equation("0.5 * same + 0.5 * freq_j / N"), DOMAINS) == pytest.approx(
        0.0, abs=1e-15
    )


def test_rows_that_sum_to_a_half_depart_by_a_half():
    assert row_sum_error(parse_equation("0.5 * same"), DOMAINS) == pytest.approx(0.5)
