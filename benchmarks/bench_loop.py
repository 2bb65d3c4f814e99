"""What the loop itself costs per task, in process: at most 50 microseconds is the aim."""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.evolution.individual import Outcome, Task
from evomask.evolution.loop import Scheme, Worker, begin, evolve
from evomask.evolution.schemes import MutateOrCross, PlusSelection
from evomask.evolution.stopping import evaluations
from evomask.execution.local import InProcess

TASKS = 20_000
AIM = 50.0


class Idle:
    """A problem without work: the fitness is the task's own random number."""

    def work(self, task: Task[int], rng: np.random.Generator) -> Outcome[int]:
        return Outcome(task.rival or 0, (rng.random(),))

    def pack(self, genome: int) -> Mapping[str, NDArray[Any]]:
        return {"number": np.array(genome)}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> int:
        return int(arrays["number"])


def microseconds_per_task(scheme: Scheme[int]) -> float:
    work = InProcess(Worker[int](Idle(), seed=1))
    state = begin(100, work)
    start = time.process_time()
    state = evolve(state, scheme, work, seed=1, until=evaluations(TASKS))
    return (time.process_time() - start) / state.tasks * 1e6


def main() -> None:
    shapes: dict[str, Scheme[int]] = {
        "plus selection, 100 tasks a generation": PlusSelection[int](25, {"mutate": 50}),
        "mutate or cross, 16 turns a generation": MutateOrCross[int](turns=16),
        "mutate or cross, 1 turn a generation": MutateOrCross[int](),
    }
    for name, scheme in shapes.items():
        spent = microseconds_per_task(scheme)
        print(f"{name}: {spent:.1f} microseconds a task, {spent / AIM:.2f} of the aim")


if __name__ == "__main__":
    main()
