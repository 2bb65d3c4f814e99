"""Release of a chosen point: masked file in random order, record, reports; and reports again."""

import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from evomask.data.pseudonyms import with_pseudonyms
from evomask.data.table import Table
from evomask.data.units import new_numbers, unit_levels
from evomask.engine.front import UNBOUNDED, Bounds, FrontPoint
from evomask.errors import RunError
from evomask.io.files import OWNER_ONLY, replace_file
from evomask.io.readback import ReleaseSpec
from evomask.io.schemas import RecipeFile
from evomask.io.tables import (
    ByScenario,
    PrivacyRequirements,
    WrittenFile,
    read_frame,
    release_spec,
    released_name,
    with_escaped_order,
    write_table,
)
from evomask.masking.enforce.requirement import Requirement, required_in
from evomask.report.build import build_record
from evomask.report.offers import offer_notes
from evomask.report.pages import internal_page, public_page
from evomask.report.protection import Choice, Protection
from evomask.report.public_record import MatrixPolicy, build_public_record, parse_matrix_policy
from evomask.report.record import (
    RECORD,
    CheckNote,
    FileNote,
    LimitNote,
    ReleaseRecord,
    ScenarioCheckNote,
    Statement,
    carry_over_statement,
    decode_record,
    encode_record,
    with_statement,
)
from evomask.report.scenarios import required_models
from evomask.runs.inputs import Input, Loaded, load_released
from evomask.runs.population_limits import check_limits
from evomask.runs.recipes import RECIPE, recipe_file, recipe_text
from evomask.runs.store.earlier_releases import EarlierReleases
from evomask.runs.store.release import (
    ORDER,
    PROMISE,
    PointId,
    PromiseFile,
    StagingFolder,
    changed_files,
    draw_order,
    file_hash,
    released_files,
    stage_release,
    write_manifest,
)
from evomask.runs.store.run_folder import Plan, RunFolder, encode_plan
from evomask.runs.store.run_summary import INTERNAL, MASKED, PLAN, PUBLIC, PUBLIC_RECORD

IN_MEMORY = "data frame"


class Reports(NamedTuple):
    """Paths of the reports and of the records behind them."""

    internal: Path
    public: Path
    record: Path
    public_record: Path

    @property
    def pages(self) -> list[str]:
        """Paths of the two report pages, internal one first."""
        return [str(self.internal), str(self.public)]


@dataclass(frozen=True, eq=False)
class Release:
    """A released point and everything that was written for it.

    Args:
        protection: front, and results of its evaluation.
        choice: released point, and the reason.
        written: masked file.
        folder: run folder.
        phases: total seconds of each phase of the run.
        recipe: file of its recipe; None for a masking that belongs to its records.
    """

    protection: Protection
    choice: Choice
    written: WrittenFile
    record: ReleaseRecord
    reports: Reports
    folder: Path
    phases: Mapping[str, float] = field(default_factory=dict)
    recipe: Path | None = None

    @property
    def chosen(self) -> FrontPoint:
        """Point that was released."""
        return self.choice.candidate


def release(
    protection: Protection,
    choice: Choice,
    loaded: Loaded,
    plan: Plan,
    folder: Path,
    *,
    did: str,
    earlier: EarlierReleases,
    parts: Mapping[str, bytes],
    key: Path | None,
) -> Release:
    """Write the masked file, its record and both reports into a run folder, as one transaction.

    The masked file is read back and verified before anything is replaced. Statements of a person
    on the same point are kept; of another point, those that do not depend on the choice.

    Args:
        did: action in the log: released, or chose.
        earlier: other releases of the same original.
        parts: contents of further files of the run, by name.
        key: file of the key that signs the release.
    """
    with stage_release(folder) as stage:
        written = _write_shuffled(protection, choice.candidate.number, loaded, plan, stage)
        notes = (*protection.notes, *written.notes)
        protection = replace(protection, notes=notes, offers=offer_notes(protection, plan.bounds))
        record = msgspec.structs.replace(
            _build_record(protection, choice, written, plan),
            statement=loaded.statement,
            released_before=released_files(folder),
            released_elsewhere=earlier.runs,
        )
        with suppress(RunError):  # the first release has no earlier record
            record = carry_over_statement(record, load_record(folder))
        files = {**parts, PLAN: encode_plan(plan), **report_parts(record)}
        recipe = recipe_of_point(protection, choice.candidate, loaded)
        if recipe is None:
            stage.drop([RECIPE])
        else:
            files[RECIPE] = recipe_text(recipe).encode()
        for name, content in files.items():
            stage.write(name, content)
        named = PointId(choice.candidate.point, choice.candidate.number)
        write_manifest(stage, folder, did, named, key)
    written = replace(written, path=folder / MASKED / written.path.name)
    path = None if recipe is None else folder / RECIPE
    return Release(protection, choice, written, record, reports_in(folder), folder, recipe=path)


def recipe_of_point(
    protection: Protection, point: FrontPoint, loaded: Loaded | None = None
) -> RecipeFile | None:
    """Return the recipe of a point; None for a masking that belongs to its records."""
    genome = protection.state.genomes[point.number]
    return recipe_file(protection.maker, point, genome, loaded.dialect if loaded else None)


def _build_record(
    protection: Protection, choice: Choice, written: WrittenFile, plan: Plan
) -> ReleaseRecord:
    table, path = protection.table, plan.input.path
    files = (
        FileNote(path.name, plan.sha256["data"], len(table), len(table.schema)),
        FileNote(written.path.name, file_hash(written.path), written.records, 0),
    )
    record = build_record(
        protection, choice, files, written.suppressed, _parameters(plan), plan.bounds.given
    )
    found = written.reading
    required = required_in(table.schema, protection.maker.settings.requirement)
    checked = CheckNote(
        found.records,
        len(found.columns),
        found.k,
        found.l,
        found.t,
        tuple(
            ScenarioCheckNote(one.name, one.k, one.l, one.t, required_models(required[one.name]))
            for one in found.scenarios
        ),
        tuple(
            LimitNote(one.scenario, one.name, one.limit, one.value)
            for one in check_limits(
                protection.table,
                protection.files(choice.candidate.number).masked,
                protection.maker.settings.requirement,
            )
        ),
    )
    record = msgspec.structs.replace(record, checked=checked)
    if not found.scenarios:
        return record
    reached = {"k": found.k, "l": found.l, "t": found.t}
    achieved = {name: float(value) for name, value in reached.items() if value is not None}
    return msgspec.structs.replace(record, achieved=achieved)


def record_without_file(
    protection: Protection, choice: Choice, bounds: Bounds = UNBOUNDED
) -> ReleaseRecord:
    """Build the record of a protection in memory, without names of files."""
    table = protection.table
    released = int((~protection.files(choice.candidate.number).masked.suppressed).sum())
    files = (
        FileNote(IN_MEMORY, "", len(table), len(table.schema)),
        FileNote(IN_MEMORY, "", released, 0),
    )
    return build_record(protection, choice, files, len(table) - released, bounds=bounds.given)


def _write_shuffled(
    protection: Protection, number: int, loaded: Loaded, plan: Plan, stage: StagingFolder
) -> WrittenFile:
    """Write the records in random order, and the properties to verify later."""
    order = draw_order(len(protection.table))
    if plan.keep_order:
        np.save(stage.path(ORDER), order, allow_pickle=False)
        stage.path(ORDER).chmod(OWNER_ONLY)
    else:
        stage.drop([ORDER])
    masked = protection.files(number).masked.take(order)
    masked, spec = prepare_release(masked, protection.maker.settings.requirement, loaded)
    stage.write(PROMISE, msgspec.json.encode(PromiseFile(spec, loaded.dialect)))
    return write_table(
        masked,
        stage.path(f"{MASKED}/{released_name(plan.input.path)}"),
        dialect=loaded.dialect,
        origin=loaded.origin and loaded.origin.shuffled(order),
        spec=spec,
    )


def prepare_release(
    masked: Table, requirement: Requirement, loaded: Loaded
) -> tuple[Table, ReleaseSpec]:
    """Return masked records with new numbers of units, and what their file must satisfy."""
    asked = PrivacyRequirements(requirement.k, requirement.l, requirement.t)
    by_scenario = requirements_by_scenario(masked, requirement)
    spec = release_spec(masked, asked, by_scenario, unit_levels(loaded.table))
    if loaded.dialect is not None and loaded.dialect.escape_formulas:
        spec = with_escaped_order(spec)
    return replace_numbers(masked, loaded), spec


def replace_numbers(masked: Table, loaded: Loaded) -> Table:
    """Return the table with new numbers of units and with pseudonyms, where they are requested."""
    numbered = new_numbers(masked, np.random.default_rng(secrets.randbits(256)))
    return with_pseudonyms(numbered, loaded.pseudonyms)


def requirements_by_scenario(table: Table, requirement: Requirement) -> ByScenario:
    """What the written file must satisfy in each scenario."""
    required = required_in(table.schema, requirement)
    return {name: PrivacyRequirements(own.k, own.l, own.t) for name, own in required.items()}


def _parameters(plan: Plan) -> dict[str, object]:
    """Parameters in the record besides those of the search."""
    schema = plan.sha256.get("schema")
    budget = msgspec.to_builtins(plan.budget)
    return {
        "budget": {name: value for name, value in budget.items() if value is not None},
        "picked by": plan.pick,
        **({"schema sha256": schema} if schema else {}),
        **({"keep": msgspec.to_builtins(plan.keep)} if plan.keep else {}),
        **({"at most": plan.bounds.given} if plan.bounds.given else {}),
    }


def report_parts(record: ReleaseRecord, matrices: MatrixPolicy = "plain") -> dict[str, bytes]:
    """Contents of both reports and both records, by file name.

    Args:
        matrices: PRAM matrices that the public report shows.
    """
    shown = build_public_record(record, matrices)
    return {
        INTERNAL: internal_page(record).encode(),
        PUBLIC: public_page(shown).encode(),
        RECORD: encode_record(record),
        PUBLIC_RECORD: encode_record(shown),
    }


def reports_in(folder: Path) -> Reports:
    """Paths of the reports and records in a run folder."""
    return Reports(*(folder / name for name in (INTERNAL, PUBLIC, RECORD, PUBLIC_RECORD)))


def write_page(record: ReleaseRecord, path: Path, *, public: bool) -> Path:
    """Write one of the reports as a page of its own."""
    page = public_page(build_public_record(record)) if public else internal_page(record)
    replace_file(path, lambda file: file.write(page.encode()))
    return path


@dataclass(frozen=True)
class Reported:
    """Record and paths of reports that were written again."""

    record: ReleaseRecord
    reports: Reports


def report_again(
    folder: Path, statement: Statement, matrices: str = "plain", key: Path | None = None
) -> Reported:
    """Write record and reports again; earlier statements remain unless they are replaced.

    Args:
        matrices: PRAM matrices that the public report shows: plain, all or none.
        key: file of the key that signs the release again.
    """
    shown = parse_matrix_policy(matrices)
    load_record(folder)
    with RunFolder(folder).locked():
        if RECORD in changed_files(folder):
            raise RunError(
                f"{RECORD} was changed since the release; restore it, or release again with "
                f"`evomask choose {folder}`"
            )
        record = with_statement(load_record(folder), statement)
        chosen = record.chosen
        with stage_release(folder) as stage:
            for name, content in report_parts(record, shown).items():
                stage.write(name, content)
            write_manifest(stage, folder, "reported", PointId(chosen.point, chosen.file), key)
    return Reported(record, reports_in(folder))


def load_record(folder: Path) -> ReleaseRecord:
    """Load the internal record of a run folder."""
    try:
        return decode_record((folder / RECORD).read_bytes())
    except OSError:
        raise RunError(f"{folder} holds no {RECORD}; give the folder of a finished run") from None


def copy_released(path: Path, target: Path) -> int:
    """Write a released file in the format of the target's suffix; return the number of records."""
    table = load_released(Input(path)).table
    return write_table(table, target).records


def first_records(path: Path, count: int) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Columns and first records of a released file as text; records are in random order."""
    frame = read_frame(path).head(count)
    rows = [tuple("" if cell is None else str(cell) for cell in row) for row in frame.iter_rows()]
    return tuple(frame.columns), rows
