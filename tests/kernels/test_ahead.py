import os
import subprocess
import sys

from evomask.kernels.ahead import modules_with_kernels

ASKED = """
from evomask.kernels.ahead import compile_ahead
from evomask.kernels.compiler import is_compiled
print(is_compiled("splits"))
compile_ahead(["splits"])
print(is_compiled("splits"))
"""


def test_modules_are_compiled_ahead(tmp_path):
    environment = {**os.environ, "EVOMASK_CACHE": str(tmp_path)}
    told = subprocess.run(
        [sys.executable, "-c", ASKED], capture_output=True, text=True, check=True, env=environment
    )
    assert told.stdout.split() == ["False", "True"]


def test_modules_without_kernels_are_not_named():
    assert "mdav" in modules_with_kernels()
    assert "compiler" not in modules_with_kernels()
