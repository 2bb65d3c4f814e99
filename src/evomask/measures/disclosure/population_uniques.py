"""Population uniques estimated from the sizes of the equivalence classes of a sample alone.

Zayatz (1991), Pitman's sampling formula (Hoshino 2001), the slide negative binomial (Chen and
Keller-McNulty 1998), and the rule of Dankar et al. (2012) that chooses among them. None of them
looks at the values, so all of them hold for attributes of any kind.
"""

from dataclasses import dataclass
from math import exp, log

import numpy as np

from evomask.types import Floats, Indices

SMALL_SHARE = 0.1
"""Largest sampling fraction at which Dankar's rule takes Pitman's model."""

IMPOSSIBLE = 1e300
"""Minus the logarithm of a likelihood of 0, finite so that differences exist."""


@dataclass(frozen=True, eq=False)
class ClassSizes:
    """How many equivalence classes of a sample have each size.

    Args:
        sizes: distinct sizes, ascending.
        numbers: number of classes of each size.
        population: number of people of the population.
    """

    sizes: Indices
    numbers: Indices
    population: float

    @classmethod
    def of(cls, sizes: Indices, population: float) -> "ClassSizes":
        """Count classes by size."""
        distinct, numbers = np.unique(sizes, return_counts=True)
        return cls(distinct.astype(np.int64), numbers.astype(np.int64), population)

    @property
    def records(self) -> int:
        """Number of records of the sample."""
        return int(self.sizes @ self.numbers)

    @property
    def classes(self) -> int:
        return int(self.numbers.sum())

    @property
    def uniques(self) -> int:
        return int(self.numbers[self.sizes == 1].sum())

    @property
    def share(self) -> float:
        """Sampling fraction: records per person of the population."""
        return self.records / self.population


def zayatz(sample: ClassSizes) -> float:
    """Estimate by Zayatz: classes of the population are taken to be as large as those observed."""
    if not sample.uniques:
        return 0.0
    weights = sample.numbers * _drawn_once(sample)
    return float(sample.uniques * weights[0] / weights.sum() / sample.share)


def _drawn_once(sample: ClassSizes) -> Floats:
    """Probability that one person of a class of each size is sampled (hypergeometric)."""
    from scipy.special import gammaln

    sizes, n, total = sample.sizes, sample.records, sample.population
    if total - n < 1:
        return np.where(sizes == 1, 1.0, 0.0)
    rest = total - n - (sizes - 1)
    logarithm = (
        np.log(sizes * n)
        + gammaln(total - sizes + 1)
        + gammaln(total - n + 1)
        - gammaln(total + 1)
        - gammaln(np.maximum(rest, 0) + 1)
    )
    return np.where(rest >= 0, np.exp(logarithm), 0.0)


def pitman(sample: ClassSizes) -> float | None:
    """Estimate by Pitman's sampling formula with maximum likelihood; None if it has no maximum."""
    from scipy.optimize import minimize
    from scipy.special import expit, gammaln

    n, classes, total = sample.records, sample.classes, sample.population
    if not sample.uniques:
        return 0.0
    if classes in (1, n):
        return None

    def parameters(point: Floats) -> tuple[float, float]:
        alpha = float(expit(point[0]))
        return alpha, exp(min(float(point[1]), 50.0)) - alpha

    def surprise(point: Floats) -> float:
        alpha, theta = parameters(point)
        if not 1e-9 < alpha < 1 - 1e-9 or theta + alpha <= 0:
            return IMPOSSIBLE
        likelihood = (
            (classes - 1) * log(alpha)
            + gammaln(theta / alpha + classes)
            - gammaln(theta / alpha + 1)
            - gammaln(theta + n)
            + gammaln(theta + 1)
            + np.sum(sample.numbers * (gammaln(sample.sizes - alpha) - gammaln(1 - alpha)))
        )
        return -float(likelihood)

    starts = np.array([[0.0, log(classes)], [-2.0, log(classes)], [1.0, 1.0]])
    best = min(
        (
            minimize(surprise, s, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9})
            for s in starts
        ),
        key=lambda found: float(found.fun),
    )
    alpha, theta = parameters(best.x)
    if best.fun >= IMPOSSIBLE or best.x[1] > 40:
        return None
    logarithm = (
        log(total)
        + gammaln(theta + alpha + total - 1)
        + gammaln(theta + 1)
        - gammaln(theta + alpha)
        - gammaln(theta + total)
    )
    return min(float(np.exp(logarithm)), total)


def slide_negative_binomial(sample: ClassSizes) -> float | None:
    """Estimate by classes of 1 + a negative binomial number of people; None if it has no maximum.

    The parameters maximise the likelihood of the sizes in the sample, with as many classes as
    make up the population.
    """
    from scipy.optimize import minimize
    from scipy.special import expit, gammaln

    total, share, classes = sample.population, sample.share, sample.classes
    if not sample.uniques:
        return 0.0
    if share >= 1:
        return float(sample.uniques)

    def surprise(point: Floats) -> float:
        shape, p = exp(float(np.clip(point[0], -50, 50))), float(expit(point[1]))
        if not 1e-12 < p < 1:
            return IMPOSSIBLE
        everybody = total / (1 + shape * (1 - p) / p)
        if everybody < classes:
            return IMPOSSIBLE
        thinned = p / (p + share * (1 - p))
        none = (1 - share) * thinned**shape
        chances = (1 - share) * _negative_binomial(sample.sizes, shape, thinned)
        chances += share * _negative_binomial(sample.sizes - 1, shape, thinned)
        likelihood = (
            np.sum(sample.numbers * np.log(np.maximum(chances, 1e-300)))
            + gammaln(everybody + 1)
            - gammaln(everybody - classes + 1)
            + (everybody - classes) * log(max(none, 1e-300))
        )
        return -float(likelihood)

    starts = np.array([[-1.0, -3.0], [-3.0, -6.0], [0.0, 0.0], [1.0, 2.0]])
    best = min(
        (minimize(surprise, s, method="Nelder-Mead", options={"maxiter": 4000}) for s in starts),
        key=lambda found: float(found.fun),
    )
    if best.fun >= IMPOSSIBLE:
        return None
    shape, p = exp(float(np.clip(best.x[0], -50, 50))), float(expit(best.x[1]))
    return float(total / (1 + shape * (1 - p) / p) * p**shape)


def _negative_binomial(values: Indices, shape: float, p: float) -> Floats:
    """Probability of each value under a negative binomial distribution."""
    from scipy.special import gammaln

    rest = log(max(1.0 - p, 1e-300))
    logarithm = gammaln(values + shape) - gammaln(shape) - gammaln(values + 1)
    chances: Floats = np.exp(logarithm + shape * log(p) + values * rest)
    return chances


def dankar(share: float, estimates: dict[str, float | None]) -> str:
    """Name of the estimate that the rule of Dankar et al. (2012) takes.

    Pitman's up to a sampling fraction of 10 %; above, the smaller of Zayatz's and that of the
    slide negative binomial. Zayatz's where the other has no solution.
    """
    zayatz_uniques = estimates["zayatz"] or 0.0
    if share <= SMALL_SHARE:
        return "pitman" if estimates["pitman"] is not None else "zayatz"
    other = estimates["snb"]
    return "snb" if other is not None and other <= zayatz_uniques else "zayatz"
