"""Parameters of methods and searches: the fields of their dataclasses, parsed from text.

The description of a parameter is its entry under ``Args`` in the docstring of the class.
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
    """A parameter of a method or a search."""

    name: str
    hint: Any
    default: object
    meaning: str

    @property
    def is_required(self) -> bool:
        return self.default is dataclasses.MISSING

    @property
    def option(self) -> str:
        """Name of the command-line option."""
        return f"-{self.name}" if len(self.name) == 1 else f"--{self.name.replace('_', '-')}"

    def parse(self, text: str) -> object:
        """Convert *text* to the parameter's type; an error names the parameter."""
        return _parse(self.name, self.hint, text)


def parameters_of(owner: type[Any]) -> tuple[Parameter, ...]:
    """Parameters of a dataclass, in the order of its fields."""
    hints = typing.get_type_hints(owner)
    descriptions = _descriptions(owner)
    return tuple(
        Parameter(
            field.name,
            hints[field.name],
            field.default
            if field.default_factory is dataclasses.MISSING
            else field.default_factory(),
            descriptions.get(field.name, ""),
        )
        for field in dataclasses.fields(owner)
    )


def summary_of(owner: object) -> str:
    """First paragraph of a docstring, on one line."""
    return (inspect.getdoc(owner) or "").split("\n\n")[0].replace("\n", " ")


def parse_parameters(
    owner: str, parameters: Iterable[Parameter], texts: Mapping[str, str]
) -> dict[str, object]:
    """Convert *texts* to values; an unknown or missing parameter is an error that names it."""
    known = {parameter.name: parameter for parameter in parameters}
    options = ", ".join(parameter.option for parameter in known.values()) or "none"
    for name in texts:
        if name not in known:
            raise ParameterError(f"{owner} has no option {name!r}; it has {options}")
    for parameter in known.values():
        if parameter.is_required and parameter.name not in texts:
            raise ParameterError(f"{owner} needs {parameter.option}: {parameter.meaning}")
    return {name: known[name].parse(text) for name, text in texts.items()}


def _descriptions(owner: type[Any]) -> dict[str, str]:
    """Entries of the ``Args`` section of a docstring, by name."""
    section = re.search(r"Args:\n((?: +.*\n?)+)", inspect.getdoc(owner) or "")
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
        return _parse_choice(name, hint, text)
    return _parse_number(name, hint, text) if hint in (int, float) else text


def _parse_choice(name: str, choices: type[StrEnum], text: str) -> StrEnum:
    try:
        return choices(text)
    except ValueError:
        known = ", ".join(choice.value for choice in choices)
        raise ParameterError(f"{name} must be one of {known}, got {text!r}") from None


def _parse_number(name: str, kind: type[int] | type[float], text: str) -> int | float:
    try:
        return kind(text)
    except ValueError:
        expected = "a whole number" if kind is int else "a number"
        raise ParameterError(f"{name} must be {expected}, got {text}") from None
