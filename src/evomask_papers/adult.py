"""Adult as used by Dewri et al. (2010), with our own hierarchies of the heights they print.

The paper prints heights but not hierarchies: here ages are in bands of doubling width, countries by
region and continent, the rest by meaning.
"""

from collections.abc import Mapping

import numpy as np

from evomask.data.frames import Declaration
from evomask.data.hierarchy import Hierarchy, flat_hierarchy, hierarchy_from_lines
from evomask.data.hierarchy_builders import interval_hierarchy
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.io.datasets import reference_file
from evomask.io.dialects import Dialect
from evomask.io.tables import read_table

Grouping = Mapping[str, Mapping[str, tuple[str, ...]]]

SENSITIVE = "occupation"
LABEL = "income"
HEIGHTS = {
    "age": 6, "workclass": 3, "education": 3, "marital-status": 3, "race": 1, "sex": 1,
    "native-country": 4, "income": 1,
}  # fmt: skip
BANDS = (5, 10, 20, 40, 80)

WORKCLASS: Grouping = {
    "Employed": {
        "Private": ("Private",),
        "Self-employed": ("Self-emp-not-inc", "Self-emp-inc"),
        "Government": ("Federal-gov", "Local-gov", "State-gov"),
    },
    "Unpaid": {"None": ("Without-pay", "Never-worked")},
}
EDUCATION: Grouping = {
    "Primary": {"Primary school": ("Preschool", "1st-4th", "5th-6th")},
    "Secondary": {"High school": ("7th-8th", "9th", "10th", "11th", "12th", "HS-grad")},
    "Higher": {
        "Vocational": ("Assoc-voc", "Assoc-acdm", "Prof-school"),
        "Undergraduate": ("Some-college", "Bachelors"),
        "Graduate": ("Masters", "Doctorate"),
    },
}
MARITAL_STATUS: Grouping = {
    "Married": {
        "Together": ("Married-civ-spouse", "Married-AF-spouse"),
        "Apart": ("Married-spouse-absent",),
    },
    "Unmarried": {
        "Was married": ("Divorced", "Separated", "Widowed"),
        "Never married": ("Never-married",),
    },
}
COUNTRIES: Grouping = {
    "America": {
        "North America": (
            "United-States", "Puerto-Rico", "Canada", "Outlying-US(Guam-USVI-etc)", "Cuba",
            "Honduras", "Jamaica", "Mexico", "Dominican-Republic", "Haiti", "Guatemala",
            "El-Salvador",
        ),
        "South America": ("Ecuador", "Columbia", "Nicaragua", "Trinadad&Tobago", "Peru"),
    },
    "Old World": {
        "Asia": (
            "Cambodia", "India", "Japan", "China", "Iran", "Philippines", "Vietnam", "Laos",
            "Taiwan", "Thailand", "Hong",
        ),
        "Europe": (
            "England", "Germany", "Greece", "Italy", "Poland", "Portugal", "Ireland", "France",
            "Hungary", "Scotland", "Yugoslavia", "Holand-Netherlands",
        ),
        "Africa": ("South",),
    },
}  # fmt: skip


def complete_records() -> Table:
    """Return the complete records of Adult, with all attributes as categories."""
    declared = {name: Declaration(kind=Kind.NOMINAL) for name in (*HEIGHTS, SENSITIVE)}
    for name in HEIGHTS:
        declared[name] = Declaration(kind=Kind.NOMINAL, role=Role.QUASI_IDENTIFIER)
    table = read_table(reference_file("uci/adult.csv"), declared, Dialect(missing=("?",)))
    table = table.only(declared)
    known = [table[name] < table.attribute(name).domain_size for name in declared]
    return table.take(np.flatnonzero(np.all(known, axis=0)))


def hierarchies() -> dict[str, Hierarchy]:
    """Hierarchies of the eight quasi-identifiers, in the order of the paper's table."""
    return {
        "age": interval_hierarchy([str(age) for age in range(17, 91)], BANDS),
        "workclass": _of(WORKCLASS),
        "education": _of(EDUCATION),
        "marital-status": _of(MARITAL_STATUS),
        "race": flat_hierarchy(
            ("White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black")
        ),
        "sex": flat_hierarchy(("Male", "Female")),
        "native-country": _countries(),
        "income": flat_hierarchy(("<=50K", ">50K")),
    }


def _of(groups: Grouping) -> Hierarchy:
    return hierarchy_from_lines(
        [
            (value, group, larger, "*")
            for larger, parts in groups.items()
            for group, values in parts.items()
            for value in values
        ]
    )


def _countries() -> Hierarchy:
    """Hierarchy of countries; the most frequent country stays separate for one level more."""
    return hierarchy_from_lines(
        [
            (value, value if value == "United-States" else region, region, part, "*")
            for part, regions in COUNTRIES.items()
            for region, values in regions.items()
            for value in values
        ]
    )
