"""Fidelities: samples of the records, and predictions from one to the next."""

import numpy as np
import pytest

from evomask.data.frames import Declaration
from evomask.data.schema import Kind, Role
from evomask.engine.fidelity import Fidelity, fidelities_of, records_at
from evomask.engine.prediction import crowding, gains, predict
from evomask.engine.state import Candidate, Shift
from evomask.evolution.archive import hypervolume
from tests.engine.runs import mixed, people, table_of

SAMPLES = ((100, 50), (400, 80))


def test_a_large_file_has_samples_and_a_small_one_none():
    assert fidelities_of(mixed(900), 3, SAMPLES) == (
        Fidelity(100, 50), Fidelity(400, 80), Fidelity(900, 2_000),
    )  # fmt: skip
    assert fidelities_of(mixed(120), 3, SAMPLES) == (Fidelity(120, 2_000),)


def test_a_smaller_sample_is_part_of_a_larger_one_and_control_people_are_outside():
    table = mixed(900)
    small, control = records_at(table, Fidelity(100, 50))
    large, _ = records_at(table, Fidelity(400, 80))
    assert (len(small), len(control)) == (100, 50)
    assert set(small) < set(large)
    assert not set(small) & set(control)
    assert np.array_equal(small, records_at(table, Fidelity(100, 50))[0])


def stratified(shares):
    draw = {"region": lambda rng, n: rng.choice(["a", "b"], n, p=shares)}
    return table_of(people(900, **draw), region=Declaration(Kind.NOMINAL, Role.STRATUM))


def test_a_sample_has_its_share_of_every_stratum():
    table = stratified([0.7, 0.3])
    inside, _ = records_at(table, Fidelity(300, 50))
    whole = np.bincount(table.codes("region"))[:2]
    assert np.bincount(table.codes("region")[inside])[:2] == pytest.approx(whole / 3, abs=1)


def test_a_stratum_with_few_records_allows_no_sample():
    assert len(fidelities_of(stratified([0.7, 0.3]), 3, ((300, 50),))) == 2
    assert len(fidelities_of(stratified([0.95, 0.05]), 3, ((300, 50),))) == 1


def candidate(number, reading, signature=(1, 1), whole=None):
    return Candidate(
        number, "recipes", (), "recipes", "", readings=(reading, whole), signature=signature
    )


def test_a_prediction_follows_candidates_that_were_masked_alike():
    shifts = [Shift(0, 20.0, 10.0, -8.0, 2.0, 0), Shift(0, 20.0, 10.0, 0.0, 0.0, 1)]
    signatures = {0: (1, 1), 1: (2, 2)}
    alike, unlike = predict(
        [candidate(5, (20.0, 10.0)), candidate(6, (20.0, 10.0), (2, 2))], shifts, signatures, 1
    )
    assert alike[0] < 14.0
    assert alike[1] > 11.0
    assert unlike == pytest.approx([20.0, 10.0], abs=0.1)


def test_a_candidate_evaluated_as_a_whole_file_is_not_predicted():
    shifts = [Shift(0, 20.0, 10.0, -8.0, 2.0, 0)]
    found = predict([candidate(5, (20.0, 10.0), whole=(13.0, 9.0))], shifts, {0: (1, 1)}, 1)
    assert found.tolist() == [[13.0, 9.0]]


def test_a_gain_is_the_increase_of_the_hypervolume():
    rng = np.random.default_rng(1)
    front, points = rng.random((6, 2)), rng.random((40, 2))
    before = hypervolume(front, (1.0, 1.0))
    added = [hypervolume(np.vstack([front, point]), (1.0, 1.0)) - before for point in points]
    assert gains(points, front) == pytest.approx(added)
    assert gains(points, np.empty((0, 2))) == pytest.approx(np.prod(1.0 - points, axis=1))


def test_the_ends_of_a_front_are_the_least_crowded():
    found = crowding(np.array([[0.0, 1.0], [0.4, 0.5], [0.5, 0.4], [1.0, 0.0]]))
    assert np.isinf(found[[0, 3]]).all()
    assert found[1] == pytest.approx(0.5 + 0.6)


def test_a_sample_and_its_control_group_have_whole_persons():
    rng = np.random.default_rng(3)
    numbers = {"number": lambda rng, n: rng.integers(0, 300, n).astype(str)}
    roles = {"number": Declaration(Kind.NOMINAL, Role.PERSON)}
    table = table_of(people(900, **numbers), **roles)
    units = table.codes("number")
    small, control = records_at(table, Fidelity(100, 50))
    large, _ = records_at(table, Fidelity(400, 80))
    assert 90 <= len(small) <= 100
    assert 390 <= len(large) <= 400
    assert len(set(units[control])) == 50
    for inside, outside in ((small, control), (small, np.setdiff1d(np.arange(900), small))):
        assert not set(units[inside]) & set(units[outside])
    assert set(units[small]) < set(units[large])
    order = rng.permutation(900)
    shuffled, _ = records_at(table.take(order), Fidelity(100, 50))
    assert set(units[order[shuffled]]) == set(units[small])
    # 4 k persons are needed, and a third of 300 records are about 100 persons
    assert len(fidelities_of(table, 24, ((300, 50),))) == 2
    assert len(fidelities_of(table, 26, ((300, 50),))) == 1
