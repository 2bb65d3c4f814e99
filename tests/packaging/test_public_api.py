"""The public interface changes only together with the changelog, and former names warn."""

import inspect
import re
from pathlib import Path

import pytest

import evomask

ROOT = Path(__file__).parents[2]
SNAPSHOT = ROOT / "packaging" / "public-api.txt"


def test_a_change_of_the_interface_is_in_the_changelog():
    """Removed and changed lines need an entry that names them; `make docs` writes the snapshot."""
    import sys

    sys.path.insert(0, str(ROOT / "packaging"))
    try:
        from public_api import interface
    finally:
        sys.path.pop(0)
    before = SNAPSHOT.read_text(encoding="utf-8").splitlines()
    now = interface()
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for line in sorted(set(before) - set(now)):
        name = re.match(r"[\w.]+", line).group()
        assert name.removeprefix("evomask.") in changelog, (
            f"{line} changed: name it in CHANGELOG.md"
        )
    assert before == now, "make docs writes packaging/public-api.txt anew"


@pytest.mark.parametrize("former", ["KeptRun", "measure_kept"])
def test_a_former_name_works_with_a_warning(former):
    with pytest.warns(DeprecationWarning, match=rf"evomask.{former} is now evomask.\w+"):
        assert inspect.isfunction(found := getattr(evomask, former)) or inspect.isclass(found)
    assert former not in evomask.__all__
