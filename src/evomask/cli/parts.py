"""Files that do not fit in memory, as `mask`, `protect`, `measure` and `verify` take them."""

from typing import TYPE_CHECKING, Any

from evomask.cli.terminal.output import notes, progress, say, say_json
from evomask.errors import ParameterError

if TYPE_CHECKING:
    from evomask.runs.parts.generalizing import GeneralizeJob
    from evomask.runs.parts.masking import PartsJob


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
        "loss": done.loss,
        "combinations": done.combinations,
        "k": done.alike.least,
        "classes": done.alike.classes,
        "seconds": done.seconds,
    }
    levels = ", ".join(f"{name} {level}" for name, level in done.levels.items())
    lines = [
        _written(found),
        f"levels       {levels}; loss {done.loss:.2f} %, proven to be the least",
        f"left out     {done.suppressed:,} records of classes below {job.k}",
    ]
    say_json(found) if json else say("\n".join(lines))


def _written(found: dict[str, Any]) -> str:
    return (
        f"{found['records']:,} records in {found['parts']} parts by {found['method']} in "
        f"{found['seconds']:.1f} s: {found['masked']}\n"
        f"counted in what was written: {found['classes']:,} classes, the smallest of {found['k']:,}"
    )


def _line(*, quiet: bool) -> Any:  # noqa: ANN401
    """A line on stderr whenever some parts of a step are finished."""
    return lambda step, done, count: progress(f"{step}: {done} of {count} parts", quiet=quiet)
