"""Closing work on parts: what was written is counted, and every file is hashed into the log."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from evomask.errors import RunError
from evomask.io.files import replace_file
from evomask.io.parts import Alike, alike_in, columns_in, hashes_of, histograms_in
from evomask.measures.risk.privacy_models import Histogram, farthest, fewest_values
from evomask.runs.kept.log import LOG, Named, appended, file_hash
from evomask.runs.kept.signing import SIGNATURE, read_key, signed
from evomask.runs.parts.opening import PLAN, Opened
from evomask.runs.parts.steps import MASKED, WORK

DONE = "done.json"
"""What a finished job promises of its parts."""

LAST = "mask-"
"""How results of the last step are called; all others only helped on the way."""

ROUNDING = 1e-9
"""A distance that is larger by less is what was asked for, but for rounding."""


ONLY = Named(1, 0)
"""There is one file to release, so it is point 1."""


class Confidential(msgspec.Struct, frozen=True):
    """What is promised of a confidential attribute in every class of look-alikes.

    Args:
        l: different values, at least.
        t: how far they are spread otherwise than in the whole file, at most.
        ordered: whether that is told along the order of the values.
        order: that order, where neither numbers nor texts tell it.
    """

    name: str
    l: int = 1  # noqa: E741
    t: float = 1.0
    ordered: bool = False
    order: tuple[str, ...] = ()


@dataclass(frozen=True)
class Promised:
    """What is promised of parts.

    Args:
        names: the columns in which records look alike.
        k: how many of them at least.
        key: file of the key that signs the work.
        shuffled: whether records stand in another order than in the original.
        point: which point of a front was made.
    """

    names: tuple[str, ...]
    k: int
    key: Path | None = None
    confidential: tuple[Confidential, ...] = ()
    shuffled: bool = False
    point: Named = ONLY


@dataclass(frozen=True)
class Counted:
    """What was counted in written parts: look-alikes, and what l and t came to."""

    alike: Alike
    l: int | None = None  # noqa: E741
    t: float | None = None


class Done(msgspec.Struct, frozen=True):
    """What finished parts are to fulfil, to count it again later.

    Args:
        absent: identifiers, which no part has.
    """

    names: tuple[str, ...]
    k: int
    records: int
    absent: tuple[str, ...] = ()
    confidential: tuple[Confidential, ...] = ()
    shuffled: bool = False


Files = Mapping[str, bytes]
NO_FILES: Callable[[Counted], Files] = lambda _: {}  # noqa: E731


def closed(file: Opened, promised: Promised, more: Callable[[Counted], Files] = NO_FILES) -> Alike:
    """Count what was written; what helped on the way goes once it is as it must be.

    Args:
        more: makes other files of the release from what was counted, by name.
    """
    folder = file.folder
    alike = alike_in(folder / MASKED, promised.names)
    if alike.least < promised.k:
        raise RunError(
            f"{folder / MASKED} has a class of {alike.least} records where {promised.k} were asked "
            "for; this is a defect, please report it"
        )
    if left := columns_in(folder / MASKED) & set(file.dropped):
        raise RunError(f"{folder / MASKED} holds {min(left)!r}; this is a defect, please report it")
    spreads = [spread_of(folder, promised.names, own) for own in promised.confidential]
    for own, (fewest, far) in zip(promised.confidential, spreads, strict=True):
        if fewest < own.l or far > own.t + ROUNDING:
            raise RunError(
                f"{folder / MASKED} has l = {fewest} and t = {far:.4f} of {own.name!r} where "
                f"l = {own.l} and t = {own.t:g} were asked for; this is a defect, please report it"
            )
    done = Done(
        promised.names, alike.least, alike.records, file.dropped, promised.confidential,
        promised.shuffled,
    )  # fmt: skip
    _write(folder / DONE, msgspec.json.encode(done))
    counted = Counted(
        alike,
        min((fewest for fewest, _ in spreads), default=None),
        max((far for _, far in spreads), default=None),
    )
    files = more(counted)
    for name, content in files.items():
        _write(folder / name, content)
    _seal(folder, promised, files)
    for path in (folder / WORK).iterdir():
        if not path.name.startswith(LAST):
            path.unlink(missing_ok=True)
    return alike


def spread_of(folder: Path, names: Sequence[str], own: Confidential) -> tuple[int, float]:
    """Fewest different values of a confidential attribute in a class, and how far classes are."""
    fewest, far = 2**62, 0.0
    for histogram in spreads_in(folder / MASKED, names, own):
        fewest = min(fewest, fewest_values(histogram))
        far = max(far, farthest(histogram, ordered=own.ordered))
    return fewest, far


def spreads_in(path: Path, names: Sequence[str], own: Confidential) -> Iterator[Histogram]:
    """How values are spread over classes of written parts, some classes at a time."""
    for of_class, value, counts, totals in histograms_in(path, names, own.name, own.order):
        sizes = np.bincount(of_class, counts).astype(np.int64)
        yield Histogram(of_class, value, counts, sizes, totals)


def _seal(folder: Path, promised: Promised, more: Iterable[str]) -> None:
    """A new line of the log names every file by its hash; a key signs it."""
    files = {f"{MASKED}/{name}": found for name, found in hashes_of(folder / MASKED).items()}
    files |= {name: file_hash(folder / name) for name in (PLAN, DONE, *more)}
    log = appended(folder, "released", promised.point, files)
    _write(folder / LOG, log)
    if promised.key is None:
        (folder / SIGNATURE).unlink(missing_ok=True)
    else:
        _write(folder / SIGNATURE, signed(log.splitlines()[-1], read_key(promised.key)))


def _write(path: Path, content: bytes) -> None:
    replace_file(path, lambda file: file.write(content))
