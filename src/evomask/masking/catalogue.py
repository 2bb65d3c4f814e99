"""Catalogue of the masking methods by name.

A method's parameters are the fields of its class, and their descriptions the ``Args`` of its
docstring.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from evomask.data.parameters import Parameter, parameters_of, parse_parameters, summary_of
from evomask.data.schema import Kind
from evomask.errors import ParameterError
from evomask.masking.method import About, MaskingMethod

NUMBERS = frozenset({Kind.CONTINUOUS})
ORDERED = frozenset({Kind.CONTINUOUS, Kind.ORDINAL})
ORDINAL = frozenset({Kind.ORDINAL})
CATEGORIES = frozenset({Kind.ORDINAL, Kind.NOMINAL})
DATES = frozenset({Kind.DATE})
ALL_KINDS = frozenset(Kind) - DATES

FROM_FILES = ("hierarchies", "matrices")
"""Parameters that are read from one file per attribute."""


@dataclass(frozen=True)
class MethodEntry:
    """Catalogue entry of a masking method, which is imported on first use.

    Args:
        name: its name, equal to that of its ``about``.
        home: module and class.
        kinds: kinds of attributes that it can mask.
    """

    name: str
    home: str
    kinds: frozenset[Kind]

    @cached_property
    def method(self) -> type[Any]:
        module, _, name = self.home.partition(":")
        method: type[Any] = getattr(import_module(f"evomask.masking.{module}"), name)
        return method

    @property
    def about(self) -> About:
        about: About = self.method.about
        return about

    @property
    def summary(self) -> str:
        """First sentence of the method's docstring."""
        return summary_of(self.method)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Parameters that can be given as text, in order, without the masked attributes."""
        others = ("attributes", *FROM_FILES)
        return tuple(p for p in parameters_of(self.method) if p.name not in others)

    @property
    def from_files(self) -> tuple[str, ...]:
        return tuple(p.name for p in parameters_of(self.method) if p.name in FROM_FILES)

    def build(
        self,
        attributes: Iterable[str],
        texts: Mapping[str, str],
        files: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> MaskingMethod:
        """Create the method from parameters as text and parameters that were read from files."""
        values = parse_parameters(self.name, self.parameters, texts)
        values |= {name: (files or {}).get(name, {}) for name in self.from_files}
        method: MaskingMethod = self.method(attributes=tuple(attributes), **values)
        return method


METHODS: tuple[MethodEntry, ...] = (
    MethodEntry("mdav", "microaggregation.mdav:Mdav", NUMBERS),
    MethodEntry("vmdav", "microaggregation.mdav:VMdav", NUMBERS),
    MethodEntry("mst", "microaggregation.spanning_tree:SpanningTree", NUMBERS),
    MethodEntry("mhm", "microaggregation.hansen_mukherjee:HansenMukherjee", NUMBERS),
    MethodEntry("projection", "microaggregation.hansen_mukherjee:Projection", NUMBERS),
    MethodEntry(
        "individual-ranking", "microaggregation.hansen_mukherjee:IndividualRanking", NUMBERS
    ),
    MethodEntry("mdav-generic", "microaggregation.mdav:MdavGeneric", ALL_KINDS),
    MethodEntry("mondrian", "microaggregation.mondrian:Mondrian", ALL_KINDS),
    MethodEntry(
        "clustered-microaggregation",
        "microaggregation.clustered:ClusteredMicroaggregation",
        CATEGORIES,
    ),
    MethodEntry(
        "clustered-global-median", "microaggregation.clustered:ClusteredGlobalMedian", ORDINAL
    ),
    MethodEntry("rank-swapping", "rank_swapping:RankSwapping", ORDERED),
    MethodEntry("pram", "randomization.pram:Pram", CATEGORIES),
    MethodEntry("matrix-pram", "randomization.pram:MatrixPram", CATEGORIES),
    MethodEntry("formula-pram", "randomization.formula_pram:FormulaPram", CATEGORIES),
    MethodEntry("independent-noise", "noise:IndependentNoise", NUMBERS),
    MethodEntry("correlated-noise", "noise:CorrelatedNoise", NUMBERS),
    MethodEntry("cart", "synthesis.cart:Cart", ALL_KINDS),
    MethodEntry("copula", "synthesis.copula:Copula", ALL_KINDS),
    MethodEntry("bayesian-network", "synthesis.bayesian_network:BayesianNetwork", ALL_KINDS),
    MethodEntry("global-recoding", "recoding.global_recoding:GlobalRecoding", CATEGORIES),
    MethodEntry("top-coding", "recoding.top_bottom_coding:TopCoding", ORDERED),
    MethodEntry("bottom-coding", "recoding.top_bottom_coding:BottomCoding", ORDERED),
    MethodEntry("generalization", "recoding.global_recoding:Generalization", CATEGORIES),
    MethodEntry("local-suppression", "local_suppression:LocalSuppression", CATEGORIES),
    MethodEntry("repair", "enforce.repair:Repair", ALL_KINDS),
)


DATE_METHODS: tuple[MethodEntry, ...] = (
    MethodEntry("date-shift", "dates:DateShift", DATES),
    MethodEntry("date-rounding", "dates:DateRounding", DATES),
)
"""Methods for dates; the others mask dates as numbers of days."""

ALL_METHODS = (*METHODS, *DATE_METHODS)


def method_named(name: str) -> MethodEntry:
    """Return the entry of a method; raise an error that lists all names if it is unknown."""
    for entry in ALL_METHODS:
        if entry.name == name:
            return entry
    raise ParameterError(
        f"no method is called {name!r}; there are {', '.join(entry.name for entry in ALL_METHODS)}"
    )
