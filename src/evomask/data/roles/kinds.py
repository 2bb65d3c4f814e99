"""What can be done with a column's values: average, order, or only compare them."""

from evomask.data.roles.orders import known_order, numbered_order
from evomask.data.roles.traits import FEW, Traits
from evomask.data.schema import Kind
from evomask.data.trees.dates import days_of


def kind_of(trait: Traits) -> tuple[Kind, str, tuple[str, ...]]:
    """The kind, why it is likely, and the order of texts that have one."""
    attribute = trait.attribute
    if attribute.notes.measure in ("nominal", "ordinal", "scale") or (
        attribute.kind is Kind.ORDINAL and not trait.is_number
    ):
        return attribute.kind, f"the file says {attribute.kind}", ()
    if attribute.value_labels and attribute.is_categorical:
        return Kind.NOMINAL, "codes with labels", ()
    return _kind_of_numbers(trait) if trait.is_number else _kind_of_texts(trait)


def _kind_of_numbers(trait: Traits) -> tuple[Kind, str, tuple[str, ...]]:
    if trait.attribute.kind is not Kind.CONTINUOUS:
        return trait.attribute.kind, "whole numbers too large to calculate with: codes", ()
    if trait.distinct <= 2:
        return Kind.NOMINAL, f"few values: {trait.distinct} different numbers", ()
    if trait.is_whole and trait.distinct <= FEW:
        return Kind.ORDINAL, f"looks ordinal: {trait.distinct} different whole numbers", ()
    if trait.is_running_number:
        return Kind.NOMINAL, "numbers that only tell records apart", ()
    form = "whole numbers" if trait.is_whole else "numbers with decimals"
    return Kind.CONTINUOUS, f"{form}, {trait.distinct} different ones", ()


def _kind_of_texts(trait: Traits) -> tuple[Kind, str, tuple[str, ...]]:
    if trait.texts and days_of(trait.texts):
        return Kind.ORDINAL, "dates, which have an order", ()
    order = known_order(trait.texts)
    if order:
        return Kind.ORDINAL, "looks ordinal: words that have an order", order
    order = numbered_order(trait.texts)
    if order:
        return Kind.ORDINAL, "looks ordinal: every value starts with a number", order
    return Kind.NOMINAL, f"text or codes, {trait.distinct} different values", ()
