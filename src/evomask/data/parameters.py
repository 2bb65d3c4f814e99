"""What can be set on a method or a search: the fields of its class, read from text.

Their meanings are the ``Args`` of the class' docstring; so there is one place to read and one
to change.
"""

import dataclasses
import inspect
import re
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from evomask.errors import ParameterError


@dataclass(frozen=True)
class Parameter:
    """One thing that can be set on a method or a search."""

    name: str
    hint: Any
    default: object
    meaning: str

    @property
    def is_required(self) -> bool:
        """Whether there is no default value for it."""
        return self.default is dataclasses.MISSING

    @property
    def option(self) -> str:
        """How it is written on the command line."""
        return f"-{self.name}" if len(self.name) == 1 else f"--{self.name.replace('_', '-')}"

    def parse(self, text: str) -> object:
        """The value that *text* stands for, or an error that names the parameter."""
        return _parse(self.name, self.hint, text)


def parameters_of(owner: type[Any]) -> tuple[Parameter, ...]:
    """The fields of a dataclass as things that can be set, in order."""
    hints = typing.get_type_hints(owner)
    meanings = _meanings(owner)
    return tuple(
        Parameter(field.name, hints[field.name], _default(field), meanings.get(field.name, ""))
        for field in dataclasses.fields(owner)
    )


def summary_of(owner: object) -> str:
    """What a documented thing is or does, in one sentence."""
    return (inspect.getdoc(owner) or "").split("\n\n")[0].replace("\n", " ")


def read_parameters(
    owner: str, parameters: Iterable[Parameter], texts: Mapping[str, str]
) -> dict[str, object]:
    """The values that *texts* stand for; an unknown or absent one is an error that names it."""
    known = {parameter.name: parameter for parameter in parameters}
    options = ", ".join(parameter.option for parameter in known.values()) or "none"
    for name in texts:
        if name not in known:
            raise ParameterError(f"{owner} has no option {name!r}; it has {options}")
    for parameter in known.values():
        if parameter.is_required and parameter.name not in texts:
            raise ParameterError(f"{owner} needs {parameter.option}: {parameter.meaning}")
    return {name: known[name].parse(text) for name, text in texts.items()}


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
        wanted = "a whole number" if kind is int else "a number"
        raise ParameterError(f"{name} must be {wanted}, got {text}") from None
