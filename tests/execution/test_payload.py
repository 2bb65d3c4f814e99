"""Large arrays of the work are held once, in a file that goes when the work ends."""

import stat
from functools import partial
from pathlib import Path

import numpy as np

from evomask.execution import payload
from evomask.execution.local import ProcessEvaluator
from evomask.execution.payload import share

ARRAYS = {
    "big": np.arange(300_000, dtype=np.float64),
    "flags": np.arange(7) % 2 == 0,
    "none": np.zeros(0, dtype=np.int32),
    "square": np.arange(12, dtype=np.int32).reshape(3, 4),
}


class Adding:
    """Adds a task to the sum of its arrays, and tells whether they are its own."""

    def __init__(self, name, arrays):
        self.name, self.arrays = name, arrays

    def lent(self):
        return partial(Adding, self.name), self.arrays

    def __reduce__(self):
        raise AssertionError("it is lent, not sent")

    def __call__(self, task, serial):
        total = sum(float(array.sum()) for array in self.arrays.values())
        return self.name, total + task, self.arrays["big"].flags.owndata


def plain(task, serial):
    return task


def test_what_is_opened_equals_what_was_shared():
    given = share(Adding("a", ARRAYS))
    there = given.open()
    given.remove()
    assert there.arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert there.arrays[name].dtype == array.dtype
        assert np.array_equal(there.arrays[name], array)


def test_only_the_owner_may_read_the_arrays_and_nobody_may_change_them():
    given = share(Adding("a", ARRAYS))
    there = given.open()
    assert stat.S_IMODE(Path(given.path).stat().st_mode) == 0o600
    given.remove()
    assert not Path(given.path).exists()
    assert not there.arrays["big"].flags.writeable
    assert np.array_equal(there.arrays["big"], ARRAYS["big"])


def test_work_that_lends_nothing_needs_no_file():
    given = share(plain)
    assert given.path == ""
    given.remove()
    assert given.open() is plain


def test_without_room_in_memory_the_folder_for_temporary_files_is_used(tmp_path, monkeypatch):
    monkeypatch.setattr(payload, "SHARED_MEMORY", tmp_path / "absent")
    monkeypatch.setattr(payload.tempfile, "gettempdir", lambda: str(tmp_path))
    given = share(Adding("a", ARRAYS))
    assert Path(given.path).parent == tmp_path
    assert np.array_equal(given.open().arrays["square"], ARRAYS["square"])
    given.remove()
    assert list(tmp_path.iterdir()) == []


def test_workers_read_the_arrays_where_they_are_and_no_file_is_left():
    work = Adding("a", ARRAYS)
    with ProcessEvaluator(work, 2) as cores:
        path = Path(cores._shared.path)
        assert path.exists()
        answers = cores(range(4), 0)
    assert not path.exists()
    total = sum(float(array.sum()) for array in ARRAYS.values())
    assert answers == [("a", total + task, False) for task in range(4)]
