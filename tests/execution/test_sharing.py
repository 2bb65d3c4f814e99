"""Large arrays of the work are held once, in a file that loses its name at once."""

import pickle
import stat
from pathlib import Path

import numpy as np

from evomask.execution import sharing
from evomask.execution.local import AcrossCores
from evomask.execution.sharing import LARGE, shared


class Adding:
    """Adds a task to the sum of an array, and tells whether the array is its own."""

    def __init__(self, array):
        self.array = array

    def __call__(self, task, serial):
        return float(self.array.sum()) + task, self.array.flags.owndata


BIG = np.arange(LARGE // 4, dtype=np.float64)


def test_what_is_opened_equals_what_was_shared():
    thing = {"big": BIG, "small": np.arange(3), "turned": np.asfortranarray(np.ones((700, 300)))}
    given = shared(thing)
    there = pickle.loads(pickle.dumps(given)).opened()
    given.without_name()
    assert all(np.array_equal(there[name], thing[name]) for name in thing)


def test_only_the_owner_may_read_the_arrays_and_nobody_may_change_them():
    given = shared(BIG)
    there = given.opened()
    assert stat.S_IMODE(Path(given.path).stat().st_mode) == 0o600
    given.without_name()
    assert not Path(given.path).exists()
    assert not there.flags.writeable
    assert np.array_equal(there, BIG)


def test_small_things_need_no_file():
    given = shared([np.arange(10), "words"])
    assert given.path == ""
    given.without_name()
    assert given.opened()[1] == "words"


def test_without_room_in_memory_the_folder_for_temporary_files_is_used(tmp_path, monkeypatch):
    monkeypatch.setattr(sharing, "IN_MEMORY", tmp_path / "absent")
    monkeypatch.setattr(sharing.tempfile, "gettempdir", lambda: str(tmp_path))
    given = shared(BIG)
    assert Path(given.path).parent == tmp_path
    assert np.array_equal(given.opened(), BIG)
    given.without_name()
    assert list(tmp_path.iterdir()) == []


def test_workers_read_the_array_where_it_is_and_no_file_is_left():
    with AcrossCores(Adding(BIG), 2) as work:
        path = Path(work._given.path)
        assert not path.exists()
        answers = work(range(4), 0)
    assert answers == [(float(BIG.sum()) + task, False) for task in range(4)]
