"""The part of a release record that may be told to everybody.

It is a type of its own: there is no place in it for a seed, a risk or a rare value, so none can
slip into what is made from it. What it tells comes from the released file itself, or is told in
steps so coarse that ten records or more lie between two of them; of a file of fewer than a hundred
records nothing is told that only the original knows.
"""

from collections.abc import Iterable
from math import ceil, floor
from typing import Literal, get_args

import msgspec

from evomask.errors import ParameterError
from evomask.measures.keeping.estimates import KeptStatistic
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


SMALL_FILE = 100
"""Of a file with fewer records nothing is told that is read from the original."""

STEPS = (1, 2, 5, 10, 25, 50, 100)
"""Steps in percent in which shares are told."""

SHIFT_STEP = 10
"""Steps in percent of the standard deviation: at most one of them hangs on a single record."""


class PublicAttribute(msgspec.Struct, frozen=True):
    """What became of an attribute, in percent, rounded up; few suppressed cells are not counted.

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


class PublicAssociations(msgspec.Struct, frozen=True):
    """How attributes hang together in the released file; the original's are not told.

    Args:
        change: mean difference to the original over all pairs, rounded up to a tenth; none of a
            small file.
    """

    attributes: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    change: float | None = None


class PublicStatistic(msgspec.Struct, frozen=True):
    """How near a table or a model of the file comes to that of the original, in coarse percent.

    None of its figures is told, neither of the original nor of the file.
    """

    text: str
    kind: str
    error: int
    overlap: int


class PublicRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What may be told to everybody: there is no place in it for a seed or a risk.

    Args:
        loss: in percent, rounded up.
        step: in which percents are told.
        small: whether the file has too few records to tell of the original.
        checked: whether the guarantees were counted in the written file.
    """

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
    loss: int
    losses: tuple[MeasureNote, ...]
    spreads: tuple[Spread, ...]
    associations: PublicAssociations | None
    matrices: tuple[PublicMatrix, ...]
    minimum: int
    step: int = 1
    small: bool = False
    checked: bool = False
    kept: tuple[PublicStatistic, ...] = ()
    purpose: str = ""
    by: str = ""
    date: str = ""
    legal_basis: str = ""
    recipients: str = ""
    safeguards: str = ""


def public_part(record: ReleaseRecord, matrices: Telling = "plain") -> PublicRecord:
    """The part of a record that may be told.

    Args:
        matrices: a PRAM matrix that is invariant, or made from the frequencies by a known formula,
            tells the original frequencies, so ``plain`` leaves those out; ``all`` and ``none`` are
            what they say.
    """
    n_records = record.input.records
    small, step = n_records < SMALL_FILE, step_of(n_records, record.minimum)
    told = "none" if small else matrices
    return PublicRecord(
        evomask=record.versions["evomask"],
        file=record.output,
        suppressed_records=_few(record.suppressed_records, record.minimum),
        dropped=len(record.dropped),
        attributes=tuple(
            _public_attribute(attribute, record.minimum, step, small=small)
            for attribute in record.attributes
            if attribute.released
        ),
        method=record.method,
        guaranteed=record.required,
        quasi_identifiers=_names_in_role(record, "quasi-identifier"),
        confidential=_names_in_role(record, "confidential"),
        loss=_up(record.chosen.loss, step),
        losses=() if small else _losses(record.measures, step),
        spreads=() if small else tuple(_rounded(spread, step) for spread in record.spreads),
        associations=_public_associations(record.associations, small=small),
        matrices=tuple(
            _public_matrix(matrix) for matrix in record.matrices if _may_be_told(matrix, told)
        ),
        minimum=record.minimum,
        step=step,
        small=small,
        checked=record.checked is not None,
        kept=() if small else tuple(_public_statistic(each, step) for each in record.kept),
        purpose=record.statement.purpose,
        by=record.statement.by,
        date=record.statement.date,
        legal_basis=record.statement.legal_basis,
        recipients=record.statement.recipients,
        safeguards=record.statement.safeguards,
    )


def step_of(n_records: int, minimum: int) -> int:
    """The finest step, in percent, that is worth as many records as the minimum."""
    enough = (step for step in STEPS if step * n_records >= 100 * minimum)
    return next(enough, STEPS[-1])


def _up(value: float, step: int) -> int:
    return step * ceil(round(value, 9) / step)


def _nearest(value: float, step: int) -> float:
    return float(step * round(value / step))


def _losses(measures: Iterable[MeasureNote], step: int) -> tuple[MeasureNote, ...]:
    return tuple(
        msgspec.structs.replace(measure, value=float(_up(measure.value, step)))
        for measure in measures
        if measure.side == "loss"
    )


def _public_statistic(kept: KeptStatistic, step: int) -> PublicStatistic:
    overlap = step * floor(kept.overlap / step)
    return PublicStatistic(kept.text, kept.kind, _up(kept.error, step), overlap)


def _public_associations(
    found: Associations | None, *, small: bool
) -> PublicAssociations | None:  # fmt: skip
    if found is None:
        return None
    gaps = [abs(after - before) for _, _, before, after in found.changes]
    change = ceil(round(10 * sum(gaps) / len(gaps), 9)) / 10
    return PublicAssociations(found.attributes, found.after, None if small else change)


def telling_of(text: str) -> Telling:
    """Which PRAM matrices are shown in public, as a user says it."""
    if text not in TELLINGS:
        raise ParameterError(f"matrices must be one of {', '.join(TELLINGS)}, got {text!r}")
    return TELLINGS[TELLINGS.index(text)]


def _names_in_role(record: ReleaseRecord, role: str) -> tuple[str, ...]:
    return tuple(attribute.name for attribute in record.attributes if attribute.role == role)


def _few(count: int, minimum: int) -> str:
    return "none" if count == 0 else f"fewer than {minimum}" if count < minimum else str(count)


def _public_attribute(
    attribute: AttributeNote, minimum: int, step: int, *, small: bool
) -> PublicAttribute:
    shift = None if small or attribute.shift is None else _up(attribute.shift, SHIFT_STEP)
    return PublicAttribute(
        attribute.name,
        attribute.label,
        attribute.kind,
        min(100, _up(attribute.changed, step)),
        min(100, _up(attribute.generalized, step)),
        _few(attribute.suppressed, minimum),
        shift,
    )


def _rounded(spread: Spread, step: int) -> Spread:
    """Shares in steps: counts cannot be taken back from them."""
    before, after = (
        tuple(_nearest(share, step) for share in part) for part in (spread.before, spread.after)
    )
    return msgspec.structs.replace(spread, before=before, after=after)


def _may_be_told(matrix: MatrixNote, matrices: Telling) -> bool:
    enough = sum(not rare for rare in matrix.rare) >= 2
    tells = matrix.invariant or matrix.designed
    return enough and (matrices == "all" or (matrices == "plain" and not tells))


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
