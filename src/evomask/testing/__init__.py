"""Contract tests for methods, measures, searches and evaluators, built-in or plug-ins.

Each check runs all laws of its kind on an example file and raises an ``AssertionError`` that
names the offender and the broken law; see docs/extending.md.
"""

from evomask.testing.evaluators import check_evaluator
from evomask.testing.examples import example_table
from evomask.testing.judges import check_judge
from evomask.testing.measures import check_measure, check_tracked
from evomask.testing.methods import check_method
from evomask.testing.searches import check_search

__all__ = [
    "check_evaluator",
    "check_judge",
    "check_measure",
    "check_method",
    "check_search",
    "check_tracked",
    "example_table",
]
