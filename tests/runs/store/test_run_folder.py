import stat

import polars as pl
import pytest

from evomask.errors import RunError
from evomask.evolution.archive import Front
from evomask.evolution.checkpoint import StateCodec
from evomask.evolution.state import State
from evomask.runs.search import perform
from evomask.runs.store.run_folder import RunFolder


@pytest.fixture
def store(plan_of, tmp_path):
    return RunFolder.create(tmp_path / "run", plan_of())


def test_only_the_owner_may_look_into_a_run(store):
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700


def test_the_plan_comes_back(store, plan_of):
    assert RunFolder(store.folder).plan() == plan_of()


def test_a_folder_that_holds_a_run_is_not_used_for_another(store, plan_of):
    with pytest.raises(RunError, match="is not empty; go on with `evomask resume"):
        RunFolder.create(store.folder, plan_of())


def test_a_folder_without_a_run_is_an_error(tmp_path):
    with pytest.raises(RunError, match="holds no run"):
        RunFolder(tmp_path).plan()


CODEC = StateCodec(lambda genome: {}, lambda arrays: None, Front())


def test_the_newest_whole_snapshot_wins(store):
    for generation in (3, 4):
        store.save_state(State(generation=generation), CODEC)
    newest = store.folder / "state-000000000004.npz"
    newest.write_bytes(newest.read_bytes()[:100])
    assert store.newest_state(CODEC).generation == 3


def test_old_snapshots_go(store):
    for generation in range(5):
        store.save_state(State(generation=generation), CODEC)
    assert len(list(store.folder.glob("state-*"))) == 2


def test_without_a_snapshot_there_is_no_state(store):
    assert store.newest_state(CODEC) is None


def test_two_processes_cannot_work_on_one_run(store):
    with store.locked(), pytest.raises(RunError, match="another process"), store.locked():
        pass


def test_the_front_holds_measures_origin_and_recipe(store):
    run = perform(store.plan(), store)
    front = pl.read_parquet(store.folder / "front.parquet")
    expected = {"point", "search", "loss", "risk", "score", "operator", "serial", "draw", "recipe"}
    assert expected <= set(front.columns)
    assert front.height == len(run.front)
