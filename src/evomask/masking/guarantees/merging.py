"""Classes of records merged until none falls short: at once, or in a large file by regions."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evomask.arrays import Indices, Labels
from evomask.data.classes import Classes
from evomask.masking.guarantees.places import Places
from evomask.masking.microaggregation.regions import grouped_mixed, mixed_regions

if TYPE_CHECKING:
    from evomask.kernels.groups.merging import Whole

AT_ONCE = 20_000
"""Up to so many classes all are placed at once."""

TOGETHER = 1_500
"""Most classes of a region of a large file."""


@dataclass(frozen=True, eq=False)
class Secrets:
    """The confidential attributes of some records, and what a class must hold of them.

    Args:
        codes: a row for each attribute, in order and without gaps.
        ordered: whether each has an order.
        diversity: distinct values that each class needs.
        closeness: how far a class's distribution may be from the file's.
        whole: how many values each has in the file, and their shares.
    """

    codes: Indices
    ordered: Indices
    diversity: int
    closeness: float
    whole: "Whole"

    def of(self, records: Indices) -> "Secrets":
        """The same for some of the records; their file stays the same."""
        return replace(self, codes=self.codes[:, records])


def grouped_to_size(places: Places, classes: Classes, k: int, share: float = 1.0) -> Labels | None:
    """Records of short classes microaggregated among themselves; None where they are too few.

    Args:
        share: of the file that the records are.
    """
    short = np.flatnonzero(classes.sizes_of_records < k)
    if len(short) < k or not places.are_few:
        return None
    groups = classes.labels.copy()
    groups[short] = len(classes) + grouped_mixed(places.coded(short), k, share)
    return groups


def merged_to_fulfil(
    places: Places, classes: Classes, k: int, secrets: Secrets, share: float = 1.0
) -> Labels:
    """The group of each record after every class that falls short was merged with its nearest.

    Args:
        share: of the file that the records are.
    """
    if len(classes) > max(TOGETHER, AT_ONCE * share) and places.are_few:
        return _merged_by_regions(places, classes, k, secrets)
    return _merged(places, classes, k, secrets)[classes.labels]


def _merged_by_regions(places: Places, classes: Classes, k: int, secrets: Secrets) -> Labels:
    """Classes are merged within regions; what still falls short is merged among all.

    That is only a region whose classes all became one; it then lies where its first was.
    """
    target = np.arange(len(classes))
    by_class = np.argsort(classes.labels, kind="stable")
    ends = np.cumsum(classes.sizes)
    alone = False
    for region in mixed_regions(places.coded(classes.representatives), TOGETHER):
        parts = [by_class[ends[c] - classes.sizes[c] : ends[c]] for c in region]
        inside = _renumbered(classes, region)
        merged = _merged(places, inside, k, secrets.of(np.concatenate(parts)))
        target[region] = region[merged]
        alone = alone or len(np.unique(merged)) == 1
    labels = target[classes.labels]
    if not alone:
        return labels
    left, inverse, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    rest = Classes(inverse.astype(np.int64), sizes, classes.representatives[left])
    return _merged(places, rest, k, secrets)[rest.labels]


def _renumbered(classes: Classes, region: Indices) -> Classes:
    """Some of the classes on their own, their records class after class."""
    sizes = classes.sizes[region]
    labels = np.repeat(np.arange(len(region)), sizes)
    return Classes(labels, sizes, classes.representatives[region])


def _merged(places: Places, classes: Classes, k: int, secrets: Secrets) -> Labels:
    """For each class the one that it became part of."""
    from evomask.kernels.groups.merging import merged_classes

    return merged_classes(
        places.points(classes.representatives),
        classes.labels,
        secrets.codes,
        secrets.ordered,
        k,
        secrets.diversity,
        secrets.closeness,
        secrets.whole,
    )
