"""Looking closely at the points of a front: all measures, privacy models, held-out attacks."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

import msgspec

from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.evolution.stopping import Budget
from evomask.masking.making import Making
from evomask.measures.attacks.audit import audit
from evomask.measures.catalogue import applicable
from evomask.measures.keeping.keeping import Kept
from evomask.measures.measure import Measure
from evomask.measures.people import SEARCHING
from evomask.portfolio.front import ORIGINAL, Candidate
from evomask.portfolio.members import left_out
from evomask.portfolio.state import PortfolioState, without_a_turn
from evomask.portfolio.worker import Maker
from evomask.record.protection import (
    Choice,
    Files,
    Finding,
    PointFile,
    Protection,
    fingerprint,
    point_file,
)
from evomask.record.words import completed
from evomask.runs.kept.deadline import LOOK, Deadline
from evomask.runs.kept.events import Checked, Events, Phase
from evomask.runs.kept.keeping import not_compared
from evomask.searches.search import File

FINDINGS = "findings.json"
SLOW = ("prl-one-to-one",)
FEW = 1000
"""Above so many records, measures that are slow are left out."""

ATTACKED = 2
"""How many points are attacked where no clock runs; the chosen one is among them."""

JUDGED, POINT = "judging", "looking closely"
LONG = {"prl": 8.0, "rsrl": 2.0, "inference": 0.5, "dbrl": 0.4, "dld": 0.4, "id": 0.3}
"""What measures take that are left out for lack of time, where measuring the original takes 1."""


def findings(
    points: Sequence[Candidate],
    original: Table,
    files: Files,
    known: Mapping[int, Finding],
    deadline: Deadline | None,
    *,
    attack: bool = True,
    each: Callable[[int], None] = lambda _: None,
) -> dict[int, Finding]:
    """What is known of each point, the first in any case, the others as far as time allows.

    Args:
        points: the most important first.
        files: makes the file of a point.
        known: what was found before.
        deadline: when all must be done; without one all points are looked at.
        attack: whether points are attacked, without a deadline the first few; where they are not,
            the search was stopped, and only the first is looked at.
        each: called with the number of each point that was looked at.
    """
    found = {ORIGINAL: Finding({}, audit(original, clock=deadline))}
    look = _Looking(original, deadline)
    for place, point in enumerate(points):
        late = place > 0 and not (attack and (deadline is None or deadline.allows(POINT)))
        wanted = attack and not late and (place < ATTACKED or deadline is not None)
        before = _of_this_file(known.get(point.number), point, files, is_first=place == 0)
        if before and (before.audit.attacks or not wanted):
            found[point.number] = before
        elif not late:
            found[point.number] = look.at(files(point.number), attack=wanted)
            each(point.number)
    return found


def _of_this_file(
    before: Finding | None, point: Candidate, files: Files, *, is_first: bool
) -> Finding | None:
    """What was found before, unless it was found of another file; the first point is looked up."""
    if before is None or not is_first:
        return before
    return before if before.file == fingerprint(files(point.number).masked) else None


def read_findings(folder: Path) -> dict[int, Finding]:
    """What a folder tells of its points; nothing where it cannot be read."""
    try:
        return msgspec.json.decode((folder / FINDINGS).read_bytes(), type=dict[int, Finding])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def encode_findings(found: Mapping[int, Finding]) -> bytes:
    """What is known of points, as a file keeps it."""
    return msgspec.json.encode(dict(found))


@dataclass(frozen=True, eq=False)
class _Looking:
    """Looks closely at files, as far as time allows.

    Args:
        unmasked: what attacks on the original achieve, by name.
    """

    original: Table
    deadline: Deadline | None
    unmasked: dict[str, float] = field(default_factory=dict)

    def at(self, file: PointFile, *, attack: bool) -> Finding:
        """All measures, privacy models, and attacks where they are wanted; what is long last."""
        with self.deadline.timing(POINT) if self.deadline else nullcontext():
            values = dict(self._measures(file, long=False))
            found = audit(
                file.masked, self.original if attack else None, in_order=True,
                unmasked=self.unmasked, clock=self.deadline,
            )  # fmt: skip
            values |= self._measures(file, long=True)
        values = {name: values[name] for name in measures_of(self.original) if name in values}
        repaired = file.repaired.values()
        mended = sum(repaired) / len(repaired)
        return Finding(values, replace(found, notes=()), mended, fingerprint(file.masked))

    def _measures(self, file: PointFile, *, long: bool) -> Iterator[tuple[str, float]]:
        for name, measure in measures_of(self.original).items():
            if (name in LONG) is not long:
                continue
            if self.deadline is None or not long:
                yield name, measure.against(self.original)(file.masked)
            elif self.deadline.allows(name, LONG[name]):
                with self.deadline.timing(name):
                    yield name, measure.against(self.original)(file.masked)


def measures_of(original: Table) -> dict[str, Measure]:
    """The measures that a masked file is described by, by name."""
    measures = applicable(original.schema, original.schema.quasi_identifiers, len(original))
    few = len(original) <= FEW
    return {name: measure for name, measure in measures.items() if few or name not in SLOW}


def skipped(points: Sequence[Candidate], found: Mapping[int, Finding], table: Table) -> str:
    """What there was no time for, in a sentence; nothing where all was done.

    Args:
        points: the chosen one first.
    """
    chosen = found[points[0].number]
    attacks = chosen.audit.skipped
    measures = [name for name in measures_of(table) if name not in chosen.measures]
    others = sum(
        not (point.number in found and found[point.number].audit.attacks) for point in points[1:]
    )
    parts = [
        f"attacks on the chosen file ({', '.join(attacks)})" if attacks else "",
        f"measures of it ({', '.join(measures)})" if measures else "",
        f"attacks on {others} of the {len(points) - 1} other points" if others else "",
    ]
    parts = [part for part in parts if part]
    return f"there was no time left for {' and '.join(parts)}; allow more" if parts else ""


@dataclass(frozen=True)
class Found:
    """What a search left behind: its last state, and when each round ended.

    Args:
        unfinished: whether there is something left to try, and a budget for it.
        deadline: when all must be written; none where no clock runs.
    """

    state: PortfolioState
    times: tuple[float, ...]
    unfinished: bool = False
    deadline: Deadline | None = None


MOST_JUDGED = 8
"""Points that are judged again, at most, until the choice stays."""


def settled(maker: Maker, found: Found, choose: Callable[[PortfolioState], Choice]) -> Found:
    """What was found, the point that will be chosen judged by more people than the others.

    A sample of people may flatter a point. So the chosen one is judged by a larger sample, and
    the choice made again, until it stays or there is no more time.
    """
    state, deadline = found.state, found.deadline
    for _ in range(MOST_JUDGED):
        if deadline is not None and not deadline.allows(JUDGED, beyond=LOOK):
            break
        try:
            candidate = choose(state).candidate
        except ParameterError:  # no point is within the bounds: whoever chooses says so
            break
        if candidate.judged is None or candidate.judged.people > SEARCHING:
            break
        with deadline.timing(JUDGED) if deadline else nullcontext():
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
    looked_at: list[int] = []

    def each(number: int) -> None:
        looked_at.append(number)
        events.tell(Checked(number, len(looked_at), len(points)))

    results = findings(
        points, maker.table, files, known, found.deadline, attack=not found.unfinished, each=each
    )
    hurry = skipped(points, results, maker.table) if found.deadline and not found.unfinished else ""
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
        _original(maker, chosen.errors, found.deadline),
        results,
        (*_about(maker, state), *filter(None, [hurry, not_compared(front) if kept else ""])),
        found.unfinished,
        kept,
    )


def _repaired(finding: Finding | None) -> float | None:
    """Percent of a file's cells that repairing changed, where that was counted."""
    return finding.repaired if finding else None


def _original(maker: Maker, errors: Iterable[str], deadline: Deadline | None) -> Candidate:
    """The original as a candidate; the statistics that must survive have no error in it.

    It is judged by more people, as the chosen point is, where there is time for that.
    """
    before = maker.original
    judged = before.judged
    if deadline is None or deadline.allows(JUDGED, 1.0):
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
    notes = (*dropped, *maker.guarantees.notes, *more)
    return (*notes, _about_trials(maker, state)) if state.trials else notes


def _about_trials(maker: Maker, state: PortfolioState) -> str:
    """That recipes were tried on a sample first, and on how many records."""
    promoted = sum(row.files for row in state.rounds)
    return (
        f"{state.trials} maskings were tried on a sample of {len(maker.sample)} records, and "
        f"{promoted} made and measured on the whole file, the most promising first"
    )


def _made_trees(maker: Maker) -> tuple[str, ...]:
    """Whose value trees nobody gave."""
    schema = maker.table.schema
    made = [name for name in maker.hierarchies if not schema[name].hierarchy]
    if not made:
        return ()
    names = f"{', '.join(made[:8])}{' and others' if len(made) > 8 else ''}"
    return (f"hierarchies were made for {names}; the schema can name better ones",)
