"""Wordings that a person can sign: read them aloud."""

import pytest

from evomask.masking.method import About, provenance_of
from evomask.masking.provenance import Provenance, Step
from evomask.masking.randomization.pram import Pram
from evomask.report.describe import (
    clause,
    describe_provenance,
    join_names,
    percent,
    public_sentences,
    simple_name,
)

ALL = ("age", "pay", "sex")
GROUPS = Step("mdav-generic", {"k": 5}, ALL)
NOISE = Step("independent-noise", {"percent": 5.0}, ("age", "pay"))
PRAM = Step("pram", {"design": "diagonal", "change": 0.2, "invariant": False}, ("sex",))
SWAPS = Step("rank-swapping", {"window": 5.0}, ALL)
LEVELS = {
    "age": {"level": 1, "labels": 8, "bands": 8, "width": 10.0},
    "zip": {"level": 2, "labels": 40, "digits": 3},
    "plate": {"level": 2, "labels": 20, "characters": 1},
    "job": {"level": 1, "labels": 4},
    "house": {"level": 1, "labels": 3, "bands": 3},
    "nation": {"level": 0, "labels": 9},
    "sex": {"level": 1, "labels": 1},
    "race": {"level": 1, "labels": 1},
}
MDAV = "microaggregation by MDAV-generic (groups of 5 or more records)"
NOISY = "additive noise (5 % of each attribute's standard deviation)"
CHANCE = "PRAM (diagonal design, probability of change 0.2)"


def grouped(*names):
    return Step("mdav-generic", {"k": 5}, names)


def searched(search, parameters, **rest):
    return Provenance((Step(search, parameters, ALL),), search, **rest)


def generalized(**parameters):
    return searched("generalization", parameters)


WORDS = {
    "a method": (Provenance((GROUPS,)), MDAV),
    "numbers and categories": (
        Provenance((NOISE, PRAM)),
        f"age and pay: {NOISY}; sex: {CHANCE}",
    ),
    "attributes apart": (
        Provenance((grouped("age", "pay"), grouped("sex"))),
        f"{MDAV}, apart for age, pay | sex",
    ),
    "apart, and something else": (
        Provenance((grouped("age"), grouped("pay"), PRAM)),
        f"{MDAV}, apart for age | pay; sex: {CHANCE}",
    ),
    "one at a time anyway": (
        Provenance((SWAPS, Step("rank-swapping", {"window": 5.0}, ("rent",)))),
        "rank swapping (within 5 % of the ranks)",
    ),
    "strata": (Provenance((GROUPS,), strata=("region",)), f"{MDAV}, within each stratum of region"),
    "a window of ranks": (
        Provenance((SWAPS,)),
        "rank swapping (within 5 % of the ranks)",
    ),
    "a number of ranks": (
        Provenance((Step("rank-swapping", {"window": 5.0, "positions": 7}, ALL),)),
        "rank swapping (within 7 ranks)",
    ),
    "invariant": (
        Provenance((Step("pram", {**PRAM.parameters, "invariant": True}, ("sex",)),)),
        ("PRAM (diagonal design, probability of change 0.2, invariant)"),
    ),
    "partition": (
        searched("partition", {"k": 5, "groups": 574}),
        "records put into 574 groups of 5 or more similar ones and given common values",
    ),
    "grouping": (
        searched("grouping", {"k": 25, "together": [["age", "pay"], ["rent"]]}),
        (
            "records put into groups of 25 or more similar ones and given their group's means, "
            "separately for age, pay | rent"
        ),
    ),
    "many groups of attributes": (
        searched("grouping", {"k": 25, "together": [[name] for name in "abcdefghij"]}),
        (
            "records put into groups of 25 or more similar ones and given their group's means, "
            "separately for a | b | c | d | e | f | g | h | 2 more"
        ),
    ),
    "clusters": (
        Provenance(
            (Step("clustered-microaggregation", {"k": 20, "clusters": 12}, ALL),), "clustered"
        ),
        (
            "clustered microaggregation (groups of 20 or more records within 12 clusters, "
            "released as median or most frequent categories)"
        ),
    ),
    "one cluster": (
        Provenance((Step("clustered-global-median", {"k": 20, "clusters": 1}, ALL),), "clustered"),
        (
            "clustered global median (Mondrian regions of 20 or more records, "
            "released as central categories)"
        ),
    ),
    "evolved matrices": (
        searched("pram", {"kept": {"age": 71.0, "job": 83.0, "sex": 98.0}, "invariant": False}),
        ("categories changed by chance (PRAM): about 84 % of the cells stay (sex 98 %, age 71 %)"),
    ),
    "a formula": (
        searched("equations", {"formula": "i + j", "kept": {"age": 84.0}, "invariant": True}),
        (
            "categories changed by chance, with the probabilities of one formula "
            "(PRAM, frequencies kept in expectation): about 84 % of the cells stay"
        ),
    ),
    "cells": (
        searched("files", {"changed": {"area": 88.0, "sex": 8.0}, "moved": 0.1234}),
        (
            "cells changed one by one: 48 % differ (area 88 %, sex 8 %), "
            "numbers by 0.12 standard deviations"
        ),
    ),
    "cells of categories": (
        searched("files", {"changed": {"sex": 8.0}}),
        "cells changed one by one: 8 % differ",
    ),
    "levels": (
        generalized(levels=LEVELS, suppressed=0),
        (
            "values generalized: age in bands of 10, zip by its first 3 digits, "
            "plate by its first character, job in 4 groups, house in 3 bands, "
            "sex and race withheld"
        ),
    ),
    "levels and records left out": (
        generalized(levels={"job": LEVELS["job"]}, suppressed=1),
        "values generalized: job in 4 groups, 1 record suppressed",
    ),
    "only records left out": (
        generalized(levels={"nation": LEVELS["nation"]}, suppressed=12),
        "values unchanged, 12 records suppressed",
    ),
    "local recoding": (
        generalized(k=10),
        (
            "records put into groups of 10 or more, each generalized as little as possible: "
            "age, pay and sex"
        ),
    ),
    "nothing at all": (Provenance(search="generalization"), "values as they are"),
    "repair alone": (
        Provenance(search="generalization", repaired=83.2, required="k=5"),
        (
            "records put into groups of 5 or more similar ones "
            "(83 % of the cells changed to common values)"
        ),
    ),
    "repair after a method": (
        Provenance((SWAPS,), repaired=12.0, required="k=5"),
        (
            "rank swapping (within 5 % of the ranks); "
            "then records that stood out put into groups of 5 or more similar ones "
            "(12 % of the cells changed to common values)"
        ),
    ),
    "repair for l and t": (
        Provenance((GROUPS,), repaired=0.3, required="k=5,l=2"),
        (
            f"{MDAV}; then records that stood out put together with similar ones "
            "until k = 5, l = 2 held (under 1 % of the cells changed to common values)"
        ),
    ),
    "nothing to repair": (Provenance((GROUPS,), repaired=0.0, required="k=5"), MDAV),
    "repair that nobody counted": (
        Provenance((GROUPS,), required="k=3"),
        f"{MDAV}; then similar records made alike where k = 3 needs it",
    ),
    "repair alone that nobody counted": (
        Provenance(required="k=3"),
        "similar records made alike where k = 3 needs it",
    ),
    "mending": (
        Provenance((NOISE,), repaired=3.0),
        f"{NOISY}; then 3 % of the cells changed to obey the edit rules",
    ),
    "origins": (
        searched("files", {"changed": {"sex": 8.0}}, origins=("mdav-generic", "rank-swapping")),
        (
            "cells changed one by one: 8 % differ; "
            "went on from files made by microaggregation and rank swapping"
        ),
    ),
    "many origins": (
        searched(
            "files",
            {"changed": {"sex": 8.0}},
            origins=("mdav-generic", "rank-swapping", "pram", "mondrian", "partition", "repair"),
        ),
        (
            "cells changed one by one: 8 % differ; went on from files made by "
            "microaggregation, rank swapping, PRAM, Mondrian and 2 others"
        ),
    ),
    "a method that only its name is known of": (
        Provenance((Step("Round every number to tens", {"base": 10, "names": ["a", "b"]}, ALL),)),
        "Round every number to tens (base = 10, names = a and b)",
    ),
}


@pytest.mark.parametrize(("making", "text"), WORDS.values(), ids=WORDS)
def test_what_was_done_is_told(making, text):
    assert describe_provenance(making) == text


GROUPED = (
    "Microaggregation was applied: similar records were grouped, and each masked attribute was "
    "replaced by a common value of its group, the mean of numbers and the median or most frequent "
    "category."
)
PUBLIC = {
    "a method": (Provenance((GROUPS,)), (GROUPED,)),
    "a guarantee that held": (Provenance((GROUPS,), repaired=0.0, required="k=5"), (GROUPED,)),
    "a search": (searched("partition", {"k": 5, "groups": 574}), (GROUPED,)),
    "repair alone": (
        Provenance(search="generalization", repaired=83.0, required="k=5"),
        (
            (
                "Records were put together with the nearest ones and given common values or common "
                "sets of values, until the guarantee held."
            ),
        ),
    ),
    "repair after a method": (
        Provenance((NOISE,), repaired=8.0, required="k=5"),
        (
            "Independent random noise was added to each numeric attribute.",
            (
                "Where records still stood out, they were put together with the nearest ones and "
                "given common values or common sets of values, until the guarantee held."
            ),
        ),
    ),
    "mending": (
        Provenance((NOISE,), repaired=8.0),
        (
            "Independent random noise was added to each numeric attribute.",
            "Some values were then changed, so that records obey the edit rules.",
        ),
    ),
    "apart": (
        Provenance((grouped("a"), grouped("b"))),
        (
            GROUPED,
            (
                "The masked attributes were taken a few at a time, so values that stand in one "
                "record need not belong together."
            ),
        ),
    ),
    "strata": (
        Provenance((GROUPS,), strata=("region",)),
        (GROUPED, "This was done within each stratum on its own."),
    ),
    "nothing": (Provenance(), ("The values were left as they are.",)),
    "unknown": (
        Provenance((Step("magic", {"key": 7}),)),
        ("Values were changed by a masking method.",),
    ),
}


@pytest.mark.parametrize(("making", "texts"), PUBLIC.values(), ids=PUBLIC)
def test_the_public_reads_sentences_without_parameters(making, texts):
    assert public_sentences(making) == texts


@pytest.mark.parametrize(
    ("making", "name"),
    [
        (Provenance((GROUPS,), "design"), "MDAV"),
        (Provenance((SWAPS, PRAM), "design"), "swapping and PRAM"),
        (Provenance((SWAPS, Step("rank-swapping", {"window": 5.0}, ("b",))), "design"), "swapping"),
        (Provenance((GROUPS, Step("mdav-generic", {"k": 3}, ("b",))), "design"), "MDAV"),
        (Provenance((GROUPS, Step("mdav-generic", {"k": 5}, ("b",))), "design"), ""),
        (Provenance((SWAPS, Step("mondrian", {"k": 5}, ("b",))), "design"), ""),
        (Provenance(search="design"), ""),
    ],
)
def test_a_simple_method_has_a_short_name(making, name):
    assert simple_name(making) == name


def test_a_clause_that_cannot_be_filled_gives_way_to_the_heading():
    about = About("shift", "moved numbers", "numbers moved by {by}", "Numbers were moved.")
    assert clause(about, Step("shift", {"by": 3})) == "numbers moved by 3"
    assert clause(about, Step("shift")) == "moved numbers"


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ("", ""),
        ("a", "a"),
        ("ab", "a and b"),
        ("abc", "a, b and c"),
        ("abcde", "a, b, c and 2 more"),
    ],
)
def test_long_lists_are_cut(names, text):
    assert join_names(list(names), 3) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0 %"), (0.4, "under 1 %"), (50.0, "50 %"), (99.5, "over 99 %"), (100.0, "100 %")],
)
def test_only_none_and_all_look_so(value, text):
    assert percent(value) == text


def test_limits_of_pram_are_described_where_there_are_any():
    limited = Pram(("sex",), band=2, level=1, forbidden=("sex:a->b", "sex:b->*"))
    told = describe_provenance(provenance_of(limited))
    assert "at most 2 positions, within level 1 of the hierarchies" in told
    assert "without sex:a->b and sex:b->*" in told
    assert "positions" not in describe_provenance(provenance_of(Pram(("sex",))))
