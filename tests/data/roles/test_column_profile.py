"""Patterns of values: addresses, personal identity numbers, postcodes, dates."""

import numpy as np
import pytest

from evomask.data.roles.column_profile import (
    are_dates,
    are_emails,
    are_postcodes,
    is_personal_number,
    personal_form,
)


# Published specimens: the examples that registers and laws themselves print.
@pytest.mark.parametrize(
    "specimen",
    [
        "12345678Z",  # Spain, DNI
        "X1234567L",  # Spain, NIE
        "RSSMRA85T10A562S",  # Italy, codice fiscale
        "AB123456C",  # United Kingdom, national insurance
        "255081416802538",  # France, NIR with its key
        "44051401359",  # Poland, PESEL
        "111222333",  # the Netherlands, BSN
        "811218-9876",  # Sweden, personnummer
        "070761-4285",  # Denmark, CPR
        "01010750160",  # Norway, fødselsnummer
        "123-45-6789",  # United States, social security
    ],
)
def test_numbers_of_people_are_known_in_many_countries(specimen):
    assert is_personal_number(specimen)


def test_a_wrong_check_digit_is_no_number_of_a_person():
    assert not is_personal_number("12345678A")
    assert not is_personal_number("44051401358")


def test_whole_numbers_at_random_are_no_numbers_of_people():
    numbers = np.random.default_rng(1).integers(10**8, 10**11, 500)
    assert personal_form([str(number) for number in numbers]) == ""


def test_bank_accounts_are_known_by_their_check_digits():
    accounts = ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432", "ES9121000418450200051332"]
    assert personal_form(accounts) == "bank account numbers"
    assert personal_form(["DE88370400440532013000"] * 3) == ""


@pytest.mark.parametrize("text", ["+34 977 55 95 95", "0049 30 901820", "030/90182-5"])
def test_phone_numbers_begin_with_a_zero_or_a_plus_sign(text):
    assert personal_form([text] * 3) == "phone numbers"


def test_amounts_are_no_phone_numbers():
    assert personal_form(["123456789", "987654321"]) == ""


def test_other_addresses_are_known():
    assert personal_form(["192.168.0.1", "https://example.org/a"]) == "network addresses"
    assert personal_form(["123e4567-e89b-12d3-a456-426614174000"]) == "random identifiers"
    assert are_emails(["a@example.org", "unknown"])


@pytest.mark.parametrize("text", ["1012 AB", "SW1A 1AA", "1000-001", "00-950", "111 22", "D-10115"])
def test_postcodes_are_known_by_their_form(text):
    assert are_postcodes([text] * 3)


@pytest.mark.parametrize("text", ["1990-05-31", "31.05.1990", "5/31/90", "D-1/3/90"])
def test_days_are_known_in_many_forms(text):
    assert are_dates([text] * 3)
