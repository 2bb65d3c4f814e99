"""Roles proposed for files: shown first, taken only when accepted."""

import pytest

from evomask.data.schema import Role
from evomask.errors import FileError, RunError, SchemaError
from evomask.runs.inputs import Input, load
from evomask.runs.onboarding.schemas import accept_proposal, propose, write_proposal
from evomask.runs.protect import ProtectJob, protect_file
from tests.data.roles.careful import KEPT_ASIDE, QUESTION, ROLES


@pytest.fixture
def weighed(tmp_path):
    """People with two columns that may be the weight."""
    rows = [f"{20 + i % 60},{'mf'[i % 2]},{50 + i % 7},{80 + i % 9}" for i in range(90)]
    path = tmp_path / "weighed.csv"
    path.write_text("age,sex,design_weight,final_weight\n" + "\n".join(rows) + "\n")
    return path


def roles(proposition):
    found = proposition.proposed.attributes
    return {a.name: QUESTION if a.question else str(a.role) for a in found}


@pytest.fixture(scope="module")
def proposed(reference):
    """The proposed role of every column of the ten files."""
    return {name: roles(propose(Input(reference(name)))) for name in ROLES}


def agreement(files, proposed):
    """Columns on which the proposal agrees with a careful person, and all columns."""
    pairs = [
        (found, ROLES[name][column]) for name in files for column, found in proposed[name].items()
    ]
    return sum(found == wanted for found, wanted in pairs), len(pairs)


def test_a_careful_person_agrees_on_95_percent_of_the_columns_of_ten_files(proposed):
    agreed, columns = agreement(ROLES, proposed)
    assert len(ROLES) == 10
    assert agreed >= 0.95 * columns


def test_files_held_out_are_no_worse_than_nine_in_ten(proposed):
    agreed, columns = agreement(KEPT_ASIDE, proposed)
    assert agreed >= 0.9 * columns


def test_a_careful_person_said_something_of_every_column(proposed):
    for name, said in ROLES.items():
        assert list(said)
        assert set(proposed[name]) == set(said)


def test_nothing_of_the_ten_files_is_protected_without_a_stated_role(reference, tmp_path):
    for name in ROLES:
        with pytest.raises(SchemaError, match="no column roles given for"):
            protect_file(ProtectJob(Input(reference(name)), tmp_path / "run", evaluations=1))
    assert not (tmp_path / "run").exists()


def test_an_accepted_proposal_says_the_role_of_every_column(people, tmp_path):
    source = accept_proposal(propose(Input(people)), tmp_path / "mine.toml")
    loaded = load(source)
    assert loaded.stated == set(loaded.table.schema.names)
    assert loaded.table.attribute("income").role is Role.CONFIDENTIAL


def test_roles_that_are_named_are_taken_as_they_are(people):
    found = propose(Input(people, confidential=("age",), identifiers=("income",)))
    wanted = {"age": "confidential", "income": "identifier", "region": "quasi-identifier"}
    assert roles(found) == wanted


def test_a_named_column_that_is_not_there_is_told(people):
    with pytest.raises(SchemaError, match="no attribute 'height'"):
        propose(Input(people, identifiers=("height",)))


def test_an_open_question_is_not_accepted(weighed, tmp_path):
    with pytest.raises(SchemaError, match="which column is the weight"):
        accept_proposal(propose(Input(weighed)), tmp_path / "mine.toml")
    answered = propose(Input(weighed, weight="final_weight"))
    table = load(accept_proposal(answered, tmp_path / "mine.toml")).table
    assert table.schema.with_role(Role.WEIGHT) == ("final_weight",)


def test_a_schema_with_an_open_question_is_not_read(weighed, tmp_path):
    write_proposal(propose(Input(weighed)), tmp_path / "mine.toml")
    with pytest.raises(SchemaError, match="'design_weight', key 'role': still a question"):
        load(Input(weighed, tmp_path / "mine.toml"))


def test_an_edited_schema_is_never_replaced(people, tmp_path):
    (tmp_path / "mine.toml").write_text("# mine\n")
    assert not write_proposal(propose(Input(people)), tmp_path / "mine.toml")
    with pytest.raises(FileError, match="differs from the current proposal"):
        accept_proposal(propose(Input(people)), tmp_path / "mine.toml")
    assert (tmp_path / "mine.toml").read_text() == "# mine\n"


def test_a_folder_that_cannot_be_used_is_told_before_anything_is_read(tmp_path):
    (tmp_path / "file").touch()
    source = Input(tmp_path / "nothing.csv", quasi_identifiers=("age",))
    with pytest.raises(RunError, match="cannot be made"):
        protect_file(ProtectJob(source, tmp_path / "file" / "run"))
