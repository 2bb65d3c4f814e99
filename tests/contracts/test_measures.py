"""The laws that every measure obeys, over the whole catalogue and files of every kind."""

import re
from pathlib import Path

import numpy as np
import pytest

from evomask.measures.catalogue import ABOUT, MEASURES, applicable
from evomask.measures.measure import Side
from evomask.measures.profiles import Loss, PapersRisk, StrictRisk
from evomask.measures.score import Mean, Worst
from tests.measures.files import generalized, perturbed, suppressed
from tests.tables import mixed, numbers

DOCS = Path(__file__).parents[2] / "docs" / "measures.md"
TABLE = mixed(80)
NAMES = TABLE.schema.quasi_identifiers
NUMBERS, CATEGORIES = ("age", "income"), ("school", "region")
SOME = np.zeros(len(TABLE), dtype=bool)
SOME[::7] = True

FILES = {
    "the original": TABLE,
    "perturbed": perturbed(TABLE, NAMES),
    "shuffled": TABLE.take(np.random.default_rng(2).permutation(len(TABLE))),
    "generalized": generalized(TABLE, NAMES),
    "suppressed": suppressed(TABLE, NAMES),
    "with records left out": perturbed(TABLE, NAMES).suppressing(SOME),
    "constant": TABLE.with_columns({name: TABLE[name][np.zeros(80, dtype=int)] for name in NAMES}),
    "all missing": TABLE.with_columns({"income": np.full(80, np.nan), "region": np.full(80, 3)}),
}

ON_KINDS = {
    f"{measure.about.name} of {kind}": measure
    for kind, names in (("numbers", NUMBERS), ("categories", CATEGORIES), ("both", NAMES))
    for measure in (
        *applicable(TABLE.schema, names, len(TABLE)).values(),
        Loss(names), PapersRisk(names), StrictRisk(names),
        Mean((Loss(names), StrictRisk(names))), Worst((Loss(names), PapersRisk(names))),
    )
}  # fmt: skip


@pytest.fixture(params=ON_KINDS.values(), ids=ON_KINDS.keys(), scope="module")
def measure(request):
    return request.param


@pytest.fixture(scope="module")
def reading(measure):
    return measure.against(TABLE)


class TestEveryMeasure:
    @pytest.mark.parametrize("masked", FILES.values(), ids=FILES.keys())
    def test_lies_between_0_and_100(self, reading, masked):
        assert 0.0 <= reading(masked) <= 100.0

    def test_says_the_same_twice_and_changes_nothing(self, reading):
        masked = FILES["perturbed"]
        before = {name: masked[name].tobytes() for name in NAMES}
        assert reading(masked) == reading(masked)
        assert {name: masked[name].tobytes() for name in NAMES} == before

    @pytest.mark.parametrize("kind", ["perturbed", "generalized", "with records left out"])
    def test_does_not_depend_on_the_order_of_records(self, measure, reading, kind):
        masked = FILES[kind]
        order = np.random.default_rng(3).permutation(len(TABLE))
        shuffled = measure.against(TABLE.take(order))(masked.take(order))
        assert shuffled == pytest.approx(reading(masked), abs=1e-9)

    def test_finds_no_loss_in_the_original(self, measure, reading):
        if measure.about.side is Side.LOSS:
            assert reading(TABLE) == 0.0

    def test_reads_a_file_of_one_record(self, measure):
        one = TABLE.take(np.array([5]))
        assert 0.0 <= measure.against(one)(one) <= 100.0

    def test_reads_records_that_are_all_identical(self, measure):
        same = TABLE.take(np.full(20, 5))
        assert 0.0 <= measure.against(same)(perturbed(same, NAMES)) <= 100.0

    def test_reads_an_attribute_of_one_category(self, measure):
        alone = TABLE.with_columns({"school": np.zeros(80), "age": np.full(80, 30.0)})
        assert 0.0 <= measure.against(alone)(perturbed(alone, NAMES)) <= 100.0

    def test_names_the_attributes_it_reads(self, measure):
        assert set(measure.attributes) <= set(NAMES)


@pytest.mark.parametrize("name", ABOUT)
def test_every_measure_explains_itself_in_one_sentence(name):
    about = ABOUT[name]
    assert about.title
    assert about.meaning[0].islower()
    assert "." not in about.meaning
    assert about.low < about.high


def test_every_measure_that_can_be_asked_for_is_explained():
    assert set(MEASURES) <= set(ABOUT)


def test_the_documentation_lists_every_measure():
    listed = re.findall(r"^\| `([\w-]+)` \|", DOCS.read_text(encoding="utf-8"), re.M)
    assert sorted(listed) == sorted(ABOUT)


def test_more_than_twenty_attributes_can_be_measured():
    rng = np.random.default_rng(0)
    wide = numbers(**{f"n{i}": rng.normal(size=30) for i in range(21)})
    names = wide.schema.quasi_identifiers
    assert "prl" not in applicable(wide.schema, names, 30)
    assert StrictRisk(names).against(wide)(wide) == pytest.approx(100)
