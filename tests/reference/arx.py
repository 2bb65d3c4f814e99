"""ARX's Loss of a node, computed slowly and exactly: from the lines of files, in fractions."""

import csv
from collections import Counter
from fractions import Fraction


def adult_lines(path, names):
    """The records of Adult that have every value, as tuples of text."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = [tuple(row[name].strip() for name in names) for row in csv.DictReader(file)]
    return [row for row in rows if "?" not in row]


def loss_and_suppressed(records, trees, node, k):
    """Loss (weights of generalization and suppression alike), and the records it leaves out.

    Args:
        records: tuples of text, in the order of *trees*.
        trees: for each attribute the lines of its hierarchy file, also of values nobody has.
    """
    upward = [
        {line[0]: line[level] for line in lines} for lines, level in zip(trees, node, strict=True)
    ]
    general = [
        tuple(up[value] for up, value in zip(upward, record, strict=True)) for record in records
    ]
    sizes = Counter(general)
    kept = [cells for cells in general if sizes[cells] >= k]
    suppressed = len(records) - len(kept)
    product = Fraction(1)
    for a, lines in enumerate(trees):
        shares = Counter(upward[a].values())
        total = sum(
            Fraction(shares[cell] * count, len(lines))
            for cell, count in Counter(cells[a] for cells in kept).items()
        )
        least = Fraction(len(records), len(lines))
        product *= 1 + (total + suppressed - least) / (len(records) - least)
    return float(product) ** (1 / len(trees)) - 1, suppressed
