"""What users see of a protected file on offer, and how its making is completed after a run."""

from collections.abc import Iterable
from dataclasses import replace

from evomask.masking.guarantees.requirement import Requirement
from evomask.portfolio.candidate import ORIGINAL, Candidate
from evomask.portfolio.state import PortfolioState
from evomask.record.words import in_words

NO_ORIGIN = ("generalization", "files")
"""Searches not named as origins: files of sets cannot be gone on from, nor is a change a method."""


def as_point(candidate: Candidate) -> dict[str, object]:
    """What users see of it."""
    return {
        "point": candidate.number,
        "search": candidate.search,
        "method": method_in_words(candidate),
        "operator": candidate.operator,
        **candidate.readings,
    }


def method_in_words(candidate: Candidate) -> str:
    """How a file was made, in one line."""
    return "the original file" if candidate.number == ORIGINAL else in_words(candidate.making)


def completed(
    candidate: Candidate, state: PortfolioState, repaired: float | None, required: Requirement
) -> Candidate:
    """The candidate with all that is known of its making when the run has ended.

    Args:
        repaired: percent of its cells that were changed again; None where nobody counted.
    """
    adopted = sorted(state.adopted.get(candidate.member, ()))
    candidates = tuple(state.candidates) if adopted else ()
    making = replace(
        candidate.making,
        repaired=repaired,
        required=required.as_text,
        origins=_origins(candidates[number] for number in adopted),
    )
    return replace(candidate, making=making)


def _origins(candidates: Iterable[Candidate]) -> tuple[str, ...]:
    """What made the files, each method or search once."""
    steps = (
        step
        for candidate in candidates
        if candidate.search not in NO_ORIGIN
        for step in candidate.making.steps
    )
    return tuple(dict.fromkeys(step.method for step in steps))
