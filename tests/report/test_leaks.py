"""The public report must not tell what would point at a person or help to undo the masking.

Tables are made at random, with secrets planted in them: categories that few people have,
extreme and precise numbers, names. They are masked in one of many ways and reported on, and
then the secrets are looked for in all that is made public.
"""

import math

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.masking.composition import InTurn, transitions_of
from evomask.masking.enforce.repair import Repair
from evomask.masking.local_suppression import LocalSuppression
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.noise import IndependentNoise
from evomask.masking.randomization.pram import Pram
from evomask.masking.rank_swapping import RankSwapping
from evomask.masking.recoding.global_recoding import GlobalRecoding
from evomask.report.attribute_changes import compare_tables
from evomask.report.build import matrix_note
from evomask.report.distributions import MINIMUM
from evomask.report.pages import internal_page, public_page
from evomask.report.public_record import build_public_record
from evomask.report.record import Statement, encode_record
from tests.report.reading import words

QUASI = Role.QUASI_IDENTIFIER
SEED = 987_612_345_678
RISK = 61.8347
PRECISE = 7
"""Letters of a number that does not stand in a page by chance."""

KEYS = ("place", "job", "pay")
METHODS = {
    "nothing": InTurn((GlobalRecoding(("place",), 2),)),
    "groups": MdavGeneric(KEYS, 3),
    "swapping": RankSwapping(("job", "pay"), 20),
    "PRAM": Pram(("place", "job"), change=0.3),
    "invariant PRAM": Pram(("place", "job"), change=0.3, invariant=True),
    "noise": IndependentNoise(("pay",), 5),
    "suppression": LocalSuppression(("place", "job"), 3),
    "repair": Repair(KEYS, 4),
    "both": InTurn((IndependentNoise(("pay",), 5), Pram(("place", "job"), change=0.5))),
}


class Case:
    """A masked table and what must not be told of it."""

    def __init__(self, original, masked, method, secrets):
        self.original, self.masked, self.method = original, masked, method
        self.secrets = frozenset(secrets)

    def __repr__(self):
        return f"<{len(self.original)} records masked by {self.method}>"


def _category(prefix, number, rare):
    return f"{prefix}{'qzx' if rare else 'usual'}{number:02d}"


@st.composite
def cases(draw):
    """A table with planted secrets, masked somehow."""
    counts = {
        name: draw(st.lists(st.integers(0, 45), min_size=2, max_size=16))
        for name in ("place", "job")
    }
    size = max(30, *(sum(some) for some in counts.values()))
    columns, attributes, secrets = {}, [], set()
    for name, some in counts.items():
        some[0] += size - sum(some)
        names = tuple(_category(name, i, count < MINIMUM) for i, count in enumerate(some))
        secrets |= {one for one in names if "qzx" in one}
        kind = Kind.ORDINAL if name == "job" else Kind.NOMINAL
        attributes.append(Attribute(name, kind, QUASI, names))
        columns[name] = np.repeat(np.arange(len(some)), some)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    pay = np.round(rng.lognormal(draw(st.floats(2, 12)), draw(st.floats(0.1, 2)), size), 3)
    pay[: draw(st.integers(0, 5))] *= 1000.0
    people = tuple(f"name{i:04d}qzx" for i in range(size))
    secrets |= {*people, *(text for text in map(repr, pay.tolist()) if len(text) >= PRECISE)}
    attributes += [
        Attribute("pay", Kind.CONTINUOUS, QUASI, decimals=3),
        Attribute("who", Kind.NOMINAL, Role.IDENTIFIER, people),
    ]
    columns |= {"pay": pay, "who": np.arange(size)}
    order = rng.permutation(size)
    original = Table(Schema(tuple(attributes)), columns | {"place": columns["place"][order]})
    method = draw(st.sampled_from(sorted(METHODS)))
    masked = METHODS[method].mask(original, rng)
    return Case(original, masked, method, secrets)


@pytest.fixture(scope="module")
def recorded(record):
    """The record of a case: of the small job, with the case's file and secrets in its place."""

    def make(case):
        found = compare_tables(case.original, case.masked)
        points = msgspec.structs.replace(
            record.points, chosen=msgspec.structs.replace(record.chosen, risk=RISK)
        )
        return msgspec.structs.replace(
            record,
            seed=SEED,
            points=points,
            attributes=found.attributes,
            spreads=found.spreads,
            associations=found.associations,
            matrices=tuple(
                matrix_note(case.original, name, matrix)
                for name, matrix in transitions_of(METHODS[case.method], case.original).items()
            ),
            notes=("note qzxnote",),
            statement=Statement(reason="reason qzxreason"),
        )

    return make


def leaks(text, case):
    """Secrets that a text tells."""
    told = {secret for secret in case.secrets if secret in text}
    others = {str(SEED), "qzx", f"{RISK:.2f}", f"{RISK:.1f}", "/town.csv"}
    return told | {secret for secret in others if secret in text}


quickly = settings(
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@settings(quickly, max_examples=60)
@given(case=cases())
def test_the_public_record_tells_no_secret(recorded, case):
    told = encode_record(build_public_record(recorded(case), "all")).decode()
    assert not leaks(told, case)


@settings(quickly, max_examples=12)
@given(case=cases())
def test_the_public_report_tells_no_secret(recorded, case):
    page = public_page(build_public_record(recorded(case), "all"))
    assert "qzx" not in page
    assert str(SEED) not in page
    assert not leaks(words(page), case)


@settings(quickly, max_examples=4)
@given(case=cases())
def test_the_internal_report_shows_no_rare_value_but_in_matrices(recorded, case):
    record = msgspec.structs.replace(recorded(case), matrices=(), notes=(), statement=Statement())
    assert "qzx" not in internal_page(record)


def test_the_search_for_leaks_finds_some(recorded):
    """What the internal report may tell is found in it."""
    people = ("p1", "p2")
    schema = Schema((Attribute("place", Kind.NOMINAL, QUASI, people),))
    table = Table(schema, {"place": np.repeat([0, 1], 20)})
    case = Case(table, table, "nothing", {"p2"})
    record = msgspec.structs.replace(recorded(case), matrices=())
    found = leaks(words(internal_page(record)), case)
    assert {str(SEED), f"{RISK:.2f}", "qzx"} <= found


def test_the_public_report_does_not_speak_of_risk(record):
    assert "risk" not in words(public_page(build_public_record(record))).lower()


def test_the_public_record_has_no_place_for_risks_and_seeds(record):
    told = encode_record(build_public_record(record)).decode().lower()
    assert not any(word in told for word in ("risk", "seed", "attack", "unique"))


def test_no_loss_is_as_precise_as_measured(record):
    told = build_public_record(record)
    assert all(math.isclose(one.value, round(one.value, 1)) for one in told.losses)
