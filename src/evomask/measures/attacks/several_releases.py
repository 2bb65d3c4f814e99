"""Several releases together: who remains a candidate in all of them.

Each release alone hides a person among all records that look like theirs. Who holds several
releases of overlapping people knows that the person is among the candidates of every one.
"""

from collections.abc import Sequence

import numpy as np

from evomask.data.classes import classes_of, classes_of_columns
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError
from evomask.measures.attacks.attack import AttackResult, result_of
from evomask.measures.measure import About, Side
from evomask.types import Indices


def intersect_releases(
    releases: Sequence[Table], people: Sequence[Indices] | None = None
) -> AttackResult:
    """Share of people who are unique among the candidates of all releases together.

    Candidates of a person in one release are all records with the same released quasi-identifiers
    as the person's own. The control is the largest share of people who are unique in one release
    alone.

    Args:
        releases: masked tables.
        people: the person of each record, a table an array of distinct numbers; by default all
            tables hold the same people in one order. Suppressed records are nobody's.
    """
    if len(releases) < 2:
        raise ParameterError(f"{len(releases)} release cannot be intersected; give two or more")
    if people is None:
        if len({len(table) for table in releases}) > 1:
            raise DataError(
                "the releases have different numbers of records; say which person each record is of"
            )
        people = [np.arange(len(table)) for table in releases]
    persons = np.unique(np.concatenate(people))
    labels = np.full((len(releases), len(persons)), -1)
    for row, (table, own) in enumerate(zip(releases, people, strict=True)):
        classes = classes_of(table, table.schema.quasi_identifiers)
        released = ~table.suppressed
        labels[row, np.searchsorted(persons, own[released])] = classes.labels[released]
    alone = np.array([_candidates(row[None]) for row in labels])
    together = _candidates(labels)
    in_any = together > 0
    n = int(in_any.sum())
    if not n:
        raise DataError("the releases hold no records that are not suppressed; release some")
    unique = [100.0 * float(np.sum(row == 1)) / n for row in alone]
    most = [int(row[row > 0].min()) for row in alone if (row > 0).any()]
    k = int(together[in_any].min())
    about = About(
        "several-releases",
        "intersection of several releases",
        Side.RISK,
        f"the share of people who are the only candidate in {len(releases)} releases together; "
        f"k is {k} in all together and {', '.join(map(str, most))} in each",
    )
    return result_of(
        about,
        success=100.0 * float(np.mean(together[in_any] == 1)),
        targets=n,
        control=max(unique),
        details={f"unique_in_release_{i}": share for i, share in enumerate(unique, 1)},
    )


def _candidates(labels: Indices) -> Indices:
    """Number of candidates of each person in all releases (rows) that hold them; 0 for none.

    Candidates are in each of these releases, and maybe in others.
    """
    held = labels >= 0
    found = np.zeros(labels.shape[1], dtype=np.int64)
    patterns, own = np.unique(held, axis=1, return_inverse=True)
    for place, pattern in enumerate(patterns.T):
        if not pattern.any():
            continue
        members = np.flatnonzero(held[pattern].all(axis=0))
        classes = classes_of_columns(list(labels[pattern][:, members]), len(members))
        sizes = np.zeros(labels.shape[1], dtype=np.int64)
        sizes[members] = classes.sizes_of_records
        wanted = own.ravel() == place
        found[wanted] = sizes[wanted]
    return found
