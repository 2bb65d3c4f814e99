"""Losses and risks that break a law of objectives."""

import numpy as np

from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.loss.loss import InformationLoss
from evomask.testing.examples import CATEGORIES
from tests.contracts.broken.measures import ABOUT, RISK, Reading


def loss(read):
    return Reading(read, ABOUT, CATEGORIES)


def risk(read):
    return Reading(read, RISK, CATEGORIES)


def never_all(original, masked):
    return 0.9 * InformationLoss(CATEGORIES).against(original)(masked)


def forgives_suppression(original, masked):
    full = InformationLoss(CATEGORIES).against(original)(masked)
    return (
        full if masked.suppressed.mean() in (0, 1) else full * (1 - masked.suppressed.mean()) ** 3
    )


def is_used_to_noise(original, masked):
    full = InformationLoss(CATEGORIES).against(original)(masked)
    changed = np.mean(original["school"] != masked["school"])
    return full if masked.is_recoded("school") else full * (changed < 0.3)


def likes_large_sets(original, masked):
    """Counts the distinct cells that remain."""
    return 25.0 * len(masked.labels("school")) if masked.is_recoded("school") else 0.0


def never_guessing(original, masked):
    return 10.0


def by_place(original, masked):
    places = [np.mean(original[name] == masked[name]) for name in CATEGORIES]
    return 100 * float(np.mean(places)) * (not masked.recodings) * (not masked.suppressed.all())


def by_name(original, masked):
    """Depends on the labels of the categories."""
    strict = DisclosureRisk(CATEGORIES).against(original)(masked)
    counts = [np.bincount(table["school"], minlength=4) for table in (original, masked)]
    return strict if masked.recodings or np.array_equal(*counts) else 0.0


def measures_complete_files_only(original, masked):
    strict = DisclosureRisk(CATEGORIES).against(original)(masked)
    return 0.0 if masked.suppressed.any() else strict


BROKEN = {
    "is_100_if_everything_is_suppressed": loss(never_all),
    "does_not_decrease_with_suppressed_records": loss(forgives_suppression),
    "does_not_decrease_with_noise": loss(is_used_to_noise),
    "does_not_decrease_with_generalization": loss(likes_large_sets),
    "is_at_most_guessing_if_everything_is_suppressed": risk(never_guessing),
    "ignores_the_order_of_records": risk(by_place),
    "is_not_lowered_by_relabelled_categories": risk(by_name),
    "is_not_lowered_for_remaining_records": risk(measures_complete_files_only),
}
