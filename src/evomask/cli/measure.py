"""``evomask measure``: information loss and disclosure risk of a masked file."""

from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli import outofcore
from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import analysis_lines, notes, progress, say, say_json
from evomask.errors import ParameterError
from evomask.runs.options import help_of

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
        Path | None, typer.Argument(metavar="ORIGINAL", help="Original file.")
    ] = None,
    masked: Annotated[
        Path | None,
        typer.Argument(metavar="MASKED", help="Masked file, records in the same order."),
    ] = None,
    measures: Annotated[
        str, typer.Option("--measures", help="Measures to compute, a,b [default: all].")
    ] = "",
    explain: Annotated[
        str, typer.Option("--explain", help="Explain a measure by name, or all.")
    ] = "",
    exact: Annotated[
        bool, typer.Option("--exact", help="Attack all records instead of a sample of targets.")
    ] = False,
    key: Annotated[
        str, typer.Option("--key", help="Match records by this column instead of their order.")
    ] = "",
    control: Annotated[
        Path | None,
        typer.Option("--control", help="File of people who are not in MASKED (control group)."),
    ] = None,
    loss: Annotated[str, typer.Option("--loss", help=help_of("loss"))] = "",
    keep_table: options.KeepTable = None,
    keep_model: options.KeepModel = None,
    keep_indicator: options.KeepIndicator = None,
    use: options.Use = None,
    replicates: options.Replicates = "",
    page: Annotated[
        Path | None,
        typer.Option("--page", help="Write a page (HTML) of k-marginals, similarity, analyses."),
    ] = None,
    profile: options.Profile = "strict",
    in_parts: options.InParts = False,
    workers: options.Workers = 1,
    cluster: options.Cluster = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    *,
    source: options.Source,
) -> None:
    """Measure information loss and disclosure risk of MASKED against ORIGINAL."""
    from evomask.runs.measure import Measuring, measure_files, write_similarity_page
    from evomask.runs.store.preserved_analyses import parse_analyses

    if explain:
        _explain(explain, as_json=json)
        return
    if original is None or masked is None:
        raise typer.BadParameter("give ORIGINAL and MASKED, or --explain NAME")
    progress(f"measuring {masked} against {original}", quiet=quiet)
    if in_parts or original.is_dir():
        from evomask.outofcore.measure import MeasurePartsJob, measure_parts

        outofcore.refuse(
            measures=measures, exact=exact, key=key, loss=loss, control=control,
            keep_table=keep_table, keep_model=keep_model, keep_indicator=keep_indicator, use=use,
            replicates=replicates,
            page=page, profile="" if profile == "strict" else profile,
        )  # fmt: skip
        job = MeasurePartsJob(source(original), masked)
        outcome = outofcore.run_chunked(measure_parts, job, workers, cluster, quiet=quiet)
    else:
        if workers > 1 or cluster:
            raise ParameterError("--workers and --cluster need --in-parts")
        how = Measuring(
            measures=options.names(measures),
            profile=profile,
            exact=exact,
            keep=replace(
                parse_analyses(keep_table, keep_model, keep_indicator, use), replicates=replicates
            ),
            key=key,
            loss=loss,
            control=control,
        )
        outcome = measure_files(source(original), masked, how)
        if page is not None:
            write_similarity_page(outcome, masked.name, page, inputs=(original, masked))
    notes(outcome.notes, quiet=quiet)
    say_json(outcome.as_json()) if json else say(_text(outcome))


def _text(outcome: "MeasureOutcome") -> str:
    from evomask.report.population import population_lines
    from evomask.runs.measure import explain

    size = f"{outcome.records} records, {len(outcome.attributes)} attributes"
    lines = [
        f"{size}; all in percent, lower is better",
        f"{'loss':<16}{outcome.loss:8.2f}  information loss",
        *_loss_lines(outcome),
        *_risk_lines(outcome),
        f"{'score, mean':<16}{outcome.score_mean:8.2f}",
        f"{'score, worst':<16}{outcome.score_worst:8.2f}",
        "",
        *(f"{f'loss of {name}':<16}{value:8.2f}" for name, value in outcome.losses.items()),
        "",
        *_similarity_lines(outcome),
    ]
    for name, value in outcome.measures.items():
        targets = outcome.sampled.get(name)
        sample = f" (a sample of {targets} records)" if targets else ""
        lines.append(f"{name:<16}{value:8.2f}  {explain(name).title}{sample}")
    lines += ["", *population_lines(outcome.population)] if outcome.population else []
    for statistic in outcome.kept:
        lines += ["", *analysis_lines(statistic)]
    return "\n".join(lines)


LOSS_PARTS = {
    "accuracy": "accuracy of single values",
    "distributions": "distribution of each attribute",
    "relations": "dependence between attributes",
}
"""Names of the parts of the loss as they are printed."""


def _loss_lines(outcome: "MeasureOutcome") -> list[str]:
    parts = outcome.loss_parts
    if parts is None:
        return []
    return [f"{'':<16}{getattr(parts, name):8.2f}  {title}" for name, title in LOSS_PARTS.items()]


def _similarity_lines(outcome: "MeasureOutcome") -> list[str]:
    near = outcome.similarity
    if near is None:
        return []
    ratio = f"propensity score error, {near.pmse_ratio:.2f} times that of records drawn anew"
    lines = [
        f"{'pMSE':<16}{near.pmse:8.5f}  {ratio}",
        f"{'SPECKS':<16}{near.specks:8.2f}  distance of the propensity scores of both files",
    ]
    if near.marginals.two is not None:
        three = near.marginals.three
        title = "k-marginal score of all pairs of columns, 1000 is the original"
        title += "" if three is None else f"; of three columns {three:.1f}"
        lines.append(f"{'k-marginals':<16}{near.marginals.two:8.1f}  {title}")
    for model in near.transfers:
        title = f"{model.measure} of {model.target} on the original, by a model of masked records"
        title += f"; of original ones {model.trained_on_original:.2f}"
        lines.append(f"{'train on masked':<16}{model.trained_on_masked:8.2f}  {title}")
    for one in near.columns:
        title = f"Hellinger distance of {one.name}"
        if one.wasserstein is not None:
            title += f"; Wasserstein {one.wasserstein:.2f} % of its standard deviation"
        lines.append(f"{'hellinger':<16}{one.hellinger:8.2f}  {title}")
    return [*lines, ""]


def _risk_lines(outcome: "MeasureOutcome") -> list[str]:
    from evomask.report.scenarios import part_titles

    risk, before = outcome.assessment, outcome.original
    if risk is None or before is None:
        profile = f"disclosure risk (profile {outcome.profile})"
        return [f"{'risk':<16}{outcome.risk:8.2f}  {profile}"]
    expected = f"about {risk.expected:.0f} of {risk.records}; the original: {before.risk:.2f}"
    lines = [f"{'risk':<16}{risk.risk:8.2f}  disclosures by the strongest intruder, {expected}"]
    titles = part_titles(risk.confidential.attribute if risk.confidential else "")
    for name, part in risk.parts.items():
        text = f"{titles[name]}, by an intruder who {part.sentence}"
        lines.append(f"{'':<16}{part.percent:8.2f}  {text}")
    if len(risk.scenarios) > 1:
        for scenario in risk.scenarios:
            lines.append(f"{'':<16}{scenario.risk:8.2f}  scenario {scenario.name}")
    if risk.control:
        lines.append(f"{'':<16}{'':8}  beyond a control group of {risk.control} people")
    if risk.is_sampled:
        targets = f"{risk.people} targets were attacked, a fixed sample"
        lines.append(f"{'':<16}{'':8}  {targets}; standard error {risk.worst.error:.2f}")
    return lines


def _explain(name: str, *, as_json: bool) -> None:
    from evomask.runs.measure import every_measure, explain

    measures = every_measure() if name == "all" else (explain(name),)
    if as_json:
        explained = [_as_json(about) for about in measures]
        say_json({"measures": explained} if name == "all" else explained[0])
        return
    for about in measures:
        low, high = (
            f"{limit:g}" if isfinite(limit) else "any number" for limit in (about.low, about.high)
        )
        say(f"{about.name}: {about.title}")
        say(f"    {about.meaning}")
        say(f"    {about.side}, from {low} to {high}, {about.direction}")


def _as_json(about: "Explanation") -> dict[str, object]:
    return {
        "name": about.name,
        "title": about.title,
        "side": str(about.side),
        "meaning": about.meaning,
        "direction": str(about.direction),
        "range": [about.low, about.high if isfinite(about.high) else None],
    }
