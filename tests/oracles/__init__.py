"""Independent programs that check ours; each runs in an environment of its own.

Their Python is found through EVOMASK_ORACLES, by default ``.venv-oracles/bin/python`` at the
root of the repository. Where it is absent the tests that need it are skipped.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = Path(os.environ.get("EVOMASK_ORACLES", ROOT / ".venv-oracles" / "bin" / "python"))


def answers(script, questions, folder, python=PYTHON):
    """What *script* (in this folder) answers to all questions at once, as one process."""
    if not python.exists():
        pytest.skip("the oracles are not here; set EVOMASK_ORACLES to a Python that has them")
    asked, answered = folder / "questions.json", folder / "answers.json"
    asked.write_text(json.dumps(questions), encoding="utf-8")
    command = [str(python), "-W", "ignore", str(Path(__file__).parent / script), asked, answered]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    found = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    if found.returncode:
        pytest.fail(f"the oracle failed: {found.stderr[-500:]}")
    return json.loads(answered.read_text(encoding="utf-8"))
