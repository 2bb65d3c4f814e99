"""Synthetic baseline: a wholly synthetic file, evaluated beside the front and then discarded.

All quasi-identifiers and confidential attributes are drawn (`masking.synthesis`), by the model with
its default parameters, or with differential privacy (`runs.private`).
"""

from collections.abc import Callable, Mapping

import numpy as np

from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.engine.evaluation import EvaluationContext
from evomask.engine.front import FrontPoint
from evomask.errors import ParameterError
from evomask.evolution.streams import baseline_stream
from evomask.masking.synthesis.bayesian_network import BayesianNetwork
from evomask.masking.synthesis.cart import Cart
from evomask.masking.synthesis.copula import Copula
from evomask.masking.synthesis.synthesizer import Synthesizer
from evomask.runs.front_evaluation import unmasked_point
from evomask.runs.private import private_file

SYNTHETIC = "synthetic"
MODELS: Mapping[str, tuple[str, Callable[[tuple[str, ...]], Synthesizer]]] = {
    SYNTHETIC: ("Gaussian copula", Copula),
    "cart": ("regression trees", Cart),
    "bayesian-network": ("Bayesian network", BayesianNetwork),
}
"""Title and model of each baseline."""


PRIVATE = "private"
"""Baseline with a parameter, as in ``private=1``."""


def check_baseline(name: str) -> None:
    """Refuse an unknown baseline; an empty name means none."""
    if name and name not in MODELS and _epsilon(name) is None:
        raise ParameterError(
            f"no baseline {name!r}; there is {', '.join(MODELS)}, and {PRIVATE}=EPSILON such as "
            f"{PRIVATE}=1"
        )


def _epsilon(name: str) -> float | None:
    """Privacy loss of a private baseline; None for others, and where it is no positive number."""
    kind, _, number = name.partition("=")
    try:
        epsilon = float(number) if kind == PRIVATE else np.nan
    except ValueError:
        return None
    return epsilon if 0 < epsilon < np.inf else None


def baselines(name: str, context: EvaluationContext) -> dict[str, FrontPoint]:
    """Evaluate a baseline with the measures of a protection; its file is discarded.

    Returns the point by the title of the baseline.
    """
    file = synthetic_file(context.table, baseline_stream(context.seed), name)
    rest = context.rest_of(context.table)
    twin = None if rest is None else synthetic_file(rest, baseline_stream(context.seed), name)
    evaluated = context.measured(file, twin)
    assessment = context.assess_risk(file, twin) or evaluated.assessment
    risk = assessment.risk if assessment else evaluated.risk
    epsilon = _epsilon(name)
    model = f"OpenDP, epsilon = {epsilon:g}" if epsilon else MODELS[name][0]
    return {f"synthetic records ({model})": unmasked_point(evaluated.loss, risk, assessment)}


def synthetic_file(table: Table, rng: np.random.Generator, name: str = SYNTHETIC) -> Table:
    """Draw quasi-identifiers and confidential attributes, given nothing."""
    schema = table.schema
    weights = dict.fromkeys(schema.with_role(Role.WEIGHT), Role.OTHER)
    names = schema.with_role(Role.QUASI_IDENTIFIER, Role.CONFIDENTIAL)
    epsilon = _epsilon(name)
    if epsilon:
        return private_file(table, names, epsilon, rng)
    drawn = MODELS[name][1](names).mask(table.with_schema(schema.assigning(weights)), rng)
    return drawn.with_schema(schema)
