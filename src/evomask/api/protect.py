"""Protecting frames and files: `protect`, `protect_file`, and `load` for runs on disk."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from evomask.api.arguments import checked
from evomask.api.files import read
from evomask.api.progress import Progress, ProgressReporter
from evomask.api.schema import (
    RolesNeededError,
    Schema,
    Tree,
    loaded_frame,
    propose,
    schema_of,
)
from evomask.data.frames import Frame, columns_like, frame_like, reorder
from evomask.errors import RunError, SchemaError, UnmetError
from evomask.runs.options import DataOptions, ProtectOptions, risk_limits

if TYPE_CHECKING:
    from evomask.data.table import Table
    from evomask.report.drawing import Figure
    from evomask.report.protection import Choice, Protection
    from evomask.report.record import ExplanationNote, PointsNote, ReleaseRecord
    from evomask.report.scenarios import ScenarioView
    from evomask.runs.inputs import Loaded
    from evomask.runs.start import Start
    from evomask.runs.store.preserved_analyses import AtMost, Statistic
    from evomask.runs.store.run_folder import RunSummary

F = TypeVar("F", bound=Frame)

ObjectiveFunction: TypeAlias = Callable[[Any, Any], float]
"""Function of the original and a masked frame; smaller values are better."""


@dataclass(frozen=True, eq=False)
class Result(Generic[F]):
    """Result of `protect`: a Pareto front of masked frames, one of them chosen.

    Args:
        frame: the original frame, which is not changed.
        protection: all candidates and their evaluation.
        choice: the chosen point and the reason; None where no point is within the limits.
        bounds: limits of loss, risk and errors for the chosen point.
        reason: why no point was chosen.
    """

    frame: F = field(repr=False)
    protection: "Protection" = field(repr=False)
    choice: "Choice | None"
    bounds: "AtMost" = field(repr=False)
    reason: str = ""

    @property
    def front(self) -> F:
        """Points of the Pareto front in the order of their loss, as a frame of the same library."""
        from evomask.report.describe import point_fields

        points = [point_fields(candidate) for candidate in self.protection.front]
        columns = {name: [point[name] for point in points] for name in points[0]}
        frame: F = columns_like(self.frame, columns)
        return frame

    @property
    def scenarios(self) -> F:
        """Risk of the chosen point in each scenario before and after, as a frame.

        One row for each quantity in percent of people, with the expected numbers of people.
        """
        views = self._scenario_views()
        rows = [(view.name, row) for view in views for row in view.rows]
        columns: dict[str, list[Any]] = {
            "scenario": [name for name, _ in rows],
            "quantity": [row.title for _, row in rows],
            "before": [row.before for _, row in rows],
            "after": [row.after for _, row in rows],
            "people_before": [row.people_before for _, row in rows],
            "people_after": [row.people for _, row in rows],
        }
        frame: F = columns_like(self.frame, columns)
        return frame

    @property
    def sentences(self) -> dict[str, str]:
        """What the intruder of each scenario would find, in a sentence without statistics."""
        return {view.name: view.sentence for view in self._scenario_views()}

    def _scenario_views(self) -> "list[ScenarioView]":
        from evomask.report.build import build_points
        from evomask.report.scenarios import scenario_views

        points = build_points(self.protection, self._choice())
        records = len(self.protection.table)
        return scenario_views(points.original.parts, points.chosen.parts, records)

    @property
    def chosen(self) -> int:
        """Number of the chosen point; points are numbered from 1 by loss."""
        return self._choice().candidate.point

    @property
    def offers(self) -> dict[str, int]:
        """Numbers of the careful, the balanced and the useful point of the front."""
        return {offer.name: offer.point for offer in self.protection.offers}

    def _choice(self, point: int | None = None) -> "Choice":
        """Return a point, by default the chosen one; an error where none was chosen."""
        from evomask.report.protection import choose_point

        if point is not None:
            return choose_point(str(point), self.protection.state)
        if self.choice is None:
            offers = ", ".join(f"{name} {number}" for name, number in self.offers.items())
            raise UnmetError(f"{self.reason}; name its number (offers: {offers})")
        return self.choice

    def pick(
        self,
        wish: str = "suggested",
        *,
        max_risk: float | Mapping[str, float] | None = None,
        max_loss: float | None = None,
        max_table_error: float | None = None,
        max_model_error: float | None = None,
        max_indicator_error: float | None = None,
    ) -> int:
        """Return the number of a point by a rule such as ``knee``, within limits in percent.

        Args:
            max_risk: of all scenarios, or of each, such as ``{"register": 5, "colleague": 10}``.
        """
        from evomask.report.protection import choose_point, is_by_number
        from evomask.runs.store.preserved_analyses import build_bounds, check_risk_limits

        risk = risk_limits(max_risk)
        errors = max_table_error, max_model_error, max_indicator_error
        bounds = build_bounds(risk, max_loss, *errors)
        if not is_by_number(wish):
            bounds = bounds.with_errors(self.bounds.error_in)
        check_risk_limits(bounds, self.protection.table)
        return choose_point(wish, self.protection.state, bounds).candidate.point

    def _table(self, point: int | None) -> "Table":
        """Return the masked table of a point, by default the chosen one."""
        return self.protection.files(self._choice(point).candidate.number).masked

    def kept(self, point: int | None = None) -> "tuple[Statistic, ...]":
        """Return the preserved analyses of a point, before and after masking."""
        if self.protection.kept is None:
            return ()
        return self.protection.kept.compare(self._table(point))

    def masked(self, point: int | None = None, *, shuffled: bool = True) -> F:
        """Return the masked frame of a point, by default the chosen one.

        Args:
            shuffled: return the records in a new random order, with a new index, so that
                they cannot be matched with the original by their order.
        """
        from evomask.runs.store.release import draw_order

        masked: F = frame_like(self.frame, self.protection.table, self._table(point))
        if not shuffled:
            return masked
        released: F = reorder(masked, draw_order(len(masked)))
        return released

    def report(
        self, path: str | Path, *, public: bool = False, said: Mapping[str, str] | None = None
    ) -> Path:
        """Write a report as one HTML page.

        Args:
            public: write the public report, without seed and risks, instead of the internal one.
            said: statement about the release: ``purpose``, ``legal_basis``, ``recipients``,
                ``safeguards``, ``earlier``, ``reason``, ``by``, ``date``, ``review``.
        """
        from evomask.report.record import parse_statement, with_statement
        from evomask.runs.release import record_without_file, write_page

        statement = parse_statement(said or {})
        record = record_without_file(self.protection, self._choice(), self.bounds)
        return write_page(with_statement(record, statement), Path(path), public=public)

    def explain(self, point: int | None = None) -> "ExplanationNote":
        """Explain how a point was found: what paid, how the front grew, and its family in words."""
        from evomask.report.explanation import explain

        done = self.protection
        times = done.times if done.clocked else ()
        return explain(done.maker, done.state, times, self._choice(point).candidate)

    def write_recipe(
        self, path: str | Path, point: int | None = None, *, force: bool = False
    ) -> Path:
        """Write the recipe of a point (TOML), by default of the chosen one, for `apply`.

        A masking that belongs to its records, such as one by the search `partition`, has no recipe
        and is an error.
        """
        from evomask.io.files import write_text
        from evomask.runs.recipes import recipe_text
        from evomask.runs.release import recipe_of_point

        choice = self._choice(point)
        found = recipe_of_point(self.protection, choice.candidate)
        if found is None:
            raise RunError(
                f"point {choice.candidate.point} was masked record by record by "
                f"{choice.candidate.search} and has no recipe; choose another point"
            )
        write_text(Path(path), recipe_text(found), force=force)
        return Path(path)

    def __repr__(self) -> str:
        state = self.protection.state
        chosen = "no point chosen"
        if self.choice:
            point = self.choice.candidate
            chosen = f"chosen: {point.point}, loss {point.loss:.2f} %, risk {point.risk:.2f} %"
        return (
            f"<evomask.Result of {len(state.front)} points from {len(state.candidates)} "
            f"candidates; {chosen}>"
        )

    def _points(self) -> "PointsNote":
        from evomask.report.build import build_points, points_without_choice

        if self.choice is None:
            return points_without_choice(self.protection)
        return build_points(self.protection, self.choice)

    def _repr_html_(self) -> str:
        from evomask.report.pages import map_html

        return map_html(self._points())

    def plot(self) -> "Figure":
        """Plot loss and risk of every candidate."""
        from evomask.report.charts import map_chart
        from evomask.report.drawing import figure_of

        return figure_of(map_chart(self._points()))


@dataclass(frozen=True, repr=False)
class SavedRun:
    """A run on disk, and its release.

    Args:
        folder: folder of the run; it contains records, so keep it confidential.
    """

    folder: Path

    @property
    def summary(self) -> "RunSummary":
        """Status of the run: search, file, share of the budget, points, released point."""
        from evomask.runs.store.run_folder import RunList

        return RunList(self.folder.absolute().parent).find(self.folder.absolute().name)

    @property
    def record(self) -> "ReleaseRecord":
        """Record of the release: settings, points, measures; no values of single records."""
        from evomask.runs.release import load_record

        return load_record(self.folder)

    @property
    def front(self) -> Any:  # noqa: ANN401
        """Points of the Pareto front with all their measures, as a polars frame."""
        from evomask.io.tables import read_frame
        from evomask.runs.store.run_summary import FRONT

        return read_frame(self.folder / FRONT)

    @property
    def reports(self) -> tuple[Path, Path]:
        """Paths of the internal and the public report."""
        from evomask.runs.release import reports_in

        found = reports_in(self.folder)
        return found.internal, found.public

    @property
    def file(self) -> Path:
        """Path of the released file."""
        from evomask.runs.store.run_summary import MASKED

        files = sorted((self.folder / MASKED).glob("*"))
        if not files:
            raise RunError(f"{self.folder} holds no released file; continue with resume()")
        return files[0]

    def masked(self) -> Any:  # noqa: ANN401
        """Return the released records as a polars frame."""
        return read(self.file)

    def choose(
        self,
        wish: str = "suggested",
        *,
        max_risk: float | Mapping[str, float] | None = None,
        release: str = "",
        accept_risk: bool = False,
        accept_loss: bool = False,
        strict_releases: bool = False,
    ) -> "SavedRun":
        """Release another point: ``knee``, ``balanced``, ``max-risk=20`` or a number.

        Args:
            max_risk: limit of the risk in all scenarios, or in each, in percent.
            release: who receives the file; by default as in the run.
            accept_risk, accept_loss: release although the risk, or the loss, is above its limit.
            strict_releases: refuse where another file of the same original was released.
        """
        from evomask.runs.protect import choose
        from evomask.runs.store.preserved_analyses import build_bounds

        bounds = build_bounds(
            risk_limits(max_risk), release=release, accept_risk=accept_risk, accept_loss=accept_loss
        )
        choose(self.folder, wish, bounds, strict_releases=strict_releases)
        return self

    def resume(self, *, workers: int = 1, strict_releases: bool = False) -> "SavedRun":
        """Continue with the rest of the budget, and release the chosen point.

        Args:
            workers: processes to search with.
            strict_releases: refuse where another file of the same original was released.
        """
        from evomask.execution.local import Local
        from evomask.runs.protect import is_protection, resume_protection
        from evomask.runs.search import resume
        from evomask.runs.store.run_folder import RunFolder

        if is_protection(RunFolder(self.folder).plan()):
            resume_protection(
                self.folder, evaluators=Local(workers), strict_releases=strict_releases
            )
        else:
            resume(self.folder, evaluators=Local(workers))
        return self

    def __repr__(self) -> str:
        run = self.summary
        released = "" if run.released is None else f", point {run.released} released"
        return (
            f"<evomask.SavedRun of {run.search} on {run.file}: {run.standing}, "
            f"{run.points} points{released}>"
        )

    def _repr_html_(self) -> str:
        from evomask.report.pages import map_html

        return map_html(self.record.points)

    def plot(self) -> "Figure":
        """Plot loss and risk of every candidate."""
        from evomask.report.charts import map_chart
        from evomask.report.drawing import figure_of

        return figure_of(map_chart(self.record.points))


@checked
def protect(
    frame: F,
    *,
    schema: Schema | str | Path | None = None,
    quasi: Iterable[str] = (),
    confidential: Iterable[str] = (),
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
    ordinal: Iterable[str] = (),
    nominal: Iterable[str] = (),
    strata: Iterable[str] = (),
    weight: str | None = None,
    household: str | None = None,
    hierarchies: Mapping[str, Tree] | None = None,
    accept_proposal: bool = False,
    require: str = "",
    seconds: float | None = None,
    evaluations: int | None = None,
    searches: Iterable[str] = (),
    profile: str = "strict",
    workers: int = 1,
    cluster: Any = None,  # noqa: ANN401
    seed: int | None = None,
    keep_tables: Iterable[str] = (),
    keep_models: Iterable[str] = (),
    keep_indicators: Iterable[str] = (),
    uses: Iterable[str] = (),
    keep_objective: bool = False,
    max_risk: float | Mapping[str, float] | None = None,
    max_loss: float | None = None,
    release: str = "",
    accept_risk: bool = False,
    accept_loss: bool = False,
    max_table_error: float | None = None,
    max_model_error: float | None = None,
    max_indicator_error: float | None = None,
    baseline: str = "",
    start: Iterable[str | Path | Frame] = (),
    callback: Callable[["Progress"], object] | None = None,
    objectives: Mapping[str, ObjectiveFunction | tuple[ObjectiveFunction, float]] | None = None,
) -> Result[F]:
    """Search for masked versions of a pandas, polars or pyarrow frame with low loss and risk.

    Args:
        schema: a `Schema` or the path of a schema file; other arguments take precedence.
        quasi: quasi-identifiers, columns that an intruder may know.
        confidential: confidential (sensitive) columns, for l and t.
        drop: direct identifiers, left out of every result.
        keep: columns to release although they look identifying.
        ordinal: columns with ordered categories.
        nominal: columns with unordered categories.
        strata: columns whose combinations are masked separately.
        weight: column of survey weights.
        household: column with the household number; left out of every result.
        hierarchies: hierarchies by column: a file, a result of `hierarchy`, or a mapping.
        accept_proposal: without quasi-identifiers, accept the roles of `propose`; otherwise their
            absence is an error, which carries the proposal.
        require: privacy models that every point fulfils, such as ``k=5,l=2``.
        seconds: time budget; without it and *evaluations*, the default of ``evomask protect``.
        evaluations: stop after this many candidates; reproducible with a seed.
        searches: names of the searches to run; by default all that apply.
        profile: risk measure, ``strict`` (all intruders) or ``papers`` (as published).
        workers: number of worker processes.
        cluster: a Dask client, or an address such as ``tls://host:8786`` or ``local:8``.
        seed: random seed; keep it secret.
        keep_tables: tables to preserve, such as ``education x sex: mean hours``.
        keep_models: regressions to preserve, such as ``income ~ age + education``.
        keep_indicators: indicators to preserve, such as ``gini(income) by region``.
        uses: what the file is for, such as ``regional poverty statistics <= 5 %``; preserves the
            analyses of such a purpose.
        keep_objective: whether the mean error of all preserved analyses is an objective of the
            front, beside loss and risk.
        max_risk: choose the least loss with at most this risk, in percent; of all scenarios, or of
            each, such as ``{"register": 5, "colleague": 10}``.
        max_loss: choose the least risk with at most this loss, in percent.
        release: who receives the file: ``public``, ``scientific`` or ``secure``; the chosen point
            then has a risk of at most 10, 20 or 35 % and a loss of at most 40 %, and where there is
            none, no point is chosen. By default the balanced offer is chosen then.
        accept_risk, accept_loss: choose a point where none is within these limits.
        max_table_error: largest error of preserved tables in the chosen point, in percent.
        max_model_error: largest error of preserved models in the chosen point, in percent.
        max_indicator_error: largest error of preserved indicators in the chosen point, in percent.
        baseline: ``synthetic`` (Gaussian copula), ``cart``, ``bayesian-network`` or
            ``private=1`` (OpenDP, with this epsilon) adds synthetic records for comparison; they
            cannot be chosen.
        start: paths of recipes (``recipe.toml``), and masked frames (or files) of the same records
            in the same order; they compete with all others, and are on the front as ``given``.
        callback: function that receives a `Progress` after each block of candidates; the search
            stops if it returns False.
        objectives: functions of the original and a masked frame by name, smaller values are better;
            they join loss and risk as objectives of the front. A pair of a function and a limit
            keeps candidates above it off the front instead. Only whole files are given to them,
            in the original's order and without suppressed records.

    Nothing is printed, and the frame is not changed.

    Example:
        import evomask

        people = evomask.read("survey.csv").select("age", "sex", "income", "health").head(200)
        result = evomask.protect(
            people,
            quasi=["age", "sex", "income"],
            confidential=["health"],
            require="k=5",
            searches=["grid"],
            evaluations=8,
        )
        released = result.masked()
        assert released.group_by("age", "sex", "income").len()["len"].min() >= 5
        print(result)
    """
    from evomask.execution.local import open_evaluators
    from evomask.report.protection import choose_point
    from evomask.runs.inputs import Input, check_stated
    from evomask.runs.protect import protect_table
    from evomask.runs.start import objectives_of
    from evomask.runs.store.run_control import StopRequest

    arguments = Schema(
        quasi=quasi, confidential=confidential, drop=drop, keep=keep, ordinal=ordinal,
        nominal=nominal, strata=strata, weight=weight, household=household,
        hierarchies=hierarchies or {}, keep_tables=keep_tables, keep_models=keep_models,
        keep_indicators=keep_indicators, uses=uses,
    )  # fmt: skip
    known = _with_roles(frame, schema_of(schema, arguments), accepted=accept_proposal)
    loaded = loaded_frame(frame, known)
    check_stated(loaded.table, loaded.stated)
    options = ProtectOptions(
        require=require,
        seconds=seconds,
        evaluations=evaluations,
        searches=tuple(searches),
        profile=profile,
        seed=seed,
        max_risk=risk_limits(max_risk),
        max_loss=max_loss,
        release=release,
        accept_risk=accept_risk,
        accept_loss=accept_loss,
        max_table_error=max_table_error,
        max_model_error=max_model_error,
        max_indicator_error=max_indicator_error,
        baseline=baseline,
    )
    job = replace(
        options.job(Input(Path("data frame")), Path()),
        keep=replace(loaded.keep, objective=keep_objective),
    )
    stop = StopRequest()
    watch = None if callback is None else ProgressReporter(callback, stop)
    with open_evaluators(workers, cluster) as evaluators:
        protection = protect_table(
            loaded.table, job, evaluators=evaluators, hierarchies=loaded.hierarchies,
            start=replace(_start(start, loaded), objectives=objectives_of(objectives or {}, frame)),
            watch=watch, stop=stop,
        )  # fmt: skip
    bounds = job.bounds.with_errors(protection.kept.limits if protection.kept else {})
    try:
        choice = choose_point(job.pick, protection.state, bounds)
    except UnmetError as error:
        return Result(frame, protection, None, bounds, str(error))
    return Result(frame, protection, choice, bounds)


def _start(given: Iterable[str | Path | Frame], loaded: "Loaded") -> "Start":
    """Return recipes and masked versions to start from."""
    from evomask.io.tables import source_of
    from evomask.runs.inputs import load_version
    from evomask.runs.start import ENDING, start_of, version_of

    recipes, versions = [], []
    for number, one in enumerate(given, 1):
        if not isinstance(one, str | Path):
            versions.append((f"frame {number}", version_of(source_of(one), loaded)))
        elif Path(one).suffix == ENDING:
            recipes.append(Path(one))
        else:
            versions.append((str(one), load_version(Path(one), loaded)))
    return start_of(loaded, recipes, versions)


def _with_roles(frame: Frame, schema: Schema, *, accepted: bool) -> Schema:
    """Return the schema if it has quasi-identifiers, else the proposed one if accepted."""
    if schema.quasi:
        return schema
    proposal = propose(frame, schema=schema)
    if not accepted:
        raise RolesNeededError(proposal)
    if proposal.questions:
        raise SchemaError(proposal.questions[0])
    return schema_of(proposal.schema, schema)


@checked
def protect_file(
    path: str | Path,
    out: str | Path,
    *,
    schema: str | Path | None = None,
    quasi: Iterable[str] = (),
    confidential: Iterable[str] = (),
    drop: Iterable[str] = (),
    require: str = "",
    seconds: float | None = None,
    evaluations: int | None = None,
    searches: Iterable[str] = (),
    pick: str = "suggested",
    release: str = "public",
    accept_risk: bool = False,
    accept_loss: bool = False,
    workers: int = 1,
    seed: int | None = None,
    baseline: str = "",
) -> SavedRun:
    """Protect a file like ``evomask protect``; write release, reports and run to a folder.

    Args:
        path: file of records.
        out: new folder for release, reports and run.
        schema: schema file.
        quasi: quasi-identifiers, unless the schema has them.
        confidential: confidential (sensitive) columns.
        drop: direct identifiers, left out of the release.
        require: privacy models that every point fulfils, such as ``k=5,l=2``.
        seconds: time budget; without it and *evaluations*, the default of ``evomask protect``.
        evaluations: stop after this many candidates; reproducible with a seed.
        searches: names of the searches to run; by default all that apply.
        pick: point to release.
        release: who receives the file: ``public``, ``scientific`` or ``secure``.
        accept_risk, accept_loss: release although the risk, or the loss, is above its limit;
            without them that raises an error, and the run is kept.
        workers: number of worker processes.
        seed: random seed; stored in the folder only.
        baseline: ``synthetic``, ``cart``, ``bayesian-network`` or ``private=1`` adds synthetic
            records to the reports, for comparison.

    Example:
        import evomask

        people = evomask.read("survey.csv").select("age", "sex", "income").head(200)
        path = evomask.write(people, "people.csv")
        run = evomask.protect_file(
            path, "release", quasi=people.columns, evaluations=6, accept_risk=True, accept_loss=True
        )
        assert run.masked().height <= 200
        print(run)
    """
    from evomask.execution.local import Local
    from evomask.runs.protect import protect_file

    data = DataOptions(
        schema=Path(schema) if schema else None,
        quasi=tuple(quasi),
        confidential=tuple(confidential),
        drop=tuple(drop),
    )
    source = data.input(Path(path))
    if not source.is_described:
        raise RolesNeededError(propose(read(source.path)))
    options = ProtectOptions(
        require=require,
        seconds=seconds,
        evaluations=evaluations,
        searches=tuple(searches),
        pick=pick,
        release=release,
        accept_risk=accept_risk,
        accept_loss=accept_loss,
        seed=seed,
        baseline=baseline,
    )
    protect_file(options.job(source, Path(out)), evaluators=Local(workers))
    return SavedRun(Path(out))


@checked
def load(folder: str | Path) -> SavedRun:
    """Load a run that ``evomask protect`` or ``evomask search --run`` saved in a folder.

    Example:
        import evomask

        people = evomask.read("survey.csv").select("age", "sex", "income").head(200)
        path = evomask.write(people, "people.csv")
        evomask.protect_file(
            path, "release", quasi=people.columns, evaluations=6, accept_risk=True, accept_loss=True
        )
        run = evomask.load("release")
        print(run)
        assert run.masked().height <= 200
        run.choose("knee", accept_risk=True, accept_loss=True)
    """
    run = SavedRun(Path(folder))
    _ = run.summary  # raises an error if there is no run
    return run
