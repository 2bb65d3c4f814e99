"""What came of a search, put together: the chosen point and why, the audit, who did what."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from evomask.data.schema import Role
from evomask.io.tables import Written
from evomask.portfolio.candidate import ORIGINAL, Candidate, balanced
from evomask.portfolio.members import left_out
from evomask.portfolio.portfolio import shares
from evomask.portfolio.state import PortfolioState
from evomask.portfolio.worker import Workshop
from evomask.record.descriptions import described
from evomask.runs.findings import findings
from evomask.runs.front import pick
from evomask.runs.patience import without_a_turn
from evomask.runs.protected import Found, OperatorTally, Protected, ProtectJob
from evomask.searches.search import File


def concluded(
    job: ProtectJob,
    shop: Workshop,
    state: PortfolioState,
    times: Sequence[float],
    known: Mapping[int, Found],
    seconds: float | None,
    *,
    attack: bool = True,
) -> Protected:
    """All that is known after a search; nothing is written yet.

    Args:
        times: seconds used at the end of each round.
        known: what was found out about points before.
        seconds: how long the audit may take.
    """
    done = _summed_up(job, shop, state, times)
    others = sorted((one for one in done.front if one != done.chosen), key=lambda one: one.worst)
    points = [done.chosen, *others]
    found = findings(points, done, known, seconds, attack=attack)
    told = {
        one.number: described(one, found.get(one.number), state, job.requirement) for one in points
    }
    front = tuple(told[one.number] for one in done.front)
    return replace(done, found=found, front=front, chosen=told[done.chosen.number])


def _summed_up(
    job: ProtectJob, shop: Workshop, state: PortfolioState, times: Sequence[float]
) -> Protected:
    before = shop.measured(shop.table)
    by_time = dict(enumerate(_each(times))) if job.budget.seconds is not None else None
    return Protected(
        job=job,
        schema=shop.table.schema,
        seed=shop.seed,
        records=len(shop.table),
        original=Candidate(ORIGINAL, "the original file", before.loss, before.risk, "", "", ""),
        candidates=tuple(state.candidates),
        front=state.front,
        chosen=pick(state.front, job.pick, balanced(state.front)),
        reason=reason_for(job.pick),
        written=Written(job.source.path, len(shop.table), 0),
        seconds=times[-1] if times else 0.0,
        notes=_about(shop, job, state),
        history=tuple(state.rounds),
        times=tuple(times),
        shares=shares(state, by_time),
        operators=_tallied(state),
        closed=dict(state.closed),
        shop=shop,
        genomes=state.genomes,
    )


def reason_for(wish: str) -> str:
    """Why a point is chosen, in words."""
    measure, _, limit = wish.removeprefix("max-").partition("=")
    if limit:
        other = "loss" if measure == "risk" else "risk"
        return f"the smallest {other} among points with a {measure} of at most {limit} %"
    if wish == "knee":
        return "the knee: beyond it, a little less of one costs much of the other"
    if wish in ("best", "balanced"):
        part = "the larger of loss and risk is the smallest found"
        return f"the balanced point: {part}, to a tenth of a percent"
    return "the point that was named"


def _each(times: Sequence[float]) -> list[float]:
    return [float(value) for value in np.diff(times, prepend=0.0)]


def _tallied(state: PortfolioState) -> tuple[OperatorTally, ...]:
    """What every operator brought about, by member."""
    front = {one.number for one in state.front}
    rows = []
    for name, inner in state.members.items():
        for operator, births in inner.ledger.births.items():
            files = [c for c in state.candidates if (c.member, c.operator) == (name, operator)]
            rows.append(
                OperatorTally(
                    name,
                    operator,
                    sum(row.children for row in births),
                    sum(row.entered for row in births),
                    sum(row.improved for row in births),
                    len(files),
                    sum(one.number in front for one in files),
                )
            )
    return tuple(rows)


def _about(shop: Workshop, job: ProtectJob, state: PortfolioState) -> tuple[str, ...]:
    """What a user should know of what was left out."""
    table = shop.table
    identifiers = table.schema.with_role(Role.IDENTIFIER)
    dropped = (f"identifiers left out: {', '.join(identifiers)}",) if identifiers else ()
    refused = sum(row.refused for row in state.rounds)
    some = (f"{refused} maskings could not be made or repaired and were left out",)
    apart = left_out(File(table, job.requirement, job.profile, shop.hierarchies))
    idle = without_a_turn(state, list(shop.settings.members))
    return (*dropped, *shop.guarantees.notes, *apart, *(some if refused else ()), *idle)
