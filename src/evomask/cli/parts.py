"""Files that do not fit in memory, as `mask`, `protect`, `measure` and `verify` take them."""

from typing import TYPE_CHECKING, Any

from evomask.cli.terminal.output import notes, progress, say, say_json
from evomask.cli.terminal.tables import hanging
from evomask.errors import ParameterError

REPORTS = ("report-internal.html", "report-public.html")

if TYPE_CHECKING:
    from pathlib import Path

    from evomask.runs.measure import MeasureOutcome
    from evomask.runs.parts.comparing import Comparison
    from evomask.runs.parts.generalizing import GeneralizeJob
    from evomask.runs.parts.masking import PartsJob
    from evomask.runs.parts.measuring import MeasurePartsJob


def refuse_others(**options: object) -> None:
    """Refuse options that say nothing to a file in parts: none is passed over in silence."""
    given = [name for name, value in options.items() if value not in (None, "", False, [])]
    if given:
        raise ParameterError(
            f"a file in parts takes no --{given[0].replace('_', '-')}; leave it out"
        )


def mask(job: "PartsJob", workers: int, cluster: str | None, *, json: bool, quiet: bool) -> None:
    """Mask a large file with one method, and tell what came of it."""
    from evomask.execution.choosing import computing
    from evomask.runs.parts.masking import mask_parts

    with computing(workers, cluster) as evaluators:
        done = mask_parts(job, evaluators=evaluators, told=_line(quiet=quiet))
    notes(done.notes, quiet=quiet)
    found: dict[str, Any] = {
        "method": done.method,
        "masked": str(done.out / "masked"),
        "records": done.records,
        "parts": done.parts,
        "attributes": list(done.attributes),
        "k": done.alike.least,
        "classes": done.alike.classes,
        "seconds": done.seconds,
    }
    lines = [_written(found)]
    if done.aggregation is not None:
        own = done.aggregation
        found |= {"sse": own.sse, "il": own.il, "groups": own.groups, "regions": own.regions}
        lines.append(
            f"{own.groups:,} groups in {own.regions} regions, information loss {own.il:.4f} %"
        )
    say_json(found) if json else say("\n".join(lines))


def generalize(
    job: "GeneralizeJob", workers: int, cluster: str | None, *, json: bool, quiet: bool
) -> None:
    """Make a large file k-anonymous, and tell what came of it."""
    from evomask.execution.choosing import computing
    from evomask.runs.parts.generalizing import generalize_parts

    with computing(workers, cluster) as evaluators:
        done = generalize_parts(job, evaluators=evaluators, told=_line(quiet=quiet))
    notes(done.notes, quiet=quiet)
    found: dict[str, Any] = {
        "method": "generalization",
        "masked": str(done.out / "masked"),
        "records": done.alike.records,
        "suppressed": done.suppressed,
        "parts": done.parts,
        "levels": dict(done.levels),
        "generalization_loss": done.loss,
        "proven": done.proven,
        "loss": done.compared.loss,
        "risk": done.compared.judged.risk,
        "risk_parts": done.compared.judged.as_json(),
        "original_risk": done.compared.original.risk,
        "reports": [str(done.out / name) for name in REPORTS],
        "combinations": done.combinations,
        "k": done.alike.least,
        "classes": done.alike.classes,
        "seconds": done.seconds,
    }
    levels = ", ".join(f"{name} {level}" for name, level in done.levels.items())
    least = "proven to be the least" if done.proven else "not proven to be the least, because of t"
    lines = [
        _written(found),
        f"levels       {levels}; they lose {done.loss:.2f} % of precision, {least}",
        f"left out     {done.suppressed:,} records of classes that do not fulfil {job.requirement}",
        *_pair(done.compared),
        f"reports      {done.out / REPORTS[0]} (internal)",
        f"             {done.out / REPORTS[1]} (to publish)",
        f"the folder {done.out} holds records and the seed; keep it to yourself",
    ]
    say_json(found) if json else say("\n".join(lines))


def resume(
    folder: "Path",
    key: "Path | None",
    workers: int,
    cluster: str | None,
    *,
    json: bool,
    quiet: bool,
) -> None:
    """Go on with the work on parts that was begun in a folder."""
    from evomask.runs.parts.masking import PartsJob
    from evomask.runs.parts.resuming import job_in

    job = job_in(folder, key)
    if isinstance(job, PartsJob):
        mask(job, workers, cluster, json=json, quiet=quiet)
    else:
        generalize(job, workers, cluster, json=json, quiet=quiet)


def measure(
    job: "MeasurePartsJob", workers: int, cluster: str | None, *, quiet: bool
) -> "MeasureOutcome":
    """What a large masked file has lost, and what it gives away."""
    from evomask.execution.choosing import computing
    from evomask.runs.parts.measuring import measure_parts

    with computing(workers, cluster) as evaluators:
        return measure_parts(job, evaluators=evaluators, told=_line(quiet=quiet))


def _pair(compared: "Comparison") -> list[str]:
    """Loss and risk of released records."""
    judged, before = compared.judged, compared.original
    error = f", standard error {judged.worst.error:.2f}" if judged.is_sampled else ""
    people = f"{judged.people:,} people attacked{error}; the original {before.risk:.2f} %"
    risk = f"{judged.risk:.2f} % of people, by one who {judged.worst.sentence} ({people})"
    return [f"loss         {compared.loss:.2f} %", *hanging("risk         ", risk)]


def _written(found: dict[str, Any]) -> str:
    return (
        f"{found['records']:,} records in {found['parts']} parts by {found['method']} in "
        f"{found['seconds']:.1f} s: {found['masked']}\n"
        f"counted in what was written: {found['classes']:,} classes, the smallest of {found['k']:,}"
    )


def _line(*, quiet: bool) -> Any:  # noqa: ANN401
    """A line on stderr whenever some parts of a step are finished."""
    return lambda step, done, count: progress(f"{step}: {done} of {count} parts", quiet=quiet)
