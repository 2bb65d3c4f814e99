"""Where files are made: bred by a member, decoded, repaired to what is required, measured."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib import import_module
from typing import Any

import msgspec
import numpy as np

from evomask.arrays import Indices
from evomask.data.bands import ValueTrees
from evomask.data.recoding import Recoding
from evomask.data.schema import Schema
from evomask.data.table import Table
from evomask.errors import DataError, EvomaskError, ParameterError
from evomask.evolution.brood import Outcome
from evomask.evolution.loop import Worker
from evomask.evolution.setup import Setup
from evomask.evolution.streams import draw_stream, member_seed
from evomask.kernels.ahead import Progress, compile_ahead
from evomask.masking.guarantees.fulfilment import Guarantees
from evomask.masking.guarantees.requirement import Requirement
from evomask.masking.making import Making, Step
from evomask.masking.randomization.pram import Transitions
from evomask.measures.judging.risk import Judged, StrictReading
from evomask.measures.measure import Reading
from evomask.measures.people import SEARCHING
from evomask.measures.profiles import RiskProfile, profile
from evomask.portfolio.members import Member, search_of
from evomask.portfolio.requests import (
    Breed,
    Make,
    Measured,
    Numbered,
    Refusal,
    Request,
    Result,
    Single,
    Try,
)
from evomask.portfolio.sample import sample_of
from evomask.searches.catalogue import search_named
from evomask.searches.search import (
    RELEASED_DRAW,
    Adopting,
    Describing,
    Sampled,
    Surroundings,
    WithMatrices,
)

COLUMN, SUPPRESSED = "column/", "suppressed"
"""What arrays are called that workers borrow."""

WORTH_A_SAMPLE = 2
"""Records of the smallest file that has a sample, as a multiple of the largest sample."""

LEAST_GAIN = 4
"""How many times as large as its sample a file is, at least."""


@dataclass(frozen=True)
class Settings:
    """All that a portfolio depends on besides the table, the seed and the budget.

    Args:
        members: who takes part, by name.
        batch: how many files are measured in a turn at most, times the width.
        first: share of the budget that the grid has for itself in the beginning.
        sample: records of a large file that recipes are tried on, at most.
        middle: records that they are taken from after masking, before the repair.
        width: how many members have turns side by side, so that many workers have work.
    """

    requirement: Requirement
    profile: str
    members: dict[str, Member]
    batch: int = 8
    first: float = 0.25
    sample: int = 20_000
    middle: int = 100_000
    width: int = 1

    def __post_init__(self) -> None:
        if self.width < 1:
            raise ParameterError(f"width must be at least 1, got {self.width}")

    @property
    def most(self) -> int:
        """How many files a turn measures at most."""
        return self.batch * self.width


@dataclass(frozen=True, eq=False)
class Maker:
    """Does the tasks of a portfolio; sent to other processes, it is put together anew there.

    Args:
        hierarchies: the value trees that came with the table.
    """

    table: Table
    settings: Settings
    seed: int
    hierarchies: ValueTrees = field(default_factory=dict)
    _setups: dict[str, Setup[Any]] = field(default_factory=dict, repr=False)
    _decoders: dict[str, Callable[[Any], Table]] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[Callable[..., "Maker"], tuple[Any, ...]]:
        """The ingredients; readings and problems may hold what cannot be sent."""
        return arrived, (self.table, self.settings, self.seed, self.hierarchies)

    def lent(self) -> tuple[Callable[[Mapping[str, Any]], "Maker"], Mapping[str, Any]]:
        """The columns of the table, for workers to read where they are, and the rest."""
        table = self.table
        rest = (table.schema, dict(table.recodings), self.settings, self.seed, self.hierarchies)
        arrays = {f"{COLUMN}{name}": column for name, column in table.columns.items()}
        return partial(borrowed, *rest), {**arrays, SUPPRESSED: table.suppressed}

    def load_kernels(self, tell: Callable[[str], None]) -> None:
        """Import the kernels that the members need; the first time this compiles them."""
        searches = {member.search for member in self.settings.members.values()}
        load_kernels(tell, kernels_for(self.table, self.settings.profile, searches))

    def __call__(self, task: Request, serial: int) -> Result:
        """One task; what cannot be done comes back with its reason."""
        if isinstance(task, Numbered):
            return self(task.task, task.serial)
        with _quietly():
            try:
                return self._done(task, serial)
            except EvomaskError as error:
                return Refusal(str(error))

    def _done(self, task: Single, serial: int) -> Result:
        if isinstance(task, Make):
            return self.measured(self.masked(task.member, task.genome))
        if isinstance(task, Try):
            small = self.breeder(task.member)
            return small.measured(small.releasable(self._tried(task.member)(task.genome)))
        if isinstance(task, Breed):
            breeder = self.breeder(task.member)
            problem: Any = breeder.setup(task.member).problem
            return Worker(problem, self.seed_of(task.member))(task.task, serial)
        problem = self.setup(task.member).problem
        outcome: Outcome[Any] = problem.adopted(self.masked(task.made.member, task.made.genome))
        return outcome

    @cached_property
    def sample(self) -> Indices:
        """Records of a large file that recipes are tried on; none of a small one."""
        if len(self.table) < WORTH_A_SAMPLE * self.settings.sample:
            return np.arange(0)
        return sample_of(self.table, min(self.settings.sample, len(self.table) // LEAST_GAIN))

    @cached_property
    def small(self) -> "Maker | None":
        """The same for the sample, where there is one that can fulfil what is required."""
        if not len(self.sample):
            return None
        small = Maker(self.table.take(self.sample), self.settings, self.seed, self.hierarchies)
        share = len(self.sample) / len(self.table)
        vars(small)["guarantees"] = Guarantees.of(small.table, self.settings.requirement, share)
        try:
            small.releasable(small.table)
        except EvomaskError:
            return None
        return small

    @cached_property
    def middle(self) -> "Maker":
        """The same for the records that the sample is part of: all, or many of a vast file."""
        if len(self.table) <= self.settings.middle:
            return self
        chosen = sample_of(self.table, self.settings.middle)
        return Maker(self.table.take(chosen), self.settings, self.seed, self.hierarchies)

    def _tried(self, name: str) -> Callable[[Any], Table]:
        """How a member's recipes are tried: what they make of the sample before the repair."""
        if name not in self._decoders:
            problem: Any = self.breeder(name).setup(name).problem
            decode = problem.decode
            if isinstance(problem, Sampled):
                problem = self.middle.setup(name).problem
                decode = problem.sampled(self._places_of_sample)
            self._decoders[name] = lambda genome: decode(genome, RELEASED_DRAW)
        return self._decoders[name]

    @property
    def _places_of_sample(self) -> Indices:
        """Where the records of the sample stand among the middle ones."""
        if self.middle is self:
            return self.sample
        return np.searchsorted(sample_of(self.table, self.settings.middle), self.sample)

    def breeder(self, name: str) -> "Maker":
        """Where a member breeds: on the sample where its genomes are recipes and there is one."""
        recipes = getattr(search_of(self.settings.members[name]), "recipes", False)
        return self.small if recipes and self.small is not None else self

    def adopts(self, name: str) -> bool:
        """Whether a member goes on from files that others made."""
        return isinstance(self.setup(name).problem, Adopting)

    def setup(self, name: str) -> Setup[Any]:
        """A member made ready for the table."""
        if name not in self._setups:
            member = self.settings.members[name]
            search = search_of(member)
            draws = partial(draw_stream, self.seed_of(name))
            around = Surroundings(draws, hierarchies=self.hierarchies)
            parameters = msgspec.convert(member.parameters, search.parameters)
            with _quietly():
                self._setups[name] = search.setup(self.table, parameters, around)
        return self._setups[name]

    def seed_of(self, name: str) -> int:
        """The seed of a member's streams."""
        place = list(self.settings.members).index(name)
        return member_seed(self.seed, place)

    def matrices(self, name: str, genome: Any) -> Mapping[str, Transitions]:  # noqa: ANN401
        """The transition matrices that a genome stands for; none where it has none."""
        problem = self.setup(name).problem
        return problem.matrices(genome) if isinstance(problem, WithMatrices) else {}

    def decoded(self, name: str, genome: Any) -> Table:  # noqa: ANN401
        """The file that a member's genome stands for, as masking made it."""
        problem: Any = self.setup(name).problem
        masked: Table = problem.decode(genome, RELEASED_DRAW)
        return masked

    def masked(self, name: str, genome: Any) -> Table:  # noqa: ANN401
        """The file that a member's genome stands for, fulfilling what is required."""
        return self.releasable(self.decoded(name, genome))

    def releasable(self, masked: Table) -> Table:
        """The same file, brought to obey the edit rules and to fulfil what is required."""
        released = self.guarantees(masked)
        if self.guarantees.mender.rules.broken_by(released).any():
            raise DataError("records cannot obey the edit rules and fulfil what is required")
        return released

    @cached_property
    def guarantees(self) -> Guarantees:
        """What every released file must fulfil."""
        return Guarantees.of(self.table, self.settings.requirement)

    @cached_property
    def readings(self) -> tuple[Reading, Reading]:
        """Loss and risk against the original."""
        pair = profile(self.settings.profile)
        names = self.table.schema.quasi_identifiers
        return pair.loss(names).against(self.table), pair.risk(names).against(self.table)

    def measured(self, masked: Table) -> Measured:
        """Loss and risk of a file."""
        loss, risk = self.readings
        if not isinstance(risk, StrictReading):
            return Measured(loss(masked), risk(masked))
        judged = risk.judged(masked)
        return Measured(loss(masked), judged.risk, judged)

    @cached_property
    def original(self) -> Measured:
        """Loss and risk of the original itself, which every report tells."""
        return self.measured(self.table)

    @cached_property
    def _reported(self) -> Reading:
        names = self.table.schema.quasi_identifiers
        return profile(self.settings.profile).reported(names).against(self.table)

    def judged(self, masked: Table) -> Judged | None:
        """The risk of a file by as many people as are reported on; none of a small file.

        There the parts are known from the search, which attacks everybody.
        """
        read = self._reported
        if len(self.table) <= SEARCHING or not isinstance(read, StrictReading):
            return None
        return read.judged(masked)

    def making(self, name: str, genome: Any, operator: str) -> Making:  # noqa: ANN401
        """How a file was made; by the member's parameters where its problem does not tell."""
        problem, member = self.setup(name).problem, self.settings.members[name]
        if isinstance(problem, Describing):
            return replace(problem.making(genome), search=member.search, operator=operator)
        step = Step(member.search, member.parameters, self.table.schema.quasi_identifiers)
        return Making((step,), member.search, operator)


def borrowed(
    schema: Schema,
    recodings: Mapping[str, Recoding],
    settings: Settings,
    seed: int,
    hierarchies: ValueTrees,
    arrays: Mapping[str, Any],
) -> Maker:
    """A maker in another process whose table is read where it is."""
    columns = {name: arrays[f"{COLUMN}{name}"] for name in schema.names}
    table = Table(schema, columns, recodings, arrays[SUPPRESSED])
    return arrived(table, settings, seed, hierarchies)


def arrived(table: Table, settings: Settings, seed: int, hierarchies: ValueTrees) -> Maker:
    """A maker in another process, its kernels loaded before the first task."""
    maker = Maker(table, settings, seed, hierarchies)
    maker.load_kernels(lambda _: None)
    return maker


@contextmanager
def _quietly() -> Iterator[None]:
    """What methods warn of was told where the run began, or is of no use in a thousand files."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


MASKING = ("groups.mondrian", "groups.merging", "swapping")
OF_NUMBERS, OF_MANY_NUMBERS = "groups.mdav", "groups.walks"
MEASURING = ("linking.linkage", "linking.agreement", "linking.agreement_model")
OF_CATEGORIES = (
    "linking.code_tree",
    "linking.assignment",
    "linking.agreement_tally",
    "groups.mixed_mdav",
)
OF_PEOPLE = ("linking.boxes", "linking.reading")

MANY_NUMBERS = 1_500
"""Records from which on groups of numbers are found by walks, where groups are small."""


def compile_for(search: str, tell: Callable[[str], None]) -> None:
    """Compile the kernels that one search names, unless they are; they load when they are used."""
    _compile(getattr(search_named(search), "kernels", ()), tell)


def kernels_for(table: Table, profile: str, searches: Iterable[str] = ()) -> tuple[str, ...]:
    """Modules that masking, measuring and searches call on a file of such kinds and size.

    What is not among them is compiled when it is called, and nobody is told.
    """
    names = table.schema.quasi_identifiers
    has_categories = any(table.attribute(name).is_categorical for name in names)
    has_numbers = not all(table.attribute(name).is_categorical for name in names)
    own = [kernel for name in searches for kernel in search_named(name).kernels]
    return (
        *MEASURING,
        *(OF_PEOPLE if profile == RiskProfile.STRICT else ()),
        *(OF_CATEGORIES if has_categories else ()),
        *((OF_NUMBERS,) if has_numbers else ()),
        *((OF_MANY_NUMBERS,) if has_numbers and len(table) >= MANY_NUMBERS else ()),
        *MASKING,
        *own,
    )


def load_kernels(tell: Callable[[str], None], names: Sequence[str]) -> None:
    """Import modules of kernels; the first time this compiles them."""
    _compile(names, tell)
    for name in names:
        import_module(f"evomask.kernels.{name}")


def _compile(names: Sequence[str], tell: Callable[[str], None]) -> None:
    compile_ahead(names, _in_words(tell))


def _in_words(tell: Callable[[str], None]) -> Callable[[Progress], None]:
    """Tell how far compiling is, each number of finished modules once."""
    heard: set[int] = set()

    def follow(progress: Progress) -> None:
        if progress.done not in heard:
            heard.add(progress.done)
            tell(f"compiling kernels, this happens once: {progress.done} of {progress.of} done")

    return follow
