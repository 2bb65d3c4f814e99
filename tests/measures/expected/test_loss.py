"""The expected information loss against the mean of many drawn files."""

import numpy as np
import pytest

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.masking.randomization.pram import CommonDraws, normalize_rows
from evomask.measures.loss.bins import MOST_CATEGORIES
from evomask.measures.loss.loss import InformationLoss, LossWeights

N, DRAWS = 400, 150
MANY = MOST_CATEGORIES + 4
QUASI = Role.QUASI_IDENTIFIER
SIZES = {"school": 4, "region": 3, "job": MANY, "sex": 2}


def letters(size):
    return tuple(f"c{i:02}" for i in range(size))


SCHEMA = Schema(
    (
        Attribute("school", Kind.ORDINAL, QUASI, letters(4)),
        Attribute("region", Kind.NOMINAL, QUASI, letters(3)),
        Attribute("job", Kind.NOMINAL, QUASI, letters(MANY)),
        Attribute("sex", Kind.NOMINAL, Role.OTHER, letters(2)),
        Attribute("income", Kind.CONTINUOUS, QUASI),
        Attribute("weight", Kind.CONTINUOUS, Role.WEIGHT),
    )
)


def people(*, weighted=False):
    """Some people whose attributes depend on each other; one has many rare categories."""
    rng = np.random.default_rng(4)
    school = rng.integers(0, 4, N)
    region = np.where(rng.random(N) < 0.5, school % 3, rng.integers(0, 3, N))
    job = np.minimum(rng.geometric(0.2, N) + school, MANY) - 1
    return Table(
        SCHEMA,
        {
            "school": school,
            "region": region,
            "job": job,
            "sex": (rng.random(N) < 0.2 + 0.2 * school).astype(np.int32),
            "income": np.exp(rng.normal(0.3 * school, 0.5)),
            "weight": rng.choice([1.0, 3.0], N) if weighted else np.ones(N),
        },
    )


def matrices_of(names, seed=1):
    rng = np.random.default_rng(seed)
    drawn = {name: rng.random((SIZES[name], SIZES[name])) ** 4 for name in names}
    return {name: normalize_rows(m + 2 * np.eye(len(m))) for name, m in drawn.items()}


def mean_of_draws(reading, original, matrices):
    """Mean of each part over drawn files, and its standard error."""
    draws = CommonDraws(original, tuple(matrices), lambda r: np.random.default_rng([5, r]))
    found = [reading.assess(draws.masked(matrices, r)) for r in range(DRAWS)]
    parts = np.array([[one.loss, one.accuracy, one.distributions, one.relations] for one in found])
    return parts.mean(axis=0), parts.std(axis=0) / np.sqrt(DRAWS)


def expected_parts(original, names, matrices):
    """The expected loss, and each part by its own weight."""
    weights = [LossWeights(), LossWeights(1, 0, 0), LossWeights(0, 1, 0), LossWeights(0, 0, 1)]
    return np.array(
        [InformationLoss(names, one).against(original).expected(matrices) for one in weights]
    )


@pytest.mark.parametrize(
    "changed", [("school", "region", "job"), ("school",), ("job",), ("region", "school")]
)
def test_the_expected_loss_is_the_mean_of_many_draws(changed):
    original, matrices = people(), matrices_of(changed)
    names = original.schema.quasi_identifiers
    mean, error = mean_of_draws(InformationLoss(names).against(original), original, matrices)
    found = expected_parts(original, names, matrices)
    # distributions and relations are normal approximations
    assert np.all(np.abs(found - mean) <= 5 * error + [0.3, 1e-9, 0.3, 0.3])


def test_survey_weights_count_in_the_expectation():
    original, matrices = people(weighted=True), matrices_of(("school", "region"))
    names = original.schema.quasi_identifiers
    mean, error = mean_of_draws(InformationLoss(names).against(original), original, matrices)
    found = expected_parts(original, names, matrices)
    assert np.all(np.abs(found - mean) <= 5 * error + [0.3, 1e-9, 0.3, 0.3])


def test_matrices_without_chance_lose_what_their_file_does():
    original = people()
    names = original.schema.quasi_identifiers
    matrices = {"school": np.eye(4)[[1, 1, 3, 2]], "region": np.eye(3)[[2, 0, 1]]}
    changes = {name: matrices[name].argmax(axis=1)[original[name]] for name in matrices}
    reading = InformationLoss(names).against(original)
    assert reading.expected(matrices) == pytest.approx(reading(original.with_columns(changes)))


def test_identity_matrices_lose_nothing():
    original = people()
    reading = InformationLoss(original.schema.quasi_identifiers).against(original)
    assert reading.has_expectation
    assert reading.expected({}) == 0.0
    assert reading.expected({name: np.eye(SIZES[name]) for name in ("school", "job")}) == 0.0


def test_matrices_that_do_not_fit_are_refused():
    reading = InformationLoss(people().schema.quasi_identifiers).against(people())
    with pytest.raises(ParameterError, match="'school'"):
        reading.expected({"school": np.eye(2)})
    with pytest.raises(SchemaError, match="'income'"):
        reading.expected({"income": np.eye(2)})
