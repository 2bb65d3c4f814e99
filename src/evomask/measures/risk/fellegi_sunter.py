"""The Fellegi-Sunter model of agreement, fitted by expectation and maximisation.

Jaro (1989): among all pairs of a masked and an original record some are matches; attributes
agree independently, with probability m in a match and u in any other pair.
"""

from dataclasses import dataclass

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.errors import ParameterError
from evomask.kernels.linking.agreement_model import fit_agreement

FIRST_MATCHES, FIRST_M, FIRST_U = 0.1, 0.9, 0.1
SMALLEST = 1e-9
CLOSE = 1e-7
MOST_STEPS = 1000


@dataclass(frozen=True, eq=False)
class AgreementModel:
    """Fitted probabilities.

    Args:
        matches: share of pairs that are matches.
        m, u: probability that each attribute agrees in a match, in any other pair.
        agreements: one row a pattern seen, 1 where the attribute agrees.
        pairs: number of pairs with each pattern.
    """

    matches: float
    m: Floats
    u: Floats
    agreements: Points
    pairs: Floats

    def weights(self) -> Floats:
        """Logarithm of how much likelier each seen pattern is in a match."""
        agree, differ = self.attribute_weights()
        weights: Floats = self.agreements @ agree + (1 - self.agreements) @ differ
        return weights

    def attribute_weights(self) -> tuple[Floats, Floats]:
        """What each attribute adds to the weight where it agrees, and where it differs."""
        agree: Floats = np.log(self.m) - np.log(self.u)
        differ: Floats = np.log1p(-self.m) - np.log1p(-self.u)
        return agree, differ

    def decisions(self, false_match: float, false_non_match: float) -> "Decisions":
        """Pairs declared links, possible links and non-links under two error bounds."""
        for name, bound in (("false match", false_match), ("false non-match", false_non_match)):
            if not 0 <= bound < 1:
                raise ParameterError(f"the {name} bound must lie in [0, 1), got {bound}")
        order = np.argsort(-self.weights(), kind="stable")
        in_match, in_other = (_likelihoods(self.agreements[order], p) for p in (self.m, self.u))
        links = np.cumsum(in_other) <= false_match
        others = np.cumsum(in_match[::-1])[::-1] <= false_non_match
        pairs = self.pairs[order]
        linked, apart = float(pairs[links].sum()), float(pairs[others & ~links].sum())
        return Decisions(linked, float(pairs.sum()) - linked - apart, apart)


@dataclass(frozen=True)
class Decisions:
    """Number of pairs declared a link, left open, and declared no link."""

    links: float
    possible: float
    non_links: float


def fitted(patterns: Indices, pairs: Floats, n_attributes: int) -> AgreementModel:
    """The model that fits the seen patterns (bit j: attribute j agrees) best.

    The first guess is that one pair in ten is a match and attributes agree with probability
    0.9 in matches, 0.1 elsewhere. Records that always agree leave nothing to tell apart; all
    probabilities stay inside (0, 1).
    """
    agreements = (patterns[:, None] >> np.arange(n_attributes) & 1).astype(np.float64)
    m, u = np.full(n_attributes, FIRST_M), np.full(n_attributes, FIRST_U)
    matches, m, u = fit_agreement(
        agreements, pairs, FIRST_MATCHES, m, u, SMALLEST, CLOSE, MOST_STEPS
    )
    return AgreementModel(matches, m, u, agreements, pairs)


def _likelihoods(agreements: Points, probabilities: Floats) -> Floats:
    logarithms = agreements @ np.log(probabilities) + (1 - agreements) @ np.log1p(-probabilities)
    likelihoods: Floats = np.exp(logarithms)
    return likelihoods
