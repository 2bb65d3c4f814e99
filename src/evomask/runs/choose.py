"""Choosing another point of a front that was found, and taking up what was found."""

from pathlib import Path

from evomask.errors import RunError
from evomask.runs.protect import is_protection, resume_protection
from evomask.runs.protected import Protected
from evomask.runs.store import Store


def choose(folder: Path, wish: str = "balanced") -> Protected:
    """Write the masked file of another point of the front kept in a folder.

    Args:
        wish: ``balanced``, ``knee``, ``max-risk=20``, ``max-loss=10`` or a point's number.
    """
    _require_protection(folder)
    return resume_protection(folder, go_on=False, wish=wish)


def reopened(folder: Path) -> Protected:
    """All that came of the job kept in a folder; nothing is searched any more."""
    _require_protection(folder)
    return resume_protection(folder, go_on=False)


def _require_protection(folder: Path) -> None:
    if not is_protection(Store(folder).plan()):
        raise RunError(f"{folder} holds a single search, not a protection; use `evomask resume`")
