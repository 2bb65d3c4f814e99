"""Laws of measures: full values, incremental tracking, and expectations under PRAM."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite, sqrt
from typing import NamedTuple, Protocol, cast

import numpy as np

from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.randomization.pram import MatrixPram
from evomask.measures.incremental.readings import Trackable, Tracked, require_trackable
from evomask.measures.measure import Measure, Reading, Side
from evomask.testing.examples import columns_as_bytes, example_table, masked_files, perturbed
from evomask.testing.law import Law, check, name_of
from evomask.types import Points

TOLERANCE = 1e-9
STEPS = 80
DRAWS = 40
APPROXIMATION_ERROR = 1.0
"""Tolerance of expectations in percent, since some are second-order approximations."""

REORDERED = ("perturbed", "generalized", "with suppressed records")


@dataclass(frozen=True, eq=False)
class MeasureCase:
    """A measure, an original, and masked versions of it.

    Args:
        more: additional masked versions.
    """

    measure: Measure
    original: Table
    more: Mapping[str, Table] = field(default_factory=dict)

    @cached_property
    def reading(self) -> Reading:
        return self.measure.against(self.original)

    @cached_property
    def files(self) -> Mapping[str, Table]:
        return {**masked_files(self.original), **self.more}

    def faults(self, original: Table, masked: Table) -> Iterator[str]:
        """Report a value that is not a percentage."""
        yield from _out_of_range(self.measure.against(original)(masked))


def _out_of_range(value: float) -> Iterator[str]:
    if not (isfinite(value) and 0.0 <= value <= 100.0):
        yield f"{value} is not between 0 and 100"


def lies_between_0_and_100(case: MeasureCase) -> Iterator[str]:
    """The value is a percentage for any masked file, never NaN."""
    for kind, masked in case.files.items():
        yield from (f"{fault} ({kind})" for fault in _out_of_range(case.reading(masked)))


def is_deterministic(case: MeasureCase) -> Iterator[str]:
    """Two evaluations of one file give the same number."""
    values = [case.reading(case.files["perturbed"]) for _ in range(2)]
    if values[0] != values[1]:
        yield f"{values[0]} the first time and {values[1]} the second time"


def does_not_modify_the_masked_file(case: MeasureCase) -> Iterator[str]:
    """Evaluation does not change the masked file."""
    masked = perturbed(case.original, case.measure.attributes)
    before = columns_as_bytes(masked)
    case.reading(masked)
    if columns_as_bytes(masked) != before:
        yield "the masked file was changed"


def does_not_depend_on_the_order_of_records(case: MeasureCase) -> Iterator[str]:
    """The same permutation of both files gives the same value."""
    order = np.random.default_rng(3).permutation(len(case.original))
    reordered = case.measure.against(case.original.take(order))
    for kind in REORDERED:
        masked = case.files[kind]
        permuted, value = reordered(masked.take(order)), case.reading(masked)
        if abs(permuted - value) > TOLERANCE:
            yield f"{value} became {permuted} ({kind})"


def is_0_for_the_original(case: MeasureCase) -> Iterator[str]:
    """The loss of the original against itself is exactly 0."""
    if case.measure.about.side is Side.LOSS and case.reading(case.original) != 0.0:
        yield f"the loss of the original is {case.reading(case.original)}"


def accepts_a_single_record(case: MeasureCase) -> Iterator[str]:
    """A file of one record can be measured."""
    single = case.original.take(np.array([5 % len(case.original)]))
    yield from case.faults(single, single)


def accepts_identical_records(case: MeasureCase) -> Iterator[str]:
    """A file of equal records can be measured."""
    equal = case.original.take(np.full(20, 5 % len(case.original)))
    yield from case.faults(equal, perturbed(equal, case.measure.attributes))


def accepts_constant_attributes(case: MeasureCase) -> Iterator[str]:
    """A file with one constant attribute can be measured."""
    name = case.measure.attributes[0]
    first = case.original[name][np.zeros(len(case.original), dtype=np.intp)]
    constant = case.original.with_columns({name: first})
    yield from case.faults(constant, perturbed(constant, case.measure.attributes))


def names_attributes_of_the_file(case: MeasureCase) -> Iterator[str]:
    """The measure names one or more attributes, all of them columns of the file."""
    names = set(case.measure.attributes)
    if not names or not names <= set(case.original.schema.names):
        yield f"{sorted(names)} are not attributes of the file"


def has_a_complete_description(case: MeasureCase) -> Iterator[str]:
    """Its about has a name, a title, a range, and a meaning in lower case."""
    about = case.measure.about
    if not about.title or not about.name:
        yield "its about has no name or title"
    if not re.fullmatch(r"[a-z][^.]*", about.meaning):
        yield f"its meaning is not one sentence in lower case: {about.meaning!r}"
    if not about.low < about.high:
        yield f"its range is empty, {about.low} to {about.high}"


LAWS: tuple[Law[MeasureCase], ...] = (
    has_a_complete_description,
    names_attributes_of_the_file,
    does_not_modify_the_masked_file,
    lies_between_0_and_100,
    is_deterministic,
    does_not_depend_on_the_order_of_records,
    is_0_for_the_original,
    accepts_a_single_record,
    accepts_identical_records,
    accepts_constant_attributes,
)


class Change(NamedTuple):
    """A value of the original written into one cell, and whether it is committed."""

    record: int
    name: str
    value: float
    is_committed: bool


@dataclass(frozen=True, eq=False)
class TrackingCase:
    """A measure that is tracked through changes of a masked file."""

    measure: Measure
    original: Table

    @cached_property
    def reading(self) -> Trackable:
        return require_trackable(self.measure.against(self.original))

    @cached_property
    def masked(self) -> Table:
        """The masked file whose cells are changed."""
        return perturbed(self.original, self.measure.attributes)

    @property
    def is_possible(self) -> bool:
        """Whether the measure can be tracked."""
        try:
            self.reading.track(self.masked)
        except ParameterError:
            return False
        return True

    def changes(self, count: int) -> list[Change]:
        """Random changes, about half of them committed."""
        rng = np.random.default_rng(count)
        names, n = self.measure.attributes, len(self.original)
        drawn = rng.integers(0, [n, len(names), n, 2], (count, 4)).tolist()
        return [
            Change(record, names[a], float(self.original[names[a]][source]), bool(committed))
            for record, a, source, committed in drawn
        ]


def starts_with_the_full_value(case: TrackingCase) -> Iterator[str]:
    """Before any change, the tracked value equals the full value."""
    yield from _difference(case.reading.track(case.masked).value, case.reading(case.masked))


def equals_the_full_value_after_changes_and_undos(case: TrackingCase) -> Iterator[str]:
    """The tracked value equals the full value after any sequence of changes."""
    tracked, changes = case.reading.track(case.masked), case.changes(STEPS)
    for change in changes:
        _apply(tracked, change)
    committed = [change for change in changes if change.is_committed]
    yield from _difference(tracked.value, case.reading(_written(case.masked, committed)))


def restores_every_bit_on_undo(case: TrackingCase) -> Iterator[str]:
    """Undo restores the value exactly, without rounding errors."""
    tracked = case.reading.track(case.masked)
    before = tracked.value
    for change in case.changes(10):
        tracked.change(change.record, change.name, change.value)
    tracked.undo()
    if tracked.value != before:
        yield f"{before} became {tracked.value}"


def undoes_to_the_last_commit(case: TrackingCase) -> Iterator[str]:
    """Committed changes survive the undo of later ones."""
    tracked, (first, *later) = case.reading.track(case.masked), case.changes(6)
    _apply(tracked, first._replace(is_committed=True))
    for change in later:
        tracked.change(change.record, change.name, change.value)
    tracked.undo()
    yield from _difference(tracked.value, case.reading(_written(case.masked, [first])))


def does_not_modify_the_tracked_file(case: TrackingCase) -> Iterator[str]:
    """Tracking changes a copy of the file."""
    masked = perturbed(case.original, case.measure.attributes)
    before = columns_as_bytes(masked)
    tracked = case.reading.track(masked)
    for change in case.changes(10):
        tracked.change(change.record, change.name, change.value)
    if columns_as_bytes(masked) != before:
        yield "the masked file was changed"


def _difference(tracked: float, full: float) -> Iterator[str]:
    if not abs(tracked - full) <= TOLERANCE:
        yield f"the tracked value is {tracked}, the full value {full}"


def _apply(tracked: Tracked, change: Change) -> None:
    tracked.change(change.record, change.name, change.value)
    if change.is_committed:
        tracked.keep()
    else:
        tracked.undo()


def _written(masked: Table, changes: list[Change]) -> Table:
    columns = {change.name: masked[change.name].copy() for change in changes}
    for change in changes:
        columns[change.name][change.record] = change.value
    return masked.with_columns(columns)


LAWS_OF_TRACKING: tuple[Law[TrackingCase], ...] = (
    starts_with_the_full_value,
    equals_the_full_value_after_changes_and_undos,
    restores_every_bit_on_undo,
    undoes_to_the_last_commit,
    does_not_modify_the_tracked_file,
)


class ExpectedReading(Protocol):
    """A reading with an expectation under PRAM."""

    def __call__(self, masked: Table) -> float:
        """Return the measure of a masked table."""
        ...

    def expected(self, matrices: Mapping[str, Points]) -> float:
        """Return the expected value if the original is masked with these matrices."""
        ...


@dataclass(frozen=True, eq=False)
class ExpectationCase:
    """A measure of categorical attributes and an original."""

    measure: Measure
    original: Table

    @cached_property
    def reading(self) -> ExpectedReading:
        return cast(ExpectedReading, self.measure.against(self.original))

    def matrices(self, diagonal: float) -> Mapping[str, Points]:
        """Return transition matrices with this diagonal and equal probabilities elsewhere."""
        matrices = {}
        for name in self.names:
            size = len(self.original.attribute(name).categories)
            matrices[name] = np.full((size, size), (1.0 - diagonal) / max(size - 1, 1))
            np.fill_diagonal(matrices[name], diagonal)
        return matrices

    @property
    def is_possible(self) -> bool:
        """Whether the measure has an expectation and categorical attributes."""
        return bool(self.names) and bool(getattr(self.reading, "has_expectation", False))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the attributes that PRAM can mask."""
        names = self.measure.attributes
        return tuple(name for name in names if self.original.attribute(name).is_categorical)


def expects_the_original_value_under_identity_matrices(case: ExpectationCase) -> Iterator[str]:
    """Identity matrices give the value of the original."""
    expected, value = case.reading.expected(case.matrices(1.0)), case.reading(case.original)
    if not abs(expected - value) <= TOLERANCE:
        yield f"expected {expected}, the value of the original is {value}"


def expects_the_mean_of_many_draws(case: ExpectationCase) -> Iterator[str]:
    """The mean over files that PRAM draws with the matrices is the expected value."""
    matrices = case.matrices(0.7)
    method = MatrixPram(case.names, matrices)
    draws = (method.mask(case.original, np.random.default_rng(i)) for i in range(DRAWS))
    values = [case.reading(masked) for masked in draws]
    error = float(np.std(values)) / sqrt(DRAWS)
    expected, mean = case.reading.expected(matrices), float(np.mean(values))
    if not abs(expected - mean) <= APPROXIMATION_ERROR + 5 * error:
        yield f"expected {expected}, {DRAWS} draws have the mean {mean}"


LAWS_OF_EXPECTING: tuple[Law[ExpectationCase], ...] = (
    expects_the_original_value_under_identity_matrices,
    expects_the_mean_of_many_draws,
)


def check_measure(
    measure: Measure,
    make: Callable[[], Table] = example_table,
    more: Mapping[str, Table] | None = None,
) -> None:
    """Raise if a measure breaks a law, including those of tracking and expectation if it has them.

    Args:
        measure: a measure on attributes of the file.
        make: creates the original file, by default the example.
        more: additional masked versions of that file.
    """
    case = MeasureCase(measure, make(), more or {})
    check(name_of(measure), LAWS, case)
    tracking = TrackingCase(measure, case.original)
    if tracking.is_possible:
        check(name_of(measure), LAWS_OF_TRACKING, tracking)
    expecting = ExpectationCase(measure, case.original)
    if expecting.is_possible:
        check(name_of(measure), LAWS_OF_EXPECTING, expecting)


def check_tracked(measure: Measure, make: Callable[[], Table] = example_table) -> None:
    """Raise if a measure cannot be tracked through single changes, or breaks a law of tracking."""
    check(name_of(measure), LAWS_OF_TRACKING, TrackingCase(measure, make()))
