"""The first files of categories of chapter 3: as many of each method as the thesis counts.

Its parameters are not printed; ours go from weak to strong. A coding needs an attribute with more
categories than it puts together, so German credit has one file fewer of each coding.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from evomask.data.table import Table
from evomask.masking.composition import InTurn
from evomask.masking.grid import CATEGORY_WINDOWS, CHANGES, GridMethod
from evomask.masking.microaggregation.mdav_generic import MdavGeneric
from evomask.masking.randomization.pram import Design, Pram
from evomask.masking.rank_swapping import RankSwapping
from evomask.masking.recoding.end_coding import BottomCoding, TopCoding
from evomask.masking.recoding.global_recoding import GlobalRecoding
from evomask.masking.recoding.group_values import GroupValues
from evomask.papers.files.inputs import ADULT, FLARE, GERMAN, HOUSING

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
    """How many first files the thesis has of microaggregation, and of each of three codings."""

    microaggregated: int
    coded: int

    @property
    def files(self) -> int:
        """All first files: 11 swapped ones and 9 by PRAM are in every population."""
        return self.microaggregated + 3 * self.coded + 11 + 9


PRINTED: Mapping[str, Composition] = {
    HOUSING: Composition(72, 6),
    GERMAN: Composition(72, 4),
    FLARE: Composition(72, 4),
    ADULT: Composition(48, 6),
}


def first_files(name: str, table: Table) -> tuple[GridMethod, ...]:
    """The methods that make the first files of one of the files of categories."""
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
    """Two and more categories put together in all attributes that have more than these."""
    for family, coding in CODINGS.items():
        for merged in range(2, 2 + count):
            large = tuple(a.name for a in table.schema.attributes if a.domain_size > merged)
            if large:
                yield GridMethod(coding(large, merged=merged, release=GroupValues.VALUE), family)
