import json

import pytest

KEYS = {"loss", "risk", "score_mean", "score_worst", "measures"}


@pytest.fixture
def masked(evomask, people, tmp_path):
    path = tmp_path / "masked.csv"
    evomask("mask", people, "-k", 3, "--out", path, "--quiet")
    return path


def test_a_table_is_printed(evomask, people, masked):
    answer = evomask("measure", people, masked)
    assert answer.code == 0
    assert "20 records, 2 attributes; all in percent, lower is better" in answer.out
    assert "distance-based record linkage (DBRL)" in answer.out


def test_json_has_the_pair_the_scores_and_all_measures(evomask, people, masked):
    answer = evomask("measure", people, masked, "--json")
    found = json.loads(answer.out)
    assert found.keys() >= KEYS
    assert found["score_mean"] == pytest.approx((found["loss"] + found["risk"]) / 2)
    assert found["score_worst"] == max(found["loss"], found["risk"])
    assert {"dbrl", "prl", "pil", "il1", "id"} <= found["measures"].keys()


def test_only_the_wanted_measures_are_read(evomask, people, masked):
    answer = evomask("measure", people, masked, "--measures", "dbrl,id", "--json")
    assert list(json.loads(answer.out)["measures"]) == ["dbrl", "id"]


def test_categories_are_measured_too(evomask, people, masked):
    answer = evomask("measure", people, masked, "--quasi", "age,region", "--json")
    found = json.loads(answer.out)
    assert found["attributes"] == ["age", "region"]
    assert {"ctbil", "ebil", "relabelling"} <= found["measures"].keys()


def test_the_original_has_no_loss(evomask, people):
    assert json.loads(evomask("measure", people, people, "--json").out)["loss"] == 0


def test_the_strict_profile_tells_the_parts_of_its_risk_and_the_papers_has_none(
    evomask, people, masked
):
    answers = [
        json.loads(evomask("measure", people, masked, "--profile", name, "--json").out)
        for name in ("papers", "strict")
    ]
    assert answers[0]["risk_parts"] is None
    parts = answers[1]["risk_parts"]
    assert answers[1]["risk"] == parts[parts["largest"]]
    assert answers[1]["risk"] <= answers[1]["original_risk"]


def test_the_parts_of_the_risk_and_losses_by_attribute_are_told_in_words(evomask, people, masked):
    said = evomask("measure", people, masked).out
    assert "by an intruder who " in said
    assert "the original: " in said
    assert "loss of age" in said


@pytest.mark.parametrize("written", ["*", ""])
def test_suppressed_cells_may_stand_for_anything(evomask, people, tmp_path, written):
    lines = people.read_text(encoding="utf-8").splitlines()
    rest = [line.rsplit(",", 1)[0] + f",{written}" for line in lines[1:]]
    path = tmp_path / "suppressed.csv"
    path.write_text("\n".join([lines[0], *rest]) + "\n", encoding="utf-8")
    answer = evomask("measure", people, path, "--quasi", "region", "--json")
    assert json.loads(answer.out)["measures"]["ebil"] == pytest.approx(100, abs=1)


def test_a_measure_is_explained(evomask):
    answer = evomask("measure", "--explain", "dbrl")
    assert answer.code == 0
    assert "the most similar record" in answer.out
    assert "lower is better" in answer.out


def test_all_measures_are_explained_as_json(evomask):
    found = json.loads(evomask("measure", "--explain", "all", "--json").out)["measures"]
    assert {"k", "dbrl", "loss", "risk"} <= {about["name"] for about in found}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--measures", "magic"), "no measure is called 'magic'; there are"),
        (("--measures", "ctbil"), "ctbil does not apply to these attributes"),
        (("--profile", "loose"), "no profile is called 'loose'; there are strict, papers"),
        (("--quasi", "shoe"), "no column 'shoe' in the data"),
    ],
)
def test_wrong_words_are_one_sentence(evomask, people, masked, words, sentence):
    answer = evomask("measure", people, masked, *words, "--quiet")
    assert answer.code == 1
    assert sentence in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("age,income,region\n20,1000,n\n", "has 1 records and the original 20"),
        ("age,region\n" + "20,n\n" * 20, "the masked file has no column 'income'"),
        (
            "age,income,region\n" + "20,1,q\n20,1,n\n" * 10,
            "'region' of the masked file holds in record 1 a value outside",
        ),
        (
            "age,income,region\n" + "20,x,n\n" * 20,
            "'income' of the masked file holds in record 1 a value outside",
        ),
    ],
)
def test_a_masked_file_that_does_not_fit_is_one_sentence(
    evomask, people, tmp_path, content, sentence
):
    path = tmp_path / "other.csv"
    path.write_text(content, encoding="utf-8")
    answer = evomask("measure", people, path, "--quiet")
    assert answer.code == 1
    assert sentence in answer.err


def test_two_files_are_needed(evomask, people):
    assert evomask("measure", people).code == 2


def test_tables_and_models_are_compared(evomask, tmp_path):
    rows = [f"{20 + i % 7},{1000 + 37 * i},{'nsw'[i % 3]}" for i in range(60)]
    people, masked = tmp_path / "many.csv", tmp_path / "masked.csv"
    people.write_text("\n".join(["age,income,region", *rows]), encoding="utf-8")
    evomask("mask", people, "-k", 3, "--out", masked, "--quiet")
    kept = ("--keep-table", "region: mean income", "--keep-table", "region")
    with_model = (*kept, "--keep-model", "income ~ age")
    answer = evomask("measure", people, masked, *with_model, "--json")
    table, counts, model = json.loads(answer.out)["kept"]
    assert table["text"] == "region: mean income"
    assert counts["error"] == 0.0
    assert model["kind"] == "model"
    assert "income ~ age: error" in evomask("measure", people, masked, *with_model).out


def test_a_table_that_cannot_be_read_is_told_in_a_sentence(evomask, people, masked):
    answer = evomask("measure", people, masked, "--keep-table", "region: mode income")
    assert answer.code != 0
    assert answer.err.count("\n") == 2
    assert "evomask: the table 'region: mode income' cannot be read" in answer.err


def test_a_page_shows_marginals_and_analyses(evomask, people, masked, tmp_path):
    page = tmp_path / "page.html"
    assert evomask("measure", people, masked, "--page", page).code == 0
    text = page.read_text(encoding="utf-8")
    assert "k-marginal score is" in text
    assert "Train on masked, test on original" in text
    assert "<svg" in text
    before = masked.read_bytes()
    answer = evomask("measure", people, masked, "--page", masked)
    assert "nothing is written onto an input" in answer.err
    assert masked.read_bytes() == before
