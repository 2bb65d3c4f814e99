"""``evomask measure``: how much a masked file has lost, and how much it gives away."""

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli import parts as in_parts_of
from evomask.cli.terminal import keeping, options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import notes, progress, say, say_json
from evomask.errors import ParameterError

if TYPE_CHECKING:
    from evomask.runs.measure import Explanation, MeasureOutcome


@examples(
    "evomask measure survey.csv masked.csv --quasi age,sex,income",
    "evomask measure survey.csv masked.csv --schema survey.toml --json",
    "evomask measure --explain risk",
)
@options.with_data_options
def measure(
    original: Annotated[
        Path | None, typer.Argument(metavar="ORIGINAL", help="The original records.")
    ] = None,
    masked: Annotated[
        Path | None, typer.Argument(metavar="MASKED", help="The masked ones, in the same order.")
    ] = None,
    measures: Annotated[str, typer.Option("--measures", help="Only these, a,b.")] = "",
    explain: Annotated[str, typer.Option("--explain", help="What a measure means; or all.")] = "",
    exact: Annotated[
        bool, typer.Option("--exact", help="Attack everybody, however many records there are.")
    ] = False,
    key: Annotated[
        str, typer.Option("--key", help="Match records by this column, not by their places.")
    ] = "",
    keep_table: keeping.KeepTable = None,
    keep_model: keeping.KeepModel = None,
    profile: options.Profile = "strict",
    in_parts: options.InParts = False,
    workers: options.Workers = 1,
    cluster: options.Cluster = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    *,
    source: options.Source,
) -> None:
    """Measure what MASKED has lost and gives away, record by record against ORIGINAL."""
    from evomask.runs.kept.keeping import keeping as wanted
    from evomask.runs.measure import MeasureJob, Measuring, measure_files

    if explain:
        _explain(explain, as_json=json)
        return
    if original is None or masked is None:
        raise typer.BadParameter("give ORIGINAL and MASKED, or --explain NAME")
    progress(f"measuring {masked} against {original}", quiet=quiet)
    if in_parts or original.is_dir():
        from evomask.runs.parts.measuring import MeasurePartsJob

        in_parts_of.refuse_others(
            measures=measures, exact=exact, key=key, keep_table=keep_table, keep_model=keep_model,
            profile="" if profile == "strict" else profile,
        )  # fmt: skip
        parts = MeasurePartsJob(source(original), masked)
        _tell(in_parts_of.measure(parts, workers, cluster, quiet=quiet), json=json, quiet=quiet)
        return
    if workers > 1 or cluster:
        raise ParameterError("--workers and --cluster help files in parts; add --in-parts")
    keep, names = wanted(keep_table, keep_model), options.names(measures)
    job = MeasureJob(source(original), masked, Measuring(names, profile, exact, keep, key))
    _tell(measure_files(job), json=json, quiet=quiet)


def _tell(outcome: "MeasureOutcome", *, json: bool, quiet: bool) -> None:
    notes(outcome.notes, quiet=quiet)
    say_json(outcome.as_json()) if json else say(_in_words(outcome))


def _in_words(outcome: "MeasureOutcome") -> str:
    from evomask.runs.measure import explain

    size = f"{outcome.records} records, {len(outcome.attributes)} attributes"
    lines = [
        f"{size}; all in percent, lower is better",
        f"{'loss':<16}{outcome.loss:8.2f}  how much of what the file could tell is gone",
        *_risk_in_words(outcome),
        f"{'score, mean':<16}{outcome.score_mean:8.2f}",
        f"{'score, worst':<16}{outcome.score_worst:8.2f}",
        "",
        *(f"{f'loss of {name}':<16}{value:8.2f}" for name, value in outcome.losses.items()),
        "",
    ]
    for name, value in outcome.measures.items():
        some = outcome.sampled.get(name)
        people = f" (a sample of {some} records)" if some else ""
        lines.append(f"{name:<16}{value:8.2f}  {explain(name).title}{people}")
    for statistic in outcome.kept:
        lines += ["", *keeping.in_words(statistic)]
    return "\n".join(lines)


def _risk_in_words(outcome: "MeasureOutcome") -> list[str]:
    judged, before = outcome.judged, outcome.original
    if judged is None or before is None:
        meaning = f"how much the file gives away (profile {outcome.profile})"
        return [f"{'risk':<16}{outcome.risk:8.2f}  {meaning}"]
    people = f"about {judged.expected:.0f} of {judged.records}; the original: {before.risk:.2f}"
    lines = [f"{'risk':<16}{judged.risk:8.2f}  people that an intruder gets right, {people}"]
    for name, part in judged.parts.items():
        lines.append(f"{f'  {name}':<16}{part.percent:8.2f}  by one who {part.sentence}")
    if judged.is_sampled:
        people = f"{judged.people} people were attacked, a fixed sample"
        lines.append(f"{'':<16}{'':8}  {people}; standard error {judged.worst.error:.2f}")
    return lines


def _explain(name: str, *, as_json: bool) -> None:
    from evomask.runs.measure import every_measure, explain

    measures = every_measure() if name == "all" else (explain(name),)
    if as_json:
        described = [_described(about) for about in measures]
        say_json({"measures": described} if name == "all" else described[0])
        return
    for about in measures:
        low, high = (_end(end) for end in (about.low, about.high))
        say(f"{about.name}: {about.title}")
        say(f"    {about.meaning}")
        say(f"    {about.side}, from {low} to {high}, {about.direction}")


def _described(about: "Explanation") -> dict[str, object]:
    return {
        "name": about.name,
        "title": about.title,
        "side": str(about.side),
        "meaning": about.meaning,
        "direction": str(about.direction),
        "range": [about.low, about.high if isfinite(about.high) else None],
    }


def _end(number: float) -> str:
    return f"{number:g}" if isfinite(number) else "any number"
