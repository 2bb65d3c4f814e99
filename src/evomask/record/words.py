"""What made a file, in words: the one place where a `Making` becomes a sentence.

A method's clause (``About.steward``) has places for parameters. ``{k}`` is filled with the
parameter itself; a form after the colon says how: ``mean`` and ``extremes`` of percentages by
attribute, ``apart`` for groups of attributes, ``levels`` of hierarchies, ``records`` for a
count, ``several`` for a number that tells nothing where it is 1, else a format such as
``.2f``. ``{attributes}`` is what the step masked. A part in brackets appears only where all of
its places are filled; of alternatives, parted by ``|``, the first that is.

Words name attributes and parameters, never a value of the file.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from string import Formatter
from typing import Any, NamedTuple

from evomask.errors import EvomaskError
from evomask.masking.catalogue import METHODS
from evomask.masking.guarantees.requirement import Requirement, requirement_of
from evomask.masking.making import Making, Step
from evomask.masking.method import About, about_of, about_unknown
from evomask.measures.judging.risk import Success
from evomask.portfolio.front import ORIGINAL, Candidate
from evomask.portfolio.members import Member, search_of
from evomask.portfolio.state import PortfolioState

MOST_NAMED = 8
"""Names that a list spells out; of the rest it tells how many they are."""

MOST_ORIGINS = 4

UNCHANGED = "values as they are"

APART = (
    "The masked attributes were taken a few at a time, so values that stand in one record need "
    "not belong together."
)
STRATA = "This was done within each stratum on its own."
ALIKE = (
    "Records were put together with the nearest ones and given common values or common sets of "
    "values, until the guarantee held."
)
REPAIRED = (
    "Where records still stood out, they were put together with the nearest ones and given "
    "common values or common sets of values, until the guarantee held."
)
MENDED = "Some values were then changed, so that records obey the edit rules."
NOTHING_DONE = "The values were left as they are."


class _AbsentError(Exception):
    """A place cannot be filled."""


class _Act(NamedTuple):
    """A step; or the same step done to several sets of attributes, one after the other."""

    step: Step
    about: About
    parts: tuple[tuple[str, ...], ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        """All that was masked."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part))

    @property
    def is_apart(self) -> bool:
        """Whether attributes were masked a few at a time by what could mask them together."""
        return self.about.together and len(self.parts) > 1


def in_words(making: Making) -> str:
    """What was done to a file, in one line for those who keep the original."""
    acts = _acts(making)
    done = "; ".join(_clauses(acts))
    if done and making.strata:
        done += f", within each stratum of {listed(making.strata)}"
    parts = [done, _origins(making.origins), _repair(making, then="then " if done else "")]
    return "; ".join(filter(None, parts)) or UNCHANGED


def sentences(making: Making) -> tuple[str, ...]:
    """What was done to a file, in sentences without parameters: what anybody may know."""
    acts = _acts(making)
    texts = [sentence for act in acts for sentence in _in_public(act)]
    if acts and making.strata:
        texts.append(STRATA)
    texts += _repair_in_public(making)
    return tuple(dict.fromkeys(texts)) or (NOTHING_DONE,)


def simple_name(making: Making) -> str:
    """MDAV, or swapping and PRAM for numbers and categories; empty for what is not simple."""
    names = ["" if act.is_apart else act.about.simple for act in _acts(making)]
    return " and ".join(dict.fromkeys(names)) if all(names) else ""


def clause(about: About, step: Step) -> str:
    """What a step did; its heading where a parameter that the clause needs is not there."""
    values = {**step.parameters, "attributes": list(step.attributes)}
    if not about.steward:
        return _with_parameters(about.title, step.parameters)
    try:
        return "".join(_segments(about.steward, values))
    except _AbsentError:
        return about.title


def listed(names: Sequence[str], most: int = MOST_NAMED, rest: str = "more") -> str:
    """Names in a row: a, b and c; of very many the first, and how many more there are."""
    shown, left = list(names[:most]), len(names) - most
    if left > 0:
        shown.append(f"{left} {rest}")
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def percent(value: float) -> str:
    """A percentage in whole numbers; what is neither none nor all does not look so."""
    if 0.0 < value < 1.0:
        return "under 1 %"
    return "over 99 %" if 99.0 < value < 100.0 else f"{value:.0f} %"


def _acts(making: Making) -> list[_Act]:
    """The steps, those alike but for their attributes put together."""
    runs = (list(run) for _, run in groupby(making.steps, lambda s: (s.method, s.parameters)))
    return [
        _Act(run[0], _about(run[0].method, making.search), tuple(step.attributes for step in run))
        for run in runs
    ]


def _about(name: str, search: str = "") -> About:
    """What is known of a method, or of the search where a step is its own way."""
    if name != search:
        for entry in METHODS:
            if entry.name == name:
                return entry.about
    try:
        return about_of(search_of(Member(name)))
    except EvomaskError:
        return about_unknown(name)


def _clauses(acts: Sequence[_Act]) -> Iterator[str]:
    """A clause for each act; which attributes it speaks of where they are not always the same."""
    differ = len({act.attributes for act in acts}) > 1
    for act in acts:
        text = clause(act.about, act.step)
        if act.is_apart:
            yield f"{text}, apart for {_apart(act.parts)}"
        else:
            yield f"{listed(act.attributes)}: {text}" if differ and act.attributes else text


def _origins(names: Sequence[str]) -> str:
    titles = list(dict.fromkeys(_about(name).title for name in names))
    rest = "other" if len(titles) == MOST_ORIGINS + 1 else "others"
    return f"went on from files made by {listed(titles, MOST_ORIGINS, rest)}" if titles else ""


def _repair(making: Making, then: str) -> str:
    """What was changed after all steps; *then* opens it where something came before."""
    required = requirement_of(making.required)
    if making.repaired is None:
        needs = f"{then}similar records made alike where {required} needs it"
        return needs if required.asks_anything else ""
    if not making.repaired:
        return ""
    share = f"{percent(making.repaired)} of the cells"
    if not required.asks_anything:
        return f"{then}{share} changed to obey the edit rules"
    who = f"{then}records that stood out" if then else "records"
    return f"{who} {_together(required)} ({share} changed to common values)"


def _together(required: Requirement) -> str:
    if required == Requirement(k=required.k):
        return f"put into groups of {required.k} or more similar ones"
    return f"put together with similar ones until {required} held"


def _in_public(act: _Act) -> Iterator[str]:
    yield act.about.public
    if act.is_apart:
        yield APART


def _repair_in_public(making: Making) -> list[str]:
    if making.repaired == 0.0 or (making.repaired is None and not making.required):
        return []
    if not making.required:
        return [MENDED]
    return [REPAIRED if making.steps else ALIKE]


def _with_parameters(title: str, parameters: Mapping[str, Any]) -> str:
    """A heading with what was set, for a method that nothing more is known of."""
    plain = {name: value for name, value in parameters.items() if not isinstance(value, dict)}
    shown = ", ".join(f"{name} = {_usual(value)}" for name, value in plain.items())
    return f"{title} ({shown})" if shown else title


def _segments(template: str, values: Mapping[str, Any]) -> Iterator[str]:
    """The parts of a clause in and out of brackets, filled."""
    for place, part in enumerate(template.replace("]", "[").split("[")):
        yield _first_filled(part, values) if place % 2 else _filled(part, values)


def _first_filled(part: str, values: Mapping[str, Any]) -> str:
    for alternative in part.split("|"):
        try:
            return _filled(alternative, values, needed=True)
        except _AbsentError:
            continue
    return ""


def _filled(part: str, values: Mapping[str, Any], *, needed: bool = False) -> str:
    """Text with its places filled; where they are *needed*, with something to tell."""
    texts = []
    for text, name, form, _ in Formatter().parse(part):
        texts.append(text)
        if name is None:
            continue
        if name not in values or (needed and not values[name]):
            raise _AbsentError
        texts.append(_in_form(values[name], form or ""))
        if needed and not texts[-1] and values[name] is not True:
            raise _AbsentError
    return "".join(texts)


def _in_form(value: Any, form: str) -> str:  # noqa: ANN401
    if form in FORMS:
        return FORMS[form](value)
    return format(value, form) if form else _usual(value)


def _usual(value: Any) -> str:  # noqa: ANN401
    """A parameter as people write it; that something is so needs no word of its own."""
    if isinstance(value, bool):
        return ""
    if isinstance(value, (list, tuple)):
        return listed([_usual(item) for item in value])
    return f"{value:g}" if isinstance(value, float) else str(value)


def _mean(shares: Mapping[str, float]) -> str:
    return percent(sum(shares.values()) / len(shares))


def _extremes(shares: Mapping[str, float]) -> str:
    """The attribute with the largest share and the one with the smallest, where they differ."""
    most = max(shares, key=lambda name: shares[name])
    least = min(shares, key=lambda name: shares[name])
    if percent(shares[most]) == percent(shares[least]):
        return ""
    return f" ({most} {percent(shares[most])}, {least} {percent(shares[least])})"


def _apart(groups: Sequence[Sequence[str]]) -> str:
    """Groups of attributes, of very many the first and how many more there are."""
    left = len(groups) - MOST_NAMED
    more = f" | {left} more" if left > 0 else ""
    return " | ".join(", ".join(names) for names in groups[:MOST_NAMED]) + more


def _levels(found: Mapping[str, Mapping[str, float]]) -> str:
    """What became of attributes that go up a hierarchy; those left alone unmentioned."""
    raised = {name: level for name, level in found.items() if level["level"]}
    broader = [f"{name} {_level(level)}" for name, level in raised.items() if level["labels"] > 1]
    withheld = [name for name, level in raised.items() if level["labels"] < 2]
    gone = [f"{listed(withheld, len(withheld))} withheld"] if withheld else []
    return ", ".join([*broader, *gone])


def _level(level: Mapping[str, float]) -> str:
    """How exactly a level gives an attribute."""
    for what in ("digits", "characters"):
        if what in level:
            count = int(level[what])
            return f"by its first {count} {what}" if count > 1 else f"by its first {what[:-1]}"
    if "width" in level:
        return f"in bands of {level['width']:g}"
    return f"in {level['bands']} bands" if "bands" in level else f"in {level['labels']} groups"


def _records(count: int) -> str:
    return f"{count} record{'s' * (count != 1)}" if count else ""


def _several(value: float) -> str:
    return "" if value == 1 else _usual(value)


FORMS: Mapping[str, Callable[[Any], str]] = {
    "mean": _mean,
    "extremes": _extremes,
    "apart": _apart,
    "levels": _levels,
    "records": _records,
    "several": _several,
}
"""What a place may ask for after its colon."""


NO_ORIGIN = ("generalization", "files")
"""Searches not named as origins: files of sets cannot be gone on from, nor is a change a method."""


def as_point(candidate: Candidate) -> dict[str, object]:
    """What users see of it."""
    return {
        "point": candidate.point,
        "search": candidate.search,
        "method": method_in_words(candidate),
        "operator": candidate.operator,
        "file": candidate.number,
        **candidate.readings,
        **{name: part.percent for name, part in parts_of(candidate).items()},
    }


def parts_of(candidate: Candidate) -> dict[str, Success]:
    """The parts of its risk by name; none under the papers' profile."""
    return candidate.judged.parts if candidate.judged else {}


def method_in_words(candidate: Candidate) -> str:
    """How a file was made, in one line."""
    return "the original file" if candidate.number == ORIGINAL else in_words(candidate.making)


def completed(
    candidate: Candidate, state: PortfolioState, repaired: float | None, required: Requirement
) -> Candidate:
    """The candidate with all that is known of its making when the run has ended.

    Args:
        repaired: percent of its cells that were changed again; None where nobody counted.
    """
    adopted = sorted(state.adopted.get(candidate.member, ()))
    candidates = tuple(state.candidates) if adopted else ()
    making = replace(
        candidate.making,
        repaired=repaired,
        required=required.as_text,
        origins=_gone_on_from(candidates[number] for number in adopted),
    )
    return replace(candidate, making=making)


def _gone_on_from(candidates: Iterable[Candidate]) -> tuple[str, ...]:
    """What made the files, each method or search once."""
    steps = (
        step
        for candidate in candidates
        if candidate.search not in NO_ORIGIN
        for step in candidate.making.steps
    )
    return tuple(dict.fromkeys(step.method for step in steps))
