"""The laws of measures, read in full, followed through single changes, or expected under PRAM."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite

import numpy as np

from evomask.data.table import Table
from evomask.measures.measure import Measure, Reading, Side
from evomask.testing.examples import columns_as_bytes, example_table, masked_files, perturbed
from evomask.testing.expected import LAWS_OF_EXPECTING, Expecting
from evomask.testing.law import Law, check, name_of
from evomask.testing.tracked import LAWS_OF_TRACKING, Tracking

NEAR = 1e-9
REORDERED = ("perturbed", "generalized", "with records left out")


@dataclass(frozen=True, eq=False)
class Measuring:
    """A measure, its original, and masked versions of it.

    Args:
        more: masked versions besides those that are made of every original.
    """

    measure: Measure
    original: Table
    more: Mapping[str, Table] = field(default_factory=dict)

    @cached_property
    def reading(self) -> Reading:
        """The measure bound to its original."""
        return self.measure.against(self.original)

    @cached_property
    def files(self) -> Mapping[str, Table]:
        """All masked versions by what was done to them."""
        return {**masked_files(self.original), **self.more}

    def reads(self, original: Table, masked: Table) -> Iterator[str]:
        """A fault where the reading is not a percentage."""
        yield from _beyond(self.measure.against(original)(masked))


def _beyond(value: float) -> Iterator[str]:
    if not (isfinite(value) and 0.0 <= value <= 100.0):
        yield f"{value} is not between 0 and 100"


def lies_between_0_and_100(case: Measuring) -> Iterator[str]:
    """Whatever the masked file looks like; NaN never."""
    for kind, masked in case.files.items():
        yield from (f"{fault} ({kind})" for fault in _beyond(case.reading(masked)))


def says_the_same_twice(case: Measuring) -> Iterator[str]:
    """A reading is pure: asked twice about one file, it gives one number."""
    values = [case.reading(case.files["perturbed"]) for _ in range(2)]
    if values[0] != values[1]:
        yield f"{values[0]} the first time and {values[1]} the second"


def leaves_the_masked_file_alone(case: Measuring) -> Iterator[str]:
    """Reading a file does not change it."""
    masked = perturbed(case.original, case.measure.attributes)
    before = columns_as_bytes(masked)
    case.reading(masked)
    if columns_as_bytes(masked) != before:
        yield "the masked file was changed"


def does_not_depend_on_the_order_of_records(case: Measuring) -> Iterator[str]:
    """Both files in another order, the same for both, give the same value."""
    order = np.random.default_rng(3).permutation(len(case.original))
    reordered = case.measure.against(case.original.take(order))
    for kind in REORDERED:
        masked = case.files[kind]
        there, here = reordered(masked.take(order)), case.reading(masked)
        if abs(there - here) > NEAR:
            yield f"{here} became {there} ({kind})"


def finds_no_loss_in_the_original(case: Measuring) -> Iterator[str]:
    """A loss of the original against itself is 0, not only nearly."""
    if case.measure.about.side is Side.LOSS and case.reading(case.original) != 0.0:
        yield f"the original loses {case.reading(case.original)}"


def reads_a_file_of_one_record(case: Measuring) -> Iterator[str]:
    """One person is a file too."""
    alone = case.original.take(np.array([5 % len(case.original)]))
    yield from case.reads(alone, alone)


def reads_records_that_are_all_alike(case: Measuring) -> Iterator[str]:
    """Nothing varies, nothing can be told apart."""
    alike = case.original.take(np.full(20, 5 % len(case.original)))
    yield from case.reads(alike, perturbed(alike, case.measure.attributes))


def reads_attributes_of_one_value(case: Measuring) -> Iterator[str]:
    """An attribute may hold the same value everywhere while others vary."""
    name = case.measure.attributes[0]
    first = case.original[name][np.zeros(len(case.original), dtype=np.intp)]
    constant = case.original.with_columns({name: first})
    yield from case.reads(constant, perturbed(constant, case.measure.attributes))


def names_the_attributes_it_reads(case: Measuring) -> Iterator[str]:
    """At least one, and all of them columns of the file."""
    names = set(case.measure.attributes)
    if not names or not names <= set(case.original.schema.names):
        yield f"{sorted(names)} are not attributes of the file"


def introduces_itself(case: Measuring) -> Iterator[str]:
    """Its about has a title, a range, and one sentence that begins in lower case."""
    about = case.measure.about
    if not about.title or not about.name:
        yield "its about has no name or no title"
    if not re.fullmatch(r"[a-z][^.]*", about.meaning):
        yield f"its meaning is not one plain sentence in lower case: {about.meaning!r}"
    if not about.low < about.high:
        yield f"its range is empty, {about.low} to {about.high}"


LAWS: tuple[Law[Measuring], ...] = (
    introduces_itself,
    names_the_attributes_it_reads,
    leaves_the_masked_file_alone,
    lies_between_0_and_100,
    says_the_same_twice,
    does_not_depend_on_the_order_of_records,
    finds_no_loss_in_the_original,
    reads_a_file_of_one_record,
    reads_records_that_are_all_alike,
    reads_attributes_of_one_value,
)


def check_measure(
    measure: Measure,
    make: Callable[[], Table] = example_table,
    more: Mapping[str, Table] | None = None,
) -> None:
    """Raise where a measure breaks a law, also when it is tracked or expected if it can be.

    Args:
        measure: one that reads attributes of the example file, or of the file that *make* gives.
        more: masked versions of that file to be read besides those made here.
    """
    case = Measuring(measure, make(), more or {})
    check(name_of(measure), LAWS, case)
    tracking = Tracking(measure, case.original)
    if tracking.is_possible:
        check(name_of(measure), LAWS_OF_TRACKING, tracking)
    expecting = Expecting(measure, case.original)
    if expecting.is_possible:
        check(name_of(measure), LAWS_OF_EXPECTING, expecting)


def check_tracked(measure: Measure, make: Callable[[], Table] = example_table) -> None:
    """Raise where a measure cannot be followed through single changes, or not rightly."""
    check(name_of(measure), LAWS_OF_TRACKING, Tracking(measure, make()))
