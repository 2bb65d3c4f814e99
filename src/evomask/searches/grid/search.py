"""The grid of masking methods as a search: each method with each of its parameters, once.

It is the first population of the portfolio, and the baseline on its map.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, product, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Indices
from evomask.data.schema import Role
from evomask.data.table import Column, Table
from evomask.errors import ParameterError
from evomask.evolution.brood import Brood, Outcome, Outcomes, Task
from evomask.evolution.individual import Individual, Population
from evomask.evolution.setup import Draws, Setup
from evomask.evolution.state import State, born
from evomask.evolution.stopping import Budget
from evomask.masking.composition import InTurn, transitions_of, within_strata
from evomask.masking.grid import GridMethod, first_population
from evomask.masking.local_suppression import LocalSuppression
from evomask.masking.making import Making
from evomask.masking.method import About, MaskingMethod, making_of
from evomask.masking.microaggregation.mdav_generic import MdavGeneric
from evomask.masking.randomization.pram import Transitions
from evomask.searches.search import LARGE, File, Surroundings, Variants

NEXT = "next"

SUPPRESSED = "local suppression"
SUPPRESSING = (2, 3, 5, 10, 20)
"""Values of k that cells are left out for."""


@dataclass(frozen=True)
class Parameters:
    """What can be set on the grid.

    Args:
        each: how many methods are tried at once.
        pairs: whether every method for numbers is tried with every one for categories.
    """

    each: int = 8
    pairs: bool = False

    def __post_init__(self) -> None:
        if self.each < 1:
            raise ParameterError(f"each must be at least 1, got {self.each}")


Columns = Mapping[str, Column]

MOST_BYTES = 100_000_000
"""Room for what steps have made of a file."""


@dataclass(eq=False)
class Recent:
    """What steps made; where there is no room, what was not used for longest is forgotten."""

    room: int = MOST_BYTES
    _made: dict[MaskingMethod, Columns] = field(default_factory=dict)

    def of(self, step: MaskingMethod, make: Callable[[], Columns]) -> Columns:
        """What a step made, made anew where it is not known."""
        found = self._made.pop(step, None) or make()
        self._made[step] = found
        while len(self._made) > 1 and sum(map(_bytes_of, self._made.values())) > self.room:
            del self._made[next(iter(self._made))]
        return found


def _bytes_of(columns: Columns) -> int:
    return sum(column.nbytes for column in columns.values())


def steps_of(method: MaskingMethod) -> tuple[MaskingMethod, ...]:
    """The steps that a method is made of; itself where it is a single one."""
    if not isinstance(method, InTurn):
        return (method,)
    return tuple(step for part in method.methods for step in steps_of(part))


@dataclass(frozen=True, eq=False)
class Grid:
    """The methods that fit a table; a genome is a method's number."""

    original: Table
    draws: Draws
    pairs: bool = False

    @cached_property
    def methods(self) -> tuple[GridMethod, ...]:
        """Every method with its parameters, and its family."""
        more = paired(self.original) if self.pairs else suppressing(self.original)
        return (*first_population(self.original), *more)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Numbers of the methods: one of each family in turn, at random within a family.

        Cells are left out last in each round, for larger k each time.
        """
        families: dict[str, list[int]] = {}
        leaving = [i for i, own in enumerate(self.methods) if own.family == SUPPRESSED]
        others = len(self.methods) - len(leaving)
        for number in self.draws(others).permutation(others).tolist():
            families.setdefault(self.methods[number].family, []).append(number)
        rounds = [*(families[name] for name in sorted(families)), leaving]
        turns = chain.from_iterable(zip_longest(*rounds))
        return tuple(number for number in turns if number is not None)

    def work(self, task: Task[int], rng: np.random.Generator) -> Outcome[int]:
        """The method whose turn it is; its file is made and measured elsewhere."""
        return Outcome(self.order[int(task.rival or 0)], (0.0,))

    def decode(self, genome: int, draw: int) -> Table:
        """The masked file, every stratum on its own where there are strata.

        Of pairs the steps draw each from a stream of its own, and serve for all pairs that have
        them.
        """
        if not self.pairs:
            return self._method(genome).mask(self.original, self.draws(genome))
        parts = map(self._masked, steps_of(self.methods[genome].method))
        return self.original.with_columns(dict(chain.from_iterable(p.items() for p in parts)))

    def sampled(self, records: Indices) -> Callable[[int, int], Table]:
        """How methods decode to some records alone."""
        return SampledGrid(self, self.original.take(records), records).decode

    def columns(self, step: MaskingMethod) -> Columns:
        """What one step of a pair makes of the whole file."""
        masked = within_strata(step, self.original).mask(self.original, self.stream(step))
        return {name: masked[name] for name in step.attributes}

    def stream(self, step: MaskingMethod) -> np.random.Generator:
        """What a step draws from."""
        return self.draws(self._numbers[step])

    def _masked(self, step: MaskingMethod) -> Columns:
        return self._recent.of(step, partial(self.columns, step))

    @cached_property
    def _recent(self) -> "Recent":
        return Recent()

    @cached_property
    def _numbers(self) -> Mapping[MaskingMethod, int]:
        """Numbers of the steps, after those of the methods."""
        steps = chain.from_iterable(steps_of(method.method) for method in self.methods)
        return {step: i for i, step in enumerate(dict.fromkeys(steps), len(self.methods))}

    def making(self, genome: int) -> Making:
        """The method and its parameters, and the strata."""
        return replace(making_of(self._method(genome)), search=GridSearch.name)

    def matrices(self, genome: int) -> Mapping[str, Transitions]:
        """The transition matrices of a method that changes categories by chance.

        None where strata have matrices of their own.
        """
        strata = self.original.schema.with_role(Role.STRATUM)
        return {} if strata else transitions_of(self.methods[genome].method, self.original)

    def _method(self, genome: int) -> MaskingMethod:
        return within_strata(self.methods[genome].method, self.original)

    def pack(self, genome: int) -> Mapping[str, NDArray[Any]]:
        """The method's number as an array of one."""
        return {"method": np.int64(genome).reshape(1)}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> int:
        """The method's number that was packed."""
        return int(arrays["method"][0])


@dataclass(frozen=True, eq=False)
class SampledGrid:
    """The methods on some records of a table.

    Steps for some of the attributes are made on the whole table, whose groups are tighter. A
    step for all of them is made on the records alone: so is the repair of what other methods
    make, and either must not be better off.
    """

    grid: Grid
    sample: Table
    records: Indices
    _made: dict[MaskingMethod, Columns] = field(default_factory=dict, repr=False)

    def decode(self, genome: int, draw: int) -> Table:
        """The records as a method masks them."""
        steps = steps_of(self.grid.methods[genome].method)
        parts = [self._columns(step) for step in steps]
        return self.sample.with_columns(dict(chain.from_iterable(p.items() for p in parts)))

    def _columns(self, step: MaskingMethod) -> Columns:
        if step not in self._made:
            self._made[step] = self._masked(step)
        return self._made[step]

    def _masked(self, step: MaskingMethod) -> Columns:
        if set(step.attributes) >= set(self.sample.schema.quasi_identifiers):
            masked = step.mask(self.sample, self.grid.stream(step))
            return {name: masked[name] for name in step.attributes}
        return {name: c[self.records] for name, c in self.grid.columns(step).items()}


def paired(table: Table) -> Iterator[GridMethod]:
    """Every method for numbers with every one for categories; none where a kind is not there."""
    names = table.schema.quasi_identifiers
    categorical = tuple(name for name in names if table.attribute(name).is_categorical)
    numeric = tuple(name for name in names if name not in categorical)
    if not numeric or not categorical:
        return
    pairs = product(first_population(table, numeric), first_population(table, categorical))
    for first, second in pairs:
        family = f"{first.family} and {second.family}"
        yield GridMethod(InTurn((first.method, second.method)), family)


def suppressing(table: Table) -> Iterator[GridMethod]:
    """Cells of categories left out until k look alike, numbers in groups as large beside them.

    None of large files, where a method is judged by what it makes of single columns.
    """
    names = table.schema.quasi_identifiers
    categorical = tuple(name for name in names if table.attribute(name).is_categorical)
    numeric = tuple(name for name in names if name not in categorical)
    for k in SUPPRESSING if len(categorical) > 1 else ():
        if 2 * k <= len(table):
            cells = LocalSuppression(categorical, k)
            both = InTurn((MdavGeneric(numeric, k), cells)) if numeric else cells
            yield GridMethod(both, SUPPRESSED)


@dataclass(frozen=True)
class NextMethods:
    """The next methods of the grid, until all were tried."""

    count: int
    each: int

    def propose(self, state: State[int], rng: np.random.Generator) -> Brood[int]:
        """The next methods in the order of the grid, a few at a time."""
        last = min(self.count, state.tasks + self.each)
        return tuple(Task(NEXT, (), place) for place in range(state.tasks, last))

    def replace(
        self, state: State[int], brood: Brood[int], outcomes: Outcomes[int]
    ) -> Population[int]:
        """The methods that were tried last."""
        return born(state, brood, outcomes)


@dataclass(frozen=True)
class Everyone:
    """An archive that keeps every individual, since files are measured elsewhere."""

    members: Population[int] = ()

    def updated(self, arrivals: Iterable[Individual[int]]) -> "Everyone":
        """The archive with all arrivals added, however good or bad."""
        return Everyone((*self.members, *arrivals))

    def holding(self, members: Population[int]) -> "Everyone":
        """An archive of exactly these individuals, as a checkpoint saved them."""
        return Everyone(members)


class GridSearch:
    """Mask with every method that fits the file, each with many parameters."""

    name = "grid"
    parameters = Parameters
    budget = Budget(generations=1000)
    about = About(
        name="grid",
        title="masking methods as they are",
        steward="masked by a method with fixed parameters",
        public="Values were changed by a masking method.",
    )
    cost = 0.0
    recipes = True
    keeps_strata = True
    kernels = ()

    @staticmethod
    def variants(file: File) -> Variants:
        """One member for every file: some method always fits; of a large one, many more pairs."""
        return {"": {"pairs": True} if len(file.table) >= 2 * LARGE else {}}

    @staticmethod
    def setup(table: Table, parameters: Parameters, around: Surroundings) -> Setup[int]:
        """The methods that fit the table."""
        problem = Grid(table, around.draws, parameters.pairs)
        count = len(problem.methods)
        first = min(count, parameters.each)
        return Setup(problem, NextMethods(count, parameters.each), first, Everyone())
