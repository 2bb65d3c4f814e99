"""``evomask audit``: what a masked file gives away, also to intruders no search has seen."""

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli import options
from evomask.cli.output import notes, progress, say, say_json

if TYPE_CHECKING:
    from evomask.runs.audit import AuditOutcome

INDENT = "    "


@options.with_data_options
def audit(
    masked: Annotated[Path, typer.Argument(metavar="MASKED", help="The masked records.")],
    original: Annotated[
        Path | None, typer.Option("--original", help="The original ones: attack MASKED with them.")
    ] = None,
    minimum: Annotated[
        int, typer.Option("--minimum", min=1, help="Fewest records in a cell of the histogram.")
    ] = 10,
    json: options.Json = False,
    quiet: options.Quiet = False,
    *,
    source: options.Source,
) -> None:
    """Audit MASKED: privacy models, risk of its records, and attacks if the original is given."""
    from evomask.runs.audit import AuditJob, audit_files

    progress(f"auditing {masked}", quiet=quiet)
    outcome = audit_files(AuditJob(source(masked), original, minimum))
    notes(outcome.notes, quiet=quiet)
    say_json(outcome.as_json()) if json else say(_in_words(outcome))


def _in_words(outcome: "AuditOutcome") -> str:
    parts = [_models(outcome), _histogram(outcome)]
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
    return lines


def _histogram(outcome: "AuditOutcome") -> list[str]:
    risk = outcome.record_risk
    taken = f"a sample weighted by {risk.weight}" if risk.weight else "the whole population"
    top = [
        f"chance to identify a record: {risk.average:.2f} percent on average; lower is better",
        f"(the file taken as {taken}; cells with fewer than {risk.minimum} records are merged)",
    ]
    cells = [
        f"{f'{cell.low:g} to {cell.high:g} %':<16}{cell.records:8} records" for cell in risk.cells
    ]
    return top + cells


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
