"""Catalogue of masking methods and searches with their options, for front ends."""

from dataclasses import dataclass

from evomask.data.parameters import Parameter, parameters_of, summary_of
from evomask.masking.catalogue import METHODS, MethodEntry, method_named
from evomask.searches.catalogue import search_named, search_names

__all__ = [
    "CatalogueEntry",
    "Parameter",
    "method_listed",
    "methods_listed",
    "search_listed",
    "search_names",
]


@dataclass(frozen=True)
class CatalogueEntry:
    """Catalogue entry of a masking method or a search.

    Args:
        summary: one sentence.
        parameters: options.
        kinds: kinds of attributes that a method masks.
    """

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    kinds: tuple[str, ...] = ()


def methods_listed() -> tuple[CatalogueEntry, ...]:
    """Entries of all masking methods, in the order of the catalogue."""
    return tuple(_method(entry) for entry in METHODS)


def method_listed(name: str) -> CatalogueEntry:
    """Entry of a masking method."""
    return _method(method_named(name))


def search_listed(name: str) -> CatalogueEntry:
    """Entry of a search."""
    search = search_named(name)
    return CatalogueEntry(search.name, summary_of(search), parameters_of(search.parameters))


def _method(entry: MethodEntry) -> CatalogueEntry:
    return CatalogueEntry(entry.name, entry.summary, entry.parameters, tuple(sorted(entry.kinds)))
