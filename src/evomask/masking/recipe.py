"""Recipes: masking steps as data, which can be stored, varied and applied to any records.

A recipe is a tuple of steps, each with a method, its attributes and its parameters. The random
stream of a step depends on the step alone, so that equal steps have equal results in all recipes,
and their columns can be reused.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from itertools import groupby
from types import UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from evomask.data.hierarchy import Hierarchy
from evomask.data.parameters import parameters_of
from evomask.data.recoding import Recoding
from evomask.data.schema import Attribute, Role, Schema
from evomask.data.table import Column, Table
from evomask.errors import ParameterError, SchemaError
from evomask.masking.catalogue import ALL_METHODS, MethodEntry, method_named
from evomask.masking.composition import within_strata
from evomask.masking.method import MaskingMethod, provenance_of, require_attributes
from evomask.masking.provenance import Step
from evomask.types import Flags

Recipe: TypeAlias = tuple[Step, ...]
"""Masking steps in the order of application, in the canonical form of `canonical`."""

PHASES: Mapping[str, int] = {
    "rank-swapping": 0,
    "pram": 0,
    "matrix-pram": 0,
    "formula-pram": 0,
    "independent-noise": 0,
    "correlated-noise": 0,
    "cart": 0,
    "copula": 0,
    "bayesian-network": 0,
    "global-recoding": 2,
    "top-coding": 2,
    "bottom-coding": 2,
    "generalization": 3,
    "local-suppression": 4,
}
"""Position of a method within a recipe: single values are perturbed or synthesized first, then
records are grouped (1, the default), categories merged and generalized, and cells suppressed last.
"""

GROUPING, SUPPRESSING = 1, 4
"""Phases of microaggregation and of suppression."""

LEVELS = "levels"
"""Parameter with one value for each attribute."""

TREES = "hierarchies"
"""Parameter with the hierarchies of attributes, which are no part of a recipe."""

NEEDS_HIERARCHIES = "generalization"
"""Method whose steps use the hierarchies of their attributes."""

MOST_BYTES = 100_000_000
"""Size of the cache of masked columns."""


def phase_of(method: str) -> int:
    """Position of a method within a recipe."""
    return PHASES.get(method, GROUPING)


def as_text(step: Step) -> str:
    """A step as JSON, equal for equal steps."""
    parts = [step.method, step.attributes, step.parameters]
    return json.dumps(parts, sort_keys=True, separators=(",", ":"))


def recipe_as_json(recipe: Recipe) -> bytes:
    """Encode a recipe as JSON."""
    rows = [[step.method, dict(step.parameters), list(step.attributes)] for step in recipe]
    return json.dumps(rows, sort_keys=True, separators=(",", ":")).encode()


def recipe_from_json(text: bytes) -> Recipe:
    """Decode a recipe that `recipe_as_json` encoded."""
    rows = json.loads(text)
    return tuple(Step(method, own, tuple(names)) for method, own, names in rows)


def identity(recipe: Recipe) -> str:
    """Short hash of a recipe, equal for equal recipes."""
    return _hash("".join(map(as_text, recipe)))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def canonical(steps: Iterable[Step]) -> Recipe:
    """Return steps in canonical form: by phase, then by attributes, with parameters as in JSON.

    A step of a method that masks each attribute independently is divided into one step for each.
    """
    parts = (part for step in steps for part in _divided(step))
    by_key = {(phase_of(part.method), part.attributes, as_text(part)): part for part in parts}
    return tuple(replace(by_key[key], parameters=json.loads(key[-1])[-1]) for key in sorted(by_key))


def _divided(step: Step) -> Iterator[Step]:
    if method_named(step.method).about.together or len(step.attributes) == 1:
        yield step
        return
    for place, name in enumerate(step.attributes):
        own = dict(step.parameters)
        if own.get(LEVELS):
            own[LEVELS] = [own[LEVELS][place]]
        yield Step(step.method, own, (name,))


def joined(recipe: Recipe) -> Recipe:
    """Join equal steps of independent attributes into one step, for descriptions."""

    def key(step: Step) -> tuple[str, str]:
        if method_named(step.method).about.together:
            return step.method, as_text(step)
        own = {name: value for name, value in step.parameters.items() if name != LEVELS}
        return step.method, json.dumps(own, sort_keys=True)

    ordered = sorted(recipe, key=lambda step: (phase_of(step.method), key(step)))
    return tuple(_join(list(steps)) for _, steps in groupby(ordered, key))


def _join(steps: list[Step]) -> Step:
    first = steps[0]
    names = tuple(dict.fromkeys(name for step in steps for name in step.attributes))
    own = dict(first.parameters)
    if own.get(LEVELS):
        own[LEVELS] = [level for step in steps for level in step.parameters[LEVELS]]
    return replace(first, parameters=own, attributes=names)


def recipe_of(method: MaskingMethod) -> Recipe:
    """Return the recipe of a method or of a composite of methods."""
    return canonical(provenance_of(method).steps)


def is_recipe(steps: Iterable[Step]) -> bool:
    """Whether all steps are masking methods that their parameters describe completely."""
    known = {entry.name: entry for entry in ALL_METHODS}
    return all(
        step.method in known
        and step.attributes
        and set(step.parameters) <= {p.name for p in parameters_of(known[step.method].method)}
        for step in steps
    )


def build(step: Step, hierarchies: Mapping[str, Hierarchy]) -> MaskingMethod:
    """Return the masking method of a step; raise an error that names a wrong parameter.

    Args:
        hierarchies: hierarchies of the attributes; a step uses those of its own.
    """
    entry, values = method_named(step.method), _values(step)
    if step.method == NEEDS_HIERARCHIES:
        values[TREES] = {n: hierarchies[n] for n in step.attributes if n in hierarchies}
    method: MaskingMethod = entry.method(attributes=step.attributes, **values)
    return method


def _values(step: Step) -> dict[str, Any]:
    """Return the parameters of a step in the types of its method."""
    entry = method_named(step.method)
    known = {p.name: p for p in parameters_of(entry.method) if p.name not in ("attributes", TREES)}
    values: dict[str, Any] = {}
    for name, value in step.parameters.items():
        if name not in known:
            rest = ", ".join(known) or "none"
            raise ParameterError(f"{step.method} has no parameter {name!r}; it has {rest}")
        values[name] = _typed(f"{name} of {step.method}", known[name].hint, value)
    for name, parameter in known.items():
        if parameter.is_required and name not in values:
            raise ParameterError(f"{step.method} needs {name}: {parameter.meaning}")
    return values


_PLAIN: Mapping[type, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str,), "text"),
}
"""Plain types that a parameter of a type accepts, and what messages call them."""


def _typed(name: str, hint: Any, value: Any) -> Any:  # noqa: ANN401
    """Return a plain value as the type of a parameter; raise where it has another type."""
    if get_origin(hint) in (UnionType, Union):
        return _typed(name, next(h for h in get_args(hint) if h is not type(None)), value)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        if value in tuple(hint):
            return hint(value)
        raise ParameterError(f"{name} must be one of {', '.join(hint)}, got {value!r}")
    if get_origin(hint) is tuple:
        if isinstance(value, (list, tuple)):
            return tuple(_typed(f"each of {name}", get_args(hint)[0], item) for item in value)
        raise ParameterError(f"{name} must be a list, got {value!r}")
    if get_origin(hint) in (Mapping, dict):
        return _matrices(name, value)
    if hint not in _PLAIN:
        raise ParameterError(f"{name} cannot be given in a recipe; leave it out")
    accepted, words = _PLAIN[hint]
    if not isinstance(value, accepted) or (isinstance(value, bool) and hint is not bool):
        raise ParameterError(f"{name} must be {words}, got {value!r}")
    typed: Any = value
    return float(typed) if hint is float else typed


def _matrices(name: str, value: Any) -> dict[str, NDArray[np.float64]]:  # noqa: ANN401
    try:
        return {n: np.asarray(matrix, dtype=np.float64) for n, matrix in value.items()}
    except (AttributeError, TypeError, ValueError):
        raise ParameterError(f"{name} must be a square table of numbers by attribute") from None


def check_step(step: Step, schema: Schema | None = None) -> None:
    """Raise where a step has a wrong parameter, or cannot mask the attributes of a schema."""
    entry = method_named(step.method)
    require_attributes(step.attributes, step.method)
    if schema is not None:
        for name in step.attributes:
            _check_attribute(schema[name], entry)
    if step.method == NEEDS_HIERARCHIES:  # levels are checked with the hierarchies of a file
        given = _values(step).get(LEVELS, ())
        if given and len(given) != len(step.attributes):
            raise ParameterError(
                f"{step.method} has {len(given)} levels for {len(step.attributes)} attributes; "
                "give one level for each"
            )
    else:
        build(step, {})


def _check_attribute(attribute: Attribute, entry: MethodEntry) -> None:
    if attribute.role in (Role.WEIGHT, Role.STRATUM) or not attribute.role.is_released:
        raise SchemaError(
            f"{entry.name} cannot mask {attribute.name!r}, whose role is {attribute.role}; "
            "leave it out"
        )
    if attribute.kind not in entry.kinds:
        kinds = " or ".join(sorted(entry.kinds))
        raise SchemaError(
            f"{entry.name} masks {kinds} attributes, and {attribute.name!r} is {attribute.kind}; "
            "choose another method or leave it out"
        )


@dataclass(frozen=True, eq=False)
class MaskedColumn:
    """A column that a step produced, with its recoding if it is recoded."""

    column: Column
    recoding: Recoding | None


@dataclass(frozen=True, eq=False)
class StepResult:
    """What a step did to a table: its columns, and the records that it suppressed."""

    columns: Mapping[str, MaskedColumn]
    suppressed: Flags | None

    @property
    def nbytes(self) -> int:
        return sum(one.column.nbytes for one in self.columns.values())


@dataclass(eq=False)
class StepCache:
    """Cache of the results of steps; the least recently used are dropped."""

    capacity: int = MOST_BYTES
    _results: dict[str, StepResult] = field(default_factory=dict)
    _bytes: int = 0

    def of(self, key: str, make: Callable[[], StepResult]) -> StepResult:
        """Return the result with this key, which is made if it is not in the cache."""
        found = self._results.pop(key, None)
        if found is None:
            found = make()
            self._bytes += found.nbytes
        self._results[key] = found
        while len(self._results) > 1 and self._bytes > self.capacity:
            self._bytes -= self._results.pop(next(iter(self._results))).nbytes
        return found


@dataclass(frozen=True, eq=False)
class RecipeMasking:
    """Applies recipes to one table; strata are masked separately.

    Args:
        draws: random stream by number; the number of a step is a hash of it.
        hierarchies: hierarchies that fit the table.
    """

    original: Table
    draws: Callable[[int], np.random.Generator]
    hierarchies: Mapping[str, Hierarchy]
    cache: StepCache = field(default_factory=StepCache)

    def mask(self, recipe: Recipe) -> Table:
        """Return the masked table, before enforcement."""
        done: dict[str, MaskedColumn] = {}
        before: dict[str, str] = {}
        suppressed: Flags | None = None
        for step in recipe:
            key = _hash(as_text(step) + "".join(before.get(n, "-") for n in step.attributes))
            result = self.cache.of(key, partial(self._run, step, dict(done)))
            done |= result.columns
            before |= dict.fromkeys(step.attributes, key)
            if result.suppressed is not None:
                suppressed = (
                    result.suppressed if suppressed is None else suppressed | (result.suppressed)
                )
        table = self._with(done)
        return table if suppressed is None else table.suppressing(suppressed)

    def _run(self, step: Step, done: Mapping[str, MaskedColumn]) -> StepResult:
        method = within_strata(build(step, self.hierarchies), self.original)
        table = self._with({name: done[name] for name in step.attributes if name in done})
        masked = method.mask(table, self.draws(int(_hash(as_text(step))[:15], 16)))
        columns = {
            name: MaskedColumn(masked[name], masked.recodings.get(name)) for name in step.attributes
        }
        some = masked.suppressed.any()
        return StepResult(columns, masked.suppressed if some else None)

    def _with(self, done: Mapping[str, MaskedColumn]) -> Table:
        if not done:
            return self.original
        recodings = {
            name: recoding for name, recoding in self.original.recodings.items() if name not in done
        } | {name: one.recoding for name, one in done.items() if one.recoding is not None}
        columns = {**self.original.columns, **{name: one.column for name, one in done.items()}}
        return replace(self.original, columns=columns, recodings=recodings)
