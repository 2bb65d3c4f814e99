"""Evaluation of candidates: tasks of the searches, decoding, enforcement, loss and risk.

Large files have two fidelities: recipes are evaluated on a random sample first. A recipe is
applied to many more records, and the sample is taken from the result before enforcement, because
groups are wider in a small file, to an extent that depends on the method.
"""

import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib import import_module
from typing import Any

import msgspec
import numpy as np

from evomask.data.hierarchy import HierarchyDefinitions
from evomask.data.recoding import Recoding
from evomask.data.schema import Role, Schema
from evomask.data.table import Table
from evomask.engine.specialists import Specialist, search_of
from evomask.errors import DataError, EvomaskError
from evomask.evolution.individual import Outcome, Task
from evomask.evolution.loop import Setup, Worker
from evomask.evolution.streams import draw_stream, member_seed
from evomask.kernels.compiler.precompile import Progress, compile_ahead
from evomask.masking.enforce.enforcement import Enforcement
from evomask.masking.enforce.requirement import Requirement
from evomask.masking.provenance import Provenance, Step
from evomask.masking.randomization.pram import Transitions
from evomask.measures.disclosure.control_group import MOST, ControlledRisk
from evomask.measures.disclosure.risk import DisclosureRisk, RiskAssessment, RiskReading
from evomask.measures.loss.loss import EQUAL_WEIGHTS, LossWeights
from evomask.measures.measure import Measure, Reading
from evomask.measures.profiles import RiskProfile, profile
from evomask.measures.targets import SEARCH_TARGETS
from evomask.searches.base import (
    RELEASED_DRAW,
    SearchContext,
    overrides,
)
from evomask.searches.catalogue import search_named
from evomask.types import Indices

COLUMN, SUPPRESSED = "column/", "suppressed"
"""Names of the arrays that are shared with worker processes."""

WORTH_A_SAMPLE = 2
"""Smallest file with a sample, as a multiple of the largest sample."""

LEAST_GAIN = 4
"""Smallest ratio of the records of the file to those of its sample."""

SAMPLE_SEED = 0
"""Seed of the sample; it is fixed, so that a resumed run has the same sample."""


@dataclass(frozen=True)
class Breed:
    """Task: breed one child of a search."""

    member: str
    task: Task[Any]


@dataclass(frozen=True)
class Make:
    """Task: decode, enforce and evaluate a genome on the whole file."""

    member: str
    genome: Any


@dataclass(frozen=True)
class Try:
    """Task: decode, enforce and evaluate a genome on the sample."""

    member: str
    genome: Any


@dataclass(frozen=True)
class Adopt:
    """Task: add a file of another search to the population of a search that takes files."""

    member: str
    made: Make


@dataclass(frozen=True)
class Measured:
    """Loss and risk of a file in percent, and the components of the risk if there are any."""

    loss: float
    risk: float
    assessment: RiskAssessment | None = None


@dataclass(frozen=True)
class Refusal:
    """Reason why a task could not be carried out."""

    reason: str


Request = Breed | Make | Try | Adopt
Result = Outcome[Any] | Measured | Refusal


@dataclass(frozen=True)
class Settings:
    """Everything a portfolio depends on besides the table, the seed and the budget.

    Args:
        members: searches of the portfolio, by name.
        batch: largest number of files evaluated in a round.
        first: share of the budget at the start that is reserved for the grid.
        sample: largest number of records in the sample of a large file.
        middle: number of records that a recipe is applied to before the sample is taken.
        loss: weights of the parts of the loss.
    """

    requirement: Requirement
    profile: str
    members: dict[str, Specialist]
    batch: int = 8
    first: float = 0.25
    sample: int = 20_000
    middle: int = 100_000
    loss: LossWeights = EQUAL_WEIGHTS


@dataclass(frozen=True, eq=False)
class EvaluationContext:
    """Carries out the tasks of a portfolio; worker processes rebuild it from its parts.

    Args:
        hierarchies: hierarchies of the attributes.
        share: of the records of the file, where the table is a sample of them.
        outside: people outside of that sample, its control group.
    """

    table: Table
    settings: Settings
    seed: int
    hierarchies: HierarchyDefinitions = field(default_factory=dict)
    share: float = 1.0
    outside: Table | None = None
    _setups: dict[str, Setup[Any]] = field(default_factory=dict, repr=False)
    _decoders: dict[str, Callable[[Any], Table]] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[Callable[..., "EvaluationContext"], tuple[Any, ...]]:
        """Pickle the parts, since prepared measures and problems may not be picklable."""
        return rebuild_context, (self.table, self.settings, self.seed, self.hierarchies)

    def lent(self) -> tuple[Callable[[Mapping[str, Any]], "EvaluationContext"], Mapping[str, Any]]:
        """Return a function that rebuilds the context from arrays, and the arrays to share with
        workers."""
        table = self.table
        rest = (table.schema, dict(table.recodings), self.settings, self.seed, self.hierarchies)
        arrays = {f"{COLUMN}{name}": column for name, column in table.columns.items()}
        return partial(context_from_arrays, *rest), {**arrays, SUPPRESSED: table.suppressed}

    def load_kernels(self, tell: Callable[[str], None]) -> None:
        """Load the kernels of the first candidates, compiled if necessary; *tell* the progress."""
        load_kernels(tell, first_kernels(self.table, self.settings.profile))

    def compile_others(self) -> AbstractContextManager[None]:
        """Compile all other kernels in the background while a ``with`` block runs."""
        searches = dict.fromkeys(one.search for one in self.settings.members.values())
        return compile_in_background(later_kernels(self.table, self.settings.profile, searches))

    def __call__(self, task: Request, serial: int) -> Result:
        """Carry out one task; return the reason if it is impossible."""
        with _ignore_warnings():
            try:
                return self._carry_out(task, serial)
            except EvomaskError as error:
                return Refusal(str(error))

    def _carry_out(self, task: Request, serial: int) -> Result:
        if isinstance(task, Make):
            masked = self.masked(task.member, task.genome)
            return self.measured(masked, self.twin(task.member, task.genome, masked))
        if isinstance(task, Try):
            small = self.breeder(task.member)
            return small.measured(small.releasable(self._decoder(task.member)(task.genome)))
        if isinstance(task, Breed):
            breeder = self.breeder(task.member)
            problem: Any = breeder.setup(task.member).problem
            return Worker(problem, self.seed_of(task.member))(task.task, serial)
        problem = self.setup(task.member).problem
        outcome: Outcome[Any] = problem.adopted(self.masked(task.made.member, task.made.genome))
        return outcome

    @cached_property
    def sample(self) -> Indices:
        """Records of the sample; none for a small file."""
        if len(self.table) < WORTH_A_SAMPLE * self.settings.sample:
            return np.arange(0)
        return sample_of(self.table, min(self.settings.sample, len(self.table) // LEAST_GAIN))

    @cached_property
    def small(self) -> "EvaluationContext | None":
        """Context of the sample; None where there is none that can meet the requirement."""
        if not len(self.sample):
            return None
        share = len(self.sample) / len(self.table)
        outside = np.setdiff1d(np.arange(len(self.table)), self.sample)
        chosen = np.random.default_rng(SAMPLE_SEED).permutation(outside)[:MOST]
        small = replace(
            self._of_records(self.sample, share), outside=self.table.take(np.sort(chosen))
        )
        try:
            small.releasable(small.table)
        except EvomaskError:
            return None
        return small

    @cached_property
    def middle(self) -> "EvaluationContext":
        """Context of the records that recipes are applied to before the sample is taken."""
        if len(self.table) <= self.settings.middle:
            return self
        return self._of_records(sample_of(self.table, self.settings.middle))

    def _of_records(self, records: Indices, share: float = 1.0) -> "EvaluationContext":
        table = self.table.take(records)
        return EvaluationContext(table, self.settings, self.seed, self.hierarchies, share)

    def _decoder(self, name: str) -> Callable[[Any], Table]:
        """Function from a genome to the masked sample, before enforcement."""
        if name not in self._decoders:
            problem: Any = self.breeder(name).setup(name).problem
            decode = problem.decode
            if overrides(problem, "sampled"):
                problem = self.middle.setup(name).problem
                decode = problem.sampled(self._positions_of_sample)
            self._decoders[name] = lambda genome: decode(genome, RELEASED_DRAW)
        return self._decoders[name]

    @property
    def _positions_of_sample(self) -> Indices:
        """Positions of the sample's records among those of the context `middle`."""
        if self.middle is self:
            return self.sample
        return np.searchsorted(sample_of(self.table, self.settings.middle), self.sample)

    def breeder(self, name: str) -> "EvaluationContext":
        """Context in which a search breeds: the sample, if its genomes are recipes."""
        recipes = getattr(search_of(self.settings.members[name]), "recipes", False)
        return self.small if recipes and self.small is not None else self

    def adopts(self, name: str) -> bool:
        """Whether a search takes files of other searches."""
        return overrides(self.setup(name).problem, "adopted")

    def setup(self, name: str) -> Setup[Any]:
        """Set up a search for the table, once."""
        if name not in self._setups:
            specialist = self.settings.members[name]
            search = search_of(specialist)
            draws = partial(draw_stream, self.seed_of(name))
            around = SearchContext(draws, hierarchies=self.hierarchies)
            parameters = msgspec.convert(specialist.parameters, search.parameters)
            with _ignore_warnings():
                self._setups[name] = search.setup(self.table, parameters, around)
        return self._setups[name]

    def seed_of(self, name: str) -> int:
        """Seed of the random streams of a search."""
        return member_seed(self.seed, list(self.settings.members).index(name))

    def matrices(self, name: str, genome: Any) -> Mapping[str, Transitions]:  # noqa: ANN401
        """PRAM transition matrices of a genome; empty where the search has none."""
        problem: Any = self.setup(name).problem
        return problem.matrices(genome) if overrides(problem, "matrices") else {}

    def decoded(self, name: str, genome: Any) -> Table:  # noqa: ANN401
        """Decode a genome to the masked file, before enforcement."""
        problem: Any = self.setup(name).problem
        masked: Table = problem.decode(genome, RELEASED_DRAW)
        return masked

    def masked(self, name: str, genome: Any) -> Table:  # noqa: ANN401
        """Decode a genome to the masked file, and enforce the requirement and the edit rules."""
        return self.releasable(self.decoded(name, genome))

    def releasable(self, masked: Table) -> Table:
        """Enforce the requirement and the edit rules on a masked file."""
        released = self.guarantees(masked)
        if self.guarantees.mender.rules.broken_by(released).any():
            raise DataError("no enforcement satisfies both the edit rules and the requirement")
        return released

    @cached_property
    def guarantees(self) -> Enforcement:
        """Enforcement of the requirement and the edit rules."""
        return Enforcement.of(self.table, self.settings.requirement, self.share)

    @cached_property
    def loss(self) -> Reading:
        """Information loss, prepared for the original."""
        names = self.table.schema.quasi_identifiers
        measure = profile(self.settings.profile).loss_by_weights(names, self.settings.loss)
        return measure.against(self.table)

    @cached_property
    def _risk(self) -> ControlledRisk | Reading:
        """Disclosure risk of candidates, prepared for the original."""
        names = self.table.schema.quasi_identifiers
        return self._controlled(profile(self.settings.profile).risk(names))

    @cached_property
    def _reported_risk(self) -> ControlledRisk | Reading:
        """Disclosure risk by the larger sample of targets that reports use."""
        names = self.table.schema.quasi_identifiers
        return self._controlled(profile(self.settings.profile).reported(names))

    def _controlled(self, measure: Measure) -> ControlledRisk | Reading:
        """A risk with its control group: people outside of a sample, or held out of the file."""
        if not isinstance(measure, DisclosureRisk):
            return measure.against(self.table)
        if self.outside is not None:
            return measure.against(self.table, self.outside)
        return ControlledRisk(self.table, measure)

    def twin(self, name: str, genome: Any, masked: Table) -> Table | None:  # noqa: ANN401
        """Mask the records outside the control group by the genome of a masked file.

        A genome that belongs to records, and not to their attributes, keeps its masked records.
        """
        risk = self._risk
        if not isinstance(risk, ControlledRisk) or not len(risk.control):
            return None
        recipes = getattr(search_of(self.settings.members[name]), "recipes", False)
        if not recipes:
            return masked.take(risk.others)
        twin = self._twin_context
        try:
            problem: Any = self.setup(name).problem
            made = problem.mask_others(genome, twin.table)
            return twin.releasable(twin.decoded(name, genome) if made is None else made)
        except EvomaskError:
            return masked.take(risk.others)

    @cached_property
    def _twin_context(self) -> "EvaluationContext":
        """Return the context of the records outside the control group."""
        risk = self._risk
        others = risk.others if isinstance(risk, ControlledRisk) else np.arange(len(self.table))
        return self._of_records(others)

    def measured(self, masked: Table, twin: Table | None = None) -> Measured:
        """Compute loss and risk of a masked file and its twin."""
        assessment = self._assess(self._risk, masked, twin)
        if isinstance(assessment, float):
            return Measured(self.loss(masked), assessment)
        return Measured(self.loss(masked), assessment.risk, assessment)

    @staticmethod
    def _assess(
        risk: ControlledRisk | Reading, masked: Table, twin: Table | None
    ) -> RiskAssessment | float:
        if isinstance(risk, ControlledRisk):
            return risk.assess(masked, twin)
        return risk.assess(masked) if isinstance(risk, RiskReading) else risk(masked)

    @cached_property
    def original(self) -> Measured:
        """Loss and risk of the original file."""
        return self.measured(self.table, self.rest_of(self.table))

    def rest_of(self, masked: Table) -> Table | None:
        """The records of a masked file outside the control group."""
        risk = self._risk
        if not isinstance(risk, ControlledRisk) or not len(risk.control):
            return None
        return masked.take(risk.others)

    def assess_risk(self, masked: Table, twin: Table | None) -> RiskAssessment | None:
        """Assess the risk with the larger sample of targets that reports use.

        None for a small file, where the search already attacks every target.
        """
        if len(self.table) <= SEARCH_TARGETS:
            return None
        assessment = self._assess(self._reported_risk, masked, twin)
        return None if isinstance(assessment, float) else assessment

    def provenance(self, name: str, genome: Any, operator: str) -> Provenance:  # noqa: ANN401
        """Describe how a file was made, by the parameters of the search if its problem cannot."""
        problem: Any = self.setup(name).problem
        specialist = self.settings.members[name]
        making: Provenance | None = problem.making(genome) if overrides(problem, "making") else None
        if making is not None:
            return replace(making, search=specialist.search, operator=operator)
        names = self.table.schema.quasi_identifiers
        step = Step(specialist.search, specialist.parameters, names)
        return Provenance((step,), specialist.search, operator)


def sample_of(table: Table, records: int) -> Indices:
    """Draw records at random, in ascending order; a smaller sample is a subset of a larger one.

    Empty where strata are masked separately: a sample has too few records of each.
    """
    if table.schema.with_role(Role.STRATUM):
        return np.arange(0)
    return np.sort(np.random.default_rng(SAMPLE_SEED).permutation(len(table))[:records])


def context_from_arrays(
    schema: Schema,
    recodings: Mapping[str, Recoding],
    settings: Settings,
    seed: int,
    hierarchies: HierarchyDefinitions,
    arrays: Mapping[str, Any],
) -> EvaluationContext:
    """Build the context of a worker process on shared arrays."""
    columns = {name: arrays[f"{COLUMN}{name}"] for name in schema.names}
    table = Table(schema, columns, recodings, arrays[SUPPRESSED])
    return rebuild_context(table, settings, seed, hierarchies)


def rebuild_context(
    table: Table, settings: Settings, seed: int, hierarchies: HierarchyDefinitions
) -> EvaluationContext:
    """Build the context of a worker process, with kernels loaded before the first task."""
    context = EvaluationContext(table, settings, seed, hierarchies)
    context.load_kernels(lambda _: None)
    return context


@contextmanager
def _ignore_warnings() -> Iterator[None]:
    """Ignore warnings of methods: the run reported them at its start."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


MANY_NUMBERS = 1_500
"""Records from which on small groups of numbers are formed by `groups.walks`."""

LOW_PRIORITY = 10
"""Niceness of the processes that compile in the background."""


def first_kernels(table: Table, profile: str) -> tuple[str, ...]:
    """Modules of kernels that the first candidates and their evaluation call.

    All others are compiled in the background, or by their first call. The grid begins with Mondrian
    where there are categories, else with microaggregation.
    """
    _, has_categories = _kinds(table)
    strict = ("tables", "linking.boxes", "linking.attribute_inference")
    return (
        *(strict if profile == RiskProfile.STRICT else _linkage_kernels(table)),
        *(("linking.assignment",) if has_categories else ()),
        "groups.merging",
        *(("groups.class_sizes",) if table.schema.scenarios else ()),
        "groups.mondrian" if has_categories else "groups.mdav",
    )


def later_kernels(table: Table, profile: str, searches: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Groups of modules of kernels that a run calls later, in the order of their first use."""
    has_numbers, has_categories = _kinds(table)
    yield (
        "swapping",
        *(("groups.mixed_mdav",) if has_categories else ()),
        *(("groups.mdav",) if has_numbers and has_categories else ()),
    )
    yield (
        *(("groups.walks",) if has_numbers and len(table) >= MANY_NUMBERS else ()),
        *(("linking.code_tree",) if has_categories else ()),
        "linking.linkage",
    )
    for name in searches:
        yield search_named(name).kernels
    if profile == RiskProfile.STRICT:
        yield _linkage_kernels(table)


def _linkage_kernels(table: Table) -> tuple[str, ...]:
    """Kernels of record linkage: a risk of the profile ``papers``, else held-out attacks."""
    has_numbers, has_categories = _kinds(table)
    return (
        "linking.linkage",
        "linking.agreement",
        *(("linking.agreement_tally",) if not has_numbers else ()),
        *(("linking.code_tree",) if has_categories else ()),
    )


def _kinds(table: Table) -> tuple[bool, bool]:
    """Return whether there are numeric and categorical quasi-identifiers."""
    names = table.schema.quasi_identifiers
    categorical = [table.attribute(name).is_categorical for name in names]
    return not all(categorical), any(categorical)


def load_kernels(tell: Callable[[str], None], names: Sequence[str]) -> None:
    """Import modules of kernels, compiled beforehand if necessary; *tell* the progress."""
    compile_ahead(names, _progress_messages(tell))
    for name in names:
        import_module(f"evomask.kernels.{name}")


def compile_for(search: str, tell: Callable[[str], None]) -> None:
    """Compile the kernels that one search names if necessary; they are loaded on first use."""
    compile_ahead(getattr(search_named(search), "kernels", ()), _progress_messages(tell))


@contextmanager
def compile_in_background(groups: Iterable[Sequence[str]]) -> Iterator[None]:
    """Compile groups of modules, one after another, while the block runs.

    A thread drives the compiling processes. After the block no further module is started. Results
    do not depend on it: the first call of a kernel waits for it, or compiles it.
    """
    stop = threading.Event()

    def compile_groups() -> None:
        with suppress(OSError, AttributeError):  # on Linux a thread has a priority of its own
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOW_PRIORITY)
        for names in groups:
            if stop.is_set():
                return
            compile_ahead(names, stop=stop)

    threading.Thread(target=compile_groups, daemon=True).start()
    try:
        yield
    finally:
        stop.set()


def _progress_messages(tell: Callable[[str], None]) -> Callable[[Progress], None]:
    """Turn progress into messages, one for each number of finished modules."""
    reported: set[int] = set()

    def follow(progress: Progress) -> None:
        if progress.done not in reported:
            reported.add(progress.done)
            tell(f"compiling kernels, this happens once: {progress.done} of {progress.of} done")

    return follow
