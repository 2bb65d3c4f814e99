"""What an audit found of a file by itself, as the record keeps it."""

from evomask.measures.attacks.audit import Audit
from evomask.measures.risk.records import HouseholdRisk
from evomask.measures.risk.special_risk import SpecialRisk
from evomask.record.record import HouseholdNote, ModelNote, RiskCell, SpecialNote


def models_of(found: Audit) -> ModelNote:
    """Privacy models, risk of records and of households, and special uniques of one file."""
    risk = found.record_risk
    return ModelNote(
        found.k,
        found.uniques,
        found.l,
        found.t,
        risk.average,
        tuple(RiskCell(cell.low, cell.high, cell.records) for cell in risk.cells),
        risk.expected,
        _households(found.households) if found.households else None,
        _special(found.special) if found.special else None,
    )


def _households(risk: HouseholdRisk) -> HouseholdNote:
    cells = tuple(RiskCell(cell.low, cell.high, cell.households) for cell in risk.cells)
    return HouseholdNote(risk.households, risk.average, risk.expected, risk.of_records, cells)


def _special(risk: SpecialRisk) -> SpecialNote:
    return SpecialNote(
        risk.records,
        risk.sets,
        dict(risk.contributions),
        risk.average,
        risk.expected,
        risk.fraction,
        risk.largest,
        tuple(RiskCell(cell.low, cell.high, cell.records) for cell in risk.cells),
    )
