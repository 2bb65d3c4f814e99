"""The job of protecting a large file by a recipe: searched on a sample, made on everything.

Methods that need no more of the whole file than what adds up over parts are tried on a sample; what
nothing beats there is a front. The chosen point is made on all parts, measured and verified there.
"""

import json
import secrets
import time
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from evomask.data.frames import Declarations
from evomask.data.schema import Role
from evomask.errors import ParameterError, UnmetError
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import Local
from evomask.io.files import replace_file
from evomask.io.parts import Alike, class_sizes, parquet_files
from evomask.masking.guarantees.requirement import NOTHING, Requirement
from evomask.masking.recipes import promised_k
from evomask.portfolio.front import UNBOUNDED, Bounds, Candidate, check_wish, lasting
from evomask.record.protection import Choice, choice_from
from evomask.record.words import in_words
from evomask.runs.inputs import Input, check_described
from evomask.runs.kept.log import Named
from evomask.runs.kept.signing import read_key
from evomask.runs.kept.store import Store
from evomask.runs.parts.applying import applied, cells_of
from evomask.runs.parts.closing import Counted, Promised, closed
from evomask.runs.parts.comparing import Comparer, Comparison
from evomask.runs.parts.opening import PLAN, Opened, asked_for, opened, plan_in, surveyed
from evomask.runs.parts.reporting import Found, reports_of
from evomask.runs.parts.shuffling import shuffled
from evomask.runs.parts.steps import MASKED, WORK, Told
from evomask.runs.parts.trying import POINTS, FrontKept, Recipes, candidates, front_in, notes_on

TRIED = 100
"""Recipes that are tried where nobody says."""

BEFORE = ("converted", "survey-", "values-", "sample-", "try-")
"""How files of work begin that do not hang on the point that is made."""


@dataclass(frozen=True)
class RecipeJob:
    """What to protect, and the folder that the parts are written to.

    Args:
        requirement: k alone; then only recipes are tried that see to it by themselves.
        evaluations: how many recipes are tried on the sample.
        pick: which point of the front is made on everything.
        bounds: what the made one may have at most.
        hierarchies: folder of value trees; what has none gets one that suits its values.
        key: file of the key that signs the work.
        keep_order: whether to keep how the released records were shuffled.
    """

    source: Input
    out: Path
    requirement: Requirement = NOTHING
    evaluations: int = TRIED
    pick: str = "suggested"
    bounds: Bounds = UNBOUNDED
    hierarchies: Path | None = None
    seed: int | None = None
    key: Path | None = None
    keep_order: bool = False

    @property
    def settings(self) -> dict[str, object]:
        """All that the result depends on besides the file and the seed."""
        return {
            "recipes": self.evaluations,
            "requirement": self.requirement.as_text,
            "pick": self.pick,
            "bounds": self.bounds.given,
            "order": self.keep_order,
        }

    def as_told(self) -> dict[str, object]:
        """The job as a plan tells it."""
        trees = None if self.hierarchies is None else self.hierarchies.resolve()
        return asked_for("recipes", self, key=None, hierarchies=trees)


@dataclass(frozen=True)
class Protected:
    """What came of it.

    Args:
        front: the points on the sample.
        sample, tried: how many records that has, and how many recipes were tried.
        choice: which point was made, as the sample told of it.
        k: what holds of look-alikes whatever the file is; 1 where nothing is promised.
        compared: loss and risk of the released records.
    """

    out: Path
    front: tuple[Candidate, ...]
    sample: int
    tried: int
    choice: Choice
    k: int
    compared: Comparison
    alike: Alike
    parts: int
    seconds: float
    notes: tuple[str, ...] = ()


def protect_parts(
    job: RecipeJob, *, evaluators: Evaluators = Local(), told: Told = lambda *_: None
) -> Protected:
    """Try recipes on a sample of a large file, and make the chosen one; begun work goes on."""
    began = time.perf_counter()
    _check(job)
    seed = secrets.randbits(63) if job.seed is None else job.seed
    with opened(job.source, job.out, job.settings, seed, job.hierarchies, job.as_told()) as file:
        done = _Job(job, file, evaluators, told).done()
    return replace(done, seconds=time.perf_counter() - began)


def choose_in_parts(
    job: RecipeJob,
    pick: str,
    bounds: Bounds = UNBOUNDED,
    *,
    evaluators: Evaluators = Local(),
    told: Told = lambda *_: None,
) -> Protected:
    """Make another point of a front on everything; one that breaks its limits changes nothing."""
    plan = (job.out / PLAN).read_bytes()
    other = chosen_anew(job, pick, bounds)
    try:
        return protect_parts(other, evaluators=evaluators, told=told)
    except UnmetError:
        with Store(job.out).locked():
            _forget_made(job.out)
            replace_file(job.out / PLAN, lambda file: file.write(plan))
        raise


def _forget_made(folder: Path) -> None:
    """Take out of the work all that hangs on the point that was made."""
    for path in (folder / WORK).iterdir():
        if not path.name.startswith(BEFORE):
            path.unlink(missing_ok=True)


def chosen_anew(job: RecipeJob, pick: str, bounds: Bounds = UNBOUNDED) -> RecipeJob:
    """The job in a folder with another point of its front; what was made of the other goes.

    Args:
        job: as it was begun there.
        bounds: what the point may have at most; they take the place of those of the job.
    """
    check_wish(pick)
    folder = job.out
    with Store(folder).locked():
        choice = choice_from(pick, candidates(front_in(folder)), bounds)
        other = replace(job, pick=lasting(pick, choice.candidate), bounds=bounds)
        if other.settings != job.settings:
            _forget_made(folder)
            plan = plan_in(folder)
            settings = {**plan.settings, **other.settings}
            plan = msgspec.structs.replace(plan, settings=settings, job=other.as_told())
            text = json.dumps(msgspec.to_builtins(plan), indent=1).encode()
            replace_file(folder / PLAN, lambda file: file.write(text))
    return other


def _check(job: RecipeJob) -> None:
    check_wish(job.pick)
    check_described(job.source)
    if job.evaluations < 1:
        raise ParameterError(f"evaluations must be at least 1, got {job.evaluations}")
    if job.requirement != Requirement(k=job.requirement.k):
        raise ParameterError(
            "no recipe for a file in parts sees to l or t; leave out --searches to generalize"
        )
    if job.bounds.given.keys() - {"loss", "risk"}:
        raise ParameterError("no tables or models are compared of a file in parts")
    if job.key is not None:
        read_key(job.key)


@dataclass(frozen=True, eq=False)
class _Job:
    """The steps of the work on one file."""

    job: RecipeJob
    file: Opened
    evaluators: Evaluators
    told: Told

    def done(self) -> Protected:
        """The released parts, after all steps."""
        file, job = self.file, self.job
        overview = surveyed(file, self._declared(), self.evaluators, self.told)
        recipes = Recipes(file, overview, job.requirement.k)
        front = recipes.front(job.evaluations, self.evaluators, self.told)
        points = candidates(front)
        choice = choice_from(job.pick, points, job.bounds)
        recipe = recipes.all[choice.candidate.number].method
        masked = applied(file, overview, recipe, self.evaluators, self.told)
        compared = Comparer(
            file, masked, self.evaluators, self.told, cells=cells_of(recipe)
        ).compared()
        self._check_bounds(choice.candidate, compared)
        shuffled(file, masked, self.evaluators, self.told, keep_order=job.keep_order)
        names = file.schema.quasi_identifiers
        k = promised_k(recipe, names)
        named = Named(choice.candidate.point, choice.candidate.number)
        promised = Promised(names, k, job.key, shuffled=True, point=named)
        notes = (self._on_promise(k), _on_sample(front, choice.candidate, compared))

        def more(counted: Counted) -> dict[str, bytes]:
            found = self._found(front, choice, compared, notes)
            kept = {POINTS: (file.folder / POINTS).read_bytes()}
            return {**reports_of(file, found, counted), **kept}

        alike = closed(file, promised, more)
        return Protected(
            job.out, points, front.sample, front.tried, choice, k, compared, alike,
            len(file.parts), 0.0, (*file.notes, *notes),
        )  # fmt: skip

    def _declared(self) -> Declarations:
        schema = self.file.schema
        names = (*schema.quasi_identifiers, *schema.with_role(Role.CONFIDENTIAL))
        return {name: self.file.declaration(name) for name in names}

    def _check_bounds(self, chosen: Candidate, compared: Comparison) -> None:
        made = replace(chosen, loss=compared.loss, risk=compared.judged.risk)
        if self.job.bounds.excess(made):
            raise UnmetError(
                f"point {chosen.point} has a loss of {made.loss:.2f} % and a risk of "
                f"{made.risk:.2f} % on all records, and {self.job.bounds} was asked for; nothing "
                f"was released: make another with `evomask choose {self.file.folder} --point`, or "
                "raise the limit"
            )

    def _found(
        self, front: FrontKept, choice: Choice, compared: Comparison, notes: tuple[str, ...]
    ) -> Found:
        names, chosen = self.file.schema.quasi_identifiers, choice.candidate
        paths = dict.fromkeys(Path(place.path) for place in self.file.parts.places)
        return Found(
            self.job.requirement, chosen.making, in_words(chosen.making),
            {"sample": front.sample}, choice.reason, 0, front.tried, compared,
            class_sizes(paths, names),
            class_sizes(parquet_files(self.file.folder / MASKED), names),
            notes_on(front), Named(chosen.point, chosen.number), notes,
        )  # fmt: skip

    @staticmethod
    def _on_promise(k: int) -> str:
        if k > 1:
            return (
                f"groups of {k} or more records were made on all quasi-identifiers: k = {k} holds"
            )
        return "the recipe promises no k; how many records look alike is counted, not guaranteed"


def _on_sample(front: FrontKept, chosen: Candidate, compared: Comparison) -> str:
    return (
        f"the front was measured on a sample of {front.sample:,} records; the chosen recipe had a "
        f"loss of {chosen.loss:.2f} % and a risk of {chosen.risk:.2f} % there, and has "
        f"{compared.loss:.2f} % and {compared.judged.risk:.2f} % on all records"
    )
