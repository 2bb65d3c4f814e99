"""The examples run, here with small budgets, and what they release is what they promise."""

import importlib.util
from pathlib import Path

import polars as pl
import pytest

from evomask.io.datasets import reference_folder
from tests.oracles.anonymity import pycanon_answers

EXAMPLES = Path(__file__).parents[2] / "examples"

needs_data = pytest.mark.skipif(
    reference_folder() is None, reason="reference data are not here; set EVOMASK_DATA"
)


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@needs_data
def test_census_is_protected(tmp_path):
    released = example("census").main(tmp_path, seconds=None, evaluations=10)
    assert pl.read_csv(released).shape == (1080, 13)


@needs_data
def test_adult_is_made_5_anonymous(tmp_path):
    adult = example("adult")
    found = adult.protected(seconds=None, evaluations=12, records=600)
    released = adult.main(tmp_path, found)
    assert pl.read_csv(released).group_by(adult.QUASI).len()["len"].min() >= 5


@needs_data
@pytest.mark.slow
def test_every_point_of_all_of_adult_is_5_anonymous_by_pycanon():
    adult = example("adult")
    done = adult.protected(seconds=120, workers=2).protection
    files = [done.files(candidate.number).masked for candidate in done.front]
    answers = pycanon_answers(files, adult.QUASI)
    assert len(answers) > 5
    assert all(answer["k"] >= 5 for answer in answers)


def test_the_survey_is_released_without_identifiers_and_by_its_rules(tmp_path):
    released = pl.read_csv(example("survey").main(tmp_path, seconds=None, evaluations=6))
    assert not {"person", "name", "household"} & set(released.columns)
    assert (released["years_in_job"] <= released["years_worked"]).all()
