from collections import Counter
from itertools import combinations

import pytest

from evomask.data.scenario import Scenario, parse_tolerance
from evomask.data.schema import Role
from evomask.errors import SchemaError
from evomask.io.datasets import write_survey
from evomask.runs.inputs import Input, load
from evomask.runs.onboarding.scenarios import count_uniques, file_scenarios, schema_scenarios
from evomask.runs.onboarding.schemas import propose_schema
from tests.tables import numbers


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    folder = tmp_path_factory.mktemp("survey")
    write_survey(folder, n_records=400, seed=3)
    return folder


def counted(table, names):
    """Uniques and the smallest class, counted record by record."""
    rows = list(zip(*(table[name].tolist() for name in names), strict=True))
    sizes = Counter(rows)
    return sum(count == 1 for count in sizes.values()), min(sizes.values())


def test_uniques_are_those_of_what_is_known_exactly(survey):
    table = load(Input(survey / "survey.csv", survey / "survey.toml")).table
    scenario = Scenario(
        name="x",
        knows=("age", "sex"),
        knows_about={"wage": parse_tolerance("20 %")},
        require="k=3",
    )
    found = count_uniques(table, scenario)
    assert (found.uniques, found.k) == counted(table, ["age", "sex"])


def test_a_choice_counts_its_worst_combination(survey):
    table = load(Input(survey / "survey.csv", survey / "survey.toml")).table
    names = ("municipality", "age", "sex", "marital")
    found = count_uniques(table, Scenario(name="x", any=2, of=names))
    assert found.uniques == max(counted(table, pair)[0] for pair in combinations(names, 2))


def test_a_person_with_several_records_is_counted_once():
    people = numbers(person=[1, 1, 1, 2, 3, 3], age=[30, 30, 30, 40, 40, 40])
    roles = people.schema.assigning({"person": Role.PERSON})
    found = count_uniques(people.with_schema(roles), Scenario(name="x", knows=("age",)))
    assert (found.records, found.uniques, found.k, found.unit) == (3, 1, 1, "person")


@pytest.mark.parametrize(
    ("uniques", "shown", "words"), [(0, 0, "none"), (9, None, "fewer than 10"), (10, 10, "10")]
)
def test_small_counts_are_merged(uniques, shown, words):
    table = numbers(a=[*range(uniques), *[-1] * 30])
    found = count_uniques(table, Scenario(name="x", knows=("a",)))
    assert found.as_json()["uniques"] == shown
    assert found.in_words == words


def test_a_proposed_schema_is_read_with_the_scenarios_that_were_adopted(survey, tmp_path):
    out = tmp_path / "mine.toml"
    found = propose_schema(Input(survey / "survey.csv"), out, scenarios=("colleague",))
    table = load(Input(survey / "survey.csv", out)).table
    (adopted,) = (p.scenario for p in found.scenarios if p.scenario.name == "colleague")
    assert table.schema.scenarios == (adopted,)


def test_every_proposed_scenario_can_be_uncommented(survey, tmp_path):
    out = tmp_path / "mine.toml"
    found = propose_schema(Input(survey / "survey.csv"), out)
    assert not load(Input(survey / "survey.csv", out)).table.schema.scenarios
    lines = out.read_text(encoding="utf-8").splitlines()
    kept = [line[1:] if line.startswith("#") and line[1] not in " !" else line for line in lines]
    out.write_text("\n".join(kept), encoding="utf-8")
    schema = load(Input(survey / "survey.csv", out)).table.schema
    assert schema.scenarios == tuple(one.scenario for one in found.scenarios)
    assert len(schema.scenarios) >= 5


def test_a_scenario_that_does_not_suit_is_refused(survey):
    with pytest.raises(SchemaError, match="'credit bureau' does not suit the file"):
        propose_schema(Input(survey / "survey.csv"), scenarios=("credit bureau",))


def test_a_file_shows_the_scenarios_of_its_schema_first(survey):
    source = Input(
        survey / "survey.csv",
        survey / "survey.toml",
        scenarios=("club: age, sex", "register: age, sex, marital"),
    )
    found = file_scenarios(source)
    origins = {one.scenario.name: one.origin for one in found.scenarios}
    assert origins["club"] == origins["register"] == "schema"
    (register,) = (o.scenario for o in found.scenarios if o.scenario.name == "register")
    assert register.knows == ("age", "sex", "marital")
    assert "library" in origins.values()
    assert all(one.uniques.records == 400 for one in found.scenarios)


def test_a_schema_alone_has_no_counts(survey):
    found = schema_scenarios(survey / "survey.toml")
    assert {"register", "colleague"} <= {one.scenario.name for one in found.scenarios}
    assert all(one.uniques is None for one in found.scenarios)
