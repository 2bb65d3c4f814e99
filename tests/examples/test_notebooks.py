"""The notebooks run from the first cell to the last, and show what they made."""

import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples" / "notebooks").glob("*.ipynb"))


def cells(path):
    return [c for c in json.loads(path.read_text("utf-8"))["cells"] if c["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for cell in cells(path):
        exec(compile("".join(cell["source"]), path.name, "exec"), names)
    released = names.get("released")
    if released is not None:
        assert released.group_by("age", "sex", "education").len()["len"].min() >= 5


def test_outputs_are_shown_without_errors():
    assert len(NOTEBOOKS) == 3
    outputs = [out for path in NOTEBOOKS for cell in cells(path) for out in cell["outputs"]]
    assert {out["output_type"] for out in outputs} <= {"execute_result", "display_data", "stream"}
    pages = ["".join(out.get("data", {}).get("text/html", "")) for out in outputs]
    assert sum("<svg" in page for page in pages) >= 3
