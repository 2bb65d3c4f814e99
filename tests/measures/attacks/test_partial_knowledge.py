"""Record linkage with partial knowledge of the quasi-identifiers."""

from itertools import combinations

import numpy as np
import pytest

from evomask.errors import ParameterError
from evomask.measures.attacks.attack import LinkageAttack, sets_of_attributes
from evomask.measures.attacks.linkage_attacks import PartialKnowledgeLinkage
from evomask.measures.papers import inference
from evomask.measures.papers.distance_linkage import DistanceLinkage, ReverseDistanceLinkage
from tests.measures.files import categories, generalized, perturbed
from tests.tables import mixed, numbers

NAMES = tuple("abcde")


def slow_shares(original, masked, known):
    """Every set, every person, one by one."""
    before = np.column_stack([original[name] for name in NAMES])
    after = np.column_stack([masked[name] for name in NAMES])
    scale = before.std(axis=0)
    shares = {}
    for chosen in combinations(range(len(NAMES)), known):
        hits = []
        for i, person in enumerate(before):
            far = (((after - person) / scale)[:, chosen] ** 2).sum(axis=1)
            nearest = np.flatnonzero(np.isclose(far, far.min(), rtol=1e-12, atol=0))
            hits.append((i in nearest) / len(nearest))
        shares[tuple(NAMES[j] for j in chosen)] = 100 * np.mean(hits)
    return shares


@pytest.fixture
def pair():
    rng = np.random.default_rng(1)
    table = numbers(**{name: rng.integers(0, 12, 40) for name in NAMES})
    return table, perturbed(table, NAMES)


@pytest.mark.parametrize("known", [2, 3, 4])
def test_the_worst_and_the_average_set_are_those_of_trying_all(pair, known):
    shares = slow_shares(*pair, known)
    found = PartialKnowledgeLinkage(NAMES, known).against(pair[0])(pair[1])
    assert found.success == pytest.approx(max(shares.values()))
    assert shares[found.attributes] == pytest.approx(found.success)
    assert found.details["average"] == pytest.approx(np.mean(list(shares.values())))


def test_categories_are_linked_like_any_records():
    rng = np.random.default_rng(2)
    table = categories(**{name: rng.integers(0, 4, 50) for name in "ab"})
    masked = perturbed(table, "ab")
    found = PartialKnowledgeLinkage(("a", "b"), 2).against(table)(masked)
    assert found.success == ReverseDistanceLinkage(("a", "b")).against(table)(masked)


def test_a_blind_guess_is_the_baseline(pair):
    assert PartialKnowledgeLinkage(NAMES, 2).against(pair[0])(pair[1]).control == 100 / 40


def test_a_large_file_is_attacked_by_a_sample(pair, monkeypatch):
    monkeypatch.setattr(inference, "ALL_UP_TO", 20)
    monkeypatch.setattr(inference, "SAMPLE", 10)
    found = PartialKnowledgeLinkage(NAMES, 4).against(pair[0])(pair[0])
    assert found.success == 100.0


def test_generalized_and_missing_cells_can_be_linked():
    table = mixed(60)
    names = table.schema.quasi_identifiers
    found = PartialKnowledgeLinkage(names, 2).against(table)(generalized(table, names))
    assert found.control < found.success < 100


def test_few_sets_are_all_tried():
    assert sets_of_attributes(("a", "b", "c"), 2, 3) == (("a", "b"), ("a", "c"), ("b", "c"))


def test_of_many_sets_the_same_ones_are_chosen_again():
    names = tuple(f"n{i}" for i in range(12))
    first, second = (sets_of_attributes(names, 4, 60) for _ in range(2))
    assert first == second
    assert len(set(first)) == 60


@pytest.mark.parametrize(
    ("names", "known", "sentence"),
    [
        (NAMES, 5, "known must be 2, 3 or 4 attributes, got 5"),
        (("a",), 2, "2 of 1 attributes cannot be known"),
    ],
)
def test_a_wrong_number_is_one_sentence(names, known, sentence):
    with pytest.raises(ParameterError, match=sentence):
        PartialKnowledgeLinkage(names, known)


def test_a_linkage_is_an_attack_with_a_blind_guess_beside(pair):
    measure = DistanceLinkage(NAMES)
    found = LinkageAttack(measure).against(pair[0])(pair[1])
    assert (found.success, found.control) == (measure.against(pair[0])(pair[1]), 2.5)
