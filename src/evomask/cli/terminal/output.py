"""Input and output of the commands: results on stdout, progress and notes on stderr, ``-``."""

import atexit
import json
import os
import shutil
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evomask.errors import FileError, ParameterError
from evomask.runs.store.run_summary import finite_json

if TYPE_CHECKING:
    from evomask.runs.store.preserved_analyses import Figure, Statistic

T = TypeVar("T")

DASH = Path("-")
PARQUET, GZIP, ZIP = b"PAR1", b"\x1f\x8b", b"PK\x03\x04"

MIN_WIDTH = 24
"""Smallest width of the last column of a table, in characters."""

MAX_CELL = 32
"""Largest width of the other columns; longer cells are truncated."""

MAX_FIGURES = 20
"""Figures of one table or model that are printed; JSON has all."""


def say(text: str) -> None:
    """Print a result on stdout; characters that its encoding lacks are escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _output_error(error) from None


def say_json(result: Mapping[str, object]) -> None:
    """Print a result as one JSON object on stdout; NaN and infinities become null."""
    say(json.dumps(finite_json(result), allow_nan=False))


def _output_error(error: OSError) -> FileError:
    return FileError(f"the result could not be printed: {error.strerror or error}")


def finish_output() -> int:
    """Flush stdout; return 1 if the output could not be written, else 0."""
    try:
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            complain(str(_output_error(error)))
        # The interpreter flushes again at its end, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def note(text: str) -> None:
    """Print a remark that is not part of the result, on stderr."""
    sys.stderr.write(f"note: {text}\n")


def notes(texts: Iterable[str], *, quiet: bool) -> None:
    """Print each note on its own line; nothing when quiet."""
    for text in () if quiet else texts:
        note(text)


def progress(text: str, *, quiet: bool) -> None:
    """Print a line of progress on stderr at once; nothing when quiet."""
    if not quiet:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def throttled(text: Callable[[T], str]) -> Callable[[T], None]:
    """Return a function that prints progress at most twice a second, however often it is called."""
    last = time.monotonic()

    def show(state: T) -> None:
        nonlocal last
        if time.monotonic() - last >= 0.5:
            last = time.monotonic()
            progress(text(state), quiet=False)

    return show


def complain(sentence: str) -> None:
    """Print an error message as one line on stderr."""
    sys.stderr.write(f"evomask: {' '.join(sentence.splitlines())}\n")


def in_columns(
    heading: Sequence[str], rows: Iterable[Sequence[str]], width: int | None = None
) -> Iterator[str]:
    """Format a table as lines; the last column is wrapped below itself."""
    lines = [tuple(heading), *(tuple(row) for row in rows)]
    widths = [max(len(_cell(line[i])) for line in lines) for i in range(len(heading) - 1)]
    for line in lines:
        cells = zip(line[:-1], widths, strict=True)
        start = "".join(f"{_cell(cell):<{wide}}  " for cell, wide in cells)
        yield from hanging(start, line[-1], width)


def hanging(start: str, text: str, width: int | None = None) -> Iterator[str]:
    """Wrap a text after *start* at the width of the terminal, with a hanging indent."""
    columns = width or shutil.get_terminal_size((100, 24)).columns
    available = max(MIN_WIDTH, columns - len(start))
    first, *rest = textwrap.wrap(text, available, break_on_hyphens=False) or [""]
    yield f"{start}{first}".rstrip()
    yield from (" " * len(start) + line for line in rest)


def _cell(text: str) -> str:
    return text if len(text) <= MAX_CELL else f"{text[: MAX_CELL - 1]}…"


def input_path(path: Path, keep: Path | None = None) -> Path:
    """Return the path of a file to read; ``-`` is first copied from standard input to a file.

    Args:
        keep: prefix of the name under which the copy stays; without it the copy is deleted when
            the command ends.
    """
    if path != DASH:
        return path
    content = sys.stdin.buffer.read()
    if not content:
        raise FileError("standard input is empty; pipe a file into the command")
    starts = {PARQUET: ".parquet", ZIP: ".xlsx", GZIP: ".csv.gz"}
    ending = next((end for start, end in starts.items() if content.startswith(start)), ".csv")
    name = f"standard-input{ending}"
    target = _temporary_folder() / name if keep is None else keep.with_name(f"{keep.name}.{name}")
    if target.exists():
        raise FileError(f"{target} exists already; remove it or choose another folder")
    target.touch(mode=0o600)
    target.write_bytes(content)
    return target


@contextmanager
def output_path(path: Path, like: Path, *, json: bool) -> Iterator[Path]:
    """Yield the path of a file to write; for ``-`` the complete file is then copied to stdout.

    Args:
        like: the input file, whose format the output has.
        json: whether the result is printed as JSON, which excludes ``-``.
    """
    if path != DASH:
        yield path
        return
    if json:
        raise ParameterError("--out - and --json both use standard output; leave one out")
    target = _temporary_folder() / f"masked{''.join(like.suffixes[-2:])}"
    yield target
    sys.stdout.buffer.write(target.read_bytes())
    sys.stdout.buffer.flush()


def _temporary_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="evomask-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def analyses_as_json(analyses: "tuple[Statistic, ...]") -> list[dict[str, Any]]:
    """Return preserved analyses with all their figures, for JSON."""
    return [asdict(statistic) for statistic in analyses]


def analysis_summary(statistic: "Statistic") -> str:
    """Summarize the error of a preserved table or model in one line."""
    error = f"error {statistic.error:.2f} %, intervals overlap {statistic.overlap:.0f} %"
    verdict = f"; {statistic.verdict} to run on the masked file" if statistic.verdict else ""
    return f"{statistic.text}: {error}{verdict}"


def analysis_lines(statistic: "Statistic") -> Iterator[str]:
    """Format a preserved table or model with its figures before and after masking."""
    yield analysis_summary(statistic)
    yield f"    {statistic.meaning}; 95 % confidence intervals"
    width = max((len(value.name) for value in statistic.values), default=0)
    for value in statistic.values[:MAX_FIGURES]:
        figures = f"{_figure(value.before):<32} {_figure(value.after):<32}"
        yield f"    {value.name:<{width}}  {figures} {value.overlap:4.0f} %"
    if len(statistic.values) > MAX_FIGURES:
        yield f"    and {len(statistic.values) - MAX_FIGURES} more: --json prints all"
    yield from (f"    {note}" for note in statistic.notes)


def _figure(estimate: "Figure | None") -> str:
    if estimate is None:
        return "none"
    return f"{estimate.value:.5g} [{estimate.low:.5g}, {estimate.high:.5g}]"
