"""Data sets: reference data of the field, and the bundled example survey.

Reference data do not ship with evomask; they are found beside a checkout, in the cache folder, or
in the folder ``EVOMASK_DATA``. The example is a synthetic household survey: every person, place
and number is generated. Like a real survey it has households in regions and municipalities,
dependent attributes (education, work, income, health), weights, item non-response and edit rules.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evomask.data.hierarchy import flat_hierarchy, hierarchy_from_lines
from evomask.data.hierarchy_builders import interval_hierarchy, prefix_hierarchy
from evomask.errors import FileError, ParameterError
from evomask.io.files import write_text
from evomask.io.hierarchies import hierarchy_text
from evomask.types import Flags, Floats, Indices

CHECKOUT = Path(__file__).parents[3]

REGIONS = ("Aldmark", "Brennwick", "Corvale", "Dunmere", "Estmoor", "Fallowlands")
REGION_SHARES = (0.31, 0.22, 0.17, 0.14, 0.10, 0.06)
SAMPLED_SHARES = (0.22, 0.19, 0.17, 0.16, 0.14, 0.12)
"""Small regions are oversampled; weights correct for it."""
MUNICIPALITIES = 14
POPULATION = 2_400_000

FIRST = ("Ta", "Mi", "Lo", "Re", "Sa", "Ve", "Ku", "No", "Ji", "Ba", "Ela", "Ori")
SECOND = ("ra", "lo", "ni", "vek", "dan", "mo", "lis", "tan", "ria", "bor")
FAMILY = ("Ver", "Hol", "Mar", "Quin", "Ost", "Tav", "Bel", "Dros", "Fen", "Gal", "Isk", "Lum")
FAMILY_END = ("rin", "mer", "dale", "vik", "sen", "quay", "thorn", "ara", "field")

EDUCATION = ("none", "primary", "lower secondary", "upper secondary", "tertiary")
HEALTH = ("very good", "good", "fair", "bad", "very bad")
SIMPLE = ("cleaner", "farm hand", "shop assistant", "driver", "cook")
SKILLED = ("electrician", "carpenter", "nurse", "clerk", "mechanic", "police officer")
LEARNED = ("teacher", "engineer", "physician", "lawyer", "manager", "researcher")

Texts = NDArray[Any]

MARITAL_GROUPS = {
    "single": "living without a spouse",
    "divorced": "living without a spouse",
    "widowed": "living without a spouse",
    "married": "living with a spouse",
}
EDUCATION_GROUPS = {
    "none": "basic", "primary": "basic", "lower secondary": "secondary",
    "upper secondary": "secondary", "tertiary": "tertiary",
}  # fmt: skip
OCCUPATION_GROUPS = {
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


def reference_folder() -> Path | None:
    """Folder of the reference data; None if there is none."""
    named = os.environ.get("EVOMASK_DATA")
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "evomask" / "data"
    folders = (Path(named),) if named else (CHECKOUT.parent / "shared" / "data", cache)
    return next((folder for folder in folders if (folder / "casc").is_dir()), None)


def reference_file(name: str) -> Path:
    """Path of a reference file such as ``casc/census.csv``."""
    folder = reference_folder()
    if folder is None or not (folder / name).is_file():
        raise FileError(
            f"reference file {name} not found; set EVOMASK_DATA to the folder of the reference data"
        )
    return folder / name


@dataclass(frozen=True)
class Households:
    """Attributes of households; one entry for each household."""

    size: Indices
    region: Indices
    municipality: Indices
    wealth: Floats
    area: Floats


@dataclass(frozen=True)
class People:
    """Household, position in it, age and sex; one entry for each person."""

    household: Indices
    place: Indices
    age: Indices
    sex: Indices


def survey(n_records: int = 3000, seed: int = 1) -> pl.DataFrame:
    """Generate a sample of people aged 16 and older; the seed determines it."""
    if n_records < 10:
        raise ParameterError(f"a survey needs at least 10 records, got {n_records}")
    rng = np.random.default_rng(seed)
    homes = _households(n_records, rng)
    people = _people(homes, n_records, rng)
    wealth = homes.wealth[people.household]
    education = _education(people, wealth, rng)
    columns = {
        **_identity(homes, people, rng),
        **_private_life(people, education, rng),
        **_work_and_money(people, education, wealth, rng),
        **_sampling(homes, people, rng),
    }
    frame = pl.DataFrame(columns).with_columns(pl.col("occupation").replace("", None))
    return _with_refusals(frame, rng)


def write_survey(
    folder: Path, n_records: int = 3000, seed: int = 1, *, force: bool = False
) -> tuple[Path, ...]:
    """Write ``survey.csv``, its schema ``survey.toml`` and its hierarchies into *folder*.

    Existing files with the same content are left unchanged.
    """
    frame = survey(n_records, seed)
    (folder / "hierarchies").mkdir(parents=True, exist_ok=True)
    municipalities = frame["municipality"].unique().sort().to_list()
    contents = {
        "survey.csv": frame.write_csv(),
        "survey.toml": Path(__file__).with_name("survey.toml").read_text(encoding="utf-8"),
        **{
            f"hierarchies/{name}.csv": text
            for name, text in _survey_hierarchies(municipalities).items()
        },
    }
    for name, text in contents.items():
        path = folder / name
        if not (path.is_file() and path.read_bytes() == text.encode()):
            write_text(path, text, force=force)
    return tuple(folder / name for name in contents)


def _households(n_people: int, rng: np.random.Generator) -> Households:
    """Generate enough households for *n_people*."""
    sizes = rng.choice([1, 2, 3, 4, 5], n_people, p=[0.34, 0.37, 0.16, 0.10, 0.03])
    sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), n_people)) + 1]
    region = rng.choice(len(REGIONS), len(sizes), p=SAMPLED_SHARES)
    town = np.minimum(rng.geometric(0.22, len(sizes)), MUNICIPALITIES)
    wealth = rng.normal(0, 1, len(sizes)) + 0.25 * (town <= 2) - 0.08 * region
    area = 38 + 19 * sizes + 14 * wealth + rng.normal(0, 14, len(sizes)) + 2.5 * town
    return Households(sizes, region, town, wealth, np.maximum(18, area).round())


def _people(homes: Households, n_people: int, rng: np.random.Generator) -> People:
    """Generate the reference person of each household, a partner, and adult children."""
    household = np.repeat(np.arange(len(homes.size)), homes.size)[:n_people]
    first = np.concatenate([[True], household[1:] != household[:-1]])
    place = np.arange(n_people) - np.maximum.accumulate(np.where(first, np.arange(n_people), 0))
    head = np.clip(rng.normal(50, 17, len(homes.size)), 18, 96)[household]
    partner = np.clip(head + rng.normal(-1, 4, n_people), 18, 96)
    child = np.clip(head - rng.normal(28, 5, n_people), 16, 60)
    age = np.select([place == 0, place == 1], [head, partner], child).astype(np.int64)
    sex = rng.integers(0, 2, n_people)
    paired = np.flatnonzero((place == 1) & (rng.random(n_people) < 0.96))
    sex[paired] = 1 - sex[paired - 1]
    return People(household, place, age, sex)


def _education(people: People, wealth: Floats, rng: np.random.Generator) -> Indices:
    drawn = 0.55 * wealth - 0.02 * (people.age - 45) + rng.normal(0, 1, len(wealth))
    level = np.searchsorted([-2.1, -1.15, -0.35, 0.75], drawn)
    return np.where(people.age < 20, np.minimum(level, 3), level)


def _identity(homes: Households, people: People, rng: np.random.Generator) -> dict[str, Texts]:
    """Generate identifiers and places."""
    n_homes, n_people = len(homes.size), len(people.age)
    family = _random_names(rng, FAMILY, FAMILY_END, n_homes)[people.household]
    given = _random_names(rng, FIRST, SECOND, n_people)
    number = rng.permutation(90_000)[:n_homes] + 10_000 if n_homes <= 90_000 else np.arange(n_homes)
    home = np.char.add("H", number.astype(str))[people.household]
    town = homes.municipality[people.household]
    region = homes.region[people.household]
    code = [f"{r + 1:02}{m:02}{m * 7 % 10}" for r, m in zip(region, town, strict=True)]
    return {
        "person": np.char.add(np.char.add(home, "-"), (people.place + 1).astype(str)),
        "name": np.char.add(np.char.add(given, " "), family),
        "household": home,
        "region": np.array(REGIONS)[region],
        "municipality": np.array(code),
        "household_size": homes.size[people.household],
        "area": homes.area[people.household].astype(np.int64),
    }


def _random_names(
    rng: np.random.Generator, first: Sequence[str], second: Sequence[str], size: int
) -> Texts:
    return np.char.add(rng.choice(first, size), rng.choice(second, size))


def _private_life(people: People, education: Indices, rng: np.random.Generator) -> dict[str, Texts]:
    ill = 0.032 * (people.age - 50) - 0.22 * (education - 2) + rng.normal(0, 1, len(people.age))
    return {
        "age": people.age,
        "sex": np.array(["female", "male"])[people.sex],
        "marital": _marital(people, rng),
        "education": np.array(EDUCATION)[education],
        "health": np.array(HEALTH)[np.searchsorted([-0.9, 0.5, 1.6, 2.6], ill)],
    }


def _marital(people: People, rng: np.random.Generator) -> Texts:
    """Generate marital status: couples are mostly married, the older often widowed or divorced."""
    chance = rng.random(len(people.age))
    company = np.bincount(people.household)[people.household]
    couple = (company > 1) & (people.place < 2)
    once = (people.place == 0) & (chance < 0.017 * (people.age - 22))
    return np.select(
        [couple & (chance < 0.012 * people.age + 0.3), once & (chance < 0.02 * (people.age - 60)),
         once],
        ["married", "widowed", "divorced"], "single",
    )  # fmt: skip


def _work_and_money(
    people: People, education: Indices, wealth: Floats, rng: np.random.Generator
) -> dict[str, Texts]:
    """Generate work by age and education; income is the sum of wage and other income."""
    working = _is_working(people, education, rng)
    trained = np.clip(people.age - np.array([14, 15, 16, 18, 22])[education], 0, 50)
    since = np.where(working, trained, np.clip(trained - 5, 0, 40))
    hours = np.where(working, np.clip(rng.normal(38, 7, len(wealth)), 4, 70), 0).round()
    pay = np.exp(
        6.75 + 0.21 * education + 0.24 * wealth + 0.011 * np.minimum(since, 30)
        - 0.11 * (people.sex == 0) + rng.normal(0, 0.28, len(wealth))
    )  # fmt: skip
    wage = np.where(working, pay * hours / 38, 0).round()
    other = _other_income(people, pay, wealth, rng)
    spent = (210 + 0.62 * (wage + other)) * np.exp(rng.normal(0, 0.22, len(wealth)))
    return {
        "occupation": np.where(working, _occupation(education, rng), ""),
        "hours": hours.astype(np.int64),
        "years_worked": since,
        "years_in_job": np.where(working, (since * rng.beta(1.1, 1.6, len(since))), 0).astype(int),
        "wage": wage.astype(np.int64),
        "other_income": other.astype(np.int64),
        "income": (wage + other).astype(np.int64),
        "expenses": spent.round().astype(np.int64),
    }


def _is_working(people: People, education: Indices, rng: np.random.Generator) -> Flags:
    chance = 0.66 + 0.06 * (education - 2)
    chance = np.where(people.age < 22, chance - 0.4, chance + 0.1)
    chance = np.select([people.age > 74, people.age > 64], [0, 0.09], chance)
    working: Flags = rng.random(len(chance)) < chance
    return working


def _other_income(people: People, pay: Floats, wealth: Floats, rng: np.random.Generator) -> Floats:
    """Generate pensions, benefits and capital income."""
    pension = np.where(people.age > 64, 0.62 * pay, 0)
    benefit = np.where(rng.random(len(pay)) < 0.14, rng.gamma(3, 95, len(pay)), 0)
    capital = np.where(wealth > 0.9, rng.pareto(2.6, len(pay)) * 260, 0)
    total: Floats = (pension + benefit + capital).round()
    return total


def _occupation(education: Indices, rng: np.random.Generator) -> Texts:
    reach = education + rng.normal(0, 0.7, len(education))
    groups = [rng.choice(group, len(education)) for group in (SIMPLE, SKILLED, LEARNED)]
    return np.select([reach < 2.2, reach < 3.6], groups[:2], groups[2])


def _sampling(homes: Households, people: People, rng: np.random.Generator) -> dict[str, Texts]:
    """Generate survey weights, calibrated to the regions' populations, and interview dates."""
    region = homes.region[people.household]
    answered = np.bincount(region, minlength=len(REGIONS))
    weight = POPULATION * np.array(REGION_SHARES)[region] / answered[region]
    spread = np.exp(rng.normal(0, 0.18, len(homes.size)))[people.household]
    day = rng.integers(0, 180, len(homes.size))[people.household]
    return {
        "weight": (weight * spread).round(2),
        "visited": np.datetime64("2024-02-01") + day.astype("timedelta64[D]"),
    }


def _with_refusals(frame: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Set some answers to missing: all amounts of some people, health or education of others."""
    money = ("wage", "other_income", "income", "expenses")
    shares: Mapping[tuple[str, ...], float] = {
        money: 0.04, ("health",): 0.02, ("education",): 0.01,
    }  # fmt: skip
    for names, share in shares.items():
        refused = pl.Series(rng.random(frame.height) < share)
        frame = frame.with_columns(
            pl.when(refused).then(None).otherwise(pl.col(name)).alias(name) for name in names
        )
    return frame


def _survey_hierarchies(municipalities: Sequence[str]) -> dict[str, str]:
    """Return the texts of the survey's hierarchy files, by attribute."""
    built = {
        "age": interval_hierarchy([str(age) for age in range(16, 100)], (5, 10, 20, 40)),
        "municipality": prefix_hierarchy(municipalities),
        "household_size": interval_hierarchy([str(size) for size in range(1, 6)], (2, 4), origin=1),
        "sex": flat_hierarchy(("female", "male")),
        "marital": hierarchy_from_lines(
            [(value, group, "*") for value, group in MARITAL_GROUPS.items()]
        ),
        "education": hierarchy_from_lines(
            [(value, group, "*") for value, group in EDUCATION_GROUPS.items()]
        ),
        "occupation": hierarchy_from_lines(
            [(value, *groups, "*") for value, groups in OCCUPATION_GROUPS.items()]
        ),
    }
    return {name: hierarchy_text(hierarchy) for name, hierarchy in built.items()}
