"""What is proposed for columns, and why."""

import numpy as np
import polars as pl
import pytest

from evomask.data.edits import parse_rule
from evomask.data.frames import Declaration, table_from
from evomask.data.roles.proposal import known_order, numbered_order, propose
from evomask.data.roles.vocabulary import words_of
from evomask.data.schema import Kind, Notes, Role

RNG = np.random.default_rng(7)
N = 200
MANY = RNG.normal(100, 20, N).round(2)


def proposed(values, name="x", **declaration):
    said = {name: Declaration(**declaration)} if declaration else None
    frame = pl.DataFrame({name: values})
    return propose(table_from(frame, said)).attributes[0]


def drawn(*values):
    return RNG.choice(values, N).tolist()


class TestKinds:
    def test_numbers_with_decimals_are_continuous(self):
        assert proposed(MANY).kind is Kind.CONTINUOUS

    def test_many_whole_numbers_are_continuous(self):
        assert proposed(RNG.integers(0, 90, N)).kind is Kind.CONTINUOUS

    def test_few_whole_numbers_look_ordinal(self):
        found = proposed(drawn(1, 2, 3, 4, 5))
        assert found.kind is Kind.ORDINAL
        assert found.why_kind == "looks ordinal: 5 distinct whole numbers"

    def test_two_numbers_are_nominal(self):
        assert proposed(drawn(0, 1)).kind is Kind.NOMINAL

    def test_text_is_nominal(self):
        assert proposed(drawn("oak", "elm", "ash")).kind is Kind.NOMINAL

    def test_words_of_a_scale_look_ordinal_in_their_order(self):
        found = proposed(drawn("Often", "Never", "Always"))
        assert (found.kind, found.categories) == (Kind.ORDINAL, ("Never", "Often", "Always"))

    def test_classes_of_numbers_look_ordinal_in_their_order(self):
        found = proposed(drawn("18-24", "65+", "<18", "25-64"))
        assert found.categories == ("<18", "18-24", "25-64", "65+")

    def test_codes_of_digits_are_not_an_order(self):
        assert proposed(drawn("001", "002", "010")).kind is Kind.NOMINAL

    def test_dates_have_an_order(self):
        assert proposed(drawn("2024-01-02", "2023-12-31", "2024-05-06")).kind is Kind.ORDINAL

    def test_what_the_file_says_is_believed(self):
        found = proposed(drawn(1, 2, 3), kind=Kind.NOMINAL, notes=Notes(measure="nominal"))
        assert (found.kind, found.why_kind) == (Kind.NOMINAL, "the file declares it nominal")

    def test_labelled_codes_are_nominal(self):
        found = proposed(drawn(1, 2), kind=Kind.NOMINAL, value_labels=(("1", "m"), ("2", "f")))
        assert found.why_kind == "codes with labels"

    def test_an_ordered_category_of_a_frame_stays_ordinal(self):
        column = pl.Series(drawn("b", "a", "c"), dtype=pl.Enum(["b", "c", "a"]))
        assert proposed(column).kind is Kind.ORDINAL

    def test_the_released_precision_is_proposed(self):
        assert proposed(MANY, kind=Kind.CONTINUOUS, decimals=2).decimals == 2


class TestRoles:
    def test_a_running_number_is_an_identifier(self):
        assert proposed(np.arange(N) + 1000).role is Role.IDENTIFIER

    def test_text_that_differs_in_every_record_is_an_identifier(self):
        assert proposed([f"P{number}" for number in range(N)]).role is Role.IDENTIFIER

    def test_codes_of_small_groups_are_identifiers(self):
        found = proposed([f"H{number // 3}" for number in range(N)])
        assert "each in a few records" in found.why_role

    def test_a_named_identifier_may_repeat(self):
        found = proposed(RNG.integers(0, 50, N), name="customerId")
        assert (found.role, "'customer'" in found.why_role) == (Role.IDENTIFIER, True)

    def test_free_text_is_left_out(self):
        phrases = [f"the person in house {n} told us a long story" for n in range(30)]
        found = proposed(drawn(*phrases))
        assert (found.role, found.why_role[:9]) == (Role.IDENTIFIER, "free text")

    def test_numbers_that_differ_in_every_record_are_no_identifier(self):
        assert proposed(MANY + np.arange(N) * 1e-4).role is not Role.IDENTIFIER

    def test_few_records_do_not_make_an_identifier(self):
        assert proposed(["oak", "elm", "ash"]).role is not Role.IDENTIFIER

    @pytest.mark.parametrize("name", ["weight", "FNLWGT", "survey_weight"])
    def test_a_weight_is_known_by_its_name_and_sign(self, name):
        assert proposed(np.abs(MANY), name=name).role is Role.WEIGHT

    def test_negative_numbers_are_no_weight(self):
        assert proposed(-np.abs(MANY), name="weight").role is not Role.WEIGHT

    def test_a_stratum_is_known_by_its_name(self):
        assert proposed(drawn("a", "b", "c"), name="stratum").role is Role.STRATUM

    def test_what_others_may_know_is_a_quasi_identifier(self):
        assert proposed(RNG.integers(0, 90, N), name="Age").role is Role.QUASI_IDENTIFIER

    def test_what_people_do_not_tell_is_confidential(self):
        frame = pl.DataFrame({"monthly_income": MANY, "sex": drawn("m", "f")})
        assert propose(table_from(frame)).attributes[0].role is Role.CONFIDENTIAL

    def test_few_values_are_a_quasi_identifier_until_told_otherwise(self):
        assert proposed(drawn("oak", "elm")).role is Role.QUASI_IDENTIFIER

    def test_a_constant_is_other_and_said_to_be(self):
        found = proposed(["a"] * N)
        assert found.role is Role.OTHER
        assert "constant: it has no information" in found.remarks

    def test_numbers_alone_are_quasi_identifiers(self):
        frame = pl.DataFrame({"x": MANY, "y": MANY[::-1]})
        roles = {a.role for a in propose(table_from(frame)).attributes}
        assert roles == {Role.QUASI_IDENTIFIER}

    def test_a_number_that_nothing_is_known_of_is_a_quasi_identifier(self):
        frame = pl.DataFrame({"x": MANY, "sex": drawn("m", "f")})
        assert propose(table_from(frame)).attributes[0].role is Role.QUASI_IDENTIFIER

    def test_in_a_file_of_amounts_alone_all_are_quasi_identifiers(self):
        frame = pl.DataFrame({"debt": MANY, "sales": MANY[::-1]})
        roles = {a.role for a in propose(table_from(frame)).attributes}
        assert roles == {Role.QUASI_IDENTIFIER}


class TestRemarks:
    def test_missing_values_are_counted(self):
        assert proposed([1.5, None, 2.5, 3.5]).remarks == ("missing in 25.0 % of the records",)

    def test_texts_among_numbers_are_proposed_as_missing(self):
        frame = pl.DataFrame({"x": ["1", "2", "NA", "?"]})
        assert propose(table_from(frame)).missing == ("?", "NA")

    def test_texts_among_texts_are_values(self):
        frame = pl.DataFrame({"x": ["oak", "NA"]})
        assert propose(table_from(frame)).missing == ()

    def test_a_column_that_follows_from_another_is_told(self):
        town = drawn("a1", "a2", "b1", "b2")
        frame = pl.DataFrame({"town": town, "county": [code[0] for code in town]})
        county = propose(table_from(frame)).attributes[1]
        assert county.remarks == ("determined by 'town'; mask both or drop one",)

    def test_a_column_that_says_the_same_is_told(self):
        code = drawn("a", "b", "c")
        frame = pl.DataFrame({"code": code, "word": [text * 3 for text in code]})
        assert "same information as 'code'" in propose(table_from(frame)).attributes[1].remarks[0]

    def test_numbers_that_rise_together_are_told(self):
        frame = pl.DataFrame({"x": MANY, "y": 2 * MANY + RNG.normal(0, 0.1, N)})
        assert "highly correlated with 'x'" in propose(table_from(frame)).attributes[1].remarks[0]

    def test_columns_without_a_link_have_no_remark(self):
        frame = pl.DataFrame({"x": drawn("a", "b"), "y": drawn("c", "d")})
        assert all(a.remarks == () for a in propose(table_from(frame)).attributes)

    def test_sums_become_rules(self):
        a, b = RNG.integers(1, 1000, N), RNG.integers(1, 1000, N)
        frame = pl.DataFrame({"a": a, "total": a + b, "b": b})
        assert propose(table_from(frame)).edits == ("total = a + b",)

    def test_names_with_other_signs_are_written_so_that_the_rule_can_be_read(self):
        a, b = RNG.integers(1, 1000, N), RNG.integers(1, 1000, N)
        table = table_from(pl.DataFrame({"part a": a, "all-in": a + b, "b": b}))
        (edit,) = propose(table).edits
        assert {name for name, _ in parse_rule(edit)[0].weights} == {"part a", "all-in", "b"}

    def test_one_record_that_does_not_add_up_is_enough_against_a_rule(self):
        a, b = RNG.integers(1, 1000, N), RNG.integers(1, 1000, N)
        total = a + b
        total[17] += 1
        assert propose(table_from(pl.DataFrame({"a": a, "b": b, "total": total}))).edits == ()

    def test_no_value_of_a_record_is_told(self):
        frame = pl.DataFrame({"name": [f"secret{n}" for n in range(N)], "x": MANY})
        for attribute in propose(table_from(frame)).attributes:
            told = f"{attribute.why_kind}{attribute.why_role}{attribute.remarks}"
            assert "secret" not in told


@pytest.mark.parametrize("name", ["zipCode", "zip_code", "ZIP CODE", "zip.code"])
def test_words_are_found_in_every_way_of_writing(name):
    assert words_of(name) == {"zip", "code"}


def test_an_unknown_word_spoils_a_scale():
    assert known_order(("low", "high", "purple")) == ()


def test_numbers_are_ordered_by_size_and_not_by_text():
    assert numbered_order(("10-19", "0-9", "100+")) == ("0-9", "10-19", "100+")
