"""Release of chunks: random record order, guarantees counted in the files, log, verification.

Every record draws the chunk in which it is released; then each chunk is shuffled, so all orders of
the whole file are equally likely. The draws use a key from the operating system, not a seed; it
stays in the folder until the work is finished, so that a resumed run draws the same order.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from evomask.errors import FileError, RunError
from evomask.execution.evaluator import Evaluators
from evomask.io.chunks import (
    Alike,
    Parts,
    alike_in,
    columns_in,
    hashes_of,
    histograms_in,
    keep_matrix,
    part_name,
    write_part,
)
from evomask.io.files import OWNER_ONLY, replace_file
from evomask.io.paired_chunks import gathered, rows_to_release, scattered
from evomask.measures.disclosure.privacy_models import Histogram, farthest, fewest_values
from evomask.outofcore.prepare import (
    MASKED,
    ORDER,
    PLAN,
    WORK,
    PreparedFile,
    Progress,
    Result,
    Step,
    run_step,
)
from evomask.runs.store.release import (
    LOG,
    SIGNATURE,
    PointId,
    append_entry,
    changed_files,
    file_hash,
    last_entry,
    read_lines,
)
from evomask.runs.store.run_folder import refuse_links
from evomask.runs.store.signature import read_key, sign
from evomask.runs.store.verify import CheckResult, Verification, check_log, check_signature
from evomask.types import Indices

DONE = "done.json"
"""File with the guarantees of finished chunks."""

LAST_STEP = "mask-"
"""Prefix of checkpoints of the last step; all others are temporary."""

ROUNDING = 1e-9
"""Tolerance for rounding when a distance is compared with t."""


ONLY_POINT = PointId(1, 0)
"""Identifier of the only candidate of a job without a front."""


class ConfidentialPromise(msgspec.Struct, frozen=True):
    """Guarantee on a confidential attribute in every equivalence class.

    Args:
        l: fewest distinct values.
        t: largest distance from its distribution in the whole file.
        ordered: whether the distance respects the order of the values.
        order: that order, if it is neither numerical nor alphabetical.
    """

    name: str
    l: int = 1  # noqa: E741
    t: float = 1.0
    ordered: bool = False
    order: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChunksPromise:
    """Guarantees of the released chunks.

    Args:
        names: quasi-identifiers that define equivalence classes.
        k: smallest class size.
        key: file of the key that signs the release.
        shuffled: whether the record order differs from the original.
        point: the released point of the front.
    """

    names: tuple[str, ...]
    k: int
    key: Path | None = None
    confidential: tuple[ConfidentialPromise, ...] = ()
    shuffled: bool = False
    point: PointId = ONLY_POINT


@dataclass(frozen=True)
class CountedGuarantees:
    """Equivalence classes, l and t counted in the written chunks."""

    alike: Alike
    l: int | None = None  # noqa: E741
    t: float | None = None


class DoneFile(msgspec.Struct, frozen=True):
    """Guarantees of finished chunks, to count them again later.

    Args:
        absent: identifiers, which no chunk may contain.
    """

    names: tuple[str, ...]
    k: int
    records: int
    absent: tuple[str, ...] = ()
    confidential: tuple[ConfidentialPromise, ...] = ()
    shuffled: bool = False


Files = Mapping[str, bytes]
NO_FILES: Callable[[CountedGuarantees], Files] = lambda _: {}  # noqa: E731


def finalize(
    file: PreparedFile,
    promised: ChunksPromise,
    more: Callable[[CountedGuarantees], Files] = NO_FILES,
) -> Alike:
    """Count the guarantees in the written files, write the log, delete temporary files.

    Raises if a guarantee does not hold.

    Args:
        more: builds further files of the release from the counts, by name.
    """
    folder = file.folder
    alike = alike_in(folder / MASKED, promised.names)
    if alike.least < promised.k:
        raise RunError(
            f"{folder / MASKED} has a class of {alike.least} records, and k = {promised.k} is "
            f"required; "
            "this is a defect, please report it"
        )
    if left := columns_in(folder / MASKED) & set(file.dropped):
        raise RunError(f"{folder / MASKED} holds {min(left)!r}; this is a defect, please report it")
    spreads = [worst_class(folder, promised.names, own) for own in promised.confidential]
    for own, (fewest, far) in zip(promised.confidential, spreads, strict=True):
        if fewest < own.l or far > own.t + ROUNDING:
            raise RunError(
                f"{folder / MASKED} has l = {fewest} and t = {far:.4f} of {own.name!r} where "
                f"l = {own.l} and t = {own.t:g} are required; this is a defect, please report it"
            )
    done = DoneFile(
        promised.names, alike.least, alike.records, file.dropped, promised.confidential,
        promised.shuffled,
    )  # fmt: skip
    _write(folder / DONE, msgspec.json.encode(done))
    counted = CountedGuarantees(
        alike,
        min((fewest for fewest, _ in spreads), default=None),
        max((far for _, far in spreads), default=None),
    )
    files = more(counted)
    for name, content in files.items():
        _write(folder / name, content)
    _write_log(folder, promised, files)
    for path in (folder / WORK).iterdir():
        if not path.name.startswith(LAST_STEP):
            path.unlink(missing_ok=True)
    return alike


def worst_class(folder: Path, names: Sequence[str], own: ConfidentialPromise) -> tuple[int, float]:
    """Fewest distinct values in a class, and largest distance of a class from the file."""
    fewest, far = 2**62, 0.0
    for histogram in class_histograms(folder / MASKED, names, own):
        fewest = min(fewest, fewest_values(histogram))
        far = max(far, farthest(histogram, ordered=own.ordered))
    return fewest, far


def class_histograms(
    path: Path, names: Sequence[str], own: ConfidentialPromise
) -> Iterator[Histogram]:
    """Histograms of values over equivalence classes, some classes at a time."""
    for of_class, value, counts, totals in histograms_in(path, names, own.name, own.order):
        sizes = np.bincount(of_class, counts).astype(np.int64)
        yield Histogram(of_class, value, counts, sizes, totals)


def _write_log(folder: Path, promised: ChunksPromise, more: Iterable[str]) -> None:
    """Append a log line with the hash of every file, and sign it if there is a key."""
    files = {f"{MASKED}/{name}": found for name, found in hashes_of(folder / MASKED).items()}
    files |= {name: file_hash(folder / name) for name in (PLAN, DONE, *more)}
    log = append_entry(folder, "released", promised.point, files)
    _write(folder / LOG, log)
    if promised.key is None:
        (folder / SIGNATURE).unlink(missing_ok=True)
    else:
        _write(folder / SIGNATURE, sign(log.splitlines()[-1], read_key(promised.key)))


def _write(path: Path, content: bytes) -> None:
    replace_file(path, lambda file: file.write(content))


KEY = "order.key"
BITS = 256


@dataclass(frozen=True, eq=False)
class ScatterTask:
    """Assigns every record of a chunk to the chunk in which it is released.

    Args:
        masked: the masked records in original order, with a flag for suppressed ones.
        parts: number of released chunks.
    """

    masked: Parts
    parts: int
    folder: str
    key: int

    def __call__(self, number: int) -> Result:
        frame, places = rows_to_release(self.masked.read(number))
        rng = np.random.default_rng([self.key, 0, number])
        goals = rng.integers(0, self.parts, len(places))
        sizes = np.bincount(goals, minlength=self.parts)
        cuts = np.split(places[np.argsort(goals, kind="stable")], np.cumsum(sizes)[:-1])
        first = sum(place.records for place in self.masked.places[:number])
        ends = scattered(_scattered(self.folder, number), frame, cuts, first)
        return {"records": len(places), "ends": ends}


@dataclass(frozen=True, eq=False)
class GatherTask:
    """Assembles a released chunk.

    Args:
        starts: first byte of each released chunk in every scattered file, one row per file.
        keep_order: whether the permutation is stored.
    """

    folder: str
    starts: Indices
    key: int
    dropped: tuple[str, ...]
    keep_order: bool = False

    def __call__(self, number: int) -> Result:
        cuts = [(int(s[number]), int(s[number + 1])) for s in self.starts]
        paths = [_scattered(self.folder, part) for part in range(len(cuts))]
        rng = np.random.default_rng([self.key, 1, number])
        frame, places = gathered(paths, cuts, rng.permutation)
        if self.keep_order:
            keep_matrix(Path(self.folder) / ORDER / f"part-{number:06}.npy", places)
        file = f"{MASKED}/{part_name(number)}"
        written = write_part(frame.drop(self.dropped), Path(self.folder) / file)
        return {"records": len(places), "file": file, "sha256": written}


def shuffle_chunks(
    file: PreparedFile,
    masked: Parts,
    evaluators: Evaluators,
    told: Progress,
    *,
    keep_order: bool = False,
) -> None:
    """Write the released chunks, the records of the whole file in random order."""
    folder, count = str(file.folder), len(masked)
    (file.folder / DONE).unlink(missing_ok=True)
    key = _order_key(file.folder / WORK / KEY)
    if keep_order:
        (file.folder / ORDER).mkdir(mode=0o700, exist_ok=True)
    scattering = ScatterTask(masked, count, folder, key)
    rows = run_step(Step(folder, "scatter", scattering), count, evaluators, told)
    starts = np.array([[0, *row["ends"]] for row in rows], dtype=np.int64)
    gathering = GatherTask(folder, starts, key, file.dropped, keep_order)
    run_step(Step(folder, "mask", gathering), count, evaluators, told)


def _order_key(path: Path) -> int:
    """The key of an order that was begun, or a new one, which discards older chunks."""
    if not path.exists():
        for other in path.parent.glob(f"{LAST_STEP}*.json"):
            other.unlink(missing_ok=True)
        text = secrets.token_hex(BITS // 8).encode()
        replace_file(path, lambda file: file.write(text))
        path.chmod(OWNER_ONLY)
    return int(path.read_bytes(), 16)


def _scattered(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"scattered-{number:06}.arrow"


def verify_parts(folder: Path, key: Path | None = None) -> Verification:
    """Count all guarantees of finished chunks again; writes nothing."""
    refuse_links(folder)
    secret = None if key is None else read_key(key)
    if not (folder / DONE).is_file() or not read_lines(folder):
        raise RunError(
            f"the run in {folder} is not finished; run the same command again to continue"
        )
    counted = _count_again(folder, read_done(folder))
    findings = (check_log(folder), _check_files(folder), *counted, check_signature(folder, secret))
    return Verification(folder, findings)


def read_done(folder: Path) -> DoneFile:
    """Return the guarantees of the finished chunks in a folder."""
    try:
        return msgspec.json.decode((folder / DONE).read_bytes(), type=DoneFile)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        raise RunError(f"{folder / DONE} was changed; mask the file again") from None


def _check_files(folder: Path) -> CheckResult:
    entry = last_entry(folder)
    named = set() if entry is None else set(entry.files)
    there = {f"{MASKED}/{path.name}" for path in (folder / MASKED).iterdir()}
    apart = sorted({*changed_files(folder), *(there - named)})
    others = f"changed, missing or added: {', '.join(apart)}" if apart else "as they were written"
    return CheckResult("parts", not apart, f"{len(there)} files, {others}")


def _count_again(folder: Path, done: DoneFile) -> Iterator[CheckResult]:
    try:
        alike, columns = alike_in(folder / MASKED, done.names), columns_in(folder / MASKED)
    except FileError:
        yield CheckResult("records", holds=False, text="cannot be read")
        return
    left = sorted(columns & set(done.absent))
    yield CheckResult("records", alike.records == done.records, f"{alike.records:,}")
    yield CheckResult(
        "k", alike.least >= done.k, f"the smallest equivalence class has {alike.least} records"
    )
    for own in done.confidential:
        fewest, far = worst_class(folder, done.names, own)
        holds = fewest >= own.l and far <= own.t + ROUNDING
        yield CheckResult(f"l, t of {own.name}", holds, f"l = {fewest}, t = {far:.4f}")
    yield CheckResult("identifiers", not left, f"released: {', '.join(left)}" if left else "none")
