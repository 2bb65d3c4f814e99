"""Roles proposed for frames."""

import pytest

import evomask
from evomask.io.datasets import write_survey


@pytest.fixture(scope="module")
def proposal(tmp_path_factory):
    folder = tmp_path_factory.mktemp("survey")
    write_survey(folder, 300, seed=1)
    return evomask.propose(evomask.read(folder / "survey.csv"))


def test_every_column_has_a_role_and_a_reason(proposal):
    assert len(proposal.schema.roles) == 22
    assert {"age", "sex"} <= set(proposal.schema.quasi)
    assert "name" in proposal.schema.drop
    assert all(column.why_role for column in proposal.proposed.attributes)


def test_a_proposal_is_read_as_a_table(proposal):
    assert "age" in repr(proposal)
    assert len(repr(proposal).splitlines()) == 23
    assert "<table>" in proposal._repr_html_()


def test_a_proposal_is_written_as_the_schema_it_is(proposal, tmp_path):
    path = proposal.write(tmp_path / "schema.toml")
    assert evomask.Schema.read(path).roles == proposal.schema.roles


def test_the_sentence_of_the_error_names_the_quasi_identifiers(proposal):
    assert "age" in str(evomask.RolesNeededError(proposal))
