"""The part of a release record that may be published.

It is a separate type without fields for a seed or a rare value, so none can leak into what is
rendered from it. Its content comes from the released file itself, or is rounded so coarsely that
ten records or more lie between two steps, as shares of people at risk are; of a file of fewer than
a hundred records nothing is published that only the original reveals.
"""

from collections.abc import Iterable
from math import ceil, floor
from typing import Literal, get_args

import msgspec

from evomask.errors import ParameterError
from evomask.measures.analyses.estimates import AnalysisComparison
from evomask.report.change_sentences import change_sentences
from evomask.report.distributions import Distribution
from evomask.report.loss_parts import LOSS_PARTS, largest_pairs
from evomask.report.record import (
    FORMAT,
    Associations,
    AttributeLossNote,
    AttributeNote,
    FileNote,
    LossNote,
    MatrixNote,
    MeasureNote,
    ReleaseRecord,
    ScenarioPromiseNote,
)

MatrixPolicy = Literal["plain", "all", "none"]
"""Which PRAM matrices the public report shows."""

MATRIX_POLICIES: tuple[MatrixPolicy, ...] = get_args(MatrixPolicy)


SMALL_FILE = 100
"""For files with fewer records nothing is published that depends on the original."""

STEPS = (1, 2, 5, 10, 25, 50, 100)
"""Rounding steps of shares, in percent."""

SHIFT_STEP = 10
"""Rounding step in percent of the standard deviation: one record changes at most one."""


class PublicAttribute(msgspec.Struct, frozen=True):
    """Changes of an attribute in percent, rounded up; few suppressed cells are not counted.

    Args:
        shift: mean change in percent of the standard deviation; for numbers only.
        width: median width of released ranges of numbers.
    """

    name: str
    label: str
    kind: str
    changed: int
    generalized: int
    suppressed: str
    shift: int | None = None
    width: float | None = None


class PublicMatrix(msgspec.Struct, frozen=True):
    """Transition probabilities between categories that are not rare; the rest is merged.

    Args:
        repaired: whole percent of the cells that enforcement changed afterwards, rounded up.
    """

    attribute: str
    categories: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]
    repaired: int = 0


class PublicAssociations(msgspec.Struct, frozen=True):
    """Associations between attributes in the released file, not in the original.

    Args:
        change: mean difference to the original over all pairs, rounded up to a tenth; None for a
            small file.
    """

    attributes: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    change: float | None = None


class PublicStatistic(msgspec.Struct, frozen=True):
    """Error of a preserved table or model, in coarse percent.

    No figures are published, neither of the original nor of the released file.
    """

    text: str
    kind: str
    error: int
    overlap: int
    verdict: str = ""


class PublicAttributeLoss(msgspec.Struct, frozen=True):
    """Information loss of one attribute in its parts, in percent, rounded up."""

    accuracy: int
    distributions: int
    relations: int


class PublicPair(msgspec.Struct, frozen=True):
    """Two attributes, and the percentage of their dependence that is lost, rounded up."""

    first: str
    second: str
    lost: int


class PublicLoss(msgspec.Struct, frozen=True):
    """Information loss in its parts, in percent, rounded up.

    Args:
        pairs: pairs of attributes that lose most dependence, the largest loss first.
    """

    accuracy: int
    distributions: int
    relations: int
    attributes: dict[str, PublicAttributeLoss]
    pairs: tuple[PublicPair, ...]


class PublicRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Public record of a release, without fields for a seed.

    Args:
        loss: in percent, rounded up.
        loss_parts: parts of the loss; None for a small file.
        step: rounding step of percentages.
        small: whether the file has too few records to publish anything about the original.
        changes: what happened to each attribute that was changed, in a sentence.
        checked: whether the guarantees were counted in the written file.
        scenarios: what is guaranteed against whom, in place of *guaranteed*, if there are
            scenarios; their risks are not published.
    """

    format: int = FORMAT
    evomask: str
    file: FileNote
    suppressed_records: str
    dropped: int
    attributes: tuple[PublicAttribute, ...]
    changes: tuple[str, ...]
    method: tuple[str, ...]
    guaranteed: dict[str, float]
    quasi_identifiers: tuple[str, ...]
    confidential: tuple[str, ...]
    loss: int
    losses: tuple[MeasureNote, ...]
    spreads: tuple[Distribution, ...]
    associations: PublicAssociations | None
    matrices: tuple[PublicMatrix, ...]
    minimum: int
    loss_parts: PublicLoss | None = None
    step: int = 1
    small: bool = False
    checked: bool = False
    scenarios: tuple[ScenarioPromiseNote, ...] = ()
    kept: tuple[PublicStatistic, ...] = ()
    purpose: str = ""
    by: str = ""
    date: str = ""
    legal_basis: str = ""
    recipients: str = ""
    safeguards: str = ""


def build_public_record(record: ReleaseRecord, matrices: MatrixPolicy = "plain") -> PublicRecord:
    """Build the public part of a record.

    Args:
        matrices: a PRAM matrix that is invariant, or derived from the frequencies by a known
            formula, reveals the original frequencies, so ``plain`` omits those; ``all`` publishes
            every matrix, ``none`` no matrix.
    """
    n_records = record.input.records
    small, step = n_records < SMALL_FILE, rounding_step(n_records, record.minimum)
    policy = "none" if small else matrices
    attributes = tuple(
        _public_attribute(attribute, record.minimum, step, small=small)
        for attribute in record.attributes
        if attribute.released
    )
    return PublicRecord(
        evomask=record.versions["evomask"],
        file=record.output,
        suppressed_records=_count_or_fewer(record.suppressed_records, record.minimum),
        dropped=len(record.dropped),
        attributes=attributes,
        changes=tuple(
            change_sentences(
                ((one, one.suppressed) for one in attributes), record.output.records, rounded=True
            )
        ),
        method=record.method,
        guaranteed={} if record.scenarios else record.required,
        scenarios=record.scenarios,
        quasi_identifiers=_names_in_role(record, "quasi-identifier"),
        confidential=_names_in_role(record, "confidential"),
        loss=_round_up(record.chosen.loss, step),
        losses=() if small else _losses(record, step),
        spreads=()
        if small
        else tuple(_public_distribution(spread, step) for spread in record.spreads),
        associations=_public_associations(record.associations, small=small),
        matrices=tuple(
            _public_matrix(matrix) for matrix in record.matrices if _may_publish(matrix, policy)
        ),
        minimum=record.minimum,
        loss_parts=None if small else _public_loss(record.loss_parts, step),
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


def rounding_step(n_records: int, minimum: int) -> int:
    """The finest step, in percent, that corresponds to at least *minimum* records."""
    enough = (step for step in STEPS if step * n_records >= 100 * minimum)
    return next(enough, STEPS[-1])


def _round_up(value: float, step: int) -> int:
    return step * ceil(round(value, 9) / step)


MOMENTS = ("pil", "il1", "il2", "il3", "il4", "il5")
"""Measures that calculate with numbers: ranges and suppressed values have none."""


def has_vague_numbers(attributes: Iterable[AttributeNote]) -> bool:
    """Whether released numbers are ranges or suppressed, so that `MOMENTS` do not see them."""
    return any(
        a.released and a.kind == "continuous" and (a.generalized or a.suppressed)
        for a in attributes
    )


def _losses(record: ReleaseRecord, step: int) -> tuple[MeasureNote, ...]:
    blind = MOMENTS if has_vague_numbers(record.attributes) else ()
    return tuple(
        msgspec.structs.replace(measure, value=float(_round_up(measure.value, step)))
        for measure in record.measures
        if measure.side == "loss" and measure.name not in blind
    )


def _public_loss(parts: LossNote | None, step: int) -> PublicLoss | None:
    if parts is None:
        return None

    def rounded(note: LossNote | AttributeLossNote) -> dict[str, int]:
        return {name: _round_up(getattr(note, name), step) for name in LOSS_PARTS}

    return PublicLoss(
        **rounded(parts),
        attributes={
            name: PublicAttributeLoss(**rounded(one)) for name, one in parts.attributes.items()
        },
        pairs=tuple(
            PublicPair(pair.first, pair.second, _round_up(pair.lost, step))
            for pair in largest_pairs(parts)
        ),
    )


def _public_statistic(kept: AnalysisComparison, step: int) -> PublicStatistic:
    overlap = step * floor(kept.overlap / step)
    error = _round_up(kept.error, step)
    return PublicStatistic(kept.text, kept.kind, error, overlap, kept.verdict)


def _public_associations(
    found: Associations | None, *, small: bool
) -> PublicAssociations | None:  # fmt: skip
    if found is None:
        return None
    gaps = [abs(after - before) for _, _, before, after in found.changes]
    change = ceil(round(10 * sum(gaps) / len(gaps), 9)) / 10
    return PublicAssociations(found.attributes, found.after, None if small else change)


def parse_matrix_policy(text: str) -> MatrixPolicy:
    """Parse the option that selects which PRAM matrices are published."""
    if text not in MATRIX_POLICIES:
        raise ParameterError(f"matrices must be one of {', '.join(MATRIX_POLICIES)}, got {text!r}")
    return MATRIX_POLICIES[MATRIX_POLICIES.index(text)]


def _names_in_role(record: ReleaseRecord, role: str) -> tuple[str, ...]:
    return tuple(attribute.name for attribute in record.attributes if attribute.role == role)


def _count_or_fewer(count: int, minimum: int) -> str:
    return "none" if count == 0 else f"fewer than {minimum}" if count < minimum else str(count)


def _public_attribute(
    attribute: AttributeNote, minimum: int, step: int, *, small: bool
) -> PublicAttribute:
    shift = None if small or attribute.shift is None else _round_up(attribute.shift, SHIFT_STEP)
    return PublicAttribute(
        name=attribute.name,
        label=attribute.label,
        kind=attribute.kind,
        changed=min(100, _round_up(attribute.changed, step)),
        generalized=min(100, _round_up(attribute.generalized, step)),
        suppressed=_count_or_fewer(attribute.suppressed, minimum),
        shift=shift,
        width=None if small else attribute.width,
    )


def _public_distribution(spread: Distribution, step: int) -> Distribution:
    """The distribution in the released file alone, rounded so that counts cannot be recovered.

    The original's is not in the file, and values that the file does not hold are not named.
    """
    shown = [
        (cell, float(step * round(after / step)))
        for cell, after in zip(spread.cells, spread.after, strict=True)
        if after > 0
    ]
    cells, after = zip(*shown, strict=True)
    return msgspec.structs.replace(spread, cells=cells, before=(), after=after)


def _may_publish(matrix: MatrixNote, matrices: MatrixPolicy) -> bool:
    enough = sum(not rare for rare in matrix.rare) >= 2
    reveals = matrix.invariant or matrix.designed
    return enough and (matrices == "all" or (matrices == "plain" and not reveals))


def _public_matrix(matrix: MatrixNote) -> PublicMatrix:
    """Rows of frequent categories; rare ones share one column."""
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
