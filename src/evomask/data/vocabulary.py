"""Words that tell what a column is likely to be, and orders that everybody knows."""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


IDENTIFIERS = _words("""
    id ids identifier name names surname firstname lastname forename fullname email mail phone
    telephone mobile fax ssn nif nie passport licence license plate address street iban account
    uuid guid key ip url username login person respondent patient client customer member
""")
NAMES = _words("name names surname firstname lastname forename fullname nombre apellido nom")
FREE_TEXTS = _words("comment comments remark remarks note notes description text")
WEIGHTS = ("weight", "wgt", "gewicht")
"""Found within a name too, as in fnlwgt."""
HOUSEHOLDS = _words("household hh hhid hid familyid householdid dwelling")
STRATA = _words("stratum strata strat psu cluster")
QUASI_IDENTIFIERS = _words("""
    age sex gender zip zipcode postcode postal municipality city town village county district
    province region state country nation nationality citizenship birth birthday birthdate born
    dob race ethnic ethnicity language marital civil education schooling degree occupation job
    profession employer workclass relationship household family children size area dwelling
    latitude longitude lat lon location place home
""")
CONFIDENTIAL = _words("""
    income wage wages salary pay earnings expenses debt debts savings wealth assets tax taxes
    benefit pension health disease diagnosis illness condition disability treatment drug drugs
    alcohol hiv test result crime offence conviction religion belief party vote politics union
    orientation loan credit score capital
""")
MISSING_TEXTS = _words("""
    NA N/A n/a na ? . - -- null NULL Null NaN nan None #N/A #NULL! missing Missing
""")

ORDERS = (
    ("very low", "low", "medium", "high", "very high"),
    ("low", "moderate", "high"),
    ("very bad", "bad", "fair", "good", "very good", "excellent"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("never", "rarely", "seldom", "sometimes", "often", "usually", "always"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ("extra small", "very small", "small", "medium", "large", "very large", "extra large"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("none", "mild", "moderate", "severe"),
    ("none", "primary", "lower secondary", "secondary", "upper secondary", "post-secondary",
     "tertiary", "bachelor", "master", "doctorate"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("january", "february", "march", "april", "may", "june", "july", "august", "september",
     "october", "november", "december"),
)  # fmt: skip

_BREAKS = re.compile(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])")


def words_of(name: str) -> frozenset[str]:
    """The words in a column's name: zip and code in zipCode, zip_code and ZIP code."""
    return frozenset(word.lower() for word in _BREAKS.split(name) if word)
