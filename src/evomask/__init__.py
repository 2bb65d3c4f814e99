"""Statistical disclosure control by evolutionary search: protected versions of microdata.

Public names are imported on first use, so that ``evomask --help`` is fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evomask.api.apply import Applied as Applied
    from evomask.api.apply import apply as apply
    from evomask.api.difference import difference as difference
    from evomask.api.files import example as example
    from evomask.api.files import read as read
    from evomask.api.files import write as write
    from evomask.api.mask import hierarchy as hierarchy
    from evomask.api.mask import mask as mask
    from evomask.api.mask import write_hierarchy as write_hierarchy
    from evomask.api.measure import AuditResult as AuditResult
    from evomask.api.measure import Comparison as Comparison
    from evomask.api.measure import Measurement as Measurement
    from evomask.api.measure import audit as audit
    from evomask.api.measure import compare as compare
    from evomask.api.measure import measure as measure
    from evomask.api.measure import measure_analyses as measure_analyses
    from evomask.api.progress import Progress as Progress
    from evomask.api.protect import Result as Result
    from evomask.api.protect import SavedRun as SavedRun
    from evomask.api.protect import load as load
    from evomask.api.protect import protect as protect
    from evomask.api.protect import protect_file as protect_file
    from evomask.api.pseudonyms import pseudonyms as pseudonyms
    from evomask.api.register import Register as Register
    from evomask.api.schema import Proposal as Proposal
    from evomask.api.schema import RolesNeededError as RolesNeededError
    from evomask.api.schema import Schema as Schema
    from evomask.api.schema import propose as propose
    from evomask.api.search import SearchResult as SearchResult
    from evomask.api.search import search as search
    from evomask.api.sklearn import TrainingMasker as TrainingMasker
    from evomask.data.hierarchy import Hierarchy as Hierarchy
    from evomask.data.scenario import Scenario as Scenario
    from evomask.errors import EvomaskError as EvomaskError
    from evomask.masking.composition import InTurn as InTurn
    from evomask.masking.composition import Stratified as Stratified
    from evomask.masking.dates import DateRounding as DateRounding
    from evomask.masking.dates import DateShift as DateShift
    from evomask.masking.enforce.repair import Repair as Repair
    from evomask.masking.local_suppression import LocalSuppression as LocalSuppression
    from evomask.masking.microaggregation.clustered import (
        ClusteredGlobalMedian as ClusteredGlobalMedian,
    )
    from evomask.masking.microaggregation.clustered import (
        ClusteredMicroaggregation as ClusteredMicroaggregation,
    )
    from evomask.masking.microaggregation.mdav import Mdav as Mdav
    from evomask.masking.microaggregation.mdav import MdavGeneric as MdavGeneric
    from evomask.masking.microaggregation.mondrian import Mondrian as Mondrian
    from evomask.masking.noise import CorrelatedNoise as CorrelatedNoise
    from evomask.masking.noise import IndependentNoise as IndependentNoise
    from evomask.masking.randomization.formula_pram import FormulaPram as FormulaPram
    from evomask.masking.randomization.pram import MatrixPram as MatrixPram
    from evomask.masking.randomization.pram import Pram as Pram
    from evomask.masking.rank_swapping import RankSwapping as RankSwapping
    from evomask.masking.recoding.global_recoding import Generalization as Generalization
    from evomask.masking.recoding.global_recoding import GlobalRecoding as GlobalRecoding
    from evomask.masking.recoding.top_bottom_coding import BottomCoding as BottomCoding
    from evomask.masking.recoding.top_bottom_coding import TopCoding as TopCoding

_NAMES = {
    "evomask.api.apply": ("Applied", "apply"),
    "evomask.api.difference": ("difference",),
    "evomask.api.files": ("example", "read", "write"),
    "evomask.api.mask": ("hierarchy", "mask", "write_hierarchy"),
    "evomask.api.measure": (
        "AuditResult",
        "Comparison",
        "Measurement",
        "audit",
        "compare",
        "measure",
        "measure_analyses",
    ),
    "evomask.api.progress": ("Progress",),
    "evomask.api.protect": ("SavedRun", "Result", "load", "protect", "protect_file"),
    "evomask.api.pseudonyms": ("pseudonyms",),
    "evomask.api.register": ("Register",),
    "evomask.api.schema": ("Proposal", "RolesNeededError", "Schema", "propose"),
    "evomask.api.search": ("SearchResult", "search"),
    "evomask.api.sklearn": ("TrainingMasker",),
    "evomask.data.hierarchy": ("Hierarchy",),
    "evomask.data.scenario": ("Scenario",),
    "evomask.errors": ("EvomaskError",),
    "evomask.masking.composition": ("InTurn", "Stratified"),
    "evomask.masking.dates": ("DateRounding", "DateShift"),
    "evomask.masking.enforce.repair": ("Repair",),
    "evomask.masking.local_suppression": ("LocalSuppression",),
    "evomask.masking.microaggregation.clustered": (
        "ClusteredGlobalMedian",
        "ClusteredMicroaggregation",
    ),
    "evomask.masking.microaggregation.mdav": ("Mdav", "MdavGeneric"),
    "evomask.masking.microaggregation.mondrian": ("Mondrian",),
    "evomask.masking.noise": ("CorrelatedNoise", "IndependentNoise"),
    "evomask.masking.randomization.formula_pram": ("FormulaPram",),
    "evomask.masking.randomization.pram": ("MatrixPram", "Pram"),
    "evomask.masking.rank_swapping": ("RankSwapping",),
    "evomask.masking.recoding.top_bottom_coding": ("BottomCoding", "TopCoding"),
    "evomask.masking.recoding.global_recoding": ("Generalization", "GlobalRecoding"),
}
"""Public names by the module that defines them."""

_DEPRECATED = {"measure_kept": "measure_analyses", "KeptRun": "SavedRun"}
"""Former names, which work with a warning until the next minor version, and the present ones."""

_MODULES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted(_MODULES)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    if new := _DEPRECATED.get(name):
        import warnings

        warnings.warn(
            f"evomask.{name} is now evomask.{new}; the former name goes in the next minor version",
            DeprecationWarning,
            stacklevel=2,
        )
        return __getattr__(new)
    if not name.startswith("_"):
        from importlib.metadata import entry_points

        for extension in entry_points(group="evomask.names", name=name):
            return extension.load()
    raise AttributeError(f"evomask has no {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return __all__
