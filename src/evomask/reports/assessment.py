"""What a data protection assessment asks: the risk that is left, in its three questions."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from evomask.record.record import AttackNote, ReleaseRecord

SINGLING, LINKING, INFERRING = "singling out", "linkability", "inference"
LEARNED = "learned"
OF_ATTACKS = {"singling": SINGLING, LEARNED: INFERRING}
"""Which question an attack answers by the first word of its name; the others link records."""

ASKS = {
    SINGLING: "Can records of one person be told from all others?",
    LINKING: "Can a record be linked to a person, or to records elsewhere?",
    INFERRING: "Can a value of a person be found out with fair certainty?",
}
"""What each question asks, as the data protection authorities put it."""

PARTS = {
    "linked": "people whose record an intruder who knows all quasi-identifiers picks",
    "read": "unknown values of people that are read in similar records, beyond guessing",
    "confidential": "confidential values that are read by one who knows all quasi-identifiers, "
    "beyond what other people's records tell",
}
"""What each part of the risk says."""

OF_PARTS = {"linked": LINKING, "read": INFERRING, "confidential": INFERRING}


class Residual(NamedTuple):
    """The most that was reached of one question, in percent.

    Args:
        what: who reached it, and what.
        after: from the released file.
        guessing: without any file; none where it is taken off already.
        before: from the original.
    """

    question: str
    what: str
    after: float
    guessing: float | None
    before: float

    @property
    def gain(self) -> float:
        """What the released file gives beyond guessing."""
        return self.after - (self.guessing or 0.0)


def question_of(attack: AttackNote) -> str:
    """Which of the three questions an attack answers."""
    return OF_ATTACKS.get(attack.name.split("-")[0], LINKING)


def residual_risks(record: ReleaseRecord) -> list[tuple[str, Residual | None]]:
    """For each question what it asks, and who reached most; none where nobody tried."""
    found = [*_of_parts(record), *_of_attacks(record.attacks)]
    return [
        (asks, max((r for r in found if r.question == name), key=lambda r: r.gain, default=None))
        for name, asks in ASKS.items()
    ]


def _of_parts(record: ReleaseRecord) -> Iterator[Residual]:
    before, after = record.points.original.parts, record.chosen.parts
    for name, meaning in PARTS.items():
        was, left = getattr(before, name, None), getattr(after, name, None)
        if was is not None and left is not None:
            yield Residual(OF_PARTS[name], meaning, left, None, was)


def _of_attacks(attacks: Iterable[AttackNote]) -> Iterator[Residual]:
    for attack in attacks:
        yield Residual(
            question_of(attack), f"the attack: {attack.title}", attack.value, attack.baseline,
            attack.unmasked,
        )  # fmt: skip
