"""What happened, line by line: one line a generation, and every decision taken by the clock."""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from errno import ENOSPC
from math import isfinite
from pathlib import Path
from typing import IO, Any, Protocol

from evomask.errors import RunError
from evomask.evolution.brood import Brood, Outcomes
from evomask.evolution.state import State
from evomask.io.files import for_owner

NEVER = 1e12
"""More seconds than any run takes."""


class Account(Protocol):
    """A row of named numbers about one generation."""

    def _asdict(self) -> dict[str, Any]: ...


class Moment(Protocol):
    """Anything that goes from generation to generation."""

    @property
    def generation(self) -> int:
        """Its number, from 0."""
        ...

    @property
    def summary(self) -> Account:
        """How the run stands at its end."""
        ...


class Journal:
    """An account of a run, in memory and, where a path is given, in a file.

    The clock is read once a generation and written down before anything is decided by it. A
    resumed run goes over generations that were written down already: it takes their times and
    decisions from here, and the clock goes on where it stopped.

    Args:
        now: seconds from any fixed point.
    """

    def __init__(self, path: Path | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._times: list[float] = []
        self._notes: dict[str, Any] = {}
        self._path = path
        if path is not None and path.exists():
            _cut_torn_line(path)
            self._read(path)
        self._origin = now() - self.seconds

    @property
    def seconds(self) -> float:
        """The time used by the last generation that was written down."""
        return self._times[-1] if self._times else 0.0

    def start(self) -> None:
        """Let the clock run from now: before the first evaluation."""
        self._origin = self._now() - self.seconds

    def time_at(self, state: Moment) -> float:
        """The time used when the state was reached."""
        return self._times[state.generation]

    def took(self, generation: int) -> float:
        """The time that one generation took."""
        return self._times[generation] - (self._times[generation - 1] if generation else 0.0)

    @property
    def times(self) -> tuple[float, ...]:
        """The time used at the end of each generation."""
        return tuple(self._times)

    def require(self, state: Moment) -> None:
        """Refuse a journal that ends before the state it should tell of."""
        if state.generation >= len(self._times):
            raise RunError("the journal of this run is gone or cut short; start the run again")

    def observe(
        self, before: State[Any], brood: Brood[Any], outcomes: Outcomes[Any], after: State[Any]
    ) -> None:
        """Write a line for a new generation; one that is gone over again only sets the clock."""
        self.tell(after)

    def tell(self, after: Moment) -> None:
        """The same, where nobody tells how the generation came about."""
        if after.generation < len(self._times):
            self.start()
            return
        self._times.append(self._now() - self._origin)
        self._write({**after.summary._asdict(), "seconds": self.seconds})

    def decide(self, name: str, compute: Callable[[], float]) -> float:
        """A number decided by the clock: computed once, written down, and the same ever after."""
        if name not in self._notes:
            self.note(name, compute())
        value: float = self._notes[name]
        return value

    def note(self, name: str, value: object) -> None:
        """Write down something to be found again when the run is resumed."""
        self._notes[name] = value
        self._write({"note": name, "value": value})
        self.sync()

    @property
    def notes(self) -> Mapping[str, Any]:
        """What was noted and decided, by name."""
        return dict(self._notes)

    def noted(self, name: str) -> Any:  # noqa: ANN401
        """What was noted under a name, which a whole journal has."""
        if name not in self._notes:
            raise RunError("the journal of this run is gone or cut short; start the run again")
        return self._notes[name]

    def sync(self) -> None:
        """Make sure that all lines are on the disk."""
        if self._path is not None:
            with _as_run_error(self._path), self._path.open("rb") as file:
                os.fsync(file.fileno())

    def keep(self, entry: dict[str, Any]) -> None:
        """Write down an event; nothing is decided by it."""
        self._write(entry)

    def _write(self, entry: dict[str, Any]) -> None:
        if self._path is not None:
            line = json.dumps(plain(entry), allow_nan=False).encode() + b"\n"
            with _as_run_error(self._path), _opened(self._path) as file:
                before = file.tell()
                if file.write(line) < len(line):
                    file.truncate(before)
                    raise OSError(ENOSPC, os.strerror(ENOSPC))

    def _read(self, path: Path) -> None:
        with _as_run_error(path):
            lines = path.read_bytes().splitlines()
        for number, line in enumerate(lines, 1):
            try:
                self._take(json.loads(line))
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                raise RunError(f"line {number} of {path} is damaged; start the run again") from None

    def _take(self, entry: dict[str, Any]) -> None:
        """Take a line in; an error where it holds something else."""
        if "note" in entry:
            self._notes[entry["note"]] = entry["value"]
        elif "event" not in entry:
            seconds = entry["seconds"]
            if not isinstance(seconds, int | float) or not 0 <= seconds < NEVER:
                raise ValueError("no time")
            self._times.append(seconds)


def _opened(path: Path) -> IO[bytes]:
    """The journal to add to, a file that only its owner may read."""
    return open(path, "ab", buffering=0, opener=for_owner)


@contextmanager
def _as_run_error(path: Path) -> Iterator[None]:
    """Say in a sentence that the journal cannot be used, and that the run can go on from it."""
    try:
        yield
    except OSError as error:
        raise RunError(
            f"{path} cannot be used: {error.strerror or error}; mend that, then go on with "
            f"`evomask resume {path.parent}`"
        ) from None


def plain(value: Any) -> Any:  # noqa: ANN401
    """The value with None for every number that is not finite, as JSON wants it."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def _cut_torn_line(path: Path) -> None:
    """Drop what a kill left after the last whole line."""
    with _as_run_error(path), path.open("r+b") as file:
        file.truncate(file.read().rfind(b"\n") + 1)
