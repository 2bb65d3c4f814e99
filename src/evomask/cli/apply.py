"""``evomask apply``: mask another file by a recipe."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import DASH, hanging, input_path, notes, progress, say, say_json

if TYPE_CHECKING:
    from evomask.runs.apply import Application, ApplyJob


@examples(
    "evomask apply release/recipe.toml next-year.csv --output release-2",
    "evomask apply recipe.toml survey.csv --output masked.csv",
    "evomask apply release/recipe.toml next-year.csv --output release-2 --search 60",
)
def apply(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE", help="File of a recipe (TOML).")],
    file: options.DataFile,
    output: Annotated[
        Path,
        typer.Option("--output", "--out", "-o", help="New folder for a release, or masked file."),
    ],
    schema: Annotated[
        Path | None,
        typer.Option("--schema", help="Schema file of FILE [default: the recipe declares it]."),
    ] = None,
    search: Annotated[
        float | None,
        typer.Option("--search", min=1, help="Seconds in which the engine improves on the recipe."),
    ] = None,
    keep_order: options.KeepOrder = False,
    key_file: options.KeyFile = None,
    strict_releases: options.StrictReleases = False,
    k_together: options.KTogether = None,
    person: Annotated[
        str,
        typer.Option(
            "--same-person",
            help="Column that tells who is also in the recipe's release: both are intersected.",
        ),
    ] = "",
    force: options.Force = False,
    seed: options.Seed = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Mask FILE by a RECIPE, and compare loss and risk with those that it promises."""
    from evomask.runs.apply import ApplyJob, apply_file
    from evomask.runs.inputs import Input

    is_file = bool(output.suffix) and not output.is_dir()
    if output == DASH or (is_file and (keep_order or key_file)):
        raise typer.BadParameter("give --output FOLDER, where reports and order have a place")
    data = input_path(file, keep=None if is_file else output)
    job = ApplyJob(
        recipe=recipe, source=Input(data, schema), out=output, seed=seed,
        keep_order=keep_order, key=key_file, force=force, strict_releases=strict_releases,
        k_together=k_together, person=person,
    )  # fmt: skip
    if search is not None:
        if is_file:
            raise typer.BadParameter("give --output FOLDER: a search has a front and reports")
        _search(job, search, json=json, quiet=quiet)
        return
    done = apply_file(job, lambda text: progress(text, quiet=quiet))
    notes(done.applied.notes, quiet=quiet)
    say_json(_as_json(done)) if json else say(_text(done))


def _search(job: "ApplyJob", seconds: float, *, json: bool, quiet: bool) -> None:
    """Search from the recipe, and show the release as `protect` does."""
    from evomask.cli.protect import print_release
    from evomask.cli.terminal.live_view import live_view
    from evomask.runs.apply import search_from_recipe

    with live_view(f"improving {job.recipe}", quiet=quiet) as watch:
        done = search_from_recipe(job, seconds, watch=watch)
    print_release(done, json=json, quiet=quiet)


def _as_json(done: "Application") -> dict[str, object]:
    applied, written, release = done.applied, done.written, done.release
    known, checked = applied.promised, written.reading
    return {
        "masked": str(written.path),
        "records": written.records,
        "suppressed": written.suppressed,
        "loss": applied.point.loss,
        "risk": applied.point.risk,
        "scenarios": applied.scenarios,
        "promised": {
            "records": known.records,
            "loss": known.loss,
            "risk": known.risk,
            "scenarios": known.scenarios,
        },
        "checked": {
            "k": checked.k,
            "l": checked.l,
            "t": checked.t,
            "scenarios": {
                one.name: {"k": one.k, "l": one.l, "t": one.t} for one in checked.scenarios
            },
        },
        "reports": release.reports.pages if release else [],
        "run": str(release.folder) if release else None,
        "seconds": applied.seconds,
        "notes": list(applied.notes),
    }


def _text(done: "Application") -> str:
    applied, written, release = done.applied, done.written, done.release
    known, point = applied.promised, applied.point
    rows = [("loss", known.loss, point.loss), ("risk", known.risk, point.risk)]
    rows += [(f"  {n}", known.scenarios.get(n), risk) for n, risk in applied.scenarios.items()]
    width = max(13, *(len(name) + 2 for name, _, _ in rows))
    steps = len(applied.state.front[0].making.steps)
    masked = f"{len(applied.masked):,} records masked by {steps} steps"
    lines = [
        f"{masked} in {applied.seconds:.1f} s; all in percent, lower is better",
        f"{'':{width}}{'promised':>10}{'here':>10}",
        *(
            f"{name:<{width}}{'' if before is None else f'{before:.2f}':>10}{now:10.2f}"
            for name, before, now in rows
        ),
        *hanging("guarantees   ", _guarantees(done)),
    ]
    lines += hanging("masked file  ", f"{written.path} ({written.records} records, shuffled)")
    if written.suppressed:
        lines.append(f"{written.suppressed} records suppressed")
    if release:
        lines.append(f"reports      {release.reports.internal} (internal)")
        lines.append(f"             {release.reports.public} (to publish)")
        lines.append(f"the folder {release.folder} holds records; keep it confidential")
    return "\n".join(lines)


def _guarantees(done: "Application") -> str:
    """What was counted in the written file, in each scenario."""
    checked = done.written.reading
    found = checked.scenarios or (checked,)
    parts = []
    for one in found:
        values = (("k", one.k), ("l", one.l), ("t", one.t))
        text = ", ".join(f"{name} = {value:.3g}" for name, value in values if value is not None)
        where = getattr(one, "name", "")
        parts.append(f"{text} in {where!r}" if where else text)
    return f"counted in the written file: {'; '.join(parts)}"
