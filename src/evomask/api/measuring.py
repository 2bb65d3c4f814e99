"""Masked frames beside their originals: measured, compared and audited."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from evomask.api.schema import Schema, known_frame, loaded_frame, schema_of
from evomask.data.frames import columns_like
from evomask.data.intake import Frame
from evomask.runs.measure import MeasureOutcome

if TYPE_CHECKING:
    from evomask.reports.figures import Figure
    from evomask.runs.inputs import Loaded
    from evomask.runs.kept.keeping import Statistic
    from evomask.runs.measure import Measuring

F = TypeVar("F", bound=Frame)


@dataclass(frozen=True, repr=False)
class Measurement(MeasureOutcome):
    """Loss and risk of a masked frame, in percent, lower is better.

    ``loss`` and ``risk`` are the pair, ``losses`` the loss of each column, ``parts`` those of
    the risk, ``measures`` every measure that applies; ``as_json`` gives all of it.
    """

    @property
    def parts(self) -> dict[str, float]:
        """The parts of the risk by name; none under the papers' profile."""
        return {n: part.percent for n, part in self.judged.parts.items()} if self.judged else {}

    @property
    def original_risk(self) -> float | None:
        """The risk of releasing the original itself; not told by the papers' profile."""
        return self.original.risk if self.original else None

    def __repr__(self) -> str:
        """The pair and its parts in short; never a record's values."""
        before = "" if self.original_risk is None else f" (original {self.original_risk:.2f} %)"
        parts = ", ".join(f"{name} {value:.2f}" for name, value in self.parts.items())
        lines = [
            f"<evomask.Measurement of {self.records} records, {len(self.attributes)} columns",
            f"  loss {self.loss:.2f} %, risk {self.risk:.2f} %{before}",
            *([f"  risk by its parts: {parts}"] if parts else []),
            *(f"  note: {note}" for note in self.notes),
        ]
        return "\n".join(lines) + ">"

    def _repr_html_(self) -> str:
        """The pair, its parts and every measure as tables, for notebooks."""
        from evomask.reports.notebook import table_html
        from evomask.runs.measure import explain

        pair = {"loss": self.loss, "risk": self.risk, **self.parts}
        measures = [(explain(n).title, n, value) for n, value in self.measures.items()]
        return "".join(
            [
                table_html("In percent, lower is better", ("what", "percent"), pair.items()),
                table_html("Loss of each column", ("column", "percent"), self.losses.items()),
                table_html("Every measure", ("measure", "name", "percent"), measures),
            ]
        )

    def plot(self) -> "Figure":
        """Loss, risk and its parts as bars, of the original and of the masked frame."""
        from evomask.reports.charts import pair_chart
        from evomask.reports.figures import figure_of

        before = {"risk": self.original.risk} if self.original else {}
        if self.original:
            before |= {n: part.percent for n, part in self.original.parts.items()}
        after = {"loss": self.loss, "risk": self.risk, **self.parts}
        return figure_of(pair_chart({"loss": 0.0, **before}, after))


def measure(
    original: Frame,
    masked: Frame,
    *,
    schema: Schema | str | Path | None = None,
    quasi: Iterable[str] = (),
    confidential: Iterable[str] = (),
    ordinal: Iterable[str] = (),
    nominal: Iterable[str] = (),
    measures: Iterable[str] = (),
    key: str = "",
    profile: str = "strict",
    exact: bool = False,
    keep_tables: Iterable[str] = (),
    keep_models: Iterable[str] = (),
) -> Measurement:
    """Measure what a masked frame has lost and gives away, against its original.

    Args:
        masked: the masked records, in the original's order unless *key* is given; cells may be
            written as releases are: sets, intervals, ``*``, or names from hierarchies.
        schema: what the columns are, as a `Schema` or the file of one.
        quasi: columns that an intruder may know; all numbers where none is named.
        confidential: sensitive columns.
        ordinal: columns whose categories have an order.
        nominal: columns whose values can only be compared.
        measures: names of the measures wanted; all that apply by default.
        key: column of both frames by which records are matched.
        profile: the risk of all attackers (``strict``) or of the papers (``papers``).
        exact: attack everybody, however many records there are.
        keep_tables: tables to compare, such as ``education x sex: mean hours``.
        keep_models: models to compare, such as ``income ~ age + education``.

    Example:
        import evomask

        people = evomask.read("survey.csv").select("age", "sex", "income").head(500)
        masked = evomask.mask(people, evomask.Mdav(("age", "income"), k=5), seed=7)
        found = evomask.measure(people, masked, quasi=["age", "income"])
        assert found.risk < found.original_risk
        print(found)
    """
    from evomask.runs.kept.keeping import keeping
    from evomask.runs.measure import Measuring

    words = Schema(quasi=quasi, confidential=confidential, ordinal=ordinal, nominal=nominal)
    keep = keeping(keep_tables, keep_models)
    how = Measuring(tuple(measures), profile, exact, keep, key)
    return _measured(known_frame(original, schema_of(schema, words)), masked, how)


def _measured(loaded: "Loaded", masked: Frame, how: "Measuring") -> Measurement:
    from evomask.io.tables import source_of
    from evomask.runs.measure import measure_loaded

    return Measurement(**vars(measure_loaded(loaded, source_of(masked), how)))


@dataclass(frozen=True, repr=False)
class Comparison(Generic[F]):
    """Several masked frames of one original, each measured.

    Args:
        original: the frame that all were masked from.
        measurements: what was measured of each, by its name.
    """

    original: F
    measurements: Mapping[str, Measurement]

    @property
    def table(self) -> F:
        """Loss, risk and score of each, smallest score first, as the kind of frame given."""
        rows = self._rows()
        columns: dict[str, list[Any]] = {
            "name": [name for name, *_ in rows],
            "loss": [loss for _, loss, *_ in rows],
            "risk": [risk for _, _, risk, _ in rows],
            "score": [score for *_, score in rows],
        }
        frame: F = columns_like(self.original, columns)
        return frame

    @property
    def best(self) -> str:
        """The name of the one whose larger part, loss or risk, is the smallest."""
        return self._rows()[0][0]

    def _rows(self) -> list[tuple[str, float, float, float]]:
        rows = [(n, m.loss, m.risk, m.score_worst) for n, m in self.measurements.items()]
        return sorted(rows, key=lambda row: (row[3], row[0]))

    def __repr__(self) -> str:
        """A line for each frame, smallest score first."""
        width = max(map(len, self.measurements))
        lines = [
            f"  {name:<{width}}  loss {loss:6.2f} %  risk {risk:6.2f} %"
            for name, loss, risk, _ in self._rows()
        ]
        head = f"<evomask.Comparison of {len(lines)} masked frames"
        return "\n".join([head, *lines]) + ">"

    def _repr_html_(self) -> str:
        """The frames as a table, for notebooks."""
        from evomask.reports.notebook import table_html

        head = ("masked frame", "loss %", "risk %", "score %")
        return table_html("In percent, lower is better", head, self._rows())

    def plot(self) -> "Figure":
        """Every frame as a point of loss and risk."""
        from evomask.reports.charts import comparison_chart
        from evomask.reports.figures import figure_of

        risks = [m.original_risk for m in self.measurements.values()]
        points = {name: (loss, risk) for name, loss, risk, _ in self._rows()}
        return figure_of(comparison_chart(points, risks[0]))


def compare(
    original: F,
    masked: Mapping[str, Frame],
    *,
    schema: Schema | str | Path | None = None,
    quasi: Iterable[str] = (),
    confidential: Iterable[str] = (),
    ordinal: Iterable[str] = (),
    nominal: Iterable[str] = (),
    profile: str = "strict",
) -> Comparison[F]:
    """Measure several masked frames of one original side by side.

    Args:
        masked: frames by a name each, their records in the original's order.
        schema: what the columns are, as a `Schema` or the file of one.
        quasi: columns that an intruder may know; all numbers where none is named.
        confidential: sensitive columns.
        ordinal: columns whose categories have an order.
        nominal: columns whose values can only be compared.
        profile: the risk of all attackers (``strict``) or of the papers (``papers``).

    Example:
        import evomask

        people = evomask.read("survey.csv").select("age", "income", "sex").head(500)
        methods = {k: evomask.Mdav(("age", "income"), k=k) for k in (3, 10)}
        masked = {f"k = {k}": evomask.mask(people, methods[k]) for k in methods}
        found = evomask.compare(people, masked, quasi=["age", "income"])
        assert found.best in masked
        print(found)
    """
    from evomask.errors import ParameterError
    from evomask.runs.measure import Measuring

    if not masked:
        raise ParameterError("there is nothing to compare; give masked frames by name")
    words = Schema(quasi=quasi, confidential=confidential, ordinal=ordinal, nominal=nominal)
    loaded = known_frame(original, schema_of(schema, words))
    how = Measuring(profile=profile)
    found = {str(name): _measured(loaded, frame, how) for name, frame in masked.items()}
    return Comparison(original, found)


def measure_kept(
    original: Frame,
    masked: Frame,
    *,
    tables: Iterable[str] = (),
    models: Iterable[str] = (),
    schema: Schema | str | Path | None = None,
    ordinal: Iterable[str] = (),
    nominal: Iterable[str] = (),
) -> "tuple[Statistic, ...]":
    """Tables and models of a masked frame beside those of its original, records in one order.

    Args:
        tables: such as ``education x sex: mean hours``.
        models: such as ``income ~ age + education``.
        schema: what the columns are, as a `Schema` or the file of one.
        ordinal: columns whose categories have an order.
        nominal: columns whose values can only be compared.

    Example:
        import evomask

        people = evomask.read("survey.csv").select("age", "sex", "income").head(500)
        masked = evomask.mask(people, evomask.Mdav(("age", "income"), k=5), seed=7)
        (table,) = evomask.measure_kept(people, masked, tables=["sex: mean income"])
        assert table.error < 5
    """
    from evomask.io.masked import masked_version
    from evomask.io.tables import source_of
    from evomask.runs.kept.keeping import keeping

    known = schema_of(schema, Schema(ordinal=ordinal, nominal=nominal))
    loaded = loaded_frame(original, known)
    kept = (keeping(tables, models) + loaded.keep).against(loaded.table)
    return kept.compare(masked_version(loaded.table, source_of(masked), loaded.trees))
