import json
import os
import subprocess
import sys

import polars as pl
import pytest

from tests.conftest import TOY_PACKAGE


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    """The toy search, as a package would bring it along."""
    monkeypatch.syspath_prepend(TOY_PACKAGE)


def words(people, *more):
    return ("search", "toy", people, "--generations", 6, "--seed", 3, *more)


def test_json_has_the_keys_promised(evomask, people):
    found = json.loads(evomask(*words(people, "--json")).out)
    assert {"front", "best", "initial_best", "evaluations", "seconds"} <= found.keys()
    assert {"point", "search", "loss", "risk", "score"} <= found["front"][0].keys()


def test_tables_and_models_that_must_survive_are_told_of_every_point_and_of_the_chosen_file(
    evomask, people
):
    rows = [f"{20 + i % 7},{1000 + 37 * i},{'nsw'[i % 3]}" for i in range(60)]
    people.write_text("age,income,region\n" + "\n".join(rows) + "\n", encoding="utf-8")
    keep = ("--keep-table", "region: mean income", "--keep-model", "income ~ age")
    found = json.loads(evomask(*words(people, *keep, "--json")).out)
    assert all({"table_error", "model_error"} <= point.keys() for point in found["front"])
    assert [kept["text"] for kept in found["kept"]] == ["region: mean income", "income ~ age"]
    assert found["best"]["table_error"] == found["kept"][0]["error"]
    assert "preserved: income ~ age: error" in evomask(*words(people, *keep)).out


def test_what_cannot_be_kept_is_said_before_a_search_begins(evomask, people):
    answer = evomask(*words(people, "--keep-table", "nothing x there"))
    assert answer.code == 1
    assert "no column 'nothing'" in answer.err


def test_a_search_adds_its_own_keys(evomask, people):
    found = json.loads(evomask(*words(people, "--json")).out)
    assert found["steps"].keys() == {"age", "income"}


def test_options_are_the_fields_of_the_parameters(evomask, people):
    found = json.loads(evomask(*words(people, "--population", 3, "--json")).out)
    assert found["evaluations"] < 3 + 6 * 6


def test_options_may_stand_before_the_file(evomask, people):
    answer = evomask("search", "toy", "--levels", 4, "--generations", 2, people, "--json")
    assert max(json.loads(answer.out)["steps"].values()) < 4


def test_help_tells_the_meaning_of_an_option(evomask):
    assert "how many widths of rounding" in " ".join(evomask("search", "toy", "--help").out.split())


def test_help_lists_the_searches(evomask):
    assert "Round numbers; how coarsely evolves." in evomask("search", "--help").out


def test_an_unknown_search_is_wrong_usage(evomask, people):
    assert evomask("search", "tyo", people).code == 2


def test_an_unknown_option_is_wrong_usage(evomask, people):
    assert evomask(*words(people, "--widths", 3)).code == 2


def test_a_value_that_is_no_number_is_one_sentence(evomask, people):
    answer = evomask(*words(people, "--levels", "many"))
    assert (answer.code, answer.err) == (1, "evomask: levels must be a whole number, got many\n")


def test_the_masked_file_is_written(evomask, people, tmp_path):
    answer = evomask(*words(people, "--out", tmp_path / "masked.csv", "--json"))
    assert json.loads(answer.out)["masked"] == str(tmp_path / "masked.csv")
    assert pl.read_csv(tmp_path / "masked.csv").height == 20


def test_a_masked_file_is_not_overwritten_unasked(evomask, people, tmp_path):
    target = tmp_path / "masked.csv"
    target.write_text("mine", encoding="utf-8")
    assert evomask(*words(people, "--out", target)).code == 1
    assert target.read_text(encoding="utf-8") == "mine"


def test_a_pick_that_cannot_be_understood_is_refused_before_the_run(evomask, people, tmp_path):
    answer = evomask(*words(people, "--pick", "nicest", "--run", tmp_path / "run"))
    assert answer.code == 1
    assert not (tmp_path / "run").exists()


def test_the_seed_is_told_to_nobody(evomask, people):
    answer = evomask("search", "toy", people, "--generations", 2, "--seed", 918273, "--json")
    assert "918273" not in answer.out + answer.err


def test_a_kept_run_is_resumed_with_the_same_result(evomask, people, tmp_path):
    first = json.loads(evomask(*words(people, "--run", tmp_path / "run", "--json")).out)
    again = json.loads(evomask("resume", tmp_path / "run", "--json").out)
    assert again["front"] == first["front"]


def test_without_a_folder_nothing_is_kept(evomask, people, tmp_path):
    before = set(tmp_path.iterdir())
    evomask(*words(people))
    assert set(tmp_path.iterdir()) == before


def test_a_person_is_told_where_it_began_and_where_it_stands(evomask, people):
    told = evomask(*words(people)).out
    assert "initial best loss" in told
    assert "best         loss" in told


def test_quiet_means_no_word_on_stderr(evomask, people):
    assert evomask(*words(people, "--quiet", "--pause", "0.05")).err == ""


def test_progress_is_told_on_stderr(evomask, people):
    assert "generation" in evomask(*words(people, "--pause", "0.05")).err


def test_an_interrupt_ends_with_130(people, tmp_path):
    code = (
        "import os, signal, sys, threading; from evomask.cli.main import run;"
        "threading.Timer(2.0, os.kill, (os.getpid(), signal.SIGINT)).start(); run()"
    )
    command = [sys.executable, "-c", code, "search", "toy", str(people), "--seconds", "60"]
    paths = os.pathsep.join([str(TOY_PACKAGE), *sys.path])
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, check=False
    )
    assert done.returncode == 130


def test_the_operator_study_is_added_on_request(evomask, people):
    found = json.loads(evomask(*words(people, "--study", "operators", "--json")).out)
    assert "efficacy" in found["study"]


def test_a_study_writes_its_data_and_figures(evomask, people, tmp_path):
    folder = tmp_path / "figures"
    told = evomask(*words(people, "--study", "operators", "--figures", folder, "--json"))
    found = json.loads(told.out)
    assert json.loads((folder / "study.json").read_text(encoding="utf-8")) == found["study"]
    assert {str(path) for path in folder.glob("*.svg")} == set(found["figures"])


def test_a_study_of_a_kept_run_stands_in_its_folder(evomask, people, tmp_path):
    evomask(*words(people, "--study", "operators", "--run", tmp_path / "run"))
    assert (tmp_path / "run" / "study" / "operators-best-cost.svg").exists()
