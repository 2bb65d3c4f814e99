"""Record linkage of masked records to originals under changes of single cells.

One changed cell moves one masked record, so one record is linked anew: O(candidates) at
worst, usually far less because the walk ends with the first nearer record.
"""

from typing import NamedTuple

import numpy as np

from evomask.arrays import Codes, Floats, Indices, Points
from evomask.kernels.compiler import (
    OWN_CODE_ROWS,
    OWN_FLOATS,
    OWN_INDICES,
    OWN_POINTS,
    REAL,
    TRUTH,
    WHOLE,
    bundle,
    inner,
)
from evomask.kernels.filled import reals
from evomask.kernels.linking.linkage import ties_with_own
from evomask.kernels.tracked.memory import Memory, add_real, write_whole


class Version(NamedTuple):
    """Where one version of a masked file, as it is or renamed, begins in a memory."""

    codes: int
    ties: int
    linked: int
    """One number: what all links count."""

    near: int
    """Distance of the nearest masked record, half after half, person after person."""

    tied: int
    close: int
    success: int


VERSION = bundle(Version, *[WHOLE] * len(Version._fields))


class Linkage(NamedTuple):
    """The distinct original records, as in the kernels of linkage, and the rule of ties."""

    numbers: Points
    codes: Codes
    counts: Indices
    line: Floats
    own: Indices
    plain: bool
    weights: Floats
    missing: float
    tables: Floats
    starts: Indices
    widths: Indices
    rule: Floats
    """What 0, 1, 2, … tied records count."""

    origin: Floats
    direction: Floats
    """The line; empty where there is none."""

    values: int
    """Where the masked numbers begin in a memory."""


LINKAGE = bundle(
    Linkage, OWN_POINTS, OWN_CODE_ROWS, OWN_INDICES, OWN_FLOATS, OWN_INDICES, TRUTH, OWN_FLOATS,
    REAL, OWN_FLOATS, OWN_INDICES, OWN_INDICES, OWN_FLOATS, OWN_FLOATS, OWN_FLOATS, WHOLE,
)  # fmt: skip


@inner
def _ties(facts: Linkage, memory: Memory, version: Version, record: int) -> int:
    """How many originals are as near to a masked record as its own; 0 if any is nearer."""
    d, c, n = facts.numbers.shape[0], facts.codes.shape[1], facts.own.size
    numbers, codes = np.empty((1, d)), np.empty((1, c), dtype=np.int32)
    plain = facts.plain
    place = 0.0 if facts.direction.size else np.nan
    for a in range(d):
        value = memory.reals[facts.values + a * n + record]
        numbers[0, a] = value
        plain = plain and not np.isnan(value)
        if facts.direction.size:
            place += (value - facts.origin[a]) * facts.direction[a]
    for j in range(c):
        codes[0, j] = memory.wholes[version.codes + j * n + record]
    return ties_with_own(
        numbers, numbers, codes, reals(1, place), facts.own[record : record + 1],
        facts.numbers, facts.numbers, facts.codes, facts.counts, facts.line, plain,
        facts.weights, facts.missing, facts.tables, facts.starts, facts.widths,
    )[0]  # fmt: skip


@inner
def link_again(facts: Linkage, memory: Memory, version: Version, record: int) -> None:
    """Link one record that has changed."""
    before = memory.wholes[version.ties + record]
    after = _ties(facts, memory, version, record)
    if after != before:
        write_whole(memory, version.ties + record, after)
        add_real(memory, version.linked, facts.rule[after] - facts.rule[before])


@inner
def link_all(facts: Linkage, memory: Memory, version: Version) -> None:
    """Link every record; not noted in the memory."""
    total = 0.0
    for record in range(facts.own.size):
        ties = _ties(facts, memory, version, record)
        memory.wholes[version.ties + record] = ties
        total += facts.rule[ties]
    memory.reals[version.linked] = total


@inner
def linked_share(facts: Linkage, memory: Memory, version: Version) -> float:
    """Masked records nearest to their own original (DBRL), in percent."""
    return 100.0 * memory.reals[version.linked] / facts.own.size
