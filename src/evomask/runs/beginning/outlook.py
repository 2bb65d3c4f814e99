"""What a search of a file would be like, told before it begins: who takes part, how many files."""

import time
from dataclasses import dataclass

from evomask.data.trees.making import completed
from evomask.masking.guarantees.requirement import requirement_of
from evomask.measures.profiles import RiskProfile
from evomask.portfolio.members import members_for
from evomask.portfolio.worker import Maker, Settings
from evomask.runs.exploring import MADE
from evomask.runs.inputs import Input, load
from evomask.searches.search import File

STRICT = RiskProfile.STRICT.value


@dataclass(frozen=True)
class Outlook:
    """How long one masked file takes to be made and measured, and which searches take part.

    Args:
        seconds: for one file, on one core.
        risk: of the original, in percent.
    """

    seconds: float
    risk: float
    members: tuple[str, ...]


def outlook(source: Input, require: str = "") -> Outlook:
    """Measure the original once, as every masked file will be measured."""
    loaded = load(source)
    trees = completed(loaded.table, loaded.hierarchies)
    file = File(loaded.table, requirement_of(require), STRICT, trees)
    members = members_for(file, ())
    maker = Maker(loaded.table, Settings(file.requirement, STRICT, members), 0, trees)
    maker.load_kernels(lambda _: None)
    began = time.monotonic()
    risk = maker.original.risk
    names = tuple(dict.fromkeys(member.search for member in members.values()))
    return Outlook(MADE * (time.monotonic() - began), risk, names)
