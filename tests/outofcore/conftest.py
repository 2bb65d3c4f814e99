"""A town too large for its memory, which is a part of a few hundred records."""

import numpy as np
import polars as pl
import pytest

from evomask.io import chunks as io_parts
from evomask.outofcore import mask, prepare


@pytest.fixture
def small_parts(monkeypatch):
    """Parts of 250 records, regions of 200."""
    monkeypatch.setattr(prepare, "RECORDS", 250)
    monkeypatch.setattr(mask, "REGION_SIZE", 200)
    monkeypatch.setattr(io_parts, "BUCKET", 400)


def town(n=1_000):
    rng = np.random.default_rng(3)
    wealth = np.exp(rng.normal(9, 1, n)).round(-1)
    return pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(n)],
            "age": np.clip(rng.normal(40, 15, n), 0, 90).astype(np.int16),
            "sex": rng.choice(["f", "m"], n),
            "region": rng.integers(0, 12, n),
            "income": (wealth * rng.uniform(0.5, 1.5, n)).round(-1) + 0.5,
            "wealth": [None if i % 97 == 5 else value for i, value in enumerate(wealth.tolist())],
            "illness": rng.choice(["flu", "none", "cold"], n),
        }
    )


@pytest.fixture
def people(tmp_path, small_parts):
    """A folder of two Parquet files, five parts in all."""
    folder = tmp_path / "people"
    folder.mkdir()
    frame = town()
    frame[:600].write_parquet(folder / "a.parquet")
    frame[600:].write_parquet(folder / "b.parquet")
    return folder


def written(folder):
    files = sorted((folder / "masked").glob("*.parquet"))
    return pl.concat([pl.read_parquet(file) for file in files])


def bytes_of(folder):
    return [file.read_bytes() for file in sorted((folder / "masked").glob("*.parquet"))]
