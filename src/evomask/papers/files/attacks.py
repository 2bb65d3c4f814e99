"""What section 3.5 of the thesis claims: evolved files overcome attacks made for swapping and for
microaggregation, because they are neither.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from evomask.data.table import Table
from evomask.evolution.individual import Joined
from evomask.masking.microaggregation.mdav_generic import MdavGeneric
from evomask.masking.rank_swapping import RankSwapping
from evomask.measures.attacks.centroids import CentroidLinkage
from evomask.measures.measure import Reading
from evomask.measures.profiles import RiskProfile
from evomask.measures.risk.linkage import DistanceLinkage
from evomask.measures.risk.swapping import SwappingLinkage
from evomask.papers.effort import Effort
from evomask.papers.files.inputs import CONTINUOUS, original_for
from evomask.papers.files.tables import prepared, searched
from evomask.searches.files.search import Parameters

WINDOW, K = 10.0, 5
"""How far values are swapped, in percent of the ranks, and how many records are averaged."""

Row = dict[str, object]


def table_attacks(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Percent of records linked by attacks made for swapping and for microaggregation."""
    effort = Effort(seed, share)
    return [row for name in CONTINUOUS for row in _rows(name, effort)]


def _rows(name: str, effort: Effort) -> Iterator[Row]:
    original = original_for(name, effort)
    names = original.schema.quasi_identifiers
    measured: dict[str, Reading] = {
        "distance linkage": DistanceLinkage(names).against(original),
        "made for swapping": SwappingLinkage(names, WINDOW).against(original),
        "made for microaggregation": CentroidLinkage(names).against(original),
    }
    for label, masked in _masked(name, original, effort).items():
        yield {"data": name, "file": label, "paper": None} | {
            attack: reading(masked) for attack, reading in measured.items()
        }


def _masked(name: str, original: Table, effort: Effort) -> dict[str, Table]:
    names = original.schema.quasi_identifiers
    rng = np.random.default_rng(effort.seed)
    best = searched(name, Joined.MEAN, effort).best
    parameters = Parameters(profile=RiskProfile.PAPERS, held_out=False)
    problem: Any = prepared(name, parameters, effort, classic=True).problem
    return {
        f"swapped, {WINDOW:g} %": RankSwapping(names, WINDOW).mask(original, rng),
        f"microaggregated, k = {K}": MdavGeneric(names, K).mask(original, rng),
        "evolved": problem.decode(best, 0),
    }
