"""What is known of the points of a front besides loss and risk: measures, models, attacks."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
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
ATTACKED = 5
"""How many points are attacked where no clock runs; the chosen one is among them."""


def findings(
    points: Sequence[Candidate],
    shop: Workshop,
    make: Callable[[int], Table],
    known: Mapping[int, Found],
    seconds: float | None,
) -> dict[int, Found]:
    """What is known of each point, the first in full, the others as far as time allows.

    Args:
        points: the most important first.
        make: the file of a point.
        known: what was found before.
        seconds: how long it may take; without a limit all points are looked at and a few
            of them attacked.
    """
    ends = None if seconds is None else time.monotonic() + seconds
    attacked = {one.number for one in points[:ATTACKED]}
    found = {ORIGINAL: known.get(ORIGINAL) or _looked_at(shop, shop.table)}
    for place, one in enumerate(points):
        late = ends is not None and time.monotonic() >= ends
        if one.number in known:
            found[one.number] = known[one.number]
        elif place == 0 or not late:
            wanted = one.number in attacked and not (late and place)
            found[one.number] = _looked_at(shop, make(one.number), attack=wanted)
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


def _looked_at(shop: Workshop, masked: Table, *, attack: bool = False) -> Found:
    names = shop.table.schema.quasi_identifiers
    measures = applicable(shop.table.schema, names, len(shop.table))
    values = {name: measure.against(shop.table)(masked) for name, measure in measures.items()}
    found = audit(masked, shop.table if attack else None, in_order=True)
    return Found(values, replace(found, notes=()))
