"""Columns that look as if they told who a record belongs to, and that nobody gave a role."""

import re

from evomask.data.proposal import FEW, Traits
from evomask.data.schema import Role, Storage
from evomask.data.table import Table
from evomask.data.vocabulary import IDENTIFIERS, NAMES

_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
_DAY = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*")


def identifying_columns(table: Table) -> dict[str, str]:
    """By column why it looks so, in words; only columns of which nothing else is known."""
    others = [Traits(table, table.attribute(name)) for name in table.schema.with_role(Role.OTHER)]
    reasons = {traits.name: _reason(traits) for traits in others}
    return {name: reason for name, reason in reasons.items() if reason}


def _reason(traits: Traits) -> str:
    texts = traits.texts if traits.attribute.storage is Storage.TEXT else ()
    mails = sum(_MAIL.fullmatch(text.strip()) is not None for text in texts)
    if mails and 2 * mails >= len(texts):
        return "holds e-mail addresses"
    many = traits.distinct > FEW
    if many and traits.words & NAMES and texts:
        return "looks like names of people"
    if many and traits.words & IDENTIFIERS and (texts or traits.is_whole):
        return "looks like a number or name of a person"
    if texts and traits.is_own_value and not all(map(_DAY.fullmatch, texts)):
        return "holds a text of its own in nearly every record"
    return ""
