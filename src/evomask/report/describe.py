"""Descriptions of masked files in words, from their provenance.

A method's template (``About.steward``) has fields for parameters. ``{k}`` is the parameter itself;
a format after the colon says how to write it: ``mean`` and ``extremes`` of percentages by
attribute, ``apart`` for groups of attributes, ``levels`` of hierarchies, ``records`` for a count,
``several`` for a number that is omitted if it is 1, or a format such as ``.2f``. ``{attributes}``
are the masked attributes. Text in brackets appears only if all of its fields have values; of
alternatives separated by ``|``, the first such one.

Descriptions name attributes and parameters, never a value of the file.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from string import Formatter
from typing import Any, NamedTuple

from evomask.data.schema import Role, Schema
from evomask.engine.front import ORIGINAL, FrontPoint
from evomask.engine.specialists import Specialist, search_of
from evomask.engine.state import EngineState, Generation
from evomask.errors import EvomaskError
from evomask.masking.catalogue import ALL_METHODS
from evomask.masking.enforce.requirement import Requirement, parse_requirement
from evomask.masking.method import About, about_of, about_unknown
from evomask.masking.provenance import Provenance, Step
from evomask.masking.synthesis import SYNTHESES
from evomask.measures.disclosure.risk import OLD_KEYS, AttackerSuccess

MOST_NAMED = 8
"""Names that a list spells out; the rest is counted."""

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


class _MissingError(Exception):
    """A field has no value."""


class _StepGroup(NamedTuple):
    """A step, or the same step applied to several sets of attributes one after the other."""

    step: Step
    about: About
    parts: tuple[tuple[str, ...], ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in self.parts for name in part))

    @property
    def is_apart(self) -> bool:
        """Whether attributes were masked in groups by a method that can mask them jointly."""
        return self.about.together and len(self.parts) > 1


def describe_provenance(making: Provenance) -> str:
    """Describe how a file was masked in one line, with parameters, for internal use."""
    acts = _group_steps(making)
    done = "; ".join(_clauses(acts))
    if done and making.strata:
        done += f", within each stratum of {join_names(making.strata)}"
    parts = [done, _origins(making.origins), _repair(making, then="then " if done else "")]
    return "; ".join(filter(None, parts)) or UNCHANGED


def public_sentences(making: Provenance) -> tuple[str, ...]:
    """Describe how a file was masked in sentences without parameters, for publication."""
    acts = _group_steps(making)
    texts = [sentence for act in acts for sentence in _public_sentences_of(act)]
    if acts and making.strata:
        texts.append(STRATA)
    texts += _repair_in_public(making)
    return tuple(dict.fromkeys(texts)) or (NOTHING_DONE,)


def synthesis_notes(making: Provenance, schema: Schema) -> tuple[str, ...]:
    """Say what k, l and t mean in a file with synthetic values, and what protects people there."""
    steps = [step for step in making.steps if step.method in SYNTHESES]
    if not steps:
        return ()
    drawn = {name for step in steps if not step.parameters.get("rare") for name in step.attributes}
    names = schema.with_role(Role.QUASI_IDENTIFIER, Role.CONFIDENTIAL)
    rest = [name for name in names if name not in drawn]
    who = (
        f"synthetic values stand beside original ones ({join_names(rest)} are not drawn for all "
        "records): k, l and t count equal records, and protect nobody by values that are drawn"
        if rest
        else "the file is wholly synthetic: no record belongs to a person, and k, l and t, though "
        "enforced if required, promise nothing to anybody"
    )
    note = (
        f"{who}; what protects people is that the nearest records tell little more of them than of "
        "a control group (risk, membership and copies among the held-out attacks); limit copies of "
        "unique people with --require copies=1%"
    )
    return (note,)


def simple_name(making: Provenance) -> str:
    """Name of a simple method, such as MDAV; empty for other provenance."""
    names = ["" if act.is_apart else act.about.simple for act in _group_steps(making)]
    return " and ".join(dict.fromkeys(names)) if all(names) else ""


def clause(about: About, step: Step) -> str:
    """Describe a step; only its title if a required parameter is missing."""
    values = {**step.parameters, "attributes": list(step.attributes)}
    if not about.steward:
        return _with_parameters(about.title, step.parameters)
    try:
        return "".join(_segments(about.steward, values))
    except _MissingError:
        return about.title


def join_names(names: Sequence[str], most: int = MOST_NAMED, rest: str = "more") -> str:
    """Join names as in: a, b and c; of many, the first and the number of the rest."""
    shown, left = list(names[:most]), len(names) - most
    if left > 0:
        shown.append(f"{left} {rest}")
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def percent(value: float) -> str:
    """A percentage in whole numbers; neither 0 nor 100 unless exact."""
    if 0.0 < value < 1.0:
        return "under 1 %"
    return "over 99 %" if 99.0 < value < 100.0 else f"{value:.0f} %"


def _group_steps(making: Provenance) -> list[_StepGroup]:
    """Group successive steps that differ in their attributes only."""
    runs = (list(run) for _, run in groupby(making.steps, lambda s: (s.method, s.parameters)))
    return [
        _StepGroup(
            run[0], _about(run[0].method, making.search), tuple(step.attributes for step in run)
        )
        for run in runs
    ]


def _about(name: str, search: str = "") -> About:
    """Description of a method, or of the search if a step is the search itself."""
    if name != search:
        for entry in ALL_METHODS:
            if entry.name == name:
                return entry.about
    try:
        return about_of(search_of(Specialist(name)))
    except EvomaskError:
        return about_unknown(name)


def _clauses(acts: Sequence[_StepGroup]) -> Iterator[str]:
    """A clause for each group, with its attributes if they differ between groups."""
    differ = len({act.attributes for act in acts}) > 1
    for act in acts:
        text = clause(act.about, act.step)
        if act.is_apart:
            yield f"{text}, apart for {_format_groups(act.parts)}"
        else:
            yield f"{join_names(act.attributes)}: {text}" if differ and act.attributes else text


def _origins(names: Sequence[str]) -> str:
    titles = list(dict.fromkeys(_about(name).title for name in names))
    rest = "other" if len(titles) == MOST_ORIGINS + 1 else "others"
    return f"went on from files made by {join_names(titles, MOST_ORIGINS, rest)}" if titles else ""


def _repair(making: Provenance, then: str) -> str:
    """Describe what enforcement changed; *then* introduces it after other steps."""
    required = parse_requirement(making.required)
    if making.repaired is None:
        needs = f"{then}similar records made alike where {required} needs it"
        return needs if required.asks_anything else ""
    if not making.repaired:
        return ""
    share = f"{percent(making.repaired)} of the cells"
    if not required.asks_anything:
        return f"{then}{share} changed to obey the edit rules"
    who = f"{then}records that stood out" if then else "records"
    return f"{who} {_repair_clause(required)} ({share} changed to common values)"


def _repair_clause(required: Requirement) -> str:
    if required == Requirement(k=required.k):
        return f"put into groups of {required.k} or more similar ones"
    return f"put together with similar ones until {required} held"


def _public_sentences_of(act: _StepGroup) -> Iterator[str]:
    yield act.about.public
    if act.is_apart:
        yield APART


def _repair_in_public(making: Provenance) -> list[str]:
    if making.repaired == 0.0 or (making.repaired is None and not making.required):
        return []
    if not making.required:
        return [MENDED]
    return [REPAIRED if making.steps else ALIKE]


def _with_parameters(title: str, parameters: Mapping[str, Any]) -> str:
    """A title with parameters, for a method without a template."""
    plain = {name: value for name, value in parameters.items() if not isinstance(value, dict)}
    shown = ", ".join(f"{name} = {_format_value(value)}" for name, value in plain.items())
    return f"{title} ({shown})" if shown else title


def _segments(template: str, values: Mapping[str, Any]) -> Iterator[str]:
    """Fill the parts of a template inside and outside brackets."""
    for place, part in enumerate(template.replace("]", "[").split("[")):
        yield _fill_first(part, values) if place % 2 else _fill(part, values)


def _fill_first(part: str, values: Mapping[str, Any]) -> str:
    for alternative in part.split("|"):
        try:
            return _fill(alternative, values, needed=True)
        except _MissingError:
            continue
    return ""


def _fill(part: str, values: Mapping[str, Any], *, needed: bool = False) -> str:
    """Fill the fields of a text; with *needed*, an empty value raises."""
    texts = []
    for text, name, form, _ in Formatter().parse(part):
        texts.append(text)
        if name is None:
            continue
        if name not in values or (needed and not values[name]):
            raise _MissingError
        texts.append(_format(values[name], form or ""))
        if needed and not texts[-1] and values[name] is not True:
            raise _MissingError
    return "".join(texts)


def _format(value: Any, form: str) -> str:  # noqa: ANN401
    if form in FORMS:
        return FORMS[form](value)
    return format(value, form) if form else _format_value(value)


def _format_value(value: Any) -> str:  # noqa: ANN401
    """A parameter as text; a true flag needs no text."""
    if isinstance(value, bool):
        return ""
    if isinstance(value, (list, tuple)):
        return join_names([_format_value(item) for item in value])
    return f"{value:g}" if isinstance(value, float) else str(value)


def _mean(shares: Mapping[str, float]) -> str:
    return percent(sum(shares.values()) / len(shares))


def _extremes(shares: Mapping[str, float]) -> str:
    """The attributes with the largest and the smallest share, if they differ."""
    most = max(shares, key=lambda name: shares[name])
    least = min(shares, key=lambda name: shares[name])
    if percent(shares[most]) == percent(shares[least]):
        return ""
    return f" ({most} {percent(shares[most])}, {least} {percent(shares[least])})"


def _format_groups(groups: Sequence[Sequence[str]]) -> str:
    left = len(groups) - MOST_NAMED
    more = f" | {left} more" if left > 0 else ""
    return " | ".join(", ".join(names) for names in groups[:MOST_NAMED]) + more


def _levels(found: Mapping[str, Mapping[str, float]]) -> str:
    """Attributes that were generalized, and to which level."""
    raised = {name: level for name, level in found.items() if level["level"]}
    broader = [f"{name} {_level(level)}" for name, level in raised.items() if level["labels"] > 1]
    withheld = [name for name, level in raised.items() if level["labels"] < 2]
    gone = [f"{join_names(withheld, len(withheld))} withheld"] if withheld else []
    return ", ".join([*broader, *gone])


def _level(level: Mapping[str, float]) -> str:
    """Precision of a hierarchy level in words."""
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
    return "" if value == 1 else _format_value(value)


FORMS: Mapping[str, Callable[[Any], str]] = {
    "mean": _mean,
    "extremes": _extremes,
    "apart": _format_groups,
    "levels": _levels,
    "records": _records,
    "several": _several,
}
"""Formats that a field may name after its colon."""


NO_ORIGIN = ("generalization", "files")
"""Searches whose files are not named as origins."""


def point_fields(candidate: FrontPoint) -> dict[str, object]:
    """Public fields of a point, the components of its risk also under their earlier names."""
    parts = {name: part.percent for name, part in risk_parts(candidate).items()}
    return {
        "point": candidate.point,
        "search": candidate.search,
        "method": method_text(candidate),
        "operator": candidate.operator,
        "file": candidate.number,
        **candidate.readings,
        **parts,
        **{old: parts[name] for name, old in OLD_KEYS.items() if name in parts},
    }


def risk_parts(candidate: FrontPoint) -> dict[str, AttackerSuccess]:
    """Components of its risk by name; empty under the papers' profile."""
    return candidate.assessment.parts if candidate.assessment else {}


def method_text(candidate: FrontPoint) -> str:
    """Describe how a candidate was masked, in one line."""
    return (
        "the original file"
        if candidate.number == ORIGINAL
        else describe_provenance(candidate.making)
    )


def complete_provenance(
    candidate: FrontPoint, state: EngineState, repaired: float | None, required: Requirement
) -> FrontPoint:
    """Return the candidate with its complete provenance after the run has ended.

    Args:
        repaired: percent of its cells that enforcement changed; None if not counted.
    """
    adopted = state.generations.get(candidate.member, Generation()).adopted
    files = [one for one in state.candidates if one.number in adopted]
    making = replace(
        candidate.making,
        repaired=repaired,
        required=required.as_text,
        origins=_origin_methods(files),
    )
    return replace(candidate, making=making)


def _origin_methods(candidates: Iterable[FrontPoint]) -> tuple[str, ...]:
    """Methods or searches that created the files, each once."""
    steps = (
        step
        for candidate in candidates
        if candidate.search not in NO_ORIGIN
        for step in candidate.making.steps
    )
    return tuple(dict.fromkeys(step.method for step in steps))
