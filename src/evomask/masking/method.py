"""What every masking method promises, and what it tells of itself."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from evomask.arrays import Labels
from evomask.data.parameters import summary_of
from evomask.data.table import Table
from evomask.masking.making import Making, Step
from evomask.masking.statistics import Statistics

PLAIN = (str, bool, int, float)
"""Types of parameters that JSON can say."""


@dataclass(frozen=True)
class About:
    """What a masking method or a search tells of itself.

    Args:
        name: as in its catalogue.
        title: a short heading.
        steward: a clause on what was done to a file. ``{k}`` stands for a parameter, and
            ``{kept:mean}`` for one in a form of `evomask.record.words`; of the alternatives in
            ``[...|...]`` the first appears whose places can all be filled, or none.
        public: a sentence or two without parameters.
        simple: the name on the map of a well-known simple method, empty for others.
        together: whether it matters which attributes are masked at once; not where each is
            masked on its own anyway.
    """

    name: str
    title: str
    steward: str
    public: str
    simple: str = ""
    together: bool = False


class MaskingMethod(Protocol):
    """Parameters held as fields; one verb.

    ``mask`` leaves its argument alone, keeps the number and order of records, leaves
    attributes that the method does not name untouched, and draws every random number from
    *rng*. A *perturbing* method keeps the schema and stays in the domain; a *recoding* one
    keeps names, order and roles, and its cells may be intervals, ancestors or suppressed.
    """

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the attributes it masks."""
        ...

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """A new table with the attributes masked; *table* is left alone."""
        ...


@runtime_checkable
class Microaggregation(MaskingMethod, Protocol):
    """A method that groups records and releases each group's aggregate."""

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        """Group label of each record, from 0; ``mask`` gives each group its aggregate."""
        ...


@runtime_checkable
class Grouping(Microaggregation, Protocol):
    """A microaggregation that makes the masked file of groups that are known already."""

    def released(self, table: Table, labels: Labels) -> Table:
        """What ``mask`` makes where ``partition`` found these groups."""
        ...


@runtime_checkable
class MadeOfMethods(Protocol):
    """A method made of methods; it knows what they do together."""

    def making(self) -> Making:
        """What all its methods together do to a file, as data."""
        ...


def making_of(method: MaskingMethod) -> Making:
    """What a method does to a file, as data; a method made of methods gives several steps."""
    if isinstance(method, MadeOfMethods):
        return method.making()
    step = Step(about_of(type(method)).name, _plain_parameters(method), method.attributes)
    return Making((step,))


def about_of(owner: Any) -> About:  # noqa: ANN401
    """What a method or search tells of itself; else its name is the first line of its docstring."""
    about: About | None = getattr(owner, "about", None)
    return about or about_unknown(_first_line(owner))


def about_unknown(name: str) -> About:
    """What can be told of a method that nothing but a name is known of."""
    return About(name, name, "", "Values were changed by a masking method.")


def _first_line(owner: Any) -> str:  # noqa: ANN401
    """The docstring's first sentence; the class' name where there is none but the generated one."""
    kind = owner if isinstance(owner, type) else type(owner)
    summary = summary_of(kind) if kind.__dict__.get("__doc__") else ""
    generated = f"{kind.__name__}("
    return kind.__name__ if not summary or generated in summary else summary.removesuffix(".")


def _plain_parameters(method: object) -> dict[str, Any]:
    """The fields that were set to plain values, lists of them as lists."""
    if not dataclasses.is_dataclass(method) or isinstance(method, type):
        return {}
    names = [item.name for item in dataclasses.fields(method) if item.name != "attributes"]
    values = {name: _plain(getattr(method, name)) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def _plain(value: object) -> Any:  # noqa: ANN401
    """A value as JSON would give it back; None for what it cannot say."""
    if isinstance(value, (tuple, list)):
        items = [_plain(item) for item in value]
        return None if None in items else items
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str):
        return str(value)
    return value if isinstance(value, PLAIN) else None


@runtime_checkable
class Fitting(Protocol):
    """A method in two steps: what it must know of the whole file, then any part of it.

    ``fitted`` gives a method whose ``mask`` takes nothing from the table but its records, so
    that parts are masked as the whole would be.
    """

    def fitted(self, statistics: Statistics) -> MaskingMethod:
        """The method for parts of the file that the statistics are of."""
        ...
