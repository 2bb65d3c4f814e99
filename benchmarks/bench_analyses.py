"""Ten analyses of every candidate, as `protect` compares them: CPU over that of an evaluation.

    python benchmarks/bench_analyses.py [--profile]

The example survey (2,000 records, 11 quasi-identifiers) and half of Adult (16,281 records, 7
quasi-identifiers): four tables, two models and four indicators. An evaluation is what the engine
does with a whole file: masking, enforcement of k = 3, loss, and risk with its control group.
"""

import argparse
import cProfile
import pstats
from collections.abc import Callable
from time import process_time

import numpy as np

from evomask.data.frames import Declaration, table_from
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.engine.evaluation import EvaluationContext, Settings
from evomask.engine.specialists import specialists_for
from evomask.io.datasets import reference_file, survey
from evomask.io.tables import read_table
from evomask.masking.enforce.requirement import Requirement
from evomask.measures.analyses.analyses import AnalysesToPreserve
from evomask.searches.base import SearchInput

AIM = 0.30
"""Largest share of an evaluation."""

CANDIDATES = 24
SURVEY = {
    Kind.NOMINAL: "municipality sex marital occupation",
    Kind.ORDINAL: "household_size age education",
    Kind.CONTINUOUS: "area wage other_income income",
}
ADULT = {
    Kind.CONTINUOUS: "age fnlwgt",
    Kind.NOMINAL: "workclass education marital-status sex",
}
OF_SURVEY = AnalysesToPreserve(
    ("education x sex", "education x sex: mean income", "marital: median wage", "municipality"),
    ("income ~ age + sex + education", "wage ~ education + household_size"),
    (
        "gini(income) by sex",
        "arpr(income) by marital",
        "p90p50(income)",
        "correlation(income, area)",
    ),
)
OF_ADULT = AnalysesToPreserve(
    ("education x sex", "marital-status x sex: mean age", "workclass: median fnlwgt", "workclass"),
    ("fnlwgt ~ age + sex + education", "sex = Male ~ age + marital-status"),
    ("gini(fnlwgt) by sex", "p90p10(age)", "s80s20(fnlwgt)", "correlation(age, fnlwgt)"),
)


def declared(kinds: dict[Kind, str], secret: str) -> dict[str, Declaration]:
    found = {
        name: Declaration(kind, Role.QUASI_IDENTIFIER)
        for kind, names in kinds.items()
        for name in names.split()
    }
    return {**found, secret: Declaration(Kind.NOMINAL, Role.CONFIDENTIAL)}


def survey_table() -> Table:
    people = declared(SURVEY, "health")
    return table_from(survey().select(*people), people).take(np.arange(2000))


def adult_table() -> Table:
    people = declared(ADULT, "occupation")
    table = read_table(reference_file("uci/adult.csv"), people).only([*people])
    return table.take(np.random.default_rng(1).permutation(len(table))[:16_281])


def measure(title: str, table: Table, keep: AnalysesToPreserve) -> Callable[[], float]:
    """Print the cost of both, and return a function that compares all candidates once more."""
    requirement = Requirement(k=3)
    members = specialists_for(SearchInput(table, requirement, "strict", {}), ("recipes",))
    context = EvaluationContext(table, Settings(requirement, "strict", members, keep=keep), 1)
    recipes = context.initial_recipes[: CANDIDATES + 1]
    files = [context.masked("recipes", recipe) for recipe in recipes]
    plain = EvaluationContext(table, Settings(requirement, "strict", members), 1)
    plain.evaluate("recipes", recipes[0])
    context.analyses.errors(files[0])

    def compare() -> float:
        began = process_time()
        for file in files[1:]:
            context.analyses.errors(file)
        return (process_time() - began) / (len(files) - 1)

    began = process_time()
    for recipe in recipes[1:]:
        plain.evaluate("recipes", recipe)
    whole = (process_time() - began) / (len(recipes) - 1)
    began = process_time()
    for file in files[1:]:
        plain.measured(file, plain.rest_of(file))
    read = (process_time() - began) / (len(recipes) - 1)
    took = min(compare() for _ in range(3))
    print(
        f"{title:<8}{len(table):>7,} records: evaluation {1000 * whole:6.1f} ms (loss and risk "
        f"{1000 * read:.1f} ms), ten analyses {1000 * took:5.1f} ms, {100 * took / whole:.0f} %: "
        f"{took / whole / AIM:.2f} of the aim"
    )
    return compare


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", action="store_true")
    profiled = parser.parse_args().profile
    for title, table, keep in (
        ("survey", survey_table(), OF_SURVEY),
        ("Adult", adult_table(), OF_ADULT),
    ):
        compare = measure(title, table, keep)
        if profiled:
            with cProfile.Profile() as profile:
                compare()
            pstats.Stats(profile).sort_stats("tottime").print_stats(14)


if __name__ == "__main__":
    main()
