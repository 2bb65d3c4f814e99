"""Reproductions of worked examples, settings and data descriptions of the papers."""

from collections.abc import Mapping, Sequence

import numpy as np

from evomask.data.chart import Axis, Chart, Series
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.evolution.variation import gray
from evomask.io.datasets import reference_file
from evomask.io.tables import read_table
from evomask.kernels.groups.exact import optimum
from evomask.kernels.groups.mdav import mdav
from evomask.masking.composition import InTurn
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.rank_swapping import swap_partners
from evomask.searches.partition.genetic import MACROGROUPS
from evomask.types import Points
from evomask_graphs.graph import Graph, table_of_texts
from evomask_graphs.information_loss import adjacency_loss, distribution_loss
from evomask_graphs.places import LEVELS, WORLD_LEVEL
from evomask_graphs.profiles import ProfileColumns, Profiles, profiles_of
from evomask_papers.grouping.inputs import CENSUS, WATER, hand_made
from evomask_papers.grouping.inputs import original as grouped_file
from evomask_papers.housing import housing

Row = dict[str, object]

HOUSING_SIZES = {"BUILT": 24, "DEGREE": 7, "GRADE1": 20, "METRO": 9, "SCH": 6}
GERMAN_SIZES = {
    "EXISTACC": 5, "CREDHIST": 6, "PURPOSE": 12, "SAVINGS": 6, "PRESEMPLOY": 6, "STATSEX": 6,
    "OTHER": 4, "PROPERTY": 5, "OTHERPLANS": 4, "HOUSING": 4, "JOB": 5, "TELEPHONE": 3,
    "FOREIGN": 3,
}  # fmt: skip
FLARE_SIZES = {
    "CLASS": 8, "LARGSPOT": 7, "SPOTDIST": 5, "ACTIVITY": 3, "EVOLUTION": 4, "PREVFLARE": 4,
    "HISTOCOMP": 3, "SUNDISK": 3, "AREA": 3, "AREALARGSPOT": 3, "C-CLASS": 10, "M-CLASS": 10,
    "X-CLASS": 10,
}  # fmt: skip
ADULT_SIZES = {
    "WORKCLASS": 9, "EDUCATION": 17, "MARITAL-STATUS": 8, "OCCUPATION": 15, "RELATIONSHIP": 7,
    "RACE": 6, "SEX": 3, "NATIVE-COUNTRY": 42,
}  # fmt: skip
"""Tables 2.2 to 2.5 of the thesis on evolved protections: categories of each attribute."""


def table_2_2() -> list[Row]:
    """Categories of each attribute that is used, U.S. Housing."""
    table = housing()
    sizes = {name: len(table.attribute(name).categories) for name in HOUSING_SIZES}
    return _size_rows(HOUSING_SIZES, sizes)


def table_2_3() -> list[Row]:
    """Categories of each attribute, German credit."""
    return _size_rows(GERMAN_SIZES, _sizes_in("uci/german_credit.csv"))


def table_2_4() -> list[Row]:
    """Categories of each attribute, Solar flare."""
    return _size_rows(FLARE_SIZES, _sizes_in("uci/solar_flare.csv"))


def table_2_5() -> list[Row]:
    """Categories of each attribute, Adult."""
    return _size_rows(ADULT_SIZES, _sizes_in("uci/adult.csv"))


def _sizes_in(file: str) -> dict[str, int]:
    table = read_table(reference_file(file))
    return {name.upper(): len(np.unique(table[name])) for name in table.schema.names}


def _size_rows(paper: Mapping[str, int], ours: Mapping[str, int]) -> list[Row]:
    found = {name.replace("_", "-"): size for name, size in ours.items()}
    return [{"attribute": n, "paper": size, "ours": found.get(n)} for n, size in paper.items()]


SWAPPED = {
    "V1": ([8, 6, 10, 7, 9, 2, 1, 4, 5, 3], [10, 5, 8, 9, 7, 4, 3, 2, 6, 1]),
    "V2": ([9, 7, 3, 1, 4, 2, 10, 8, 5, 6], [10, 5, 4, 2, 3, 1, 9, 6, 7, 8]),
    "V3": ([1, 10, 4, 2, 6, 8, 3, 7, 5, 9], [3, 8, 2, 4, 5, 10, 1, 9, 6, 7]),
}
DRAWS = 300


def table_swapping() -> list[Row]:
    """Rank swapping with p = 2: whether one of our draws equals the printed result."""
    drawn = {tuple(swap_partners(10, 2, np.random.default_rng(s)).tolist()) for s in range(DRAWS)}
    rows: list[Row] = []
    for name, (before, after) in SWAPPED.items():
        printed = dict(zip(before, after, strict=True))
        wanted = tuple(printed[value] - 1 for value in range(1, 11))
        rows.append({"attribute": name, "paper": after, "ours": after if wanted in drawn else None})
    return rows


PARTED = {"a1": [1, 3, 5, 8, 12, 13], "a2": [2, 6, 3, 9, 8, 10]}
PARTED_MASKED = {"a1": [2, 2, 6.5, 6.5, 12.5, 12.5], "a2": [1.5, 7, 1.5, 9.5, 7, 9.5]}


def table_parted() -> list[Row]:
    """Two attributes microaggregated separately, k = 2: all records are unique."""
    attributes = [Attribute(n, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for n in PARTED]
    columns = {name: np.array(values, dtype=np.float64) for name, values in PARTED.items()}
    apart = InTurn((MdavGeneric(("a1",), 2), MdavGeneric(("a2",), 2)))
    masked = apart.mask(Table(Schema(tuple(attributes)), columns), np.random.default_rng(0))
    return [
        {"attribute": name, "paper": paper, "ours": masked[name].tolist()}
        for name, paper in PARTED_MASKED.items()
    ]


def table_genomes() -> list[Row]:
    """Genomes of masked values relative to the original ones, in Gray code."""
    printed = {
        (1500, 1000): "10100101110", (1500, 1900): "1111101000", (12, 7): None, (7, 12): None,
    }  # fmt: skip
    return [
        {"masked": x, "original": y, "paper": code, "ours": f"{gray(x) ^ gray(y):b}"}
        for (x, y), code in printed.items()
    ]


def table_a_1() -> list[Row]:
    """Hand-made groupings of Census."""
    return _grouping_rows(CENSUS)


def table_a_2() -> list[Row]:
    """Hand-made groupings of Water-treatment."""
    return _grouping_rows(WATER)


def _grouping_rows(name: str) -> list[Row]:
    table = grouped_file(name)
    related = np.abs(np.corrcoef(table.matrix(table.schema.quasi_identifiers), rowvar=False))
    rows: list[Row] = []
    correlated = ((n, g) for n, g in hand_made(name).items() if n.startswith("G_"))
    for label, grouping in correlated:
        together = (grouping[:, None] == grouping[None, :]) & ~np.eye(len(grouping), dtype=bool)
        rows.append(
            {
                "grouping": label,
                "joins": "correlated" if label.startswith("G_c") else "not correlated",
                "groups": int(grouping.max()) + 1,
                "mean absolute correlation within groups": float(related[together].mean()),
            }
        )
    return rows


def table_hybrid_1() -> list[Row]:
    """Parameters of the genetic algorithm inside the hybrid."""
    return [
        {"what": "chromosomes", "paper": 10, "ours": MACROGROUPS.chromosomes},
        {"what": "mutation rate", "paper": 0.1, "ours": MACROGROUPS.mutation},
        {"what": "crossover rate", "paper": 0.5, "ours": MACROGROUPS.crossover},
        {"what": "iterations", "paper": 10_000, "ours": MACROGROUPS.epochs},
    ]


ELEVEN: Points = np.array(
    [[0.0, 0.0], [0.5, 1.0], [1.0, 0.0], [8.0, 0.0], [8.5, 1.0], [9.0, 0.0],
     [14.0, 0.5], [14.5, 1.2], [15.5, 0.5], [16.0, 1.2], [16.5, 0.2]]
)  # fmt: skip
"""Three, three and five points close together, as in figure 1 of the paper on the hybrid."""


def figure_hybrid_1() -> list[Chart]:
    """Eleven points that MDAV divides badly, k = 3."""
    made = {"MDAV": mdav(ELEVEN, 3), "optimum": optimum(ELEVEN, 3)}
    texts = {name: _groups(labels) for name, labels in made.items()}
    series = tuple(
        Series(
            f"{name}, group {g + 1}", "points",
            tuple(ELEVEN[labels == g, 0] + (0.15 if name == "optimum" else 0.0)),
            tuple(ELEVEN[labels == g, 1] - (3.0 if name == "optimum" else 0.0)),
        )
        for name, labels in made.items()
        for g in range(int(labels.max()) + 1)
    )  # fmt: skip
    return [
        Chart(
            "mdav-divides-badly",
            "Eleven points in groups of three or more, MDAV above and the optimum below",
            "Paper: MDAV {1,2,3} {4,5,6,7,8} {9,10,11}, optimum {1,2,3} {4,5,6} {7,8,9,10,11}. "
            f"Ours: MDAV {texts['MDAV']}, optimum {texts['optimum']}.",
            Axis("first attribute"),
            Axis("second attribute"),
            series,
        )
    ]


def _groups(labels: Sequence[int] | np.ndarray) -> str:
    groups: dict[int, list[int]] = {}
    for place, label in enumerate(labels, 1):
        groups.setdefault(int(label), []).append(place)
    ordered = sorted(groups.values())
    return " ".join("{" + ",".join(map(str, group)) + "}" for group in ordered)


KINDS = {
    "route": 0, "sublocality": 0, "natural_feature": 0, "point_of_interest": 0, "neighborhood": 0,
    "locality": 1, "colloquial_area": 1, "admin3": 2, "admin2": 3, "admin1": 4, "country": 5,
    "political": 5, "continent": 6, "world": 7,
}  # fmt: skip


def table_6_1() -> list[Row]:
    """Levels of abstraction of places."""
    ours = {**LEVELS, "world": WORLD_LEVEL}
    return [{"type": kind, "paper": level, "ours": ours[kind]} for kind, level in KINDS.items()]


PLACE_COLUMNS = ("city", "state", "country", "continent")
AMERICA = ("United States", "North America")
USERS = (
    (("Washington DC", "", *AMERICA), ("Technology", "Politics", "Weather")),
    (("", "", *AMERICA), ("Technology", "Sports", "Religion")),
    (("New York City", "New York", *AMERICA), ("Politics", "Technology", "Sports")),
)
PROTECTED = (("", "", *AMERICA), ("Technology", "Politics", "Sports"))
"""Figure 6.5: user 2 is linked with users 1 and 3; all three get one profile."""


def _small_graph(users: Sequence[tuple[tuple[str, ...], tuple[str, ...]]]) -> Graph:
    names = (*PLACE_COLUMNS, "topic1", "topic2", "topic3")
    values = [(*place, *topics) for place, topics in users]
    columns = {
        name: np.array([row[j] for row in values], dtype=object) for j, name in enumerate(names)
    }
    return Graph(("1", "2", "3"), table_of_texts(columns), np.array([[0, 1], [1, 2]]))


def _before_and_after() -> tuple[Graph, Profiles, Profiles]:
    graph = _small_graph(USERS)
    columns = ProfileColumns(PLACE_COLUMNS, ("topic1", "topic2", "topic3"))
    before, after = profiles_of(columns, graph.nodes, _small_graph([PROTECTED] * 3).nodes)
    return graph, before, after


def figure_6_6() -> list[Row]:
    """AAMIL of the location of three users."""
    graph, before, after = _before_and_after()
    ours = adjacency_loss(before, after, graph.arcs, graph.arcs).attributes["location"] / 100
    return [{"what": "AAMIL, location", "paper": 0.5, "ours": ours}]


def figure_6_7() -> list[Row]:
    """CDIL of the first topic of three users."""
    _, before, after = _before_and_after()
    ours = distribution_loss(before, after).attributes["topic1"] / 100
    return [{"what": "CDIL, first topic", "paper": 0.333, "ours": ours}]


def figure_6_8() -> list[Row]:
    """DBIL of the second of three users."""
    _, before, after = _before_and_after()
    ours = float(np.mean([values[1] for values in before.distances(after).values()]))
    return [{"what": "DBIL, user 2", "paper": 0.5, "ours": ours}]
