"""``evomask linked``: persons and their events, masked together."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import hanging, notes, say, say_json

if TYPE_CHECKING:
    from evomask.runs.linked import LinkedRelease


@examples(
    "evomask linked patients.csv visits.csv --key patient --schema both.toml -r k=5 --out release",
)
def linked(
    persons: Annotated[Path, typer.Argument(metavar="PERSONS", help="One record a person.")],
    events: Annotated[Path, typer.Argument(metavar="EVENTS", help="Any number of records each.")],
    key: Annotated[str, typer.Option("--key", help="Column of both that tells who a person is.")],
    schema: Annotated[Path, typer.Option("--schema", help="Schema file of both tables.")],
    output: Annotated[Path, typer.Option("--out", "-o", help="New folder for both tables.")],
    require: Annotated[
        str, typer.Option("--require", "-r", help="Guarantee, such as k=5; k counts persons.")
    ] = "",
    seconds: Annotated[float | None, typer.Option("--seconds", min=1, help="Budget.")] = None,
    evaluations: Annotated[
        int | None, typer.Option("--evaluations", min=1, help="Budget in files; reproducible.")
    ] = None,
    seed: options.Seed = None,
    workers: options.Workers = 1,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Protect PERSONS and EVENTS together: keys, counts and rules across both hold."""
    from evomask.cli.terminal.live_view import live_view
    from evomask.execution.local import Local
    from evomask.runs.inputs import Input
    from evomask.runs.linked import LinkedJob, protect_linked
    from evomask.runs.protect import ProtectJob, required

    search = ProtectJob(
        Input(persons), output, required(require), seconds=seconds, evaluations=evaluations,
        seed=seed,
    )  # fmt: skip
    job = LinkedJob(persons, events, key, schema, output, search)
    with live_view(f"protecting {persons} and {events}", quiet=quiet) as watch:
        done = protect_linked(job, evaluators=Local(workers), watch=watch)
    notes((*_warnings(done), *done.release.protection.notes), quiet=quiet)
    say_json(_as_json(done)) if json else say("\n".join(_lines(done)))


def _warnings(done: "LinkedRelease") -> tuple[str, ...]:
    """Warn of a risk that `protect` would not release without being asked."""
    from evomask.runs.linked import LARGEST_RISK

    risk = done.release.chosen.risk
    if risk <= LARGEST_RISK:
        return ()
    note = (
        f"the risk of {risk:.1f} % is above {LARGEST_RISK:g} %: do not publish these tables "
        "without a reason; search longer, require more, or mask more columns"
    )
    return (note,)


def _as_json(done: "LinkedRelease") -> dict[str, object]:
    chosen, counts = done.release.chosen, done.counts
    return {
        "persons": str(done.persons),
        "events": str(done.events),
        "records": {"persons": counts.persons, "events": counts.events},
        "same_number_of_events": counts.same_counts,
        "order_kept": done.orders,
        "loss": chosen.loss,
        "risk": chosen.risk,
        "k": done.release.written.reading.k,
        "run": str(done.release.folder),
    }


def _lines(done: "LinkedRelease") -> list[str]:
    chosen, counts = done.release.chosen, done.counts
    lines = [
        f"persons      {done.persons} ({counts.persons:,} records)",
        f"events       {done.events} ({counts.events:,} records)",
        f"kept         {counts.same_counts:,} persons have as many events as before",
    ]
    lines += [
        f"             the events of {number:,} persons are in the same order by {name}"
        for name, number in done.orders.items()
    ]
    k = done.release.written.reading.k
    figures = f"loss {chosen.loss:.2f} %, risk {chosen.risk:.2f} %, k = {k} persons"
    lines += hanging("figures      ", figures)
    lines.append(f"run          {done.release.folder} (reports, other points)")
    lines.append(f"the folder {done.persons.parent} holds original records; keep it confidential")
    return lines
