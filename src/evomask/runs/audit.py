"""Audit a masked file: what it gives away, also to intruders that no search has seen."""

from dataclasses import dataclass, replace
from pathlib import Path

from evomask.data.schema import Role, Schema
from evomask.data.table import Table
from evomask.io.dialects import Dialect
from evomask.io.masked import masked_version
from evomask.io.tables import read_source
from evomask.measures.attacks.audit import Audit, audit
from evomask.measures.risk.records import MINIMUM
from evomask.runs.inputs import Input, Loaded, load, load_released

AuditOutcome = Audit


@dataclass(frozen=True)
class AuditJob:
    """Which file to audit.

    Args:
        masked: the masked file; what is said of its columns holds for the original too.
        original: without it, nothing is attacked.
        minimum: fewest records in a cell of the histogram of record risk.
    """

    masked: Input
    original: Path | None = None
    minimum: int = MINIMUM


def audit_files(job: AuditJob) -> AuditOutcome:
    """Read the files and audit the masked one."""
    if job.original is None:
        loaded = load_released(job.masked)
        return _noted(audit(loaded.table, minimum=job.minimum), loaded, loaded.table.schema)
    loaded = load(replace(job.masked, path=job.original))
    masked = _masked(job.masked.path, loaded)
    return _noted(audit(masked, loaded.table, minimum=job.minimum), loaded, masked.schema)


def audit_table(masked: Table, original: Table | None, minimum: int) -> AuditOutcome:
    """Audit a masked table, attacked where the original is known."""
    found = audit(masked, original, minimum=minimum)
    return replace(found, notes=(*_identifiers(masked.schema), *_partly(found), *found.notes))


def _noted(found: Audit, loaded: Loaded, masked: Schema) -> AuditOutcome:
    """The audit with what is to be known of the files besides."""
    gone = [n for n in loaded.table.schema.with_role(Role.CONFIDENTIAL) if n not in masked]
    absent = (f"not in the file: {', '.join(gone)}",) if gone else ()
    notes = (*loaded.notes, *absent, *_identifiers(masked), *_partly(found), *found.notes)
    return replace(found, notes=notes)


def _partly(found: Audit) -> tuple[str, ...]:
    """Which special uniques were not looked for, where there are too many sets."""
    largest, count = found.special.largest if found.special else 0, len(found.quasi_identifiers)
    if not 0 < largest < count:
        return ()
    return (f"special uniques are looked for on up to {largest} of {count} attributes at once",)


def _masked(path: Path, loaded: Loaded) -> Table:
    missing = loaded.dialect.missing if loaded.dialect else ()
    source = read_source(path, Dialect(missing=missing))
    return masked_version(loaded.table, source, loaded.trees)


def _identifiers(schema: Schema) -> tuple[str, ...]:
    names = schema.with_role(Role.IDENTIFIER)
    notes = [f"identifiers are in the file: {', '.join(names)}; remove them"] if names else []
    for name in schema.with_role(Role.HOUSEHOLD):
        notes.append(f"{name} is in the file and tells who lives together; remove it")
    return tuple(notes)
