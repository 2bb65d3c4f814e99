"""Measure and audit a masked file larger than memory.

Privacy models are counted on all records. If the original has the same record order, 2,000 targets
are attacked with the records of all chunks; held-out attacks use a sample of both files. A record
that is nearest among all is nearest in a sample, so the sample can only overstate the risk.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from evomask.data.frames import table_from
from evomask.data.scenario import Scenario
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.errors import FileError, RunError
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import Local
from evomask.io.chunks import class_sizes, columns_in, parquet_files
from evomask.io.files import check_writable
from evomask.io.hierarchies import read_hierarchies
from evomask.io.paired_chunks import Aligned
from evomask.io.sources import Source
from evomask.measures.attacks.attack import AttackResult, result_of
from evomask.measures.attacks.audit import (
    SPECIAL,
    Audit,
    Diversity,
    NoTimeLimit,
    audit,
)
from evomask.measures.disclosure.privacy_models import farthest, fewest_values, least_varied
from evomask.measures.disclosure.record_risk import EDGES, MINIMUM, RecordRisk, histogram
from evomask.measures.measure import About, Side
from evomask.measures.targets import FIXED_SEED, SEARCH_TARGETS
from evomask.outofcore.compare import ChunkComparison, Comparison
from evomask.outofcore.prepare import (
    DONE,
    MASKED,
    WORK,
    PreparedFile,
    Progress,
    as_parquet,
    split_chunks,
)
from evomask.outofcore.release import ConfidentialPromise, class_histograms, read_done
from evomask.runs.inputs import Input, declarations_of, released_of, with_quasi_identifiers
from evomask.runs.measure import OTHER_ORDER, MeasureOutcome
from evomask.runs.store.run_summary import INTERNAL


@dataclass(frozen=True)
class MeasurePartsJob:
    """The original, and a folder or file of masked records.

    Args:
        people: largest number of targets.
        scenarios: what intruders know; by default every quasi-identifier.
    """

    original: Input
    masked: Path
    people: int = SEARCH_TARGETS
    scenarios: tuple[Scenario, ...] = ()


def measure_parts(
    job: MeasurePartsJob, *, evaluators: Evaluators = Local(), told: Progress = lambda *_: None
) -> MeasureOutcome:
    """Measure files larger than memory; temporary files lie beside the masked ones."""
    file, found = compare_chunks(job, evaluators=evaluators, told=told)
    order = () if found.in_order else (OTHER_ORDER,)
    return MeasureOutcome(
        profile="strict",
        attributes=found.names,
        records=found.records,
        loss=found.loss,
        risk=found.assessment.risk,
        measures=found.measures,
        notes=(*file.notes, *order),
        losses=found.losses,
        loss_parts=found.loss_parts,
        assessment=found.assessment,
        original=found.original,
        sampled={},
    )


def compare_chunks(
    job: MeasurePartsJob, *, evaluators: Evaluators, told: Progress
) -> tuple[PreparedFile, Comparison]:
    """Return the original and the comparison; temporary files are deleted."""
    with _temporary_folder(job.masked) as folder:
        file, masked = _prepare(job, folder)
        comparing = ChunkComparison(
            file, masked, evaluators, told, job.people, scenarios=job.scenarios
        )
        return file, comparing.compared()


@contextmanager
def _temporary_folder(masked: Path) -> Iterator[Path]:
    """A private folder that every worker with access to the masked files can write to."""
    if not masked.exists():
        raise FileError(f"there is no file {masked}; check the path")
    check_writable(masked.resolve().parent)
    with TemporaryDirectory(prefix=".evomask-", dir=masked.resolve().parent) as name:
        (Path(name) / WORK).mkdir()
        yield Path(name)


def _prepare(job: MeasurePartsJob, folder: Path) -> tuple[PreparedFile, Aligned]:
    declared, schema = declarations_of(job.original)
    parts = split_chunks(as_parquet(job.original, schema, folder / WORK / "original.parquet"))
    first, assumed = with_quasi_identifiers(table_from(parts.read(0), declared))
    trees = read_hierarchies(first.schema, None)
    masked = replace(job.original, path=masked_folder(job.masked))
    aligned = Aligned.to(parts, as_parquet(masked, schema, folder / WORK / "masked.parquet"))
    return PreparedFile(folder, parts, first, FIXED_SEED, trees, assumed), aligned


def masked_folder(path: Path) -> Path:
    """The masked files of a job folder; raises if they are shuffled."""
    if (path / DONE).is_file() and read_done(path).shuffled:
        raise RunError(
            f"the records in {path} were shuffled, so that nobody can put them beside their "
            f"originals; their loss and risk are in {path / INTERNAL}"
        )
    return path / MASKED if (path / MASKED).is_dir() else path


AGAINST_ALL = {
    "reidentification": "people whose released record is found among those of all parts",
    "attribute_disclosure": "people of whom an attribute is read from the records of all parts",
    "confidential": "people whose confidential value is read from the records of all parts",
}
"""Meaning of each component of the risk with the records of all chunks."""

NO_SPECIAL = "special uniques are not looked for in a file in parts"


@dataclass(frozen=True)
class AuditPartsJob:
    """The chunks to audit.

    Args:
        masked: folder of masked chunks, or of a job; its declarations hold for the original too.
        original: without it, no attacks are run.
        minimum: fewest records in a cell of the histogram of record risk.
    """

    masked: Input
    original: Path | None = None
    minimum: int = MINIMUM


class AttacksOnly(NoTimeLimit):
    """Skips special uniques: a sample unique need not be unique in the file."""

    def allows(self, kind: str) -> bool:
        return kind != SPECIAL


def audit_parts(
    job: AuditPartsJob, *, evaluators: Evaluators = Local(), told: Progress = lambda *_: None
) -> Audit:
    """Audit a chunked file; writes only temporary files."""
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
    if (folder / DONE).is_file() and read_done(folder).shuffled:
        why = "the records were shuffled, so that nobody can put them beside their originals"
        return replace(found, notes=(*found.notes, f"{why}: nothing is attacked"))
    return _with_attacks(found, MeasurePartsJob(original, folder), evaluators, told)


def _schema(job: AuditPartsJob, path: Path) -> tuple[Schema, tuple[str, ...]]:
    """Schema of the original if there is one, because masked columns may be texts."""
    declared, _ = declarations_of(job.masked)
    if job.original is None:
        loaded = released_of(Source(split_chunks(path).read(0)), declared, ())
        table, notes = loaded.table, loaded.notes
    else:
        first = table_from(split_chunks(job.original).read(0), declared)
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
    asked = ConfidentialPromise(own.name, ordered=own.kind is not Kind.NOMINAL, order=order)
    spreads = [
        (fewest_values(h), least_varied(h), farthest(h, ordered=asked.ordered))
        for h in class_histograms(path, names, asked)
    ]
    fewest, varied, far = zip(*spreads, strict=True)
    return Diversity(min(fewest), min(varied), max(far))


def _with_attacks(
    found: Audit, job: MeasurePartsJob, evaluators: Evaluators, told: Progress
) -> Audit:
    _, compared = compare_chunks(job, evaluators=evaluators, told=told)
    original, masked = compared.sample
    on_sample = audit(masked, original, in_order=compared.in_order, clock=AttacksOnly())
    note = (
        f"{', '.join(AGAINST_ALL)}: {compared.assessment.people:,} people against all records; the "
        f"other attacks on a sample of {len(original):,} records, where matching is easier"
    )
    attacks = (*_attacks_on_all(compared), *on_sample.attacks)
    return replace(found, attacks=attacks, notes=(*found.notes, note, *on_sample.notes))


def _attacks_on_all(compared: Comparison) -> Iterator[AttackResult]:
    """AttackResult of the strict attackers with the records of all chunks."""
    before = {name: part.percent for name, part in compared.original.parts.items()}
    for kind, part in compared.assessment.parts.items():
        meaning = f"{AGAINST_ALL[kind]}, by one who {part.sentence}"
        found = result_of(
            About(kind, kind, Side.RISK, meaning),
            success=part.percent,
            targets=compared.assessment.people,
            control=100.0 / compared.records,
            details={"standard_error": part.error},
        )
        yield replace(found, unmasked=before.get(kind, 0.0))
