"""Provenance of a masked file as plain data.

The module imports nothing heavy, because journals, events and commands read it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Step:
    """One masking step.

    Args:
        method: name of the masking method, or of the search that has no method of its own.
        parameters: plain values only, so that a step survives JSON unchanged.
        attributes: names of the masked attributes.
    """

    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Provenance:
    """How a masked file was made.

    Args:
        steps: masking steps in order; none for a file with unchanged values.
        search: search that found the recipe; empty for a single method.
        operator: operator of the search that created the candidate.
        strata: attributes that define strata, each of which was masked separately.
        repaired: percentage of cells that enforcement changed afterwards, to satisfy edit rules
            and the requirement; None if it was not counted.
        required: the requirement as text, such as ``k=5,l=2``; empty for none.
        origins: names of the methods and searches whose files the search started from.
    """

    steps: tuple[Step, ...] = ()
    search: str = ""
    operator: str = ""
    strata: tuple[str, ...] = ()
    repaired: float | None = None
    required: str = ""
    origins: tuple[str, ...] = ()
