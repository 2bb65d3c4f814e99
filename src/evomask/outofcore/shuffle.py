"""Random order of the records of a large file, before masking and at its release.

Every record draws a chunk; then each chunk is shuffled, so all orders of the whole file are equally
likely. Before masking by a recipe the draws use the seed, and every chunk becomes a random sample
of the file. At the release they use a key of the operating system, which stays in the folder until
the work is finished, so that a resumed run draws the same order.
"""

import secrets
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from evomask.execution.evaluator import Evaluators
from evomask.io.chunks import Parts, Place, keep_matrix, kept_matrix, part_name, write_part
from evomask.io.files import OWNER_ONLY, replace_file
from evomask.io.paired_chunks import gathered, rows_to_release, scattered
from evomask.outofcore.prepare import (
    DONE,
    LAST_STEP,
    MASKED,
    ORDER,
    WORK,
    PreparedFile,
    Progress,
    Result,
    Step,
    count_chunks,
    run_step,
)
from evomask.types import Indices

KEY = "order.key"
BITS = 256


@dataclass(frozen=True, eq=False)
class ScatterTask:
    """Assigns every record of a chunk to a chunk in the new order.

    Args:
        parts: chunks in the old order; a flag marks records that are left out.
        goals: number of chunks in the new order.
        prefix: of the scattered files.
    """

    parts: Parts
    goals: int
    folder: str
    key: int
    prefix: str

    def __call__(self, number: int) -> Result:
        frame, places = rows_to_release(self.parts.read(number))
        rng = np.random.default_rng([self.key, 0, number])
        goals = rng.integers(0, self.goals, len(places))
        sizes = np.bincount(goals, minlength=self.goals)
        cuts = np.split(places[np.argsort(goals, kind="stable")], np.cumsum(sizes)[:-1])
        first = sum(place.records for place in self.parts.places[:number])
        ends = scattered(_scattered(self.folder, self.prefix, number), frame, cuts, first)
        return {"records": len(places), "ends": ends}


@dataclass(frozen=True, eq=False)
class GatherTask:
    """Assembles a chunk in the new order.

    Args:
        starts: first byte of each chunk in every scattered file, one row per file.
        dropped: identifiers, which are left out.
        is_last: whether the chunk is released.
        keep_order: whether the positions of its records in the old order are stored.
        before: positions in an earlier order, one file per chunk, in place of the old order.
    """

    folder: str
    starts: Indices
    key: int
    dropped: tuple[str, ...]
    prefix: str
    is_last: bool = True
    keep_order: bool = False
    before: tuple[str, ...] = ()

    def __call__(self, number: int) -> Result:
        cuts = [(int(s[number]), int(s[number + 1])) for s in self.starts]
        paths = [_scattered(self.folder, self.prefix, part) for part in range(len(cuts))]
        rng = np.random.default_rng([self.key, 1, number])
        frame, places = gathered(paths, cuts, rng.permutation)
        if self.keep_order:
            if self.before:
                places = np.concatenate([kept_matrix(Path(path)) for path in self.before])[places]
            keep_matrix(_order(self.folder, number, is_last=self.is_last), places)
        frame = frame.drop(self.dropped, strict=False)
        if not self.is_last:
            write_part(frame, mixed_path(self.folder, number))
            return {"records": len(places)}
        file = f"{MASKED}/{part_name(number)}"
        written = write_part(frame, Path(self.folder) / file)
        return {"records": len(places), "file": file, "sha256": written}


def mix_chunks(
    file: PreparedFile, evaluators: Evaluators, told: Progress, *, keep_order: bool = False
) -> PreparedFile:
    """Return the file without its identifiers, in chunks that are random samples of it."""
    folder, count = str(file.folder), count_chunks(file.parts.records)
    scattering = ScatterTask(file.parts, count, folder, file.seed, "dealt")
    rows = run_step(Step(folder, "deal", scattering), len(file.parts), evaluators, told)
    gathering = GatherTask(
        folder, _starts(rows), file.seed, file.dropped, "dealt", is_last=False,
        keep_order=keep_order,
    )  # fmt: skip
    sizes = run_step(Step(folder, "mix", gathering), count, evaluators, told)
    columns = tuple(name for name in file.parts.columns if name not in file.dropped)
    places = (
        Place(str(mixed_path(folder, number)), 0, int(row["records"]))
        for number, row in enumerate(sizes)
    )
    return replace(file, parts=Parts(tuple(places), columns))


def shuffle_chunks(
    file: PreparedFile,
    masked: Parts,
    evaluators: Evaluators,
    told: Progress,
    *,
    keep_order: bool = False,
    is_mixed: bool = False,
) -> None:
    """Write the released chunks, the records of the whole file in random order.

    Args:
        is_mixed: whether the chunks were mixed before they were masked.
    """
    folder, count = str(file.folder), len(masked)
    (file.folder / DONE).unlink(missing_ok=True)
    key = _order_key(file.folder / WORK / KEY)
    if keep_order:
        (file.folder / ORDER).mkdir(mode=0o700, exist_ok=True)
    scattering = ScatterTask(masked, count, folder, key, "scattered")
    rows = run_step(Step(folder, "scatter", scattering), count, evaluators, told)
    before = tuple(str(_order(folder, n, is_last=False)) for n in range(count) if is_mixed)
    gathering = GatherTask(
        folder, _starts(rows), key, file.dropped, "scattered", keep_order=keep_order, before=before
    )
    run_step(Step(folder, "mask", gathering), count, evaluators, told)


def _starts(rows: list[Result]) -> Indices:
    return np.array([[0, *row["ends"]] for row in rows], dtype=np.int64)


def _order_key(path: Path) -> int:
    """The key of an order that was begun, or a new one, which discards older chunks."""
    if not path.exists():
        for other in path.parent.glob(f"{LAST_STEP}*.json"):
            other.unlink(missing_ok=True)
        text = secrets.token_hex(BITS // 8).encode()
        replace_file(path, lambda file: file.write(text))
        path.chmod(OWNER_ONLY)
    return int(path.read_bytes(), 16)


def _scattered(folder: str, prefix: str, number: int) -> Path:
    return Path(folder) / WORK / f"{prefix}-{number:06}.arrow"


def mixed_path(folder: str, number: int) -> Path:
    """File of a mixed chunk."""
    return Path(folder) / WORK / f"mixed-{number:06}.parquet"


def _order(folder: str, number: int, *, is_last: bool) -> Path:
    if is_last:
        return Path(folder) / ORDER / f"part-{number:06}.npy"
    return Path(folder) / WORK / f"mixed-{number:06}.npy"
