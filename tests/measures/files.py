"""Masked versions of small tables, for tests of measures."""

import numpy as np

from evomask.data.recoding import Intervals, identity_recoding
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from tests.tables import QUASI, sets_of


def categories(ordinal=False, **columns):
    """A table of categorical quasi-identifiers from lists of codes."""
    kind = Kind.ORDINAL if ordinal else Kind.NOMINAL
    sizes = {name: max(codes) + 1 for name, codes in columns.items()}
    names = "abcdefghij"
    schema = Schema(
        tuple(Attribute(n, kind, QUASI, tuple(names[:size])) for n, size in sizes.items())
    )
    return Table(schema, {name: np.array(codes) for name, codes in columns.items()})


def perturbed(table, names, share=0.3, seed=1):
    """Some cells of each attribute replaced by those of other records."""
    rng = np.random.default_rng(seed)
    changes = {}
    for name in names:
        column = table[name]
        drawn = column[rng.permutation(len(table))]
        changes[name] = np.where(rng.random(len(table)) < share, drawn, column)
    return table.with_columns(changes)


def generalized(table, names):
    """Neighbouring categories merged, numbers in intervals; cells of other names stay."""
    for name in names:
        attribute = table.attribute(name)
        if attribute.is_categorical:
            size = len(attribute.categories)
            pairs = [[code for code in (c, c + 1) if code < size] for c in range(0, size, 2)]
            merged = sets_of([str(p) for p in pairs], pairs, size)
            table = table.with_recoded(name, table.codes(name) // 2, merged)
        else:
            table = in_intervals(table, name, 5)
    return table


def in_intervals(table, name, parts):
    """One continuous attribute in intervals between quantiles; missing values stay missing."""
    values = table.values(name)
    cuts = np.quantile(values[~np.isnan(values)], np.linspace(0, 1, parts + 1))
    codes = np.clip(np.searchsorted(cuts, values, "right") - 1, 0, parts - 1)
    codes = np.where(np.isnan(values), parts, codes)
    low, high = np.append(cuts[:-1], np.nan), np.append(cuts[1:], np.nan)
    labels = tuple(f"{a}..{b}" for a, b in zip(low, high, strict=True))
    return table.with_recoded(name, codes, Intervals(labels, low, high))


def suppressed(table, names):
    """Every cell of *names* suppressed."""
    for name in names:
        attribute = table.attribute(name)
        if attribute.is_categorical:
            cells = identity_recoding(attribute).with_suppressed_cell()
            codes = np.full(len(table), len(attribute.categories))
            table = table.with_recoded(name, codes, cells)
        else:
            known = table.values(name)[~np.isnan(table.values(name))]
            whole = Intervals(("*",), np.array([known.min()]), np.array([known.max()]))
            table = table.with_recoded(name, np.zeros(len(table), dtype=np.int32), whole)
    return table


def confidential(table, name):
    """The same table with one attribute in the confidential role."""
    return table.with_schema(table.schema.assigning({name: Role.CONFIDENTIAL}))
