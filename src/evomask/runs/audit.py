"""Audit a masked file: privacy models, record risk, and held-out attacks."""

from dataclasses import replace
from pathlib import Path

from evomask.data.schema import UNITS, Role, Schema
from evomask.data.table import Table
from evomask.measures.attacks.audit import Audit, audit
from evomask.measures.attacks.several_releases import intersect_releases
from evomask.measures.disclosure.record_risk import MINIMUM
from evomask.runs.inputs import (
    Input,
    Loaded,
    load,
    load_control,
    load_released,
    load_version,
)

AuditOutcome = Audit


def audit_files(
    masked: Input,
    original: Path | None = None,
    minimum: int = MINIMUM,
    control: Path | None = None,
    others: tuple[Path, ...] = (),
) -> AuditOutcome:
    """Load and audit a masked file; attacks require its original.

    Args:
        masked: masked file; its column roles also apply to the original.
        minimum: fewest records in a cell of the histogram of record risk.
        control: original records of people who are not in the masked file.
        others: further masked versions of the original, attacked together with the masked file.
    """
    if original is None:
        loaded = load_released(masked)
        return _with_notes(audit(loaded.table, minimum=minimum), loaded, loaded.table.schema)
    loaded = load(replace(masked, path=original))
    table = load_version(masked.path, loaded)
    others_of, note = load_control(control, loaded) if control else (None, ())
    found = audit(table, loaded.table, others_of, minimum=minimum)
    if others:
        releases = [table, *(load_version(path, loaded) for path in others)]
        found = replace(found, attacks=(*found.attacks, intersect_releases(releases)))
    return _with_notes(replace(found, notes=(*found.notes, *note)), loaded, table.schema)


def audit_table(masked: Table, original: Table | None, minimum: int) -> AuditOutcome:
    """Audit a masked table, with attacks if the original is given."""
    found = audit(masked, original, minimum=minimum)
    return replace(
        found, notes=(*_identifiers(masked.schema), *_note_on_special_uniques(found), *found.notes)
    )


def _with_notes(found: Audit, loaded: Loaded, masked: Schema) -> AuditOutcome:
    """Add notes on the files to an audit."""
    gone = [n for n in loaded.table.schema.with_role(Role.CONFIDENTIAL) if n not in masked]
    absent = (f"not in the file: {', '.join(gone)}",) if gone else ()
    notes = (
        *loaded.notes,
        *absent,
        *_identifiers(masked),
        *_note_on_special_uniques(found),
        *found.notes,
    )
    return replace(found, notes=notes)


def _note_on_special_uniques(found: Audit) -> tuple[str, ...]:
    """Note on special uniques, where not all sets of attributes were searched."""
    largest, count = found.special.largest if found.special else 0, len(found.quasi_identifiers)
    if not 0 < largest < count:
        return ()
    return (f"special uniques are searched on up to {largest} of {count} attributes at once",)


def _identifiers(schema: Schema) -> tuple[str, ...]:
    names = schema.with_role(Role.IDENTIFIER)
    notes = [f"identifiers are in the file: {', '.join(names)}; remove them"] if names else []
    for role in UNITS:
        notes += [
            f"{name} is in the file and identifies members of a {role}; remove it"
            if role is Role.HOUSEHOLD
            else f"{name} is in the file and identifies the records of a person; remove it"
            for name in schema.with_role(role)
        ]
    return tuple(notes)
