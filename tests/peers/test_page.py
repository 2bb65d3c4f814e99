"""One command asks everybody and writes the page, at sizes of a few seconds."""

import json
import re
import subprocess
import sys

import pytest

from tests.oracles import ROOT

WORKS = {
    "mdav", "univariate", "mondrian", "recoding", "suppression", "pram", "k", "l", "t", "linkage",
}  # fmt: skip
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(reference, tmp_path_factory):
    reference("uci/adult.csv")
    folder = tmp_path_factory.mktemp("peers")
    command = [
        sys.executable, ROOT / "benchmarks" / "peers" / "compare.py", "--small", "--main", "200",
        "--seconds", "3", "--limit", "120", "--out", folder, "--docs", folder / "docs",
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    found = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    return found, (folder / "docs" / "benchmarks.md").read_text(encoding="utf-8"), folder


def test_we_do_every_work_and_nobody_is_forgotten(made):
    found, _, _ = made
    done = {row["work"] for row in found["rows"] if row["peer"] == "evomask" and "seconds" in row}
    assert done == WORKS
    asked = {row["peer"] for row in found["rows"]} - {"evomask"}
    judges = {"sdv", "anonymeter", "sdmetrics"}
    assert asked | judges == set(found["peers"])


def test_the_page_shows_every_row_with_a_ratio_or_a_reason(made):
    found, page, _ = made
    for row in found["rows"]:
        lines = [line for line in page.splitlines() if f"| {row['peer']} |" in line]
        assert any(f"{row['size']:,}" in line for line in lines)
        if "failed" in row:
            assert any("failed: " in line for line in lines)


def test_figures_of_another_day_are_marked_as_such(made):
    _, page, _ = made
    section = page.split("## Earlier figures")[1].split("\n## ")[0]
    assert "not** measured in this run" in section
    assert re.search(r"sdcMicro \| 5\.8\.1 .*2026-11-15", section)


def test_what_could_be_released_is_judged_by_our_pair(made):
    found, _, folder = made
    pairs = {row["file"]: (row["loss"], row["risk"]) for row in found["main"][0]["files"]
             if "loss" in row}  # fmt: skip
    assert pairs["the original"][0] == 0
    assert {"evomask, suggested point", "evomask, synthetic baseline"} <= set(pairs)
    assert (folder / "docs" / "pictures" / "peers-map-200.svg").exists()


def test_nothing_of_the_machine_but_its_kind_is_told(made):
    _, page, folder = made
    assert str(folder) not in page
    assert str(ROOT) not in page
