"""Files that do not fit in memory, as `mask`, `protect`, `measure` and `verify` take them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evomask.cli.terminal.output import notes, progress, say, say_json
from evomask.cli.terminal.tables import hanging
from evomask.errors import ParameterError

REPORTS = ("report-internal.html", "report-public.html")

if TYPE_CHECKING:
    from evomask.runs.audit import AuditOutcome
    from evomask.runs.inputs import Input
    from evomask.runs.measure import MeasureOutcome
    from evomask.runs.parts.auditing import AuditPartsJob
    from evomask.runs.parts.comparing import Comparison
    from evomask.runs.parts.generalizing import GeneralizeJob
    from evomask.runs.parts.masking import PartsJob
    from evomask.runs.parts.measuring import MeasurePartsJob
    from evomask.runs.parts.protecting import Protected, RecipeJob


def refuse_others(**options: object) -> None:
    """Refuse options that say nothing to a file in parts: none is passed over in silence."""
    given = [name for name, value in options.items() if value not in (None, "", False, [])]
    if given:
        raise ParameterError(
            f"a file in parts takes no --{given[0].replace('_', '-')}; leave it out"
        )


def are_in(folder: Path) -> bool:
    """Whether a folder holds the work on a file in parts."""
    from evomask.runs.kept.names import PARTS_PLAN

    return (folder / PARTS_PLAN).is_file()


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


GENERALIZATION, GRID = SEARCHES = "generalization", "grid"
"""What can be searched of a file in parts: levels on all its counts, or recipes on a sample."""


class Wish(NamedTuple):
    """What is asked of the protection of a file in parts."""

    require: str
    searches: tuple[str, ...]
    evaluations: int | None
    pick: str
    max_risk: float | None
    max_loss: float | None
    suppression: float

    @property
    def search(self) -> str:
        """Who searches: levels where a guarantee is asked for, recipes where none is."""
        if len(self.searches) > 1 or not set(self.searches) <= set(SEARCHES):
            raise ParameterError(
                f"of a file in parts --searches is {GENERALIZATION} or {GRID}; leave it out, or "
                "name one of them"
            )
        return self.searches[0] if self.searches else GENERALIZATION if self.require else GRID


def job_for(
    wish: Wish, source: "Input", out: Path, seed: int | None, key: Path | None, *, keep_order: bool
) -> "GeneralizeJob | RecipeJob":
    """The job that does what is asked for."""
    from evomask.runs.kept.keeping import at_most
    from evomask.runs.parts.generalizing import GeneralizeJob
    from evomask.runs.parts.protecting import TRIED, RecipeJob
    from evomask.runs.protect import required

    asked = required(wish.require)
    if wish.search == GENERALIZATION:
        refuse_others(
            evaluations=wish.evaluations, pick="" if wish.pick == "suggested" else wish.pick,
            max_risk=wish.max_risk, max_loss=wish.max_loss,
        )  # fmt: skip
        return GeneralizeJob(
            source, out, asked, wish.suppression, seed=seed, key=key, keep_order=keep_order
        )
    bounds = at_most(wish.max_risk, wish.max_loss, None, None)
    return RecipeJob(
        source, out, asked, wish.evaluations or TRIED, wish.pick, bounds, seed=seed, key=key,
        keep_order=keep_order,
    )  # fmt: skip


def protect(
    job: "GeneralizeJob | RecipeJob",
    workers: int,
    cluster: str | None,
    *,
    json: bool,
    quiet: bool,
) -> None:
    """Protect a large file, and tell what came of it."""
    from evomask.runs.parts.protecting import RecipeJob

    if isinstance(job, RecipeJob):
        _by_recipe(job, workers, cluster, json=json, quiet=quiet)
    else:
        generalize(job, workers, cluster, json=json, quiet=quiet)


def choose(
    folder: Path,
    pick: str,
    max_risk: float | None,
    max_loss: float | None,
    key: Path | None,
    *,
    json: bool,
    quiet: bool,
) -> None:
    """Make another recipe of the front in a folder on everything, and release that."""
    from evomask.runs.kept.keeping import at_most
    from evomask.runs.parts.protecting import choose_in_parts
    from evomask.runs.parts.resuming import recipes_in

    bounds = at_most(max_risk, max_loss, None, None)
    done = choose_in_parts(recipes_in(folder, key), pick, bounds, told=_line(quiet=quiet))
    _tell_recipe(done, json=json, quiet=quiet)


def _by_recipe(
    job: "RecipeJob", workers: int, cluster: str | None, *, json: bool, quiet: bool
) -> None:
    from evomask.execution.choosing import computing
    from evomask.runs.parts.protecting import protect_parts

    with computing(workers, cluster) as evaluators:
        done = protect_parts(job, evaluators=evaluators, told=_line(quiet=quiet))
    _tell_recipe(done, json=json, quiet=quiet)


def _tell_recipe(done: "Protected", *, json: bool, quiet: bool) -> None:
    notes(done.notes, quiet=quiet)
    say_json(_recipe_as_json(done)) if json else say("\n".join(_recipe_in_words(done)))


def _recipe_as_json(done: "Protected") -> dict[str, Any]:
    from evomask.record.words import as_point

    chosen, compared = done.choice.candidate, done.compared
    return {
        **_made(done),
        "front": [as_point(point) for point in done.front],
        "sample": done.sample,
        "files": done.tried,
        "chosen": as_point(chosen),
        "reason": done.choice.reason,
        "loss": compared.loss,
        "risk": compared.judged.risk,
        "risk_parts": compared.judged.as_json(),
        "original_risk": compared.original.risk,
        "reports": [str(done.out / name) for name in REPORTS],
        "promised_k": done.k,
    }


def _recipe_in_words(done: "Protected") -> list[str]:
    from evomask.record.words import in_words

    chosen = done.choice.candidate
    rows = [
        line
        for point in done.front
        for line in hanging(
            f"{'chosen' if point == chosen else '':>8}{point.point:7}{point.loss:8.2f}"
            f"{point.risk:8.2f}  ",
            in_words(point.making),
        )
    ]
    return [
        f"{done.tried} recipes tried on {done.sample:,} records; all in percent, lower is better",
        f"{'':>8}{'point':>7}{'loss':>8}{'risk':>8}  how",
        *rows,
        *hanging("chosen       ", done.choice.reason),
        _written(_made(done)),
        *_pair(done.compared),
        *_folder(done.out),
    ]


def _made(done: "Protected") -> dict[str, Any]:
    return {
        "method": f"point {done.choice.candidate.point}",
        "masked": str(done.out / "masked"),
        "records": done.alike.records,
        "parts": done.parts,
        "k": done.alike.least,
        "classes": done.alike.classes,
        "seconds": done.seconds,
    }


def _folder(out: Path) -> list[str]:
    return [
        f"reports      {out / REPORTS[0]} (internal)",
        f"             {out / REPORTS[1]} (to publish)",
        f"the folder {out} holds records and the seed; keep it to yourself",
    ]


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
        *_folder(done.out),
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
    """Go on with the work on parts that was begun in a folder."""
    from evomask.runs.parts.masking import PartsJob
    from evomask.runs.parts.resuming import job_in

    job = job_in(folder, key)
    if isinstance(job, PartsJob):
        mask(job, workers, cluster, json=json, quiet=quiet)
    else:
        protect(job, workers, cluster, json=json, quiet=quiet)


def measure(
    job: "MeasurePartsJob", workers: int, cluster: str | None, *, quiet: bool
) -> "MeasureOutcome":
    """What a large masked file has lost, and what it gives away."""
    from evomask.execution.choosing import computing
    from evomask.runs.parts.measuring import measure_parts

    with computing(workers, cluster) as evaluators:
        return measure_parts(job, evaluators=evaluators, told=_line(quiet=quiet))


def audit(
    job: "AuditPartsJob", workers: int, cluster: str | None, *, quiet: bool
) -> "AuditOutcome":
    """What a large masked file gives away, also to intruders that no search has seen."""
    from evomask.execution.choosing import computing
    from evomask.runs.parts.auditing import audit_parts

    with computing(workers, cluster) as evaluators:
        return audit_parts(job, evaluators=evaluators, told=_line(quiet=quiet))


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
