"""Proposal of a schema for an unknown file, with reasons, for a person to confirm."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from evomask.data.frames import Declaration
from evomask.data.hierarchy_builders import parse_dates
from evomask.data.roles import vocabulary
from evomask.data.roles.column_profile import FEW, ColumnProfile, are_dates
from evomask.data.roles.dependencies import (
    are_equivalent,
    describe_dependencies,
    find_leakage,
    find_sum_rules,
)
from evomask.data.schema import Kind, Role, Storage
from evomask.data.table import Table

JUST_A_NUMBER = "a number; make it confidential or other if no intruder could know it"
ONLY_AMOUNTS = "a file of amounts only: an intruder who knows some of them finds the others"
STATED = "as you say"

MOST_CLASSES = 48
"""Largest number of texts that are ordered by the number they begin with."""

SCALES = (
    ("very low", "low", "medium", "high", "very high"),
    ("low", "moderate", "high"),
    ("very bad", "bad", "fair", "good", "very good", "excellent"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("never", "rarely", "seldom", "sometimes", "often", "usually", "always"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ("extra small", "very small", "small", "medium", "large", "very large", "extra large"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("none", "mild", "moderate", "severe"),
    ("none", "primary", "lower secondary", "secondary", "upper secondary", "post-secondary",
     "tertiary", "bachelor", "master", "doctorate"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("january", "february", "march", "april", "may", "june", "july", "august", "september",
     "october", "november", "december"),
)  # fmt: skip
"""Words of common ordinal scales, in order."""

_LEADING_NUMBER = re.compile(r"\s*[<>=\[(]*\s*(-?\d+(?:\.\d+)?)")

ProposedKind = tuple[Kind, str, tuple[str, ...]]
"""Kind, reason, and order of the texts of an ordinal column."""

ProposedRole = tuple[Role, str]
"""Role and reason."""


@dataclass(frozen=True)
class Proposal:
    """Kind and role proposed for one column, with a reason for each.

    Args:
        categories: proposed order of an ordinal text column.
        hierarchy: its hierarchy file, where one was built.
        linked: equivalent column that it is masked with.
        question: question to the owner of the file; until it is answered the proposed role is
            a protective one.
    """

    name: str
    kind: Kind
    role: Role
    why_kind: str
    why_role: str
    remarks: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    decimals: int | None = None
    hierarchy: str = ""
    question: str = ""
    linked: str = ""

    @property
    def declaration(self) -> Declaration:
        return Declaration(
            self.kind,
            self.role,
            self.categories,
            self.decimals,
            self.hierarchy or None,
            linked=self.linked,
        )


@dataclass(frozen=True)
class ProposedSchema:
    """Proposals for all columns, edit rules of all records, and texts for missing values."""

    attributes: tuple[Proposal, ...]
    edits: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def questions(self) -> tuple[str, ...]:
        """Questions to answer before the proposal can be used."""
        return tuple(dict.fromkeys(a.question for a in self.attributes if a.question))

    @property
    def declarations(self) -> dict[str, Declaration]:
        return {proposal.name: proposal.declaration for proposal in self.attributes}


def propose(table: Table, stated: Mapping[str, Role] | None = None) -> ProposedSchema:
    """Propose kinds and roles by the names and values of all columns; texts quote no value.

    Args:
        stated: roles given by the user; they are not changed.
    """
    known = stated or {}
    for name in known:
        table.attribute(name)
    columns = [ColumnProfile(table, attribute) for attribute in table.schema]
    weights = _weight_candidates(columns, known)
    proposals = [_propose_column(column, weights, known) for column in columns]
    if not any(p.role is Role.QUASI_IDENTIFIER and p.why_role != JUST_A_NUMBER for p in proposals):
        proposals = [_without_evidence(proposal, known) for proposal in proposals]
    proposals = _with_dependencies(table, proposals)
    missing = sorted(set().union(*(column.missing_texts for column in columns)))
    return ProposedSchema(tuple(proposals), find_sum_rules(table), tuple(missing))


def _weight_candidates(
    columns: Sequence[ColumnProfile], stated: Mapping[str, Role]
) -> tuple[str, ...]:
    """Return columns that may be the survey weight; none if the user named it.

    In a file with body heights, a column called just "weight" is a body weight.
    """
    if Role.WEIGHT in stated.values():
        return ()
    has_heights = any(column.name_matches(vocabulary.HEIGHTS) for column in columns)
    found = [column.name for column in columns if column.is_weight and column.name not in stated]
    qualified = [name for name in found if len(vocabulary.words_of(name)) > 1]
    return tuple(qualified if has_heights else found)


def _without_evidence(proposal: Proposal, stated: Mapping[str, Role]) -> Proposal:
    is_amount = proposal.role is Role.CONFIDENTIAL and proposal.kind is Kind.CONTINUOUS
    if not is_amount or proposal.name in stated:
        return proposal
    return replace(proposal, role=Role.QUASI_IDENTIFIER, why_role=ONLY_AMOUNTS)


def _with_dependencies(table: Table, proposals: Sequence[Proposal]) -> list[Proposal]:
    """Add remarks on leakage and dependencies, and link equivalent quasi-identifiers."""
    roles = {proposal.name: proposal.role for proposal in proposals}
    names = [name for name, role in roles.items() if role.is_released]
    if not names:
        return list(proposals)
    released = table.only(names)
    dependencies, leaders = describe_dependencies(released), _leaders(released, roles)
    warnings: dict[str, list[str]] = {name: [] for name in roles}
    for leakage in find_leakage(table.with_schema(table.schema.assigning(roles))):
        for name in leakage.columns:
            warnings[name].append(leakage.text)
    return [
        replace(
            proposal,
            remarks=(
                *proposal.remarks,
                *warnings[proposal.name],
                *dependencies.get(proposal.name, ()),
            ),
            linked=leaders.get(proposal.name, ""),
        )
        for proposal in proposals
    ]


def _leaders(table: Table, roles: Mapping[str, Role]) -> dict[str, str]:
    """Return quasi-identifiers that are equivalent to an earlier one, with that one."""
    masked = [name for name in table.schema.names if roles[name] is Role.QUASI_IDENTIFIER]
    leaders: dict[str, str] = {}
    for leader, name in combinations(masked, 2):
        if leader in leaders or name in leaders:
            continue
        if are_equivalent(table, leader, name):
            leaders[name] = leader
    return leaders


def _propose_column(
    column: ColumnProfile, weights: Sequence[str], stated: Mapping[str, Role]
) -> Proposal:
    kind, why_kind, order = propose_kind(column)
    is_candidate = column.name in weights
    if is_candidate or stated.get(column.name) is Role.WEIGHT:
        kind, why_kind = Kind.CONTINUOUS, "numbers"
    role, why_role = propose_role(column, kind, is_the_weight=is_candidate and len(weights) == 1)
    if column.name in stated:
        role, why_role = stated[column.name], STATED
    question = ""
    if is_candidate and len(weights) > 1:
        names = " or ".join(map(repr, weights))
        question = f"which column is the weight, {names}? name it with --weight, or in the schema"
    elif column.missing_codes and column.name not in stated:
        codes = ",".join(map(str, column.missing_codes))
        question = (
            f"does {codes} in column {column.name!r} mean a missing value? then give --missing "
            f"{codes}; if it is a value, state the role of the column"
        )
    return Proposal(
        column.name,
        kind,
        role,
        why_kind,
        why_role,
        tuple(_remarks(column)),
        categories=order if kind is Kind.ORDINAL else (),
        decimals=column.attribute.decimals if kind is Kind.CONTINUOUS else None,
        question=question,
    )


def _remarks(column: ColumnProfile) -> list[str]:
    remarks = []
    missing = 100 * (1 - column.n_known / len(column.known))
    if missing:
        remarks.append(f"missing in {missing:.1f} % of the records")
    if column.distinct == 1:
        remarks.append("constant: it has no information")
    if column.missing_texts:
        remarks.append("numbers mixed with texts that look like missing values; see [file]")
    if column.missing_codes:
        codes = ", ".join(map(str, column.missing_codes))
        remarks.append(f"{codes} may mean a missing value: then name it in missing below [file]")
    return remarks


def propose_kind(column: ColumnProfile) -> ProposedKind:
    """Propose the kind of a column, with a reason and the order of ordinal texts."""
    attribute = column.attribute
    if attribute.notes.measure in ("nominal", "ordinal", "scale") or (
        attribute.kind is Kind.ORDINAL and not column.is_number
    ):
        return attribute.kind, f"the file declares it {attribute.kind}", ()
    if attribute.value_labels and attribute.is_categorical:
        return Kind.NOMINAL, "codes with labels", ()
    return _numeric_kind(column) if column.is_number else _text_kind(column)


def _numeric_kind(column: ColumnProfile) -> ProposedKind:
    if column.attribute.kind is not Kind.CONTINUOUS:
        return column.attribute.kind, "whole numbers too large to calculate with: codes", ()
    if column.distinct <= 2:
        return Kind.NOMINAL, f"few values: {column.distinct} distinct numbers", ()
    if column.is_whole and column.distinct <= FEW:
        return Kind.ORDINAL, f"looks ordinal: {column.distinct} distinct whole numbers", ()
    if column.is_running_number:
        return Kind.NOMINAL, "a running number, not a quantity", ()
    form = "whole numbers" if column.is_whole else "numbers with decimals"
    return Kind.CONTINUOUS, f"{form}, {column.distinct} distinct values", ()


def _text_kind(column: ColumnProfile) -> ProposedKind:
    if column.texts and parse_dates(column.texts):
        return Kind.ORDINAL, "dates, which have an order", ()
    order = known_order(column.texts)
    if order:
        return Kind.ORDINAL, "looks ordinal: words of a scale", order
    order = numbered_order(column.texts)
    if order:
        return Kind.ORDINAL, "looks ordinal: every value starts with a number", order
    return Kind.NOMINAL, f"text or codes, {column.distinct} distinct values", ()


def known_order(texts: Sequence[str]) -> tuple[str, ...]:
    """Sort texts by a common ordinal scale; empty if they belong to none."""
    lower = {text.strip().lower().replace("_", " "): text for text in texts}
    for scale in SCALES:
        if len(lower) == len(texts) > 2 and lower.keys() <= set(scale):
            return tuple(lower[word] for word in scale if word in lower)
    return ()


def numbered_order(texts: Sequence[str]) -> tuple[str, ...]:
    """Sort texts such as ``18-24`` or ``3. often`` by their first number; empty if one has none."""
    starts = [_LEADING_NUMBER.match(text) for text in texts]
    are_codes = not any(re.search(r"[\s\-–.<>+\[\](]", text.strip()) for text in texts)
    if not 2 < len(texts) <= MOST_CLASSES or are_codes or not all(starts):
        return ()
    numbers = [float(start.group(1)) for start in starts if start]
    if len(set(numbers)) < len(numbers) - 1:
        return ()
    ends = [{"<": 0, ">": 2}.get(text.strip()[0], 1) for text in texts]
    return tuple(text for _, _, text in sorted(zip(numbers, ends, texts, strict=True)))


def propose_role(column: ColumnProfile, kind: Kind, *, is_the_weight: bool = False) -> ProposedRole:
    """Propose the role of a column, with a reason.

    Args:
        is_the_weight: whether this is the only candidate for the survey weight.
    """
    if is_the_weight:
        named = vocabulary.weights_in(column.words)
        return Role.WEIGHT, f"looks like a weight: {_name_has(named)}, and no value is negative"
    return (
        _household(column)
        or _role_by_values(column)
        or _identifier(column)
        or _role_by_name(column)
        or (
            Role.QUASI_IDENTIFIER,
            JUST_A_NUMBER
            if kind is Kind.CONTINUOUS
            else "few values; make it other if no intruder could know it",
        )
    )


def _household(column: ColumnProfile) -> ProposedRole | None:
    named = column.name_matches(vocabulary.HOUSEHOLDS)
    if not named or not column.is_group_number:
        return None
    return Role.HOUSEHOLD, f"looks like a household number: {_name_has(named)}, few records each"


def _role_by_values(column: ColumnProfile) -> ProposedRole | None:
    if column.is_date and column.distinct > 1:
        return Role.QUASI_IDENTIFIER, "a date; make it other if no intruder could know it"
    if column.form:
        return Role.IDENTIFIER, f"identifier-like: holds {column.form}"
    if column.is_postcode:
        return Role.QUASI_IDENTIFIER, "postcodes: an intruder may know them"
    return None


def _identifier(column: ColumnProfile) -> ProposedRole | None:
    named_text = column.name_matches(vocabulary.FREE_TEXTS) and column.texts
    if column.is_free_text or (named_text and column.distinct > FEW):
        return Role.IDENTIFIER, "free text: it may name people, so it is not released"
    if column.is_running_number:
        return Role.IDENTIFIER, "identifier-like: a running number"
    unordered = column.attribute.kind is not Kind.ORDINAL
    if column.is_nearly_unique and unordered:
        return Role.IDENTIFIER, "identifier-like: nearly every record has its own value"
    if column.has_small_groups and unordered:
        return Role.IDENTIFIER, "identifier-like: many values, each in a few records"
    many = column.distinct > FEW and (column.is_whole or not column.is_number)
    named = column.name_matches(vocabulary.IDENTIFIERS)
    if many and (named or column.has_identifier_suffix):
        evidence = _name_has(named) if named else "its name ends like that of an identifier"
        return Role.IDENTIFIER, f"identifier-like: {evidence}, with many values"
    return None


def _role_by_name(column: ColumnProfile) -> ProposedRole | None:
    stratum = column.name_matches(vocabulary.STRATA)
    if stratum:
        return Role.STRATUM, _name_has(stratum)
    if column.distinct <= 1:
        return Role.OTHER, "constant"
    private = column.name_matches(vocabulary.CONFIDENTIAL)
    private |= column.words & vocabulary.PRIVATE_WORDS
    if private:
        return Role.CONFIDENTIAL, f"{_name_has(private)}: sensitive"
    is_target = column.words and column.words <= vocabulary.TARGETS
    if is_target and column.distinct == 2:
        return Role.CONFIDENTIAL, f"{_name_has(column.words)}: target variable of a model"
    public = column.name_matches(vocabulary.QUASI_IDENTIFIERS)
    if public:
        return Role.QUASI_IDENTIFIER, f"{_name_has(public)}: an intruder may know it"
    return None


def _name_has(matches: frozenset[str]) -> str:
    return f"its name contains {max(matches, key=lambda word: (len(word), word))!r}"


def identifying_columns(table: Table) -> dict[str, str]:
    """Columns without a role that look like identifiers, with the reason."""
    columns = [
        ColumnProfile(table, table.attribute(name)) for name in table.schema.with_role(Role.OTHER)
    ]
    reasons = {column.name: _identifier_evidence(column) for column in columns}
    return {name: reason for name, reason in reasons.items() if reason}


def _identifier_evidence(column: ColumnProfile) -> str:
    texts = column.texts if column.attribute.storage is Storage.TEXT else ()
    if column.form:
        return f"holds {column.form}"
    many = column.distinct > FEW
    if many and column.words & vocabulary.NAMES and texts:
        return "looks like names of people"
    if many and column.words & vocabulary.IDENTIFIERS and (texts or column.is_whole):
        return "looks like a number or name of a person"
    if column.has_own_values and not are_dates(texts):
        return f"holds a different {'text' if texts else 'value'} in nearly every record"
    return ""
