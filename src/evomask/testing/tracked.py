"""The laws of readings that follow single changed cells."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.measure import Measure
from evomask.measures.tracked.trackable import Trackable, Tracked, trackable
from evomask.testing.examples import columns_as_bytes, perturbed
from evomask.testing.law import Law

STEPS = 80
NEAR = 1e-9


class Change(NamedTuple):
    """A value of the original written into one cell, and whether it lasts."""

    record: int
    name: str
    value: float
    lasts: bool


@dataclass(frozen=True, eq=False)
class Tracking:
    """A measure that is followed from a masked file on."""

    measure: Measure
    original: Table

    @cached_property
    def reading(self) -> Trackable:
        """The measure bound to its original."""
        return trackable(self.measure.against(self.original))

    @cached_property
    def masked(self) -> Table:
        """The masked file whose cells are changed one by one."""
        return perturbed(self.original, self.measure.attributes)

    @property
    def is_possible(self) -> bool:
        """Whether the measure offers to be tracked; some say on asking that they cannot."""
        try:
            self.reading.track(self.masked)
        except ParameterError:
            return False
        return True

    def changes(self, count: int) -> list[Change]:
        """Random changes, about half of which last."""
        rng = np.random.default_rng(count)
        names, n = self.measure.attributes, len(self.original)
        drawn = rng.integers(0, [n, len(names), n, 2], (count, 4)).tolist()
        return [
            Change(record, names[a], float(self.original[names[a]][source]), bool(lasts))
            for record, a, source, lasts in drawn
        ]


def begins_with_the_full_reading(case: Tracking) -> Iterator[str]:
    """Before any change the tracked value is that of a full reading."""
    yield from _apart(case.reading.track(case.masked).value, case.reading(case.masked))


def equals_a_full_reading_after_changes_and_undos(case: Tracking) -> Iterator[str]:
    """Whatever was written, kept and taken back before."""
    tracked, changes = case.reading.track(case.masked), case.changes(STEPS)
    for change in changes:
        _try(tracked, change)
    lasting = [change for change in changes if change.lasts]
    yield from _apart(tracked.value, case.reading(_written(case.masked, lasting)))


def restores_every_bit_on_undo(case: Tracking) -> Iterator[str]:
    """Taking changes back leaves no trace, not even one of rounding."""
    tracked = case.reading.track(case.masked)
    before = tracked.value
    for change in case.changes(10):
        tracked.change(change.record, change.name, change.value)
    tracked.undo()
    if tracked.value != before:
        yield f"{before} became {tracked.value}"


def undoes_back_to_the_last_keeping(case: Tracking) -> Iterator[str]:
    """What was kept stays when later changes are taken back."""
    tracked, (first, *later) = case.reading.track(case.masked), case.changes(6)
    _try(tracked, first._replace(lasts=True))
    for change in later:
        tracked.change(change.record, change.name, change.value)
    tracked.undo()
    yield from _apart(tracked.value, case.reading(_written(case.masked, [first])))


def leaves_the_followed_file_alone(case: Tracking) -> Iterator[str]:
    """Changes are made to a copy."""
    masked = perturbed(case.original, case.measure.attributes)
    before = columns_as_bytes(masked)
    tracked = case.reading.track(masked)
    for change in case.changes(10):
        tracked.change(change.record, change.name, change.value)
    if columns_as_bytes(masked) != before:
        yield "the masked file was changed"


def _apart(tracked: float, full: float) -> Iterator[str]:
    if not abs(tracked - full) <= NEAR:
        yield f"tracked {tracked}, read in full {full}"


def _try(tracked: Tracked, change: Change) -> None:
    tracked.change(change.record, change.name, change.value)
    if change.lasts:
        tracked.keep()
    else:
        tracked.undo()


def _written(masked: Table, changes: list[Change]) -> Table:
    columns = {change.name: masked[change.name].copy() for change in changes}
    for change in changes:
        columns[change.name][change.record] = change.value
    return masked.with_columns(columns)


LAWS_OF_TRACKING: tuple[Law[Tracking], ...] = (
    begins_with_the_full_reading,
    equals_a_full_reading_after_changes_and_undos,
    restores_every_bit_on_undo,
    undoes_back_to_the_last_keeping,
    leaves_the_followed_file_alone,
)
