"""evomask evolves protections for microdata.

Public names are imported when they are first used, so that ``evomask --help`` is instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evomask.api.auditing import AuditResult as AuditResult
    from evomask.api.auditing import audit as audit
    from evomask.api.files import example as example
    from evomask.api.files import read as read
    from evomask.api.files import write as write
    from evomask.api.graphs import measure_graph as measure_graph
    from evomask.api.graphs import protect_graph as protect_graph
    from evomask.api.kept import KeptRun as KeptRun
    from evomask.api.kept import load as load
    from evomask.api.masking import hierarchy as hierarchy
    from evomask.api.masking import mask as mask
    from evomask.api.masking import write_hierarchy as write_hierarchy
    from evomask.api.measuring import Comparison as Comparison
    from evomask.api.measuring import Measurement as Measurement
    from evomask.api.measuring import compare as compare
    from evomask.api.measuring import measure as measure
    from evomask.api.measuring import measure_kept as measure_kept
    from evomask.api.proposing import Proposal as Proposal
    from evomask.api.proposing import RolesNeededError as RolesNeededError
    from evomask.api.proposing import propose as propose
    from evomask.api.protecting import Result as Result
    from evomask.api.protecting import protect as protect
    from evomask.api.protecting import protect_file as protect_file
    from evomask.api.schema import Schema as Schema
    from evomask.api.searching import SearchResult as SearchResult
    from evomask.api.searching import search as search
    from evomask.api.training import TrainingMasker as TrainingMasker
    from evomask.api.trajectories import TrajectoryResult as TrajectoryResult
    from evomask.api.trajectories import protect_trajectories as protect_trajectories
    from evomask.data.hierarchy import Hierarchy as Hierarchy
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
    from evomask.masking.randomization.formula_pram import FormulaPram as FormulaPram
    from evomask.masking.randomization.pram import MatrixPram as MatrixPram
    from evomask.masking.randomization.pram import Pram as Pram
    from evomask.masking.rank_swapping import RankSwapping as RankSwapping
    from evomask.masking.recoding.end_coding import BottomCoding as BottomCoding
    from evomask.masking.recoding.end_coding import TopCoding as TopCoding
    from evomask.masking.recoding.generalization import Generalization as Generalization
    from evomask.masking.recoding.global_recoding import GlobalRecoding as GlobalRecoding

_HOMES = {
    "AuditResult": "evomask.api.auditing",
    "BottomCoding": "evomask.masking.recoding.end_coding",
    "ClusteredGlobalMedian": "evomask.masking.microaggregation.clustered",
    "ClusteredMicroaggregation": "evomask.masking.microaggregation.clustered",
    "Comparison": "evomask.api.measuring",
    "CorrelatedNoise": "evomask.masking.noise",
    "EvomaskError": "evomask.errors",
    "FormulaPram": "evomask.masking.randomization.formula_pram",
    "Generalization": "evomask.masking.recoding.generalization",
    "GlobalRecoding": "evomask.masking.recoding.global_recoding",
    "Hierarchy": "evomask.data.hierarchy",
    "InTurn": "evomask.masking.composition",
    "IndependentNoise": "evomask.masking.noise",
    "KeptRun": "evomask.api.kept",
    "LocalSuppression": "evomask.masking.local_suppression",
    "MatrixPram": "evomask.masking.randomization.pram",
    "Mdav": "evomask.masking.microaggregation.mdav",
    "MdavGeneric": "evomask.masking.microaggregation.mdav_generic",
    "Measurement": "evomask.api.measuring",
    "Mondrian": "evomask.masking.microaggregation.mondrian",
    "Pram": "evomask.masking.randomization.pram",
    "Proposal": "evomask.api.proposing",
    "RankSwapping": "evomask.masking.rank_swapping",
    "Repair": "evomask.masking.guarantees.repair",
    "Result": "evomask.api.protecting",
    "RolesNeededError": "evomask.api.proposing",
    "Schema": "evomask.api.schema",
    "SearchResult": "evomask.api.searching",
    "Stratified": "evomask.masking.composition",
    "TopCoding": "evomask.masking.recoding.end_coding",
    "TrainingMasker": "evomask.api.training",
    "TrajectoryResult": "evomask.api.trajectories",
    "audit": "evomask.api.auditing",
    "compare": "evomask.api.measuring",
    "example": "evomask.api.files",
    "hierarchy": "evomask.api.masking",
    "load": "evomask.api.kept",
    "mask": "evomask.api.masking",
    "measure": "evomask.api.measuring",
    "measure_graph": "evomask.api.graphs",
    "measure_kept": "evomask.api.measuring",
    "propose": "evomask.api.proposing",
    "protect": "evomask.api.protecting",
    "protect_file": "evomask.api.protecting",
    "protect_graph": "evomask.api.graphs",
    "protect_trajectories": "evomask.api.trajectories",
    "read": "evomask.api.files",
    "search": "evomask.api.searching",
    "write": "evomask.api.files",
    "write_hierarchy": "evomask.api.masking",
}

__all__ = [
    "AuditResult",
    "BottomCoding",
    "ClusteredGlobalMedian",
    "ClusteredMicroaggregation",
    "Comparison",
    "CorrelatedNoise",
    "EvomaskError",
    "FormulaPram",
    "Generalization",
    "GlobalRecoding",
    "Hierarchy",
    "InTurn",
    "IndependentNoise",
    "KeptRun",
    "LocalSuppression",
    "MatrixPram",
    "Mdav",
    "MdavGeneric",
    "Measurement",
    "Mondrian",
    "Pram",
    "Proposal",
    "RankSwapping",
    "Repair",
    "Result",
    "RolesNeededError",
    "Schema",
    "SearchResult",
    "Stratified",
    "TopCoding",
    "TrainingMasker",
    "TrajectoryResult",
    "audit",
    "compare",
    "example",
    "hierarchy",
    "load",
    "mask",
    "measure",
    "measure_graph",
    "measure_kept",
    "propose",
    "protect",
    "protect_file",
    "protect_graph",
    "protect_trajectories",
    "read",
    "search",
    "write",
    "write_hierarchy",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"evomask has no {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
