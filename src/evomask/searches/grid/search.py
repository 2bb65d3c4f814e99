"""The grid search: every masking method with every value of its parameters, once.

It provides the initial candidates of the portfolio, and the baseline of its front.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, product, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.data.hierarchy import Bands, HierarchyDefinitions, fit_hierarchies
from evomask.data.schema import Role
from evomask.data.table import Column, Table
from evomask.evolution.archive import Members
from evomask.evolution.individual import Brood, Individual, Outcome, Population, Task
from evomask.evolution.loop import Draws, Setup
from evomask.evolution.schemes import Unbred
from evomask.evolution.state import State
from evomask.evolution.stopping import Budget
from evomask.masking.composition import InTurn, transitions_of, within_strata
from evomask.masking.grid import GridMethod, first_population, split_by_kind
from evomask.masking.local_suppression import LocalSuppression
from evomask.masking.method import About, MaskingMethod, provenance_of
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.provenance import Provenance
from evomask.masking.randomization.pram import Transitions
from evomask.masking.recoding.global_recoding import Generalization
from evomask.searches.base import (
    LARGE,
    MaskingProblem,
    Search,
    SearchContext,
    SearchInput,
    Variants,
    require_at_least,
)
from evomask.types import Indices

NEXT = "next"

SUPPRESSED = "local suppression"
GENERALIZED = "generalization"
GENERALIZED_LEVELS = (1, 2)
GENERALIZED_K = 5
"""Size of the groups of numbers beside generalized categories."""

SUPPRESSION_K = (2, 3, 5, 10, 20)
"""Values of k for local suppression."""


@dataclass(frozen=True)
class Parameters:
    """Parameters of the grid.

    Args:
        each: methods per generation.
        pairs: whether to combine every method for numbers with every method for categories.
    """

    each: int = 8
    pairs: bool = False

    def __post_init__(self) -> None:
        require_at_least(self, each=1)


Columns = Mapping[str, Column]

MOST_BYTES = 100_000_000
"""Size of the cache of masked columns."""


@dataclass(eq=False)
class ColumnCache:
    """Cache of the columns that steps produce; the least recently used are dropped."""

    capacity: int = MOST_BYTES
    _columns: dict[MaskingMethod, Columns] = field(default_factory=dict)

    def of(self, step: MaskingMethod, make: Callable[[], Columns]) -> Columns:
        found = self._columns.pop(step, None) or make()
        self._columns[step] = found
        while len(self._columns) > 1 and self.capacity < sum(
            column.nbytes for columns in self._columns.values() for column in columns.values()
        ):
            del self._columns[next(iter(self._columns))]
        return found


def steps_of(method: MaskingMethod) -> tuple[MaskingMethod, ...]:
    """Return the steps of a composed method; a single method is its own step."""
    if not isinstance(method, InTurn):
        return (method,)
    return tuple(step for part in method.methods for step in steps_of(part))


@dataclass(frozen=True, eq=False)
class Grid(MaskingProblem):
    """The methods that apply to a table; a genome is the number of a method."""

    original: Table
    draws: Draws
    pairs: bool = False
    hierarchies: HierarchyDefinitions = field(default_factory=dict)

    @cached_property
    def methods(self) -> tuple[GridMethod, ...]:
        if self.pairs:
            return (*first_population(self.original), *method_pairs(self.original))
        return (
            *first_population(self.original),
            *suppression_methods(self.original),
            *generalization_methods(self.original, self.hierarchies),
        )

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Order of the methods: one of each family in turn, randomly within a family.

        Local suppression comes last in each round, with increasing k.
        """
        families: dict[str, list[int]] = {}
        suppression = [i for i, own in enumerate(self.methods) if own.family == SUPPRESSED]
        others = len(self.methods) - len(suppression)
        for number in self.draws(others).permutation(others).tolist():
            families.setdefault(self.methods[number].family, []).append(number)
        rounds = [*(families[name] for name in sorted(families)), suppression]
        turns = chain.from_iterable(zip_longest(*rounds))
        return tuple(number for number in turns if number is not None)

    def work(self, task: Task[int], rng: np.random.Generator) -> Outcome[int]:
        return Outcome(self.order[int(task.rival or 0)], (0.0,))

    def decode(self, genome: int, draw: int) -> Table:
        """Return the masked file; strata are masked separately.

        Each step of a pair has its own random stream, so that its result is shared by all pairs.
        """
        if not self.pairs:
            return self._method(genome).mask(self.original, self.draws(genome))
        parts = map(self._masked, steps_of(self.methods[genome].method))
        return self.original.with_columns(dict(chain.from_iterable(p.items() for p in parts)))

    def sampled(self, records: Indices) -> Callable[[int, int], Table]:
        return SampledGrid(self, self.original.take(records), records).decode

    def mask_others(self, genome: int, records: Table) -> Table:
        method = within_strata(self.methods[genome].method, records)
        return method.mask(records, self.draws(genome))

    def columns(self, step: MaskingMethod) -> Columns:
        masked = within_strata(step, self.original).mask(self.original, self.stream(step))
        return {name: masked[name] for name in step.attributes}

    def stream(self, step: MaskingMethod) -> np.random.Generator:
        return self.draws(self._numbers[step])

    def _masked(self, step: MaskingMethod) -> Columns:
        return self._recent.of(step, partial(self.columns, step))

    @cached_property
    def _recent(self) -> ColumnCache:
        return ColumnCache()

    @cached_property
    def _numbers(self) -> Mapping[MaskingMethod, int]:
        steps = chain.from_iterable(steps_of(method.method) for method in self.methods)
        return {step: i for i, step in enumerate(dict.fromkeys(steps), len(self.methods))}

    def making(self, genome: int) -> Provenance:
        return replace(provenance_of(self._method(genome)), search=GridSearch.name)

    def matrices(self, genome: int) -> Mapping[str, Transitions]:
        """Return the transition matrices of a method that applies PRAM.

        None with strata, which have matrices of their own.
        """
        strata = self.original.schema.with_role(Role.STRATUM)
        return {} if strata else transitions_of(self.methods[genome].method, self.original)

    def _method(self, genome: int) -> MaskingMethod:
        return within_strata(self.methods[genome].method, self.original)

    def pack(self, genome: int) -> Mapping[str, NDArray[Any]]:
        return {"method": np.int64(genome).reshape(1)}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> int:
        return int(arrays["method"][0])


@dataclass(frozen=True, eq=False)
class SampledGrid:
    """The methods on some records of a table.

    Steps on some of the attributes are computed on the whole table, where groups are tighter. A
    step on all attributes is computed on the sample only, as is the enforcement for other
    methods, so that neither has an advantage.
    """

    grid: Grid
    sample: Table
    records: Indices
    _cache: dict[MaskingMethod, Columns] = field(default_factory=dict, repr=False)

    def decode(self, genome: int, draw: int) -> Table:
        steps = steps_of(self.grid.methods[genome].method)
        parts = [self._columns(step) for step in steps]
        return self.sample.with_columns(dict(chain.from_iterable(p.items() for p in parts)))

    def _columns(self, step: MaskingMethod) -> Columns:
        if step not in self._cache:
            self._cache[step] = self._masked(step)
        return self._cache[step]

    def _masked(self, step: MaskingMethod) -> Columns:
        if set(step.attributes) >= set(self.sample.schema.quasi_identifiers):
            masked = step.mask(self.sample, self.grid.stream(step))
            return {name: masked[name] for name in step.attributes}
        return {name: c[self.records] for name, c in self.grid.columns(step).items()}


def method_pairs(table: Table) -> Iterator[GridMethod]:
    """Return every method for numbers combined with every one for categories."""
    numeric, categorical = split_by_kind(table, table.schema.quasi_identifiers)
    if not numeric or not categorical:
        return
    pairs = product(first_population(table, numeric), first_population(table, categorical))
    for first, second in pairs:
        family = f"{first.family} and {second.family}"
        yield GridMethod(InTurn((first.method, second.method)), family)


def suppression_methods(table: Table) -> Iterator[GridMethod]:
    """Return local suppression of categories for several k, with microaggregated numbers.

    With scenarios, of the categories that each knows exactly, one scenario after the other. Not for
    large files, where methods are evaluated by single columns.
    """
    yield from _suppression_by_scenario(table)
    numeric, categorical = split_by_kind(table, table.schema.quasi_identifiers)
    for k in SUPPRESSION_K if len(categorical) > 1 else ():
        if 2 * k <= len(table):
            cells = LocalSuppression(categorical, k)
            both = InTurn((MdavGeneric(numeric, k), cells)) if numeric else cells
            yield GridMethod(both, SUPPRESSED)


def _suppression_by_scenario(table: Table) -> Iterator[GridMethod]:
    scenarios = table.schema.scenarios
    exact = [split_by_kind(table, (*one.knows, *one.of))[1] for one in scenarios]
    keys = [names for names in dict.fromkeys(exact) if names]
    quasi = table.schema.quasi_identifiers
    known = {name for one in scenarios for name in one.attributes}
    numeric, _ = split_by_kind(table, tuple(name for name in quasi if name in known))
    is_maskable = all(set(names) <= set(quasi) for names in keys)
    for k in SUPPRESSION_K if keys and is_maskable else ():
        if 2 * k <= len(table):
            cells = tuple(LocalSuppression(names, k) for names in keys)
            numbers = (MdavGeneric(numeric, k),) if numeric else ()
            yield GridMethod(InTurn((*numbers, *cells)), SUPPRESSED)


def generalization_methods(table: Table, hierarchies: HierarchyDefinitions) -> Iterator[GridMethod]:
    """Return generalization of what scenarios know by one and by two levels, to be enforced.

    None without scenarios. A level in which all categories are one is never reached.
    """
    quasi = table.schema.quasi_identifiers
    known = {name for one in table.schema.scenarios for name in one.attributes}
    numeric, categorical = split_by_kind(table, tuple(name for name in quasi if name in known))
    given = ((name, hierarchies.get(name)) for name in categorical)
    lines = {name: own for name, own in given if own and not isinstance(own, Bands)}
    fitted = fit_hierarchies(lines, table).items()
    trees = {name: tree for name, tree in fitted if tree.height > 1}
    for level in GENERALIZED_LEVELS if trees else ():
        levels = tuple(min(level, tree.height - 1) for tree in trees.values())
        method: MaskingMethod = Generalization(tuple(trees), levels, trees)
        if numeric and len(table) >= 2 * GENERALIZED_K:
            method = InTurn((MdavGeneric(numeric, GENERALIZED_K), method))
        yield GridMethod(method, GENERALIZED)


@dataclass(frozen=True)
class NextMethods(Unbred[int]):
    """The next methods of the grid, until all were evaluated."""

    count: int
    each: int

    def propose(self, state: State[int], rng: np.random.Generator) -> Brood[int]:
        last = min(self.count, state.tasks + self.each)
        return tuple(Task(NEXT, (), place) for place in range(state.tasks, last))


@dataclass(frozen=True)
class AllIndividuals(Members[int]):
    """An archive of all individuals, for files that are measured elsewhere."""

    members: Population[int] = ()

    def updated(self, arrivals: Iterable[Individual[int]]) -> "AllIndividuals":
        return AllIndividuals((*self.members, *arrivals))


class GridSearch(Search):
    """Mask with every applicable method, each with many parameters."""

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

    @staticmethod
    def variants(source: SearchInput) -> Variants:
        return {"": {"pairs": True} if len(source.table) >= 2 * LARGE else {}}

    @staticmethod
    def setup(table: Table, parameters: Parameters, context: SearchContext) -> Setup[int]:
        problem = Grid(table, context.draws, parameters.pairs, context.hierarchies)
        count = len(problem.methods)
        first = min(count, parameters.each)
        return Setup(problem, NextMethods(count, parameters.each), first, AllIndividuals())
