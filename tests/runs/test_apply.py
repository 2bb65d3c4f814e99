"""A recipe applied to other files: fitted there, guarantees counted from outside, or refused."""

import json
import shutil
import tomllib
from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from evomask.errors import EvomaskError, RunError
from evomask.runs.apply import ApplyJob, apply_file, search_from_recipe
from evomask.runs.inputs import Input
from evomask.runs.protect import choose, protect_file
from evomask.runs.store.verify import verify
from tests.runs.test_protect import job_for, write_town

STEPS = """
require = "k=3"
profile = "strict"
seed = 4611686018427387904

[[steps]]
method = "mdav-generic"
attributes = ["age", "income"]
k = 4

[[steps]]
method = "generalization"
attributes = ["town"]
levels = [1]

[promised]
records = 400
loss = 20.0
risk = 8.0

[attributes.age]
kind = "continuous"
role = "quasi-identifier"

[attributes.income]
kind = "continuous"
role = "quasi-identifier"

[attributes.town]
kind = "nominal"
role = "quasi-identifier"

[attributes.illness]
kind = "nominal"
role = "confidential"

[hierarchies]
town = [["a", "north", "*"], ["b", "north", "*"], ["c", "south", "*"]]
"""

SCENARIOS = """
[scenarios.register]
knows = ["age", "town"]
require = "k=5"

[scenarios.neighbour]
knows = ["town"]
require = "l=3"
"""


@pytest.fixture
def write(tmp_path):
    """Write people and a recipe, and return the job."""

    def make(count=120, towns="abc", recipe=STEPS, out="release", seed=5, **more):
        rng = np.random.default_rng(seed)
        columns = {
            "age": rng.integers(20, 70, count),
            "income": rng.integers(1000, 2000, count),
            "town": rng.choice(list(towns), count),
            "illness": rng.choice(["flu", "cold", "none"], count),
        }
        pl.DataFrame(columns | more).write_csv(tmp_path / "people.csv")
        (tmp_path / "recipe.toml").write_text(recipe, encoding="utf-8")
        path = tmp_path / "recipe.toml"
        return ApplyJob(path, Input(tmp_path / "people.csv"), tmp_path / out)

    return make


def classes(frame, names):
    return Counter(frame.select(names).iter_rows())


def test_the_requirement_is_counted_in_the_written_file(write):
    job = write(out="masked.csv")
    done = apply_file(job)
    frame = pl.read_csv(job.out)
    assert min(classes(frame, ["age", "income", "town"]).values()) >= 3
    assert set(frame["town"]) <= {"north", "south"}
    assert done.written.reading.k >= 3
    assert done.applied.promised.loss == 20.0


def test_every_scenario_holds_in_the_written_file(write):
    job = write(recipe=STEPS + SCENARIOS, out="masked.csv")
    done = apply_file(job)
    frame = pl.read_csv(job.out)
    assert min(classes(frame, ["age", "town"]).values()) >= 5
    assert frame.group_by("town").agg(pl.col("illness").n_unique())["illness"].min() >= 3
    assert set(done.applied.scenarios) == {"register", "neighbour"}


def test_a_folder_is_a_valid_release_from_which_can_be_chosen_again(write):
    job = write()
    done = apply_file(job)
    assert verify(job.out).holds
    record = json.loads((job.out / "record.json").read_text())
    assert any("had a loss of 20.00 %" in note for note in record["notes"])
    lines = sorted(done.written.path.read_text().splitlines())
    again = choose(job.out)
    assert sorted(again.written.path.read_text().splitlines()) == lines
    plain = tomllib.loads((job.out / "recipe.toml").read_text())
    assert plain["promised"]["loss"] == round(done.applied.point.loss, 2)


def test_groups_are_made_of_the_records_of_the_new_file(write):
    job = write(out="masked.csv", seed=9)
    apply_file(job)
    original, masked = pl.read_csv(job.source.path), pl.read_csv(job.out)
    assert masked["income"].mean() == pytest.approx(original["income"].mean(), abs=1.0)
    assert masked["income"].n_unique() <= 120 / 3


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A small run of protect whose recipe is written beside its release."""
    parent = tmp_path_factory.mktemp("town")
    write_town(parent)
    return protect_file(job_for(parent, "run", searches=("recipes",), evaluations=30))


def test_the_same_file_gets_the_same_masking(released, tmp_path):
    source = Input(released.folder.parent / "town.csv")
    done = apply_file(ApplyJob(released.recipe, source, tmp_path / "again.csv"))
    before = released.written.path.read_bytes().splitlines()
    assert sorted(done.written.path.read_bytes().splitlines()) == sorted(before)
    assert done.applied.point.loss == released.chosen.loss
    assert done.applied.point.risk == released.chosen.risk


def test_choosing_another_point_replaces_the_recipe(released, tmp_path):
    shutil.copytree(released.folder, tmp_path / "run")
    other = next(p for p in released.protection.front if p.point != released.chosen.point)
    done = choose(tmp_path / "run", str(other.point))
    assert done.recipe == tmp_path / "run" / "recipe.toml"
    plain = tomllib.loads(done.recipe.read_text())
    assert plain["promised"]["loss"] == round(done.chosen.loss, 2)
    assert plain["promised"]["loss"] != round(released.chosen.loss, 2)


def test_new_categories_are_counted_and_suppressed(write):
    job = write(towns="abcxy", out="masked.csv")
    done = apply_file(job)
    (note,) = (one for one in done.applied.notes if "hierarchy" in one)
    assert note.startswith("the hierarchy of 'town' does not have 2 categories of this file (")
    assert not {"x", "y"} & set(pl.read_csv(job.out)["town"])
    assert "x" not in note.split("'town'")[1].replace("hierarchy", "")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"count": 3}, "a step cannot mask this file: k must not exceed the number of records"),
        (
            {"count": 120, "recipe": STEPS.replace("k=3", "k=130")},
            "nothing was written: k = 130 cannot hold in this file",
        ),
        (
            {"recipe": STEPS + SCENARIOS.replace("l=3", "l=4")},
            "in scenario 'neighbour', l = 4 cannot hold in this file: 'illness' has 3 distinct",
        ),
        (
            {"recipe": STEPS + SCENARIOS.replace("k=5", "k=500")},
            "in scenario 'register', k = 500 cannot hold in this file",
        ),
        ({"zip": ["9"] * 120}, "the recipe does not know column 'zip' of this file"),
        ({"recipe": STEPS.replace("age", "years")}, "no column 'years' in the data"),
        ({"recipe": STEPS.replace("levels = [1]", "levels = [5]")}, "a step cannot mask this file"),
    ],
)
@pytest.mark.parametrize("out", ["release", "masked.csv"])
def test_what_cannot_hold_is_refused_and_nothing_is_written(write, changes, sentence, out):
    job = write(out=out, **changes)
    with pytest.raises(EvomaskError) as error:
        apply_file(job)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
    assert not job.out.exists()


def test_identifiers_may_be_missing_since_they_are_never_released(write):
    named = STEPS + '[attributes.name]\nkind = "nominal"\nrole = "identifier"\n'
    job = write(recipe=named, out="masked.csv")
    apply_file(job)
    assert pl.read_csv(job.out).columns == ["age", "income", "town", "illness"]


def test_an_existing_file_is_not_overwritten(write):
    job = write(out="masked.csv")
    job.out.write_text("mine")
    with pytest.raises(EvomaskError, match="exists"):
        apply_file(job)
    assert job.out.read_text() == "mine"


def test_without_columns_a_recipe_needs_a_schema(write, tmp_path):
    text = STEPS[: STEPS.index("[attributes.age]")]
    columns = STEPS[STEPS.index("[attributes.age]") :]
    job = write(recipe=text, out="masked.csv")
    with pytest.raises(EvomaskError, match="declares no columns"):
        apply_file(job)
    (tmp_path / "schema.toml").write_text(columns)
    source = Input(job.source.path, tmp_path / "schema.toml")
    done = apply_file(ApplyJob(job.recipe, source, job.out))
    assert done.written.reading.k >= 3


@pytest.mark.parametrize("out", ["again", "again.csv"])
def test_another_release_of_the_same_original_is_noted_and_refused_if_asked(write, out):
    first = write()
    apply_file(first)
    again = replace(first, out=first.out.with_name(out))
    with pytest.raises(RunError, match=r"run release.*--strict-releases"):
        apply_file(replace(again, strict_releases=True))
    assert not again.out.exists()
    done = apply_file(again)
    assert any("(run release)" in note for note in done.applied.notes)
    if done.release:
        assert done.release.record.released_elsewhere == ("release",)


def test_categories_that_the_recipe_does_not_know_come_last_with_a_note(write):
    known = STEPS.replace(
        '[attributes.illness]\nkind = "nominal"',
        '[attributes.illness]\nkind = "ordinal"\ncategories = ["none", "cold"]',
    )
    done = apply_file(write(recipe=known, out="masked.csv"))
    assert done.applied.masked.attribute("illness").categories == ("none", "cold", "flu")
    assert any("does not know 1 category of 'illness'" in note for note in done.applied.notes)
    assert done.written.reading.k >= 3


def test_a_search_from_a_recipe_has_its_guarantees_and_is_no_worse(write):
    job = write(recipe=STEPS + SCENARIOS)
    alone = apply_file(replace(job, out=job.out.with_name("alone.csv"))).applied.point
    done = search_from_recipe(job, 8.0)
    frame = pl.read_csv(done.written.path)
    assert min(classes(frame, ["age", "town"]).values()) >= 5
    assert any(p.loss <= alone.loss and p.risk <= alone.risk for p in done.protection.front)
    assert verify(job.out).holds


def test_categories_that_a_hierarchy_file_does_not_have_are_suppressed_with_a_note(write):
    before, _ = STEPS.split("[hierarchies]")
    recipe = before.replace("[attributes.town]\n", '[attributes.town]\nhierarchy = "town.csv"\n')
    job = write(recipe=recipe, towns="abcz", out="masked.csv")
    lines = "a;north;*\nb;north;*\nc;south;*\n"
    (job.recipe.parent / "town.csv").write_text(lines, encoding="utf-8")
    done = apply_file(job)
    assert set(pl.read_csv(job.out)["town"]) <= {"north", "south", "*"}
    assert any("'town' does not have 1 category" in note for note in done.applied.notes)
