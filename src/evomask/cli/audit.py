"""``evomask audit``: what a masked file gives away, also to intruders no search has seen."""

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli import parts as in_parts_of
from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import notes, say, say_json
from evomask.errors import ParameterError

if TYPE_CHECKING:
    from evomask.runs.audit import AuditOutcome

INDENT = "    "


@examples(
    "evomask audit masked.csv --quasi age,sex,region --confidential health",
    "evomask audit masked.csv --original survey.csv --schema survey.toml   # attacked, too",
)
@options.with_data_options
def audit(
    masked: Annotated[Path, typer.Argument(metavar="MASKED", help="The masked records.")],
    original: Annotated[
        Path | None, typer.Option("--original", help="The original ones: attack MASKED with them.")
    ] = None,
    minimum: Annotated[
        int, typer.Option("--minimum", min=1, help="Fewest records in a cell of the histogram.")
    ] = 10,
    workers: options.Workers = 1,
    cluster: options.Cluster = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    *,
    source: options.Source,
) -> None:
    """Audit MASKED: privacy models, risk of its records, and attacks if the original is given."""
    from evomask.cli.terminal.live import busy

    if masked.is_dir():
        from evomask.runs.parts.auditing import AuditPartsJob

        job = AuditPartsJob(source(masked), original, minimum)
        _tell(in_parts_of.audit(job, workers, cluster, quiet=quiet), json=json, quiet=quiet)
        return

    if workers > 1 or cluster:
        raise ParameterError("--workers and --cluster help where MASKED is a folder of parts")
    with busy(f"auditing {masked}", quiet=quiet):
        from evomask.runs.audit import AuditJob, audit_files

        outcome = audit_files(AuditJob(source(masked), original, minimum))
    _tell(outcome, json=json, quiet=quiet)


def _tell(outcome: "AuditOutcome", *, json: bool, quiet: bool) -> None:
    notes(outcome.notes, quiet=quiet)
    say_json(outcome.as_json()) if json else say(_in_words(outcome))


def _in_words(outcome: "AuditOutcome") -> str:
    parts = [_models(outcome), _histogram(outcome)]
    parts += [_households(outcome)] if outcome.households else []
    parts += [_special_uniques(outcome)] if outcome.special else []
    if outcome.attacks:
        parts.append(_attacks(outcome))
    else:
        parts.append(["nothing was attacked: give the original with --original"])
    return "\n\n".join("\n".join(lines) for lines in parts)


def _models(outcome: "AuditOutcome") -> list[str]:
    lines = [
        f"{outcome.records} records, {len(outcome.quasi_identifiers)} quasi-identifiers",
        f"{'k':<12}{outcome.k:8}  records in the smallest class of look-alikes; higher is better",
        f"{'uniques':<12}{outcome.uniques:8}  records that look like no other; lower is better",
    ]
    for name, privacy in outcome.confidential.items():
        least = f"values of {name} in the least varied class"
        apart = f"how far {name} in a class is from the whole file, 0 to 1"
        lines += [
            f"{'l':<12}{privacy.l:8}  {least}; higher is better",
            f"{'l, entropy':<12}{privacy.l_entropy:8.2f}  the same, rare values counting less",
            f"{'t':<12}{privacy.t:8.2f}  {apart}; lower is better",
        ]
    return lines + _suppressed(outcome)


def _suppressed(outcome: "AuditOutcome") -> list[str]:
    if not outcome.suppressed:
        return []
    total = sum(outcome.suppressed.values())
    names = [f"{name} {count}" for name, count in outcome.suppressed.items()]
    return [fill(f"{total} suppressed cells: {', '.join(names)}", 96, subsequent_indent=INDENT)]


def _histogram(outcome: "AuditOutcome") -> list[str]:
    risk = outcome.record_risk
    taken = f"a sample weighted by {risk.weight}" if risk.weight else "the whole population"
    top = [
        f"chance to identify a record: {risk.average:.2f} percent on average; lower is better",
        f"expected re-identifications: {risk.expected:.2f} of {outcome.records} records",
        f"(the file taken as {taken}; cells with fewer than {risk.minimum} records are merged)",
    ]
    return top + _cells([(c.low, c.high, c.records) for c in risk.cells], "records", " %")


def _cells(cells: list[tuple[float, float, int]], noun: str, unit: str = "") -> list[str]:
    return [f"{f'{low:g} to {high:g}{unit}':<16}{count:8} {noun}" for low, high, count in cells]


def _households(outcome: "AuditOutcome") -> list[str]:
    risk = outcome.households
    if risk is None:
        return []
    chance = f"chance to identify any member of a household: {risk.average:.2f} percent on average"
    top = [
        f"{chance}; lower is better",
        f"expected households with a re-identification: {risk.expected:.2f} of {risk.households}",
        f"(households by {risk.household}; averaged over records {risk.of_records:.2f} percent)",
    ]
    return top + _cells([(c.low, c.high, c.households) for c in risk.cells], "households", " %")


def _special_uniques(outcome: "AuditOutcome") -> list[str]:
    found = outcome.special
    if found is None or not found.records:
        return ["special uniques (SUDA2): no record is unique on any attributes"]
    sets = [f"{size}: {count}" for size, count in enumerate(found.sets, 1) if count]
    shares = [f"{name} {share:.0f}" for name, share in found.contributions.items()]
    partly = found.largest < len(outcome.quasi_identifiers)
    some = f"up to {found.largest} attributes" if partly else "some attributes"
    share = f"the file taken as {100 * found.fraction:.2g} percent of the population"
    chance = f"{found.average:.2f} percent on average, {found.expected:.2f} records expected"
    top = [
        f"special uniques (SUDA2): {found.records} records are unique on {some}",
        f"minimal sets by number of attributes: {', '.join(sets)}",
        f"part in the scores in percent: {', '.join(shares)}",
        f"chance of a right match (DIS): {chance}; {share}",
    ]
    lines = [fill(line, 96, subsequent_indent=INDENT) for line in top]
    lines += _cells([(c.low, c.high, c.records) for c in found.cells], "records", " %")
    lines += ["scores, higher for fewer attributes (above 0):"]
    return lines + _cells([(c.low, c.high, c.records) for c in found.scores], "records")


def _attacks(outcome: "AuditOutcome") -> list[str]:
    lines = [
        "attacks that no search has seen, in percent, lower is better",
        f"{'':<24}{'masked':>9}{'guessing':>10}{'original':>10}",
    ]
    for finding in outcome.attacks:
        about, success = finding.about, finding.success
        numbers = f"{success.value:9.2f}{success.baseline:10.2f}{finding.unmasked:10.2f}"
        more = [f"{name.replace('_', ' ')} {share:.2f}" for name, share in success.details.items()]
        more += [f"with {', '.join(success.attributes)}"] if success.attributes else []
        meaning = f"{about.meaning} ({'; '.join(more)})" if more else about.meaning
        lines.append(f"{about.name:<24}{numbers}")
        lines.append(fill(meaning, 96, initial_indent=INDENT, subsequent_indent=INDENT))
    return lines
