"""Findings of a security review: the test of each, and those that have no better place."""

import ast
import os
import subprocess
import sys
import time
from pathlib import Path
from resource import RLIMIT_AS, setrlimit

import pytest

from evomask.data.hierarchy import fit_hierarchy
from evomask.errors import SchemaError
from tests.data.test_hierarchy import table_of

TESTS = Path(__file__).parents[1]
OF_THE_SAME = "of_the_same_original_is_noted_recorded_and_refused_if_asked"
THAT_ENDS = "that_ends_early_leaves_nothing_and_the_server_answers"
FINDINGS = {
    "S1 a stray cell in a workbook kills command and server": (
        "io/test_sandbox.py::test_a_bomb_is_a_sentence_within_a_gigabyte_and_ten_seconds",
        "web/test_files.py::test_a_bomb_is_a_sentence_and_the_server_answers_on",
    ),
    "S2 two releases of one run combine": (
        f"runs/test_statement.py::test_another_release_{OF_THE_SAME}",
        "runs/test_statement.py::test_a_release_by_another_run_is_noted_too",
    ),
    "S3 unpacked size is not limited": (
        "io/test_sandbox.py::test_a_bomb_is_a_sentence_within_a_gigabyte_and_ten_seconds",
        "hostile/test_bombs.py::test_a_state_that_is_a_bomb_is_one_sentence",
    ),
    "S4 numbers of their own are released": (
        "releases/test_roles.py::test_numbers_of_their_own_are_refused_until_their_role_is_said",
    ),
    "M1 strangers shut the owner out": (
        "web/test_connections.py::test_the_owner_is_answered_within_a_second_under_500_strangers",
    ),
    "M2 evaluations are overrun": (
        "hostile/test_findings.py::test_evaluations_beyond_the_limit_are_noted",
    ),
    "M3 a release above its own limit of risk": (
        "engine/test_offers.py::test_a_named_point_beyond_a_limit_must_be_accepted",
        "engine/test_offers.py::test_accepting_one_measure_does_not_accept_the_other",
    ),
    "M4 compiling is outside of the seconds": (
        "engine/test_kernels.py::test_the_first_candidate_needs_the_kernels_of_one_masking_method",
    ),
    "M5 wide files": (
        "hostile/test_findings.py::test_two_of_thousands_of_columns_are_masked_soon",
    ),
    "M6 a tree that only renames": (
        "hostile/test_findings.py::test_a_group_called_like_a_value_elsewhere_is_refused",
    ),
    "M7 formulas in cells": ("io/test_formulas.py::test_formulas_are_escaped_on_request",),
    "M8 a killed worker ends the run": (
        "execution/test_local.py::test_killed_workers_are_replaced_and_the_bytes_are_the_same",
    ),
    "M9 a flipped bit in the journal": (
        "runs/store/test_journal.py::test_every_bit_of_a_line_is_covered_by_its_checksum",
        "hostile/test_damage.py::test_a_finished_front_outlives_damage_of_its_journal",
    ),
    "M10 modules of the current folder": (
        "hostile/test_nothing_gets_in.py::test_the_module_run_as_a_command_runs_none_either",
    ),
    "M11 errors of the Python interface": (
        "api/test_arguments.py::test_a_wrong_argument_is_one_sentence",
    ),
    "M12 formulas without stored values": (
        "io/test_sandbox.py::test_formulas_without_values_are_counted",
    ),
    "M13 the folder of the server": (
        "web/test_security.py::test_a_new_folder_is_for_its_owner_alone",
    ),
    "M14 a cookie that outlives the server": (
        "web/test_security.py::test_neither_a_cookie_nor_a_link_outlives_the_server",
        "web/test_security.py::test_a_cookie_ends_when_its_session_does",
    ),
    "M15 odd answers": (
        "hostile/test_findings.py::test_too_little_memory_for_a_library_is_one_sentence",
        "web/test_security.py::test_a_large_body_in_pieces_is_refused_by_its_size",
        f"web/test_connections.py::test_an_upload_{THAT_ENDS}",
    ),
}


@pytest.mark.parametrize("finding", FINDINGS)
def test_every_finding_has_its_test(finding):
    for place in FINDINGS[finding]:
        file, name = place.split("::")
        tree = ast.parse((TESTS / file).read_text("utf-8"))
        assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_evaluations_beyond_the_limit_are_noted(evomask, people):
    words = ("--quasi", "age,region", "--drop", "income", "--evaluations", 20, "--seed", 1)
    answer = evomask("search", "pram", people, *words)
    assert answer.code == 0, answer.err
    assert "evaluations were used and 20 allowed: the limit is checked between" in answer.err


def test_two_of_thousands_of_columns_are_masked_soon(evomask, tmp_path):
    width = 5000
    lines = [",".join(f"c{i}" for i in range(width))]
    lines += [",".join(str((i + 3 * row) % 7) for i in range(width)) for row in range(20)]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n")
    began = time.process_time()
    words = ("-m", "mdav-generic", "-k", 3, "--quiet", "-o", tmp_path / "out.csv")
    answer = evomask("mask", tmp_path / "wide.csv", "--quasi", "c0,c1", *words)
    assert answer.code == 0, answer.err
    assert time.process_time() - began < 15


def test_a_group_called_like_a_value_elsewhere_is_refused():
    lines = [("cat", "dog", "*"), ("dog", "cat", "*")]
    with pytest.raises(SchemaError, match="which is in another group"):
        fit_hierarchy("pet", lines, table_of("cat", "dog"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits address space")
def test_too_little_memory_for_a_library_is_one_sentence(people, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "evomask", "mask", people, "--quasi", "age", "--keep", "income",
         "-m", "mdav-generic", "-k", "3", "--quiet", "-o", tmp_path / "out.csv"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        preexec_fn=lambda: setrlimit(RLIMIT_AS, (700_000_000, 700_000_000)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1)
    if done.returncode:
        assert done.stderr.startswith("evomask: ")
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "out.csv").exists()
