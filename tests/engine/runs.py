"""Small tables, and runs of the engine on them."""

import numpy as np
import polars as pl

from evomask.data.frames import Declaration, table_from
from evomask.data.schema import Kind, Role
from evomask.engine.engine import Engine, lag_for
from evomask.engine.evaluation import EvaluationContext, Settings
from evomask.engine.specialists import specialists_for
from evomask.engine.state import EngineState
from evomask.evolution.stopping import Budget
from evomask.execution.local import InProcess
from evomask.masking.enforce.requirement import NOTHING
from evomask.runs.store.journal import Journal
from evomask.searches.base import SearchInput


def people(count=60, **more):
    rng = np.random.default_rng(3)
    columns = {"age": rng.integers(20, 70, count), "income": rng.integers(1000, 2000, count)}
    return pl.DataFrame(columns | {name: make(rng, count) for name, make in more.items()})


def table_of(frame, edits=(), **declared):
    quasi = dict.fromkeys(("age", "income"), Declaration(Kind.CONTINUOUS, Role.QUASI_IDENTIFIER))
    table = table_from(frame, quasi | declared)
    schema = table.schema
    return table.with_schema(type(schema)(tuple(schema), edits=tuple(edits)))


def nominal(categories):
    return Declaration(Kind.NOMINAL, Role.QUASI_IDENTIFIER), (
        lambda rng, n: rng.choice([f"c{i}" for i in range(categories)], n)
    )


def mixed(count=900):
    """Numbers and categories of many people, who are all quasi-identified by them."""
    declaration, draw = nominal(4)
    return table_of(people(count, kind=draw), kind=declaration)


def context_for(
    table, requirement=NOTHING, searches=(), trees=None, samples=(), lag=4, seed=11, **extra
):
    file = SearchInput(table, requirement, "strict", trees or {})
    members = specialists_for(file, searches) | extra
    settings = Settings(requirement, "strict", members, lag=lag, samples=tuple(samples))
    return EvaluationContext(table, settings, seed, trees or {})


def engine_for(context, evaluations=40, work=None, journal=None, seconds=None):
    budget = Budget(None, None if seconds else evaluations, seconds)
    return Engine(context, budget, journal or Journal(), work or InProcess(context))


def run(context, evaluations=40, state=None, work=None):
    return list(engine_for(context, evaluations, work).states(state or EngineState()))


__all__ = ["context_for", "engine_for", "lag_for", "mixed", "nominal", "people", "run", "table_of"]
