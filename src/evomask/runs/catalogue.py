"""Masking methods and searches with their options, for front ends."""

from evomask.data.parameters import Parameter, parameters_of, summary_of
from evomask.masking.catalogue import ALL_METHODS, METHODS, MethodEntry, method_named
from evomask.searches.base import Search
from evomask.searches.catalogue import search_named, search_names

__all__ = [
    "ALL_METHODS",
    "METHODS",
    "MethodEntry",
    "Parameter",
    "Search",
    "method_named",
    "parameters_of",
    "search_named",
    "search_names",
    "summary_of",
]
