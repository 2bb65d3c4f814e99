"""A masked file beside its original: what became of every attribute, without a value."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Flags
from evomask.data.recoding import says_nothing
from evomask.data.schema import Attribute, Role
from evomask.data.table import Table
from evomask.record.associations import Associations, associations
from evomask.record.groups import lost_categories
from evomask.record.record import AttributeNote
from evomask.record.spreads import MINIMUM, Spread, spread


@dataclass(frozen=True)
class Comparison:
    """What became of each attribute, how it was and is spread, and how all hang together."""

    attributes: tuple[AttributeNote, ...]
    spreads: tuple[Spread, ...]
    associations: Associations | None


def compared(original: Table, masked: Table, minimum: int = MINIMUM) -> Comparison:
    """Both files side by side; *masked* has the records of *original* in the same order."""
    notes = attribute_notes(original, masked)
    changed = [note.name for note in notes if note.changed > 0]
    weights = original.schema.with_role(Role.WEIGHT)
    related = [note.name for note in notes if note.released and note.name not in weights]
    shown = (spread(original, masked, name, minimum) for name in changed)
    return Comparison(
        notes,
        tuple(figure for figure in shown if figure is not None),
        associations(original, masked, related) if changed else None,
    )


def attribute_notes(original: Table, masked: Table) -> tuple[AttributeNote, ...]:
    """A note on every attribute."""
    kept = np.flatnonzero(~masked.suppressed)
    before, after = original.take(kept), masked.take(kept)
    return tuple(_note(attribute, original, before, after) for attribute in original.schema)


def _note(attribute: Attribute, original: Table, before: Table, after: Table) -> AttributeNote:
    described = attribute.name, attribute.label, str(attribute.kind), str(attribute.role)
    if not attribute.role.is_released:
        return AttributeNote(*described, released=False)
    name = attribute.name
    silent, vague = _silent(before, after, name), _vague(after, name)
    changed = silent | vague | _different(before, after, name)
    lost, rare = lost_categories(original, after, name, MINIMUM)
    return AttributeNote(
        *described,
        released=True,
        changed=_percent(changed),
        generalized=_percent(vague & ~silent),
        suppressed=int(silent.sum()),
        shift=_shift(before, after, name),
        lost=lost,
        lost_rare=rare,
    )


def changed_again(before: Table, after: Table, names: Iterable[str]) -> dict[str, float]:
    """The percentage of each attribute's cells that two masked versions do not write alike."""
    return {name: _percent(_unlike(before, after, name)) for name in names}


def _unlike(before: Table, after: Table, name: str) -> Flags:
    if not (before.is_recoded(name) or after.is_recoded(name)):
        return _different(before, after, name)
    unlike: Flags = _written(before, name) != _written(after, name)
    return unlike


def _written(table: Table, name: str) -> NDArray[np.str_]:
    if not (table.is_recoded(name) or table.attribute(name).is_categorical):
        return table.values(name).astype(np.str_)
    written: NDArray[np.str_] = np.array(table.labels(name), dtype=np.str_)[table[name]]
    return written


def _percent(flags: Flags) -> float:
    return round(100.0 * float(flags.mean()), 2) if len(flags) else 0.0


def _silent(before: Table, after: Table, name: str) -> Flags:
    """Cells that were known and now may be anything, or are missing."""
    known = ~_missing(before, name)
    if not after.is_recoded(name):
        return known & _missing(after, name)
    return known & says_nothing(after.recoding(name))[after[name]]


def _missing(table: Table, name: str) -> Flags:
    attribute = table.attribute(name)
    if not attribute.is_categorical:
        return np.isnan(table.values(name))
    return table.codes(name) >= attribute.domain_size


def _vague(after: Table, name: str) -> Flags:
    """Cells that stand for more than one value."""
    if not after.is_recoded(name):
        return np.zeros(len(after), dtype=bool)
    return after.recoding(name).wide[after[name]]


def _different(before: Table, after: Table, name: str) -> Flags:
    """Cells that stand for one value, and another one than before."""
    value = before[name]
    masked = after.recoding(name).low[after[name]] if after.is_recoded(name) else after[name]
    both_missing = (value != value) & (masked != masked)  # noqa: PLR0124
    different: Flags = (value != masked) & ~both_missing
    return different


def _shift(before: Table, after: Table, name: str) -> float | None:
    if before.attribute(name).is_categorical or after.is_recoded(name):
        return None
    values, masked = before.values(name), after.values(name)
    known = ~(np.isnan(values) | np.isnan(masked))
    deviation = float(values[known].std()) if known.any() else 0.0
    if deviation == 0.0:
        return None
    return round(100.0 * float(np.abs(values - masked)[known].mean()) / deviation, 2)
