"""Private baseline: refused without OpenDP; where it is installed, marginals by its mechanism."""

from importlib.util import find_spec

import numpy as np
import pytest

from evomask.errors import ParameterError
from evomask.runs.synthetic import check_baseline, synthetic_file
from evomask.testing import example_table

IS_INSTALLED = find_spec("opendp") is not None


@pytest.mark.parametrize("name", ["private", "private=0", "private=-1", "private=x"])
def test_epsilon_is_a_positive_number(name):
    with pytest.raises(ParameterError, match="private=EPSILON"):
        check_baseline(name)


@pytest.mark.skipif(IS_INSTALLED, reason="OpenDP is installed")
def test_without_the_library_the_error_says_how_to_install_it():
    with pytest.raises(ParameterError, match=r"evomask\[private\]"):
        synthetic_file(example_table(), np.random.default_rng(1), "private=1")


@pytest.mark.slow
@pytest.mark.skipif(not IS_INSTALLED, reason="needs OpenDP")
@pytest.mark.filterwarnings("ignore")
def test_distributions_are_near_for_a_large_epsilon_and_far_for_a_small_one():
    table = example_table(2000)
    gaps = []
    for epsilon in (50, 0.001):
        drawn = synthetic_file(table, np.random.default_rng(1), f"private={epsilon}")
        shares = [np.bincount(t["school"], minlength=4) / 2000 for t in (table, drawn)]
        gaps.append(np.abs(shares[0] - shares[1]).sum())
    assert gaps[0] < 0.05 < gaps[1]
