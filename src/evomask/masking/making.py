"""What made a file, as data: light enough for every journal, event and command to read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Step:
    """One thing that was done to a file.

    Args:
        method: name of the masking method, or of the search whose own way it is.
        parameters: plain values only, so that JSON gives back an equal step.
        attributes: what it was done to.
    """

    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Making:
    """What made a file.

    Args:
        steps: what was done, in this order; none where values were left as they are.
        search: what found the recipe, empty for a method on its own.
        operator: what the search made it by.
        strata: attributes whose combinations were masked each on its own.
        repaired: percent of the cells that were then changed again, to obey edit rules and to
            fulfil what is required; None where nobody counted.
        required: the guarantee as a user writes it, such as ``k=5,l=2``; empty for none.
        origins: names of methods and searches whose files it went on from.
    """

    steps: tuple[Step, ...] = ()
    search: str = ""
    operator: str = ""
    strata: tuple[str, ...] = ()
    repaired: float | None = None
    required: str = ""
    origins: tuple[str, ...] = ()
