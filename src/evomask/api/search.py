"""Running one search on a frame."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from evomask.api.arguments import checked
from evomask.api.schema import Schema, known_frame, schema_of
from evomask.data.frames import Frame, columns_like, frame_like
from evomask.data.table import Table
from evomask.errors import ParameterError

if TYPE_CHECKING:
    from evomask.report.drawing import Figure
    from evomask.runs.search import Run

F = TypeVar("F", bound=Frame)


@dataclass(frozen=True, eq=False, repr=False)
class SearchResult(Generic[F]):
    """Result of one search: the points of its front, and the masked frame of each.

    Args:
        frame: the original frame, which is not changed.
        table: the frame as a table.
        run: the finished run.
    """

    frame: F = field(repr=False)
    table: Table = field(repr=False)
    run: "Run"

    @property
    def front(self) -> F:
        """Points of the front with their measures, as a frame of the same library."""
        points = [point.as_json() for point in self.run.front]
        names = dict.fromkeys(name for point in points for name in point)
        columns = {name: [point.get(name) for point in points] for name in names}
        frame: F = columns_like(self.frame, columns)
        return frame

    @property
    def best(self) -> dict[str, Any]:
        """The best point with its measures."""
        return dict(self.run.best.as_json())

    @property
    def answer(self) -> dict[str, Any]:
        """Further results of this kind of search, such as ``sse`` and ``groups``."""
        return dict(self.run.answer)

    def masked(self, point: int | None = None) -> F:
        """Return the masked frame of a point, by default the picked one; same record order."""
        if self.run.file_of is None:
            raise ParameterError("this run cannot produce masked files; search again")
        chosen = self.run.chosen
        if point is not None:
            found = [candidate for candidate in self.run.front if candidate.point == point]
            if not found:
                size = len(self.run.front)
                raise ParameterError(f"no point {point}; the front has 1 to {size}")
            chosen = found[0]
        masked: F = frame_like(self.frame, self.table, self.run.file_of(chosen))
        return masked

    def __repr__(self) -> str:
        readings = self.run.best.readings
        best = ", ".join(f"{name} {value:.4g}" for name, value in readings.items())
        count = len(self.run.front)
        points = f"{count} point{'' if count == 1 else 's'}"
        return f"<evomask.SearchResult of {self.run.plan.search}: {points}; best: {best}>"

    def _repr_html_(self) -> str:
        from evomask.report.pages import table_html

        points = [point.as_json() for point in self.run.front]
        head = tuple(points[0])
        rows = [[point.get(name) for name in head] for point in points]
        return table_html(f"Points of {self.run.plan.search}", head, rows)

    def plot(self) -> "Figure":
        """Plot loss and risk of the points; without them, the best fitness by evaluations."""
        from evomask.report.charts import comparison_chart, fitness_chart
        from evomask.report.drawing import figure_of

        pairs = {
            str(p.point): (p.readings["loss"], p.readings["risk"])
            for p in self.run.front
            if {"loss", "risk"} <= p.readings.keys()
        }
        if pairs:
            return figure_of(comparison_chart(pairs, None))
        history = self.run.state.history
        return figure_of(fitness_chart([(s.evaluations, s.best) for s in history]))


@checked
def search(
    frame: F,
    name: str,
    *,
    options: Mapping[str, object] | None = None,
    schema: Schema | str | Path | None = None,
    quasi: Iterable[str] = (),
    confidential: Iterable[str] = (),
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
    ordinal: Iterable[str] = (),
    nominal: Iterable[str] = (),
    generations: int | None = None,
    evaluations: int | None = None,
    seconds: float | None = None,
    stalled: int | None = None,
    equal_means: int | None = None,
    target: float | None = None,
    pick: str = "best",
    workers: int = 1,
    seed: int | None = None,
) -> SearchResult[F]:
    """Run one search on a frame; nothing is printed or written.

    Args:
        name: name of the search, such as ``partition``, ``grouping`` or ``generalization``.
        options: parameters of the search by their option names, such as ``{"k": 5}``.
        schema: a `Schema`, or the path of a schema file.
        quasi: quasi-identifiers; by default all numeric columns.
        confidential: confidential (sensitive) columns.
        drop: direct identifiers, left out of every result.
        keep: columns to release although they look identifying.
        ordinal: columns with ordered categories.
        nominal: columns with unordered categories.
        generations: stop after this many generations.
        evaluations: stop after this many evaluations; reproducible with a seed.
        seconds: time budget.
        stalled: stop after this many generations without improvement.
        equal_means: stop after this many generations with the same mean fitness.
        target: stop at this best score or lower.
        pick: the point that ``masked`` returns by default.
        workers: number of worker processes.
        seed: random seed; keep it secret.

    Example:
        import evomask

        people = evomask.read("survey.csv").select("age", "area", "income")
        found = evomask.search(people, "partition", options={"k": 5}, evaluations=300, seed=7)
        masked = found.masked()
        assert masked.group_by(masked.columns).len()["len"].min() >= 5
        print(found)
    """
    from evomask.execution.local import Local
    from evomask.runs.inputs import Input
    from evomask.runs.search import Limits, SearchJob, search_file

    arguments = Schema(
        quasi=quasi,
        confidential=confidential,
        drop=drop,
        keep=keep,
        ordinal=ordinal,
        nominal=nominal,
    )
    loaded = known_frame(frame, schema_of(schema, arguments))
    texts = {option: str(value) for option, value in (options or {}).items()}
    limits = Limits(
        generations=generations,
        evaluations=evaluations,
        seconds=seconds,
        stalled=stalled,
        equal_means=equal_means,
        target=target,
    )
    job = SearchJob(
        source=Input(Path("data frame")),
        search=name,
        options=texts,
        limits=limits,
        pick=pick,
        seed=seed,
    )
    run = search_file(job, loaded=loaded, evaluators=Local(workers))
    return SearchResult(frame, loaded.table, run)
