"""Build hook that adds the kernels compiled by `make wheel` to a wheel."""

import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMPILED = "EVOMASK_WHEEL_KERNELS"
"""Variable that names a folder of compiled kernels; without it the wheel fits all machines."""

LINUX = "manylinux_2_28"
"""Oldest Linux that the wheels of numba and llvmlite support."""


class PrebuiltKernels(BuildHookInterface):  # type: ignore[misc]
    """Add compiled kernels to the wheel, and restrict its tag to the machines that they fit."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Set files and tag; a folder `x86-64-v3-0a1b2c3d` is included without its hash."""
        folder = os.environ.get(COMPILED)
        if not folder:
            return
        for path in sorted(Path(self.root, folder).rglob("*.kernel")):
            sources, processor = path.parts[-3:-1]
            level = processor.rpartition("-")[0]
            build_data["force_include"][str(path)] = (
                f"evomask/kernels/carried/{sources}/{level}/{path.name}"
            )
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        build_data["pure_python"] = False
        build_data["tag"] = f"{python}-none-{_platform()}"


def _platform() -> str:
    kind = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return kind.replace("linux", LINUX, 1) if kind.startswith("linux") else kind
