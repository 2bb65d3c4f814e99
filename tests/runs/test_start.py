"""Recipes and masked files that a run on disk starts from: stored, resumed, refused if changed."""

import json

import polars as pl
import pytest

from evomask.errors import RunError
from evomask.masking.provenance import Step
from evomask.runs.mask import MaskJob, mask_file
from evomask.runs.protect import choose, protect_file, resume_protection
from tests.runs.test_protect import job_for, write_town

RECIPE = """
[[steps]]
method = "mdav"
attributes = ["age", "income"]
k = 8
"""


@pytest.fixture
def town(tmp_path):
    """The town, a colleague's masking of it and a recipe written by hand."""
    write_town(tmp_path)
    source = job_for(tmp_path, "run").source
    mask_file(
        MaskJob(source, "mdav-generic", tmp_path / "theirs.csv", {"k": "6"}, seed=2**50)
    )  # fmt: skip
    (tmp_path / "by-hand.toml").write_text(RECIPE)
    return tmp_path


def job(town, **more):
    start = (town / "theirs.csv", town / "by-hand.toml")
    return job_for(town, "run", **({"searches": ("recipes",), "start": start} | more))


def given(done):
    return [one for one in done.protection.state.candidates if one.search == "given"]


def test_a_recipe_and_a_masked_file_are_evaluated_first(town):
    recipe, file = given(protect_file(job(town, evaluations=2)))
    assert recipe.making.steps == (Step("mdav", {"k": 8}, ("age", "income")),)
    assert (recipe.member, file.member) == ("recipes", "given")


def test_a_given_file_can_be_chosen_and_has_no_recipe(town):
    protect_file(job(town, evaluations=1, start=(town / "theirs.csv",)))
    chosen = choose(town / "run", "file=0")
    released = pl.read_csv(chosen.written.path)
    theirs = pl.read_csv(town / "theirs.csv")
    names = ["age", "income", "school"]
    assert released.select(names).sort(names).equals(theirs.select(names).sort(names))
    assert chosen.recipe is None
    assert not (town / "run" / "recipe.toml").exists()


def test_the_record_says_what_was_given(town):
    done = protect_file(job(town, evaluations=3))
    record = json.loads((town / "run" / "record.json").read_text())
    searches = {one["name"]: one for one in record["searches"]}
    assert searches["given"]["files"] == 2
    assert (town / "run" / "report-internal.html").read_text().count("given") > 0
    assert done.protection.efforts["given"].files == 2


def test_a_resumed_run_still_has_them(town):
    before = protect_file(job(town, evaluations=4))
    after = resume_protection(town / "run", seconds=None)
    assert [p.number for p in after.protection.front] == [p.number for p in before.protection.front]


def test_a_masked_file_that_changed_meanwhile_is_refused(town):
    protect_file(job(town, evaluations=3))
    (town / "theirs.csv").write_text((town / "theirs.csv").read_text().replace("a", "b", 1))
    with pytest.raises(RunError, match="the masked file 1 to start from has changed"):
        choose(town / "run")


def test_what_cannot_fulfil_the_requirement_is_counted(town):
    (town / "by-hand.toml").write_text(RECIPE.replace("8", "80000"))
    done = protect_file(job(town, evaluations=6))
    assert (
        "1 of 2 given maskings cannot fulfil the requirement, and did not take part"
        in done.protection.notes
    )
