"""What a schema says of a release goes into its record, and what was released before is listed."""

import numpy as np
import polars as pl

from evomask.report.record import Statement
from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, choose, protect_file
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


def test_words_of_the_schema_and_earlier_points_are_in_the_record(tmp_path):
    rng = np.random.default_rng(1)
    people = pl.DataFrame({"age": rng.integers(20, 70, 60), "pay": rng.integers(9, 99, 60)})
    people.write_csv(tmp_path / "people.csv")
    (tmp_path / "people.toml").write_text(SCHEMA, encoding="utf-8")
    source = Input(tmp_path / "people.csv", tmp_path / "people.toml")
    folder = tmp_path / "release"
    first = protect_file(ProtectJob(source, folder, seed=1, evaluations=6, searches=("recipes",)))
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
