"""What a column is likely to mean to an intruder, or to the survey, and why."""

from evomask.data.roles import vocabulary
from evomask.data.roles.traits import FEW, Traits
from evomask.data.schema import Kind, Role

JUST_A_NUMBER = "a number; make it confidential or other if nobody could know it"
TWO_VALUES = 2

Meaning = tuple[Role, str]


def role_of(trait: Traits, kind: Kind, *, is_the_weight: bool = False) -> Meaning:
    """The role, and why it is likely.

    Args:
        is_the_weight: whether this is the one column of its file that may be the weight.
    """
    if is_the_weight:
        named = vocabulary.weights_in(trait.words)
        return Role.WEIGHT, f"looks like a weight: {_says(named)}, and nothing is negative"
    return (
        _of_a_home(trait)
        or _by_form(trait)
        or _identifying(trait)
        or _by_name(trait)
        or _by_kind(kind)
    )


def _of_a_home(trait: Traits) -> Meaning | None:
    home = trait.called(vocabulary.HOUSEHOLDS)
    if not home or not trait.tells_small_groups:
        return None
    return Role.HOUSEHOLD, f"looks like a household's number: {_says(home)}, few records each"


def _by_form(trait: Traits) -> Meaning | None:
    """By what the values look like, whatever the column is called."""
    if trait.is_date and trait.distinct > 1:
        return Role.QUASI_IDENTIFIER, "a date; make it other if nobody could know it"
    if trait.form:
        return Role.IDENTIFIER, f"identifier-like: holds {trait.form}"
    if trait.is_postcode:
        return Role.QUASI_IDENTIFIER, "codes of places: what others may know"
    return None


def _identifying(trait: Traits) -> Meaning | None:
    remarks = trait.called(vocabulary.FREE_TEXTS) and trait.texts and trait.distinct > FEW
    if trait.is_free_text or remarks:
        return Role.IDENTIFIER, "free text: it may name people, so it is left out"
    if trait.is_running_number:
        return Role.IDENTIFIER, "identifier-like: a running number"
    unordered = trait.attribute.kind is not Kind.ORDINAL
    if trait.is_own_value and unordered:
        return Role.IDENTIFIER, "identifier-like: nearly every record has its own value"
    if trait.is_shared_by_few and unordered:
        return Role.IDENTIFIER, "identifier-like: many values, each for a few records"
    many = trait.distinct > FEW and (trait.is_whole or not trait.is_number)
    named = trait.called(vocabulary.IDENTIFIERS)
    if many and (named or trait.is_called_a_number):
        what = _says(named) if named else "its name ends as those of numbers do"
        return Role.IDENTIFIER, f"identifier-like: {what}, with many values"
    return None


def _by_name(trait: Traits) -> Meaning | None:
    stratum = trait.called(vocabulary.STRATA)
    if stratum:
        return Role.STRATUM, _says(stratum)
    if trait.distinct <= 1:
        return Role.OTHER, "the same for everybody"
    private = trait.called(vocabulary.CONFIDENTIAL) | trait.words & vocabulary.PRIVATE_WORDS
    if private:
        return Role.CONFIDENTIAL, f"{_says(private)}: what people do not tell"
    if trait.words and trait.words <= vocabulary.TARGETS and trait.distinct == TWO_VALUES:
        return Role.CONFIDENTIAL, f"{_says(trait.words)}: what a model is to find out"
    public = trait.called(vocabulary.QUASI_IDENTIFIERS)
    if public:
        return Role.QUASI_IDENTIFIER, f"{_says(public)}: what others may know"
    return None


def _by_kind(kind: Kind) -> Meaning:
    if kind is Kind.CONTINUOUS:
        return Role.QUASI_IDENTIFIER, JUST_A_NUMBER
    return Role.QUASI_IDENTIFIER, "few values; make it other if nobody could know it"


def _says(hits: frozenset[str]) -> str:
    return f"its name says {max(hits, key=lambda word: (len(word), word))!r}"
