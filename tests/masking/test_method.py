"""Descriptions, provenance and file statistics of masking methods."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.distance import impute_medians
from evomask.data.hierarchy import hierarchy_from_lines
from evomask.masking.composition import InTurn, Stratified
from evomask.masking.method import About, NumberStatistics, about_of, provenance_of
from evomask.masking.microaggregation.clustered import ClusteredMicroaggregation
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.noise import IndependentNoise
from evomask.masking.provenance import Provenance, Step
from evomask.masking.randomization.pram import Design, Pram
from evomask.masking.recoding.global_recoding import Generalization


class Rounded:
    """Round every number to tens.

    This is how a file of the neighbours is masked.
    """

    attributes = ("age",)

    def mask(self, table, rng):
        return table


@dataclass(frozen=True)
class Shifted:
    about: ClassVar[About] = About("shift", "shift", "numbers moved by {by}", "Numbers were moved.")

    attributes: tuple[str, ...]
    by: float = 2.0

    def mask(self, table, rng):
        return table


@dataclass(frozen=True)
class Silent:
    attributes: tuple[str, ...]

    def mask(self, table, rng):
        return table


PRAM = Step("pram", {"design": "diagonal", "change": 0.2, "invariant": False}, ("sex",))
NOISE = Step("independent-noise", {"percent": 5.0}, ("age",))


def test_a_method_is_one_step_with_its_parameters():
    assert provenance_of(Pram(("sex",), Design.DIAGONAL)) == Provenance((PRAM,))


def test_a_sequence_has_several_steps():
    both = InTurn((IndependentNoise(("age",), 5.0), Pram(("sex",), Design.DIAGONAL)))
    assert provenance_of(both).steps == (NOISE, PRAM)


def test_strata_are_recorded_within_sequences():
    stratified = Stratified(IndependentNoise(("age",), 5.0), ("region",))
    assert provenance_of(stratified) == Provenance((NOISE,), strata=("region",))
    assert provenance_of(InTurn((stratified, Pram(("sex",))))).strata == ("region",)


def test_a_clustered_method_is_one_step():
    (step,) = provenance_of(ClusteredMicroaggregation(("sex",), 4, 7)).steps
    assert step.method == "clustered-microaggregation"
    assert (step.parameters["k"], step.parameters["clusters"]) == (4, 7)
    assert step.parameters["clusterer"] == "c-medians"


def test_parameters_are_plain():
    method = Generalization(
        ("job",), (1,), {"job": hierarchy_from_lines([("cook", "*"), ("clerk", "*")])}
    )
    (step,) = provenance_of(method).steps
    assert step.parameters == {"levels": [1]}
    (step,) = provenance_of(MdavGeneric(("age",), np.int64(3))).steps
    assert type(step.parameters["k"]) is int


def test_the_description_of_a_plug_in_is_used():
    assert provenance_of(Shifted(("age",))) == Provenance((Step("shift", {"by": 2.0}, ("age",)),))


def test_a_method_without_description_is_named_by_its_docstring():
    assert provenance_of(Rounded()) == Provenance(
        (Step("Round every number to tens", {}, ("age",)),)
    )


def test_a_method_without_docstring_is_named_by_its_class():
    assert about_of(Silent).name == "Silent"


VALUES = st.lists(st.integers(-50, 50), min_size=1, max_size=60)


def counted(values, missing=0):
    different, counts = np.unique(np.array(values, dtype=float), return_counts=True)
    return NumberStatistics(different, counts, missing)


@given(VALUES)
def test_median_mean_and_ends(values):
    own = counted(values)
    assert own.median == np.median(values)
    assert own.mean == pytest.approx(np.mean(values))
    assert own.ends == (min(values), max(values))


@given(VALUES, st.integers(0, 10))
def test_deviation_with_missing_values_at_the_median(values, missing):
    column = np.append(np.array(values, dtype=float), np.full(missing, np.nan))
    expected = impute_medians(column[:, None]).std()
    assert counted(values, missing).deviation == pytest.approx(expected, abs=1e-9)


@given(VALUES, st.floats(0.5, 100))
def test_the_lowest_and_highest_percent(values, percent):
    own, ordered = counted(values), sorted(values)
    cut = max(1, int(np.ceil(len(values) * percent / 100)))
    assert own.lowest(percent) == ordered[cut - 1]
    assert own.highest(percent) == ordered[-cut]


def test_statistics_of_a_missing_attribute_are_nan():
    nobody = NumberStatistics(np.empty(0), np.empty(0, dtype=np.int64), 5)
    assert nobody.deviation == 0.0
    assert np.isnan(nobody.ends).all()
    assert np.isnan(nobody.lowest(5))
