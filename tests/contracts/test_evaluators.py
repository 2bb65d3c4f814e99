"""The laws that every evaluator obeys."""

from functools import partial

import pytest

from evomask.execution.local import evaluator
from evomask.testing import check_evaluator


@pytest.mark.parametrize("workers", [1, 2])
def test_every_evaluator_obeys_the_laws(workers):
    check_evaluator(partial(evaluator, workers=workers))
