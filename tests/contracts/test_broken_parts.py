"""Each law detects an implementation that breaks it, and the message names it."""

import re

import pytest

from evomask.testing import (
    check_evaluator,
    check_judge,
    check_measure,
    check_method,
    check_search,
)
from evomask.testing.evaluators import LAWS as LAWS_OF_EVALUATORS
from evomask.testing.judges import LAWS_OF_LOSS, LAWS_OF_RISK, JudgeCase
from evomask.testing.law import check, sentence
from evomask.testing.measures import LAWS as LAWS_OF_MEASURES
from evomask.testing.measures import (
    LAWS_OF_EXPECTING,
    LAWS_OF_TRACKING,
    ExpectationCase,
    MeasureCase,
    TrackingCase,
)
from evomask.testing.methods import LAWS as LAWS_OF_METHODS
from evomask.testing.methods import LAWS_OF_MICROAGGREGATION, MethodCase, MicroaggregationCase
from evomask.testing.searches import AROUND, SearchCase
from evomask.testing.searches import LAWS as LAWS_OF_SEARCHES
from tests.contracts.broken import evaluators, judges, measures, methods, searches

TABLE = measures.TABLE


def of_method(law, method):
    grouping = law in LAWS_OF_MICROAGGREGATION
    check(
        "it",
        [law],
        (MicroaggregationCase if grouping else MethodCase)(method, methods.example_table),
    )


def of_measure(law, measure):
    kind = {LAWS_OF_TRACKING: TrackingCase, LAWS_OF_EXPECTING: ExpectationCase}
    case = next((kind[laws] for laws in kind if law in laws), MeasureCase)
    check("it", [law], case(measure, methods.example_table()))


def of_judge(law, measure):
    check("it", [law], JudgeCase(measure, methods.example_table(120)))


def of_search(law, search):
    check("it", [law], SearchCase(search, None, AROUND, methods.example_table))


def of_evaluator(law, made):
    check_evaluator(made)


KINDS = {
    "methods": (
        LAWS_OF_METHODS + LAWS_OF_MICROAGGREGATION,
        methods.BROKEN,
        of_method,
        check_method,
    ),
    "measures": (
        LAWS_OF_MEASURES + LAWS_OF_TRACKING + LAWS_OF_EXPECTING,
        measures.BROKEN,
        of_measure,
        check_measure,
    ),
    "judges": (LAWS_OF_LOSS + LAWS_OF_RISK, judges.BROKEN, of_judge, check_judge),
    "searches": (LAWS_OF_SEARCHES, searches.BROKEN, of_search, check_search),
    "evaluators": (LAWS_OF_EVALUATORS, evaluators.BROKEN, of_evaluator, check_evaluator),
}
CASES = [
    pytest.param(law, KINDS[kind][1][law.__name__], *KINDS[kind][2:], id=f"{kind} {sentence(law)}")
    for kind in KINDS
    for law in KINDS[kind][0]
]


@pytest.mark.parametrize(("law", "broken", "check_law", "check_all"), CASES)
def test_who_breaks_a_law_is_named(law, broken, check_law, check_all):
    with pytest.raises(AssertionError, match=re.escape(f"“{sentence(law)}”")):
        check_law(law, broken)
    with pytest.raises(AssertionError, match="breaks the law"):
        check_all(broken)


def test_the_whole_parts_that_the_broken_ones_are_made_of_obey():
    check_method(methods.Doing(lambda table, rng: table))
    check_method(methods.Grouping())
    check_measure(measures.Reading())
    check_search(searches.Whole())
    check_evaluator(evaluators.whole)


def test_a_search_that_accepts_no_example_is_an_error():
    with pytest.raises(AssertionError, match="picky accepts none of the example files: never"):
        check_search(searches.Picky())
