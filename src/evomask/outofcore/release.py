"""Release of chunks: guarantees counted in the files, log, verification."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from evomask.errors import FileError, RunError
from evomask.io.chunks import (
    Alike,
    alike_in,
    columns_in,
    hashes_of,
    histograms_in,
)
from evomask.io.files import replace_file
from evomask.measures.disclosure.privacy_models import Histogram, farthest, fewest_values
from evomask.outofcore.prepare import DONE, LAST_STEP, MASKED, PLAN, WORK, PreparedFile, remove_path
from evomask.report.record import ScenarioCheckNote
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


class ScenarioPromise(msgspec.Struct, frozen=True):
    """Guarantee against the intruder of a scenario.

    Args:
        sets: every set of attributes that the intruder may know exactly.
        k, l: what every class has; l of each of the confidential attributes that are not known.
        required: required models by name.
    """

    name: str
    sets: tuple[tuple[str, ...], ...]
    k: int = 1
    l: int = 1  # noqa: E741
    required: dict[str, float] = {}


@dataclass(frozen=True)
class ChunksPromise:
    """Guarantees of the released chunks.

    Args:
        names: quasi-identifiers that define equivalence classes.
        k: smallest class size.
        key: file of the key that signs the release.
        shuffled: whether the record order differs from the original.
        point: the released point of the front.
        scenarios: guarantees in each scenario.
    """

    names: tuple[str, ...]
    k: int
    key: Path | None = None
    confidential: tuple[ConfidentialPromise, ...] = ()
    shuffled: bool = False
    point: PointId = ONLY_POINT
    scenarios: tuple[ScenarioPromise, ...] = ()


@dataclass(frozen=True)
class CountedGuarantees:
    """Equivalence classes, l and t counted in the written chunks, also by scenario."""

    alike: Alike
    l: int | None = None  # noqa: E741
    t: float | None = None
    scenarios: tuple[ScenarioCheckNote, ...] = ()


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
    scenarios: tuple[ScenarioPromise, ...] = ()


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
    scenarios = [count_scenario(folder, one, promised.confidential) for one in promised.scenarios]
    for one, found in zip(promised.scenarios, scenarios, strict=True):
        if found.k < one.k or (found.l or one.l) < one.l:
            raise RunError(
                f"{folder / MASKED} has k = {found.k} and l = {found.l} in scenario {one.name!r}, "
                f"where k = {one.k} and l = {one.l} are required; this is a defect, please "
                "report it"
            )
    done = DoneFile(
        promised.names, alike.least, alike.records, file.dropped, promised.confidential,
        promised.shuffled, promised.scenarios,
    )  # fmt: skip
    _write(folder / DONE, msgspec.json.encode(done))
    counted = CountedGuarantees(
        alike,
        min((fewest for fewest, _ in spreads), default=None),
        max((far for _, far in spreads), default=None),
        tuple(scenarios),
    )
    files = more(counted)
    for name, content in files.items():
        _write(folder / name, content)
    _write_log(folder, promised, files)
    for path in (folder / WORK).iterdir():
        if not path.name.startswith(LAST_STEP):
            remove_path(path)
    return alike


def count_scenario(
    folder: Path, own: ScenarioPromise, confidential: Sequence[ConfidentialPromise]
) -> ScenarioCheckNote:
    """Count the classes of what an intruder knows in the written files."""
    least = min(alike_in(folder / MASKED, names).least for names in own.sets)
    values = [
        worst_class(folder, names, one)[0]
        for names in own.sets
        for one in (confidential if own.l > 1 else ())
        if one.name not in names
    ]
    return ScenarioCheckNote(own.name, least, min(values, default=None), None, own.required)


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
    for one in done.scenarios:
        found = count_scenario(folder, one, done.confidential)
        text = f"the smallest class has {found.k} records"
        text += "" if found.l is None else f", l = {found.l}"
        yield CheckResult(one.name, found.k >= one.k and (found.l or one.l) >= one.l, text)
    yield CheckResult("identifiers", not left, f"released: {', '.join(left)}" if left else "none")
