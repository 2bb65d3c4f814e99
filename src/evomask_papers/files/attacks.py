"""Claims of section 3.5: evolved files resist attacks on rank swapping and microaggregation."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from evomask.data.table import Table
from evomask.evolution.individual import ScoreRule
from evomask.masking.composition import InTurn
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.rank_swapping import RankSwapping
from evomask.measures.attacks.linkage_attacks import CentroidLinkage
from evomask.measures.measure import Reading
from evomask.measures.papers.distance_linkage import DistanceLinkage
from evomask.measures.papers.rank_swapping_linkage import SwappingLinkage
from evomask.measures.profiles import RiskProfile
from evomask.searches.files.search import Parameters
from evomask_papers.claims import verdict
from evomask_papers.effort import Effort
from evomask_papers.files.inputs import CONTINUOUS, original_for
from evomask_papers.files.tables import prepared, searched

WINDOW, WIDTH, K = 20.0, 3, 50
"""Swapping window in percent of the ranks, number of attributes averaged together, and group size:
chosen so that each attack links more records than the standard one."""

STANDARD, RANKS, FOR_SWAPPING, FOR_AVERAGES = (
    "distance linkage", "ranks alone", "made for swapping", "made for microaggregation",
)  # fmt: skip
"""Linkage by ranks is the attack on swapping without knowledge of the window."""

Row = dict[str, object]
Linked = Mapping[str, float]


class AttackedFile(NamedTuple):
    """A masked file and the thesis' claim about it.

    Args:
        says: the claim, in our words. so: whether the percentages of linked records support it.
    """

    masked: Table
    says: str
    so: Callable[[Linked], bool]


def table_attacks(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Percent of records linked by attacks made for swapping and for microaggregation."""
    effort = Effort(seed, share)
    return [row for name in CONTINUOUS for row in _rows(name, effort)]


def _rows(name: str, effort: Effort) -> Iterator[Row]:
    original = original_for(name, effort)
    names = original.schema.quasi_identifiers
    measured: dict[str, Reading] = {
        STANDARD: DistanceLinkage(names).against(original),
        RANKS: SwappingLinkage(names, 100.0).against(original),
        FOR_SWAPPING: SwappingLinkage(names, WINDOW).against(original),
        FOR_AVERAGES: CentroidLinkage(names).against(original),
    }
    for label, file in _files(name, original, effort).items():
        linked = {attack: reading(file.masked) for attack, reading in measured.items()}
        holds = verdict(file.so(linked)) if file.says else None
        yield {"data": name, "file": label, **linked, "paper": file.says or None, "holds": holds}


def _files(name: str, original: Table, effort: Effort) -> dict[str, AttackedFile]:
    names = original.schema.quasi_identifiers
    rng = np.random.default_rng(effort.seed)
    parts = [names[i : i + WIDTH] for i in range(0, len(names), WIDTH)]
    averaged = InTurn(tuple(MdavGeneric(part, K) for part in parts))
    more = "the attack made for it links more than one that does not know the method"
    parent, evolved = _parent_and_evolved(name, effort)
    neither = "neither attack links more than one that does not know the method"
    return {
        f"swapped, {WINDOW:g} %": AttackedFile(
            RankSwapping(names, WINDOW).mask(original, rng), more, finds_swapped
        ),
        f"microaggregated by {WIDTH}, k = {K}": AttackedFile(
            averaged.mask(original, rng), more, finds_averaged
        ),
        "best first file": AttackedFile(parent, "", overcomes),
        "evolved": AttackedFile(evolved, neither, overcomes),
    }


def _parent_and_evolved(name: str, effort: Effort) -> tuple[Table, Table]:
    """The first file with the best score, and the best file at the end."""
    study = searched(name, ScoreRule.MEAN, effort)
    parameters = Parameters(profile=RiskProfile.PAPERS, held_out=False)
    problem: Any = prepared(name, parameters, effort, classic=True).problem
    parent = min(range(len(study.first)), key=lambda i: sum(study.first[i]))
    return problem.decode(problem.first(parent), 0), problem.decode(study.best, 0)


def finds_swapped(linked: Linked) -> bool:
    """Whether knowing how far values were swapped re-identifies more than their ranks alone."""
    return linked[FOR_SWAPPING] > linked[RANKS]


def finds_averaged(linked: Linked) -> bool:
    """Whether the attack on microaggregation re-identifies more records than the standard one."""
    return linked[FOR_AVERAGES] > linked[STANDARD]


def overcomes(linked: Linked) -> bool:
    """Whether neither attack gains from knowing a method."""
    return not finds_swapped(linked) and not finds_averaged(linked)
