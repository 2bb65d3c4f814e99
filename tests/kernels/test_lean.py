import numpy as np
import pytest

from evomask.kernels import compiler
from evomask.kernels.compiler import INDEX_ROWS, OWN_INDICES, WHOLE


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    monkeypatch.setattr(compiler, "CACHE", tmp_path)


@pytest.mark.usefixtures("fresh")
def test_loops_over_ranges_go_where_python_goes():
    @compiler.lazy(OWN_INDICES, WHOLE, WHOLE, WHOLE)
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
def test_elements_are_found_in_arrays_of_two_dimensions_and_from_the_end_by_constants():
    @compiler.lazy(INDEX_ROWS, WHOLE, WHOLE)
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
    @compiler.lazy(OWN_INDICES, OWN_INDICES)
    def copied(out, given):
        out[1:] = given
        return out

    assert copied(np.zeros(3, dtype=np.int64), np.arange(2)).tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match="equal shapes"):
        copied(np.zeros(3, dtype=np.int64), np.arange(7))
