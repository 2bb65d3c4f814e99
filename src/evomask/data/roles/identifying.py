"""Columns that look as if they told who a record belongs to, and that nobody gave a role."""

from evomask.data.roles.patterns import are_days
from evomask.data.roles.traits import FEW, Traits
from evomask.data.roles.vocabulary import IDENTIFIERS, NAMES
from evomask.data.schema import Role, Storage
from evomask.data.table import Table


def identifying_columns(table: Table) -> dict[str, str]:
    """By column why it looks so, in words; only columns of which nothing else is known."""
    others = [Traits(table, table.attribute(name)) for name in table.schema.with_role(Role.OTHER)]
    reasons = {traits.name: _reason(traits) for traits in others}
    return {name: reason for name, reason in reasons.items() if reason}


def _reason(traits: Traits) -> str:
    texts = traits.texts if traits.attribute.storage is Storage.TEXT else ()
    if traits.form:
        return f"holds {traits.form}"
    many = traits.distinct > FEW
    if many and traits.words & NAMES and texts:
        return "looks like names of people"
    if many and traits.words & IDENTIFIERS and (texts or traits.is_whole):
        return "looks like a number or name of a person"
    if texts and traits.is_own_value and not are_days(texts):
        return "holds a text of its own in nearly every record"
    return ""
