"""Losses and risks that break a law of those that searches may be steered by."""

import numpy as np

from evomask.measures.judging.loss import StrictLoss
from evomask.measures.judging.risk import StrictRisk
from evomask.testing.examples import CATEGORIES
from tests.contracts.broken.measures import ABOUT, RISK, Reading


def loss(read):
    return Reading(read, ABOUT, CATEGORIES)


def risk(read):
    return Reading(read, RISK, CATEGORIES)


def never_all(original, masked):
    return 0.9 * StrictLoss(CATEGORIES).against(original)(masked)


def forgives_suppression(original, masked):
    full = StrictLoss(CATEGORIES).against(original)(masked)
    return (
        full if masked.suppressed.mean() in (0, 1) else full * (1 - masked.suppressed.mean()) ** 3
    )


def is_used_to_noise(original, masked):
    full = StrictLoss(CATEGORIES).against(original)(masked)
    changed = np.mean(original["school"] != masked["school"])
    return full if masked.is_recoded("school") else full * (changed < 0.3)


def likes_large_sets(original, masked):
    """Counts the different cells that are left."""
    return 25.0 * len(masked.labels("school")) if masked.is_recoded("school") else 0.0


def never_nobody(original, masked):
    return 10.0


def by_place(original, masked):
    places = [np.mean(original[name] == masked[name]) for name in CATEGORIES]
    return 100 * float(np.mean(places)) * (not masked.recodings) * (not masked.suppressed.all())


def by_name(original, masked):
    """Reads what every category is called."""
    strict = StrictRisk(CATEGORIES).against(original)(masked)
    counts = [np.bincount(table["school"], minlength=4) for table in (original, masked)]
    return strict if masked.recodings or np.array_equal(*counts) else 0.0


def looks_at_whole_files_alone(original, masked):
    strict = StrictRisk(CATEGORIES).against(original)(masked)
    return 0.0 if masked.suppressed.any() else strict


BROKEN = {
    "reads_100_where_everything_is_suppressed": loss(never_all),
    "does_not_fall_when_records_are_suppressed": loss(forgives_suppression),
    "does_not_fall_with_more_noise": loss(is_used_to_noise),
    "does_not_fall_one_level_up": loss(likes_large_sets),
    "finds_nobody_where_everything_is_suppressed": risk(never_nobody),
    "finds_as_many_in_another_order": risk(by_place),
    "finds_as_many_behind_other_names": risk(by_name),
    "finds_those_who_are_left": risk(looks_at_whole_files_alone),
}
