"""Information loss and disclosure risk of masked frames: `measure`, `compare`, `audit`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from evomask.api.arguments import checked
from evomask.api.schema import Schema, declarations_of, known_frame, loaded_frame, schema_of
from evomask.data.frames import Frame, columns_like
from evomask.errors import ParameterError
from evomask.runs.audit import AuditOutcome
from evomask.runs.measure import MeasureOutcome

if TYPE_CHECKING:
    from evomask.report.drawing import Figure
    from evomask.runs.inputs import Loaded
    from evomask.runs.measure import Measuring
    from evomask.runs.store.preserved_analyses import Statistic

F = TypeVar("F", bound=Frame)


@dataclass(frozen=True, repr=False)
class Measurement(MeasureOutcome):
    """Information loss and disclosure risk of a masked frame, in percent; lower is better.

    ``loss`` and ``risk`` are the summary, ``losses`` has the loss of each column, ``parts`` the
    parts of the risk, ``measures`` every measure that applies; ``as_json`` returns everything.
    """

    @property
    def parts(self) -> dict[str, float]:
        """Parts of the risk by name; empty with the profile ``papers``.

        ``reidentification`` is re-identification, ``attribute_disclosure`` that of masked
        attributes, ``confidential`` that of confidential columns.
        """
        found = self.assessment.parts if self.assessment else {}
        return {name: part.percent for name, part in found.items()}

    @property
    def original_risk(self) -> float | None:
        """Disclosure risk of the original itself; None with the profile ``papers``."""
        return self.original.risk if self.original else None

    def __repr__(self) -> str:
        before = "" if self.original_risk is None else f" (original {self.original_risk:.2f} %)"
        parts = ", ".join(f"{name} {value:.2f}" for name, value in self.parts.items())
        lines = [
            f"<evomask.Measurement of {self.records} records, {len(self.attributes)} columns",
            f"  loss {self.loss:.2f} %, risk {self.risk:.2f} %{before}",
            *([f"  parts of the risk: {parts}"] if parts else []),
            *(f"  note: {note}" for note in self.notes),
        ]
        return "\n".join(lines) + ">"

    def _repr_html_(self) -> str:
        from evomask.report.pages import table_html
        from evomask.report.scenarios import part_titles
        from evomask.runs.measure import explain

        titles = part_titles()
        parts = {titles[name]: value for name, value in self.parts.items()}
        pair = {"loss": self.loss, "risk": self.risk, **parts}
        measures = [(explain(n).title, n, value) for n, value in self.measures.items()]
        return "".join(
            [
                table_html("In percent, lower is better", ("what", "percent"), pair.items()),
                table_html("Loss of each column", ("column", "percent"), self.losses.items()),
                table_html("Every measure", ("measure", "name", "percent"), measures),
            ]
        )

    def plot(self) -> "Figure":
        """Plot loss, risk and its parts as bars, of the original and of the masked frame."""
        from evomask.report.charts import pair_chart
        from evomask.report.drawing import figure_of

        before = {"risk": self.original.risk} if self.original else {}
        if self.original:
            before |= {n: part.percent for n, part in self.original.parts.items()}
        after = {"loss": self.loss, "risk": self.risk, **self.parts}
        return figure_of(pair_chart({"loss": 0.0, **before}, after))


@checked
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
    control: Frame | None = None,
    loss: str = "",
    profile: str = "strict",
    exact: bool = False,
    keep_tables: Iterable[str] = (),
    keep_models: Iterable[str] = (),
    keep_indicators: Iterable[str] = (),
    uses: Iterable[str] = (),
) -> Measurement:
    """Measure information loss and disclosure risk of a masked frame against its original.

    Args:
        masked: the masked records, in the original's order unless *key* is given; cells may be
            generalized: sets, intervals, ``*``, or labels from hierarchies.
        schema: a `Schema`, or the path of a schema file.
        quasi: quasi-identifiers; by default all numeric columns.
        confidential: confidential (sensitive) columns.
        ordinal: columns with ordered categories.
        nominal: columns with unordered categories.
        measures: names of the measures; by default all that apply.
        key: column of both frames that matches records.
        control: records of people who are not in *masked* (a control group); what is inferred of
            them is no disclosure. With *key*, the original's records that *masked* does not have.
        loss: weights of the parts of the loss, such as ``accuracy=1,relations=2``.
        profile: risk measure, ``strict`` (all intruders) or ``papers`` (as published).
        exact: attack all records instead of a sample of targets.
        keep_tables: tables to compare, such as ``education x sex: mean hours``.
        keep_models: regressions to compare, such as ``income ~ age + education``.
        keep_indicators: indicators to compare, such as ``gini(income) by region``.
        uses: purposes in words, whose analyses are compared.

    Example:
        import evomask

        people = evomask.read("survey.csv").select("age", "sex", "income").head(500)
        masked = evomask.mask(people, evomask.Mdav(("age", "income"), k=5), seed=7)
        found = evomask.measure(people, masked, quasi=["age", "income"])
        assert found.risk < found.original_risk
        print(found)
    """
    from evomask.runs.measure import Measuring
    from evomask.runs.store.preserved_analyses import parse_analyses

    arguments = Schema(quasi=quasi, confidential=confidential, ordinal=ordinal, nominal=nominal)
    how = Measuring(
        measures=tuple(measures),
        profile=profile,
        exact=exact,
        keep=parse_analyses(keep_tables, keep_models, keep_indicators, uses),
        key=key,
        loss=loss,
    )
    return _measurement(known_frame(original, schema_of(schema, arguments)), masked, how, control)


def _measurement(
    loaded: "Loaded", masked: Frame, how: "Measuring", control: Frame | None = None
) -> Measurement:
    from evomask.io.masked_tables import masked_version
    from evomask.io.tables import source_of
    from evomask.runs.measure import measure_loaded

    others = None
    if control is not None:
        others = masked_version(loaded.table, source_of(control), loaded.trees)
    return Measurement(**vars(measure_loaded(loaded, source_of(masked), how, others)))


@dataclass(frozen=True, repr=False)
class Comparison(Generic[F]):
    """Measurements of several masked frames of one original.

    Args:
        original: the original frame.
        measurements: measurement of each masked frame, by its name.
    """

    original: F
    measurements: Mapping[str, Measurement]

    @property
    def table(self) -> F:
        """Loss, risk and score of each frame, smallest score first."""
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
        """Name of the frame with the smallest maximum of loss and risk."""
        return self._rows()[0][0]

    def _rows(self) -> list[tuple[str, float, float, float]]:
        rows = [(n, m.loss, m.risk, m.score_worst) for n, m in self.measurements.items()]
        return sorted(rows, key=lambda row: (row[3], row[0]))

    def __repr__(self) -> str:
        width = max(map(len, self.measurements))
        lines = [
            f"  {name:<{width}}  loss {loss:6.2f} %  risk {risk:6.2f} %"
            for name, loss, risk, _ in self._rows()
        ]
        head = f"<evomask.Comparison of {len(lines)} masked frames"
        return "\n".join([head, *lines]) + ">"

    def _repr_html_(self) -> str:
        from evomask.report.pages import table_html

        head = ("masked frame", "loss %", "risk %", "score %")
        return table_html("In percent, lower is better", head, self._rows())

    def plot(self) -> "Figure":
        """Plot every frame as a point of loss and risk."""
        from evomask.report.charts import comparison_chart
        from evomask.report.drawing import figure_of

        risks = [m.original_risk for m in self.measurements.values()]
        points = {name: (loss, risk) for name, loss, risk, _ in self._rows()}
        return figure_of(comparison_chart(points, risks[0]))


@checked
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
    """Measure several masked frames of one original.

    Args:
        masked: masked frames by name, records in the original's order.
        schema: a `Schema`, or the path of a schema file.
        quasi: quasi-identifiers; by default all numeric columns.
        confidential: confidential (sensitive) columns.
        ordinal: columns with ordered categories.
        nominal: columns with unordered categories.
        profile: risk measure, ``strict`` (all intruders) or ``papers`` (as published).

    Example:
        import evomask

        people = evomask.read("survey.csv").select("age", "income", "sex").head(500)
        methods = {k: evomask.Mdav(("age", "income"), k=k) for k in (3, 10)}
        masked = {f"k = {k}": evomask.mask(people, methods[k]) for k in methods}
        found = evomask.compare(people, masked, quasi=["age", "income"])
        assert found.best in masked
        print(found)
    """
    from evomask.runs.measure import Measuring

    if not masked:
        raise ParameterError("nothing to compare; give masked frames by name")
    arguments = Schema(quasi=quasi, confidential=confidential, ordinal=ordinal, nominal=nominal)
    loaded = known_frame(original, schema_of(schema, arguments))
    how = Measuring(profile=profile)
    found = {str(name): _measurement(loaded, frame, how) for name, frame in masked.items()}
    return Comparison(original, found)


@checked
def measure_analyses(
    original: Frame,
    masked: Frame,
    *,
    tables: Iterable[str] = (),
    models: Iterable[str] = (),
    indicators: Iterable[str] = (),
    schema: Schema | str | Path | None = None,
    ordinal: Iterable[str] = (),
    nominal: Iterable[str] = (),
) -> "tuple[Statistic, ...]":
    """Compare tables and regressions of a masked frame with those of its original.

    Args:
        masked: the masked records, in the original's order.
        tables: such as ``education x sex: mean hours``.
        models: such as ``income ~ age + education``.
        indicators: such as ``gini(income) by region``.
        schema: a `Schema`, or the path of a schema file.
        ordinal: columns with ordered categories.
        nominal: columns with unordered categories.

    Example:
        import evomask

        people = evomask.read("survey.csv").select("age", "sex", "income").head(500)
        masked = evomask.mask(people, evomask.Mdav(("age", "income"), k=5), seed=7)
        (table,) = evomask.measure_analyses(people, masked, tables=["sex: mean income"])
        assert table.error < 5
    """
    from evomask.io.masked_tables import masked_version
    from evomask.io.tables import source_of
    from evomask.runs.store.preserved_analyses import parse_analyses

    known = schema_of(schema, Schema(ordinal=ordinal, nominal=nominal))
    loaded = loaded_frame(original, known)
    analyses = (parse_analyses(tables, models, indicators) + loaded.keep).against(loaded.table)
    return analyses.compare(masked_version(loaded.table, source_of(masked), loaded.trees))


@dataclass(frozen=True, repr=False)
class AuditResult(AuditOutcome):
    """Privacy models, record-level risk and held-out attacks of a frame.

    ``k``, ``l``, ``t`` and ``uniques`` are those of the frame, ``record_risk`` is the
    re-identification risk of its records, ``attacks`` has the success of attacks that no search
    used; ``as_json`` returns everything.
    """

    def __repr__(self) -> str:
        models = {"k": self.k, "l": self.l, "t": self.t}
        values = ", ".join(f"{n} = {v:.3g}" for n, v in models.items() if v is not None)
        attacks = [
            f"  {attack.title}: {attack.success:.2f} % ({attack.control:.2f} % of "
            f"{'the control group' if attack.is_controlled else 'guesses'}, gain "
            f"{attack.gain:.2f}, 95 % interval {attack.interval[0]:.2f} to "
            f"{attack.interval[1]:.2f})"
            for attack in self.attacks
        ]
        lines = [
            f"<evomask.AuditResult of {self.records} records: {values}, uniques {self.uniques}",
            f"  re-identification risk of a record: {self.record_risk.average:.2f} % on average",
            *attacks,
            *(f"  note: {note}" for note in self.notes),
        ]
        return "\n".join(lines) + ">"

    def _repr_html_(self) -> str:
        from evomask.report.pages import table_html

        models = [
            ("records", self.records),
            ("smallest equivalence class (k)", self.k),
            ("fewest confidential values in a class (l)", self.l),
            ("largest distance of a class from the file (t)", self.t),
            ("sample uniques", self.uniques),
            ("mean re-identification risk, percent", self.record_risk.average),
        ]
        attacks = [
            (a.title, a.success, a.control, a.gain, *a.interval, a.unmasked or 0.0)
            for a in self.attacks
        ]
        head = ("attack", "success %", "control %", "gain", "from", "to", "original %")
        return table_html("Privacy models and risk", ("quantity", "value"), models) + (
            table_html("Held-out attacks", head, attacks) if attacks else ""
        )

    def plot(self) -> "Figure":
        """Plot the number of records by their re-identification risk."""
        from evomask.report.build import model_note
        from evomask.report.charts import record_risk_chart
        from evomask.report.drawing import figure_of

        return figure_of(record_risk_chart(model_note(self)))


@checked
def audit(
    masked: Frame,
    original: Frame | None = None,
    *,
    schema: Schema | str | Path | None = None,
    quasi: Iterable[str] = (),
    confidential: Iterable[str] = (),
    ordinal: Iterable[str] = (),
    nominal: Iterable[str] = (),
    weight: str | None = None,
    household: str | None = None,
    minimum: int = 10,
) -> AuditResult:
    """Audit a frame: privacy models, risk of records and households, special uniques, attacks.

    Args:
        original: the original records, in the same order; adds attacks on the masked ones.
        schema: a `Schema`, or the path of a schema file.
        quasi: quasi-identifiers; by default all numeric columns.
        confidential: confidential (sensitive) columns, for l and t.
        ordinal: columns with ordered categories.
        nominal: columns with unordered categories.
        weight: column of survey weights.
        household: column with the household number, in either frame.
        minimum: fewest records in a bin of a histogram; smaller bins are merged.

    The result contains no values of single records.

    Example:
        import evomask

        people = evomask.read("survey.csv").select("age", "sex", "income", "health").head(500)
        method = evomask.MdavGeneric(("age", "sex", "income"), k=5)
        masked = evomask.mask(people, method, seed=7)
        roles = {"quasi": ["age", "sex", "income"], "confidential": ["health"]}
        found = evomask.audit(masked, people, **roles)
        assert found.k >= 5 and found.attacks
        print(found)
    """
    from evomask.io.masked_tables import masked_version
    from evomask.io.tables import source_of
    from evomask.runs.audit import audit_table
    from evomask.runs.inputs import released_of

    arguments = Schema(
        quasi=quasi,
        confidential=confidential,
        ordinal=ordinal,
        nominal=nominal,
        weight=weight,
        household=household,
    )
    known, source = schema_of(schema, arguments), source_of(masked)
    if original is None:
        loaded = released_of(source, declarations_of(known), arguments.roles)
        found = audit_table(loaded.table, None, minimum)
    else:
        loaded = known_frame(original, known)
        after = masked_version(loaded.table, source, loaded.trees)
        found = audit_table(after, loaded.table, minimum)
    return AuditResult(**{**vars(found), "notes": (*loaded.notes, *found.notes)})
