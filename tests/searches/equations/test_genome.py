import numpy as np
import pytest

from evomask.masking.randomization.equations import Domains, parsed
from evomask.searches.equations.genome import departure

DOMAINS = Domains.of([np.array([5.0, 0.0, 3.0, 2.0])], [1.0 - np.eye(4)])


def test_an_equation_whose_rows_sum_to_one_departs_from_nothing():
    assert departure(parsed("0.5 * same + 0.5 * freq_j / N"), DOMAINS) == pytest.approx(
        0.0, abs=1e-15
    )


def test_rows_that_sum_to_a_half_depart_by_a_half():
    assert departure(parsed("0.5 * same"), DOMAINS) == pytest.approx(0.5)
