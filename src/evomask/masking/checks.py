"""What methods ask of their parameters and of the attributes they are given."""

from evomask.data.schema import Attribute, Kind
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError


def require_attributes(attributes: tuple[str, ...], method: str) -> None:
    """Refuse a method without an attribute, or with the same one twice."""
    if not attributes:
        raise SchemaError(f"{method} needs at least one attribute; name one")
    twice = sorted({name for name in attributes if attributes.count(name) > 1})
    if twice:
        raise SchemaError(f"{method} is given {twice[0]!r} twice; name each attribute once")


def require_percent(value: float, parameter: str) -> None:
    """Refuse what is not a percentage above 0 and up to 100."""
    if not 0 < value <= 100:
        raise ParameterError(f"{parameter} must lie in (0, 100] percent, got {value}")


def require_share(value: float, parameter: str) -> None:
    """Refuse a parameter that is not a probability from 0 to 1."""
    if not 0 <= value <= 1:
        raise ParameterError(f"{parameter} must lie in [0, 1], got {value}")


def require_count(value: int, parameter: str, least: int) -> None:
    """Refuse a parameter that counts something and is below *least*."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ParameterError(f"{parameter} must be a whole number of {least} or more, got {value}")


def ordered_attribute(table: Table, name: str, method: str) -> Attribute:
    """The attribute's description; one without an order is refused."""
    attribute = table.attribute(name)
    if attribute.kind is Kind.NOMINAL:
        raise SchemaError(
            f"{method} needs an order, and {name!r} is nominal; declare it ordinal or leave it out"
        )
    return attribute


def ordinal_attribute(table: Table, name: str, method: str) -> Attribute:
    """The attribute's description; one that is not ordinal is refused."""
    attribute = ordered_attribute(table, name, method)
    if attribute.kind is Kind.CONTINUOUS:
        raise SchemaError(
            f"{method} needs ordered categories, and {name!r} is continuous; "
            "declare it ordinal or leave it out"
        )
    return attribute


def require_cells(table: Table, name: str) -> None:
    """Refuse a column of plain numbers: categories, sets and intervals are cells."""
    if not table.is_recoded(name):
        table.codes(name)
