"""The points of a run as a file of rows."""

from collections.abc import Mapping, Sequence
from io import BytesIO

import polars as pl


def front_as_parquet(rows: Sequence[Mapping[str, object]]) -> bytes:
    """One row a point as Parquet; the same rows give the same bytes."""
    buffer = BytesIO()
    pl.DataFrame([dict(row) for row in rows], infer_schema_length=None).write_parquet(buffer)
    return buffer.getvalue()
