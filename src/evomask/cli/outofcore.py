"""Files larger than memory (``--in-parts``): chunked `mask` and `protect`."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evomask.cli.terminal.output import hanging, notes, progress, say, say_json
from evomask.errors import ParameterError
from evomask.runs.options import ProtectOptions, declared

if TYPE_CHECKING:
    from evomask.outofcore.compare import Comparison
    from evomask.outofcore.generalize import GeneralizationOutcome, GeneralizeJob
    from evomask.outofcore.mask import PartsJob, PartsOutcome
    from evomask.outofcore.protect import ProtectionOutcome
    from evomask.report.record import PointNote
    from evomask.runs.inputs import Input
    from evomask.runs.protect import ProtectJob
    from evomask.runs.store.preserved_analyses import AtMost

T = TypeVar("T")

REPORTS = ("report-internal.html", "report-public.html")

GENERALIZATION, RECIPES = "generalization", "recipes"
"""Searches on chunked files: levels of hierarchies on all records, or recipes on a sample."""

DEFAULT_SUPPRESSION = 1.0
"""Largest share of records that generalization suppresses by default, in percent."""

GENERALIZED = (
    "require", "searches", "seed", "key_file", "keep_order", "release", "accept_risk", "accept_loss"
)  # fmt: skip
"""Options that generalization of a chunked file accepts; its only result needs no acceptance."""


def refuse(**options: object) -> None:
    """Raise an error for the first option given, because chunked files do not support it."""
    given = [name for name, value in options.items() if value not in (None, "", False, [], ())]
    if given:
        raise ParameterError(
            f"chunked files do not support --{given[0].replace('_', '-')}; leave it out"
        )


def refuse_unsupported(options: ProtectOptions) -> None:
    """Raise an error for an option of ``protect`` that chunked files do not support."""
    for option in declared(ProtectOptions):
        if not option.in_parts and getattr(options, option.name) != option.default:
            refuse(**{option.flags[0].removeprefix("--"): True})


def is_chunked_run(folder: Path) -> bool:
    """Return whether a folder holds a run on a chunked file."""
    from evomask.runs.store.run_summary import CHUNKS_PLAN

    return (folder / CHUNKS_PLAN).is_file()


def search_folder(folder: Path) -> Path:
    """Return the folder of the run whose front a folder has; of a chunked file, on its sample."""
    return folder / "search" if is_chunked_run(folder) else folder


def run_chunked(
    function: Callable[..., T],
    job: object,
    workers: int,
    cluster: str | None,
    *,
    quiet: bool,
) -> T:
    """Run a job on a chunked file with worker processes, and print the finished chunks."""
    from evomask.execution.local import open_evaluators

    with open_evaluators(workers, cluster) as evaluators:
        return function(job, evaluators=evaluators, told=_chunk_progress(quiet=quiet))


def _chunk_progress(*, quiet: bool) -> Any:  # noqa: ANN401
    return lambda step, done, count: progress(f"{step}: {done} of {count} chunks", quiet=quiet)


def mask(job: "PartsJob", workers: int, cluster: str | None, *, json: bool, quiet: bool) -> None:
    """Mask a chunked file with one method, and print the outcome."""
    from evomask.outofcore.mask import mask_parts

    done = run_chunked(mask_parts, job, workers, cluster, quiet=quiet)
    notes(done.notes, quiet=quiet)
    found = {**_summary(done, done.method), "attributes": list(done.attributes)}
    lines = [_written(found)]
    if done.aggregation is not None:
        own = done.aggregation
        found |= {"sse": own.sse, "il": own.il, "groups": own.groups, "regions": own.regions}
        lines.append(
            f"{own.groups:,} groups in {own.regions} regions, information loss {own.il:.4f} %"
        )
    say_json(found) if json else say("\n".join(lines))


def _summary(
    done: "PartsOutcome | ProtectionOutcome | GeneralizationOutcome", method: str
) -> dict[str, Any]:
    """Return the JSON fields common to all outcomes on a chunked file."""
    return {
        "method": method,
        "masked": str(done.out / "masked"),
        "records": done.alike.records,
        "parts": done.parts,
        "k": done.alike.least,
        "classes": done.alike.classes,
        "seconds": done.seconds,
    }


def _assessment(done: "ProtectionOutcome | GeneralizationOutcome") -> dict[str, Any]:
    """Return loss, risk and reports of a protected file, for JSON."""
    assessment = done.compared.assessment
    return {
        "loss": done.compared.loss,
        "risk": assessment.risk,
        "risk_parts": assessment.as_json(),
        "original_risk": done.compared.original.risk,
        "reports": [str(done.out / name) for name in REPORTS],
    }


def job_for(
    options: ProtectOptions, suppression: float, source: "Input", out: Path
) -> "GeneralizeJob | ProtectJob":
    """Return the job that protects a chunked file: by a recipe, or by the best levels."""
    from evomask.outofcore.generalize import GeneralizeJob
    from evomask.runs.protect import required

    if GENERALIZATION not in options.searches:
        if options.searches not in ((), (RECIPES,), ("grid",)):
            raise ParameterError(
                f"chunked files support --searches {GENERALIZATION} or {RECIPES}; leave it out, or "
                f"give one of them"
            )
        if suppression != DEFAULT_SUPPRESSION:
            raise ParameterError(f"--suppression is for --searches {GENERALIZATION}; leave it out")
        return options.job(source, out)
    if len(options.searches) > 1:
        raise ParameterError(f"{GENERALIZATION} of a chunked file is searched alone")
    for option in declared(ProtectOptions):
        value = getattr(options, option.name)
        if option.name not in GENERALIZED and value != option.default:
            refuse(**{option.flags[0].removeprefix("--"): True})
    return GeneralizeJob(
        source=source,
        out=out,
        requirement=required(options.require),
        suppression=suppression,
        seed=options.seed,
        key=options.key_file,
        keep_order=options.keep_order,
    )


def protect(
    job: "GeneralizeJob | ProtectJob",
    workers: int,
    cluster: str | None,
    *,
    json: bool,
    quiet: bool,
) -> None:
    """Protect a chunked file, and print the outcome."""
    from evomask.outofcore.generalize import GeneralizeJob, generalize_parts
    from evomask.outofcore.protect import protect_parts

    if isinstance(job, GeneralizeJob):
        generalized = run_chunked(generalize_parts, job, workers, cluster, quiet=quiet)
        _print_generalized(generalized, str(job.requirement), json=json, quiet=quiet)
    else:
        done = run_chunked(protect_parts, job, workers, cluster, quiet=quiet)
        _print_recipe(done, json=json, quiet=quiet)


def choose(
    folder: Path, pick: str, bounds: "AtMost", key: Path | None, *, json: bool, quiet: bool
) -> None:
    """Apply another recipe of the front to all chunks, and release the result."""
    from evomask.outofcore.protect import choose_in_parts, read_recipe_job

    job = read_recipe_job(folder, key)
    bounds = replace(bounds, release=bounds.release or job.bounds.release)
    done = choose_in_parts(job, pick, bounds, told=_chunk_progress(quiet=quiet))
    _print_recipe(done, json=json, quiet=quiet)


def _print_recipe(done: "ProtectionOutcome", *, json: bool, quiet: bool) -> None:
    notes(done.notes, quiet=quiet)
    points, chosen = done.found.points, done.found.chosen
    found = {
        **_summary(done, f"point {chosen.point}"),
        **_assessment(done),
        "front": [_point_fields(point) for point in points.front],
        "sample": done.sample,
        "files": points.tried,
        "chosen": _point_fields(chosen),
        "reason": done.found.reason,
        "required_k": done.k,
        "suppressed": done.suppressed,
        "recipe": str(done.out / "recipe.toml"),
        "search": str(done.out / "search"),
    }
    say_json(found) if json else say("\n".join(_recipe_lines(done, found)))


def _point_fields(point: "PointNote") -> dict[str, object]:
    return {
        "point": point.point, "file": point.file, "method": point.method, "loss": point.loss,
        "risk": point.risk,
    }  # fmt: skip


def _recipe_lines(done: "ProtectionOutcome", found: dict[str, Any]) -> list[str]:
    points, chosen = done.found.points, done.found.chosen
    rows = [
        line
        for point in points.front
        for line in hanging(
            f"{'chosen' if point.point == chosen.point else '':>8}{point.point:7}"
            f"{point.loss:8.2f}{point.risk:8.2f}  ",
            point.method,
        )
    ]
    recipes = f"{points.tried} candidates evaluated on {done.sample:,} records"
    return [
        f"{recipes}; all in percent, lower is better",
        f"{'':>8}{'point':>7}{'loss':>8}{'risk':>8}  method",
        *rows,
        *hanging("chosen       ", done.found.reason),
        _written(found),
        *_loss_and_risk(done.compared),
        *_folder_lines(done.out),
    ]


def _folder_lines(out: Path) -> list[str]:
    return [
        f"reports      {out / REPORTS[0]} (internal)",
        f"             {out / REPORTS[1]} (to publish)",
        f"the folder {out} holds records and the seed; keep it confidential",
    ]


def _print_generalized(
    done: "GeneralizationOutcome", requirement: str, *, json: bool, quiet: bool
) -> None:
    notes(done.notes, quiet=quiet)
    found = {
        **_summary(done, "generalization"),
        **_assessment(done),
        "suppressed": done.suppressed,
        "levels": dict(done.levels),
        "generalization_loss": done.loss,
        "proven": done.proven,
        "combinations": done.combinations,
    }
    levels = ", ".join(f"{name} {level}" for name, level in done.levels.items())
    optimal = "proven minimal" if done.proven else "not proven minimal, because of t"
    lines = [
        _written(found),
        f"levels       {levels}; generalization loss {done.loss:.2f} %, {optimal}",
        f"suppressed   {done.suppressed:,} records of classes that violate {requirement}",
        *_loss_and_risk(done.compared),
        *_folder_lines(done.out),
    ]
    say_json(found) if json else say("\n".join(lines))


def resume(
    folder: Path,
    key: Path | None,
    workers: int,
    cluster: str | None,
    *,
    json: bool,
    quiet: bool,
) -> None:
    """Continue an interrupted run on a chunked file."""
    from evomask.outofcore.mask import PartsJob
    from evomask.outofcore.protect import read_job

    job = read_job(folder, key)
    if isinstance(job, PartsJob):
        mask(job, workers, cluster, json=json, quiet=quiet)
    else:
        protect(job, workers, cluster, json=json, quiet=quiet)


def _loss_and_risk(compared: "Comparison") -> list[str]:
    assessment, before = compared.assessment, compared.original
    error = f", standard error {assessment.worst.error:.2f}" if assessment.is_sampled else ""
    targets = f"{assessment.people:,} targets attacked{error}; the original {before.risk:.2f} %"
    risk = f"{assessment.risk:.2f} %, by an intruder who {assessment.worst.sentence} ({targets})"
    return [f"loss         {compared.loss:.2f} %", *hanging("risk         ", risk)]


def _written(found: dict[str, Any]) -> str:
    return (
        f"{found['records']:,} records in {found['parts']} chunks by {found['method']} in "
        f"{found['seconds']:.1f} s: {found['masked']}\n"
        f"equivalence classes in the written file: {found['classes']:,}, the smallest of "
        f"{found['k']:,} records"
    )
