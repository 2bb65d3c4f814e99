"""Points of a kept front side by side, without anything being written."""

import pytest

from evomask.errors import ParameterError
from evomask.runs.comparison import compare_points
from evomask.runs.release import load_record
from tests.cli.conftest import once_protected, protection  # noqa: F401


def files_in(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_the_released_point_is_told_as_its_record_tells_it(protection):  # noqa: F811
    kept, before = load_record(protection.folder), files_in(protection.folder)
    other = next(p.file for p in kept.points.front if p.point != kept.chosen.point)
    same, _ = compare_points(protection.folder, [kept.chosen.file, other], attack=False)
    assert same.achieved == kept.achieved
    assert same.spreads == kept.spreads
    assert same.method == kept.method
    assert {m.name: m.value for m in same.measures} == {m.name: m.value for m in kept.measures}
    assert files_in(protection.folder) == before


def test_points_that_are_not_there_or_too_many_are_refused(protection):  # noqa: F811
    with pytest.raises(ParameterError, match="file 99999"):
        compare_points(protection.folder, [99999])
    with pytest.raises(ParameterError, match="1 to 4"):
        compare_points(protection.folder, [1, 1])
