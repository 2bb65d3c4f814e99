"""The smallest job: one file, one masking method, one masked file."""

import secrets
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from evomask.arrays import Labels
from evomask.data.distance import Standardizer, with_medians
from evomask.data.partition import group_sizes, total_sum_of_squares, within_sum_of_squares
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.io.matrices import matrix_files, read_matrices
from evomask.io.tables import NOTHING_ASKED, Asked, check_table_target, write_table
from evomask.masking.catalogue import MethodEntry, method_named
from evomask.masking.composition import within_strata
from evomask.masking.guarantees.fulfilment import Guarantees
from evomask.masking.guarantees.repair import Repair
from evomask.masking.guarantees.requirement import repair_within
from evomask.masking.method import Grouping, MaskingMethod, Microaggregation
from evomask.runs.inputs import Input, Loaded, check_stated, files_of, load
from evomask.runs.notes import note_on_seed


@dataclass(frozen=True)
class MaskJob:
    """What to mask, how, and where to write it.

    Args:
        attributes: what to mask; by default the quasi-identifiers that the method can mask.
        options: the method's parameters as text, by name.
        matrices: folder of transition matrices, for methods that take them.
        seed: drawn from the system when absent, and told to nobody.
    """

    source: Input
    method: str
    out: Path
    options: Mapping[str, str] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()
    matrices: Path | None = None
    seed: int | None = None
    force: bool = False


@dataclass(frozen=True)
class Aggregation:
    """How well groups of records represent them: sums of squares on standardised numbers."""

    sse: float
    il: float
    groups: int


@dataclass(frozen=True)
class MaskOutcome:
    """What came of a mask job.

    Args:
        suppressed_cells: by attribute how many cells of written records say nothing.
    """

    method: str
    out: Path
    records: int
    suppressed: int
    seconds: float
    attributes: tuple[str, ...]
    aggregation: Aggregation | None
    notes: tuple[str, ...]
    suppressed_cells: Mapping[str, int] = field(default_factory=dict)


def mask_file(job: MaskJob) -> MaskOutcome:
    """Mask a file with one method; whatever is wrong is said before anything is written."""
    entry = method_named(job.method)
    check_table_target(job.out, force=job.force, inputs=_inputs(job))
    loaded = load(job.source)
    check_stated(loaded.table, (*loaded.stated, *job.attributes))
    names = job.attributes or _suitable(entry, loaded.table)
    files = _files(entry, job, loaded, names)
    alone = entry.build(names, job.options, files)
    method = _stratified(alone, loaded.table)
    guarantees = Guarantees.of(loaded.table)
    seed = secrets.randbits(63) if job.seed is None else job.seed
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        masked, labels = _masked(method, loaded.table, seed)
        released = guarantees(masked)
    seconds = time.perf_counter() - started
    written = write_table(
        released, job.out, force=job.force, dialect=loaded.dialect, origin=loaded.origin,
        asked=_asked(alone),
    )  # fmt: skip
    return MaskOutcome(
        entry.name,
        job.out,
        written.records,
        written.suppressed,
        seconds,
        names,
        _aggregation(method, loaded.table, labels, seed),
        (
            *loaded.notes,
            *note_on_seed(seed),
            *_left_alone(names, loaded.table),
            *(str(w.message) for w in caught),
            *guarantees.notes,
            *guarantees.notes_on(masked, released),
        ),
        released.suppressed_cells(),
    )


def method_of(name: str, attributes: Sequence[str], options: Mapping[str, str]) -> MaskingMethod:
    """A method of the catalogue by its name, with parameters as text, for records at hand."""
    return method_named(name).build(attributes, options)


def mask_table(method: MaskingMethod, table: Table, seed: int) -> Table:
    """A table at hand masked as the command does: within strata, and edit rules obeyed."""
    guarantees = Guarantees.of(table)
    return guarantees(_stratified(method, table).mask(table, np.random.default_rng(seed)))


def _stratified(method: MaskingMethod, table: Table) -> MaskingMethod:
    """The method within strata, where there are some."""
    if isinstance(method, Repair):
        return repair_within(method, table)
    return within_strata(method, table)


def _asked(method: MaskingMethod) -> Asked:
    """What a repair promises of confidential attributes; look-alikes are counted in any case."""
    if not isinstance(method, Repair) or method.confidential:
        return NOTHING_ASKED
    return Asked(l=method.l, t=method.t)


def _inputs(job: MaskJob) -> tuple[Path, ...]:
    """All files that the job reads."""
    return (*files_of(job.source), *(matrix_files(job.matrices) if job.matrices else ()))


def _files(
    entry: MethodEntry, job: MaskJob, loaded: Loaded, names: tuple[str, ...]
) -> dict[str, Mapping[str, Any]]:
    """What the method takes from files: value trees named in the schema, given matrices."""
    found: dict[str, Mapping[str, Any]] = {}
    if "hierarchies" in entry.from_files:
        found["hierarchies"] = loaded.trees
    if "matrices" in entry.from_files:
        if job.matrices is None:
            raise ParameterError(
                f"{entry.name} needs --matrices, a folder with a file NAME.csv for each attribute"
            )
        found["matrices"] = read_matrices(job.matrices, loaded.table, names)
    return found


def _suitable(entry: MethodEntry, table: Table) -> tuple[str, ...]:
    """The quasi-identifiers of a kind that the method can mask."""
    known = table.schema.quasi_identifiers
    names = tuple(name for name in known if table.attribute(name).kind in entry.kinds)
    if not names:
        kinds = " or ".join(sorted(entry.kinds))
        raise SchemaError(
            f"{entry.name} masks {kinds} attributes, and no quasi-identifier is one; "
            "name one with --attributes or choose another method"
        )
    return names


def _left_alone(names: tuple[str, ...], table: Table) -> tuple[str, ...]:
    """What a user should know: what was left alone, and what was masked apart."""
    others = [name for name in table.schema.quasi_identifiers if name not in names]
    strata = table.schema.with_role(Role.STRATUM)
    left = (f"quasi-identifiers left as they are: {', '.join(others)}",) if others else ()
    apart = (f"every stratum of {', '.join(strata)} is masked on its own",) if strata else ()
    return (*left, *apart)


def _masked(method: MaskingMethod, table: Table, seed: int) -> tuple[Table, Labels | None]:
    """The masked table, and the groups where the method tells them on the way."""
    rng = np.random.default_rng(seed)
    if not isinstance(method, Grouping):
        return method.mask(table, rng), None
    labels = method.partition(table, rng)
    return method.released(table, labels), labels


def _aggregation(
    method: MaskingMethod, table: Table, labels: Labels | None, seed: int
) -> Aggregation | None:
    """Groups and sums of squares, where the method makes groups of records by numbers alone."""
    if not isinstance(method, Microaggregation):
        return None
    if any(table.attribute(name).kind is not Kind.CONTINUOUS for name in method.attributes):
        return None
    if labels is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            labels = method.partition(table, np.random.default_rng(seed))
    points = with_medians(table.matrix(method.attributes))
    points = Standardizer.of(points)(points)
    sse, sst = within_sum_of_squares(points, labels), total_sum_of_squares(points)
    return Aggregation(sse, 100.0 * sse / sst if sst > 0 else 0.0, len(group_sizes(labels)))
