"""``evomask example``."""

import json


def test_the_survey_is_written_with_its_schema(evomask, tmp_path):
    answer = evomask("example", tmp_path / "play")
    assert answer.code == 0
    assert (tmp_path / "play" / "survey.csv").exists()
    assert (tmp_path / "play" / "survey.toml").exists()


def test_as_json_it_names_its_files(evomask, tmp_path):
    answer = evomask("example", tmp_path, "--json", "--records", 50)
    result = json.loads(answer.out)
    assert result["records"] == 50
    assert str(tmp_path / "survey.csv") in result["files"]


def test_it_does_not_overwrite_without_force(evomask, tmp_path):
    (tmp_path / "survey.csv").write_text("mine")
    answer = evomask("example", tmp_path)
    assert (answer.code, "exists" in answer.err) == (1, True)
    assert evomask("example", tmp_path, "--force").code == 0


def test_a_file_in_the_place_of_the_folder_is_one_sentence(evomask, tmp_path):
    (tmp_path / "play").write_text("mine")
    answer = evomask("example", tmp_path / "play")
    assert (answer.code, "is a file" in answer.err) == (1, True)
