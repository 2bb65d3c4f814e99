"""The catalogue of masking methods: their names, what they do, what can be set.

A method's parameters are the fields of its class, and their meanings the ``Args`` of its
docstring; so there is one place to read and one to change.
"""

import dataclasses
import inspect
import re
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from importlib import import_module
from typing import Any

from evomask.data.schema import Kind
from evomask.errors import ParameterError
from evomask.masking.method import MaskingMethod

NUMBERS = frozenset({Kind.CONTINUOUS})
ORDERED = frozenset({Kind.CONTINUOUS, Kind.ORDINAL})
CATEGORIES = frozenset({Kind.ORDINAL, Kind.NOMINAL})
ALL_KINDS = frozenset(Kind)


@dataclass(frozen=True)
class Parameter:
    """One thing that can be set on a method."""

    name: str
    hint: Any
    default: object
    meaning: str

    @property
    def is_required(self) -> bool:
        """Whether the method has no value of its own for it."""
        return self.default is dataclasses.MISSING

    @property
    def option(self) -> str:
        """How it is written on the command line."""
        return f"-{self.name}" if len(self.name) == 1 else f"--{self.name.replace('_', '-')}"

    def parse(self, text: str) -> object:
        """The value that *text* stands for, or an error that names the parameter."""
        return _parse(self.name, self.hint, text)


@dataclass(frozen=True)
class MethodEntry:
    """A masking method under its public name.

    Args:
        home: module and class, imported when the method is first used.
        kinds: kinds of attributes that it can mask.
    """

    name: str
    home: str
    kinds: frozenset[Kind]

    @cached_property
    def method(self) -> type[Any]:
        """The class itself."""
        module, _, name = self.home.partition(":")
        found: type[Any] = getattr(import_module(f"evomask.masking.{module}"), name)
        return found

    @property
    def summary(self) -> str:
        """What it does, in one sentence."""
        return inspect.getdoc(self.method).split("\n\n")[0].replace("\n", " ")  # type: ignore[union-attr]

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """What can be set, in order; the attributes it masks are not among them."""
        hints = typing.get_type_hints(self.method)
        meanings = _meanings(self.method)
        return tuple(
            Parameter(field.name, hints[field.name], _default(field), meanings.get(field.name, ""))
            for field in dataclasses.fields(self.method)
            if field.name != "attributes"
        )

    def build(self, attributes: Iterable[str], texts: Mapping[str, str]) -> MaskingMethod:
        """The method with its parameters read from text."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in texts:
            if name not in known:
                raise ParameterError(
                    f"{self.name} has no option {name!r}; it has {self._options_in_words()}"
                )
        for parameter in self.parameters:
            if parameter.is_required and parameter.name not in texts:
                raise ParameterError(f"{self.name} needs {parameter.option}: {parameter.meaning}")
        values = {name: known[name].parse(text) for name, text in texts.items()}
        method: MaskingMethod = self.method(attributes=tuple(attributes), **values)
        return method

    def _options_in_words(self) -> str:
        return ", ".join(parameter.option for parameter in self.parameters) or "none"


METHODS: tuple[MethodEntry, ...] = (MethodEntry("mdav", "mdav:Mdav", NUMBERS),)


def method_named(name: str) -> MethodEntry:
    """The method called *name*."""
    for entry in METHODS:
        if entry.name == name:
            return entry
    raise ParameterError(
        f"no method is called {name!r}; there are {', '.join(entry.name for entry in METHODS)}"
    )


def _default(field: "dataclasses.Field[Any]") -> object:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def _meanings(method: type[Any]) -> dict[str, str]:
    """The ``Args`` section of a docstring, by name."""
    section = re.search(r"Args:\n((?: +.*\n?)+)", inspect.getdoc(method) or "")
    if section is None:
        return {}
    entries = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", section.group(1), re.MULTILINE)
    return {name: re.sub(r"\s+", " ", text) for name, text in entries}


def _parse(name: str, hint: Any, text: str) -> object:  # noqa: ANN401
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        options = [option for option in typing.get_args(hint) if option is not type(None)]
        return _parse(name, options[0], text)
    if typing.get_origin(hint) is tuple:
        item = typing.get_args(hint)[0]
        return tuple(_parse(name, item, part) for part in text.split(",") if part)
    if hint is bool:
        return text.lower() in ("", "true", "yes", "1")
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _word(name, hint, text)
    return _number(name, hint, text) if hint in (int, float) else text


def _word(name: str, words: type[StrEnum], text: str) -> StrEnum:
    try:
        return words(text)
    except ValueError:
        choices = ", ".join(word.value for word in words)
        raise ParameterError(f"{name} must be one of {choices}, got {text!r}") from None


def _number(name: str, kind: type[int] | type[float], text: str) -> int | float:
    try:
        return kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise ParameterError(f"{name} must be {what}, got {text}") from None
