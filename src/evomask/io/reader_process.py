"""The child process of the sandbox: reads files within limits of memory and time."""

import os
import select
import signal
import sys
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import polars as pl

from evomask.errors import EvomaskError, FileError
from evomask.io.formats import read_here, unpacked_size
from evomask.io.limits import VARIABLE, ReadLimits, how_to_raise, in_words
from evomask.io.sandbox import Answer, Request
from evomask.io.sources import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

IDLE_SECONDS = 10
LARGEST_IDLE = 300 * 10**6
"""Bytes; a child that uses more ends instead of waiting for another file."""

LARGEST_LOG = 2**20
PAGES = Path("/proc/self/statm")
ADDRESS_SPACE, RESIDENT = 0, 1


def main() -> None:
    """Answer requests until the parent ends or none comes for a while."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles interrupts
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is not part of an answer
    _prepare()
    while _is_ready():
        line = sys.stdin.buffer.readline()
        if not line:
            break
        answer, stream = _answer(msgspec.json.decode(line, type=Request))
        answers.write(msgspec.json.encode(answer) + b"\n")
        answers.write(stream)
        answers.flush()
        if answer.is_last:
            break


def _is_ready() -> bool:
    """Wait for a request; where pipes cannot be waited for, forever."""
    with suppress(OSError, ValueError):
        return bool(select.select([sys.stdin.buffer], [], [], IDLE_SECONDS)[0])
    return True


def _prepare() -> None:
    """Leave no core file with records, bound the log, and start the threads of the library."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_LOG, LARGEST_LOG))
    pl.DataFrame({"a": [1, 2]}).lazy().select(pl.col("a").sort()).collect()


def _answer(request: Request) -> tuple[Answer, bytes]:
    path = Path(request.path)
    try:
        os.chdir(request.folder)
        os.environ[VARIABLE] = str(request.limits)
        size = unpacked_size(path, request.limits)
        with _limited(request.limits, size):
            return _read(path, request)
    except EvomaskError as error:
        answer = Answer(error=type(error).__name__, message=str(error))
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror or error}"
        answer = Answer(error="FileError", message=message)
    except (MemoryError, RecursionError):
        memory = in_words(request.limits.memory_for(path.stat().st_size))
        message = (
            f"{path} needs more than {memory} of memory to be read; it may be damaged, or else "
            f"{how_to_raise('memory')}"
        )
        answer = Answer(error="FileError", message=message, is_last=True)
    answer.is_last = answer.is_last or _has_grown()
    return answer, b""


def _read(path: Path, request: Request) -> tuple[Answer, bytes]:
    source = (
        _read_release(path, request) if request.is_release else read_here(path, request.dialect)
    )
    frame, texts = source.frame, source.texts
    request.limits.check_columns(path, frame.width)
    request.limits.check_cells(path, frame.height, frame.width)
    if "Object" in {str(dtype) for dtype in frame.dtypes}:
        raise FileError(f"{path} has a column of values that are neither numbers, texts nor dates")
    columns = [*frame.get_columns(), *([] if texts is None else texts.get_columns())]
    buffer = BytesIO()
    pl.DataFrame([s.alias(str(i)) for i, s in enumerate(columns)]).write_ipc_stream(buffer)
    answer = Answer(
        names=frame.columns,
        has_texts=texts is not None,
        size=buffer.getbuffer().nbytes,
        from_file=dict(source.from_file),
        dialect=source.dialect,
        notes=source.notes,
        is_last=_has_grown(),
    )
    return answer, buffer.getvalue()


def _read_release(path: Path, request: Request) -> Source:
    from evomask.io.readback import as_texts, read_written

    frame = read_written(path, request.dialect, path.name)
    return Source(frame.with_columns(as_texts(s) for s in frame if s.dtype == pl.Object))


@contextmanager
def _limited(limits: ReadLimits, size: int) -> "Iterator[None]":
    """Bound memory and time in the block; the operating system ends what exceeds the time."""
    try:
        import resource
    except ImportError:  # not POSIX: the parent's timer alone
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    _bound_memory(limits.memory_for(size), before)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limits.seconds_for(size))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, before)


def _bound_memory(memory: int, before: tuple[int, int]) -> None:
    import resource

    used = _bytes_used(ADDRESS_SPACE)
    ends = [end for end in before if end != resource.RLIM_INFINITY]
    if used:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (min([used + memory, *ends]), before[1]))


def _has_grown() -> bool:
    return _bytes_used(RESIDENT) > LARGEST_IDLE


def _bytes_used(what: int) -> int:
    """Address space or resident memory of this process; 0 where the system does not say."""
    if not PAGES.exists():
        return 0
    return int(PAGES.read_text().split()[what]) * os.sysconf("SC_PAGESIZE")
