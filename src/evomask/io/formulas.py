"""Cells of text files that a spreadsheet program would run as formulas."""

from collections.abc import Iterable

import polars as pl

FORMULA = r"^[=+\-@\t\r]"
NUMBER = r"^[+-]?\d+([.,]\d+)?$"
ESCAPE = "'"


def _is_formula(series: pl.Series) -> pl.Series:
    return series.str.contains(FORMULA) & ~series.str.contains(NUMBER)


def _text_columns(frame: pl.DataFrame) -> Iterable[pl.Series]:
    for series in frame:
        if isinstance(series.dtype, pl.String | pl.Categorical | pl.Enum):
            yield series.cast(pl.String)


def count_formulas(frame: pl.DataFrame) -> int:
    """Number of text cells that begin like a formula."""
    return sum(int(_is_formula(series).sum()) for series in _text_columns(frame))


def escape_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """Put an apostrophe before cells that begin like a formula, so that they stay text."""
    return frame.with_columns(
        pl.select(
            pl.when(_is_formula(series)).then(ESCAPE + series).otherwise(series).alias(series.name)
        ).to_series()
        for series in _text_columns(frame)
    )


def escape_texts(texts: Iterable[str]) -> list[str]:
    """Escape texts as cells are escaped."""
    escaped: list[str] = escape_formulas(pl.DataFrame({"text": list(texts)}, {"text": pl.String}))[
        "text"
    ].to_list()
    return escaped


def note_on_formulas(cells: int, *, are_escaped: bool) -> tuple[str, ...]:
    """Note on cells that begin like a formula, if there are any."""
    if not cells:
        return ()
    if are_escaped:
        return (f"{cells} cells begin like a formula and got an apostrophe in front",)
    note = (
        f"{cells} cells begin like a formula, which a spreadsheet program may run; to put an "
        "apostrophe in front, write escape_formulas = true under [file] in the schema"
    )
    return (note,)
