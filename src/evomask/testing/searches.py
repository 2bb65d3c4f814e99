"""The laws of searches: genomes that decode to files, work that depends on its stream alone."""

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
from evomask.evolution.brood import FIRST, Outcome, Task
from evomask.evolution.checkpoint import StateCodec, read_state, write_state
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.setup import Setup
from evomask.evolution.state import State
from evomask.evolution.stopping import Budget, generations
from evomask.evolution.streams import draw_stream, working_stream
from evomask.execution.local import InProcess
from evomask.searches.search import RELEASED_DRAW, MaskingProblem, Search, Surroundings
from evomask.testing.examples import (
    differing,
    example_of_categories,
    example_of_numbers,
    example_table,
)
from evomask.testing.law import Law, check, name_of

SEED = 5
GENERATIONS = 2
FIRSTS = 3
"""First genomes that are looked at one by one."""

LASTS = 6
"""Files of the last generation that are looked at."""

Make: TypeAlias = Callable[[], Table]
EXAMPLES: tuple[Make, ...] = (example_table, example_of_categories, example_of_numbers)
AROUND = Surroundings(draws=partial(draw_stream, SEED))


@dataclass(frozen=True, eq=False)
class Searching:
    """A search with its parameters on one file; every setup is made anew."""

    search: Search
    parameters: Any
    around: Surroundings
    make: Make

    @cached_property
    def table(self) -> Table:
        """The file that the search is to protect."""
        return self.make()

    @cached_property
    def setup(self) -> Setup[Any]:
        """The search made ready for the example, once."""
        return self.ready()

    def ready(self) -> Setup[Any]:
        """The search made ready once more, remembering nothing."""
        return self.search.setup(self.table, self.parameters, self.around)

    @property
    def problem(self) -> MaskingProblem:
        """The problem of the setup, whose genomes decode to masked files."""
        problem: MaskingProblem = self.setup.problem  # type: ignore[assignment]
        return problem

    @cached_property
    def first(self) -> list[Outcome[Any]]:
        """The first few genomes with their fitness."""
        return [_first(self.setup, number) for number in range(min(FIRSTS, self.setup.first))]

    @cached_property
    def straight(self) -> State[Any]:
        """A short run without a stop."""
        return _evolved(self.ready(), None, GENERATIONS)

    @cached_property
    def last(self) -> list[Table]:
        """The masked files of some who are there when the short run ends."""
        last = (*self.straight.archive.members, *self.straight.population)
        genomes = {individual.serial: individual.genome for individual in last}
        return [self.file(genome) for genome in list(genomes.values())[:LASTS]]

    def packed(self, genome: Any) -> Mapping[str, NDArray[Any]]:  # noqa: ANN401
        """A genome as the named arrays of a checkpoint."""
        return {name: np.asarray(a) for name, a in self.problem.pack(genome).items()}

    def file(self, genome: Any) -> Table:  # noqa: ANN401
        """The masked file of a genome, as it would be released."""
        return self.problem.decode(genome, RELEASED_DRAW)


def _first(setup: Setup[Any], number: int) -> Outcome[Any]:
    return setup.problem.work(Task(FIRST, (), number), working_stream(SEED, number))


def _evolved(setup: Setup[Any], state: State[Any] | None, until: int) -> State[Any]:
    work = InProcess(Worker(setup.problem, SEED))
    if state is None:
        state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    stop = generations(until)
    return evolve(state, setup.scheme, work, seed=SEED, until=stop, cost=setup.cost)


def introduces_itself(case: Searching) -> Iterator[str]:
    """A name, a sentence, a budget, and parameters that can all be left as they are."""
    if not summary_of(case.search).strip():
        yield "its docstring has no first sentence"
    if not is_dataclass(case.search.parameters):
        yield "its parameters are not a dataclass"
    if not isinstance(getattr(case.search, "budget", None), Budget):
        yield "its budget is not a Budget"


def has_first_genomes(case: Searching) -> Iterator[str]:
    """At least one genome to begin with."""
    if case.setup.first < 1:
        yield f"there are {case.setup.first} first genomes"


def measures_in_numbers(case: Searching) -> Iterator[str]:
    """A fitness has as many numbers for all; none is NaN or minus infinity."""
    fitnesses = [outcome.fitness for outcome in case.first]
    for fitness in fitnesses:
        if not fitness or any(isnan(value) or value == -inf for value in fitness):
            yield f"a fitness is {fitness}"
    if len({len(fitness) for fitness in fitnesses}) > 1:
        yield "fitnesses have different lengths"


def works_by_its_stream_alone(case: Searching) -> Iterator[str]:
    """The same task with the same stream makes the same child, whatever was done before."""
    fresh = case.ready()
    for number in reversed(range(len(case.first))):
        again, before = _first(fresh, number), case.first[number]
        if again.fitness != before.fitness or not _same(case, again.genome, before.genome):
            yield f"first genome {number} came out differently the second time"


def packs_genomes_into_plain_arrays(case: Searching) -> Iterator[str]:
    """Arrays of numbers or fixed-width text, so that a state can be kept without pickle."""
    for outcome in case.first:
        for name, array in case.packed(outcome.genome).items():
            if array.dtype.hasobject:
                yield f"the array {name!r} holds objects"


def unpacks_what_it_packed(case: Searching) -> Iterator[str]:
    """A genome that went through arrays decodes to the same file."""
    for outcome in case.first:
        again = case.problem.unpack(case.packed(outcome.genome))
        if not _same(case, again, outcome.genome):
            yield "a genome is not the same after packing and unpacking"
        if differing(case.file(outcome.genome), case.file(again)):
            yield "a genome decodes to another file after packing and unpacking"


def decodes_to_files_of_the_same_records(case: Searching) -> Iterator[str]:
    """As many records; the same columns in the same order and roles."""
    for masked in case.last:
        if len(masked) != len(case.table):
            yield f"{len(case.table)} records became {len(masked)}"
        if [(a.name, a.role) for a in masked.schema] != [
            (a.name, a.role) for a in case.table.schema
        ]:
            yield "the columns of a masked file are not those of the original"


def changes_quasi_identifiers_only(case: Searching) -> Iterator[str]:
    """Other columns are the same to the bit, so records keep their order."""
    for masked in case.last:
        for name in differing(case.table, masked):
            if name not in case.table.schema.quasi_identifiers:
                yield f"{name!r} is no quasi-identifier and was changed"


def decodes_a_draw_to_one_file(case: Searching) -> Iterator[str]:
    """The same genome and draw give the same file, also in a problem made anew."""
    other: MaskingProblem = case.ready().problem  # type: ignore[assignment]
    for outcome in case.first:
        genome = other.unpack(case.packed(outcome.genome))
        for name in differing(case.file(outcome.genome), other.decode(genome, RELEASED_DRAW)):
            yield f"{name!r} differs the second time"


def reads_loss_and_risk_in_percent(case: Searching) -> Iterator[str]:
    """What a genome's measures are called loss and risk lies between 0 and 100; NaN never."""
    for outcome in case.first if hasattr(case.problem, "read") else ():
        for name, value in case.problem.read(outcome.genome, RELEASED_DRAW).items():
            if isnan(value) or (name in {"loss", "risk"} and not 0 <= value <= 100):
                yield f"{name} is {value}"


def goes_on_equally_after_saving_and_loading(case: Searching) -> Iterator[str]:
    """Saved halfway, loaded and run to the end equals run straight to the end."""
    halfway = _evolved(case.ready(), None, GENERATIONS // 2)
    setup, kept = case.ready(), BytesIO()
    codec = StateCodec(setup.problem.pack, setup.problem.unpack, setup.archive)
    write_state(kept, halfway, codec)
    resumed = read_state(BytesIO(kept.getvalue()), codec)
    last = _evolved(setup, resumed, GENERATIONS)
    if last != case.straight:
        yield "the last state is another one"
    pairs = zip(last.population, case.straight.population, strict=False)
    if not all(_same(case, individual.genome, expected.genome) for individual, expected in pairs):
        yield "the last population is another one"


def leaves_its_file_alone(case: Searching) -> Iterator[str]:
    """The original is the same after a run."""
    _first(case.setup, 0)
    for name in differing(case.make(), case.table):
        yield f"{name!r} of the original was changed"


def _same(case: Searching, genome: Any, other: Any) -> bool:  # noqa: ANN401
    first, second = case.packed(genome), case.packed(other)
    return first.keys() == second.keys() and all(
        _alike(first[name], second[name]) for name in first
    )


def _alike(array: NDArray[Any], other: NDArray[Any]) -> bool:
    return array.shape == other.shape and array.tobytes() == other.tobytes()


LAWS: tuple[Law[Searching], ...] = (
    introduces_itself,
    has_first_genomes,
    measures_in_numbers,
    works_by_its_stream_alone,
    packs_genomes_into_plain_arrays,
    unpacks_what_it_packed,
    decodes_to_files_of_the_same_records,
    changes_quasi_identifiers_only,
    decodes_a_draw_to_one_file,
    reads_loss_and_risk_in_percent,
    goes_on_equally_after_saving_and_loading,
    leaves_its_file_alone,
)


def check_search(
    search: Search,
    parameters: Any = None,  # noqa: ANN401
    around: Surroundings = AROUND,
    makes: Sequence[Make] = EXAMPLES,
) -> None:
    """Raise where a search breaks a law on the first of the example files that it accepts.

    Args:
        parameters: its parameters, by default those of a user who sets nothing.
        makes: functions that give the files to try; the example with all kinds of attributes,
            with categories alone, with numbers alone.
    """
    chosen = search.parameters() if parameters is None else parameters
    cases = [Searching(search, chosen, around, make) for make in makes]
    check(name_of(search), LAWS, _accepted(cases))


def _accepted(cases: Sequence[Searching]) -> Searching:
    """The first case that can be set up."""
    refusals = []
    for case in cases:
        try:
            case.ready()
        except EvomaskError as error:
            refusals.append(str(error))
        else:
            return case
    name = name_of(cases[0].search)
    raise AssertionError(f"{name} accepts none of the example files: {'; '.join(refusals)}")
