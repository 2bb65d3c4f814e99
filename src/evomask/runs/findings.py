"""What is known of the points of a front besides loss and risk: measures, models, attacks."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

import msgspec

from evomask.io.files import replace_file
from evomask.measures.attacks.audit import audit
from evomask.measures.catalogue import applicable
from evomask.portfolio.candidate import ORIGINAL, Candidate
from evomask.runs.protected import Found, Protected

FINDINGS = "findings.json"
SLOW = ("prl-one-to-one",)
FEW = 1000
"""Above so many records, measures that are slow are left out."""

ATTACKED = 3
"""How many points are attacked where no clock runs; the chosen one is among them."""


def findings(
    points: Sequence[Candidate],
    done: Protected,
    known: Mapping[int, Found],
    seconds: float | None,
    *,
    attack: bool = True,
) -> dict[int, Found]:
    """What is known of each point, the first in any case, the others as far as time allows.

    Args:
        points: the most important first.
        done: where their files are made.
        known: what was found before.
        seconds: how long it may take; without a limit all points are looked at.
        attack: whether points are attacked: without a limit of time the first few.
    """
    ends = inf if seconds is None else time.monotonic() + seconds
    found = {ORIGINAL: Found({}, audit(done.table))}
    for place, one in enumerate(points):
        late = place > 0 and time.monotonic() >= ends
        wanted = attack and not late and (place < ATTACKED or seconds is not None)
        before = known.get(one.number)
        if before and (before.audit.attacks or not wanted):
            found[one.number] = before
        elif not late:
            found[one.number] = _looked_at(done, one.number, attack=wanted)
    return found


def read_findings(folder: Path) -> dict[int, Found]:
    """What a folder tells of its points; nothing where it cannot be read."""
    try:
        return msgspec.json.decode((folder / FINDINGS).read_bytes(), type=dict[int, Found])
    except (OSError, msgspec.DecodeError):
        return {}


def write_findings(folder: Path, found: Mapping[int, Found]) -> None:
    """Keep what is known of points."""
    content = msgspec.json.encode(dict(found))
    replace_file(folder / FINDINGS, lambda file: file.write(content))


def _looked_at(done: Protected, number: int, *, attack: bool) -> Found:
    original, masked = done.table, done.masked(number)
    measures = applicable(original.schema, original.schema.quasi_identifiers, len(original))
    values = {
        name: measure.against(original)(masked)
        for name, measure in measures.items()
        if len(original) <= FEW or name not in SLOW
    }
    found = audit(masked, original if attack else None, in_order=True)
    repaired = done.repaired[number].values()
    return Found(values, replace(found, notes=()), sum(repaired) / len(repaired))
