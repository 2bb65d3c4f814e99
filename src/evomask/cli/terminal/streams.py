"""``-`` in the place of a file: standard input, and standard output."""

import atexit
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evomask.errors import FileError, ParameterError

DASH = Path("-")
PARQUET, GZIP, ZIP = b"PAR1", b"\x1f\x8b", b"PK\x03\x04"


def given(path: Path, keep: Path | None = None) -> Path:
    """The path of a file to read; what comes by standard input is put into one first.

    Args:
        keep: begin of the name under which it stays; without one it goes when the command ends.
    """
    if path != DASH:
        return path
    content = sys.stdin.buffer.read()
    if not content:
        raise FileError("nothing came by standard input; pipe a file into it")
    name = f"standard-input{_ending(content)}"
    target = _folder() / name if keep is None else keep.with_name(f"{keep.name}.{name}")
    if target.exists():
        raise FileError(f"{target} is there already; remove it or choose another folder")
    target.touch(mode=0o600)
    target.write_bytes(content)
    return target


def _ending(content: bytes) -> str:
    """What tells the format: a workbook, Parquet or compressed text by their first bytes."""
    starts = {PARQUET: ".parquet", ZIP: ".xlsx", GZIP: ".csv.gz"}
    return next((end for start, end in starts.items() if content.startswith(start)), ".csv")


def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="evomask-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@contextmanager
def written(path: Path, like: Path, *, json: bool) -> Iterator[Path]:
    """The path of a file to write; where it is standard output, it is printed when it is whole.

    Args:
        like: the file that was read, whose format it has.
        json: whether the answer would be printed there too, which cannot be.
    """
    if path != DASH:
        yield path
        return
    if json:
        raise ParameterError("standard output is either the file or the answer; leave --json out")
    target = _folder() / f"masked{''.join(like.suffixes[-2:])}"
    yield target
    sys.stdout.buffer.write(target.read_bytes())
    sys.stdout.buffer.flush()
