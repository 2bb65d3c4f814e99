"""Evaluation of candidates: decoding, enforcement, loss and risk, at several fidelities.

A candidate is evaluated on a small sample of the records first, with few targets, and people
outside of the sample as control group. The most promising are evaluated on more records, and in
the end on the whole file with a twin (`measures.disclosure.control_group`).
"""

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import msgspec
import numpy as np

from evomask.data.hierarchy import HierarchyDefinitions
from evomask.data.recoding import Recoding
from evomask.data.schema import Schema
from evomask.data.table import Table
from evomask.engine.fidelity import SAMPLES, Fidelity, fidelities_of, records_at
from evomask.engine.kernel_loading import (
    compile_in_background,
    first_kernels,
    later_kernels,
    load_kernels,
)
from evomask.engine.objectives import Objective
from evomask.engine.specialists import Specialist, search_of
from evomask.errors import DataError, EvomaskError, SchemaError
from evomask.evolution.individual import Outcome, Task
from evomask.evolution.loop import Setup, Worker
from evomask.evolution.streams import draw_stream, member_seed
from evomask.masking.enforce.enforcement import Enforcement
from evomask.masking.enforce.nesting import Nesting
from evomask.masking.enforce.requirement import Requirement, known_attributes
from evomask.masking.provenance import Provenance, Step
from evomask.masking.randomization.pram import Transitions
from evomask.masking.recipe import Recipe
from evomask.measures.analyses.analyses import (
    MEAN_ERROR,
    NO_ANALYSES,
    AnalysesToPreserve,
    PreparedAnalyses,
)
from evomask.measures.disclosure.control_group import ControlledRisk
from evomask.measures.disclosure.risk import DisclosureRisk, RiskAssessment, RiskReading
from evomask.measures.loss.loss import EQUAL_WEIGHTS, LossWeights
from evomask.measures.measure import Measure, Reading
from evomask.measures.profiles import profile
from evomask.measures.targets import SEARCH_TARGETS
from evomask.searches.base import RELEASED_DRAW, SearchContext, overrides
from evomask.searches.catalogue import RECIPES

COLUMN, SUPPRESSED = "column/", "suppressed"
"""Names of the arrays that are shared with worker processes."""


@dataclass(frozen=True)
class Breed:
    """Task: breed one child of a search."""

    member: str
    task: Task[Any]
    serial: int


@dataclass(frozen=True)
class Evaluate:
    """Task: decode, enforce and evaluate a genome at a fidelity."""

    member: str
    genome: Any
    level: int


@dataclass(frozen=True)
class Adopt:
    """Task: convert a candidate to a genome of a search that starts from masked files."""

    member: str
    source: str
    genome: Any


@dataclass(frozen=True)
class Measured:
    """Loss and risk of a file in percent, and the components of the risk if there are any.

    Args:
        objectives, limited: values of the user's objectives, without and with a limit.
        errors: of the analyses to preserve, in percent; of a sample only if they have limits.
    """

    loss: float
    risk: float
    assessment: RiskAssessment | None = None
    objectives: Mapping[str, float] = field(default_factory=dict)
    limited: Mapping[str, float] = field(default_factory=dict)
    errors: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Bred:
    """A child of a search, and its recipe if it is one."""

    outcome: Outcome[Any]
    recipe: Recipe | None = None


@dataclass(frozen=True)
class Refusal:
    """Reason why a task could not be carried out."""

    reason: str


Request = Breed | Evaluate | Adopt
Result = Bred | Measured | Refusal


class Timed(NamedTuple):
    """Result of a task, and the seconds that it took."""

    result: Result
    seconds: float


@dataclass(frozen=True)
class Settings:
    """Everything the engine depends on besides the table, the seed and the budget.

    Args:
        members: searches that take part, by name; the first is that of recipes.
        lag: proposals that are made before the outcome of an earlier one is known, so that workers
            never wait.
        loss: weights of the parts of the loss.
        samples: records and targets of the samples.
        start: recipes that the user gave, which are evaluated first.
        keep: analyses to preserve.
        limits: largest error of each kind of analysis, in percent.
    """

    requirement: Requirement
    profile: str
    members: dict[str, Specialist]
    lag: int = 64
    loss: LossWeights = EQUAL_WEIGHTS
    samples: tuple[tuple[int, int], ...] = SAMPLES
    start: tuple[Recipe, ...] = ()
    keep: AnalysesToPreserve = NO_ANALYSES
    limits: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class EvaluationContext:
    """Carries out the tasks of the engine; worker processes rebuild it from its parts.

    Args:
        hierarchies: hierarchies of the attributes.
        share: of the records of the file, where the table is a sample of them.
        outside: people outside of that sample, its control group.
        people: number of targets.
        given: masked versions of the table that the user gave, which are evaluated first.
        objectives: of the user, for whole files.
        held: releases of the same records that others hold, in which every file is nested.
    """

    table: Table
    settings: Settings
    seed: int
    hierarchies: HierarchyDefinitions = field(default_factory=dict)
    share: float = 1.0
    outside: Table | None = None
    people: int = SEARCH_TARGETS
    given: tuple[Table, ...] = ()
    objectives: tuple[Objective, ...] = ()
    held: tuple[Table, ...] = ()
    _setups: dict[str, Setup[Any]] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[Callable[..., "EvaluationContext"], tuple[Any, ...]]:
        """Pickle the parts, since prepared measures and problems may not be picklable."""
        rest = (self.settings, self.seed, self.hierarchies, self.given, self.objectives)
        return rebuild_context, (self.table, *rest)

    def lent(self) -> tuple[Callable[[Mapping[str, Any]], "EvaluationContext"], Mapping[str, Any]]:
        """Return a function that rebuilds the context from arrays, and the arrays to share with
        workers."""
        table = self.table
        recodings, hierarchies = dict(table.recodings), self.hierarchies
        given = (self.given, self.objectives)
        rest = (table.schema, recodings, self.settings, self.seed, hierarchies, *given)
        arrays = {f"{COLUMN}{name}": column for name, column in table.columns.items()}
        return partial(context_from_arrays, *rest), {**arrays, SUPPRESSED: table.suppressed}

    def load_kernels(self, tell: Callable[[str], None]) -> None:
        """Load the kernels of the first candidates, compiled if necessary; *tell* the progress."""
        load_kernels(tell, first_kernels(self.table, self.settings.profile))

    def compile_others(self) -> AbstractContextManager[None]:
        """Compile all other kernels in the background while a ``with`` block runs."""
        searches = dict.fromkeys(one.search for one in self.settings.members.values())
        return compile_in_background(later_kernels(self.table, self.settings.profile, searches))

    def __call__(self, task: Request, serial: int) -> Timed:
        """Carry out one task; the result is the reason if it is impossible."""
        began = time.perf_counter()
        with _ignore_warnings():
            try:
                result = self._carry_out(task)
            except EvomaskError as error:
                result = Refusal(str(error))
        return Timed(result, time.perf_counter() - began)

    def _carry_out(self, task: Request) -> Result:
        if isinstance(task, Evaluate):
            return self.at(task.level).evaluate(task.member, task.genome)
        breeder = self.breeder(task.member)
        problem: Any = breeder.setup(task.member).problem
        if isinstance(task, Adopt):
            outcome: Outcome[Any] = problem.adopted(self.masked(task.source, task.genome))
            return Bred(outcome)
        bred = Worker(problem, self.seed_of(task.member))(task.task, task.serial)
        recipe = problem.recipe(bred.genome) if overrides(problem, "recipe") else None
        return Bred(bred, recipe)

    @cached_property
    def fidelities(self) -> tuple[Fidelity, ...]:
        """Numbers of records and targets, from the smallest sample to the whole file."""
        return fidelities_of(self.table, self.settings.requirement.k, self.settings.samples)

    @property
    def initial_recipes(self) -> tuple[Recipe, ...]:
        """Recipes that the user gave, and those of the initial design."""
        problem: Any = self.at(0).setup(RECIPES).problem
        return (*self.settings.start, *(one.recipe for one in problem.design))

    @property
    def top(self) -> int:
        """Highest fidelity: that of the whole file."""
        return len(self.fidelities) - 1

    def at(self, level: int) -> "EvaluationContext":
        """Context of a fidelity."""
        return self if level == self.top else self._samples[level]

    @cached_property
    def _samples(self) -> tuple["EvaluationContext", ...]:
        """Contexts of the samples, each with people outside of it as its control group."""
        return tuple(map(self._of_fidelity, self.fidelities[:-1]))

    def _of_fidelity(self, fidelity: Fidelity) -> "EvaluationContext":
        inside, outside = records_at(self.table, fidelity)
        share = len(inside) / len(self.table)
        return replace(
            self._of_records(inside, share),
            outside=self.table.take(outside),
            people=fidelity.people,
        )

    def _of_records(self, records: Any, share: float = 1.0) -> "EvaluationContext":  # noqa: ANN401
        table = self.table.take(records)
        return EvaluationContext(table, self.settings, self.seed, self.hierarchies, share)

    def breeder(self, name: str) -> "EvaluationContext":
        """Context in which a search breeds: the smallest sample, if its genomes are portable."""
        return self.at(0) if self.is_portable(name) else self

    def is_portable(self, name: str) -> bool:
        """Whether the genomes of a search mean the same for any records."""
        return bool(getattr(search_of(self.settings.members[name]), "recipes", False))

    def adopts(self, name: str) -> bool:
        """Whether a search starts from masked files of others."""
        return overrides(self.breeder(name).setup(name).problem, "adopted")

    def setup(self, name: str) -> Setup[Any]:
        """Set up a search for the table, once."""
        if name not in self._setups:
            specialist = self.settings.members[name]
            search = search_of(specialist)
            draws = partial(draw_stream, self.seed_of(name))
            around = SearchContext(draws, hierarchies=self.hierarchies, given=self.given)
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

    def evaluate(self, name: str, genome: Any) -> Measured:  # noqa: ANN401
        """Loss and risk of the file of a genome; the parts of the risk for the whole file only."""
        masked = self.masked(name, genome)
        if self.outside is None:
            values = {one.name: one(self.table, masked) for one in self.objectives}
            limited = {one.name for one in self.objectives if one.limit is not None}
            errors = self.analyses.errors(masked)
            values |= {MEAN_ERROR: errors[MEAN_ERROR]} if MEAN_ERROR in errors else {}
            return replace(
                self.measured(masked, self.twin(name, genome, masked)),
                objectives={n: value for n, value in values.items() if n not in limited},
                limited={n: value for n, value in values.items() if n in limited},
                errors=errors,
            )
        errors = self.analyses.errors(masked) if self.settings.limits else {}
        return replace(self.measured(masked), assessment=None, errors=errors)

    def releasable(self, masked: Table) -> Table:
        """Enforce the requirement and the edit rules on a masked file."""
        released = self.guarantees(masked)
        if self.guarantees.mender.rules.broken_by(released).any():
            raise DataError("no enforcement satisfies both the edit rules and the requirement")
        return self._nested(released) if self.held else released

    def _nested(self, masked: Table) -> Table:
        """Nest a masked file in the releases that others hold."""
        if self.guarantees.levels:
            raise SchemaError(
                "files with persons or households cannot be nested in an earlier release; choose "
                "without --nested-in, and read what the releases tell together"
            )
        known = known_attributes(self.table.schema, self.settings.requirement)
        nested = self.guarantees.derived(Nesting(self.held, known)(masked))
        if self.guarantees.mender.rules.broken_by(nested).any():
            raise DataError("no enforcement satisfies both the edit rules and the nesting")
        return nested

    @cached_property
    def guarantees(self) -> Enforcement:
        """Enforcement of the requirement and the edit rules."""
        return Enforcement.of(self.table, self.settings.requirement, self.share)

    @cached_property
    def analyses(self) -> PreparedAnalyses:
        """Analyses to preserve, computed for the original; of a sample, those that it allows."""
        keep = self.settings.keep
        if self.outside is not None:
            keep = keep.possible_in(self.table)
        return keep.against(self.table)

    @cached_property
    def loss(self) -> Reading:
        """Information loss, prepared for the original."""
        names = self.table.schema.quasi_identifiers
        measure = profile(self.settings.profile).loss_by_weights(names, self.settings.loss)
        return measure.against(self.table)

    @cached_property
    def _risk(self) -> ControlledRisk | Reading:
        """Disclosure risk of candidates, prepared for the original."""
        measure = profile(self.settings.profile).risk(self.table.schema.quasi_identifiers)
        if isinstance(measure, DisclosureRisk):
            measure = replace(measure, people=self.people)
        return self._controlled(measure)

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
        if self.held or not self.is_portable(name):
            return masked.take(risk.others)
        try:
            return self._twin_context.masked(name, genome)
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


def context_from_arrays(
    schema: Schema,
    recodings: Mapping[str, Recoding],
    settings: Settings,
    seed: int,
    hierarchies: HierarchyDefinitions,
    given: tuple[Table, ...],
    objectives: tuple[Objective, ...],
    arrays: Mapping[str, Any],
) -> EvaluationContext:
    """Build the context of a worker process on shared arrays."""
    columns = {name: arrays[f"{COLUMN}{name}"] for name in schema.names}
    table = Table(schema, columns, recodings, arrays[SUPPRESSED])
    return rebuild_context(table, settings, seed, hierarchies, given, objectives)


def rebuild_context(
    table: Table,
    settings: Settings,
    seed: int,
    hierarchies: HierarchyDefinitions,
    given: tuple[Table, ...] = (),
    objectives: tuple[Objective, ...] = (),
) -> EvaluationContext:
    """Build the context of a worker process, with kernels loaded before the first task."""
    context = EvaluationContext(
        table, settings, seed, hierarchies, given=given, objectives=objectives
    )
    context.load_kernels(lambda _: None)
    return context


@contextmanager
def _ignore_warnings() -> Iterator[None]:
    """Ignore warnings of methods: the run reported them at its start."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
