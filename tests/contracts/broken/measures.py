"""Measures that break a law of full values, tracking or expectation."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from evomask.measures.measure import About, Side
from evomask.measures.papers.categorical_loss import DistanceLoss
from evomask.testing.examples import CATEGORIES, example_table

TABLE = example_table()
ABOUT = About("spoilt", "Spoilt", Side.LOSS, "share of ages that were changed")
RISK = replace(ABOUT, side=Side.RISK)


def changed_share(original, masked):
    return float(100 * np.mean(~np.isclose(original["age"], masked["age"], equal_nan=True)))


class FullyRead:
    """Tracks by evaluating the whole file each time: slow and correct."""

    def __init__(self, original, masked):
        self.original, self.masked = original, masked
        self.now, self.kept = masked["age"].copy(), masked["age"].copy()

    @property
    def value(self):
        return changed_share(self.original, self.masked.with_columns({"age": self.now}))

    def change(self, record, name, value):
        self.now[record] = value

    def undo(self):
        self.now = self.kept.copy()

    def keep(self):
        self.kept = self.now.copy()


class BeginsElsewhere(FullyRead):
    @property
    def value(self):
        return super().value + 1


class NeverUndoes(FullyRead):
    def undo(self):
        pass


class UndoesNearly(FullyRead):
    slip = 0.0

    @property
    def value(self):
        return super().value + self.slip

    def undo(self):
        super().undo()
        self.slip += 1e-12


class NeverKeeps(FullyRead):
    def keep(self):
        pass


class WritesIntoTheFile(FullyRead):
    def change(self, record, name, value):
        super().change(record, name, value)
        object.__setattr__(self.masked, "columns", {**self.masked.columns, "age": self.now})


@dataclass
class Bound:
    """A reading defined by a function of original and masked file."""

    read: Callable
    original: object
    tracked: type

    def __call__(self, masked):
        return self.read(self.original, masked)

    def track(self, masked):
        return self.tracked(self.original, masked)


@dataclass
class Reading:
    """Percentage of changed ages by default."""

    read: Callable = changed_share
    about: About = ABOUT
    attributes: tuple = ("age",)
    tracked: type = FullyRead

    def against(self, original):
        return Bound(self.read, original, self.tracked)


@dataclass
class Expecting:
    """The distance of categories with a constant expectation."""

    value: float
    attributes: tuple = CATEGORIES
    about: About = field(default=DistanceLoss.about)

    def against(self, original):
        return AlwaysExpecting(DistanceLoss(self.attributes).against(original), self.value)


@dataclass
class AlwaysExpecting:
    read: Callable
    value: float
    has_expectation: bool = True

    def __call__(self, masked):
        return self.read(masked)

    def track(self, masked):
        return self.read.track(masked)

    def expected(self, matrices):
        return self.value


def never_the_same():
    values = iter(range(100))
    return lambda original, masked: float(next(values))


def spoil(original, masked):
    object.__setattr__(masked, "columns", {**masked.columns, "age": np.zeros(len(masked))})
    return 0.0


def refusing(condition):
    def read(original, masked):
        if condition(original):
            raise ZeroDivisionError("division by zero")
        return changed_share(original, masked)

    return read


BROKEN = {
    "has_a_complete_description": Reading(about=replace(ABOUT, meaning="Share. Of ages.")),
    "names_attributes_of_the_file": Reading(attributes=("nowhere",)),
    "does_not_modify_the_masked_file": Reading(spoil),
    "lies_between_0_and_100": Reading(lambda original, masked: float("nan")),
    "is_deterministic": Reading(never_the_same(), RISK),
    "does_not_depend_on_the_order_of_records": Reading(
        lambda original, masked: float(np.nan_to_num(masked["age"])[0]), RISK
    ),
    "is_0_for_the_original": Reading(lambda original, masked: 50.0),
    "accepts_a_single_record": Reading(refusing(lambda table: len(table) == 1)),
    "accepts_identical_records": Reading(refusing(lambda table: len(table) == 20)),
    "accepts_constant_attributes": Reading(
        refusing(lambda table: len(table) > 20 and np.ptp(table["age"]) == 0)
    ),
    "starts_with_the_full_value": Reading(tracked=BeginsElsewhere),
    "equals_the_full_value_after_changes_and_undos": Reading(tracked=NeverUndoes),
    "restores_every_bit_on_undo": Reading(tracked=UndoesNearly),
    "undoes_to_the_last_commit": Reading(tracked=NeverKeeps),
    "does_not_modify_the_tracked_file": Reading(tracked=WritesIntoTheFile),
    "expects_the_original_value_under_identity_matrices": Expecting(20.0),
    "expects_the_mean_of_many_draws": Expecting(0.0),
}
