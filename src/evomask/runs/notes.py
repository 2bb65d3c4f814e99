"""What a user should know of a run that had too little time, in a sentence each."""

from collections.abc import Sequence
from typing import Any

from evomask.evolution.individual import Individual
from evomask.evolution.setup import Setup
from evomask.evolution.state import State
from evomask.evolution.streams import breeding_stream
from evomask.portfolio.state import PortfolioState


def more_may_help(
    state: State[Any], setup: Setup[Any], best: Individual[Any], seed: int
) -> tuple[str, ...]:
    """A note where the best is still one of the first and there would be more to try."""
    if best.born > 0 or not setup.scheme.propose(state, breeding_stream(seed, state.generation)):
        return ()
    if state.generation < 1:
        return (f"the first {state.tasks} maskings used up the budget; allow more to evolve them",)
    found = "found nothing better than the best of the first maskings; more time may"
    return (f"{state.generation} generations {found}",)


def without_a_turn(state: PortfolioState, members: Sequence[str]) -> tuple[str, ...]:
    """A note on members of a portfolio that the budget was too small for."""
    began = {row.member for row in state.rounds}
    names = [name for name in members if name not in began and name not in state.closed]
    if not names:
        return ()
    return (f"the budget was too small for {', '.join(names)} to have a turn; allow more",)
