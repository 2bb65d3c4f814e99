"""Copies: people who are unique in the original, and whose record is in the release as it was.

Masking leaves some records unchanged. Synthesis draws some records that equal a real one: by
chance, where a combination of values is likely, or because the model is too close to its records.
People who are not in the file show how many copies are chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.classes import classes_of_columns
from evomask.data.table import Column, Table
from evomask.measures.attacks.attack import AttackResult, PreparedAttack, result_of
from evomask.measures.measure import About, Side, check_columns, check_original
from evomask.types import Flags


def copied_uniques(
    people: Table, masked: Table, names: Sequence[str], others: Table | None = None
) -> tuple[Flags, Flags]:
    """Return which people are unique, and which have an equal released record.

    Args:
        others: people among whom they have to be unique too.

    A released record that is suppressed, or has a cell of several values, equals nobody.
    """
    tables = [people] if others is None else [people, others]
    columns = [np.concatenate([table[name] for table in tables]) for name in names]
    known = classes_of_columns(columns, len(columns[0]))
    unique: Flags = (known.sizes[known.labels] == 1)[: len(people)]
    single = ~masked.suppressed
    cells = []
    for name in names:
        values, is_single = _single_values(masked, name)
        cells.append(values)
        single &= is_single
    both = [
        np.concatenate([people[name], values[single]])
        for name, values in zip(names, cells, strict=True)
    ]
    labels = classes_of_columns(both, len(both[0])).labels
    return unique, np.isin(labels[: len(people)], labels[len(people) :])


def percent_copied(original: Table, masked: Table, names: Sequence[str]) -> float:
    """Percentage of the people who are unique in the original and have an equal released record."""
    unique, copied = copied_uniques(original, masked, names)
    return 100.0 * float(copied[unique].mean()) if unique.any() else 0.0


def _single_values(table: Table, name: str) -> tuple[Column, Flags]:
    """Values of a column in the coding of the original, and which cells are single values."""
    if not table.is_recoded(name):
        return table[name], np.ones(len(table), dtype=bool)
    if table.attribute(name).is_categorical:
        leaves = table.recoding(name).leaves
        single = leaves.sum(axis=1) == 1
        return leaves.argmax(axis=1).astype(np.int32)[table[name]], single[table[name]]
    low, high = table.ends(name)
    return low, low == high


@dataclass(frozen=True)
class Copies:
    """Share of the people who are unique in the original and whose record is in the release.

    Compared with people of the control group who are as unique: copies of them are chance.
    """

    attributes: tuple[str, ...]
    matches_records: bool = False

    about: ClassVar[About] = About(
        "copies",
        "copies of unique people",
        Side.RISK,
        "the share of people with a unique combination of values in the original who have an "
        "equal record in the release; beyond the control group, copies are not chance",
    )

    def against(self, original: Table, control: Table | None = None) -> PreparedAttack:
        check_original(original, self.attributes)

        def attack(masked: Table) -> AttackResult:
            check_columns(original, masked, self.attributes)
            unique, copied = copied_uniques(original, masked, self.attributes, control)
            by_chance, others = 0.0, 0
            if control is not None and len(control):
                alone, found = copied_uniques(control, masked, self.attributes, original)
                others = int(alone.sum())
                by_chance = 100.0 * float(found[alone].mean()) if others else 0.0
            return result_of(
                self.about,
                success=100.0 * float(copied[unique].mean()) if unique.any() else 0.0,
                targets=max(1, int(unique.sum())),
                control=by_chance,
                control_people=others,
                details={"copies": float((unique & copied).sum())},
            )

        return attack
