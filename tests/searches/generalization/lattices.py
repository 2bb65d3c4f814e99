"""Small lattices, and their nodes read slowly: record by record, straight from definitions."""

from collections import Counter, defaultdict
from itertools import product
from math import exp, log

import numpy as np

from evomask.data.hierarchy import Hierarchy
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.searches.generalization.lattice import lattice_of

QUASI = Role.QUASI_IDENTIFIER

TREES = {
    "age": Hierarchy(
        ("1", "2", "3", "4", "5", "6"),
        (
            ("1", "2", "3", "4", "5", "6"),
            ("1-2", "1-2", "3-4", "3-4", "5-6", "5-6"),
            ("1-4", "1-4", "1-4", "1-4", "5-6", "5-6"),
            ("*",) * 6,
        ),
    ),
    "sex": Hierarchy(("f", "m"), (("f", "m"), ("*", "*"))),
    "town": Hierarchy(
        ("ak", "bl", "ap", "bo", "zz"),
        (("ak", "bl", "ap", "bo", "zz"), ("a", "b", "a", "b", "z"), ("*",) * 5),
    ),
}


def small_table(n_records=80, seed=0):
    """Three attributes to generalize, a sensitive one and a label; nobody lives in zz."""
    rng = np.random.default_rng(seed)
    schema = Schema(
        (
            Attribute("age", Kind.ORDINAL, QUASI, TREES["age"].categories),
            Attribute("sex", Kind.NOMINAL, QUASI, TREES["sex"].categories),
            Attribute("town", Kind.NOMINAL, QUASI, ("ap", "ak", "bo", "bl")),
            Attribute("illness", Kind.NOMINAL, Role.CONFIDENTIAL, ("a", "b", "c")),
            Attribute("class", Kind.NOMINAL, Role.OTHER, ("yes", "no")),
        )
    )
    return Table(
        schema,
        {
            "age": rng.integers(6, size=n_records) * rng.integers(2, size=n_records),
            "sex": rng.integers(2, size=n_records),
            "town": np.minimum(rng.geometric(0.5, size=n_records) - 1, 3),
            "illness": rng.integers(3, size=n_records),
            "class": rng.integers(2, size=n_records),
        },
    )


def small_lattice(n_records=80, seed=0):
    return lattice_of(small_table(n_records, seed), TREES, sensitive="illness", label="class")


def all_nodes(lattice):
    return list(product(*(range(levels) for levels in lattice.shape)))


def cells(lattice, name, level):
    """The generalized label of each record."""
    tree, attribute = lattice.trees[name], lattice.table.attribute(name)
    labels = dict(zip(tree.categories, tree.levels[level], strict=True))
    return [labels[attribute.categories[code]] for code in lattice.table.codes(name)]


def classes_slowly(lattice, node):
    """Records of each class, by the class' labels."""
    columns = [cells(lattice, name, level) for name, level in zip(lattice.names, node, strict=True)]
    groups = defaultdict(list)
    for record, labels in enumerate(zip(*columns, strict=True)):
        groups[labels].append(record)
    return dict(groups)


def kept_slowly(groups, *, limit=0, k=0, distinct=0, values=()):
    """The classes that stay, as the specification words it."""
    if not k:
        by_size = Counter()
        for records in groups.values():
            by_size[len(records)] += len(records)
        k = 1
        while sum(n for size, n in by_size.items() if size <= k) <= limit:
            k += 1
    return {
        labels: records
        for labels, records in groups.items()
        if len(records) >= k and len({values[r] for r in records} if distinct else ()) >= distinct
    }


def figures_slowly(lattice, node, **rule):
    """Every figure of a node, from its records."""
    table, n = lattice.table, lattice.n_records
    illness, label = table.codes("illness"), table.codes("class")
    groups = classes_slowly(lattice, node)
    kept = kept_slowly(groups, **rule, values=illness)
    overall = Counter(illness)
    kinds = len(table.attribute("illness").categories)
    kept_records = list(kept.values())
    suppressed = n - sum(map(len, kept_records))
    counts = [Counter(illness[r] for r in records) for records in kept_records]
    return {
        "k": min(map(len, kept_records), default=n),
        "suppressed": suppressed,
        "classes": len(kept),
        "l": min(map(len, counts), default=kinds),
        "entropy": min(map(_effective, counts), default=kinds),
        "t": max((_far(c, overall, n, kinds) for c in counts), default=0.0),
        "sk": sum(len(r) ** 2 for r in kept_records) + suppressed * n,
        "sl": sum(count**2 for c in counts for count in c.values()),
        "agreement": sum(m**2 / c.total() for c in counts for m in c.values()) / n,
        "cm": n - sum(max(Counter(label[r] for r in rs).values()) for rs in kept_records),
        "losses": _losses(lattice, node, {r for rs in kept_records for r in rs}),
    }


def _effective(counts):
    total = counts.total()
    return exp(-sum(c / total * log(c / total) for c in counts.values()))


def _far(counts, overall, n, kinds):
    return sum(abs(counts[v] / counts.total() - overall[v] / n) for v in range(kinds)) / 2


def _losses(lattice, node, kept):
    means = []
    for name, level in zip(lattice.names, node, strict=True):
        tree = lattice.trees[name]
        leaves = Counter(tree.levels[level])
        labels = cells(lattice, name, level)
        lost = [
            (leaves[labels[r]] - 1) / (len(tree.categories) - 1) if r in kept else 1.0
            for r in range(lattice.n_records)
        ]
        means.append(sum(lost) / lattice.n_records)
    return means
