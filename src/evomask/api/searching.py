"""One search on a frame: its front, and the masked frames of its points."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from evomask.api.schema import Schema, known_frame, schema_of
from evomask.data.frames import columns_like, frame_like
from evomask.data.intake import Frame
from evomask.data.table import Table
from evomask.errors import ParameterError

if TYPE_CHECKING:
    from evomask.reports.figures import Figure
    from evomask.runs.perform import Run
    from evomask.runs.points import Point

F = TypeVar("F", bound=Frame)


@dataclass(frozen=True, eq=False, repr=False)
class SearchResult(Generic[F]):
    """What one search found: its points, and the masked frame of each.

    Args:
        frame: the frame that was given; it is never changed.
        table: its records as they were searched.
        run: the search carried out.
    """

    frame: F = field(repr=False)
    table: Table = field(repr=False)
    run: "Run"

    @property
    def front(self) -> F:
        """The points on offer with their readings, as the kind of frame that was given."""
        points = [point.as_json() for point in self.run.front]
        names = dict.fromkeys(name for point in points for name in point)
        columns = {name: [point.get(name) for point in points] for name in names}
        frame: F = columns_like(self.frame, columns)
        return frame

    @property
    def best(self) -> dict[str, Any]:
        """The best point with its readings."""
        return dict(self.run.best.as_json())

    @property
    def answer(self) -> dict[str, Any]:
        """What this kind of search tells besides, such as ``sse`` and ``groups``."""
        return dict(self.run.answer)

    def masked(self, point: int | None = None) -> F:
        """The masked frame of a point, by default of the chosen one, in the original's order."""
        if self.run.file_of is None:
            raise ParameterError("this run makes no files; search again")
        chosen = self.run.chosen if point is None else self._point(point)
        masked: F = frame_like(self.frame, self.table, self.run.file_of(chosen))
        return masked

    def _point(self, number: int) -> "Point":
        for point in self.run.front:
            if point.point == number:
                return point
        raise ParameterError(f"no point {number}; the front has 1 to {len(self.run.front)}")

    def __repr__(self) -> str:
        """The search, the size of its front and its best point; never a record's values."""
        best = self.run.best.readings
        told = ", ".join(f"{name} {value:.4g}" for name, value in best.items())
        count = len(self.run.front)
        points = f"{count} point{'' if count == 1 else 's'}"
        return f"<evomask.SearchResult of {self.run.plan.search}: {points}; best: {told}>"

    def _repr_html_(self) -> str:
        """The points as a table, for notebooks."""
        from evomask.reports.notebook import table_html

        points = [point.as_json() for point in self.run.front]
        head = tuple(points[0])
        rows = [[point.get(name) for name in head] for point in points]
        return table_html(f"Points of {self.run.plan.search}", head, rows)

    def plot(self) -> "Figure":
        """The points as loss and risk, or the best fitness by generation where there is none."""
        from evomask.reports.charts import comparison_chart, fitness_chart
        from evomask.reports.figures import figure_of

        pairs = {
            str(p.point): (p.readings["loss"], p.readings["risk"])
            for p in self.run.front
            if {"loss", "risk"} <= p.readings.keys()
        }
        if pairs:
            return figure_of(comparison_chart(pairs, None))
        history = self.run.state.history
        return figure_of(fitness_chart([(s.evaluations, s.best) for s in history]))


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
    """Search for maskings of a frame with one search; nothing is printed or written.

    Args:
        name: the search, such as ``partition``, ``grouping``, ``files`` or ``generalization``.
        options: its own parameters as the command has them, such as ``{"k": 5}``.
        schema: what the columns are, as a `Schema` or the file of one.
        quasi: columns that an intruder may know; all numbers where none is named.
        confidential: sensitive columns.
        drop: identifiers, left out of every result.
        keep: columns to keep though they look identifying.
        ordinal: columns whose categories have an order.
        nominal: columns whose values can only be compared.
        generations: how many to breed at most.
        evaluations: how many files to try; then the same seed gives the same result.
        seconds: how long it may take.
        stalled: generations without a better best after which it ends.
        equal_means: generations without another mean of the population after which it ends.
        target: best score at which it ends.
        pick: which point is the chosen one.
        workers: how many processes work.
        seed: repeats a result; keep it secret.

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
    from evomask.runs.search import Limits, SearchJob, search_loaded

    words = Schema(
        quasi=quasi,
        confidential=confidential,
        drop=drop,
        keep=keep,
        ordinal=ordinal,
        nominal=nominal,
    )
    loaded = known_frame(frame, schema_of(schema, words))
    texts = {option: str(value) for option, value in (options or {}).items()}
    limits = Limits(generations, evaluations, seconds, stalled, equal_means, target)
    job = SearchJob(Input(Path("data frame")), name, texts, limits, pick=pick, seed=seed)
    run = search_loaded(job, loaded, evaluators=Local(workers))
    return SearchResult(frame, loaded.table, run)
