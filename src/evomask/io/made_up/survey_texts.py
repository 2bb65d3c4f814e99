"""The schema and the value trees of the bundled survey."""

from collections.abc import Sequence

from evomask.data.hierarchy import flat, of_lines
from evomask.data.trees.codes import prefixes
from evomask.data.trees.intervals import intervals
from evomask.io.hierarchies import text_of

SCHEMA = """\
# A synthetic household survey: every person, place and number in it is invented.
# kind: continuous | ordinal | nominal
# role: identifier | quasi-identifier | confidential | other | weight | stratum | household

[attributes.person]
kind = "nominal"
role = "identifier"         # never written to a masked file

[attributes.name]
kind = "nominal"
role = "identifier"

[attributes.household]
kind = "nominal"
role = "household"          # tells who lives together; never written to a masked file

[attributes.region]
kind = "nominal"
role = "stratum"

[attributes.municipality]   # a code: the first two digits are the region
kind = "nominal"
role = "quasi-identifier"
hierarchy = "hierarchies/municipality.csv"

[attributes.household_size]
kind = "ordinal"
role = "quasi-identifier"
hierarchy = "hierarchies/household_size.csv"

[attributes.area]           # of the dwelling, in square metres
kind = "continuous"
role = "quasi-identifier"
decimals = 0

[attributes.age]
kind = "ordinal"
role = "quasi-identifier"
hierarchy = "hierarchies/age.csv"

[attributes.sex]
kind = "nominal"
role = "quasi-identifier"
hierarchy = "hierarchies/sex.csv"

[attributes.marital]
kind = "nominal"
role = "quasi-identifier"
hierarchy = "hierarchies/marital.csv"

[attributes.education]
kind = "ordinal"
role = "quasi-identifier"
categories = ["none", "primary", "lower secondary", "upper secondary", "tertiary"]
hierarchy = "hierarchies/education.csv"

[attributes.health]
kind = "ordinal"
role = "confidential"
categories = ["very good", "good", "fair", "bad", "very bad"]

[attributes.occupation]     # empty for who does not work
kind = "nominal"
role = "quasi-identifier"
hierarchy = "hierarchies/occupation.csv"

[attributes.hours]          # worked in a week
kind = "continuous"
role = "other"
decimals = 0

[attributes.years_worked]
kind = "continuous"
role = "other"
decimals = 0

[attributes.years_in_job]
kind = "continuous"
role = "other"
decimals = 0

[attributes.wage]           # crowns a month, as are the next three
kind = "continuous"
role = "quasi-identifier"
decimals = 0

[attributes.other_income]
kind = "continuous"
role = "quasi-identifier"
decimals = 0

[attributes.income]
kind = "continuous"
role = "quasi-identifier"
decimals = 0

[attributes.expenses]
kind = "continuous"
role = "confidential"
decimals = 0

[attributes.weight]
kind = "continuous"
role = "weight"
decimals = 2

[attributes.visited]
kind = "ordinal"
role = "other"

[rules]
edits = ["income = wage + other_income", "years_in_job <= years_worked", "age >= 16"]
"""

MARITAL = {
    "single": "living without a spouse",
    "divorced": "living without a spouse",
    "widowed": "living without a spouse",
    "married": "living with a spouse",
}
EDUCATION = {
    "none": "basic", "primary": "basic", "lower secondary": "secondary",
    "upper secondary": "secondary", "tertiary": "tertiary",
}  # fmt: skip
OCCUPATION = {
    "cleaner": ("services", "manual"),
    "shop assistant": ("services", "manual"),
    "cook": ("services", "manual"),
    "farm hand": ("land and transport", "manual"),
    "driver": ("land and transport", "manual"),
    "electrician": ("crafts", "skilled"),
    "carpenter": ("crafts", "skilled"),
    "mechanic": ("crafts", "skilled"),
    "nurse": ("care and order", "skilled"),
    "clerk": ("care and order", "skilled"),
    "police officer": ("care and order", "skilled"),
    "teacher": ("science and teaching", "professional"),
    "engineer": ("science and teaching", "professional"),
    "researcher": ("science and teaching", "professional"),
    "physician": ("leading professions", "professional"),
    "lawyer": ("leading professions", "professional"),
    "manager": ("leading professions", "professional"),
}


def trees(municipalities: Sequence[str]) -> dict[str, str]:
    """The value trees of the survey as the text of their files, by attribute."""
    built = {
        "age": intervals([str(age) for age in range(16, 100)], (5, 10, 20, 40)),
        "municipality": prefixes(municipalities),
        "household_size": intervals([str(size) for size in range(1, 6)], (2, 4), origin=1),
        "sex": flat(("female", "male")),
        "marital": of_lines([(value, group, "*") for value, group in MARITAL.items()]),
        "education": of_lines([(value, group, "*") for value, group in EDUCATION.items()]),
        "occupation": of_lines([(value, *groups, "*") for value, groups in OCCUPATION.items()]),
    }
    return {name: text_of(tree) for name, tree in built.items()}
