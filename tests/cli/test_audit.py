import json

import pytest

KEYS = {"k", "l", "t", "uniques", "attacks"}


@pytest.fixture
def masked(evomask, people, tmp_path):
    path = tmp_path / "masked.csv"
    evomask("mask", people, "-k", 3, "--out", path, "--quiet")
    return path


def test_json_has_the_privacy_models_and_the_attacks(evomask, people, masked):
    answer = evomask("audit", masked, "--original", people, "--json", "--confidential", "region")
    found = json.loads(answer.out)
    assert found.keys() >= KEYS
    assert found["k"] == 3
    assert found["uniques"] == 0
    assert {"rsrl", "centroids", "known-2", "singling-out", "learned-region"} == set(
        found["attacks"]
    )


def test_each_attack_says_what_it_does_and_how_far_it_got(evomask, people, masked):
    found = json.loads(evomask("audit", masked, "--original", people, "--json").out)
    for attack in found["attacks"].values():
        assert attack["meaning"].startswith("the share of")
        assert all(0 <= attack[name] <= 100 for name in ("value", "baseline", "unmasked"))


def test_a_page_for_people(evomask, people, masked):
    answer = evomask("audit", masked, "--original", people, "--confidential", "region")
    assert answer.code == 0
    assert "20 records, 2 quasi-identifiers" in answer.out
    assert "records in the smallest equivalence class; higher is better" in answer.out
    assert "fewest values of region in a class" in answer.out
    assert (
        "held-out attacks (not used by any search), in percent of people, lower is better"
        in answer.out
    )
    assert "strongest attack: " in answer.out
    assert max(len(line) for line in answer.out.splitlines()) <= 100


def test_without_an_original_the_file_is_judged_alone(evomask, masked):
    answer = evomask("audit", masked)
    assert answer.code == 0
    assert "no attacks were run: give the original file with --original" in answer.out


def test_the_models_do_not_depend_on_the_original(evomask, people, masked):
    words = ("audit", masked, "--quasi", "age,income", "--confidential", "region", "--json")
    alone = json.loads(evomask(*words).out)
    both = json.loads(evomask(*words, "--original", people).out)
    assert [alone[key] for key in ("k", "l", "t", "uniques", "record_risk")] == [
        both[key] for key in ("k", "l", "t", "uniques", "record_risk")
    ]


def test_small_cells_of_the_histogram_are_merged(evomask, people):
    cells = json.loads(evomask("audit", people, "--json", "--minimum", 20).out)["record_risk"]
    assert [cell["records"] for cell in cells["cells"] if cell["records"]] == [20]


def test_without_confidential_columns_l_and_t_are_null(evomask, masked):
    found = json.loads(evomask("audit", masked, "--json").out)
    assert (found["l"], found["t"]) == (None, None)


def test_assumptions_are_told_on_stderr(evomask, masked):
    assert "note: no quasi-identifiers were named" in evomask("audit", masked, "--json").err


def test_quiet_tells_nothing_but_the_result(evomask, masked):
    assert evomask("audit", masked, "--json", "--quiet").err == ""


def test_a_shuffled_file_is_noticed(evomask, people, tmp_path):
    lines = people.read_text(encoding="utf-8").splitlines()
    path = tmp_path / "shuffled.csv"
    rows = [lines[1 + (7 * i + 3) % 20] for i in range(20)]
    path.write_text("\n".join([lines[0], *rows]) + "\n", encoding="utf-8")
    found = json.loads(evomask("audit", path, "--original", people, "--json").out)
    assert "rsrl" not in found["attacks"]
    assert any("do not seem to be in the original's order" in note for note in found["notes"])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("age,region\n20,n\n", "the masked file has no column 'income'"),
        ("age,income,region\n20,x,n\n", "'income' of the masked file holds in record 1 a value"),
        ("age,income,region\n", "no records"),
    ],
)
def test_a_file_that_does_not_fit_is_one_sentence(evomask, people, tmp_path, content, sentence):
    path = tmp_path / "other.csv"
    path.write_text(content, encoding="utf-8")
    answer = evomask("audit", path, "--original", people, "--quiet")
    assert answer.code == 1
    assert sentence in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--quasi", "shoe"), "no column 'shoe' in the data"),
        (("--original", "nowhere.csv"), "there is no file nowhere.csv"),
        (("--drop", "age,income"), "at least one quasi-identifier"),
    ],
)
def test_wrong_words_are_one_sentence(evomask, masked, words, sentence):
    answer = evomask("audit", masked, *words, "--quiet")
    assert answer.code == 1
    assert sentence in answer.err
    assert answer.err.count("\n") == 1


def test_a_file_is_needed(evomask):
    assert evomask("audit").code == 2


@pytest.fixture
def homes(people, tmp_path):
    """The people with households of two, and with a weight."""
    lines = people.read_text(encoding="utf-8").splitlines()
    rows = [f"{line},{place // 2},7" for place, line in enumerate(lines[1:])]
    path = tmp_path / "homes.csv"
    path.write_text("\n".join([f"{lines[0]},home,weight", *rows]) + "\n", encoding="utf-8")
    return path


WORDS = ("--quasi", "region,age", "--nominal", "region", "--household", "home")


def test_the_risk_of_households_is_told(evomask, homes):
    answer = evomask("audit", homes, *WORDS)
    assert "re-identification risk of a household" in answer.out
    assert "of 10" in answer.out
    found = json.loads(evomask("audit", homes, *WORDS, "--json").out)
    assert found["households"]["households"] == 10
    assert sum(cell["households"] for cell in found["households"]["cells"]) == 10


def test_special_uniques_are_told(evomask, homes):
    answer = evomask("audit", homes, *WORDS)
    assert "special uniques (SUDA2)" in answer.out
    assert "contribution to the scores in percent: " in answer.out
    found = json.loads(evomask("audit", homes, *WORDS, "--json").out)
    assert set(found["special_uniques"]["contributions"]) == {"region", "age"}
    assert found["special_uniques"]["records"] == found["uniques"]


def test_a_household_is_left_out_of_a_masked_file(evomask, homes, tmp_path):
    path = tmp_path / "gone.csv"
    evomask("mask", homes, "--quasi", "age", "--household", "home", "-k", 3, "--out", path)
    assert "home" not in path.read_text(encoding="utf-8").splitlines()[0]
    found = json.loads(evomask("audit", path, *WORDS[:4], "--original", homes, "--json").out)
    assert found["households"] is None
    found = json.loads(evomask("audit", path, *WORDS, "--original", homes, "--json").out)
    assert found["households"]["households"] == 10


def test_suppressed_cells_are_told_by_attribute(evomask, homes, tmp_path):
    path = tmp_path / "gaps.csv"
    words = ("--method", "local-suppression", "-k", 8, "--quasi", "region", "--nominal", "region")
    made = evomask("mask", homes, *words, "--out", path)
    cells = json.loads(evomask("mask", homes, *words, "--out", path, "--force", "--json").out)
    assert f"cells suppressed: region {cells['suppressed_cells']['region']}" in made.out
    found = json.loads(evomask("audit", path, *words[4:], "--json").out)
    assert found["suppressed_cells"] == cells["suppressed_cells"]
    assert found["k"] >= 8


def test_a_control_group_and_a_second_release_are_attacked_with_the_file(evomask, people, masked):
    answer = evomask("audit", masked, masked, "--original", people, "--control", people, "--json")
    attacks = json.loads(answer.out)["attacks"]
    assert attacks["membership"]["control_people"] == 20
    assert attacks["membership"]["gain"] == 0
    assert attacks["several-releases"]["success"] == 0


def test_a_control_group_needs_the_original(evomask, people, masked):
    answer = evomask("audit", masked, "--control", people)
    assert answer.code != 0
    assert "need --original" in answer.err
