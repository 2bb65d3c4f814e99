"""What is known of the points of a front besides loss and risk: measures, models, attacks."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

import msgspec

from evomask.data.table import Table
from evomask.evolution.checkpoint import write_whole
from evomask.measures.audit import audit
from evomask.measures.catalogue import applicable
from evomask.runs.candidates import ORIGINAL, Candidate
from evomask.runs.protected import Found
from evomask.runs.workshop import Workshop

FINDINGS = "findings.json"
SLOW = ("prl-one-to-one",)
FEW = 1000
"""Above so many records, measures that are slow are left out."""

ATTACKED = 3
"""How many points are attacked where no clock runs; the chosen one is among them."""


def findings(
    points: Sequence[Candidate],
    shop: Workshop,
    make: Callable[[Candidate], Table],
    known: Mapping[int, Found],
    seconds: float | None,
    *,
    attack: bool = True,
) -> dict[int, Found]:
    """What is known of each point, the first in any case, the others as far as time allows.

    Args:
        points: the most important first.
        make: the file of a point.
        known: what was found before.
        seconds: how long it may take; without a limit all points are looked at.
        attack: whether the first few are attacked.
    """
    ends = inf if seconds is None else time.monotonic() + seconds
    found = {ORIGINAL: Found({}, audit(shop.table))}
    for place, one in enumerate(points):
        late = place > 0 and time.monotonic() >= ends
        wanted = attack and place < ATTACKED and not late
        before = known.get(one.number)
        if before and (before.audit.attacks or not wanted):
            found[one.number] = before
        elif not late:
            found[one.number] = _looked_at(shop, make(one), attack=wanted)
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
    write_whole(folder / FINDINGS, lambda file: file.write(content))


def _looked_at(shop: Workshop, masked: Table, *, attack: bool) -> Found:
    names = shop.table.schema.quasi_identifiers
    measures = applicable(shop.table.schema, names, len(shop.table))
    values = {
        name: measure.against(shop.table)(masked)
        for name, measure in measures.items()
        if len(shop.table) <= FEW or name not in SLOW
    }
    found = audit(masked, shop.table if attack else None, in_order=True)
    return Found(values, replace(found, notes=()))
