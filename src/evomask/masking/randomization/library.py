"""Formulas of PRAM that ship with the package: evolved on several files, good on others too.

They stand in `formulas.toml` beside this module, which `benchmarks/make_formulas.py` writes.
"""

import tomllib
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

PATH = Path(__file__).with_name("formulas.toml")

CHANGES = (0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0)
"""Shares of values drawn anew, with which each formula is tried."""


class Library(NamedTuple):
    """The formulas, and the shares of changed values with which each is tried."""

    formulas: tuple[str, ...]
    changes: tuple[float, ...] = CHANGES


@lru_cache(maxsize=1)
def shipped_formulas() -> Library:
    """The formulas of the package."""
    entries = tomllib.loads(PATH.read_text(encoding="utf-8"))["formulas"]
    return Library(tuple(str(entry["formula"]) for entry in entries))


def best_formula() -> str:
    """The formula of the package that alone does best."""
    return shipped_formulas().formulas[0]


def hashed(formulas: Sequence[str]) -> str:
    """What the file tells of its formulas, so that a change by hand is noticed."""
    return sha256("\n".join(formulas).encode()).hexdigest()
