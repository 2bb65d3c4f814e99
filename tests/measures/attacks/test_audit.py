"""Audit of tables in memory."""

import inspect

import numpy as np
import pytest

from evomask.data.schema import Role
from evomask.errors import DataError, SchemaError
from evomask.measures import profiles
from evomask.measures.attacks.attack import Twin
from evomask.measures.attacks.audit import are_in_order, attacks_on, audit
from evomask.measures.disclosure.privacy_models import distinct_l, entropy_l, nominal_t, t_closeness
from evomask.measures.measure import Direction, Side
from tests.measures.files import categories, confidential, generalized, perturbed, suppressed
from tests.tables import mixed, numbers

TABLE, CONTROL = mixed(80), mixed(120).take(np.arange(80, 120))
NAMES = TABLE.schema.quasi_identifiers
SOME = np.zeros(80, dtype=bool)
SOME[::7] = True
FILES = {
    "the original": TABLE,
    "perturbed": perturbed(TABLE, NAMES),
    "generalized": generalized(TABLE, NAMES),
    "suppressed": suppressed(TABLE, NAMES),
    "with records left out": perturbed(TABLE, NAMES).suppressing(SOME),
    "shorter": TABLE.take(np.arange(50)),
    "constant": TABLE.with_columns({name: TABLE[name][np.zeros(80, dtype=int)] for name in NAMES}),
    "all missing": TABLE.with_columns({"income": np.full(80, np.nan), "region": np.full(80, 3)}),
}
MATCHING = {"rsrl", "centroids", "known-2", "known-3", "known-4"}


def names_of(found):
    return {attack.name for attack in found.attacks}


@pytest.mark.parametrize("masked", FILES.values(), ids=FILES.keys())
def test_every_number_is_a_percentage(masked):
    for attack in audit(masked, TABLE, CONTROL).attacks:
        every = [attack.success, attack.control, attack.unmasked, *attack.details.values()]
        assert all(0 <= number <= 100 for number in every), attack.name
        assert -100 <= attack.interval[0] <= attack.gain <= attack.interval[1] <= 100, attack.name


def test_the_same_twice():
    assert audit(FILES["perturbed"], TABLE) == audit(FILES["perturbed"], TABLE)


def test_the_original_is_as_risky_as_itself():
    for attack in audit(TABLE, TABLE, CONTROL).attacks:
        assert attack.success == attack.unmasked


@pytest.mark.parametrize("name", sorted(MATCHING | {"singling-out"}))
def test_masking_lowers_the_risk(name):
    (attack,) = (own for own in audit(FILES["perturbed"], TABLE).attacks if own.name == name)
    assert attack.success < attack.unmasked


def test_attacks_explain_themselves_in_one_sentence():
    for attack in attacks_on(TABLE, TABLE, has_control=True):
        about = attack.about
        assert about.meaning[0].islower()
        assert "." not in about.meaning
        assert (about.side, about.direction) == (Side.RISK, Direction.LOWER)


def test_no_attack_is_part_of_a_fitness():
    used = inspect.getsource(profiles)
    kinds = {type(attack).__name__ for attack in attacks_on(TABLE, TABLE, has_control=True)}
    kinds -= {"LinkageAttack"}
    assert kinds == {
        "PartialKnowledgeLinkage", "SinglingOut", "MembershipInference", "Copies",
            "LearnedInference",
    }  # fmt: skip
    assert not {kind for kind in (*kinds, "SwappingLinkage", "CentroidLinkage") if kind in used}


def test_privacy_models_are_those_of_the_masked_table():
    masked = generalized(TABLE, NAMES)
    found = audit(masked).confidential["illness"]
    assert found.l == distinct_l(masked, NAMES, "illness")
    assert found.l_entropy == entropy_l(masked, NAMES, "illness")
    assert found.t == t_closeness(masked, NAMES, "illness")


def test_the_smallest_l_and_the_largest_t_are_the_file_s():
    table = confidential(confidential(mixed(80), "school"), "age")
    found = audit(table)
    assert found.confidential.keys() == {"illness", "school", "age"}
    assert found.l == min(own.l for own in found.confidential.values())
    assert found.t == max(own.t for own in found.confidential.values())


def test_a_generalized_confidential_attribute_has_no_order():
    table = confidential(mixed(80), "school")
    masked = generalized(table, ("school", "age"))
    names = table.schema.quasi_identifiers
    assert audit(masked).confidential["school"].t == nominal_t(masked, names, "school")


def test_without_confidential_attributes_there_is_no_l_and_no_t():
    found = audit(numbers(a=[1, 1, 2, 2], b=[1, 1, 3, 4]))
    assert (found.k, found.uniques, found.l, found.t) == (1, 2, None, None)


def test_without_an_original_nothing_is_attacked():
    assert audit(TABLE).attacks == ()


def test_without_confidential_attributes_the_others_are_inferred():
    table = categories(x=[0, 1, 0, 1, 1], y=[0, 1, 1, 1, 0])
    found = names_of(audit(table, table))
    assert found == {"centroids", "known-2", "singling-out", "learned-x", "learned-y"}


def test_one_attribute_is_enough():
    table = numbers(a=np.arange(30.0))
    assert names_of(audit(table, table)) == {"rsrl", "centroids", "singling-out"}


def test_shuffled_records_cannot_be_matched():
    shuffled = TABLE.take(np.random.default_rng(2).permutation(80))
    found = audit(shuffled, TABLE)
    assert not names_of(found) & MATCHING
    assert "do not seem to be in the original's order" in found.notes[0]


def test_a_caller_who_knows_the_order_is_believed():
    shuffled = TABLE.take(np.random.default_rng(2).permutation(80))
    assert names_of(audit(shuffled, TABLE, in_order=True)) > MATCHING


def test_a_shorter_file_is_attacked_without_matching():
    found = audit(FILES["shorter"], TABLE)
    assert names_of(found) == {"singling-out", "learned-illness"}
    assert "the masked file has 50 records and the original 80" in found.notes[0]


def test_records_left_out_are_not_attacked():
    masked = FILES["with records left out"]
    kept = np.flatnonzero(~SOME)
    found = audit(masked, TABLE)
    assert found.attacks == audit(masked.take(kept), TABLE.take(kept), in_order=True).attacks
    assert found.records == len(kept)


@pytest.mark.parametrize("kind", ["the original", "perturbed", "generalized", "suppressed"])
def test_masked_records_are_seen_to_be_in_order(kind):
    assert are_in_order(FILES[kind], TABLE)


@pytest.mark.parametrize("seed", range(5))
def test_a_few_shuffled_records_are_seen_to_be_shuffled(seed):
    few = TABLE.take(np.arange(20))
    assert not are_in_order(few.take(np.random.default_rng(seed).permutation(20)), few)


def test_no_value_of_a_record_is_shown():
    table = numbers(a=np.arange(50) + 777_000.0, b=np.arange(50) * 3.0 + 888_000)
    assert "777" not in str(audit(table, table))
    assert "888" not in str(audit(table, table))


def test_a_column_that_the_masked_file_lacks_is_named():
    masked = TABLE.only([n for n in TABLE.schema.names if n != "age"])
    with pytest.raises(SchemaError, match="no column 'age'"):
        audit(masked, TABLE)


def test_a_file_without_quasi_identifiers_cannot_be_audited():
    table = TABLE.with_schema(TABLE.schema.assigning(dict.fromkeys(NAMES, Role.OTHER)))
    with pytest.raises(SchemaError, match="at least one quasi-identifier"):
        audit(table)


def test_a_file_of_suppressed_records_cannot_be_audited():
    with pytest.raises(DataError, match="no record is released"):
        audit(TABLE.suppressing(np.ones(80, dtype=bool)), TABLE)


CONTROLLED = {"singling-out", "membership", "copies", "learned-illness"}


def test_a_control_group_is_attacked_by_what_does_not_match_records():
    found = audit(FILES["perturbed"], TABLE, CONTROL)
    by_control = {attack.name for attack in found.attacks if attack.is_controlled}
    assert by_control == CONTROLLED
    assert names_of(found) == CONTROLLED | MATCHING
    assert not any("guessing" in note for note in found.notes)


def test_without_a_control_group_success_is_compared_with_guessing_and_says_so():
    found = audit(FILES["perturbed"], TABLE)
    assert not any(attack.is_controlled for attack in found.attacks)
    assert "membership" not in names_of(found)
    assert any("compared with guessing" in note for note in found.notes)


def test_a_twin_is_attacked_in_the_place_of_the_release():
    twin = Twin(TABLE, FILES["perturbed"], CONTROL)
    by_twin = {one.name: one for one in audit(generalized(TABLE, NAMES), TABLE, twin=twin).attacks}
    direct = {one.name: one for one in audit(FILES["perturbed"], TABLE, CONTROL).attacks}
    other = {one.name: one for one in audit(generalized(TABLE, NAMES), TABLE, CONTROL).attacks}
    assert {name: by_twin[name] for name in CONTROLLED} == {n: direct[n] for n in CONTROLLED}
    assert {name: by_twin[name] for name in MATCHING} == {n: other[n] for n in MATCHING}


def test_the_strongest_attack_has_the_largest_lower_bound():
    found = audit(TABLE, TABLE, CONTROL)
    assert found.strongest.interval[0] == max(attack.interval[0] for attack in found.attacks)
    assert found.as_json()["strongest_attack"] == found.strongest.name
    assert audit(TABLE).strongest is None


def test_older_keys_stay_in_the_json():
    for attack in audit(FILES["perturbed"], TABLE, CONTROL).as_json()["attacks"].values():
        assert attack["value"] == attack["success"]
        assert attack["baseline"] == attack["control"]
        assert attack["meaning"] == attack["sentence"]
        assert attack["gain"] == attack["success"] - attack["control"]
