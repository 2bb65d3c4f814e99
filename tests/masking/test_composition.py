import numpy as np
import pytest

from evomask.data.classes import classes_of
from evomask.data.frames import polars_from
from evomask.errors import ParameterError, SchemaError
from evomask.masking.composition import InTurn, Stratified, StratifiedMicroaggregation
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.masking.randomization.pram import Pram
from evomask.masking.rank_swapping import RankSwapping
from tests.tables import mixed


def test_no_value_crosses_from_a_stratum_to_another():
    masked = Stratified(RankSwapping(("age",), 50), ("region",)).mask(
        mixed(), np.random.default_rng(1)
    )
    for region in range(4):
        inside = mixed()["region"] == region
        assert sorted(masked["age"][inside]) == sorted(mixed()["age"][inside])


def test_a_stratum_is_masked_like_a_separate_file():
    masked = Stratified(MdavGeneric(("age",), 3), ("region",)).mask(
        mixed(), np.random.default_rng(1)
    )
    inside = np.flatnonzero(mixed()["region"] == 2)
    alone = MdavGeneric(("age",), 3).mask(mixed().take(inside), np.random.default_rng(1))
    assert masked["age"][inside].tolist() == alone["age"].tolist()


@pytest.mark.parametrize("name", ["age", "school", "income"])
def test_sets_and_intervals_of_all_strata_come_together(name):
    method = Mondrian(("age", "school", "income"), 3)
    masked = Stratified(method, ("region",)).mask(mixed(), np.random.default_rng(1))
    for region in range(4):
        inside = np.flatnonzero(mixed()["region"] == region)
        alone = method.mask(mixed().take(inside), np.random.default_rng(1))
        together = polars_from(masked)[name].gather(inside).to_list()
        assert together == polars_from(alone)[name].to_list()


def test_groups_of_records_stay_within_their_stratum():
    method = StratifiedMicroaggregation(MdavGeneric(("age", "school"), 3), ("region",))
    labels = method.partition(mixed(), np.random.default_rng(1))
    for group in range(labels.max() + 1):
        assert len(set(mixed()["region"][labels == group])) == 1


def test_strata_are_combinations_of_all_that_are_named():
    masked = Stratified(RankSwapping(("age",), 50), ("region", "illness")).mask(
        mixed(), np.random.default_rng(1)
    )
    strata = classes_of(mixed(), ("region", "illness")).labels
    for stratum in range(strata.max() + 1):
        inside = strata == stratum
        assert sorted(masked["age"][inside]) == sorted(mixed()["age"][inside])


def test_a_stratum_cannot_be_masked():
    with pytest.raises(SchemaError, match="'region' is a stratum and must not be masked"):
        Stratified(Pram(("region",)), ("region",))


def test_a_stratum_with_fewer_than_k_records_is_refused():
    method = Stratified(MdavGeneric(("age",), 20), ("region",))
    with pytest.raises(ParameterError, match="within a stratum of region: k must not exceed"):
        method.mask(mixed(), np.random.default_rng(1))


def test_each_method_of_a_sequence_masks_the_result_of_the_previous_one():
    rng = np.random.default_rng(1)
    first = Pram(("school",)).mask(mixed(), rng)
    wanted = RankSwapping(("school",)).mask(first, rng)
    method = InTurn((Pram(("school",)), RankSwapping(("school",))))
    masked = method.mask(mixed(), np.random.default_rng(1))
    assert masked["school"].tolist() == wanted["school"].tolist()


def test_a_sequence_names_every_attribute_once():
    method = InTurn((Pram(("school", "region")), RankSwapping(("age", "school"))))
    assert method.attributes == ("school", "region", "age")


def test_a_sequence_of_no_methods_is_refused():
    with pytest.raises(ParameterError, match="needs at least one"):
        InTurn(())
