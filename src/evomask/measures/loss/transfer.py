"""Train on masked, test on original: what models learn from a masked file about the original.

Each masked column is predicted from all others, numbers by least squares and categories (the most
frequent one against all others) by logistic regression. The model is fitted to every second
record, of the masked and of the original file, and tested on the other records of the original.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.measures.analyses.models import PreparedModel, prepare_model
from evomask.measures.analyses.parser import ModelSpec
from evomask.measures.analyses.records import OriginalFile
from evomask.types import Floats

MOST_TARGETS = 8
"""Columns that are predicted, the first masked ones."""

MOST_CATEGORIES = 60
"""Categories of a column that is a predictor."""

MOST_RECORDS = 20_000
"""Records that are used; of more, evenly spaced ones are taken."""


@dataclass(frozen=True)
class Transfer:
    """Success of a model on records of the original.

    Args:
        measure: ``R2`` (explained share of the variance) of numbers, ``AUC`` of categories.
        trained_on_original, trained_on_masked: in percent.
    """

    target: str
    measure: str
    trained_on_original: float
    trained_on_masked: float


def transfers(original: Table, masked: Table, names: Sequence[str]) -> tuple[Transfer, ...]:
    """Predict masked columns of the original by models that were trained on both files."""
    every = np.linspace(0, len(original) - 1, min(len(original), MOST_RECORDS)).astype(np.int64)
    train, test = every[::2], every[1::2]
    file = OriginalFile(original.take(train))
    changed = file.against(masked.take(train)).changed
    few = [n for n in names if len(original.attribute(n).categories) <= MOST_CATEGORIES]
    found = []
    for target in [name for name in few if name in changed][:MOST_TARGETS]:
        others = tuple(name for name in few if name != target)
        with suppress(SchemaError):  # of too few records or values
            model = prepare_model(ModelSpec(f"{target} from all others", target, "", others), file)
            found.append(_transfer(model, masked.take(train), original.take(test)))
    return tuple(found)


def _transfer(model: PreparedModel, masked: Table, tests: Table) -> Transfer:
    sample = model.sample_of(OriginalFile(tests).against(tests))
    fits = model.fit, model.fit_to(model.original.against(masked))
    score = _explained if model.category is None else _auc
    before, after = (
        0.0 if fit is None else score(sample.outcome, fit.predicted(sample.columns), sample.weights)
        for fit in fits
    )
    name = "R2" if model.category is None else "AUC"
    return Transfer(model.wish.outcome, name, 100.0 * before, 100.0 * after)


def _explained(values: Floats, predicted: Floats, weights: Floats) -> float:
    """Coefficient of determination; negative where the mean would predict better."""
    mean = np.average(values, weights=weights)
    spread = float(weights @ (values - mean) ** 2)
    return 1.0 - float(weights @ (values - predicted) ** 2) / spread if spread > 0 else 0.0


def _auc(has: Floats, scores: Floats, weights: Floats) -> float:
    """Area under the ROC curve, ties counted half; 0.5 if all records are alike."""
    _, places = np.unique(scores, return_inverse=True)
    yes, no = (np.bincount(places, weights * side) for side in (has, 1.0 - has))
    pairs = float(yes.sum() * no.sum())
    below = np.cumsum(no) - no / 2
    return float(yes @ below) / pairs if pairs > 0 else 0.5
