import pytest

from evomask.errors import FileError, SchemaError
from evomask.io.scenario_library import read_library, scenario_library
from evomask.masking.enforce.requirement import parse_requirement

NAMED = [
    "register", "neighbour", "colleague", "insurer", "journalist", "credit bureau",
    "household member",
]  # fmt: skip


def test_the_library_has_the_scenarios_that_offices_reckon_with():
    found = scenario_library().scenarios
    assert [one.name for one in found] == NAMED
    for one in found:
        assert one.reason.endswith(".")
        assert one.reason.count(".") == 1
        assert parse_requirement(one.require).k >= 3


def write(folder, text):
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_adds_words_topics_and_scenarios(tmp_path):
    path = write(
        tmp_path,
        '[topics]\nschool = "teacher class pupils"\nwork = "trade"\n'
        '[scenarios.teacher]\nreason = "A teacher knows."\nknows = ["school", "age"]\n'
        '[scenarios.register]\nreason = "Ours."\nknows = ["age", "sex"]\n',
    )
    found = read_library(path)
    assert found.topic_of("class_size") == "school"
    assert found.topic_of("trade") == found.topic_of("job") == "work"
    assert [one.name for one in found.scenarios] == [*NAMED, "teacher"]
    assert found.scenarios[0].reason == "Ours."
    assert scenario_library().topic_of("trade") == ""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[scenarios.x]\nknows = ["age"]\n', "reason"),
        ('[scenarios.x]\nreason = "R."\nknows = ["ages"]\n', "no topic 'ages'"),
        ('[scenarios.x]\nreason = "R."\nknows_about = { wage = "much" }\n', "'x': a tolerance"),
        ('[scenarios.x]\nreason = "R."\nknows = ["age"]\nany = 2\n', "any must be"),
        ('[scenarios.x]\nreason = "R."\nspies = 1\n', "unknown key 'spies'"),
        ("[scenarios\n", "is not a library of scenarios"),
    ],
)
def test_a_wrong_file_is_refused_with_its_scenario(tmp_path, text, says):
    with pytest.raises(SchemaError, match=says):
        read_library(write(tmp_path, text))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileError, match="there is no library of scenarios"):
        read_library(tmp_path / "none.toml")
