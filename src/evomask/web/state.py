"""Everything that the answers of one server need."""

import asyncio
import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from evomask.web.commands import Commands
from evomask.web.desk import Desk
from evomask.web.guard import USUAL_LIMITS, Limits
from evomask.web.keys import Keyring
from evomask.web.queue import RunQueue
from evomask.web.workspace import Workspace

TURN = 0.3
"""Seconds between two looks at what waits."""

OWN = ".web"
"""The folder of the server's own: its key, its address, its lock."""


@dataclass
class Served:
    """A folder that is served: its files, its runs, work beside them, and who may come in."""

    folder: Path
    port: int
    at_once: int = 1
    limits: Limits = USUAL_LIMITS
    workspace: Workspace = field(init=False)
    queue: RunQueue = field(init=False)
    desk: Desk = field(init=False)
    keys: Keyring = field(init=False)
    commands: Commands = field(init=False)
    _turning: "asyncio.Task[None] | None" = None

    def __post_init__(self) -> None:
        self.workspace = Workspace(self.folder)
        own = self.folder / OWN
        own.mkdir(mode=0o700, exist_ok=True)
        self.keys = Keyring(own / "key")
        self.queue = RunQueue(self.folder, self.at_once)
        self.desk = Desk(self.folder, self.queue)
        self.commands = Commands()

    @property
    def cores(self) -> int:
        """How many processes this machine can work with at once."""
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1

    async def begin(self) -> None:
        """Look at what waits from now on; what a killed server left behind goes."""
        self.workspace.clear_away()
        for draft in (self.folder / OWN).glob("*.draft.*"):
            draft.unlink(missing_ok=True)
        self._turning = asyncio.ensure_future(self._turn())

    async def end(self) -> None:
        """Leave runs alone and end what is done beside them."""
        if self._turning is not None:
            self._turning.cancel()
            with suppress(asyncio.CancelledError):
                await self._turning
        self.queue.let_go()
        await self.commands.close()

    async def _turn(self) -> None:
        while True:
            with suppress(OSError):
                self.queue.turn()
            await asyncio.sleep(TURN)
