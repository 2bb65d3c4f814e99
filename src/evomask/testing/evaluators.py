"""Laws of evaluators: the same results from one process, many, or a cluster."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import TypeAlias

from evomask.errors import ParameterError
from evomask.evolution.streams import working_stream
from evomask.execution.evaluator import Evaluator
from evomask.testing.law import Law, check, name_of

Result: TypeAlias = tuple[int, int, float]
FAILING = -1
"""The task that raises an error."""

SIZES = (1, 2, 3, 25)


@dataclass(frozen=True)
class RandomWork:
    """Work that returns its task, its serial number and a random number."""

    seed: int = 7

    def __call__(self, task: int, serial: int) -> Result:
        """Perform one task, or raise a ParameterError."""
        if task == FAILING:
            raise ParameterError(f"task {serial} cannot be done")
        return task, serial, float(working_stream(self.seed, serial).random())


TaskEvaluator: TypeAlias = Evaluator[int, Result]
Evaluators: TypeAlias = Callable[[RandomWork], AbstractContextManager[TaskEvaluator]]


@dataclass(frozen=True)
class EvaluatorCase:
    """A factory of evaluators, and an open evaluator."""

    evaluators: Evaluators
    evaluator: TaskEvaluator


def returns_results_in_order(case: EvaluatorCase) -> Iterator[str]:
    """There is one result for each task, in order, for few tasks and for many."""
    for size in SIZES:
        results = [result[0] for result in case.evaluator(range(size), first=0)]
        if results != list(range(size)):
            yield f"the results of {size} tasks were {results}"


def numbers_tasks_from_the_first_serial_number(case: EvaluatorCase) -> Iterator[str]:
    """Serial numbers continue from the given one."""
    serials = [result[1] for result in case.evaluator(range(5), first=40)]
    if serials != list(range(40, 45)):
        yield f"tasks 40 to 44 were numbered {serials}"


def equals_sequential_evaluation(case: EvaluatorCase) -> Iterator[str]:
    """Random numbers depend on the seed and the serial number only."""
    work, tasks = RandomWork(), range(25)
    sequential = [work(task, serial) for serial, task in enumerate(tasks, 100)]
    if list(case.evaluator(tasks, first=100)) != sequential:
        yield "some results differ from sequential evaluation"


def accepts_an_empty_batch(case: EvaluatorCase) -> Iterator[str]:
    """No tasks give no results and no error."""
    if list(case.evaluator((), first=0)):
        yield "there were results without tasks"


def propagates_task_errors(case: EvaluatorCase) -> Iterator[str]:
    """The error of a failed task is raised to the caller with its message."""
    try:
        case.evaluator((0, FAILING), first=10)
    except ParameterError as error:
        if str(error) != "task 11 cannot be done":
            yield f"the message became {str(error)!r}"
    else:
        yield "a failed task raised no error"


def continues_after_an_error(case: EvaluatorCase) -> Iterator[str]:
    """A failed task does not affect later tasks."""
    with suppress(ParameterError):
        case.evaluator((FAILING,), first=0)
    if len(case.evaluator(range(3), first=1)) != 3:
        yield "later tasks had no results"


def propagates_errors_from_its_context(case: EvaluatorCase) -> Iterator[str]:
    """An error within the context, such as an interrupt, is not swallowed."""
    was_raised = False
    try:
        with case.evaluators(RandomWork()):
            raise InterruptedError
    except InterruptedError:
        was_raised = True
    if not was_raised:
        yield "an error raised within its context was swallowed"


LAWS: tuple[Law[EvaluatorCase], ...] = (
    returns_results_in_order,
    numbers_tasks_from_the_first_serial_number,
    equals_sequential_evaluation,
    accepts_an_empty_batch,
    propagates_task_errors,
    continues_after_an_error,
    propagates_errors_from_its_context,
)


def check_evaluator(evaluators: Evaluators) -> None:
    """Raise if an evaluator breaks a law.

    Args:
        evaluators: function of the work that returns a context manager, which yields an evaluator.
    """
    with evaluators(RandomWork()) as evaluator:
        check(name_of(evaluator), LAWS, EvaluatorCase(evaluators, evaluator))
