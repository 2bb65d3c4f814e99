"""What a search is, what it may know of a file, and what its problem can offer besides.

A search is one object with the members of `Search`; its `setup` returns a problem, and that
is a `MaskingProblem`. Whatever else a problem can do is an ability, a protocol at the end of
this file: offer its methods and it is used, leave them out and nothing is lost but that. No
search registers anywhere but in the catalogue, ours by a line there, others by an entry point.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, TypeAlias, runtime_checkable

from evomask.arrays import Indices, Points
from evomask.data.bands import ValueTrees
from evomask.data.chart import Chart
from evomask.data.classes import classes_of
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.evolution.brood import Outcome
from evomask.evolution.loop import Problem
from evomask.evolution.setup import Decide, Draws, Setup
from evomask.evolution.state import State
from evomask.evolution.stopping import Budget
from evomask.masking.guarantees.requirement import Requirement
from evomask.masking.making import Making
from evomask.masking.method import About
from evomask.measures.keeping.keeping import NO_STATISTICS, Keeping

RELEASED_DRAW = 0
"""Where masking is random, the draw that is measured and released."""

LARGE = 20_000
"""Records above which members of a portfolio have small generations."""

Variants: TypeAlias = Mapping[str, Mapping[str, object]]
"""Parameters to set, by a suffix of the member's name; what is not named has its default."""


@dataclass(frozen=True)
class File:
    """What decides whether a search applies, and with which parameters.

    Args:
        requirement: what every released file must fulfil.
        profile: the name of the risk profile that files are judged by.
        hierarchies: the value trees that came with the file.
    """

    table: Table
    requirement: Requirement
    profile: str
    hierarchies: ValueTrees = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers, which are what is masked."""
        return self.table.schema.quasi_identifiers

    @property
    def numbers(self) -> tuple[str, ...]:
        """The quasi-identifiers that are continuous."""
        return tuple(n for n in self.names if not self.table.attribute(n).is_categorical)

    @property
    def with_trees(self) -> tuple[str, ...]:
        """The quasi-identifiers with a value tree above them."""
        return tuple(name for name in self.names if name in self.hierarchies)

    @property
    def is_large(self) -> bool:
        """Whether a generation takes so long that few can be had."""
        return len(self.table) > LARGE

    def sizes(self, usual: Iterable[int]) -> tuple[int, ...]:
        """Group sizes that fulfil what is required, of which the file holds many groups."""
        wanted = sorted({max(k, self.requirement.k) for k in usual})
        return tuple(k for k in wanted if 4 * k <= len(self.table) and k <= self.fewest)

    @property
    def strata(self) -> tuple[str, ...]:
        """The attributes whose combinations are masked on their own."""
        return self.table.schema.with_role(Role.STRATUM)

    @cached_property
    def fewest(self) -> int:
        """Records of the smallest stratum; of the file where there are no strata."""
        return int(classes_of(self.table, self.strata).sizes.min(initial=len(self.table)))


@dataclass(frozen=True)
class Surroundings:
    """What a search may know besides its table and parameters.

    Args:
        draws: the generator of draw r, the same for all evaluations of a run.
        decide: under a time budget, a number computed from the clock once and replayed when
            the run is resumed (a burst length, say); None where nothing may read the clock.
        budget: what the run may spend, where that is known.
        workers: how many work at once; only what is decided by the clock may depend on it.
        hierarchies: the value trees that came with the file, and those of the folder that a
            parameter called ``hierarchies`` names; `data.hierarchy.fitted` checks one.
        keep: tables and models that must survive, for a search that can look at them.
    """

    draws: Draws
    decide: Decide | None = None
    budget: Budget | None = None
    workers: int = 1
    hierarchies: ValueTrees = field(default_factory=dict)
    keep: Keeping = NO_STATISTICS


class Search(Protocol):
    """One kind of search; the first sentence of its docstring describes it to users.

    ``name``, ``parameters``, ``budget`` and ``setup`` make a command of `evomask search`. The
    others make it a member of `evomask protect`; a search without ``variants`` takes no part
    there and needs none of them. Where a genome is a recipe, which makes a file of any records
    with the same attributes, it may say ``recipes = True``: it then breeds on a sample of a
    large file, and the best of what it finds is made on the whole file.
    """

    @property
    def name(self) -> str:
        """Its name on the command line and in the catalogue."""
        ...

    @property
    def parameters(self) -> type[Any]:
        """A frozen dataclass: fields become options, their meanings the ``Args`` of its docstring.

        A field called ``hierarchies`` names a folder of value trees, which are read for the
        search, and one called ``matrices`` a folder for the transition matrices it finds.
        """
        ...

    @property
    def budget(self) -> Budget:
        """What a run may spend unless the user says otherwise."""
        ...

    @property
    def about(self) -> About:
        """What it does to a file, in words for a steward and for the public."""
        ...

    @property
    def cost(self) -> float:
        """What breeding one child costs, where measuring a file costs 1."""
        ...

    @property
    def keeps_strata(self) -> bool:
        """Whether no value crosses from one stratum to another; else strata shut it out."""
        ...

    @property
    def kernels(self) -> tuple[str, ...]:
        """Modules of `evomask.kernels` to load before the clock starts, as ``groups.exact``.

        Those of masking and measuring are loaded anyway; what is not named is loaded when used.
        """
        ...

    def variants(self, file: File) -> Variants:
        """The members it takes part with; none where it does not apply to the file."""
        ...

    def setup(self, table: Table, parameters: Any, around: Surroundings) -> Setup[Any]:  # noqa: ANN401
        """The search made ready for one table; its problem is a `MaskingProblem`.

        It is called anew in every worker process, and must come to the same there.
        """
        ...


class MaskingProblem(Problem[Any], Protocol):
    """A problem whose genomes decode to masked files; every search has one."""

    def decode(self, genome: Any, draw: int) -> Table:  # noqa: ANN401
        """The masked file; where masking is random, as draw number *draw* makes it."""
        ...

    def read(self, genome: Any, draw: int) -> Mapping[str, float]:  # noqa: ANN401
        """Its measures by name, among them ``loss``, ``risk`` and ``score`` where it has them."""
        ...

    def answer(self, genome: Any) -> Mapping[str, object]:  # noqa: ANN401
        """What this kind of search tells of the chosen genome besides: keys of the JSON answer."""
        ...


@runtime_checkable
class Sampled(Protocol):
    """A problem whose recipes can be tried on some records, by what all records tell.

    Offer it where a recipe does otherwise to a sample alone than to its file: groups of so many
    records are wider where there are fewer records.
    """

    def sampled(self, records: Indices) -> Callable[[Any, int], Table]:
        """How a genome, with the number of a draw, decodes to these records alone."""
        ...


@runtime_checkable
class Adopting(Protocol):
    """A problem that can go on from files which others made.

    Offer it where any masked file can be a genome. In a portfolio the search then begins with
    the best files of all other members, and gets the new ones before each of its turns.
    """

    def adopted(self, masked: Table) -> Outcome[Any]:
        """The file as a genome with its fitness; refused by an error where it cannot be one."""
        ...


@runtime_checkable
class Comparing(Protocol):
    """A problem whose best file should be held against the best it began with.

    Offer it where evolution could learn to please the measures alone. After the search both
    files are attacked in ways that no search has seen, and a warning says what grew.
    """

    def compared(self, first: int, genome: Any) -> tuple[Table, Table] | None:  # noqa: ANN401
        """First file number *first* and the genome's file; None where nobody wants to know."""
        ...


@dataclass(frozen=True)
class Proven:
    """How near the best possible a search came.

    Args:
        outcome: the best genome known now; proving may have found a better one.
        answer: further keys of the JSON answer.
    """

    outcome: Outcome[Any]
    answer: Mapping[str, object]


@runtime_checkable
class Proving(Protocol):
    """A problem that can tell below what no genome can fall.

    It is asked once, when the search has ended, and may take its time.
    """

    def proved(self, state: State[Any]) -> Proven | None:
        """What can be proved after the last state; None where nobody wants to know."""
        ...


@runtime_checkable
class Overview(Protocol):
    """A problem with something to tell of a whole run.

    Offer it where the last state shows more than its best genome: how much of a lattice was
    read, say. The keys join the JSON answer, and the charts are drawn with ``--figures``.
    """

    def overview(self, state: State[Any]) -> Mapping[str, object]:
        """What the last state tells: further keys of the JSON answer."""
        ...

    def charts(self, state: State[Any]) -> Sequence[Chart]:
        """Figures of the run, drawn where the user asks for them."""
        ...


@runtime_checkable
class WithMatrices(Protocol):
    """A problem whose genomes stand for transition matrices.

    Offer it where categories change by chance. The matrices of a released file then stand in
    its record, so that whoever analyses the file can correct for them.
    """

    def matrices(self, genome: Any) -> Mapping[str, Points]:  # noqa: ANN401
        """The matrix of each attribute: a row for a category, what it becomes in the columns."""
        ...


@runtime_checkable
class Describing(Protocol):
    """A problem that knows how each of its files was made.

    Offer it where parameters alone do not tell: which attributes were masked, how far, by which
    methods. Without it, reports say of a file what the search's `about` says of all.
    """

    def making(self, genome: Any) -> Making:  # noqa: ANN401
        """The steps that made the genome's file, as data."""
        ...
