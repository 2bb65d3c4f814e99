"""Base of all searches: their input and context, the search protocol and the problem base class.

A search has the members of `Search`; its `setup` returns a problem derived from `MaskingProblem`.
Searches are found through the catalogue: ours by a line there, others by an entry point.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from evomask.data.chart import Chart
from evomask.data.classes import classes_of
from evomask.data.hierarchy import HierarchyDefinitions
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.individual import Cost, Fitness, Outcome, Task
from evomask.evolution.loop import Decide, Draws, Setup
from evomask.evolution.state import State
from evomask.evolution.stopping import Budget
from evomask.masking.enforce.requirement import Requirement
from evomask.masking.method import About
from evomask.masking.provenance import Provenance, Step
from evomask.masking.randomization.pram import CommonDraws, percent_kept, properties_of
from evomask.measures.analyses.analyses import NO_ANALYSES, AnalysesToPreserve
from evomask.types import Points

if TYPE_CHECKING:
    from evomask.masking.recipe import Recipe
    from evomask.measures.expected.expectation import PramEvaluation

T = TypeVar("T")

RELEASED_DRAW = 0
"""Number of the random draw that is measured and released, where masking is random."""

LARGE = 20_000
"""Number of records above which searches in `protect` use small generations."""

Variants: TypeAlias = Mapping[str, Mapping[str, object]]
"""Parameter values by a suffix of the search's name; parameters not listed have their defaults."""


@dataclass(frozen=True)
class SearchInput:
    """The input that decides whether a search applies, and with which parameters.

    Args:
        requirement: privacy requirement of every released file.
        profile: name of the risk profile by which files are measured.
        hierarchies: value hierarchies supplied with the file.
    """

    table: Table
    requirement: Requirement
    profile: str
    hierarchies: HierarchyDefinitions = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers: the attributes to mask."""
        return self.table.schema.quasi_identifiers

    @property
    def numbers(self) -> tuple[str, ...]:
        """The continuous attributes among the quasi-identifiers."""
        return tuple(n for n in self.names if not self.table.attribute(n).is_categorical)

    @property
    def with_trees(self) -> tuple[str, ...]:
        """The quasi-identifiers that have a hierarchy."""
        return tuple(name for name in self.names if name in self.hierarchies)

    @property
    def asks_anything(self) -> bool:
        """Whether k, l or t is required, in general or in a scenario."""
        scenarios = self.table.schema.scenarios
        return self.requirement.asks_anything or any(one.require for one in scenarios)

    @property
    def is_large(self) -> bool:
        return len(self.table) > LARGE

    def sizes(self, candidates: Iterable[int]) -> tuple[int, ...]:
        """Return the group sizes that meet the required k and fit into the file several times."""
        allowed = sorted({max(k, self.requirement.k) for k in candidates})
        return tuple(k for k in allowed if 4 * k <= len(self.table) and k <= self.fewest)

    @property
    def strata(self) -> tuple[str, ...]:
        """The attributes whose combinations of values define the strata."""
        return self.table.schema.with_role(Role.STRATUM)

    @cached_property
    def fewest(self) -> int:
        """Number of records of the smallest stratum; of the file if there are no strata."""
        return int(classes_of(self.table, self.strata).sizes.min(initial=len(self.table)))


@dataclass(frozen=True)
class SearchContext:
    """What a search may use besides its table and parameters.

    Args:
        draws: function that returns the random generator of draw r, the same for all evaluations of
            a run.
        decide: under a time budget, computes a number that depends on the clock once (such as a
            burst length), which is replayed when the run is resumed; None if nothing may depend on
            the clock.
        budget: the budget of the run, if known.
        workers: number of parallel workers; only decisions by the clock may depend on it.
        hierarchies: value hierarchies supplied with the file or read from the folder that a
            parameter named ``hierarchies`` gives; `data.hierarchy.fitted` checks one.
        keep: analyses to preserve, for a search that can use them.
        given: masked versions of the table that the user gave.
    """

    draws: Draws
    decide: Decide | None = None
    budget: Budget | None = None
    workers: int = 1
    hierarchies: HierarchyDefinitions = field(default_factory=dict)
    keep: AnalysesToPreserve = NO_ANALYSES
    given: tuple[Table, ...] = ()


class Search(Protocol):
    """A kind of search; the first sentence of its docstring is its description for users.

    ``name``, ``parameters``, ``budget`` and ``setup`` make a command of `evomask search`; the
    other members are for `evomask protect`, and a search without variants takes no part in it.

    Args:
        name: name on the command line and in the catalogue.
        parameters: a frozen dataclass; its fields become options, the ``Args`` section of its
            docstring their help. A field named ``hierarchies`` is a folder of value hierarchies,
            which are loaded for the search; one named ``matrices`` is a folder to which the
            transition matrices found are written.
        budget: default budget of a run.
        about: description of what the search does to a file, for the data steward and the public.
        cost: cost of breeding a candidate, relative to that of measuring it on a sample.
        recipes: whether a genome can mask any records with the same attributes; then the search
            runs on a sample, and its best genomes are applied to the whole file.
        keeps_strata: whether no value moves between strata; otherwise the search is not used for
            files with strata.
        kernels: modules of `evomask.kernels` to load before the clock starts, such as
            ``groups.exact``, besides those of masking and measuring.
    """

    name: str
    parameters: type[Any]
    budget: Budget
    about: About
    cost: float = 1.0
    recipes: bool = False
    keeps_strata: bool = False
    kernels: tuple[str, ...] = ()

    @staticmethod
    def variants(source: SearchInput) -> Variants:
        """Return the parameter sets to run in `protect`; none if the search does not apply."""
        ...

    @staticmethod
    def setup(table: Table, parameters: Any, context: SearchContext) -> Setup[Any]:  # noqa: ANN401
        """Prepare the search for one table; its problem is a `MaskingProblem`.

        Called again in every worker process, where it must return an equal setup.
        """
        ...


@dataclass(frozen=True)
class Proven:
    """Optimality proof of a search: an upper bound of its distance from the optimum.

    Args:
        outcome: the best genome known; the proof may have found a better one.
        answer: additional keys of the JSON answer.
    """

    outcome: Outcome[Any]
    answer: Mapping[str, object]


class MaskingProblem:
    """Base of the problems of all searches: genomes that decode to masked files.

    A search overrides the methods without a default, and those whose default does not fit.
    """

    packed_as = "genome"
    """Name of the array in which a snapshot stores a genome that is an array."""

    def work(self, task: Task[Any], rng: np.random.Generator) -> Outcome[Any]:
        """Return a new genome, made by the operator of the task, with its fitness."""
        raise NotImplementedError

    def decode(self, genome: Any, draw: int) -> Table:  # noqa: ANN401
        """Return the masked file; where masking is random, that of draw number *draw*."""
        raise NotImplementedError

    def read(self, genome: Any, draw: int) -> Mapping[str, float]:  # noqa: ANN401
        """Return the measures of the masked file by name, among them ``loss`` and ``risk``."""
        return {}

    def answer(self, genome: Any) -> Mapping[str, object]:  # noqa: ANN401
        """Return what the JSON answer says about the chosen genome."""
        return {}

    def pack(self, genome: Any) -> Mapping[str, NDArray[Any]]:  # noqa: ANN401
        """Return a genome as named arrays, for a snapshot."""
        return {self.packed_as: genome}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Any:  # noqa: ANN401
        """Return the genome that was packed."""
        return arrays[self.packed_as]

    def making(self, genome: Any) -> Provenance | None:  # noqa: ANN401
        """Return the provenance of the masked file: the steps that made it.

        Without it, reports describe the file by the `about` of the search.
        """
        return None

    def recipe(self, genome: Any) -> "Recipe | None":  # noqa: ANN401
        """Return the masking steps that a genome stands for; None if it cannot be written so.

        The engine then varies and combines it like any other recipe.
        """
        return None

    def matrices(self, genome: Any) -> Mapping[str, Points]:  # noqa: ANN401
        """Return the transition matrix of each attribute: from a category (row) to another.

        They are published with a released file, so that analysts can correct for them.
        """
        return {}

    def overview(self, state: State[Any]) -> Mapping[str, object]:
        """Return what the JSON answer says about the whole run."""
        return {}

    def charts(self, state: State[Any]) -> Sequence[Chart]:
        """Return figures of the run, drawn with ``--figures``."""
        return ()

    def adopted(self, masked: Table) -> Outcome[Any] | None:
        """Return a file of another search as a genome with its fitness; None if impossible.

        In `protect` the search then starts from the best files of all others and receives new
        ones later.
        """
        return None

    def compared(self, first: int, genome: Any) -> tuple[Table, Table] | None:  # noqa: ANN401
        """Return initial file number *first* and the file of a genome, to be attacked.

        For searches that might overfit the measures: both files are attacked in ways that no
        search uses, and a warning reports a higher risk. None if not requested.
        """
        return None

    def proved(self, state: State[Any]) -> Proven | None:
        """Return a bound of the optimum, computed after the last state; None if not requested."""
        return None


def overrides(problem: object, method: str) -> bool:
    """Return whether a problem overrides an optional method of `MaskingProblem`."""
    own = getattr(type(problem), method, None)
    return own is not None and own is not getattr(MaskingProblem, method)


def require_at_least(parameters: object, **least: int) -> None:
    """Raise an error if a parameter that is given lies below its smallest value."""
    for name, smallest in least.items():
        given = getattr(parameters, name)
        if given is not None and given < smallest:
            raise ParameterError(f"{name} must be at least {smallest}, got {given}")


class MatrixProblem(MaskingProblem):
    """Base of the problems whose genomes stand for PRAM transition matrices."""

    name: str
    cost: Cost
    draws: CommonDraws
    measured: "PramEvaluation"

    def decode(self, genome: Any, draw: int) -> Table:  # noqa: ANN401
        return self.draws.masked(self.matrices(genome), draw)

    def recipe(self, genome: Any) -> "Recipe":  # noqa: ANN401
        """Return PRAM by the matrices, a step for each attribute."""
        return tuple(
            Step("matrix-pram", {"matrices": {name: matrix.tolist()}}, (name,))
            for name, matrix in self.matrices(genome).items()
        )

    def described_matrices(self, genome: Any, *, invariant: bool) -> dict[str, object]:  # noqa: ANN401
        """Return what the JSON answer says about the matrices of a genome."""
        table, frequencies = self.draws.table, self.draws.frequencies
        return {
            "matrices": {
                name: properties_of(matrix, table.attribute(name).categories, frequencies[name])
                for name, matrix in self.matrices(genome).items()
            },
            "invariant": invariant,
        }

    def pram_step(self, genome: Any, *, invariant: bool, **more: object) -> Provenance:  # noqa: ANN401
        """Return the provenance: one step, with the percentage of unchanged cells."""
        kept = percent_kept(self.matrices(genome), self.draws.frequencies)
        parameters = {**more, "kept": kept, "invariant": invariant}
        return Provenance((Step(self.name, parameters, tuple(kept)),), search=self.name)

    def read(self, genome: Any, draw: int) -> Mapping[str, float]:  # noqa: ANN401
        """Return loss, risk and score of the released draw, and their expectations."""
        readings = self.measured.released(self.matrices(genome), draw)
        expected = self.cost((readings["expected_loss"], readings["expected_risk"]))
        score = self.cost((readings["loss"], readings["risk"]))
        return {**readings, "score": score, "expected_score": expected}


def pram_attributes(table: Table, chosen: tuple[str, ...]) -> tuple[str, ...]:
    """Return the attributes that PRAM masks: those chosen, or all categorical quasi-identifiers."""
    for name in chosen:
        if not table.attribute(name).is_categorical:
            raise SchemaError(f"PRAM changes categories, and {name!r} is continuous; leave it out")
    quasi = table.schema.quasi_identifiers
    names = chosen or tuple(name for name in quasi if table.attribute(name).is_categorical)
    if not names:
        raise SchemaError("PRAM changes categories; name an ordinal or nominal quasi-identifier")
    return names


def task_towards(
    operator: str, state: State[T], direction: int, cost: Callable[[int, Fitness], float]
) -> Task[T]:
    """Return a task that improves the known individual which is best in a given direction of the
    front.

    Args:
        cost: weighted cost of a fitness in a direction.
    """
    known = state.archive.members or state.population
    parent = min(known, key=lambda i: (cost(direction, i.fitness), i.serial))
    return Task(operator, (parent,), litter=direction)


def affordable_steps(
    context: SearchContext,
    name: str,
    once: Callable[[], object],
    *,
    default: int,
    seconds: float,
    limits: tuple[float, float],
    trial: int,
    clock: Callable[[], float] = time.perf_counter,
) -> int:
    """Return the number of steps that take a given time, from a trial of the machine's speed.

    Args:
        name: name of the decision in the journal.
        once: runs one step.
        default: number of steps without a time budget.
        limits: smallest and largest number of steps with one.
        trial: number of steps to measure the speed.
    """
    decide = context.decide
    if decide is None:
        return default

    def affordable() -> float:
        once()
        _, spent = time_call(lambda: [once() for _ in range(trial)], clock)
        return min(limits[1], max(limits[0], seconds / max(spent / trial, 1e-9)))

    return int(decide(name, affordable))


def time_call(
    trial: Callable[[], T], clock: Callable[[], float] = time.perf_counter
) -> tuple[T, float]:
    """Return the result of a call and the seconds it took.

    To be used only inside `SearchContext.decide`: its result is written to the journal and replayed
    when a run is resumed, so no result depends on the clock a second time.
    """
    started = clock()
    result = trial()
    return result, clock() - started
