"""Sandbox for readers: files that a library parses are read in a child process with limits.

A library that crashes, or a file that unpacks to more than the machine has, ends the child and
becomes one sentence. The child is a fresh interpreter, so no thread of this process is copied; it
returns the columns as an Arrow stream. It is used again for the next file and ends when it is
idle or has grown.
"""

import atexit
import multiprocessing.spawn
import os
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import msgspec
import polars as pl

import evomask.errors
from evomask.data.frames import Declaration
from evomask.errors import EvomaskError, FileError
from evomask.io.dialects import Dialect
from evomask.io.limits import ReadLimits, how_to_raise, in_words, read_limits
from evomask.io.sources import Source

START = "import sys; sys.path[:] = sys.argv[1:]; from evomask.io.reader_process import main; main()"
ENVIRONMENT = {
    "POLARS_MAX_THREADS": "4",  # every thread reserves address space, which counts as memory
    "MALLOC_ARENA_MAX": "2",
    "RUST_BACKTRACE": "0",
}
OUT_OF_MEMORY = (b"memory allocation", b"allocate", b"MemoryError", b"out of memory")
TAIL = 10_000


class Request(msgspec.Struct):
    """A file to read, sent to the child as a line of JSON.

    Args:
        is_release: whether it is read by the code of the read-back, for `verify`.
    """

    path: str
    folder: str
    dialect: Dialect
    limits: ReadLimits
    is_release: bool = False


class Answer(msgspec.Struct):
    """Result of a reader, a line of JSON that precedes the columns.

    Args:
        error: name of the error's class, if reading failed.
        names: names of the columns; the stream has them numbered, with their texts after them.
        size: bytes of the stream.
        is_last: whether the child ends after this answer.
    """

    error: str = ""
    message: str = ""
    names: list[str] = []
    has_texts: bool = False
    size: int = 0
    from_file: dict[str, Declaration] = {}
    dialect: Dialect | None = None
    notes: tuple[str, ...] = ()
    is_last: bool = False


class ReaderProcess:
    """A child process that reads files one after another."""

    def __init__(self) -> None:
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the child
        path = [folder for folder in sys.path if folder]
        self.process = subprocess.Popen(  # noqa: S603 - our own interpreter
            [os.fsdecode(multiprocessing.spawn.get_executable()), "-P", "-c", START, *path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env={**os.environ, **ENVIRONMENT},
        )
        self.parent = os.getpid()
        self.is_fresh = True
        self.is_late = False

    def read(self, request: Request, seconds: float) -> tuple[Answer, bytes] | None:
        """Return the answer and the stream of columns; None if the child ended without one."""
        sent, received = self.process.stdin, self.process.stdout
        assert sent is not None  # noqa: S101 - both are pipes
        assert received is not None  # noqa: S101
        timer = threading.Timer(seconds, self._give_up)
        timer.daemon = True
        timer.start()
        try:
            sent.write(msgspec.json.encode(request) + b"\n")
            sent.flush()
            line = received.readline()
            answer = msgspec.json.decode(line, type=Answer) if line.endswith(b"\n") else None
            if answer is None:
                return None
            stream = received.read(answer.size)
            return (answer, stream) if len(stream) == answer.size else None
        except (OSError, msgspec.MsgspecError):
            return None
        finally:
            timer.cancel()
            self.is_fresh = False

    def _give_up(self) -> None:
        self.is_late = True
        self.process.kill()

    def close(self) -> None:
        """End the child."""
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self.process.wait()
        self.errors.close()

    def last_words(self) -> bytes:
        """End of what the child and its libraries wrote to stderr, once it has ended."""
        self.process.wait()
        self.errors.seek(0, os.SEEK_END)
        self.errors.seek(max(0, self.errors.tell() - TAIL))
        return self.errors.read()


BY_ALARM, BY_KILL = (-int(getattr(signal, name, 1000)) for name in ("SIGALRM", "SIGKILL"))
"""Exit codes of a child that a signal ended, where the system has such signals."""

_idle: list[ReaderProcess] = []
"""Children that wait for the next file; at most one stays."""


def close_readers() -> None:
    """End the children that wait."""
    while _idle:
        reader = _idle.pop()
        if reader.parent == os.getpid():
            reader.close()


atexit.register(close_readers)


def read_in_child(path: Path, dialect: Dialect, kind: str, *, is_release: bool = False) -> Source:
    """Read a file in a child process.

    Args:
        kind: name of the format, for messages.
        is_release: whether to use the independent code of the read-back.
    """
    limits = read_limits()
    request = Request(str(path), str(Path.cwd()), dialect, limits, is_release)
    size = path.stat().st_size
    # The child knows the unpacked size and ends itself; this is for one that does not.
    seconds = limits.seconds_for(limits.most_unpacked(size)) + 5
    while True:
        reader = _take_idle() or ReaderProcess()
        was_fresh = reader.is_fresh
        done = False
        try:
            found = reader.read(request, seconds)
            if found is None:
                if was_fresh or reader.is_late:
                    raise _failure(path, kind, reader, limits)
                continue  # an idle child had ended just now; a fresh one decides
            answer, stream = found
            done = not answer.is_last and not _idle
        finally:
            if done:
                _idle.append(reader)
            else:
                reader.close()
        if answer.error:
            raise _error_of(answer)
        return _source(answer, stream)


def _take_idle() -> ReaderProcess | None:
    with suppress(IndexError):
        reader = _idle.pop()
        if reader.parent == os.getpid():  # else it belongs to the process that forked this one
            return reader
    return None


def _failure(path: Path, kind: str, reader: ReaderProcess, limits: ReadLimits) -> FileError:
    """Error for a child that ended without an answer."""
    words, code = reader.last_words(), reader.process.returncode
    if reader.is_late or code == BY_ALARM:
        return FileError(
            f"{path} takes too long to be read as one of {kind}; {how_to_raise('seconds')}"
        )
    if any(text in words for text in OUT_OF_MEMORY) or code == BY_KILL:
        memory = in_words(limits.memory_for(path.stat().st_size))
        return FileError(
            f"{path} needs more than {memory} of memory to be read; it may be damaged, or else "
            f"{how_to_raise('memory')}"
        )
    return FileError(
        f"{path} cannot be read: the reader of {kind} ended abnormally (code {code}), so the file "
        "is damaged; save it again, or as .csv"
    )


def _error_of(answer: Answer) -> EvomaskError:
    kind: Any = getattr(evomask.errors, answer.error, FileError)
    error: EvomaskError = kind(answer.message)
    return error


def _source(answer: Answer, stream: bytes) -> Source:
    columns = pl.read_ipc_stream(stream).get_columns()
    count = len(answer.names)
    frame, texts = (
        pl.DataFrame([s.alias(n) for s, n in zip(some, answer.names, strict=False)])
        for some in (columns[:count], columns[count:])
    )
    return Source(
        frame,
        answer.from_file,
        answer.dialect,
        texts if answer.has_texts else None,
        answer.notes,
    )
