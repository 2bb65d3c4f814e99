"""Semantic information loss of a protected graph (section 6.3), in percent."""

from dataclasses import dataclass

import numpy as np

from evomask.types import Indices
from evomask_graphs.graph import Edges
from evomask_graphs.profiles import Profiles


@dataclass(frozen=True)
class MeasuredLoss:
    """Values of one measure by attribute, and their mean."""

    attributes: dict[str, float]

    @property
    def mean(self) -> float:
        return sum(self.attributes.values()) / len(self.attributes)


@dataclass(frozen=True)
class SemanticLoss:
    """Loss of links between categories, of category frequencies, and of single values.

    Args:
        adjacency: AAMIL, equations (6.3) and (6.4).
        distribution: CDIL, equations (6.5) and (6.6).
        distance: DBIL, equation (6.7).
    """

    adjacency: MeasuredLoss
    distribution: MeasuredLoss
    distance: MeasuredLoss

    @property
    def mean(self) -> float:
        """Average semantic information loss, equation (6.8)."""
        return (self.adjacency.mean + self.distribution.mean + self.distance.mean) / 3


def semantic_loss(
    original: Profiles, masked: Profiles, arcs: Edges, masked_arcs: Edges | None = None
) -> SemanticLoss:
    """Compute all three losses; *arcs* are the links of the original and of the masked graph."""
    released = arcs if masked_arcs is None else masked_arcs
    return SemanticLoss(
        adjacency_loss(original, masked, arcs, released),
        distribution_loss(original, masked),
        distance_loss(original, masked),
    )


def adjacency_loss(
    original: Profiles, masked: Profiles, arcs: Edges, masked_arcs: Edges
) -> MeasuredLoss:
    """AAMIL: change of the frequencies of links between categories.

    In the masked matrix, rows are original categories of nodes and columns masked categories of
    neighbours, as in figure 6.6. Without links nothing is lost.
    """
    new = masked.codes()
    return MeasuredLoss(
        {
            name: _apart(
                _pairs(old[arcs[:, 0]], old[arcs[:, 1]]),
                _pairs(old[masked_arcs[:, 0]], new[name][masked_arcs[:, 1]]),
            )
            for name, old in original.codes().items()
        }
    )


def distribution_loss(original: Profiles, masked: Profiles) -> MeasuredLoss:
    """CDIL: change in category frequencies."""
    new = masked.codes()
    return MeasuredLoss({name: _apart(old, new[name]) for name, old in original.codes().items()})


def distance_loss(original: Profiles, masked: Profiles) -> MeasuredLoss:
    """DBIL: mean distance of each original value to its masked one."""
    apart = original.distances(masked)
    return MeasuredLoss({name: 100.0 * float(values.mean()) for name, values in apart.items()})


def _pairs(rows: Indices, columns: Indices) -> Indices:
    return ((rows + 1) << 32) + columns + 1


def _apart(before: Indices, after: Indices) -> float:
    if not len(before):
        return 0.0
    values, which = np.unique(np.concatenate([before, after]), return_inverse=True)
    old = np.bincount(which[: len(before)], minlength=len(values))
    new = np.bincount(which[len(before) :], minlength=len(values))
    return min(100.0, 100.0 * float(np.abs(old - new).sum()) / (2 * len(before)))
