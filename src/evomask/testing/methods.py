"""Laws of masking methods."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any

import numpy as np

from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.method import MaskingMethod, Microaggregation
from evomask.testing.examples import differing, example_table
from evomask.testing.law import Law, check, name_of

SEED = 1


@dataclass(frozen=True, eq=False)
class MethodCase:
    """A method, an original file and the masked file.

    Args:
        make: creates the file, so that changes to the original are detected.
    """

    method: MaskingMethod
    make: Callable[[], Table]

    @cached_property
    def original(self) -> Table:
        return self.make()

    @cached_property
    def masked(self) -> Table:
        return self.mask_again()

    def mask_again(self) -> Table:
        """Mask the original once more with the same seed."""
        return self.method.mask(self.original, np.random.default_rng(SEED))


def keeps_the_number_of_records(case: MethodCase) -> Iterator[str]:
    """No record is removed or added; suppressed records are flagged."""
    if len(case.masked) != len(case.original):
        yield f"{len(case.original)} records became {len(case.masked)}"


def keeps_names_order_and_roles(case: MethodCase) -> Iterator[str]:
    """Names, order and roles of the columns are unchanged."""
    before, after = ([(a.name, a.role) for a in t.schema] for t in (case.original, case.masked))
    for earlier, later in zip_longest(before, after):
        if earlier != later:
            yield f"{earlier} became {later}"


def does_not_change_other_attributes(case: MethodCase) -> Iterator[str]:
    """Other attributes are identical to the bit, so the order of records is unchanged."""
    for name in differing(case.original, case.masked):
        if name not in case.method.attributes:
            yield f"{name!r} is not among its attributes and was changed"


def does_not_modify_its_argument(case: MethodCase) -> Iterator[str]:
    """Masking does not modify the original."""
    case.mask_again()
    for name in differing(case.make(), case.original):
        yield f"{name!r} of the original was changed"


def is_reproducible_from_the_seed(case: MethodCase) -> Iterator[str]:
    """All random numbers come from the given generator."""
    for name in differing(case.masked, case.mask_again()):
        yield f"{name!r} differs the second time"


def stays_in_the_domain_or_labels_recoded_cells(case: MethodCase) -> Iterator[str]:
    """Numbers stay within the range of the original, categories within the schema."""
    for name in case.method.attributes:
        released = case.masked[name]
        if name in case.masked.recodings:
            if released.min() < 0 or released.max() >= len(case.masked.recodings[name].labels):
                yield f"{name!r} holds a code without a label"
        elif case.original.attribute(name).is_categorical:
            size = len(case.original.attribute(name).categories)
            unknown = sorted(set(released.tolist()) - set(range(size)))
            if unknown:
                yield f"{name!r} holds {unknown[0]}, which is none of its {size} categories"
        else:
            known = np.asarray(case.original[name], dtype=float)
            low, high = np.nanmin(known), np.nanmax(known)
            if np.nanmin(released) < low or np.nanmax(released) > high:
                yield f"{name!r} leaves the range {low:g} to {high:g} of the original"


def has_a_complete_description(case: MethodCase) -> Iterator[str]:
    """If a method has an ``about``, all its texts are filled."""
    about = getattr(case.method, "about", None)
    for part in ("name", "title", "steward", "public") if about is not None else ():
        if not getattr(about, part, ""):
            yield f"its about has no {part}"


LAWS: tuple[Law[MethodCase], ...] = (
    keeps_the_number_of_records,
    keeps_names_order_and_roles,
    does_not_change_other_attributes,
    does_not_modify_its_argument,
    is_reproducible_from_the_seed,
    stays_in_the_domain_or_labels_recoded_cells,
    has_a_complete_description,
)


@dataclass(frozen=True, eq=False)
class MicroaggregationCase(MethodCase):
    """A microaggregation with the groups of its partition."""

    method: Microaggregation

    @cached_property
    def labels(self) -> "np.ndarray[Any, Any]":
        """Group of each record, from the same seed as the masked file."""
        return self.method.partition(self.original, np.random.default_rng(SEED))

    @property
    def k(self) -> int | None:
        """The method's parameter k, if it has one."""
        return getattr(self.method, "k", None)


def assigns_every_record_to_a_group(case: MicroaggregationCase) -> Iterator[str]:
    """There is one label for each record."""
    if len(case.labels) != len(case.original):
        yield f"{len(case.original)} records and {len(case.labels)} labels"


def numbers_groups_without_gaps(case: MicroaggregationCase) -> Iterator[str]:
    """Groups are numbered 0, 1, 2 and so on, and none is empty."""
    groups = set(case.labels.tolist())
    missing = sorted(set(range(max(groups) + 1)) - groups)
    if missing:
        yield f"no record is in group {missing[0]}"


def releases_one_value_per_group(case: MicroaggregationCase) -> Iterator[str]:
    """Each masked attribute has one value within a group."""
    for name in case.method.attributes:
        values = np.nan_to_num(case.masked[name].astype(np.float64), nan=np.inf)
        pairs = np.column_stack([case.labels, values])
        if len(np.unique(pairs, axis=0)) > len(np.unique(case.labels)):
            yield f"{name!r} has two values in one group"


def has_groups_of_k_or_more_records(case: MicroaggregationCase) -> Iterator[str]:
    """No group has fewer than k records."""
    smallest = np.bincount(case.labels).min()
    if case.k is not None and smallest < case.k:
        yield f"a group has {smallest} records, k is {case.k}"


def rejects_k_above_the_number_of_records(case: MicroaggregationCase) -> Iterator[str]:
    """A file that is too small for one group raises a ParameterError."""
    too_much = len(case.original) + 1
    method: Any = case.method
    if case.k is not None:
        try:
            replace(method, k=too_much).mask(case.original, np.random.default_rng(SEED))
        except ParameterError:
            return
        yield f"k = {too_much} was accepted for {len(case.original)} records"


LAWS_OF_MICROAGGREGATION: tuple[Law[MicroaggregationCase], ...] = (
    assigns_every_record_to_a_group,
    numbers_groups_without_gaps,
    releases_one_value_per_group,
    has_groups_of_k_or_more_records,
    rejects_k_above_the_number_of_records,
)


def check_method(method: MaskingMethod, make: Callable[[], Table] = example_table) -> None:
    """Raise if a masking method breaks a law; microaggregation has additional laws.

    Args:
        method: a method that masks attributes of the file.
        make: creates the file, by default the example.
    """
    check(name_of(method), LAWS, MethodCase(method, make))
    if isinstance(method, Microaggregation):
        check(name_of(method), LAWS_OF_MICROAGGREGATION, MicroaggregationCase(method, make))
