"""What the columns of an unknown file are likely to be, and why: for a person to confirm."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from evomask.data.frames import Declaration
from evomask.data.roles import vocabulary
from evomask.data.roles.kinds import kind_of
from evomask.data.roles.links import linked, say_the_same, sums
from evomask.data.roles.meanings import JUST_A_NUMBER, role_of
from evomask.data.roles.telling import tellings
from evomask.data.roles.traits import Traits
from evomask.data.schema import Kind, Role
from evomask.data.table import Table

AMONG_AMOUNTS = "a file of amounts alone: who knows some of them finds the rest"
STATED = "as you say"


@dataclass(frozen=True)
class Proposal:
    """Kind and role proposed for one column, with a reason for each.

    Args:
        categories: the order proposed for an ordinal text column.
        hierarchy: the file with its value tree, where one was made.
        linked: the column that it says the same as and is masked with.
        question: what only the owner of the file can answer; until then the role is one that
            protects it.
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
        """The proposal as what is said of a column."""
        tree = self.hierarchy or None
        return Declaration(
            self.kind, self.role, self.categories, self.decimals, tree, linked=self.linked
        )


@dataclass(frozen=True)
class ProposedSchema:
    """A proposal for every column, rules that all records obey, and texts for missing values."""

    attributes: tuple[Proposal, ...]
    edits: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def questions(self) -> tuple[str, ...]:
        """What must be answered before anything is protected by this proposal."""
        return tuple(dict.fromkeys(a.question for a in self.attributes if a.question))

    @property
    def declarations(self) -> dict[str, Declaration]:
        """What is proposed of each column."""
        return {proposal.name: proposal.declaration for proposal in self.attributes}


def propose(table: Table, stated: Mapping[str, Role] | None = None) -> ProposedSchema:
    """Look at names and values of all columns; nothing of a record is told.

    Args:
        stated: roles that somebody named; they are taken as they are.
    """
    known = stated or {}
    for name in known:
        table.attribute(name)
    traits = [Traits(table, attribute) for attribute in table.schema]
    weights = _weights(traits, known)
    proposals = [_proposal(trait, weights, known) for trait in traits]
    if not any(map(_is_telling, proposals)):
        proposals = [_among_amounts(proposal, known) for proposal in proposals]
    proposals = _with_links(table, proposals)
    missing = sorted(set().union(*(trait.missing_texts for trait in traits)))
    return ProposedSchema(tuple(proposals), sums(table), tuple(missing))


def _weights(traits: Sequence[Traits], stated: Mapping[str, Role]) -> tuple[str, ...]:
    """Columns that may be the weight: none where somebody named it, or where bodies are weighed."""
    if Role.WEIGHT in stated.values():
        return ()
    bodies = any(trait.called(vocabulary.HEIGHTS) for trait in traits)
    found = [trait.name for trait in traits if trait.is_weight and trait.name not in stated]
    plain = [name for name in found if len(vocabulary.words_of(name)) > 1]
    return tuple(plain if bodies else found)


def _is_telling(proposal: Proposal) -> bool:
    """Whether a column is a quasi-identifier for what is known of it, not for being a number."""
    return proposal.role is Role.QUASI_IDENTIFIER and proposal.why_role != JUST_A_NUMBER


def _among_amounts(proposal: Proposal, stated: Mapping[str, Role]) -> Proposal:
    """An amount that would be confidential among people, in a file that holds nothing else."""
    is_amount = proposal.role is Role.CONFIDENTIAL and proposal.kind is Kind.CONTINUOUS
    if not is_amount or proposal.name in stated:
        return proposal
    return replace(proposal, role=Role.QUASI_IDENTIFIER, why_role=AMONG_AMOUNTS)


def _with_links(table: Table, proposals: Sequence[Proposal]) -> list[Proposal]:
    """The proposals with what released columns say of one another, and who follows whom."""
    roles = {proposal.name: proposal.role for proposal in proposals}
    names = [name for name, role in roles.items() if role.is_released]
    if not names:
        return list(proposals)
    released = table.only(names)
    links, leads = linked(released), _leads(released, roles)
    told = tellings(table.with_schema(table.schema.assigning(roles)))
    about: dict[str, list[str]] = {name: [] for name in roles}
    for telling in told:
        for name in telling.columns:
            about[name].append(telling.text)
    return [
        replace(
            proposal,
            remarks=(*proposal.remarks, *about[proposal.name], *links.get(proposal.name, ())),
            linked=leads.get(proposal.name, ""),
        )
        for proposal in proposals
    ]


def _leads(table: Table, roles: Mapping[str, Role]) -> dict[str, str]:
    """Quasi-identifiers that say the same as one before them, which leads."""
    masked = [name for name in table.schema.names if roles[name] is Role.QUASI_IDENTIFIER]
    leads: dict[str, str] = {}
    for lead, name in combinations(masked, 2):
        if lead not in leads and name not in leads and say_the_same(table, lead, name):
            leads[name] = lead
    return leads


def _proposal(trait: Traits, weights: Sequence[str], stated: Mapping[str, Role]) -> Proposal:
    kind, why_kind, order = kind_of(trait)
    is_candidate = trait.name in weights
    if is_candidate or stated.get(trait.name) is Role.WEIGHT:
        kind, why_kind = Kind.CONTINUOUS, "numbers"
    role, why_role = role_of(trait, kind, is_the_weight=is_candidate and len(weights) == 1)
    if trait.name in stated:
        role, why_role = stated[trait.name], STATED
    return Proposal(
        trait.name, kind, role, why_kind, why_role, tuple(_remarks(trait)),
        categories=order if kind is Kind.ORDINAL else (),
        decimals=trait.attribute.decimals if kind is Kind.CONTINUOUS else None,
        question=_which(weights) if is_candidate and len(weights) > 1 else "",
    )  # fmt: skip


def _which(weights: Sequence[str]) -> str:
    names = " or ".join(map(repr, weights))
    return f"which column is the weight, {names}? say it with --weight, or in the schema"


def _remarks(trait: Traits) -> list[str]:
    remarks = []
    missing = 100 * (1 - trait.n_known / len(trait.known))
    if missing:
        remarks.append(f"missing in {missing:.1f} % of the records")
    if trait.distinct == 1:
        remarks.append("constant: it tells nothing about anybody")
    if trait.missing_texts:
        remarks.append("numbers beside texts that look like missing values; see [file]")
    return remarks
