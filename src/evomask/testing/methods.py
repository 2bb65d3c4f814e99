"""The laws of masking methods."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.method import MaskingMethod, Microaggregation
from evomask.testing.examples import differing, example_table
from evomask.testing.law import Law, check, name_of

SEED = 1


@dataclass(frozen=True, eq=False)
class Masking:
    """A method, the file it masks and what came out.

    Args:
        make: gives the file anew, so that it can be seen whether the method changed it.
    """

    method: MaskingMethod
    make: Callable[[], Table]

    @cached_property
    def original(self) -> Table:
        """The example file before any masking."""
        return self.make()

    @cached_property
    def masked(self) -> Table:
        """What the method makes of the file with its seed."""
        return self.masked_anew()

    def masked_anew(self) -> Table:
        """The example masked once more, from the same seed."""
        return self.method.mask(self.original, np.random.default_rng(SEED))


def keeps_the_number_of_records(case: Masking) -> Iterator[str]:
    """No record is lost or added; those left out are flagged."""
    if len(case.masked) != len(case.original):
        yield f"{len(case.original)} records became {len(case.masked)}"


def keeps_names_order_and_roles(case: Masking) -> Iterator[str]:
    """Columns stay where they were, and what they are for."""
    before, after = ([(a.name, a.role) for a in t.schema] for t in (case.original, case.masked))
    if before != after:
        yield _first_change(before, after)


def _first_change(before: list[Any], after: list[Any]) -> str:
    pairs = zip([*before, None], [*after, None], strict=False)
    earlier, later = next(pair for pair in pairs if pair[0] != pair[1])
    return f"{earlier} became {later}"


def leaves_other_attributes_alone(case: Masking) -> Iterator[str]:
    """What the method does not name is the same to the bit, so records keep their order."""
    for name in differing(case.original, case.masked):
        if name not in case.method.attributes:
            yield f"{name!r} is not among its attributes and was changed"


def leaves_its_argument_alone(case: Masking) -> Iterator[str]:
    """The original is the same after masking."""
    case.masked_anew()
    for name in differing(case.make(), case.original):
        yield f"{name!r} of the original was changed"


def makes_the_same_file_from_the_same_seed(case: Masking) -> Iterator[str]:
    """Every random number comes from the generator it is given."""
    for name in differing(case.masked, case.masked_anew()):
        yield f"{name!r} differs the second time"


def stays_in_the_domain_or_says_what_a_cell_stands_for(case: Masking) -> Iterator[str]:
    """Numbers stay within the range of the original, categories within the schema's."""
    for name in case.method.attributes:
        if name in case.masked.recodings:
            yield from _unlabelled(case.masked, name)
        elif case.original.attribute(name).is_categorical:
            yield from _unknown_categories(case, name)
        else:
            yield from _out_of_range(case, name)


def _unlabelled(masked: Table, name: str) -> Iterator[str]:
    codes = masked[name]
    if codes.min() < 0 or codes.max() >= len(masked.recodings[name].labels):
        yield f"{name!r} holds a code without a label"


def _unknown_categories(case: Masking, name: str) -> Iterator[str]:
    size = len(case.original.attribute(name).categories)
    unknown = sorted(set(case.masked[name].tolist()) - set(range(size)))
    if unknown:
        yield f"{name!r} holds {unknown[0]}, which is none of its {size} categories"


def _out_of_range(case: Masking, name: str) -> Iterator[str]:
    known, released = (np.asarray(t[name], dtype=float) for t in (case.original, case.masked))
    low, high = np.nanmin(known), np.nanmax(known)
    if np.nanmin(released) < low or np.nanmax(released) > high:
        yield f"{name!r} leaves the range {low:g} to {high:g} of the original"


def introduces_itself(case: Masking) -> Iterator[str]:
    """Where a method has an ``about``, every sentence of it is there."""
    about = getattr(case.method, "about", None)
    for part in ("name", "title", "steward", "public") if about is not None else ():
        if not getattr(about, part, ""):
            yield f"its about has no {part}"


LAWS: tuple[Law[Masking], ...] = (
    keeps_the_number_of_records,
    keeps_names_order_and_roles,
    leaves_other_attributes_alone,
    leaves_its_argument_alone,
    makes_the_same_file_from_the_same_seed,
    stays_in_the_domain_or_says_what_a_cell_stands_for,
    introduces_itself,
)


@dataclass(frozen=True, eq=False)
class Grouped(Masking):
    """A microaggregation, the file it masks and its groups."""

    method: Microaggregation

    @cached_property
    def labels(self) -> "np.ndarray[Any, Any]":
        """Group of each record, drawn from the same stream as the masked file."""
        return self.method.partition(self.original, np.random.default_rng(SEED))

    @property
    def k(self) -> int | None:
        """The smallest number of records in a group, where the method has such a field."""
        return getattr(self.method, "k", None)


def gives_every_record_a_group(case: Grouped) -> Iterator[str]:
    """There are as many labels as records."""
    if len(case.labels) != len(case.original):
        yield f"{len(case.original)} records and {len(case.labels)} labels"


def numbers_groups_without_gaps(case: Grouped) -> Iterator[str]:
    """Groups are numbered 0, 1, 2 and so on, each with a record."""
    groups = set(case.labels.tolist())
    missing = sorted(set(range(max(groups) + 1)) - groups)
    if missing:
        yield f"no record is in group {missing[0]}"


def releases_the_records_of_a_group_alike(case: Grouped) -> Iterator[str]:
    """Within a group every masked attribute has one value."""
    for name in case.method.attributes:
        pairs = np.column_stack([case.labels, case.masked[name]])
        if len(np.unique(pairs, axis=0)) > len(np.unique(case.labels)):
            yield f"{name!r} has two values in one group"


def puts_k_records_into_each_group(case: Grouped) -> Iterator[str]:
    """No group is smaller than k."""
    smallest = np.bincount(case.labels).min()
    if case.k is not None and smallest < case.k:
        yield f"a group has {smallest} records, k is {case.k}"


def refuses_k_above_the_number_of_records(case: Grouped) -> Iterator[str]:
    """A file too small for one group is an error in a sentence."""
    too_much = len(case.original) + 1
    method: Any = case.method
    if case.k is not None:
        try:
            replace(method, k=too_much).mask(case.original, np.random.default_rng(SEED))
        except ParameterError:
            return
        yield f"k = {too_much} was accepted for {len(case.original)} records"


LAWS_OF_GROUPING: tuple[Law[Grouped], ...] = (
    gives_every_record_a_group,
    numbers_groups_without_gaps,
    releases_the_records_of_a_group_alike,
    puts_k_records_into_each_group,
    refuses_k_above_the_number_of_records,
)


def check_method(method: MaskingMethod, make: Callable[[], Table] = example_table) -> None:
    """Raise where a masking method breaks a law; microaggregations have some more of them.

    Args:
        method: one that masks attributes of the example file, or of the file that *make* gives.
    """
    check(name_of(method), LAWS, Masking(method, make))
    if isinstance(method, Microaggregation):
        check(name_of(method), LAWS_OF_GROUPING, Grouped(method, make))
