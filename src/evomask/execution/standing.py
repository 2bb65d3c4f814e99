"""What results may depend on, of one process: compared before a task is sent elsewhere."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import machine, python_version_tuple

COMPARED = ("evomask", "numpy", "scipy", "numba", "llvmlite", "polars")
"""Packages whose versions must be the same everywhere."""

SOURCES = Path(__file__).parents[1]


@cache
def standing() -> Mapping[str, str]:
    """Versions of this process, and a hash of evomask's own sources, kernels included."""
    return {
        "python": ".".join(python_version_tuple()[:2]),
        "machine": machine(),
        **{name: _version(name) for name in COMPARED},
        "sources": _hash_of_sources(),
    }


def differences(there: Mapping[str, str]) -> str:
    """What is otherwise in another process, in words; empty where nothing is."""
    here = standing()
    apart = [name for name in here if there.get(name) != here[name]]
    return "; ".join(f"{name} {there.get(name, 'none')} there, {here[name]} here" for name in apart)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def _hash_of_sources() -> str:
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*.py")):
        digest.update(path.relative_to(SOURCES).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
