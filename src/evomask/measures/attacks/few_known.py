"""Linkage by an intruder who knows only a few attributes of a person.

A fitness assumes that the intruder knows every quasi-identifier. A neighbour or a colleague
knows two, three or four of them; which ones nobody can tell, so many sets are tried.
"""

from dataclasses import dataclass

import numpy as np

from evomask.arrays import Indices
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.kernels.linking.linkage import tied_with_own
from evomask.measures.attacks.attack import Strike, Success, blind_guess, sets_of_attributes
from evomask.measures.comparability import check_masked, check_original
from evomask.measures.measure import About, Reading, Side
from evomask.measures.risk.inference import fixed_targets
from evomask.measures.risk.linkage import ReverseDistanceLinkage, classes_of_rows, expected
from evomask.measures.risk.space import Space

MOST_SETS = 60
WORDS = {2: "two", 3: "three", 4: "four"}


@dataclass(frozen=True)
class FewKnownLinkage:
    """People found by the nearest masked record on some of their attributes.

    Args:
        attributes: names of those that an intruder might know.
        known: how many of them one intruder does know: 2, 3 or 4.

    All sets are tried, or 60 of them chosen once and for all; the value is that of the worst
    set. Ties count by the chance of a right guess. Where there are numbers and more than
    2,000 records, a fixed sample of 1,000 people is attacked.
    """

    attributes: tuple[str, ...]
    known: int
    matches_records: bool = True

    def __post_init__(self) -> None:
        if self.known not in WORDS:
            raise ParameterError(f"known must be 2, 3 or 4 attributes, got {self.known}")
        if self.known > len(self.attributes):
            raise ParameterError(
                f"{self.known} attributes cannot be known of {len(self.attributes)}; name more"
            )

    @property
    def about(self) -> About:
        """One sentence for each number of known attributes."""
        return About(
            f"known-{self.known}",
            f"linkage by {WORDS[self.known]} known attributes",
            Side.RISK,
            f"the share of people whose record is found by an intruder who knows only "
            f"{WORDS[self.known]} attributes of them, the most revealing ones",
        )

    def against(self, original: Table) -> Strike:
        """Prepare the people attacked and every set."""
        check_original(original, self.attributes)
        sets = sets_of_attributes(self.attributes, self.known, MOST_SETS)
        people = fixed_targets(original, self.attributes)
        readings = [_linkage(original, chosen, people) for chosen in sets]

        def strike(masked: Table) -> Success:
            check_masked(original, masked, self.attributes)
            shares = [read(masked) for read in readings]
            worst = int(np.argmax(shares))
            details = {"average": float(np.mean(shares)), "worst": shares[worst]}
            return Success(shares[worst], blind_guess(original), details, sets[worst])

        return strike


def _linkage(original: Table, names: tuple[str, ...], people: Indices) -> Reading:
    """Linkage of a sample of people; of all where records repeat, as categories do."""
    space = Space.of(original, names)
    if not space.numbers:
        return ReverseDistanceLinkage(names).against(original)
    targets = space.originals.take(people)

    def reading(masked: Table) -> float:
        released = space.masked(masked)
        candidates, own = space.candidates_of(released.rows, classes_of_rows(released.rows))
        terms = space.terms(released, from_originals=True)
        ties = tied_with_own(targets, space.places(targets), own[people], candidates, terms)
        return 100.0 * float(expected(ties).mean())

    return reading
