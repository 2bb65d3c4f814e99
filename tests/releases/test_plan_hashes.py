"""Everything that a run reads from files is hashed in its plan."""

import pytest

from evomask.errors import RunError
from evomask.evolution.stopping import Budget
from evomask.runs.inputs import Input
from evomask.runs.store.run_folder import build_plan, check_input


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.csv").write_text("town,x\n" + "a,1\nb,2\n" * 5)
    (tmp_path / "town.csv").write_text("a;all\nb;all\n")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "x.csv").write_text("1;all\n2;all\n")
    (tmp_path / "a.toml").write_text('[attributes.town]\nhierarchy = "town.csv"\n')
    return tmp_path


@pytest.fixture
def plan(files):
    source = Input(files / "a.csv", files / "a.toml")
    folder = {"hierarchies": str(files / "more")}
    return build_plan("toy", source, folder, seed=1, budget=Budget(1))


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("a.csv", "the data file"),
        ("a.toml", "the schema file"),
        ("town.csv", "the hierarchy of town"),
        ("more/x.csv", "the hierarchy in x.csv"),
    ],
)
def test_a_file_that_changed_is_named(files, plan, name, what):
    check_input(plan)
    with (files / name).open("a") as file:
        file.write("\n")
    with pytest.raises(RunError, match=f"{what} has changed since the run began"):
        check_input(plan)


def test_a_tree_that_was_added_is_named(files, plan):
    (files / "more" / "town.csv").write_text("a;all\nb;all\n")
    with pytest.raises(RunError, match=r"the hierarchy in town\.csv has changed"):
        check_input(plan)


def test_a_tree_that_is_gone_is_named(files, plan):
    (files / "more" / "x.csv").unlink()
    with pytest.raises(RunError, match=r"the hierarchy in x\.csv has changed"):
        check_input(plan)
