"""The laws of evaluators: the same answers from one process, many, or many machines."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from evomask.errors import ParameterError
from evomask.evolution.streams import working_stream
from evomask.testing.law import Law, check, name_of

Answer: TypeAlias = tuple[int, int, float]
REFUSED = -1
"""The task that cannot be done."""

SIZES = (1, 2, 3, 25)


@dataclass(frozen=True)
class Drawing:
    """Work whose answer tells the task, its serial number and what was drawn for it."""

    seed: int = 7

    def __call__(self, task: int, serial: int) -> Answer:
        """Do one task, or refuse it in a sentence."""
        if task == REFUSED:
            raise ParameterError(f"task {serial} cannot be done")
        return task, serial, float(working_stream(self.seed, serial).random())


class Answering(Protocol):
    """Who carries out tasks: answers in order, serial numbers going on from *first*."""

    def __call__(self, tasks: Sequence[int], /, first: int) -> Sequence[Answer]:
        """The answers in the order of the tasks."""
        ...


Evaluators: TypeAlias = Callable[[Drawing], AbstractContextManager[Answering]]


@dataclass(frozen=True)
class Evaluating:
    """What makes evaluators, and one of them at work."""

    evaluators: Evaluators
    evaluator: Answering


def answers_every_task_in_order(case: Evaluating) -> Iterator[str]:
    """As many answers as tasks, each in its place, for few tasks and for many."""
    for size in SIZES:
        answers = [answer[0] for answer in case.evaluator(range(size), first=0)]
        if answers != list(range(size)):
            yield f"{size} tasks were answered as {answers}"


def numbers_tasks_from_the_first_serial_number(case: Evaluating) -> Iterator[str]:
    """Serial numbers go on from the one that is given."""
    serials = [answer[1] for answer in case.evaluator(range(5), first=40)]
    if serials != list(range(40, 45)):
        yield f"tasks 40 to 44 were numbered {serials}"


def gives_the_answers_of_one_process(case: Evaluating) -> Iterator[str]:
    """What a task draws depends on the seed and its serial number alone."""
    work, tasks = Drawing(), range(25)
    here = [work(task, serial) for serial, task in enumerate(tasks, 100)]
    if list(case.evaluator(tasks, first=100)) != here:
        yield "some answers differ from those computed here"


def does_nothing_for_an_empty_brood(case: Evaluating) -> Iterator[str]:
    """No task, no answer, no error."""
    if list(case.evaluator((), first=0)):
        yield "there were answers without tasks"


def hands_on_the_error_of_a_task(case: Evaluating) -> Iterator[str]:
    """A task that fails raises its own error here, with its sentence."""
    try:
        case.evaluator((0, REFUSED), first=10)
    except ParameterError as error:
        if str(error) != "task 11 cannot be done":
            yield f"the sentence became {str(error)!r}"
    else:
        yield "a task that failed raised nothing"


def goes_on_after_an_error(case: Evaluating) -> Iterator[str]:
    """A task that failed does not spoil those that come later."""
    with suppress(ParameterError):
        case.evaluator((REFUSED,), first=0)
    if len(case.evaluator(range(3), first=1)) != 3:
        yield "later tasks were not answered"


def lets_errors_out_of_its_block(case: Evaluating) -> Iterator[str]:
    """Leaving by an error, such as an interrupt, is not swallowed."""
    came_out = False
    try:
        with case.evaluators(Drawing()):
            raise InterruptedError
    except InterruptedError:
        came_out = True
    if not came_out:
        yield "an error raised within its block did not come out"


LAWS: tuple[Law[Evaluating], ...] = (
    answers_every_task_in_order,
    numbers_tasks_from_the_first_serial_number,
    gives_the_answers_of_one_process,
    does_nothing_for_an_empty_brood,
    hands_on_the_error_of_a_task,
    goes_on_after_an_error,
    lets_errors_out_of_its_block,
)


def check_evaluator(evaluators: Evaluators) -> None:
    """Raise where what *evaluators* makes breaks a law.

    Args:
        evaluators: takes the work to be done, gives a context manager that gives an evaluator.
    """
    with evaluators(Drawing()) as evaluator:
        check(name_of(evaluator), LAWS, Evaluating(evaluators, evaluator))
