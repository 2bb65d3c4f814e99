"""evomask evolves protections for microdata.

Public names are imported when they are first used, so that ``evomask --help`` is instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evomask.api import Result as Result
    from evomask.api import audit as audit
    from evomask.api import mask as mask
    from evomask.api import measure_graph as measure_graph
    from evomask.api import measure_kept as measure_kept
    from evomask.api import protect as protect
    from evomask.api import protect_graph as protect_graph
    from evomask.errors import EvomaskError as EvomaskError
    from evomask.masking.composition import InTurn as InTurn
    from evomask.masking.composition import Stratified as Stratified
    from evomask.masking.guarantees.repair import Repair as Repair
    from evomask.masking.local_suppression import LocalSuppression as LocalSuppression
    from evomask.masking.microaggregation.clustered import (
        ClusteredGlobalMedian as ClusteredGlobalMedian,
    )
    from evomask.masking.microaggregation.clustered import (
        ClusteredMicroaggregation as ClusteredMicroaggregation,
    )
    from evomask.masking.microaggregation.mdav import Mdav as Mdav
    from evomask.masking.microaggregation.mdav_generic import MdavGeneric as MdavGeneric
    from evomask.masking.microaggregation.mondrian import Mondrian as Mondrian
    from evomask.masking.noise import CorrelatedNoise as CorrelatedNoise
    from evomask.masking.noise import IndependentNoise as IndependentNoise
    from evomask.masking.randomization.pram import MatrixPram as MatrixPram
    from evomask.masking.randomization.pram import Pram as Pram
    from evomask.masking.rank_swapping import RankSwapping as RankSwapping
    from evomask.masking.recoding.end_coding import BottomCoding as BottomCoding
    from evomask.masking.recoding.end_coding import TopCoding as TopCoding
    from evomask.masking.recoding.generalization import Generalization as Generalization
    from evomask.masking.recoding.global_recoding import GlobalRecoding as GlobalRecoding

_HOMES = {
    "EvomaskError": "evomask.errors",
    "audit": "evomask.api",
    "mask": "evomask.api",
    "measure_graph": "evomask.api",
    "measure_kept": "evomask.api",
    "protect": "evomask.api",
    "protect_graph": "evomask.api",
    "BottomCoding": "evomask.masking.recoding.end_coding",
    "ClusteredGlobalMedian": "evomask.masking.microaggregation.clustered",
    "ClusteredMicroaggregation": "evomask.masking.microaggregation.clustered",
    "CorrelatedNoise": "evomask.masking.noise",
    "Generalization": "evomask.masking.recoding.generalization",
    "GlobalRecoding": "evomask.masking.recoding.global_recoding",
    "InTurn": "evomask.masking.composition",
    "IndependentNoise": "evomask.masking.noise",
    "LocalSuppression": "evomask.masking.local_suppression",
    "MatrixPram": "evomask.masking.randomization.pram",
    "Mdav": "evomask.masking.microaggregation.mdav",
    "MdavGeneric": "evomask.masking.microaggregation.mdav_generic",
    "Mondrian": "evomask.masking.microaggregation.mondrian",
    "Pram": "evomask.masking.randomization.pram",
    "RankSwapping": "evomask.masking.rank_swapping",
    "Repair": "evomask.masking.guarantees.repair",
    "Result": "evomask.api",
    "Stratified": "evomask.masking.composition",
    "TopCoding": "evomask.masking.recoding.end_coding",
}

__all__ = [
    "BottomCoding",
    "ClusteredGlobalMedian",
    "ClusteredMicroaggregation",
    "CorrelatedNoise",
    "EvomaskError",
    "Generalization",
    "GlobalRecoding",
    "InTurn",
    "IndependentNoise",
    "LocalSuppression",
    "MatrixPram",
    "Mdav",
    "MdavGeneric",
    "Mondrian",
    "Pram",
    "RankSwapping",
    "Repair",
    "Result",
    "Stratified",
    "TopCoding",
    "audit",
    "mask",
    "measure_graph",
    "measure_kept",
    "protect",
    "protect_graph",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"evomask has no {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
