from collections import Counter

import numpy as np
import pytest

from evomask.data.classes import classes_of
from evomask.data.frames import polars_from
from evomask.data.hierarchy import Hierarchy
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError, SchemaError
from evomask.masking.enforce import repair
from evomask.masking.enforce.repair import Repair, RepairBy
from evomask.masking.enforce.requirement import Requirement
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.masking.recoding.global_recoding import Generalization
from tests.tables import mixed, numbers

RNG = np.random.default_rng(0)
QUASI = ("age", "income", "school", "region")

MDAV = "evomask.masking.microaggregation.mdav"


def least_distinct_values(table, names, secret):
    labels = classes_of(table, names).labels
    return min(len(set(table[secret][labels == c])) for c in range(labels.max() + 1))


@pytest.mark.parametrize("k", [2, 5, 17, 60])
def test_every_combination_is_shared_by_k_records(k):
    assert classes_of(Repair(QUASI, k).mask(mixed(), RNG), QUASI).sizes.min() >= k


@pytest.mark.parametrize("values", [2, 3])
def test_every_class_holds_l_confidential_values(values):
    repaired = Repair(QUASI, 2, values).mask(mixed(), RNG)
    assert least_distinct_values(repaired, QUASI, "illness") >= values


def test_t_of_0_makes_all_classes_like_the_file():
    repaired = Repair(("school",), 1, t=0.0).mask(mixed(), RNG)
    labels = classes_of(repaired, ("school",)).labels
    whole = np.bincount(mixed()["illness"]) / len(mixed())
    for label in set(labels):
        inside = np.bincount(mixed()["illness"][labels == label], minlength=3)
        assert inside / inside.sum() == pytest.approx(whole)


def test_a_class_that_falls_short_goes_to_its_nearest():
    repaired = Repair(("a",), 2).mask(numbers(a=[1, 1, 1, 3, 9, 9]), RNG)
    assert repaired["a"].tolist() == [1.5, 1.5, 1.5, 1.5, 9, 9]


def test_classes_that_suffice_are_not_touched():
    values = [0.1] * 3 + [5.0, 6.0]
    repaired = Repair(("a",), 2).mask(numbers(a=values), RNG)
    assert repaired["a"].tolist() == [0.1, 0.1, 0.1, 5.5, 5.5]


def test_k_of_1_alone_changes_nothing():
    repaired = Repair(QUASI, 1).mask(mixed(), RNG)
    assert all(repaired[name].tobytes() == mixed()[name].tobytes() for name in QUASI)


def test_recoded_cells_become_the_smallest_set_that_holds_them():
    coarse = Mondrian(QUASI, 3).mask(mixed(), RNG)
    repaired = Repair(QUASI, 11).mask(coarse, RNG)
    assert classes_of(repaired, QUASI).sizes.min() >= 11
    for name in ("school", "region"):
        before = coarse.recodings[name].leaves[coarse[name]]
        after = repaired.recodings[name].leaves[repaired[name]]
        assert np.all(after | ~before)


def test_cells_that_stay_keep_their_name():
    categories = ("Lyon", "Paris", "Rome", "Oslo")
    tree = Hierarchy(categories, (categories, ("France", "France", "Italy", "Norway")))
    schema = Schema((Attribute("city", Kind.ORDINAL, Role.QUASI_IDENTIFIER, categories),))
    table = Table(schema, {"city": np.array([0, 1, 0, 2, 3])})
    masked = Generalization(("city",), (1,), {"city": tree}).mask(table, RNG)
    repaired = Repair(("city",), 2).mask(masked, RNG)
    assert polars_from(repaired)["city"].to_list() == ["France"] * 3 + ["[Rome,Oslo]"] * 2


def test_suppressed_records_do_not_count():
    table = numbers(a=[1, 1, 2, 7, 7]).suppressing(np.array([True, True, False, False, False]))
    repaired = Repair(("a",), 2).mask(table, RNG)
    assert polars_from(repaired)["a"].to_list() == pytest.approx([16 / 3] * 3)
    assert repaired["a"][:2].tolist() == [1, 1]


def test_a_file_whose_records_are_all_suppressed_stays_as_it_is():
    table = numbers(a=[1, 2]).suppressing(np.array([True, True]))
    assert Repair(("a",), 5).mask(table, RNG)["a"].tolist() == [1, 2]


def test_a_number_that_is_missing_in_one_record_is_missing_in_its_class():
    repaired = Repair(("a",), 4).mask(numbers(a=[np.nan, 1, 2, 3]), RNG)
    assert np.isnan(repaired["a"]).all()


def test_missing_numbers_are_merged_with_each_other_first():
    repaired = Repair(("a",), 2).mask(numbers(a=[np.nan, 1, 2, np.nan, 3]), RNG)
    assert np.isnan(repaired["a"]).tolist() == [True, False, False, True, False]


@pytest.mark.parametrize(
    ("repair", "error", "sentence"),
    [
        (Repair(QUASI, 61), ParameterError, "got k = 61 for 60"),
        (Repair(QUASI, 2, 4), DataError, "'illness' has 3 distinct values, fewer than l = 4"),
        (Repair(("illness",), 2, 2), SchemaError, "'illness' is confidential and a quasi"),
    ],
)
def test_infeasible_requirements_are_errors(repair, error, sentence):
    with pytest.raises(error, match=sentence):
        repair.mask(mixed(), RNG)


def test_l_without_a_confidential_attribute_is_refused():
    with pytest.raises(SchemaError, match="l and t need a confidential attribute"):
        Repair(("a",), 2, 2).mask(numbers(a=[1, 2, 3]), RNG)


@pytest.mark.parametrize("requirement", [{"k": 0}, {"k": 2.5}, {"l": 0}, {"t": 1.5}, {"t": -1}])
def test_requirements_that_cannot_be_are_refused(requirement):
    with pytest.raises(ParameterError, match="must"):
        Repair(QUASI, **requirement)


def survey_table(n=6_000):
    rng = np.random.default_rng(4)
    schema = Schema(
        (
            Attribute("income", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER, decimals=0),
            Attribute("place", Kind.NOMINAL, Role.QUASI_IDENTIFIER, tuple("abcdefghij")),
            Attribute("grade", Kind.ORDINAL, Role.QUASI_IDENTIFIER, tuple("123456")),
            Attribute("illness", Kind.NOMINAL, Role.CONFIDENTIAL, tuple("xyz")),
        )
    )
    columns = {
        "income": np.round(rng.normal(2_000, 500, n)),
        "place": rng.integers(0, 10, n).astype(np.int32),
        "grade": rng.integers(0, 6, n).astype(np.int32),
        "illness": np.minimum(2, rng.geometric(0.7, n) - 1).astype(np.int32),
    }
    return Table(schema, columns)


PEOPLE = ("income", "place", "grade")


def rows_of(table, names):
    return list(zip(*(table[name].tolist() for name in names), strict=True))


@pytest.mark.parametrize("k", [2, 5, 40])
def test_groups_of_short_classes_bring_every_row_to_k(k, monkeypatch):
    monkeypatch.setattr(f"{MDAV}.UNCUT_RECORDS", 500)
    repaired = Repair(PEOPLE, k, by=RepairBy.GROUPS).mask(survey_table(), RNG)
    assert min(Counter(rows_of(repaired, PEOPLE)).values()) >= k


def test_a_sample_is_repaired_as_its_whole_file_would_be(monkeypatch):
    people = survey_table()
    asked = Requirement(k=5)
    whole, part = (asked.repair(people, share).mask(people, RNG) for share in (1.0, 0.1))
    monkeypatch.setattr(f"{MDAV}.UNCUT_RECORDS", len(people) - 1)
    monkeypatch.setattr(f"{MDAV}.UNCUT_PAIRS", 1)
    merged, grouped = (Repair(PEOPLE, 5, by=by).mask(people, RNG) for by in RepairBy)
    assert rows_of(whole, PEOPLE) == rows_of(merged, PEOPLE)
    assert rows_of(part, PEOPLE) == rows_of(grouped, PEOPLE) != rows_of(merged, PEOPLE)


@pytest.mark.parametrize(("k", "values", "t"), [(5, 1, 1.0), (3, 2, 1.0), (4, 1, 0.3), (3, 3, 0.2)])
def test_merging_by_regions_fulfils_k_l_and_t(k, values, t, monkeypatch):
    monkeypatch.setattr(repair, "CLASSES_AT_ONCE", 100)
    monkeypatch.setattr(repair, "REGION_CLASSES", 60)
    table = survey_table(2_000)
    repaired = Repair(PEOPLE, k, values, t).mask(table, RNG)
    secrets = {}
    for row, secret in zip(rows_of(repaired, PEOPLE), table["illness"].tolist(), strict=True):
        secrets.setdefault(row, []).append(secret)
    whole = np.bincount(table["illness"], minlength=3) / len(table)
    for inside in secrets.values():
        shares = np.bincount(inside, minlength=3) / len(inside)
        assert len(inside) >= k
        assert len(set(inside)) >= values
        assert np.abs(shares - whole).sum() / 2 <= t + 1e-9


def test_regions_that_cannot_fulfil_l_alone_are_merged_among_all(monkeypatch):
    monkeypatch.setattr(repair, "CLASSES_AT_ONCE", 10)
    monkeypatch.setattr(repair, "REGION_CLASSES", 40)
    table = survey_table(400)
    lonely = table.with_columns({"illness": (table["place"] == 0).astype(np.int32)})
    assert least_distinct_values(Repair(PEOPLE, 2, 2).mask(lonely, RNG), PEOPLE, "illness") == 2


def test_classes_that_suffice_are_not_touched_by_groups():
    table = numbers(a=[0.1] * 3 + [5.0, 6.0])
    repaired = Repair(("a",), 2, by=RepairBy.GROUPS).mask(table, RNG)
    assert repaired["a"].tolist() == [0.1, 0.1, 0.1, 5.5, 5.5]


def test_too_few_short_records_for_a_group_are_merged():
    table = numbers(a=[1, 1, 1, 3, 9, 9])
    repaired = Repair(("a",), 2, by=RepairBy.GROUPS).mask(table, RNG)
    assert repaired["a"].tolist() == [1.5, 1.5, 1.5, 1.5, 9, 9]


def test_suppressed_records_are_in_no_group():
    table = survey_table(300)
    gone = np.arange(300) % 3 == 0
    suppressed = table.suppressing(gone)
    repaired = Repair(PEOPLE, 4, by=RepairBy.GROUPS).mask(suppressed, RNG)
    kept = repaired.take(np.flatnonzero(~gone))
    assert min(Counter(rows_of(kept, PEOPLE)).values()) >= 4


def test_sets_of_small_classes_are_grouped_by_what_they_have_in_common():
    coarse = Mondrian(QUASI, 3).mask(mixed(), RNG)
    repaired = Repair(QUASI, 11, by=RepairBy.GROUPS).mask(coarse, RNG)
    assert classes_of(repaired, QUASI).sizes.min() >= 11
    before = coarse.recodings["region"].leaves[coarse["region"]]
    assert np.all(repaired.recodings["region"].leaves[repaired["region"]] | ~before)


def test_groups_are_the_usual_way_where_most_of_many_records_stand_out(monkeypatch):
    monkeypatch.setattr(repair, "MANY_RECORDS", 1_000)
    usual = Repair(PEOPLE, 5).mask(survey_table(), RNG)
    asked = Repair(PEOPLE, 5, by=RepairBy.GROUPS).mask(survey_table(), RNG)
    merged = Repair(PEOPLE, 5, by=RepairBy.MERGING).mask(survey_table(), RNG)
    assert rows_of(usual, PEOPLE) == rows_of(asked, PEOPLE) != rows_of(merged, PEOPLE)
