"""The order of released parts: drawn by the system, over the whole file, and by no seed.

Every record draws the part that it is released in; then the records of every part are shuffled.
All orders of the whole file are equally likely. What is drawn hangs on a key that lies in the
folder while the work goes on, so that whoever goes on after a kill draws the same.
"""

import secrets
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evomask.arrays import Indices
from evomask.execution.evaluator import Evaluators
from evomask.io.aligned import gathered, released_rows, scattered
from evomask.io.files import OWNER_ALONE, replace_file
from evomask.io.parts import Parts, keep_matrix, part_name, write_part
from evomask.runs.parts.closing import DONE, LAST
from evomask.runs.parts.opening import Opened
from evomask.runs.parts.steps import MASKED, ORDER, WORK, Result, Step, Told, carried_out

KEY = "order.key"
BITS = 256


@dataclass(frozen=True, eq=False)
class Scattering:
    """Sends every record of a part to one that it is released in.

    Args:
        masked: the records in the order of the original, with a note of those left out.
        parts: how many parts are released.
    """

    masked: Parts
    parts: int
    folder: str
    key: int

    def __call__(self, number: int) -> Result:
        """Where the records of each part end in the file that they lie in, in bytes."""
        frame, places = released_rows(self.masked.read(number))
        rng = np.random.default_rng([self.key, 0, number])
        goals = rng.integers(0, self.parts, len(places))
        sizes = np.bincount(goals, minlength=self.parts)
        cuts = np.split(places[np.argsort(goals, kind="stable")], np.cumsum(sizes)[:-1])
        first = sum(place.records for place in self.masked.places[:number])
        ends = scattered(_scattered(self.folder, number), frame, cuts, first)
        return {"records": len(places), "ends": ends}


@dataclass(frozen=True, eq=False)
class Gathering:
    """Puts a released part together.

    Args:
        starts: the byte where each released part begins in every file of scattered records, a
            row a file.
        keep_order: whether it is kept which original record stands where.
    """

    folder: str
    starts: Indices
    key: int
    dropped: tuple[str, ...]
    keep_order: bool = False

    def __call__(self, number: int) -> Result:
        """The part as it is released, and its hash."""
        cuts = [(int(s[number]), int(s[number + 1])) for s in self.starts]
        paths = [_scattered(self.folder, part) for part in range(len(cuts))]
        rng = np.random.default_rng([self.key, 1, number])
        frame, places = gathered(paths, cuts, rng.permutation)
        if self.keep_order:
            keep_matrix(Path(self.folder) / ORDER / f"part-{number:06}.npy", places)
        file = f"{MASKED}/{part_name(number)}"
        written = write_part(frame.drop(self.dropped), Path(self.folder) / file)
        return {"records": len(places), "file": file, "sha256": written}


def shuffled(
    file: Opened, masked: Parts, evaluators: Evaluators, told: Told, *, keep_order: bool = False
) -> None:
    """Write the released parts, the records of the whole file in random order."""
    folder, count = str(file.folder), len(masked)
    (file.folder / DONE).unlink(missing_ok=True)
    key = _key(file.folder / WORK / KEY)
    if keep_order:
        (file.folder / ORDER).mkdir(mode=0o700, exist_ok=True)
    scattering = Scattering(masked, count, folder, key)
    rows = carried_out(Step(folder, "scatter", scattering), count, evaluators, told)
    starts = np.array([[0, *row["ends"]] for row in rows], dtype=np.int64)
    gathering = Gathering(folder, starts, key, file.dropped, keep_order)
    carried_out(Step(folder, "mask", gathering), count, evaluators, told)


def _key(path: Path) -> int:
    """The key of an order that was begun, or a new one; no part stays that another key ordered."""
    if not path.exists():
        for other in path.parent.glob(f"{LAST}*.json"):
            other.unlink(missing_ok=True)
        text = secrets.token_hex(BITS // 8).encode()
        replace_file(path, lambda file: file.write(text))
        path.chmod(OWNER_ALONE)
    return int(path.read_bytes(), 16)


def _scattered(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"scattered-{number:06}.arrow"
