"""Laws of evaluators, checked on local evaluators."""

import pytest

from evomask.execution.local import Local
from evomask.testing import check_evaluator


@pytest.mark.parametrize("workers", [1, 2])
def test_every_evaluator_obeys_the_laws(workers):
    check_evaluator(Local(workers))
