"""Audit a masked file: privacy models, record risk, and held-out attacks."""

from dataclasses import dataclass, replace
from pathlib import Path

from evomask.data.schema import Role, Schema
from evomask.data.table import Table
from evomask.io.dialects import Dialect
from evomask.io.masked_tables import masked_version
from evomask.io.tables import read_source
from evomask.measures.attacks.audit import Audit, audit
from evomask.measures.disclosure.record_risk import MINIMUM
from evomask.runs.inputs import Input, Loaded, load, load_released

AuditOutcome = Audit


@dataclass(frozen=True)
class AuditJob:
    """Job of `audit_files`.

    Args:
        masked: masked file; its column roles hold for the original too.
        original: original file; without it nothing is attacked.
        minimum: fewest records in a cell of the histogram of record risk.
    """

    masked: Input
    original: Path | None = None
    minimum: int = MINIMUM


def audit_files(job: AuditJob) -> AuditOutcome:
    """Load the files and audit the masked one."""
    if job.original is None:
        loaded = load_released(job.masked)
        return _with_notes(audit(loaded.table, minimum=job.minimum), loaded, loaded.table.schema)
    loaded = load(replace(job.masked, path=job.original))
    masked = _masked(job.masked.path, loaded)
    return _with_notes(audit(masked, loaded.table, minimum=job.minimum), loaded, masked.schema)


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


def _masked(path: Path, loaded: Loaded) -> Table:
    missing = loaded.dialect.missing if loaded.dialect else ()
    source = read_source(path, Dialect(missing=missing))
    return masked_version(loaded.table, source, loaded.trees)


def _identifiers(schema: Schema) -> tuple[str, ...]:
    names = schema.with_role(Role.IDENTIFIER)
    notes = [f"identifiers are in the file: {', '.join(names)}; remove them"] if names else []
    for name in schema.with_role(Role.HOUSEHOLD):
        notes.append(f"{name} is in the file and identifies members of a household; remove it")
    return tuple(notes)
