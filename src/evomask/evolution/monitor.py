"""Observers: who watches a run without touching it."""

from typing import Any

from evomask.evolution.brood import Brood, Outcomes
from evomask.evolution.loop import Observer
from evomask.evolution.state import State


def every_generations(step: int, observer: Observer[Any]) -> Observer[Any]:
    """Tell *observer* of every *step*-th generation only."""

    def observe(
        before: State[Any], brood: Brood[Any], out: Outcomes[Any], after: State[Any]
    ) -> None:
        if after.generation % step == 0:
            observer(before, brood, out, after)

    return observe


def every_evaluations(step: int, observer: Observer[Any]) -> Observer[Any]:
    """Tell *observer* of the generations in which the evaluations pass a multiple of *step*."""

    def observe(
        before: State[Any], brood: Brood[Any], out: Outcomes[Any], after: State[Any]
    ) -> None:
        if after.evaluations // step > before.evaluations // step:
            observer(before, brood, out, after)

    return observe
