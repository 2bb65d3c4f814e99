"""A portfolio's run on disk: snapshots, and its front as a file of rows."""

import json
import time
from collections.abc import Mapping
from pathlib import Path

from evomask.errors import RunError
from evomask.evolution.checkpoint import arrays_as_bytes, write_whole
from evomask.io.fronts import front_as_parquet
from evomask.portfolio.candidate import Candidate
from evomask.portfolio.state import PortfolioState, load, save
from evomask.portfolio.worker import Workshop
from evomask.runs.journal import Journal
from evomask.runs.protected import Found
from evomask.runs.store import FRONT, KEPT_SNAPSHOTS, TIME_FOR_SNAPSHOTS, Store
from evomask.searches.search import RELEASED_DRAW


class Snapshots:
    """Takes a snapshot after a round unless that would take more than a share of the time."""

    def __init__(self, store: Store, shop: Workshop, journal: Journal) -> None:
        self._store = store
        self._shop = shop
        self._journal = journal
        self._not_before = 0.0

    def offer(self, state: PortfolioState) -> None:
        """Take one if it is time to."""
        if time.monotonic() >= self._not_before:
            self.take(state)

    def take(self, state: PortfolioState) -> None:
        """Take one; older ones than the last few go."""
        started = time.monotonic()
        self._journal.sync()
        save(self._store.folder / f"state-{state.generation:012d}.npz", state, self._shop)
        for old in self._store.snapshot_files()[KEPT_SNAPSHOTS:]:
            old.unlink()
        ended = time.monotonic()
        self._not_before = ended + (ended - started) / TIME_FOR_SNAPSHOTS


def newest_state(store: Store, shop: Workshop) -> PortfolioState:
    """The newest whole snapshot; an empty state where there is none."""
    for path in store.snapshot_files():
        try:
            return load(path, shop)
        except RunError:
            continue
    return PortfolioState()


def write_front(
    folder: Path, state: PortfolioState, found: Mapping[int, Found], shop: Workshop
) -> None:
    """Write the front's points with all that is needed to make their files again."""
    rows = [_row(one, state, found.get(one.number), shop) for one in state.front]
    write_whole(folder / FRONT, lambda file: file.write(front_as_parquet(rows)))


def _row(
    one: Candidate, state: PortfolioState, found: Found | None, shop: Workshop
) -> dict[str, object]:
    pack = shop.setup(one.member).problem.pack
    return {
        **one.as_point(),
        "member": one.member,
        "parameters": json.dumps(one.parameters, sort_keys=True),
        "serial": one.serial,
        "round": one.round,
        "draw": RELEASED_DRAW,
        "recipe": arrays_as_bytes(pack(state.genomes[one.number])),
        **(found.guarantees if found else {}),
        **(found.measures if found else {}),
    }
