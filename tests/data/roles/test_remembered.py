"""Proposals for columns of well-known files, beside what a careful person says."""

import pytest

from evomask.data.frames import table_from
from evomask.data.roles.proposal import propose
from tests.data.roles.remembered import FIRST, FRESH, LAST, frame, rows

PROTECTS = ("quasi-identifier", "identifier")
AGREEMENT = {"first": (FIRST, 98), "fresh": (FRESH, 67), "last": (LAST, 74)}
"""Columns of each list with the same role, of 103, 92 and 93; docs/data.md tells them."""


def compared(files):
    """Of every column what is proposed and what the person says."""
    for text in files.values():
        proposed = {a.name: str(a.role) for a in propose(table_from(frame(text))).attributes}
        yield from ((name, proposed[name], role) for name, _, role in rows(text))


@pytest.mark.parametrize(("files", "agreed"), AGREEMENT.values(), ids=AGREEMENT)
def test_the_proposal_agrees_as_often_as_the_page_tells(files, agreed):
    assert sum(found == wanted for _, found, wanted in compared(files)) == agreed


@pytest.mark.parametrize("files", [FIRST, FRESH, LAST], ids=AGREEMENT)
def test_where_it_does_not_agree_the_column_is_masked_or_left_out(files):
    other = [(name, found) for name, found, wanted in compared(files) if found != wanted]
    assert [name for name, found in other if found not in PROTECTS] == []
