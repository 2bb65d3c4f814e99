"""Laws of measures, checked on the whole catalogue and all kinds of files."""

import re
from pathlib import Path

import numpy as np
import pytest

from evomask.measures.catalogue import ABOUT, MEASURES, applicable_measures
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.loss.loss import InformationLoss
from evomask.measures.profiles import PapersRisk
from evomask.measures.score import Mean, Worst
from evomask.testing import check_measure, example_table
from tests.measures.files import generalized, suppressed
from tests.tables import numbers

DOCS = Path(__file__).parents[2] / "docs" / "measures.md"
TABLE = example_table()
NAMES = TABLE.schema.quasi_identifiers
NUMBERS, CATEGORIES = ("age", "income"), ("school", "region")
MORE = {"merged": generalized(TABLE, NAMES), "suppressed": suppressed(TABLE, NAMES)}

ON_KINDS = {
    f"{measure.about.name} of {kind}": measure
    for kind, names in (("numbers", NUMBERS), ("categories", CATEGORIES), ("both", NAMES))
    for measure in (
        *applicable_measures(TABLE.schema, names, len(TABLE)).values(),
        InformationLoss(names), PapersRisk(names), DisclosureRisk(names),
        Mean((InformationLoss(names), DisclosureRisk(names))),
        Worst((InformationLoss(names), PapersRisk(names))),
    )
}  # fmt: skip


@pytest.mark.parametrize("measure", ON_KINDS.values(), ids=ON_KINDS)
def test_every_measure_obeys_the_laws(measure):
    check_measure(measure, more=MORE)


@pytest.mark.parametrize("name", ABOUT)
def test_every_measure_explains_itself_in_one_sentence(name):
    about = ABOUT[name]
    assert about.title
    assert about.meaning[0].islower()
    assert "." not in about.meaning
    assert about.low < about.high


def test_every_measure_of_the_catalogue_is_explained():
    assert set(MEASURES) <= set(ABOUT)


def test_the_documentation_lists_every_measure():
    listed = re.findall(r"^\| `([\w-]+)` \|", DOCS.read_text(encoding="utf-8"), re.M)
    assert sorted(listed) == sorted(ABOUT)


def test_more_than_twenty_attributes_can_be_measured():
    rng = np.random.default_rng(0)
    wide = numbers(**{f"n{i}": rng.normal(size=30) for i in range(21)})
    names = wide.schema.quasi_identifiers
    assert "prl" not in applicable_measures(wide.schema, names, 30)
    assert DisclosureRisk(names).against(wide)(wide) == pytest.approx(100)
