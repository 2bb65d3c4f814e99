"""Looking closely at the points of a front: all measures, privacy models, held-out attacks."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import inf
from pathlib import Path

import msgspec

from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.evolution.stopping import Budget
from evomask.io.files import replace_file
from evomask.masking.method import Making
from evomask.measures.attacks.audit import audit
from evomask.measures.catalogue import applicable
from evomask.measures.keeping.keeping import Kept
from evomask.measures.people import SEARCHING
from evomask.portfolio.front import ORIGINAL, Candidate
from evomask.portfolio.members import left_out
from evomask.portfolio.state import PortfolioState, without_a_turn
from evomask.portfolio.worker import Maker
from evomask.record.protection import Choice, Files, Finding, PointFile, Protection, point_file
from evomask.record.words import completed
from evomask.runs.kept.events import Checked, Events, Phase
from evomask.searches.search import File

FINDINGS = "findings.json"
SLOW = ("prl-one-to-one",)
FEW = 1000
"""Above so many records, measures that are slow are left out."""

ATTACKED = 2
"""How many points are attacked where no clock runs; the chosen one is among them."""


def findings(
    points: Sequence[Candidate],
    original: Table,
    files: Files,
    known: Mapping[int, Finding],
    seconds: float | None,
    *,
    attack: bool = True,
    each: Callable[[int], None] = lambda _: None,
) -> dict[int, Finding]:
    """What is known of each point, the first in any case, the others as far as time allows.

    Args:
        points: the most important first.
        files: makes the file of a point.
        known: what was found before.
        seconds: how long it may take; without a limit all points are looked at.
        attack: whether points are attacked: without a limit of time the first few.
        each: called with the number of each point that was looked at.
    """
    ends = inf if seconds is None else time.monotonic() + seconds
    found = {ORIGINAL: Finding({}, audit(original))}
    unmasked: dict[str, float] = {}
    for place, point in enumerate(points):
        late = place > 0 and time.monotonic() >= ends
        wanted = attack and not late and (place < ATTACKED or seconds is not None)
        before = known.get(point.number)
        if before and (before.audit.attacks or not wanted):
            found[point.number] = before
        elif not late:
            file = files(point.number)
            found[point.number] = _looked_at(original, file, unmasked, attack=wanted)
            each(point.number)
    return found


def read_findings(folder: Path) -> dict[int, Finding]:
    """What a folder tells of its points; nothing where it cannot be read."""
    try:
        return msgspec.json.decode((folder / FINDINGS).read_bytes(), type=dict[int, Finding])
    except (OSError, msgspec.DecodeError):
        return {}


def write_findings(folder: Path, found: Mapping[int, Finding]) -> None:
    """Keep what is known of points."""
    content = msgspec.json.encode(dict(found))
    replace_file(folder / FINDINGS, lambda file: file.write(content))


def _looked_at(
    original: Table, file: PointFile, unmasked: dict[str, float], *, attack: bool
) -> Finding:
    measures = applicable(original.schema, original.schema.quasi_identifiers, len(original))
    values = {
        name: measure.against(original)(file.masked)
        for name, measure in measures.items()
        if len(original) <= FEW or name not in SLOW
    }
    found = audit(
        file.masked, original if attack else None, in_order=True, unmasked=unmasked
    )  # fmt: skip
    repaired = file.repaired.values()
    return Finding(values, replace(found, notes=()), sum(repaired) / len(repaired))


@dataclass(frozen=True)
class Found:
    """What a search left behind: its last state, and when each round ended.

    Args:
        unfinished: whether there is something left to try, and a budget for it.
    """

    state: PortfolioState
    times: tuple[float, ...]
    unfinished: bool = False


FOR_AUDIT = 0.1
"""Share of the seconds that is kept for looking closely."""


def for_search(budget: Budget) -> Budget:
    """The budget without what is kept for the audit."""
    if budget.seconds is None:
        return budget
    return replace(budget, seconds=budget.seconds * (1.0 - FOR_AUDIT))


def for_audit(budget: Budget, used: float) -> float | None:
    """Seconds that are left for the audit; none where no clock runs."""
    return None if budget.seconds is None else max(0.0, budget.seconds - used)


MOST_JUDGED = 8
"""Points that are judged again, at most, until the choice stays."""


def settled(maker: Maker, found: Found, choose: Callable[[PortfolioState], Choice]) -> Found:
    """What was found, the point that will be chosen judged by more people than the others.

    A sample of people may flatter a point. So the chosen one is judged by a larger sample, and
    the choice made again, until it stays.
    """
    state = found.state
    for _ in range(MOST_JUDGED):
        try:
            candidate = choose(state).candidate
        except ParameterError:  # no point is within the bounds: whoever chooses says so
            break
        if candidate.judged is None or candidate.judged.people > SEARCHING:
            break
        judged = maker.judged(point_file(maker, state, candidate.number).masked)
        if judged is None:
            break
        finer = replace(candidate, risk=judged.risk, judged=judged)
        front = tuple(finer if c.number == candidate.number else c for c in state.front)
        state = replace(state, front=front)
    return replace(found, state=state)


def examined(
    maker: Maker,
    budget: Budget,
    found: Found,
    choice: Choice,
    known: Mapping[int, Finding],
    events: Events,
    kept: Kept | None = None,
) -> Protection:
    """The protection with all that is known of its points, the chosen one first.

    A search that was stopped is not attacked: its budget is not used up.
    """
    state, chosen = found.state, choice.candidate
    files = cache(partial(point_file, maker, state))
    others = sorted((c for c in state.front if c != chosen), key=lambda candidate: candidate.worst)
    points = [chosen, *others]
    events.begin(Phase.AUDITING, f"looking closely at {len(points)} points")
    seconds = 0.0 if found.unfinished else for_audit(budget, found.times[-1])
    looked_at: list[int] = []

    def each(number: int) -> None:
        looked_at.append(number)
        events.tell(Checked(number, len(looked_at), len(points)))

    results = findings(
        points, maker.table, files, known, seconds, attack=not found.unfinished, each=each
    )
    front = tuple(
        completed(c, state, _repaired(results.get(c.number)), maker.settings.requirement)
        for c in state.front
    )
    return Protection(
        maker,
        budget.seconds is not None,
        replace(state, front=front),
        found.times,
        files,
        _original(maker, chosen.errors),
        results,
        _about(maker, state),
        found.unfinished,
        kept,
    )


def _repaired(finding: Finding | None) -> float | None:
    """Percent of a file's cells that repairing changed, where that was counted."""
    return finding.repaired if finding else None


def _original(maker: Maker, errors: Iterable[str]) -> Candidate:
    """The original as a candidate; the statistics that must survive have no error in it."""
    before = maker.measured(maker.table)
    judged = maker.judged(maker.table) or before.judged
    risk = judged.risk if judged else before.risk
    none = dict.fromkeys(errors, 0.0)
    return Candidate(
        ORIGINAL, Making(), before.loss, risk, "", "", "", judged=judged, errors=none
    )  # fmt: skip


def _about(maker: Maker, state: PortfolioState) -> tuple[str, ...]:
    """What a user should know of what was left out."""
    table, settings = maker.table, maker.settings
    identifiers = table.schema.with_role(Role.IDENTIFIER, Role.HOUSEHOLD)
    dropped = (f"identifiers left out: {', '.join(identifiers)}",) if identifiers else ()
    refused = sum(row.refused for row in state.rounds)
    some = (f"{refused} maskings could not be made or repaired and were left out",)
    apart = left_out(File(table, settings.requirement, settings.profile, maker.hierarchies))
    idle = without_a_turn(state, settings.members)
    more = (*apart, *(some if refused else ()), *idle, *_made_trees(maker))
    return (*dropped, *maker.guarantees.notes, *more)


def _made_trees(maker: Maker) -> tuple[str, ...]:
    """Whose value trees nobody gave."""
    schema = maker.table.schema
    made = [name for name in maker.hierarchies if not schema[name].hierarchy]
    if not made:
        return ()
    names = f"{', '.join(made[:8])}{' and others' if len(made) > 8 else ''}"
    return (f"hierarchies were made for {names}; the schema can name better ones",)
