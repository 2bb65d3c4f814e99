"""Laws of what methods tell of themselves, run over the whole catalogue."""

import re
from dataclasses import fields

import numpy as np
import pytest

from evomask.data.hierarchy import hierarchy_from_lines
from evomask.masking.catalogue import METHODS
from evomask.masking.method import provenance_of
from evomask.masking.synthesis import SYNTHESES
from evomask.report.describe import clause, describe_provenance, public_sentences

NAMES = ("school", "region")
TREE = hierarchy_from_lines([("none", "*"), ("basic", "*")])
FILES = {
    "hierarchies": dict.fromkeys(NAMES, TREE),
    "matrices": dict.fromkeys(NAMES, np.full((4, 4), 0.25)),
}
OTHERS = {
    "rank-swapping": {"positions": "7"},
    "pram": {"design": "entropy", "change": "0.35", "invariant": "yes"},
    "matrix-pram": {"invariant": "yes"},
    "formula-pram": {"formula": "1 - same", "change": "0.4", "invariant": "yes"},
    "generalization": {"levels": "1,0"},
    "mdav-generic": {"weight": "heads"},
    "mondrian": {"k": "9", "release": "value"},
    "clustered-microaggregation": {"clusters": "1"},
    "repair": {"k": "4", "l": "2", "t": "0.3"},
}
CASES = {
    **{entry.name: (entry, {}) for entry in METHODS},
    **{f"{e.name}, set": (e, OTHERS[e.name]) for e in METHODS if e.name in OTHERS},
}


@pytest.mark.parametrize(("entry", "texts"), CASES.values(), ids=CASES)
class TestEveryMethod:
    def test_fills_every_place_of_its_clause(self, entry, texts):
        making = provenance_of(entry.build(NAMES, texts, FILES))
        words = clause(entry.about, making.steps[0])
        assert describe_provenance(making) == words
        assert words not in ("", entry.about.title)
        assert not set("{}[]|") & set(words)
        assert "  " not in words

    def test_tells_the_public_no_parameter(self, entry, texts):
        (text,) = public_sentences(provenance_of(entry.build(NAMES, texts, FILES)))
        assert text == entry.about.public
        assert text[0].isupper()
        assert text.endswith(".")
        assert not re.search(r"[\d{}\[\]|]", text)

    def test_has_places_only_for_what_can_be_set(self, entry, texts):
        places = set(re.findall(r"{(\w+)", entry.about.steward))
        assert places <= {field.name for field in fields(entry.method)}

    def test_is_called_as_in_the_catalogue(self, entry, texts):
        assert entry.about.name == entry.name


def test_what_is_well_known_and_simple_is_shown_on_the_map():
    simple = {entry.name: entry.about.simple for entry in METHODS if entry.about.simple}
    assert simple == {
        "mdav": "MDAV",
        "mdav-generic": "MDAV",
        "rank-swapping": "swapping",
        "pram": "PRAM",
        "independent-noise": "noise",
        "correlated-noise": "noise",
        "cart": "synthesis",
        "copula": "synthesis",
        "bayesian-network": "synthesis",
        "global-recoding": "recoding",
        "top-coding": "recoding",
        "bottom-coding": "recoding",
    }


def test_microaggregations_mask_attributes_together():
    together = {entry.name for entry in METHODS if entry.about.together}
    assert {entry.name for entry in METHODS if hasattr(entry.method, "partition")} == together - {
        "correlated-noise",
        "local-suppression",
        "repair",
        *SYNTHESES,
    }
