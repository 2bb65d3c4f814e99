"""Arguments of the Python interface, checked against the annotations of its functions."""

import inspect
import os
import types
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin

from evomask.errors import ParameterError

P = ParamSpec("P")
R = TypeVar("R")

WORDS = {str: "text", int: "a whole number", float: "a number", bool: "True or False",
         Path: "a path", type(None): "None"}  # fmt: skip


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Raise a `ParameterError` for arguments that a function does not have or cannot use."""
    signature = inspect.signature(function)
    name = function.__qualname__.removesuffix(".__init__")

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        try:
            given = signature.bind(*args, **options)
        except TypeError as error:
            raise ParameterError(f"{name}: {error}; see help(evomask.{name})") from None
        for parameter, value in given.arguments.items():
            hint = signature.parameters[parameter].annotation
            if not _fits(value, hint):
                raise ParameterError(
                    f"{parameter} of {name} must be {_describe(hint)}, got a value of type "
                    f"{type(value).__name__}"
                )
        return function(*args, **options)

    return call


def _fits(value: object, hint: Any) -> bool:  # noqa: ANN401, PLR0911
    """Whether a value has the type of an annotation; annotations of other kinds fit always."""
    kind, parts = get_origin(hint), get_args(hint)
    if kind in (Union, types.UnionType):
        return any(_fits(value, part) for part in parts)
    if kind is not None and isinstance(kind, type) and issubclass(kind, Mapping):
        return isinstance(value, Mapping)
    if kind is not None and isinstance(kind, type) and issubclass(kind, Iterable):
        if not isinstance(value, Collection):
            return isinstance(value, Iterable)
        return isinstance(value, str) or kind is tuple or all(_fits(v, parts[0]) for v in value)
    if hint is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    if hint is float:
        return isinstance(value, Real) and not isinstance(value, bool)
    if hint is Path:
        return isinstance(value, os.PathLike)
    if isinstance(hint, type) and not getattr(hint, "_is_protocol", False):
        return isinstance(value, hint)
    return True


def _describe(hint: Any) -> str:  # noqa: ANN401
    kind, parts = get_origin(hint), get_args(hint)
    if kind in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(map(_describe, parts)))
    if kind is not None and isinstance(kind, type) and issubclass(kind, Mapping):
        return f"a mapping from {_describe(parts[0])} to {_describe(parts[1])}"
    if kind is not None and isinstance(kind, type) and issubclass(kind, Iterable):
        return f"a list of {_describe(parts[0])}"
    return WORDS.get(hint, getattr(hint, "__name__", str(hint)))
