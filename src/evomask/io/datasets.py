"""Reference data of the field, found beside a checkout or where ``EVOMASK_DATA`` points.

None of it ships with evomask; what ships is made by the generators below.
"""

import os
from pathlib import Path

from evomask.errors import FileError

CHECKOUT = Path(__file__).parents[3]


def reference_folder() -> Path | None:
    """Where reference data are kept, or none where there are none."""
    for folder in _candidates():
        if (folder / "casc").is_dir():
            return folder
    return None


def _candidates() -> tuple[Path, ...]:
    named = os.environ.get("EVOMASK_DATA")
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "evomask" / "data"
    return (Path(named),) if named else (CHECKOUT.parent / "shared" / "data", cache)


def reference_file(name: str) -> Path:
    """Path of a reference file such as ``casc/census.csv``."""
    folder = reference_folder()
    if folder is None or not (folder / name).is_file():
        raise FileError(
            f"reference data {name} are not here; set EVOMASK_DATA to the folder that holds them"
        )
    return folder / name
