"""Laws of searches: valid masked files, reproducible work, identical resumption."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import cached_property, partial
from io import BytesIO
from math import inf, isnan
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evomask.data.parameters import summary_of
from evomask.data.table import Table
from evomask.errors import EvomaskError
from evomask.evolution.checkpoint import StateCodec, read_state, write_state
from evomask.evolution.individual import FIRST, Outcome, Task
from evomask.evolution.loop import Setup, Worker, begin, evolve
from evomask.evolution.state import State
from evomask.evolution.stopping import Budget, generations
from evomask.evolution.streams import draw_stream, working_stream
from evomask.execution.local import InProcess
from evomask.searches.base import RELEASED_DRAW, MaskingProblem, Search, SearchContext
from evomask.testing.examples import (
    differing,
    example_of_categories,
    example_of_numbers,
    example_table,
)
from evomask.testing.law import Law, check, name_of

SEED = 5
GENERATIONS = 2
N_INITIAL = 3
"""Number of initial genomes that are checked."""

N_FINAL = 6
"""Number of files of the last generation that are checked."""

Make: TypeAlias = Callable[[], Table]
EXAMPLES: tuple[Make, ...] = (example_table, example_of_categories, example_of_numbers)
AROUND = SearchContext(draws=partial(draw_stream, SEED))


@dataclass(frozen=True, eq=False)
class SearchCase:
    """A search with its parameters on one file."""

    search: Search
    parameters: Any
    around: SearchContext
    make: Make

    @cached_property
    def table(self) -> Table:
        return self.make()

    @cached_property
    def setup(self) -> Setup[Any]:
        return self.new_setup()

    def new_setup(self) -> Setup[Any]:
        """Set the search up once more, without shared state."""
        return self.search.setup(self.table, self.parameters, self.around)

    @property
    def problem(self) -> MaskingProblem:
        problem: MaskingProblem = self.setup.problem  # type: ignore[assignment]
        return problem

    @cached_property
    def first(self) -> list[Outcome[Any]]:
        """Outcomes of a few initial genomes."""
        return [_first(self.setup, number) for number in range(min(N_INITIAL, self.setup.first))]

    @cached_property
    def straight(self) -> State[Any]:
        """Final state of a short uninterrupted run."""
        return _evolved(self.new_setup(), None, GENERATIONS)

    @cached_property
    def last(self) -> list[Table]:
        """Masked files of some individuals at the end of the short run."""
        last = (*self.straight.archive.members, *self.straight.population)
        genomes = {individual.serial: individual.genome for individual in last}
        return [self.file(genome) for genome in list(genomes.values())[:N_FINAL]]

    def packed(self, genome: Any) -> Mapping[str, NDArray[Any]]:  # noqa: ANN401
        """Return a genome as the named arrays of a checkpoint."""
        return {name: np.asarray(a) for name, a in self.problem.pack(genome).items()}

    def file(self, genome: Any) -> Table:  # noqa: ANN401
        """Return the masked file of a genome as it would be released."""
        return self.problem.decode(genome, RELEASED_DRAW)


def _first(setup: Setup[Any], number: int) -> Outcome[Any]:
    return setup.problem.work(Task(FIRST, (), number), working_stream(SEED, number))


def _evolved(setup: Setup[Any], state: State[Any] | None, until: int) -> State[Any]:
    work = InProcess(Worker(setup.problem, SEED))
    if state is None:
        state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    stop = generations(until)
    return evolve(state, setup.scheme, work, seed=SEED, until=stop, cost=setup.cost)


def has_a_complete_description(case: SearchCase) -> Iterator[str]:
    """The search has a docstring, a budget, and parameters with defaults."""
    if not summary_of(case.search).strip():
        yield "its docstring has no first sentence"
    if not is_dataclass(case.search.parameters):
        yield "its parameters are not a dataclass"
    if not isinstance(getattr(case.search, "budget", None), Budget):
        yield "its budget is not a Budget"


def has_initial_genomes(case: SearchCase) -> Iterator[str]:
    """There is at least one initial genome."""
    if case.setup.first < 1:
        yield f"there are {case.setup.first} initial genomes"


def returns_a_valid_fitness(case: SearchCase) -> Iterator[str]:
    """All fitness values have the same length; none is NaN or minus infinity."""
    fitnesses = [outcome.fitness for outcome in case.first]
    for fitness in fitnesses:
        if not fitness or any(isnan(value) or value == -inf for value in fitness):
            yield f"a fitness is {fitness}"
    if len({len(fitness) for fitness in fitnesses}) > 1:
        yield "fitness values have different lengths"


def depends_on_its_random_stream_only(case: SearchCase) -> Iterator[str]:
    """The same task with the same stream gives the same offspring, in any order of tasks."""
    fresh = case.new_setup()
    for number in reversed(range(len(case.first))):
        again, before = _first(fresh, number), case.first[number]
        if again.fitness != before.fitness or not _same(case, again.genome, before.genome):
            yield f"initial genome {number} differs the second time"


def packs_genomes_into_plain_arrays(case: SearchCase) -> Iterator[str]:
    """Genomes pack into numeric or fixed-width text arrays, so that states need no pickle."""
    for outcome in case.first:
        for name, array in case.packed(outcome.genome).items():
            if array.dtype.hasobject:
                yield f"the array {name!r} holds objects"


def unpacks_packed_genomes(case: SearchCase) -> Iterator[str]:
    """A genome decodes to the same file after packing and unpacking."""
    for outcome in case.first:
        again = case.problem.unpack(case.packed(outcome.genome))
        if not _same(case, again, outcome.genome):
            yield "a genome is not the same after packing and unpacking"
        if differing(case.file(outcome.genome), case.file(again)):
            yield "a genome decodes to another file after packing and unpacking"


def decodes_to_files_of_the_same_records(case: SearchCase) -> Iterator[str]:
    """Masked files have the same number of records, columns, order and roles."""
    for masked in case.last:
        if len(masked) != len(case.table):
            yield f"{len(case.table)} records became {len(masked)}"
        if [(a.name, a.role) for a in masked.schema] != [
            (a.name, a.role) for a in case.table.schema
        ]:
            yield "the columns of a masked file are not those of the original"


def changes_quasi_identifiers_only(case: SearchCase) -> Iterator[str]:
    """Other columns are identical to the bit, so the order of records is unchanged."""
    for masked in case.last:
        for name in differing(case.table, masked):
            if name not in case.table.schema.quasi_identifiers:
                yield f"{name!r} is not a quasi-identifier and was changed"


def decodes_reproducibly(case: SearchCase) -> Iterator[str]:
    """The same genome and draw give the same file, also after a new setup."""
    other: MaskingProblem = case.new_setup().problem  # type: ignore[assignment]
    for outcome in case.first:
        genome = other.unpack(case.packed(outcome.genome))
        for name in differing(case.file(outcome.genome), other.decode(genome, RELEASED_DRAW)):
            yield f"{name!r} differs the second time"


def reports_loss_and_risk_in_percent(case: SearchCase) -> Iterator[str]:
    """Loss and risk lie between 0 and 100, and no reported value is NaN."""
    for outcome in case.first if hasattr(case.problem, "read") else ():
        for name, value in case.problem.read(outcome.genome, RELEASED_DRAW).items():
            if isnan(value) or (name in {"loss", "risk"} and not 0 <= value <= 100):
                yield f"{name} is {value}"


def resumes_identically_from_a_checkpoint(case: SearchCase) -> Iterator[str]:
    """A run that is saved and loaded halfway ends like an uninterrupted run."""
    halfway = _evolved(case.new_setup(), None, GENERATIONS // 2)
    setup, buffer = case.new_setup(), BytesIO()
    codec = StateCodec(setup.problem.pack, setup.problem.unpack, setup.archive)
    write_state(buffer, halfway, codec)
    resumed = read_state(BytesIO(buffer.getvalue()), codec)
    last = _evolved(setup, resumed, GENERATIONS)
    if last != case.straight:
        yield "the final state differs"
    pairs = zip(last.population, case.straight.population, strict=False)
    if not all(_same(case, individual.genome, expected.genome) for individual, expected in pairs):
        yield "the final population differs"


def does_not_modify_the_original(case: SearchCase) -> Iterator[str]:
    """A run does not modify the original."""
    _first(case.setup, 0)
    for name in differing(case.make(), case.table):
        yield f"{name!r} of the original was changed"


def _same(case: SearchCase, genome: Any, other: Any) -> bool:  # noqa: ANN401
    first, second = case.packed(genome), case.packed(other)
    return first.keys() == second.keys() and all(
        first[name].shape == second[name].shape and first[name].tobytes() == second[name].tobytes()
        for name in first
    )


LAWS: tuple[Law[SearchCase], ...] = (
    has_a_complete_description,
    has_initial_genomes,
    returns_a_valid_fitness,
    depends_on_its_random_stream_only,
    packs_genomes_into_plain_arrays,
    unpacks_packed_genomes,
    decodes_to_files_of_the_same_records,
    changes_quasi_identifiers_only,
    decodes_reproducibly,
    reports_loss_and_risk_in_percent,
    resumes_identically_from_a_checkpoint,
    does_not_modify_the_original,
)


def check_search(
    search: Search,
    parameters: Any = None,  # noqa: ANN401
    around: SearchContext = AROUND,
    makes: Sequence[Make] = EXAMPLES,
) -> None:
    """Raise if a search breaks a law on the first example file that it accepts.

    Args:
        parameters: its parameters, by default the default ones.
        around: the context of the search.
        makes: functions that create the files to try; by default the example with all kinds of
            attributes, with categories only, and with numbers only.
    """
    chosen = search.parameters() if parameters is None else parameters
    cases = [SearchCase(search, chosen, around, make) for make in makes]
    check(name_of(search), LAWS, _accepted(cases))


def _accepted(cases: Sequence[SearchCase]) -> SearchCase:
    errors = []
    for case in cases:
        try:
            case.new_setup()
        except EvomaskError as error:
            errors.append(str(error))
        else:
            return case
    name = name_of(cases[0].search)
    raise AssertionError(f"{name} accepts none of the example files: {'; '.join(errors)}")
