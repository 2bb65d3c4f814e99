"""The part of a release record that may be told to everybody.

It is a type of its own: there is no place in it for a seed, a risk or a rare value, so none can
slip into what is made from it.
"""

from math import ceil, floor
from typing import Literal, get_args

import msgspec

from evomask.errors import ParameterError
from evomask.record.associations import Associations
from evomask.record.record import (
    FORMAT,
    AttributeNote,
    FileNote,
    MatrixNote,
    MeasureNote,
    ReleaseRecord,
)
from evomask.record.spreads import Spread

Telling = Literal["plain", "all", "none"]
"""Which PRAM matrices the public report shows."""

TELLINGS: tuple[Telling, ...] = get_args(Telling)


class PublicAttribute(msgspec.Struct, frozen=True):
    """What became of an attribute, in whole percent; few suppressed cells are not counted.

    Args:
        shift: mean change in percent of the standard deviation; of numbers alone.
    """

    name: str
    label: str
    kind: str
    changed: int
    generalized: int
    suppressed: str
    shift: int | None = None


class PublicMatrix(msgspec.Struct, frozen=True):
    """Transition probabilities between the categories that are not rare; the rest as one.

    Args:
        repaired: whole percent of the cells that were changed again afterwards, rounded up.
    """

    attribute: str
    categories: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]
    repaired: int = 0


class PublicStatistic(msgspec.Struct, frozen=True):
    """How near a table or a model of the file comes to that of the original, in whole percent.

    None of its figures is told, neither of the original nor of the file.
    """

    text: str
    kind: str
    error: int
    overlap: int


class PublicRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What may be told to everybody: there is no place in it for a seed or a risk."""

    format: int = FORMAT
    evomask: str
    file: FileNote
    suppressed_records: str
    dropped: int
    attributes: tuple[PublicAttribute, ...]
    method: tuple[str, ...]
    guaranteed: dict[str, float]
    quasi_identifiers: tuple[str, ...]
    confidential: tuple[str, ...]
    loss: float
    losses: tuple[MeasureNote, ...]
    spreads: tuple[Spread, ...]
    associations: Associations | None
    matrices: tuple[PublicMatrix, ...]
    minimum: int
    kept: tuple[PublicStatistic, ...] = ()
    purpose: str = ""
    by: str = ""
    date: str = ""


def public_part(record: ReleaseRecord, matrices: Telling = "plain") -> PublicRecord:
    """The part of a record that may be told.

    Args:
        matrices: an invariant PRAM matrix tells the original frequencies, so ``plain`` leaves
            those out; ``all`` and ``none`` are what they say.
    """
    return PublicRecord(
        evomask=record.versions["evomask"],
        file=record.output,
        suppressed_records=_few(record.suppressed_records, record.minimum),
        dropped=len(record.dropped),
        attributes=tuple(
            _public_attribute(attribute, record.minimum)
            for attribute in record.attributes
            if attribute.released
        ),
        method=record.method,
        guaranteed=record.required,
        quasi_identifiers=_names_in_role(record, "quasi-identifier"),
        confidential=_names_in_role(record, "confidential"),
        loss=round(record.chosen.loss, 1),
        losses=tuple(
            msgspec.structs.replace(measure, value=round(measure.value, 1))
            for measure in record.measures
            if measure.side == "loss"
        ),
        spreads=tuple(_rounded(spread) for spread in record.spreads),
        associations=record.associations,
        matrices=tuple(
            _public_matrix(matrix) for matrix in record.matrices if _may_be_told(matrix, matrices)
        ),
        minimum=record.minimum,
        kept=tuple(
            PublicStatistic(each.text, each.kind, ceil(each.error), floor(each.overlap))
            for each in record.kept
        ),
        purpose=record.statement.purpose,
        by=record.statement.by,
        date=record.statement.date,
    )


def telling_of(text: str) -> Telling:
    """Which PRAM matrices are shown in public, as a user says it."""
    if text not in TELLINGS:
        raise ParameterError(f"matrices must be one of {', '.join(TELLINGS)}, got {text!r}")
    return TELLINGS[TELLINGS.index(text)]


def _names_in_role(record: ReleaseRecord, role: str) -> tuple[str, ...]:
    return tuple(attribute.name for attribute in record.attributes if attribute.role == role)


def _few(count: int, minimum: int) -> str:
    return "none" if count == 0 else f"fewer than {minimum}" if count < minimum else str(count)


def _public_attribute(attribute: AttributeNote, minimum: int) -> PublicAttribute:
    return PublicAttribute(
        attribute.name,
        attribute.label,
        attribute.kind,
        round(attribute.changed),
        round(attribute.generalized),
        _few(attribute.suppressed, minimum),
        None if attribute.shift is None else round(attribute.shift),
    )


def _rounded(spread: Spread) -> Spread:
    """Shares in whole percent: counts cannot be taken back from them."""
    before, after = (
        tuple(float(round(share)) for share in part) for part in (spread.before, spread.after)
    )
    return msgspec.structs.replace(spread, before=before, after=after)


def _may_be_told(matrix: MatrixNote, matrices: Telling) -> bool:
    enough = sum(not rare for rare in matrix.rare) >= 2
    return enough and (matrices == "all" or (matrices == "plain" and not matrix.invariant))


def _public_matrix(matrix: MatrixNote) -> PublicMatrix:
    """Rows of the frequent categories; what goes to rare ones is one column."""
    kept, again = (
        [place for place, rare in enumerate(matrix.rare) if not rare],
        ceil(matrix.repaired),
    )
    rows = [tuple(round(matrix.rows[i][j], 3) for j in kept) for i in kept]
    if len(kept) == len(matrix.rare):
        return PublicMatrix(matrix.attribute, matrix.categories, tuple(rows), again)
    rest = [round(max(0.0, 1.0 - sum(row)), 3) for row in rows]
    return PublicMatrix(
        matrix.attribute,
        (*(matrix.categories[place] for place in kept), "all others"),
        tuple((*row, other) for row, other in zip(rows, rest, strict=True)),
        again,
    )
