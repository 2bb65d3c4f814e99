"""What many tests share: reference data where they are, and small tables."""

import os
from pathlib import Path

import pytest

from evomask.io.datasets import reference_folder


@pytest.fixture(scope="session")
def reference():
    """Path of a reference file by name; the test is skipped where there is none."""
    folder = reference_folder()

    def path(name: str) -> Path:
        if folder is None:
            pytest.skip("reference data are not here; set EVOMASK_DATA to their folder")
        return folder / name

    return path


def pytest_configure(config):
    """Kernels are compiled before parallel tests, into one place for all of them."""
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
