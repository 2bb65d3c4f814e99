"""What a method tells of itself, and what it does as data."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.hierarchy import of_lines
from evomask.masking.composition import InTurn, Stratified
from evomask.masking.making import Making, Step
from evomask.masking.method import About, about_of, making_of
from evomask.masking.microaggregation.clustered import ClusteredMicroaggregation
from evomask.masking.microaggregation.mdav_generic import MdavGeneric
from evomask.masking.noise import IndependentNoise
from evomask.masking.randomization.pram import Design, Pram
from evomask.masking.recoding.generalization import Generalization


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
    assert making_of(Pram(("sex",), Design.DIAGONAL)) == Making((PRAM,))


def test_methods_in_turn_are_several_steps():
    both = InTurn((IndependentNoise(("age",), 5.0), Pram(("sex",), Design.DIAGONAL)))
    assert making_of(both).steps == (NOISE, PRAM)


def test_strata_are_noted_also_within_methods_in_turn():
    stratified = Stratified(IndependentNoise(("age",), 5.0), ("region",))
    assert making_of(stratified) == Making((NOISE,), strata=("region",))
    assert making_of(InTurn((stratified, Pram(("sex",))))).strata == ("region",)


def test_a_clustered_method_is_one_step():
    (step,) = making_of(ClusteredMicroaggregation(("sex",), 4, 7)).steps
    assert step.method == "clustered-microaggregation"
    assert (step.parameters["k"], step.parameters["clusters"]) == (4, 7)
    assert step.parameters["clusterer"] == "c-medians"


def test_parameters_are_plain():
    method = Generalization(("job",), (1,), {"job": of_lines([("cook", "*"), ("clerk", "*")])})
    (step,) = making_of(method).steps
    assert step.parameters == {"levels": [1]}
    (step,) = making_of(MdavGeneric(("age",), np.int64(3))).steps
    assert type(step.parameters["k"]) is int


def test_a_method_of_another_package_tells_of_itself():
    assert making_of(Shifted(("age",))) == Making((Step("shift", {"by": 2.0}, ("age",)),))


def test_a_method_that_tells_nothing_is_known_by_its_docstring():
    assert making_of(Rounded()) == Making((Step("Round every number to tens", {}, ("age",)),))


def test_without_a_docstring_it_is_known_by_its_name():
    assert about_of(Silent).name == "Silent"
