"""Auditing a masked file in parts: models by counts of all records, attacks on sampled people.

Who has the original in the same order attacks 2,000 people with the records of all parts, as
`measure` does; attacks that no search has seen are tried on a sample of both files. A record that
is nearest among all is nearest among some, so matching looks easier there, never harder.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from evomask.data.frames import table_from
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.errors import FileError
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import Local
from evomask.io.parts import class_sizes, columns_in, parquet_files
from evomask.io.tables import Source
from evomask.measures.attacks.attack import Success
from evomask.measures.attacks.audit import SPECIAL, Audit, Diversity, Finding, Unhurried, audit
from evomask.measures.measure import About, Side
from evomask.measures.risk.privacy_models import farthest, fewest_values, least_varied
from evomask.measures.risk.records import EDGES, MINIMUM, RecordRisk, histogram
from evomask.runs.inputs import Input, declarations_of, released_of, with_quasi_identifiers
from evomask.runs.parts.closing import DONE, Confidential, spreads_in
from evomask.runs.parts.comparing import Comparison
from evomask.runs.parts.measuring import MeasurePartsJob, compared_parts
from evomask.runs.parts.opening import parts_of
from evomask.runs.parts.steps import MASKED, Told
from evomask.runs.parts.verifying import done_in

AGAINST_ALL = {
    "linked": "people whose released record is found among those of all parts",
    "read": "people of whom an attribute is read from the records of all parts",
    "confidential": "people whose confidential value is read from the records of all parts",
}
"""What is achieved with the records of all parts, by kind."""

NO_SPECIAL = "special uniques are not looked for in a file in parts"


@dataclass(frozen=True)
class AuditPartsJob:
    """Which parts to audit.

    Args:
        masked: a folder of masked parts, or of a job; what is said of its columns holds for the
            original too.
        original: without it, nothing is attacked.
        minimum: fewest records in a cell of the histogram of record risk.
    """

    masked: Input
    original: Path | None = None
    minimum: int = MINIMUM


class OnlyAttacks(Unhurried):
    """Leaves out what a sample cannot tell: who is unique in it is not unique in the file."""

    def allows(self, kind: str) -> bool:
        """Whether something of that kind may be begun."""
        return kind != SPECIAL


def audit_parts(
    job: AuditPartsJob, *, evaluators: Evaluators = Local(), told: Told = lambda *_: None
) -> Audit:
    """What a file in parts gives away; nothing is written but temporary files."""
    folder = job.masked.path
    if not folder.exists():
        raise FileError(f"there is no file {folder}; check the path")
    path = folder / MASKED if (folder / MASKED).is_dir() else folder
    schema, notes = _schema(job, path)
    names = tuple(name for name in schema.quasi_identifiers if name in columns_in(path))
    sizes, often = class_sizes(parquet_files(path), names)
    records, classes = int((sizes * often).sum()), int(often.sum())
    cells = histogram(100.0 / sizes, EDGES, job.minimum, sizes * often)
    risk = RecordRisk(cells, 100.0 * classes / records, job.minimum, None, float(classes))
    found = Audit(
        records, names, int(sizes.min()), int(often[sizes == 1].sum()),
        _diversities(path, names, schema), risk, notes=(*notes, NO_SPECIAL), skipped=(SPECIAL,),
    )  # fmt: skip
    if job.original is None:
        return found
    original = replace(job.masked, path=job.original)
    if (folder / DONE).is_file() and done_in(folder).shuffled:
        why = "the records were shuffled, so that nobody can put them beside their originals"
        return replace(found, notes=(*found.notes, f"{why}: nothing is attacked"))
    return _attacked(found, MeasurePartsJob(original, folder), evaluators, told)


def _schema(job: AuditPartsJob, path: Path) -> tuple[Schema, tuple[str, ...]]:
    """What the columns are: of the original where there is one, since masked ones may be texts."""
    declared, _ = declarations_of(job.masked)
    if job.original is None:
        loaded = released_of(Source(parts_of(path).read(0)), declared, ())
        table, notes = loaded.table, loaded.notes
    else:
        first = table_from(parts_of(job.original).read(0), declared)
        table, notes = with_quasi_identifiers(first)
    left = sorted(columns_in(path) & set(table.schema.with_role(Role.IDENTIFIER)))
    there = (f"identifiers are in the file: {', '.join(left)}; remove them",) if left else ()
    return table.schema, (*notes, *there)


def _diversities(path: Path, names: tuple[str, ...], schema: Schema) -> dict[str, Diversity]:
    there = columns_in(path)
    secret = [a for a in schema if a.role is Role.CONFIDENTIAL and a.name in there]
    return {own.name: _diversity(path, names, own) for own in secret}


def _diversity(path: Path, names: tuple[str, ...], own: Attribute) -> Diversity:
    order = own.categories if own.kind is Kind.ORDINAL else ()
    asked = Confidential(own.name, ordered=own.kind is not Kind.NOMINAL, order=order)
    spreads = [
        (fewest_values(h), least_varied(h), farthest(h, ordered=asked.ordered))
        for h in spreads_in(path, names, asked)
    ]
    fewest, varied, far = zip(*spreads, strict=True)
    return Diversity(min(fewest), min(varied), max(far))


def _attacked(found: Audit, job: MeasurePartsJob, evaluators: Evaluators, told: Told) -> Audit:
    _, compared = compared_parts(job, evaluators=evaluators, told=told)
    original, masked = compared.sample
    on_sample = audit(masked, original, in_order=compared.in_order, clock=OnlyAttacks())
    note = (
        f"{', '.join(AGAINST_ALL)}: {compared.judged.people:,} people against all records; the "
        f"other attacks on a sample of {len(original):,} records, where matching is easier"
    )
    attacks = (*_against_all(compared), *on_sample.attacks)
    return replace(found, attacks=attacks, notes=(*found.notes, note, *on_sample.notes))


def _against_all(compared: Comparison) -> Iterator[Finding]:
    """What the attackers of a search achieve with the records of all parts."""
    before = {name: part.percent for name, part in compared.original.parts.items()}
    for kind, part in compared.judged.parts.items():
        meaning = f"{AGAINST_ALL[kind]}, by one who {part.sentence}"
        about = About(kind, kind, Side.RISK, meaning)
        success = Success(part.percent, 100.0 / compared.records, {"standard_error": part.error})
        yield Finding(about, success, before.get(kind, 0.0))
