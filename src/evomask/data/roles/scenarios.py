"""Scenarios proposed for a file: named intruders, and the columns that each of them knows.

What a column is about follows from the words of its name, in the languages of `vocabulary`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evomask.data.roles import vocabulary
from evomask.data.roles.proposal import Proposal
from evomask.data.scenario import Scenario, Tolerance
from evomask.data.schema import Attribute, Kind, Role
from evomask.errors import ParameterError

FEWEST_KNOWN = 2
"""Columns that an intruder must know at least; with fewer no scenario is proposed."""


@dataclass(frozen=True, kw_only=True)
class NamedScenario:
    """A kind of intruder, and the topics of which they know something.

    Args:
        reason: why such an intruder is possible, in one sentence.
        knows: topics whose columns are known exactly.
        knows_about: topics whose numbers are known within a tolerance; categories exactly.
        needs: topics of which a file must have one; any file if empty.
        any: number of columns that are known; all of them if 0.
        takes_part, require, source: as in a `Scenario`.
    """

    name: str
    reason: str
    knows: tuple[str, ...]
    knows_about: Mapping[str, Tolerance] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    any: int = 0
    takes_part: bool = True
    require: str = ""
    source: str = ""

    @property
    def topics(self) -> tuple[str, ...]:
        """Everything the intruder knows or knows about."""
        return tuple(dict.fromkeys((*self.knows, *self.knows_about)))


@dataclass(frozen=True)
class ScenarioLibrary:
    """Named scenarios, and the words by which columns are recognized.

    Args:
        topics: words of each topic; a column belongs to the first topic that matches.
    """

    topics: Mapping[str, frozenset[str]]
    scenarios: tuple[NamedScenario, ...]

    def topic_of(self, name: str) -> str:
        """Return what a column is about; empty if its name does not tell."""
        words = vocabulary.words_of(name)
        return next((t for t, stems in self.topics.items() if _found(words, stems)), "")

    def named(self, names: Sequence[str]) -> tuple[NamedScenario, ...]:
        """Return the scenarios of some names; an unknown one is an error."""
        known = {scenario.name: scenario for scenario in self.scenarios}
        for name in names:
            if name not in known:
                raise ParameterError(
                    f"the library has no scenario {name!r}; it has {', '.join(known)}"
                )
        return tuple(known[name] for name in names)


@dataclass(frozen=True)
class ProposedScenario:
    """A scenario for one file, with the reason.

    Args:
        beyond: columns that the intruder may know as well, but whose role is confidential or other.
    """

    scenario: Scenario
    reason: str
    beyond: tuple[str, ...] = ()


def propose_scenarios(
    columns: Iterable[Attribute | Proposal], library: ScenarioLibrary
) -> tuple[ProposedScenario, ...]:
    """Propose the scenarios of a library that suit the columns of a file.

    Only quasi-identifiers are known, as other columns are never masked.
    """
    released = [column for column in columns if column.role.is_released]
    topics = {column.name: library.topic_of(column.name) for column in released}
    found = (_propose(one, released, topics) for one in library.scenarios)
    return tuple(proposed for proposed in found if proposed is not None)


def known_to_nobody(
    columns: Iterable[Attribute | Proposal], scenarios: Iterable[Scenario]
) -> tuple[str, ...]:
    """Return the quasi-identifiers that no scenario knows."""
    known = {name for scenario in scenarios for name in scenario.attributes}
    quasi = (column.name for column in columns if column.role is Role.QUASI_IDENTIFIER)
    return tuple(name for name in quasi if name not in known)


def _found(words: frozenset[str], stems: frozenset[str]) -> bool:
    return bool(words & stems or vocabulary.find_words(words, stems))


def _propose(
    one: NamedScenario, columns: Sequence[Attribute | Proposal], topics: Mapping[str, str]
) -> ProposedScenario | None:
    own = [column for column in columns if topics[column.name] in one.topics]
    quasi = [column for column in own if column.role is Role.QUASI_IDENTIFIER]
    beyond = tuple(c.name for c in own if c.role in (Role.CONFIDENTIAL, Role.OTHER))
    about = {
        column.name: one.knows_about[topics[column.name]]
        for column in quasi
        if column.kind is Kind.CONTINUOUS and topics[column.name] in one.knows_about
    }
    exactly = tuple(column.name for column in quasi if column.name not in about)
    has_needed = not one.needs or {topics[column.name] for column in quasi} & {*one.needs}
    if not has_needed or not exactly or len(quasi) < max(FEWEST_KNOWN, one.any):
        return None
    chooses = one.any if len(exactly) > one.any else 0
    scenario = Scenario(
        name=one.name,
        knows=() if chooses else exactly,
        knows_about=about,
        any=chooses,
        of=exactly if chooses else (),
        takes_part=one.takes_part,
        require=one.require,
        source=one.source,
    )
    return ProposedScenario(scenario, one.reason, beyond)
