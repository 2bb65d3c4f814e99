"""Worked examples of the two theses: places, topics, Mondrian regions, chromosomes of groups."""

from collections.abc import Sequence

import numpy as np

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.searches.grouping.genome import grouping_of, groups_of, identity
from evomask_graphs.aggregation import borda_topics, common_places
from evomask_graphs.places import Places
from evomask_papers.examples import PROTECTED, USERS

Row = dict[str, object]

COLUMNS = ("sublocality", "city", "state", "country", "continent")
ABOVE = ("United States", "North America")
CITY = ("New York City", "New York", *ABOVE)
PLACES = {
    "Brooklyn": ("Brooklyn", *CITY),
    "Manhattan": ("Manhattan", *CITY),
    "Central Park": ("Central Park", *CITY),
    "New York City": ("", *CITY),
    "Washington DC": ("", "Washington DC", "", *ABOVE),
    "United States": ("", "", "", *ABOVE),
}
DISTANCES = {("New York City", "Washington DC"): 1.0, ("Brooklyn", "United States"): 0.714}
PARENTS = {
    ("Brooklyn", "Washington DC"): "United States",
    ("Manhattan", "Central Park"): "New York City",
}
"""Figure 6.2: places, and the text's statements on pairs of them."""


def figure_6_2() -> list[Row]:
    """Distances and common parents of places in a tree."""
    tree = Places.of(COLUMNS, PLACES.values())
    names = {tree.codes[path]: name for name, path in PLACES.items()}
    rows: list[Row] = []
    for pair, paper in DISTANCES.items():
        a, b = _codes(tree, pair)
        ours = float(tree.distances(np.array([a]), np.array([b]))[0])
        rows.append({"what": f"distance of {' and '.join(pair)}", "paper": paper, "ours": ours})
    for pair, parent in PARENTS.items():
        common = common_places(tree, np.array(_codes(tree, pair)), np.array([0, 0]))
        told = names.get(int(common[0]))
        rows.append({"what": f"parent of {' and '.join(pair)}", "paper": parent, "ours": told})
    return rows


def _codes(tree: Places, names: Sequence[str]) -> list[int]:
    return [tree.codes[PLACES[name]] for name in names]


def figure_6_3() -> list[Row]:
    """Topics of three users voted into one profile by Borda counts."""
    ballots = [topics for _, topics in USERS]
    names = sorted({topic for topics in ballots for topic in topics})
    codes = np.array([[names.index(topic) for topic in topics] for topics in ballots])
    chosen = borda_topics(codes, np.zeros(len(ballots), dtype=np.int64))[0]
    places = ("first", "second", "third")
    return [
        {"topic": place, "paper": paper, "ours": names[code]}
        for place, paper, code in zip(places, PROTECTED[1], chosen, strict=True)
    ]


SIX = (("1", "A"), ("1", "B"), ("2", "B"), ("3", "B"), ("1", "C"), ("2", "D"))
"""Six points on 3 by 4 categories; the text only gives the last point of the figure."""


def figure_2_4() -> list[Row]:
    """Regions of Mondrian with k = 2, and the masked bottom point."""
    domains = {"X": ("1", "2", "3"), "Y": ("A", "B", "C", "D")}
    attributes = [
        Attribute(name, Kind.ORDINAL, Role.QUASI_IDENTIFIER, values)
        for name, values in domains.items()
    ]
    columns = {
        name: np.array([values.index(point[place]) for point in SIX], dtype=np.int32)
        for place, (name, values) in enumerate(domains.items())
    }
    table = Table(Schema(tuple(attributes)), columns)
    method = Mondrian(("Y", "X"), k=2)
    regions = np.bincount(method.partition(table, np.random.default_rng(0)))
    masked = method.mask(table, np.random.default_rng(0))
    return [
        {"what": "regions", "paper": 3, "ours": len(regions)},
        {"what": "points in each", "paper": [2, 2, 2], "ours": regions.tolist()},
        {"what": "X of {2, D}", "paper": "[1, 2]", "ours": _spanned(masked, "X", domains["X"])},
        {"what": "Y of {2, D}", "paper": "[C, D]", "ours": _spanned(masked, "Y", domains["Y"])},
    ]


def _spanned(masked: Table, name: str, values: Sequence[str]) -> str:
    """The least and the greatest value that the last point may have."""
    recoding, cell = masked.recodings[name], int(masked[name][-1])
    return f"[{values[int(recoding.low[cell])]}, {values[int(recoding.high[cell])]}]"


GROUPS = ((0, 1, 4), (2, 3))
"""Figure 3.1 of the grouping thesis: attributes 1, 2 and 5 together, 3 and 4 together."""


def figure_parts() -> list[Row]:
    """Object and group part of the chromosome of a grouping of five attributes."""
    genome = grouping_of(GROUPS, 5)
    told = [[place + 1 for place in group] for group in groups_of(genome)]
    return [
        {"what": "groups of attributes", "paper": [[1, 2, 5], [3, 4]], "ours": told},
        {"what": "genes with the group part", "paper": 7, "ours": len(genome) + len(told)},
    ]


def figure_clones() -> list[Row]:
    """Chromosomes that represent the same grouping are detected as clones."""
    one, other = grouping_of(GROUPS, 5), grouping_of(GROUPS[::-1], 5)
    return [
        {"what": "different chromosomes", "paper": True, "ours": one.tolist() != other.tolist()},
        {"what": "the same grouping", "paper": True, "ours": identity(one) == identity(other)},
    ]
