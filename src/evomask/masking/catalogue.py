"""The catalogue of masking methods: their names, what they do, what can be set.

A method's parameters are the fields of its class, and their meanings the ``Args`` of its
docstring; so there is one place to read and one to change.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from evomask.data.parameters import Parameter, parameters_of, read_parameters, summary_of
from evomask.data.schema import Kind
from evomask.errors import ParameterError
from evomask.masking.method import About, MaskingMethod

NUMBERS = frozenset({Kind.CONTINUOUS})
ORDERED = frozenset({Kind.CONTINUOUS, Kind.ORDINAL})
ORDINAL = frozenset({Kind.ORDINAL})
CATEGORIES = frozenset({Kind.ORDINAL, Kind.NOMINAL})
ALL_KINDS = frozenset(Kind)


FROM_FILES = ("hierarchies", "matrices")
"""Parameters that are read from files, one for each attribute."""


@dataclass(frozen=True)
class MethodEntry:
    """A masking method under its public name, by which it is found without importing all.

    Args:
        name: that of its ``about``.
        home: module and class, imported when the method is first used.
        kinds: kinds of attributes that it can mask.
    """

    name: str
    home: str
    kinds: frozenset[Kind]

    @cached_property
    def method(self) -> type[Any]:
        """The class of the method, imported when it is first asked for."""
        module, _, name = self.home.partition(":")
        method: type[Any] = getattr(import_module(f"evomask.masking.{module}"), name)
        return method

    @property
    def about(self) -> About:
        """What the method tells stewards and the public of itself."""
        about: About = self.method.about
        return about

    @property
    def summary(self) -> str:
        """What the method does, the first sentence of its docstring."""
        return summary_of(self.method)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """What can be set in words, in order; the attributes it masks are not among them."""
        aside = ("attributes", *FROM_FILES)
        return tuple(p for p in parameters_of(self.method) if p.name not in aside)

    @property
    def from_files(self) -> tuple[str, ...]:
        """Those of its parameters that are read from files."""
        return tuple(p.name for p in parameters_of(self.method) if p.name in FROM_FILES)

    def build(
        self,
        attributes: Iterable[str],
        texts: Mapping[str, str],
        files: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> MaskingMethod:
        """The method with its parameters read from text, and what was read from files."""
        values = read_parameters(self.name, self.parameters, texts)
        values |= {name: (files or {}).get(name, {}) for name in self.from_files}
        method: MaskingMethod = self.method(attributes=tuple(attributes), **values)
        return method


METHODS: tuple[MethodEntry, ...] = (
    MethodEntry("mdav", "microaggregation.mdav:Mdav", NUMBERS),
    MethodEntry("vmdav", "microaggregation.vmdav:VMdav", NUMBERS),
    MethodEntry("mhm", "microaggregation.hansen_mukherjee:HansenMukherjee", NUMBERS),
    MethodEntry("projection", "microaggregation.projection:Projection", NUMBERS),
    MethodEntry(
        "individual-ranking", "microaggregation.individual_ranking:IndividualRanking", NUMBERS
    ),
    MethodEntry("mdav-generic", "microaggregation.mdav_generic:MdavGeneric", ALL_KINDS),
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
    MethodEntry("global-recoding", "recoding.global_recoding:GlobalRecoding", CATEGORIES),
    MethodEntry("top-coding", "recoding.end_coding:TopCoding", ORDERED),
    MethodEntry("bottom-coding", "recoding.end_coding:BottomCoding", ORDERED),
    MethodEntry("generalization", "recoding.generalization:Generalization", CATEGORIES),
    MethodEntry("local-suppression", "local_suppression:LocalSuppression", CATEGORIES),
    MethodEntry("repair", "guarantees.repair:Repair", ALL_KINDS),
)


def method_named(name: str) -> MethodEntry:
    """The entry of the method called *name*; an unknown name is an error that lists all."""
    for entry in METHODS:
        if entry.name == name:
            return entry
    raise ParameterError(
        f"no method is called {name!r}; there are {', '.join(entry.name for entry in METHODS)}"
    )
