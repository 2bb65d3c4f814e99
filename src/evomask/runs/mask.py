"""Mask one file with one masking method."""

import secrets
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from evomask.data.distance import Standardizer, impute_medians
from evomask.data.partition import group_sizes, total_sum_of_squares, within_sum_of_squares
from evomask.data.schema import Attribute, Kind, Role
from evomask.data.table import Table
from evomask.data.units import unit_levels
from evomask.errors import ParameterError, SchemaError
from evomask.io.matrices import matrix_files, read_matrices
from evomask.io.tables import (
    NO_REQUIREMENTS,
    PrivacyRequirements,
    check_table_target,
    release_spec,
    write_table,
)
from evomask.masking.catalogue import MethodEntry, method_named
from evomask.masking.composition import within_strata
from evomask.masking.enforce.enforcement import Enforcement
from evomask.masking.enforce.repair import Repair
from evomask.masking.enforce.requirement import NOTHING, repair_within
from evomask.masking.method import AggregatingMethod, MaskingMethod, Microaggregation
from evomask.masking.synthesis import SYNTHESES
from evomask.masking.units import within_units
from evomask.runs.inputs import Input, Loaded, check_stated, files_of, load, note_on_seed
from evomask.runs.release import replace_numbers, requirements_by_scenario
from evomask.types import Labels

Method = MaskingMethod


@dataclass(frozen=True)
class MaskJob:
    """Job of `mask_file`.

    Args:
        attributes: attributes to mask; by default the quasi-identifiers that the method can mask.
        options: parameters of the method as text, by name.
        matrices: folder of transition matrices, for methods that take them.
        seed: drawn from the system when absent, and not shown.
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
    """Homogeneity of groups of records: sums of squares on standardised numbers."""

    sse: float
    il: float
    groups: int


@dataclass(frozen=True)
class MaskOutcome:
    """Result of `mask_file`.

    Args:
        suppressed_cells: number of suppressed cells in written records, by attribute.
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
    """Mask a file with one method; errors are reported before anything is written."""
    entry = method_named(job.method)
    check_table_target(
        job.out,
        force=job.force,
        inputs=(*files_of(job.source), *(matrix_files(job.matrices) if job.matrices else ())),
    )
    loaded = load(job.source)
    check_stated(loaded.table, (*loaded.stated, *job.attributes))
    names = job.attributes or _suitable(entry, loaded.table)
    files = _files(entry, job, loaded, names)
    alone = entry.build(names, job.options, files)
    method = _within_strata(alone, loaded.table)
    guarantees = Enforcement.of(loaded.table)
    seed = secrets.randbits(63) if job.seed is None else job.seed
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        masked, labels = _mask(method, loaded.table, seed)
        released = guarantees(masked)
    seconds = time.perf_counter() - started
    by_scenario = requirements_by_scenario(released, NOTHING)
    written = write_table(
        replace_numbers(released, loaded),
        job.out,
        force=job.force,
        dialect=loaded.dialect,
        origin=loaded.origin,
        spec=release_spec(released, _promised(alone), by_scenario, unit_levels(loaded.table)),
    )
    return MaskOutcome(
        method=entry.name,
        out=job.out,
        records=written.records,
        suppressed=written.suppressed,
        seconds=seconds,
        attributes=names,
        aggregation=_aggregation(method, loaded.table, labels, seed),
        notes=(
            *loaded.notes,
            *written.notes,
            *note_on_seed(seed),
            *_notes(names, loaded.table),
            *(str(w.message) for w in caught),
            *guarantees.notes,
            *guarantees.notes_on(masked, released),
        ),
        suppressed_cells=released.suppressed_cells(),
    )


def mask_copies(job: MaskJob, copies: int) -> tuple[MaskOutcome, ...]:
    """Draw several synthetic copies of a file, each with its own seed, as ``OUT-1``, ``OUT-2``, …

    Only syntheses have copies: other methods would release the same people again and again.
    """
    if job.method not in SYNTHESES:
        raise ParameterError(
            f"--copies works with methods of synthesis ({', '.join(SYNTHESES)}), and {job.method} "
            "is none; leave it out"
        )
    if str(job.out) == "-":
        raise ParameterError("copies are several files; name a file with --out, not -")
    seed = secrets.randbits(63) if job.seed is None else job.seed
    jobs = [
        replace(
            job,
            out=job.out.with_name(f"{job.out.stem}-{copy}{job.out.suffix}"),
            seed=int(np.random.default_rng([seed, copy]).integers(2**63)),
        )
        for copy in range(1, copies + 1)
    ]
    for one in jobs:
        check_table_target(one.out, force=job.force, inputs=files_of(job.source))
    return tuple(map(mask_file, jobs))


def method_of(name: str, attributes: Sequence[str], options: Mapping[str, str]) -> MaskingMethod:
    """Build a method of the catalogue from its name and parameters as text."""
    return method_named(name).build(attributes, options)


def mask_table(method: MaskingMethod, table: Table, seed: int) -> Table:
    """Mask a table in memory within strata, and enforce its edit rules."""
    guarantees = Enforcement.of(table)
    return guarantees(_within_strata(method, table).mask(table, np.random.default_rng(seed)))


def _within_strata(method: MaskingMethod, table: Table) -> MaskingMethod:
    if isinstance(method, Repair):
        return repair_within(method, table)
    return within_strata(within_units(method, table), table)


def _promised(method: MaskingMethod) -> PrivacyRequirements:
    """Return the properties of confidential attributes to verify; classes are always verified."""
    if not isinstance(method, Repair) or method.confidential:
        return NO_REQUIREMENTS
    return PrivacyRequirements(l=method.l, t=method.t)


def _files(
    entry: MethodEntry, job: MaskJob, loaded: Loaded, names: tuple[str, ...]
) -> dict[str, Mapping[str, Any]]:
    """Parameters that the method takes from files: hierarchies of the schema, matrices."""
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
    """Quasi-identifiers of a kind that the method can mask."""
    known = table.schema.quasi_identifiers
    names = tuple(n for n in known if _can_mask(entry, table.attribute(n)))
    if not names:
        kinds = " or ".join(sorted(entry.kinds))
        raise SchemaError(
            f"{entry.name} masks {kinds} attributes, and no quasi-identifier is one; "
            "name one with --attributes or choose another method"
        )
    return names


def _can_mask(entry: MethodEntry, attribute: Attribute) -> bool:
    return attribute.kind in entry.kinds or (attribute.is_date and Kind.DATE in entry.kinds)


def _notes(names: tuple[str, ...], table: Table) -> tuple[str, ...]:
    """Notes on quasi-identifiers that are not masked, and on strata."""
    others = [name for name in table.schema.quasi_identifiers if name not in names]
    strata = table.schema.with_role(Role.STRATUM)
    left = (f"quasi-identifiers left unmasked: {', '.join(others)}",) if others else ()
    apart = (f"every stratum of {', '.join(strata)} is masked separately",) if strata else ()
    return (*left, *apart)


def _mask(method: MaskingMethod, table: Table, seed: int) -> tuple[Table, Labels | None]:
    """Masked table, and the groups if the method returns them."""
    rng = np.random.default_rng(seed)
    if not isinstance(method, AggregatingMethod):
        return method.mask(table, rng), None
    labels = method.partition(table, rng)
    return method.released(table, labels), labels


def _aggregation(
    method: MaskingMethod, table: Table, labels: Labels | None, seed: int
) -> Aggregation | None:
    """Groups and sums of squares of a microaggregation of numeric attributes."""
    if not isinstance(method, Microaggregation):
        return None
    if any(table.attribute(name).kind is not Kind.CONTINUOUS for name in method.attributes):
        return None
    if labels is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            labels = method.partition(table, np.random.default_rng(seed))
    points = impute_medians(table.matrix(method.attributes))
    points = Standardizer.of(points)(points)
    sse, sst = within_sum_of_squares(points, labels), total_sum_of_squares(points)
    return Aggregation(sse, 100.0 * sse / sst if sst > 0 else 0.0, len(group_sizes(labels)))
