"""Nearest records by whichever kernel suits: a tree where all attributes are categorical."""

from evomask.arrays import Floats, Indices
from evomask.kernels.linking import code_tree, linkage
from evomask.kernels.linking.linkage import Candidates, Rows, Terms

FEW = 100
"""Targets for which a tree is not worth planting."""


def tied_with_own(
    targets: Rows, places: Floats, own: Indices, candidates: Candidates, terms: Terms
) -> Indices:
    """For each target, how many records are as near to it as its own one; 0 if any is nearer.

    ``places`` are the targets' places on the candidates' line.
    """
    if _suits_a_tree(targets):
        return code_tree.ties_in_tree(targets.codes, own, candidates, terms)
    return linkage.tied_with_own(targets, places, own, candidates, terms)


def nearest_ties(
    targets: Rows, places: Floats, candidates: Candidates, terms: Terms
) -> tuple[Indices, Indices]:
    """All nearest candidates of each target: target i has ``found[ends[i]:ends[i + 1]]``."""
    if _suits_a_tree(targets):
        return code_tree.nearest_in_tree(targets.codes, candidates, terms)
    return linkage.nearest_ties(targets, places, candidates, terms)


def _suits_a_tree(targets: Rows) -> bool:
    return not targets.low.shape[1] and len(targets) > FEW
