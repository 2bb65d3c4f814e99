"""Tables as text: columns side by side, the last one wrapped under itself."""

import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence

NARROWEST = 24
"""Characters that the last column has at least, however narrow the terminal is."""
WIDEST_CELL = 32
"""Characters after which a cell of another column is cut short."""


def width_of_terminal() -> int:
    """How many characters a line has; 100 where the output is no terminal."""
    return shutil.get_terminal_size((100, 24)).columns


def in_columns(
    heading: Sequence[str], rows: Iterable[Sequence[str]], width: int | None = None
) -> Iterator[str]:
    """The lines of a table; what does not fit into the last column goes on below it."""
    lines = [tuple(heading), *(tuple(row) for row in rows)]
    widths = [max(len(_short(line[place])) for line in lines) for place in range(len(heading) - 1)]
    for line in lines:
        cells = zip(line[:-1], widths, strict=True)
        start = "".join(f"{_short(cell):<{wide}}  " for cell, wide in cells)
        yield from hanging(start, line[-1], width)


def hanging(start: str, text: str, width: int | None = None) -> Iterator[str]:
    """A text after a start, wrapped at the terminal's width and indented below itself."""
    room = max(NARROWEST, (width or width_of_terminal()) - len(start))
    first, *rest = textwrap.wrap(text, room, break_on_hyphens=False) or [""]
    yield f"{start}{first}".rstrip()
    yield from (" " * len(start) + line for line in rest)


def _short(cell: str) -> str:
    return cell if len(cell) <= WIDEST_CELL else f"{cell[: WIDEST_CELL - 1]}…"
