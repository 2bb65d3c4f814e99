"""The job of measuring a masked file that does not fit in memory against its original."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from evomask.data.frames import table_from
from evomask.errors import FileError, RunError
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import Local
from evomask.io.aligned import Aligned
from evomask.io.files import check_writable
from evomask.io.hierarchies import read_trees
from evomask.measures.people import FIXED, SEARCHING
from evomask.runs.inputs import Input, declarations_of, with_quasi_identifiers
from evomask.runs.kept.names import INTERNAL
from evomask.runs.measure import OTHER_ORDER, MeasureOutcome
from evomask.runs.parts.closing import DONE
from evomask.runs.parts.comparing import Comparer, Comparison
from evomask.runs.parts.opening import Opened, as_parquet, parts_of
from evomask.runs.parts.steps import MASKED, WORK, Told
from evomask.runs.parts.verifying import done_in


@dataclass(frozen=True)
class MeasurePartsJob:
    """Which files in parts to compare: the original, and a folder or file of masked records.

    Args:
        people: how many are attacked at most.
    """

    original: Input
    masked: Path
    people: int = SEARCHING


def measure_parts(
    job: MeasurePartsJob, *, evaluators: Evaluators = Local(), told: Told = lambda *_: None
) -> MeasureOutcome:
    """Compare files that do not fit in memory; temporary files lie beside the masked ones."""
    file, found = compared_parts(job, evaluators=evaluators, told=told)
    order = () if found.in_order else (OTHER_ORDER,)
    return MeasureOutcome(
        "strict", found.names, found.records, found.loss, found.judged.risk, found.measures,
        (*file.notes, *order), found.losses, found.judged, found.original, {},
    )  # fmt: skip


def compared_parts(
    job: MeasurePartsJob, *, evaluators: Evaluators, told: Told
) -> tuple[Opened, Comparison]:
    """The original, and all that is measured of the masked file; temporary files are gone."""
    with _beside(job.masked) as folder:
        file, masked = _opened(job, folder)
        return file, Comparer(file, masked, evaluators, told, job.people).compared()


@contextmanager
def _beside(masked: Path) -> Iterator[Path]:
    """A folder for the owner alone, where every worker that reads the masked files can write."""
    if not masked.exists():
        raise FileError(f"there is no file {masked}; check the path")
    check_writable(masked.resolve().parent)
    with TemporaryDirectory(prefix=".evomask-", dir=masked.resolve().parent) as name:
        (Path(name) / WORK).mkdir()
        yield Path(name)


def _opened(job: MeasurePartsJob, folder: Path) -> tuple[Opened, Aligned]:
    declared, schema = declarations_of(job.original)
    parts = parts_of(as_parquet(job.original, schema, folder / WORK / "original.parquet"))
    first, assumed = with_quasi_identifiers(table_from(parts.read(0), declared))
    trees = read_trees(first.schema, None)
    masked = replace(job.original, path=masked_parts(job.masked))
    aligned = Aligned.to(parts, as_parquet(masked, schema, folder / WORK / "masked.parquet"))
    return Opened(folder, parts, first, FIXED, trees, assumed), aligned


def masked_parts(path: Path) -> Path:
    """The masked files themselves, where the folder of a job is given; no shuffled ones."""
    if (path / DONE).is_file() and done_in(path).shuffled:
        raise RunError(
            f"the records in {path} were shuffled, so that nobody can put them beside their "
            f"originals; their loss and risk are in {path / INTERNAL}"
        )
    return path / MASKED if (path / MASKED).is_dir() else path
