"""What there is to choose from, as front ends list it: methods and searches with their options."""

from dataclasses import dataclass

from evomask.data.parameters import Parameter, parameters_of, summary_of
from evomask.masking.catalogue import METHODS, MethodEntry, method_named
from evomask.searches.catalogue import search_named, search_names

__all__ = [
    "Listed",
    "Parameter",
    "method_listed",
    "methods_listed",
    "search_listed",
    "search_names",
]


@dataclass(frozen=True)
class Listed:
    """A masking method or a search by its public name.

    Args:
        summary: what it does, in a sentence.
        parameters: what can be set.
        kinds: kinds of attributes that a method can mask.
    """

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    kinds: tuple[str, ...] = ()


def methods_listed() -> tuple[Listed, ...]:
    """Every masking method there is, in the order of the catalogue."""
    return tuple(_method(entry) for entry in METHODS)


def method_listed(name: str) -> Listed:
    """The masking method called *name*."""
    return _method(method_named(name))


def search_listed(name: str) -> Listed:
    """The search called *name*."""
    search = search_named(name)
    return Listed(search.name, summary_of(search), parameters_of(search.parameters))


def _method(entry: MethodEntry) -> Listed:
    return Listed(entry.name, entry.summary, entry.parameters, tuple(sorted(entry.kinds)))
