"""Scenarios: kinds of intruders, with what they know of a person."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice
from math import comb

import numpy as np

from evomask.errors import ParameterError, SchemaError

EVERYTHING = "all quasi-identifiers"
"""Name of the default scenario."""

SURE = 0.5
"""Default share of the nearest records that must agree before an intruder claims a value."""

MOST_COMBINATIONS = 20
"""Largest number of attribute combinations that are tried for one scenario; a fixed random
sample."""

MOST_LISTED = 1_000
"""Largest number of attribute combinations in which classes are counted."""

_CHOICE = re.compile(r"any\s+(\d+)\s+of\s+(.+)")


@dataclass(frozen=True)
class Tolerance:
    """Precision with which a number is known: relative to its value, or absolute in units."""

    amount: float
    is_relative: bool = False

    def __str__(self) -> str:
        return f"{100 * self.amount:.15g} %" if self.is_relative else f"{self.amount:.15g}"


def parse_tolerance(value: object) -> Tolerance:
    """Parse ``15`` (units) or ``"20 %"`` (of the value)."""
    text = str(value).strip()
    is_relative = text.endswith("%")
    try:
        amount = float(text.removesuffix("%")) / (100.0 if is_relative else 1.0)
    except ValueError:
        amount = -1.0
    if not 0 < amount < (1.0 if is_relative else np.inf):
        raise ParameterError(
            f"a tolerance is a positive number or a percentage below 100, got {text!r}"
        )
    return Tolerance(amount, is_relative)


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """An intruder who attacks a release.

    Args:
        knows: attributes known exactly.
        knows_about: continuous attributes known within a tolerance.
        any: number of further attributes among *of* that the intruder knows; the most successful
            choice counts.
        takes_part: whether the intruder knows that a person is in the file (prosecutor) or not
            (journalist).
        sure: share of the nearest records that must agree before the intruder claims a value.
        require: requirement that holds against this intruder, such as ``k=5``.
        source: where the knowledge comes from, in words.
        unit: what k counts: ``household``, ``person``, or the column with their numbers; by
            default persons if there are several records of one, else records.
        has_all: whether this is the scenario that holds where none is given.
    """

    name: str
    knows: tuple[str, ...] = ()
    knows_about: Mapping[str, Tolerance] = field(default_factory=dict)
    any: int = 0
    of: tuple[str, ...] = ()
    takes_part: bool = True
    sure: float = SURE
    require: str = ""
    source: str = ""
    unit: str = ""
    has_all: bool = False

    def __post_init__(self) -> None:
        if not self.attributes:
            raise SchemaError(f"scenario {self.name!r} knows no attribute; name at least one")
        if len(set(self.attributes)) < len(self.attributes):
            raise SchemaError(f"scenario {self.name!r} names an attribute twice; name each once")
        if self.any and not 0 < self.any <= len(self.of):
            raise SchemaError(
                f"scenario {self.name!r} knows any {self.any} of {len(self.of)} attributes; "
                "name at least as many"
            )
        if self.of and not self.any:
            raise SchemaError(
                f"scenario {self.name!r} has `of` without `any`; add the number of known "
                f"attributes, such as any = 3"
            )
        if not 0 < self.sure <= 1:
            raise SchemaError(
                f"sure of scenario {self.name!r} must be above 0 and at most 1, got {self.sure}"
            )

    @property
    def attributes(self) -> tuple[str, ...]:
        """Every attribute that may be known."""
        return (*self.knows, *self.knows_about, *self.of)

    def combinations(self) -> list[tuple[str, ...]]:
        """Return every set of attributes that may be known exactly.

        Above 1,000 sets, the set of all their attributes, which has the smallest classes.
        """
        if not self.any:
            return [self.knows] if self.knows else []
        if comb(len(self.of), self.any) > MOST_LISTED:
            return [(*self.knows, *self.of)]
        return [(*self.knows, *some) for some in combinations(self.of, self.any)]

    def variants(self) -> list["Scenario"]:
        """Scenarios without a choice: one for each combination of attributes that may be known."""
        if not self.any:
            return [self]
        if comb(len(self.of), self.any) <= MOST_COMBINATIONS:
            chosen = list(combinations(self.of, self.any))
        else:
            rng = np.random.default_rng(0)
            drawn = (rng.choice(len(self.of), self.any, replace=False) for _ in iter(int, 1))
            sets = dict.fromkeys(
                tuple(self.of[i] for i in sorted(one))
                for one in islice(drawn, 4 * MOST_COMBINATIONS)
            )
            chosen = list(sets)[:MOST_COMBINATIONS]
        return [replace(self, knows=(*self.knows, *one), any=0, of=()) for one in chosen]


def default_scenario(names: Sequence[str]) -> Scenario:
    """The scenario of an intruder who knows every one of the attributes exactly."""
    return Scenario(name=EVERYTHING, knows=tuple(names), has_all=True)


def parse_scenario(text: str) -> Scenario:
    """Parse ``"register: municipality, age, income ~ 20 %; k=5"`` as given on the command line.

    A number or percentage after a tilde is the tolerance within which an attribute is known; ``any
    3 of`` stands before the attributes of which three are known. What is required in the scenario
    follows a semicolon.
    """
    name, colon, all_after = text.partition(":")
    rest, _, require = all_after.partition(";")
    parts = [part.strip() for part in rest.split(",") if part.strip()]
    if not colon or not name.strip() or not parts:
        raise ParameterError(
            f"a scenario is written as NAME: ATTRIBUTE, ATTRIBUTE, …, got {text.strip()!r}"
        )
    knows: list[str] = []
    of: list[str] = []
    about, number, exactly = {}, 0, knows
    for part in parts:
        if choice := _CHOICE.fullmatch(part):
            number, exactly, part = int(choice[1]), of, choice[2]  # noqa: PLW2901
        words = part.rsplit("~", 1)
        if len(words) == 2:
            about[words[0].strip()] = parse_tolerance(words[1])
        else:
            exactly.append(part)
    return Scenario(
        name=name.strip(),
        knows=tuple(knows),
        knows_about=about,
        any=number,
        of=tuple(of),
        require=require.strip(),
    )
