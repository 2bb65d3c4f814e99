"""Errors of measures for tables that are not comparable."""

import numpy as np
import pytest

from evomask.data.schema import Attribute, Kind, Schema
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError, SchemaError
from evomask.measures.catalogue import applicable_measures, describe_measure, select_measures
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.loss.loss import InformationLoss
from evomask.measures.papers.categorical_loss import ContingencyLoss, DistanceLoss
from evomask.measures.papers.continuous_loss import ProbabilisticLoss
from evomask.measures.papers.distance_linkage import DistanceLinkage
from evomask.measures.papers.interval_disclosure import RankInterval
from evomask.measures.profiles import PapersRisk
from tests.measures.files import categories, generalized
from tests.tables import mixed, numbers, sets_of

TABLE = mixed()
NAMES = TABLE.schema.quasi_identifiers
ALL = [
    *applicable_measures(TABLE.schema, NAMES, len(TABLE)).values(),
    InformationLoss(NAMES), PapersRisk(NAMES), DisclosureRisk(NAMES),
]  # fmt: skip


@pytest.fixture(params=ALL, ids=lambda measure: measure.about.name)
def measure(request):
    return request.param


def test_files_of_different_length_are_refused(measure):
    with pytest.raises(DataError, match="has 59 records and the original 60"):
        measure.against(TABLE)(TABLE.take(np.arange(59)))


def test_a_column_that_is_gone_is_named(measure):
    name = measure.attributes[0]
    rest = [other for other in TABLE.schema.names if other != name]
    with pytest.raises(SchemaError, match=f"the masked file has no column '{name}'"):
        measure.against(TABLE)(TABLE.only(rest))


def test_an_unknown_attribute_is_named(measure):
    with pytest.raises(SchemaError, match="no attribute 'shoe'"):
        type(measure)(("shoe",)).against(TABLE)


def test_a_column_of_another_kind_is_named(measure):
    name = measure.attributes[-1]
    other = Kind.NOMINAL if TABLE.attribute(name).kind is not Kind.NOMINAL else Kind.ORDINAL
    attribute = Attribute(name, other, categories=TABLE.attribute(name).categories or ("a",))
    changed = TABLE.with_columns({name: np.zeros(60)}).with_schema(
        TABLE.schema.replacing([attribute])
    )
    with pytest.raises(SchemaError, match=f"'{name}' is .* in the original and {other}"):
        measure.against(TABLE)(changed)


def test_the_original_must_have_its_own_values(measure):
    general = generalized(TABLE, measure.attributes)
    with pytest.raises(SchemaError, match="of the original is generalized; give its own values"):
        measure.against(general)


@pytest.mark.parametrize("code", [-1, 4])
def test_a_value_outside_the_domain_is_named(code):
    codes = TABLE["school"].copy()
    codes[7] = code
    with pytest.raises(DataError, match="'school' of the masked file holds in record 8 a value"):
        DistanceLoss(NAMES).against(TABLE)(TABLE.with_columns({"school": codes}))


def test_other_categories_are_refused():
    other = Attribute("x", Kind.NOMINAL, categories=("p", "q"))
    masked = Table(Schema((other,)), {"x": np.array([0, 1])})
    with pytest.raises(DataError, match="'x' of the masked file has other categories"):
        DistanceLinkage(("x",)).against(categories(x=[0, 1]))(masked)


def test_a_recoding_of_other_categories_is_refused():
    before = categories(x=[0, 1])
    masked = before.with_recoded("x", np.array([0, 0]), sets_of("r", [[0, 1, 2]], 3))
    with pytest.raises(DataError, match="the recoding of 'x' was made for another list"):
        DistanceLoss(("x",)).against(before)(masked)


def test_an_infinite_masked_value_is_named():
    before = numbers(a=[1, 2])
    with pytest.raises(DataError, match="'a' of the masked file holds an infinite value"):
        DistanceLoss(("a",)).against(before)(numbers(a=[1, np.inf]))


@pytest.mark.parametrize("kind", [DistanceLoss, RankInterval, DistanceLinkage, ContingencyLoss])
def test_no_attribute_at_all_is_refused(kind):
    with pytest.raises(SchemaError, match="at least one"):
        kind(()).against(TABLE)


def test_numbers_are_asked_for_where_they_are_needed():
    with pytest.raises(SchemaError, match="'region' is nominal; declare it continuous"):
        ProbabilisticLoss(("age", "region")).against(TABLE)


def test_categories_are_asked_for_where_they_are_needed():
    with pytest.raises(SchemaError, match="'age' is continuous; declare it ordinal or nominal"):
        ContingencyLoss(("age",)).against(TABLE)


def test_a_table_without_records_cannot_be_an_original():
    with pytest.raises(DataError, match="the original holds no records"):
        DistanceLoss(("a",)).against(numbers(a=[]))


def test_a_negative_window_is_refused():
    with pytest.raises(ParameterError, match="must not be negative"):
        RankInterval(("a",), -1)


def test_an_unknown_measure_is_told_what_there_is():
    with pytest.raises(
        ParameterError, match="no measure is called 'magic'; there are loss, loss-pap"
    ):
        describe_measure("magic")


def test_a_measure_of_another_kind_does_not_apply():
    with pytest.raises(ParameterError, match="ctbil does not apply to these attributes"):
        select_measures(TABLE, ("age", "income"), ["ctbil"])
