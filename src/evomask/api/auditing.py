"""What a frame gives away: privacy models, risk of records, attacks that no search has seen."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evomask.api.schema import Schema, declarations_of, known_frame, schema_of
from evomask.data.intake import Frame
from evomask.runs.audit import AuditOutcome

if TYPE_CHECKING:
    from evomask.reports.figures import Figure
    from evomask.runs.inputs import Loaded


@dataclass(frozen=True, repr=False)
class AuditResult(AuditOutcome):
    """What a frame gives away: privacy models, risk of single records, attacks.

    ``k``, ``l``, ``t`` and ``uniques`` are those of the frame, ``record_risk`` tells of single
    records, ``attacks`` what intruders achieve that no search has seen; ``as_json`` gives all.
    """

    def __repr__(self) -> str:
        """Models, record risk and attacks in short; never a record's values."""
        models = {"k": self.k, "l": self.l, "t": self.t}
        told = ", ".join(f"{n} = {v:.3g}" for n, v in models.items() if v is not None)
        attacks = [
            f"  {attack.about.title}: {attack.success.value:.2f} % "
            f"(by chance {attack.success.baseline:.2f}, unmasked {attack.unmasked:.2f})"
            for attack in self.attacks
        ]
        lines = [
            f"<evomask.AuditResult of {self.records} records: {told}, {self.uniques} unique",
            f"  a record is identified with a chance of {self.record_risk.average:.2f} %",
            *attacks,
            *(f"  note: {note}" for note in self.notes),
        ]
        return "\n".join(lines) + ">"

    def _repr_html_(self) -> str:
        """Models and attacks as tables, for notebooks."""
        from evomask.reports.notebook import table_html

        models = [
            ("records", self.records),
            ("smallest class of look-alikes (k)", self.k),
            ("fewest confidential values in a class (l)", self.l),
            ("largest distance of a class (t)", self.t),
            ("unique records", self.uniques),
            ("mean chance that a record is identified, percent", self.record_risk.average),
        ]
        attacks = [
            (a.about.title, a.success.value, a.success.baseline, a.unmasked) for a in self.attacks
        ]
        head = ("attack", "succeeds %", "by chance %", "unmasked %")
        return table_html("What the frame gives away", ("what", "value"), models) + (
            table_html("Attacks that no search has seen", head, attacks) if attacks else ""
        )

    def plot(self) -> "Figure":
        """Records by their risk in percent."""
        from evomask.record.modelling import models_of
        from evomask.reports.charts import record_risk_chart
        from evomask.reports.figures import figure_of

        return figure_of(record_risk_chart(models_of(self)))


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
    """Privacy models, risk of records and households, special uniques, and attacks on a frame.

    Args:
        original: the records before masking, in the same order: the masked ones are attacked.
        schema: what the columns are, as a `Schema` or the file of one.
        quasi: columns that an intruder may know; all numbers where none is named.
        confidential: sensitive columns, for l and t.
        ordinal: columns whose categories have an order.
        nominal: columns whose values can only be compared.
        weight: column with the number of people a record stands for.
        household: column that tells which records are of one household, in either frame.
        minimum: cells of histograms with fewer records are merged.

    No record's values are in the answer.

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
    from evomask.io.masked import masked_version
    from evomask.io.tables import source_of
    from evomask.runs.audit import audit_table
    from evomask.runs.inputs import released_of

    words = Schema(
        quasi=quasi,
        confidential=confidential,
        ordinal=ordinal,
        nominal=nominal,
        weight=weight,
        household=household,
    )
    known, source = schema_of(schema, words), source_of(masked)
    if original is None:
        alone = released_of(source, declarations_of(known), words.roles)
        return _audited(alone, audit_table(alone.table, None, minimum))
    loaded = known_frame(original, known)
    after = masked_version(loaded.table, source, loaded.trees)
    return _audited(loaded, audit_table(after, loaded.table, minimum))


def _audited(loaded: "Loaded", found: AuditOutcome) -> AuditResult:
    return AuditResult(**{**vars(found), "notes": (*loaded.notes, *found.notes)})
