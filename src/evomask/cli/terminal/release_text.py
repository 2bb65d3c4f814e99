"""What ``protect`` and ``choose`` print: the front, three offers, loss and risk of the release."""

import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evomask.cli.terminal.output import analysis_summary, hanging

if TYPE_CHECKING:
    from evomask.report.protection import Protection
    from evomask.report.record import OfferNote, PointNote, PointsNote, ReleaseRecord
    from evomask.report.scenarios import ScenarioView
    from evomask.runs.protect import NothingReleasedError
    from evomask.runs.release import Release

LABEL = 13
"""Width of the labels before the lines of a result."""


def release_text(done: "Release") -> str:
    """Describe a release: front, offers, reason, loss, risk, and what was written."""
    protection, written, points = done.protection, done.written, done.record.points
    lines = [
        *_front_lines(protection, points, done.record.offers),
        *hanging("released     ", f"point {points.chosen.point}, {done.choice.reason}"),
        *offer_lines([one for one in done.record.offers if not one.suggested], done.folder),
        *_loss_lines(done.record),
        *_risk_lines(points.chosen, points.original, done.record.input.records),
        *(
            line
            for statistic in done.record.kept
            for line in hanging("preserved    ", analysis_summary(statistic))
        ),
        f"masked file  {written.path} ({written.records} records, shuffled)",
        f"reports      {done.reports.internal} (internal)",
        f"             {done.reports.public} (to publish)",
        *([f"recipe       {done.recipe} (evomask apply)"] if done.recipe else []),
        *hanging("time         ", _times(done)),
        *hanging("", f"the folder {done.folder} holds records and the seed; keep it confidential"),
    ]
    if protection.unfinished:
        lines.append(f"continue with: evomask resume {done.folder}")
    return "\n".join(lines)


def nothing_released_text(nothing: "NothingReleasedError") -> str:
    """Describe a run without a release: the reason, the front, and three offers."""
    from evomask.report.build import points_without_choice

    done, folder = nothing.protection, nothing.folder
    lines = [
        *_front_lines(done, points_without_choice(done), done.offers),
        *hanging("", f"NOTHING WAS RELEASED: {nothing}."),
        "What the front offers; the run is kept:",
        *offer_lines(done.offers, folder),
        f"to search longer: evomask resume {shlex.quote(str(folder))} --seconds 120",
    ]
    return "\n".join(lines)


def offer_lines(offers: "Sequence[OfferNote]", folder: Path) -> Iterator[str]:
    """Describe offers, each with what it means and the command that takes it."""
    for offer in offers:
        twins = [other.name for other in offers if other.point == offer.point]
        if twins[0] != offer.name:
            continue
        title = "the only one" if len(twins) == len(offers) > 1 else "/".join(twins)
        title = f"{title:<{LABEL}}" if len(title) < LABEL else f"{title} "
        values = f"point {offer.point}: loss {offer.loss:.1f} %, risk {offer.risk:.1f} %"
        beyond = " and ".join(f"{name} limit {limit:g} %" for name, limit in offer.beyond.items())
        yield from hanging(
            f"{title:<{LABEL}}", f"{values}{f' (above the {beyond})' * bool(beyond)}"
        )
        for sentence in offer.sentences:
            yield from hanging(" " * LABEL, sentence)
        yield f"{'':{LABEL}}{choose_command(offer, folder)}"


def choose_command(offer: "OfferNote", folder: Path) -> str:
    """The command that releases an offer."""
    flags = [f"--accept-{name}" for name in offer.beyond]
    words = ["evomask", "choose", str(folder), "--point", str(offer.point), *flags]
    return shlex.join(words)


def offers_as_json(offers: "Sequence[OfferNote]", folder: Path) -> list[dict[str, object]]:
    """Offers under the keys of the JSON output."""
    return [
        {
            "name": offer.name,
            "point": offer.point,
            "loss": offer.loss,
            "risk": offer.risk,
            "scenarios": offer.scenarios,
            "sentences": list(offer.sentences),
            "above_limit": offer.beyond,
            "suggested": offer.suggested,
            "command": choose_command(offer, folder),
        }
        for offer in offers
    ]


def _times(done: "Release") -> str:
    phases = ", ".join(f"{name} {took:.1f} s" for name, took in done.phases.items())
    searches = ", ".join(
        f"{name} {own.cost:.1f} s ({own.trials + own.files} evaluations)"
        for name, own in done.protection.efforts.items()
    )
    return f"{phases}; per search {searches}"


class _Column(NamedTuple):
    """A column of percentages, and the value of a point in it."""

    title: str
    value: float | None


def _columns(point: "PointNote") -> list[_Column]:
    """Return loss, risk and errors of preserved analyses, as far as known."""
    columns = [
        _Column("loss", point.loss),
        _Column("risk", point.risk),
        _Column("table", point.table_error),
        _Column("model", point.model_error),
        _Column("indic.", point.indicator_error),
        _Column("mean", point.analysis_error),
    ]
    return [column for column in columns if column.value is not None]


def _front_lines(
    done: "Protection", points: "PointsNote", offers: "Sequence[OfferNote]"
) -> Iterator[str]:
    """Format original, front and baselines, one line for each point."""
    stopped = ", stopped before the end of the budget" if done.unfinished else ""
    tried = f"{len(done.state.candidates)} candidates in {done.seconds:.1f} s{stopped}"
    yield f"{tried}; all in percent, lower is better"
    titles = "".join(f"{column.title:>7}" for column in _columns(points.chosen))
    yield f"{'':{LABEL - 1}}point{titles}  method"
    yield _front_line("original", "", points.original)
    in_order = sorted(offers, key=lambda offer: offer.name == "balanced")
    names: Mapping[int, str] = {offer.point: offer.name for offer in in_order}
    for point in points.view:
        is_released = points.chosen.point == point.point and bool(done.findings)
        name = names.get(point.point, "over" if point.breaks else "")
        mark = f"{'>' if is_released else ' '} {name}"
        yield _front_line(mark, str(point.point), point)
    for point in points.baselines:
        yield _front_line("baseline", "", point)
    more = len(points.front) - len(points.view)
    if more:
        yield f"  {more} more points trade loss for errors of analyses"
    if any(point.breaks for point in points.front):
        yield "  over: breaks a limit, and is released by its number only"


def _front_line(mark: str, number: str, point: "PointNote") -> str:
    values = "".join(f"{column.value:7.2f}" for column in _columns(point))
    start = f"{mark:<{LABEL - 1}}{number:>5}{values}  "
    width = max(20, shutil.get_terminal_size((80, 24)).columns - len(start))
    method = point.method
    return f"{start}{method if len(method) <= width else f'{method[: width - 1]}…'}".rstrip()


def _loss_lines(record: "ReleaseRecord") -> Iterator[str]:
    """Format the parts of the loss, and the analyses that will notice it."""
    from evomask.report.loss_parts import LOSS_PARTS, largest_pairs, relations_sentence

    parts = record.loss_parts
    if parts is None:
        return
    values = ", ".join(f"{name} {getattr(parts, name):.1f}" for name in LOSS_PARTS)
    loss = f"{record.chosen.loss:.1f} %: {values}. {relations_sentence(largest_pairs(parts))}"
    yield from hanging("loss         ", loss)


def _risk_lines(chosen: "PointNote", original: "PointNote", records: int) -> Iterator[str]:
    """Format the risk: the strongest intruder, every scenario, the control group."""
    from evomask.report.scenarios import control_sentence, scenario_views

    risk = chosen.parts
    if risk is None:
        return
    expected = f"about {risk.expected:.0f} individuals"
    intruder = f"disclosed to an intruder who {risk.attacker}"
    low, high = risk.interval or (chosen.risk, chosen.risk)
    interval = f" (95 % interval {low:.1f} to {high:.1f})" if low < high else ""
    yield from hanging("risk         ", f"{chosen.risk:.1f} %{interval}: {expected} {intruder}")
    yield f"             (the original: {original.risk:.1f} %)"
    scenarios = scenario_views(original.parts, risk, records)
    if scenarios:
        yield from _scenario_table(scenarios)
        for scenario in scenarios:
            yield from hanging("             ", scenario.sentence)
    yield from hanging("             ", control_sentence(risk.control))


def _scenario_table(scenarios: "Sequence[ScenarioView]") -> Iterator[str]:
    """Format the quantities of every scenario before and after."""
    width = max(len(row.title) for scenario in scenarios for row in scenario.rows) + 2
    yield f"{'':13}{'scenario':<{width}}{'before':>8}{'after':>8}{'people':>8}"
    for scenario in scenarios:
        largest = scenario.is_largest and len(scenarios) > 1
        yield f"{'':13}{scenario.name}{' (determines the risk)' if largest else ''}"
        for row in scenario.rows:
            before = f"{'':8}" if row.before is None else f"{row.before:8.2f}"
            yield f"{'':13}  {row.title:<{width - 2}}{before}{row.after:8.2f}{row.people or 0:8,}"
