"""k, l and t of what we make, as pycanon sees them."""

from itertools import cycle, islice

import numpy as np
import pytest

from evomask.data.frames import Declaration
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.io.csv import Dialect
from evomask.io.tables import read_table
from evomask.masking.composition import InTurn
from evomask.masking.enforce.repair import Repair
from evomask.masking.local_suppression import LocalSuppression, SuppressionMatching
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.microaggregation.mondrian import Cut, Mondrian
from evomask.masking.noise import IndependentNoise
from evomask.masking.randomization.pram import Pram
from evomask.masking.rank_swapping import RankSwapping
from evomask.masking.recoding.global_recoding import GlobalRecoding
from evomask.masking.recoding.group_values import GroupValues
from evomask.masking.recoding.top_bottom_coding import TopCoding
from tests.oracles.anonymity import pycanon_answers

QUASI = ("age", "school", "region")
SECRET = "illness"
MASKINGS = (
    IndependentNoise(("age",), 20),
    RankSwapping(("age", "school"), 10),
    Pram(("school", "region")),
    InTurn((Pram(("region",)), IndependentNoise(("age",), 5))),
    GlobalRecoding(("school", "region")),
    InTurn((TopCoding(("school",)), RankSwapping(("age",), 10))),
    Mondrian(QUASI, 2),
    Mondrian(QUASI, 3, Cut.RELAXED, GroupValues.VALUE),
    MdavGeneric(QUASI, 2),
    InTurn((Mondrian(("age",), 3), LocalSuppression(QUASI, 2, SuppressionMatching.CATEGORY))),
)


def survey(seed):
    """Random records with missing values in every kind of quasi-identifier."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 90))
    role = Role.QUASI_IDENTIFIER
    schema = Schema(
        (
            Attribute("age", Kind.CONTINUOUS, role, decimals=0),
            Attribute("school", Kind.ORDINAL, role, ("none", "basic", "middle", "high", "")),
            Attribute("region", Kind.NOMINAL, role, ("north", "south", "west", "")),
            Attribute(SECRET, Kind.NOMINAL, Role.CONFIDENTIAL, ("a", "b", "c", "d")),
        )
    )
    age = rng.integers(18, 60, n).astype(float)
    age[rng.random(n) < 0.03] = np.nan
    columns = {
        "age": age,
        "school": rng.choice(5, n, p=[0.2, 0.3, 0.3, 0.15, 0.05]),
        "region": rng.choice(4, n, p=[0.4, 0.3, 0.25, 0.05]),
        SECRET: rng.choice(4, n, p=[0.6, 0.2, 0.1, 0.1]),
    }
    return Table(schema, columns)


def requirements(count):
    """k = 2..10, l = 2..3 and some t, in turn."""
    turns = [(k, values, t) for t in (1.0, 0.4) for values in (1, 2, 3) for k in range(2, 11)]
    return list(islice(cycle(turns), count))


def test_200_repaired_tables_keep_k_l_and_t():
    asked = requirements(200)
    repaired = []
    for seed, requirement in enumerate(asked):
        rng = np.random.default_rng(seed)
        masked = MASKINGS[seed % len(MASKINGS)].mask(survey(seed), rng)
        repaired.append(Repair(QUASI, *requirement).mask(masked, rng))
    answers = pycanon_answers(repaired, QUASI, SECRET)
    short = [
        (seed, want, found)
        for seed, (want, found) in enumerate(zip(asked, answers, strict=True))
        if found["k"] < want[0] or found["l"] < want[1] or found["t"] > want[2] + 1e-9
    ]
    assert short == []


def test_pycanon_sees_that_the_tables_needed_repair():
    rng = np.random.default_rng(0)
    masked = [MASKINGS[i].mask(survey(i), rng) for i in range(len(MASKINGS))]
    assert min(found["k"] for found in pycanon_answers(masked, QUASI, SECRET)) == 1


ADULT = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex",
    "native-country",
)  # fmt: skip


@pytest.fixture(scope="module")
def adult(reference):
    """The 30,162 complete records."""
    kinds = {name: Declaration(Kind.NOMINAL, Role.QUASI_IDENTIFIER) for name in ADULT[1:]}
    table = read_table(reference("uci/adult.csv"), kinds, Dialect(missing=("?",)))
    known = np.ones(len(table), dtype=bool)
    for name in ADULT[1:]:
        known &= table.codes(name) < table.attribute(name).domain_size
    return table.take(np.flatnonzero(known)).only(ADULT)


def test_mondrian_on_adult_is_5_anonymous(adult):
    rng = np.random.default_rng(0)
    methods = [Mondrian(ADULT, 5, cut, release) for cut in Cut for release in GroupValues]
    answers = pycanon_answers([method.mask(adult, rng) for method in methods], ADULT)
    assert len(adult) == 30_162
    assert min(found["k"] for found in answers) >= 5


def test_local_suppression_by_category_is_3_anonymous(reference):
    keys = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
    table = read_table(
        reference("sdcmicro/testdata.csv"), {key: Declaration(Kind.NOMINAL) for key in keys}
    ).only(keys)
    masked = LocalSuppression(keys, 3, SuppressionMatching.CATEGORY).mask(
        table, np.random.default_rng(0)
    )
    assert pycanon_answers([masked], keys)[0]["k"] >= 3
