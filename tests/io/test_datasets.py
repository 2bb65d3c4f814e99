"""The bundled survey: invented, coherent, and the same for the same seed."""

import numpy as np
import polars as pl
import pytest

from evomask.data.hierarchy import fit_hierarchies
from evomask.data.schema import Kind, Role
from evomask.errors import FileError, ParameterError
from evomask.io.datasets import survey, write_survey
from evomask.io.hierarchies import read_hierarchies
from evomask.io.schemas import read_schema
from evomask.io.tables import read_table

PEOPLE = survey(3000, seed=1)
KNOWN = PEOPLE.drop_nulls(["income", "education", "health"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("survey")
    write_survey(path, seed=1)
    return path


@pytest.fixture(scope="module")
def table(folder):
    return read_table(folder / "survey.csv", read_schema(folder / "survey.toml").declarations)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class TestPeople:
    def test_there_are_as_many_as_asked_for(self):
        assert survey(123, seed=5).height == 123

    def test_the_same_seed_gives_the_same_people(self):
        assert survey(500, seed=3).equals(survey(500, seed=3))

    def test_another_seed_gives_others(self):
        assert not survey(500, seed=3).equals(survey(500, seed=4))

    def test_a_handful_of_records_is_not_a_survey(self):
        with pytest.raises(ParameterError, match="at least 10 records, got 3"):
            survey(3)

    def test_every_person_has_an_own_number(self):
        assert PEOPLE["person"].n_unique() == 3000

    def test_income_is_the_sum_of_its_parts(self):
        assert (KNOWN["income"] == KNOWN["wage"] + KNOWN["other_income"]).all()

    def test_nobody_is_longer_in_a_job_than_at_work(self):
        assert (PEOPLE["years_in_job"] <= PEOPLE["years_worked"]).all()

    def test_everybody_is_sixteen_or_older(self):
        assert PEOPLE["age"].min() >= 16

    def test_who_does_not_work_has_neither_occupation_nor_hours_nor_wage(self):
        idle = KNOWN.filter(pl.col("occupation").is_null())
        assert idle["hours"].max() == 0
        assert idle["wage"].max() == 0

    def test_people_of_one_household_live_together(self):
        places = PEOPLE.group_by("household").agg(pl.col("municipality", "area").n_unique())
        assert places["municipality"].max() == 1
        assert places["area"].max() == 1

    def test_weights_add_up_to_about_the_population(self):
        assert PEOPLE["weight"].sum() == pytest.approx(2_400_000, rel=0.05)

    def test_a_few_people_do_not_answer(self):
        shares = {name: PEOPLE[name].null_count() / 3000 for name in ("income", "health")}
        assert 0.01 < shares["health"] < shares["income"] < 0.08

    def test_schooling_pays(self):
        working = KNOWN.filter(pl.col("wage") > 0)
        means = dict(working.group_by("education").agg(pl.col("wage").mean()).iter_rows())
        assert means["primary"] < means["upper secondary"] < means["tertiary"]

    def test_the_old_are_less_well(self):
        ill = KNOWN["health"].is_in(["bad", "very bad"])
        assert KNOWN.filter(ill)["age"].mean() > KNOWN.filter(~ill)["age"].mean() + 5

    def test_many_people_are_unique_by_what_a_neighbour_knows(self):
        known = ["municipality", "age", "sex", "marital", "education", "occupation"]
        assert (PEOPLE.group_by(known).len()["len"] == 1).sum() > 1500


class TestFiles:
    def test_the_same_seed_gives_the_same_bytes(self, folder, tmp_path):
        write_survey(tmp_path, seed=1)
        assert contents(tmp_path) == contents(folder)

    def test_the_schema_describes_every_column(self, folder):
        assert list(read_schema(folder / "survey.toml").attributes) == PEOPLE.columns

    def test_every_kind_and_role_occurs(self, table):
        assert {a.kind for a in table.schema} == set(Kind) - {Kind.DATE}
        assert {a.role for a in table.schema} == set(Role) - {Role.PERSON, Role.PSEUDONYM}

    def test_every_hierarchy_fits_the_data(self, table):
        trees = fit_hierarchies(read_hierarchies(table.schema), table)
        assert set(trees) == {
            "age", "sex", "marital", "education", "occupation", "municipality", "household_size",
        }  # fmt: skip
        assert all(len(set(tree.levels[-1])) == 1 for tree in trees.values())

    def test_another_seed_fits_the_hierarchies_too(self, tmp_path):
        write_survey(tmp_path, 400, seed=99)
        said = read_schema(tmp_path / "survey.toml").declarations
        table = read_table(tmp_path / "survey.csv", said)
        assert fit_hierarchies(read_hierarchies(table.schema), table)

    def test_municipalities_keep_their_leading_zero(self, table):
        assert table.attribute("municipality").categories[0].startswith("01")

    def test_writing_the_same_again_changes_nothing(self, folder):
        before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.csv")}
        write_survey(folder, seed=1)
        assert {path: path.stat().st_mtime_ns for path in before} == before

    def test_another_file_of_that_name_is_not_overwritten(self, tmp_path):
        (tmp_path / "survey.csv").write_text("mine")
        with pytest.raises(FileError, match="exists"):
            write_survey(tmp_path)
        assert (tmp_path / "survey.csv").read_text() == "mine"

    def test_numbers_are_correlated(self, table):
        wage, expenses = table.values("wage"), table.values("expenses")
        known = ~np.isnan(wage)
        assert np.corrcoef(wage[known], expenses[known])[0, 1] > 0.5
