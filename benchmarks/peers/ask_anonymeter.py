"""Run by its own Python: anonymeter's three attacks on files that somebody may release.

A task names the original, records that were not used (the control) and the files to attack. All
attacks are repeated with the same numbers of guesses; a rate is what an attack gets right.
"""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator
from asking import Clock, Task, serve

GUESSES = 300
NEIGHBOURS = 1
TRIES = 20_000


def _rate(evaluator: Any, **options: Any) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        evaluator.evaluate(**options)
        return float(evaluator.results(confidence_level=0.95).attack_rate.value)


def _linkability(original: Any, masked: Any) -> float:
    names = list(original.columns)
    halves = (names[::2], names[1::2])
    guesses = min(GUESSES, len(original))
    return _rate(
        LinkabilityEvaluator(
            ori=original, syn=masked, aux_cols=halves, n_attacks=guesses, n_neighbors=NEIGHBOURS
        ),
        n_jobs=1,
    )


def _inference(original: Any, masked: Any) -> float:
    """The mean over attributes, each from all the others."""
    names, rates = list(original.columns), []
    for secret in names:
        known = [name for name in names if name != secret]
        evaluator = InferenceEvaluator(
            ori=original,
            syn=masked,
            aux_cols=known,
            secret=secret,
            regression=pd.api.types.is_numeric_dtype(original[secret]),
            n_attacks=min(GUESSES, len(original)),
        )
        rates.append(_rate(evaluator, n_jobs=1))
    return float(np.mean(rates))


def _singling_out(original: Any, masked: Any) -> float:
    evaluator = SinglingOutEvaluator(
        ori=original, syn=masked, n_attacks=min(GUESSES, len(original)), n_cols=3,
        max_attempts=TRIES, seed=0,
    )  # fmt: skip
    return _rate(evaluator, mode="multivariate")


ATTACKS = {
    "linkability": _linkability,
    "inference": _inference,
    "singling-out": _singling_out,
}


def attacks(task: Task, clock: Clock) -> dict[str, Any]:
    original = pd.read_csv(task["file"])
    files = [pd.read_csv(path) for path in task["files"]]
    wanted = task.get("attacks", list(ATTACKS))
    np.random.seed(0)  # noqa: NPY002 - the evaluators draw from the global stream

    def work() -> list[dict[str, float]]:
        return [{name: ATTACKS[name](original, file) for name in wanted} for file in files]

    return {"rates": clock.timed(work)}


if __name__ == "__main__":
    serve("anonymeter", {"attacks": attacks})
