"""The main job on a frame: a front of protected frames, one of them chosen."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from evomask.api.files import read
from evomask.api.kept import KeptRun
from evomask.api.proposing import RolesNeededError, propose
from evomask.api.schema import Schema, Tree, loaded_frame, schema_of
from evomask.data.frames import columns_like, frame_like, reordered
from evomask.data.intake import Frame
from evomask.errors import SchemaError

if TYPE_CHECKING:
    from evomask.data.table import Table
    from evomask.record.protection import Choice, Protection
    from evomask.reports.figures import Figure
    from evomask.runs.kept.keeping import AtMost, Statistic

F = TypeVar("F", bound=Frame)


@dataclass(frozen=True, eq=False)
class Result(Generic[F]):
    """What came of `protect`: a front of protected frames, one of them chosen.

    Args:
        frame: the frame that was given; it is never changed.
        protection: all that is known, also of files that are not on the front.
        bounds: what the chosen point may have at most.
    """

    frame: F = field(repr=False)
    protection: "Protection" = field(repr=False)
    choice: "Choice"
    bounds: "AtMost" = field(repr=False)

    @property
    def front(self) -> F:
        """The points on offer by loss, as the kind of frame that was given."""
        from evomask.record.words import as_point

        points = [as_point(candidate) for candidate in self.protection.front]
        columns = {name: [point[name] for point in points] for name in points[0]}
        frame: F = columns_like(self.frame, columns)
        return frame

    @property
    def chosen(self) -> int:
        """The number of the chosen point, from 1 by loss."""
        return self.choice.candidate.point

    def pick(
        self,
        wish: str = "suggested",
        *,
        max_risk: float | None = None,
        max_loss: float | None = None,
        max_table_error: float | None = None,
        max_model_error: float | None = None,
    ) -> int:
        """The number of another point: by a wish such as ``knee``, and within limits in percent."""
        from evomask.record.protection import choice_of
        from evomask.runs.kept.keeping import at_most

        bounds = at_most(max_risk, max_loss, max_table_error, max_model_error)
        return choice_of(wish, self.protection.state, bounds).candidate.point

    def _file(self, point: int | None) -> "Table":
        """The masked file of a point, records in their order; of the chosen one by default."""
        from evomask.record.protection import choice_of

        named = self.choice if point is None else choice_of(str(point), self.protection.state)
        return self.protection.files(named.candidate.number).masked

    def kept(self, point: int | None = None) -> "tuple[Statistic, ...]":
        """Tables and models that must survive, before and after, in a point of the front."""
        if self.protection.kept is None:
            return ()
        return self.protection.kept.compare(self._file(point))

    def masked(self, point: int | None = None, *, shuffled: bool = True) -> F:
        """The protected frame of a point of the front, by default of the chosen one.

        Args:
            shuffled: give the records in random order, a new one every time, and renew the
                index, so that a release cannot be laid beside the original.
        """
        from evomask.runs.kept.order import new_order

        masked: F = frame_like(self.frame, self.protection.table, self._file(point))
        if not shuffled:
            return masked
        released: F = reordered(masked, new_order(len(masked)))
        return released

    def report(
        self, path: str | Path, *, public: bool = False, said: Mapping[str, str] | None = None
    ) -> Path:
        """Write a report as one page of HTML.

        Args:
            public: the page to publish with the file, without seed and risks; otherwise the
                one for those who hold the records.
            said: what a person says of the release: ``purpose``, ``legal_basis``,
                ``recipients``, ``safeguards``, ``earlier``, ``reason``, ``by``, ``date``,
                ``review``.
        """
        from evomask.record.record import stated
        from evomask.record.statement import statement_of
        from evomask.runs.release import record_without_file
        from evomask.runs.report import write_page

        statement = statement_of(said or {})
        record = record_without_file(self.protection, self.choice, self.bounds)
        return write_page(stated(record, statement), Path(path), public=public)

    def __repr__(self) -> str:
        """The size of the front and the chosen point in short; never a record's values."""
        candidate, state = self.choice.candidate, self.protection.state
        return (
            f"<evomask.Result of {len(state.front)} points from {len(state.candidates)} files; "
            f"chosen: {candidate.point}, loss {candidate.loss:.2f} %, "
            f"risk {candidate.risk:.2f} %>"
        )

    def _repr_html_(self) -> str:
        """The map of loss and risk, for notebooks."""
        from evomask.reports.notebook import map_html
        from evomask.runs.release import map_of

        return map_html(map_of(self.protection, self.choice))

    def plot(self) -> "Figure":
        """The map of loss and risk of every masking that was tried."""
        from evomask.reports.charts import map_chart
        from evomask.reports.figures import figure_of
        from evomask.runs.release import map_of

        return figure_of(map_chart(map_of(self.protection, self.choice)))


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
    max_risk: float | None = None,
    max_loss: float | None = None,
    max_table_error: float | None = None,
    max_model_error: float | None = None,
    baseline: str = "",
) -> Result[F]:
    """Search for protections of a pandas, polars or pyarrow frame with little loss and risk.

    Args:
        schema: what the columns are, as a `Schema` or the file of one; what is said besides wins.
        quasi: columns that an intruder may know.
        confidential: sensitive columns, for l and t.
        drop: identifiers, left out of every result.
        keep: columns to keep though they look identifying.
        ordinal: columns whose categories have an order.
        nominal: columns whose values can only be compared.
        strata: columns within whose combinations everything is masked on its own.
        weight: column with the number of people a record stands for.
        household: column that tells households; left out of every result.
        hierarchies: value trees of columns: a file, what `hierarchy` made, or a mapping.
        accept_proposal: where no quasi-identifier is named, take what `propose` proposes; without
            it that is an error, which carries the proposal.
        require: a guarantee for every point, such as ``k=5,l=2``.
        seconds: how long all of it may take, two minutes where nothing is said.
        evaluations: how many files to try; then the same seed gives the same result.
        searches: who takes part; all that apply where none is named.
        profile: the risk of all attackers (``strict``) or of the papers (``papers``).
        workers: how many processes work.
        cluster: a Dask client, or an address: ``tls://host:8786``, ``local:8``.
        seed: repeats a result; keep it secret.
        keep_tables: tables that must survive, such as ``education x sex: mean hours``.
        keep_models: models that must survive, such as ``income ~ age + education``.
        max_risk: chooses the least loss with this risk at most, in percent.
        max_loss: chooses the least risk with this loss at most.
        max_table_error: largest error of the tables in the chosen point, in percent.
        max_model_error: the same of the models.
        baseline: ``synthetic`` judges synthetic records beside the front; they cannot be chosen.

    Nothing is printed, and the frame is left alone.

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
    from evomask.execution.choosing import computing
    from evomask.record.protection import choice_of
    from evomask.runs.inputs import Input, check_stated
    from evomask.runs.kept.keeping import at_most
    from evomask.runs.protect import ProtectJob, protect_table, required

    words = Schema(
        quasi=quasi, confidential=confidential, drop=drop, keep=keep, ordinal=ordinal,
        nominal=nominal, strata=strata, weight=weight, household=household,
        hierarchies=hierarchies or {}, keep_tables=keep_tables, keep_models=keep_models,
    )  # fmt: skip
    known = _with_roles(frame, schema_of(schema, words), accepted=accept_proposal)
    loaded = loaded_frame(frame, known)
    check_stated(loaded.table, loaded.stated)
    job = ProtectJob(
        Input(Path("data frame")), Path(), required(require), profile, seconds, seed, evaluations,
        tuple(searches), keep=loaded.keep,
        bounds=at_most(max_risk, max_loss, max_table_error, max_model_error), baseline=baseline,
    )  # fmt: skip
    trees = loaded.hierarchies
    with computing(workers, cluster) as evaluators:
        protection = protect_table(loaded.table, job, evaluators=evaluators, hierarchies=trees)
    choice = choice_of(job.pick, protection.state, job.bounds)
    return Result(frame, protection, choice, job.bounds)


def _with_roles(frame: Frame, schema: Schema, *, accepted: bool) -> Schema:
    """The schema where quasi-identifiers are named; else the one proposed, where accepted."""
    if schema.quasi:
        return schema
    proposal = propose(frame, schema=schema)
    if not accepted:
        raise RolesNeededError(proposal)
    if proposal.questions:
        raise SchemaError(proposal.questions[0])
    return schema_of(proposal.schema, schema)


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
    workers: int = 1,
    seed: int | None = None,
    baseline: str = "",
) -> KeptRun:
    """Protect a file as ``evomask protect`` does: a folder with release, reports and the run.

    Args:
        path: the file of records.
        out: a new folder; all that is made goes there.
        schema: file of a schema.
        quasi: columns that an intruder may know, where no schema tells.
        confidential: sensitive columns.
        drop: identifiers, left out of the release.
        require: a guarantee for every point, such as ``k=5,l=2``.
        seconds: how long all of it may take, two minutes where nothing is said.
        evaluations: how many files to try; then the same seed gives the same result.
        searches: who takes part; all that apply where none is named.
        pick: which point is released.
        workers: how many processes work.
        seed: repeats a result; kept in the folder only.
        baseline: ``synthetic`` shows in the reports what releasing synthetic records would mean.

    Example:
        import evomask

        people = evomask.read("survey.csv").select("age", "sex", "income").head(200)
        path = evomask.write(people, "people.csv")
        run = evomask.protect_file(path, "release", quasi=people.columns, evaluations=6)
        assert run.masked().height <= 200
        print(run)
    """
    from evomask.execution.local import Local
    from evomask.runs.inputs import Input
    from evomask.runs.protect import ProtectJob, protect_file, required

    source = Input(
        Path(path), Path(schema) if schema else None, tuple(quasi), tuple(confidential),
        tuple(drop),
    )  # fmt: skip
    if not source.is_described:
        raise RolesNeededError(propose(read(source.path)))
    job = ProtectJob(
        source, Path(out), required(require), seconds=seconds, seed=seed,
        evaluations=evaluations, searches=tuple(searches), pick=pick, baseline=baseline,
    )  # fmt: skip
    protect_file(job, evaluators=Local(workers))
    return KeptRun(job.folder)
