"""What happened to each attribute, in sentences for people who know no method: counted facts."""

from collections.abc import Iterable
from typing import Protocol


class ChangedAttribute(Protocol):
    """Shares of the cells of an attribute that were changed, in percent."""

    @property
    def name(self) -> str: ...

    @property
    def changed(self) -> float: ...

    @property
    def generalized(self) -> float: ...

    @property
    def width(self) -> float | None: ...


def change_sentences(
    attributes: Iterable[tuple[ChangedAttribute, str]], records: int, *, rounded: bool
) -> list[str]:
    """A sentence for every attribute that was changed.

    Args:
        attributes: each with its number of suppressed cells, in words; ``none`` for none.
        records: number of released records.
        rounded: whether shares are rounded up, so that they are "up to" so many.
    """
    found = (_sentence(one, suppressed, records, rounded) for one, suppressed in attributes)
    return [sentence for sentence in found if sentence]


def _sentence(one: ChangedAttribute, suppressed: str, records: int, rounded: bool) -> str:
    if suppressed == str(records) and records:
        return f"{one.name} is left out: no record states it."
    up_to = "up to " if rounded else ""
    parts = []
    if one.generalized:
        width = "" if one.width is None else f", half of the ranges at most {one.width:g} wide"
        parts.append(
            f"is given as a range or group of values in {up_to}{_share(one.generalized)} of 100 "
            f"records{width}"
        )
    if suppressed != "none":
        parts.append(f"{'it ' * bool(parts)}is left out in {suppressed} of {records:,} records")
    share = f"{up_to}{_share(one.changed)} of 100"
    if parts:
        parts.append(f"in all, {share} values are not stated as in the original")
        return f"{one.name} {'; '.join(parts)}."
    other = f"{one.name} is another value than in the original in {share} records."
    return other if one.changed else ""


def _share(percent: float) -> str:
    return f"{percent:.0f}" if percent >= 1 else "fewer than 1"
