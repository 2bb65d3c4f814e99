"""Elements, ranges and copies inside kernels; these tests hold on both paths of compilation."""

import os
import subprocess
import sys

import numpy as np
import pytest

from evomask.kernels import jit
from evomask.kernels.jit import INDEX_ROWS, INT64, RW_INDICES


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "CACHE", tmp_path)


@pytest.mark.usefixtures("fresh")
def test_loops_over_ranges_equal_those_of_python():
    @jit.lazy(RW_INDICES, INT64, INT64, INT64)
    def walked(out, start, stop, way):
        found = 0
        if way == 0:
            for i in range(stop):
                out[found] = i
                found += 1
        elif way == 1:
            for i in range(start, stop):
                out[found] = i
                found += 1
        elif way == 2:
            for i in range(start, stop, 3):
                out[found] = i
                found += 1
        elif way == 3:
            for i in range(start, stop, -2):
                out[found] = i
                found += 1
        else:
            for i in range(start, stop, way):
                out[found] = i
                found += 1
        return found

    ways = {0: lambda _, stop: range(stop), 1: range, 7: lambda a, b: range(a, b, 7)}
    ways |= {2: lambda a, b: range(a, b, 3), 3: lambda a, b: range(a, b, -2)}
    for way, expected in ways.items():
        for start, stop in ((0, 0), (0, 1), (-4, 9), (9, -4), (2, 8), (8, 2), (-5, -5)):
            out = np.empty(64, dtype=np.int64)
            found = walked(out, start, stop, way)
            assert out[:found].tolist() == list(expected(start, stop))


@pytest.mark.usefixtures("fresh")
def test_elements_of_two_dimensional_arrays_and_constant_negative_indices():
    @jit.lazy(INDEX_ROWS, INT64, INT64)
    def gathered(rows, i, j):
        own = rows[i].copy()
        own[-1] = rows[-1, j]
        own[0] = rows[i, -2]
        place = (-1, j)
        for _ in range(i):
            own[1] = rows[place]
        return own, len(rows)

    rows = np.arange(20).reshape(4, 5)
    for i in range(4):
        for j in range(5):
            own, length = gathered(rows, i, j)
            assert length == 4
            second = rows[-1, j] if i else rows[0, 1]
            assert own.tolist() == [rows[i, -2], second, *rows[i, 2:-1], rows[-1, j]]


@pytest.mark.usefixtures("fresh")
def test_copying_between_unequal_shapes_is_refused():
    @jit.lazy(RW_INDICES, RW_INDICES)
    def copied(out, given):
        out[1:] = given
        return out

    assert copied(np.zeros(3, dtype=np.int64), np.arange(2)).tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match="shape"):
        copied(np.zeros(3, dtype=np.int64), np.arange(7))


INDICES = """
import numpy as np
from evomask.kernels import jit

@jit.lazy(jit.INDICES, jit.INDEX_ROWS, jit.INT64)
def elements(values, rows, place):
    return values[place], rows[place, -1], rows[-1, place]

values, rows = np.arange(5), np.arange(25).reshape(5, 5)
for place in (0, 4, -1, -5):
    print(*elements(values, rows, place))
for place in (5, -6) if jit.CHECKS_INDICES else ():
    try:
        elements(values, rows, place)
    except IndexError:
        print("outside")
"""


@pytest.mark.parametrize("path", ["hooked", "plain"])
@pytest.mark.parametrize("checked", ["", "1"])
def test_negative_indices_count_from_the_end_and_checks_refuse_those_outside(
    tmp_path, path, checked
):
    script = tmp_path / "elements.py"
    script.write_text(INDICES)
    answer = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True,
        env={
            **os.environ, "EVOMASK_CACHE": str(tmp_path), "EVOMASK_CHECK_INDICES": checked,
            "EVOMASK_PLAIN": "1" if path == "plain" else "",
        },
    )  # fmt: skip
    expected = ["0 4 20", "4 24 24", "4 24 24", "0 4 20", *(["outside"] * 2 if checked else [])]
    assert answer.stdout.splitlines() == expected
