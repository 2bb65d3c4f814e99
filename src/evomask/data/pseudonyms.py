"""Pseudonyms: keyed replacements of the values that identify people.

A pseudonym is HMAC-SHA256 of the value, cut to 128 bits, under a key that is derived from a secret
key for each project, and for each release unless pseudonyms are stable. Without the key it says
nothing about the value, nor which pseudonyms of two projects belong to one person.
"""

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from evomask.data.schema import MISSING, Attribute, Kind, Role
from evomask.data.table import Table

HEX_DIGITS = 32
"""Length of a pseudonym: 128 bits."""

PURPOSE = b"evomask pseudonym 1"


@dataclass(frozen=True)
class PseudonymKey:
    """The key of the pseudonyms of one project.

    Args:
        secret: secret key, at least 16 random bytes.
        project: name of the project; the same value has other pseudonyms in another one.
        release: random bytes of one release; empty where pseudonyms are stable, the same in all
            tables and releases of the project.
    """

    secret: bytes = field(repr=False)
    project: str = ""
    release: bytes = field(default=b"", repr=False)

    def pseudonyms(self, values: Iterable[str]) -> list[str]:
        """Return the pseudonym of each value; an empty value stays empty."""
        name = self.project.encode()
        message = b"".join(len(p).to_bytes(4, "big") + p for p in (PURPOSE, name, self.release))
        key = hmac.digest(self.secret, message, hashlib.sha256)
        return [
            hmac.new(key, value.encode(), hashlib.sha256).hexdigest()[:HEX_DIGITS] if value else ""
            for value in values
        ]


def with_pseudonyms(table: Table, key: PseudonymKey | None) -> Table:
    """Return the table with pseudonyms in place of the values that they replace.

    The columns are released then: records with the same pseudonym belong to the same person.
    """
    for attribute in table.schema:
        if not attribute.pseudonym or key is None:
            continue
        name = attribute.name
        made = key.pseudonyms(attribute.categories)
        order = np.argsort(np.array(made[: attribute.domain_size], dtype=np.str_))
        places = np.empty(len(made), dtype=np.int32)
        places[order] = np.arange(len(order))
        places[attribute.domain_size :] = len(order)
        categories = tuple(made[i] for i in order) + (MISSING,) * attribute.has_missing
        shown = Attribute(name, Kind.NOMINAL, Role.OTHER, categories, label=attribute.label)
        scenarios = tuple(replace(one, unit="") for one in table.schema.scenarios)
        schema = replace(table.schema.replacing([shown]), scenarios=scenarios)
        columns = {**table.columns, name: places[table[name]]}
        table = replace(table, schema=schema, columns=columns)
    return table
