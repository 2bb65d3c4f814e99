"""Evaluators that break a law."""

from contextlib import contextmanager, suppress

from evomask.errors import ParameterError


def in_order(work, tasks, first):
    return [work(task, serial) for serial, task in enumerate(tasks, first)]


def made(answer):
    @contextmanager
    def evaluators(work):
        yield lambda tasks, first: answer(work, tasks, first)

    return evaluators


whole = made(in_order)


def without_errors(work, tasks, first):
    with suppress(ParameterError):
        return in_order(work, tasks, first)
    return []


@contextmanager
def broken_by_an_error(work):
    failed = []

    def evaluator(tasks, first):
        try:
            return [] if failed and first == 1 else in_order(work, tasks, first)
        except ParameterError:
            failed.append(first)
            raise

    yield evaluator


@contextmanager
def swallowing(work):
    with suppress(InterruptedError):
        yield lambda tasks, first: in_order(work, tasks, first)


BROKEN = {
    "returns_results_in_order": made(lambda work, tasks, first: in_order(work, tasks, first)[::-1]),
    "numbers_tasks_from_the_first_serial_number": made(
        lambda work, tasks, _: in_order(work, tasks, 0)
    ),
    "equals_sequential_evaluation": made(
        lambda work, tasks, first: [(*a[:2], 0.5) for a in in_order(work, tasks, first)]
    ),
    "accepts_an_empty_batch": made(lambda work, tasks, first: in_order(work, tasks or (3,), first)),
    "propagates_task_errors": made(without_errors),
    "continues_after_an_error": broken_by_an_error,
    "propagates_errors_from_its_context": swallowing,
}
