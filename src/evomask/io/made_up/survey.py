"""The bundled example: a household survey of a country that does not exist.

Every person, place and number is invented by the generator below. The survey is shaped like a
real one: households in regions and municipalities, people whose schooling, work, income and
health hang together, survey weights, refusals, and rules that every record obeys.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evomask.errors import ParameterError
from evomask.io.files import write_text
from evomask.io.made_up.survey_texts import SCHEMA, trees

REGIONS = ("Aldmark", "Brennwick", "Corvale", "Dunmere", "Estmoor", "Fallowlands")
REGION_SHARES = (0.31, 0.22, 0.17, 0.14, 0.10, 0.06)
SAMPLED_SHARES = (0.22, 0.19, 0.17, 0.16, 0.14, 0.12)
"""Small regions are sampled more, so that they have results of their own; weights undo it."""
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
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Households:
    """What the people of a household share; one entry for each household."""

    size: Indices
    region: Indices
    municipality: Indices
    wealth: Floats
    area: Floats


@dataclass(frozen=True)
class People:
    """Who lives where, and how old they are; one entry for each person."""

    household: Indices
    place: Indices
    age: Indices
    sex: Indices


def survey(n_records: int = 3000, seed: int = 1) -> pl.DataFrame:
    """A sample of people of 16 and older; the same seed gives the same people."""
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

    Files that are there already with the very same content are left alone.
    """
    frame = survey(n_records, seed)
    (folder / "hierarchies").mkdir(parents=True, exist_ok=True)
    municipalities = frame["municipality"].unique().sort().to_list()
    contents = {
        "survey.csv": frame.write_csv(),
        "survey.toml": SCHEMA,
        **{f"hierarchies/{name}.csv": text for name, text in trees(municipalities).items()},
    }
    for name, text in contents.items():
        _write(folder / name, text, force=force)
    return tuple(folder / name for name in contents)


def _write(path: Path, text: str, *, force: bool) -> None:
    if not (path.is_file() and path.read_bytes() == text.encode()):
        write_text(path, text, force=force)


def _households(n_people: int, rng: np.random.Generator) -> Households:
    """Enough households for the people wanted, in no order."""
    sizes = rng.choice([1, 2, 3, 4, 5], n_people, p=[0.34, 0.37, 0.16, 0.10, 0.03])
    sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), n_people)) + 1]
    region = rng.choice(len(REGIONS), len(sizes), p=SAMPLED_SHARES)
    town = np.minimum(rng.geometric(0.22, len(sizes)), MUNICIPALITIES)
    wealth = rng.normal(0, 1, len(sizes)) + 0.25 * (town <= 2) - 0.08 * region
    area = 38 + 19 * sizes + 14 * wealth + rng.normal(0, 14, len(sizes)) + 2.5 * town
    return Households(sizes, region, town, wealth, np.maximum(18, area).round())


def _people(homes: Households, n_people: int, rng: np.random.Generator) -> People:
    """The reference person first, then a partner, then grown-up children and others."""
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
    """Younger and better-off people went to school longer; who is under 20 is not done yet."""
    drawn = 0.55 * wealth - 0.02 * (people.age - 45) + rng.normal(0, 1, len(wealth))
    level = np.searchsorted([-2.1, -1.15, -0.35, 0.75], drawn)
    return np.where(people.age < 20, np.minimum(level, 3), level)


def _identity(homes: Households, people: People, rng: np.random.Generator) -> dict[str, Texts]:
    """Who and where: the columns that tell people apart at once."""
    n_homes, n_people = len(homes.size), len(people.age)
    family = _joined(rng, FAMILY, FAMILY_END, n_homes)[people.household]
    given = _joined(rng, FIRST, SECOND, n_people)
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


def _joined(
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
    """Couples are mostly married; who lives alone was once, the more likely the older."""
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
    """Work by age and schooling; income is always the sum of its two parts."""
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
    """Pensions for the old, benefits for some, rents and dividends for the wealthy."""
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
    """Weights that bring each region to its share of the population, and the day of the visit."""
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
    """Some people do not answer: about money not at all, about others now and then."""
    money = ("wage", "other_income", "income", "expenses")
    shares: Mapping[tuple[str, ...], float] = {
        money: 0.04, ("health",): 0.02, ("education",): 0.01,
    }  # fmt: skip
    for names, share in shares.items():
        silent = pl.Series(rng.random(frame.height) < share)
        frame = frame.with_columns(
            pl.when(silent).then(None).otherwise(pl.col(name)).alias(name) for name in names
        )
    return frame
