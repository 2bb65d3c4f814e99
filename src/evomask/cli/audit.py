"""``evomask audit``: disclosure risk of a masked file, and held-out attacks on it."""

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli import outofcore
from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import notes, say, say_json
from evomask.errors import ParameterError

if TYPE_CHECKING:
    from evomask.runs.audit import AuditOutcome

INDENT = "    "


@examples(
    "evomask audit masked.csv --quasi age,sex,region --confidential health",
    "evomask audit masked.csv --original survey.csv --schema survey.toml   # with attacks",
    "evomask audit masked.csv --original survey.csv --control others.csv --quasi age,sex",
    "evomask audit may.csv june.csv --original survey.csv --quasi age,sex   # two releases",
)
@options.with_data_options
def audit(
    masked: Annotated[
        list[Path],
        typer.Argument(
            metavar="MASKED...",
            help="Masked file; further ones are attacked together with it as several releases.",
        ),
    ],
    original: Annotated[
        Path | None,
        typer.Option("--original", help="Original file: adds attacks by record linkage."),
    ] = None,
    control: Annotated[
        Path | None,
        typer.Option(
            "--control",
            help="Original records of people who are not in MASKED: attacks count beyond these.",
        ),
    ] = None,
    minimum: Annotated[
        int, typer.Option("--minimum", min=1, help="Fewest records in a bin of a histogram.")
    ] = 10,
    workers: options.Workers = 1,
    cluster: options.Cluster = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    *,
    source: options.Source,
) -> None:
    """Audit MASKED: privacy models, record-level risk, and attacks if the original is given."""
    from evomask.cli.terminal.live_view import busy

    first, *others = masked
    if (control or others) and original is None:
        raise ParameterError("--control and several masked files need --original")
    if first.is_dir():
        if control or others:
            raise ParameterError("a folder of chunks is audited alone and without --control")
        from evomask.outofcore.measure import AuditPartsJob, audit_parts

        job = AuditPartsJob(source(first), original, minimum)
        outcome = outofcore.run_chunked(audit_parts, job, workers, cluster, quiet=quiet)
    else:
        if workers > 1 or cluster:
            raise ParameterError("--workers and --cluster need MASKED to be a folder of chunks")
        with busy(f"auditing {first}", quiet=quiet):
            from evomask.runs.audit import audit_files

            outcome = audit_files(source(first), original, minimum, control, tuple(others))
    notes(outcome.notes, quiet=quiet)
    say_json(outcome.as_json()) if json else say(_text(outcome))


def _text(outcome: "AuditOutcome") -> str:
    from evomask.report.population import population_lines

    sections = [_models(outcome), _record_risk(outcome)]
    if outcome.households:
        sections.append(_households(outcome))
    sections.append(population_lines(outcome.population))
    if outcome.special:
        sections.append(_special_uniques(outcome))
    if outcome.attacks:
        sections.append(_attacks(outcome))
    else:
        sections.append(["no attacks were run: give the original file with --original"])
    return "\n\n".join("\n".join(lines) for lines in sections)


def _models(outcome: "AuditOutcome") -> list[str]:
    lines = [
        f"{outcome.records} records, {len(outcome.quasi_identifiers)} quasi-identifiers",
        f"{'k':<12}{outcome.k:8}  records in the smallest equivalence class; higher is better",
        f"{'uniques':<12}{outcome.uniques:8}  sample uniques; lower is better",
    ]
    for name, privacy in outcome.confidential.items():
        distance = f"largest distance of {name} in a class from the file (0 to 1)"
        lines += [
            f"{'l':<12}{privacy.l:8}  fewest values of {name} in a class; higher is better",
            f"{'l, entropy':<12}{privacy.l_entropy:8.2f}  the same by entropy; higher is better",
            f"{'t':<12}{privacy.t:8.2f}  {distance}; lower is better",
        ]
    if outcome.suppressed:
        total = sum(outcome.suppressed.values())
        counts = ", ".join(f"{name} {count}" for name, count in outcome.suppressed.items())
        lines.append(_wrapped(f"{total} suppressed cells: {counts}"))
    return lines


def _record_risk(outcome: "AuditOutcome") -> list[str]:
    risk = outcome.record_risk
    population = f"a sample weighted by {risk.weight}" if risk.weight else "the whole population"
    average = f"{risk.average:.2f} percent on average; lower is better"
    merged = f"bins with fewer than {risk.minimum} records are merged"
    return [
        f"re-identification risk of a record: {average}",
        f"expected re-identifications: {risk.expected:.2f} of {outcome.records} records",
        f"(the file is treated as {population}; {merged})",
        *_bins([(c.low, c.high, c.records) for c in risk.cells], "records", " %"),
    ]


def _bins(bins: list[tuple[float, float, int]], noun: str, unit: str = "") -> list[str]:
    return [f"{f'{low:g} to {high:g}{unit}':<16}{count:8} {noun}" for low, high, count in bins]


def _households(outcome: "AuditOutcome") -> list[str]:
    risk = outcome.households
    if risk is None:
        return []
    average = f"{risk.average:.2f} percent on average; lower is better"
    return [
        f"re-identification risk of a household (any of its records): {average}",
        f"risk of the most exposed member: {risk.most_exposed:.2f} percent on average",
        f"expected households with a re-identification: {risk.expected:.2f} of {risk.households}",
        f"(households by {risk.household}; averaged over records {risk.of_records:.2f} percent)",
        *_bins([(c.low, c.high, c.households) for c in risk.cells], "households", " %"),
    ]


def _special_uniques(outcome: "AuditOutcome") -> list[str]:
    found = outcome.special
    if found is None or not found.records:
        return ["special uniques (SUDA2): no record is unique on any attributes"]
    sets = [f"{size}: {count}" for size, count in enumerate(found.sets, 1) if count]
    shares = [f"{name} {share:.0f}" for name, share in found.contributions.items()]
    is_partial = found.largest < len(outcome.quasi_identifiers)
    some = f"up to {found.largest} attributes" if is_partial else "some attributes"
    risk = f"{found.average:.2f} percent on average, {found.expected:.2f} records expected"
    fraction = f"sampling fraction {100 * found.fraction:.2g} percent"
    return [
        _wrapped(f"special uniques (SUDA2): {found.records} records are unique on {some}"),
        _wrapped(f"minimal sample uniques by number of attributes: {', '.join(sets)}"),
        _wrapped(f"contribution to the scores in percent: {', '.join(shares)}"),
        _wrapped(f"probability of a correct match (DIS-SUDA): {risk}; {fraction}"),
        *_bins([(c.low, c.high, c.records) for c in found.cells], "records", " %"),
        "scores, higher for fewer attributes (above 0):",
        *_bins([(c.low, c.high, c.records) for c in found.scores], "records"),
    ]


def _attacks(outcome: "AuditOutcome") -> list[str]:
    lines = [
        "held-out attacks (not used by any search), in percent of people, lower is better",
        "gain: success beyond the control group, or beyond guessing, with a 95 % interval",
        f"{'':<24}{'success':>9}{'control':>9}{'gain':>8}{'interval':>18}{'original':>10}",
    ]
    for attack in outcome.attacks:
        numbers = f"{attack.success:9.2f}{attack.control:9.2f}{attack.gain:8.2f}"
        interval = "{:.2f} to {:.2f}".format(*attack.interval)
        before = "" if attack.unmasked is None else f"{attack.unmasked:10.2f}"
        more = [f"{attack.targets} people"]
        more += [f"control group of {attack.control_people}"] if attack.is_controlled else []
        more += [f"{name.replace('_', ' ')} {share:.2f}" for name, share in attack.details.items()]
        more += [f"with {', '.join(attack.attributes)}"] if attack.attributes else []
        lines += [
            f"{attack.name:<24}{numbers}{interval:>18}{before}",
            _wrapped(f"{attack.sentence} ({'; '.join(more)})", INDENT),
        ]
    if strongest := outcome.strongest:
        least = f"its gain is at least {max(0.0, strongest.interval[0]):.2f} points"
        lines.append(_wrapped(f"strongest attack: {strongest.title}; {least}"))
    return lines


def _wrapped(text: str, start: str = "") -> str:
    return fill(text, 96, initial_indent=start, subsequent_indent=INDENT)
