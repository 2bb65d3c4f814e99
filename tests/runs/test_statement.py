"""What a schema says of a release goes into its record, and what was released before is listed."""

import numpy as np
import polars as pl
import pytest

from evomask.errors import RunError
from evomask.report.record import Statement
from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, choose, protect_file, resume_protection
from evomask.runs.release import load_record, report_again

SCHEMA = """
[attributes.age]
role = "quasi-identifier"
[attributes.pay]
role = "quasi-identifier"
[release]
purpose = "research"
legal_basis = "section 12"
earlier = "a table in 2023"
"""


@pytest.fixture
def people(tmp_path):
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"age": rng.integers(20, 70, 60), "pay": rng.integers(9, 99, 60)})
    frame.write_csv(tmp_path / "people.csv")
    (tmp_path / "people.toml").write_text(SCHEMA, encoding="utf-8")
    return Input(tmp_path / "people.csv", tmp_path / "people.toml")


def protect(source, folder):
    return protect_file(ProtectJob(source, folder, seed=1, evaluations=6, searches=("recipes",)))


def test_words_of_the_schema_and_earlier_points_are_in_the_record(people, tmp_path):
    folder = tmp_path / "release"
    first = protect(people, folder)
    assert first.record.statement == Statement(
        purpose="research", legal_basis="section 12", earlier="a table in 2023"
    )
    assert first.record.released_before == ()
    report_again(folder, Statement(purpose="teaching", recipients="schools"))
    other = choose(folder, "knee").record
    assert other.released_before == (first.chosen.number,)
    assert (other.statement.purpose, other.statement.recipients) == ("teaching", "schools")
    assert other.statement.legal_basis == "section 12"
    assert load_record(folder) == other


WARNING = "other files of the same people were released before"


def test_another_release_of_the_same_original_is_noted_recorded_and_refused_if_asked(
    people, tmp_path
):
    folder = tmp_path / "release"
    first = protect(people, folder)
    assert not any(WARNING in note for note in first.protection.notes)
    again = choose(folder, f"file={first.chosen.number}", strict_releases=True)
    assert not any(WARNING in note for note in again.protection.notes)
    others = [point for point in first.protection.front if point.number != first.chosen.number]
    other = f"file={others[0].number}"
    released = {path: path.read_bytes() for path in (folder / "masked").iterdir()}
    with pytest.raises(RunError, match=r"file \d+ of this run.*--strict-releases"):
        choose(folder, other, strict_releases=True)
    assert {path: path.read_bytes() for path in (folder / "masked").iterdir()} == released
    done = choose(folder, other)
    assert any(f"file {first.chosen.number} of this run" in n for n in done.protection.notes)
    assert any(WARNING in note for note in load_record(folder).notes)


def test_a_release_by_another_run_is_noted_too(people, tmp_path):
    protect(people, tmp_path / "earlier")
    later = protect(people, tmp_path / "later")
    assert any("(run earlier)" in note for note in later.protection.notes)
    assert later.record.released_elsewhere == ("earlier",)
    with pytest.raises(RunError, match="run earlier"):
        resume_protection(tmp_path / "later", strict_releases=True)


def test_runs_on_other_files_and_damaged_runs_are_passed_over(people, tmp_path):
    protect(people, tmp_path / "earlier")
    plan = tmp_path / "earlier" / "plan.toml"
    plan.write_bytes(plan.read_bytes()[:-200] + b"[[[")
    assert protect(people, tmp_path / "later").record.released_elsewhere == ()
