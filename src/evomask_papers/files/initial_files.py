"""Initial files of categories of chapter 3: the number of each method that the thesis gives.

The thesis does not print their parameters; ours go from weak to strong. A coding needs an attribute
with more categories than it merges, so German credit has one file fewer of each coding.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from evomask.data.table import Table
from evomask.masking.composition import InTurn
from evomask.masking.grid import CATEGORY_WINDOWS, CHANGES, GridMethod
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.randomization.pram import Design, Pram
from evomask.masking.rank_swapping import RankSwapping
from evomask.masking.recoding.global_recoding import GlobalRecoding
from evomask.masking.recoding.group_values import GroupValues
from evomask.masking.recoding.top_bottom_coding import BottomCoding, TopCoding
from evomask_papers.files.inputs import ADULT, FLARE, GERMAN, HOUSING

FEW_GROUPS = (2, 3, 4, 5, 7, 10, 15, 20, 25, 30, 40, 50, 75, 100, 125, 150)
GROUPS = (*range(2, 11), 12, *range(15, 55, 5), 60, 75, 90, 100, 125, 150)
WIDTHS = (1, 2, 3)
"""Attributes microaggregated by ones, by twos, and all three together."""

MICROAGGREGATION, SWAPPING, PRAM = "microaggregation", "rank swapping", "PRAM"
CODINGS = {
    "bottom coding": BottomCoding,
    "top coding": TopCoding,
    "global recoding": GlobalRecoding,
}


class Composition(NamedTuple):
    """Number of initial files by microaggregation and by each of three codings in the thesis."""

    microaggregated: int
    coded: int

    @property
    def files(self) -> int:
        return self.microaggregated + 3 * self.coded + 11 + 9


PRINTED: Mapping[str, Composition] = {
    HOUSING: Composition(72, 6),
    GERMAN: Composition(72, 4),
    FLARE: Composition(72, 4),
    ADULT: Composition(48, 6),
}


def first_files(name: str, table: Table) -> tuple[GridMethod, ...]:
    """Methods that make the initial files of one data set of categories."""
    names = table.schema.quasi_identifiers
    sizes = FEW_GROUPS if PRINTED[name].microaggregated < len(WIDTHS) * len(GROUPS) else GROUPS
    return (
        *(_grouped(names, width, k) for width in WIDTHS for k in sizes),
        *(GridMethod(RankSwapping(names, window), SWAPPING) for window in CATEGORY_WINDOWS),
        *(GridMethod(Pram(names, Design.OFF_DIAGONAL, change), PRAM) for change in CHANGES),
        *_coded(table, PRINTED[name].coded),
    )


def _grouped(names: tuple[str, ...], width: int, k: int) -> GridMethod:
    parts = [names[i : i + width] for i in range(0, len(names), width)]
    return GridMethod(InTurn(tuple(MdavGeneric(part, k) for part in parts)), MICROAGGREGATION)


def _coded(table: Table, count: int) -> Iterator[GridMethod]:
    for family, coding in CODINGS.items():
        for merged in range(2, 2 + count):
            large = tuple(a.name for a in table.schema.attributes if a.domain_size > merged)
            if large:
                yield GridMethod(coding(large, merged=merged, release=GroupValues.VALUE), family)
