"""The Fellegi-Sunter model of agreement, fitted by expectation and maximisation.

Jaro (1989): among all pairs of a masked and an original record some are matches; attributes
agree independently, with probability m in a match and u in any other pair.
"""

from dataclasses import dataclass

import numpy as np

from evomask.arrays import Floats, Indices, Points
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
    """

    matches: float
    m: Floats
    u: Floats
    agreements: Points

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
    return AgreementModel(matches, m, u, agreements)
