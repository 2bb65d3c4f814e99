"""What is told of a point of the front: how its file was made, and what repairing did to it."""

import re
from collections.abc import Sequence
from dataclasses import replace

from evomask.data.wording import listed, percent
from evomask.masking.guarantees.requirement import Requirement
from evomask.portfolio.candidate import Candidate
from evomask.portfolio.state import PortfolioState
from evomask.record.protection import Finding

NO_ORIGIN = ("generalization", "files")
"""Searches not named as origins: files of sets cannot be gone on from, nor is a change a method."""

MOST_ORIGINS = 4


def described(
    one: Candidate, found: Finding | None, state: PortfolioState, requirement: Requirement
) -> Candidate:
    """The candidate with all that can be said of how it was made."""
    parts = [one.description, _origins(one, state), _repair(found, requirement)]
    return replace(one, description="; ".join(filter(None, parts)))


def _origins(one: Candidate, state: PortfolioState) -> str:
    """Whose files those of a member descend from that goes on from what others made."""
    numbers = sorted(state.adopted.get(one.member, ()))
    candidates = tuple(state.candidates)
    names = _families([candidates[number] for number in numbers])
    return f"descends from {listed(names, MOST_ORIGINS)}" if names else ""


def _families(candidates: Sequence[Candidate]) -> list[str]:
    """What made the files, each once, by the first words of their descriptions."""
    made = [one.description for one in candidates if one.search not in NO_ORIGIN]
    parts = [part.strip() for text in made for part in text.split(";")]
    return list(dict.fromkeys(re.split(r"[,:]| in | of | by ", part)[0] for part in parts))


def _repair(found: Finding | None, requirement: Requirement) -> str:
    if found is None or found.repaired is None:
        return f"then made alike where {requirement} needs it" if requirement.asks_anything else ""
    cells = f"then {percent(found.repaired / 100)} of the cells"
    if not found.repaired:
        return ""
    if requirement.asks_anything:
        return f"{cells} made alike for {requirement}"
    return f"{cells} changed to obey the edit rules"
