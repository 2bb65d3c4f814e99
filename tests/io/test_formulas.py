"""Cells that begin like a formula are counted, and escaped where the schema says so."""

import polars as pl
import pytest

from evomask.io.dialects import Dialect
from evomask.io.tables import PrivacyRequirements, source_of, write_table
from evomask.runs.inputs import Input
from evomask.runs.mask import MaskJob, mask_file
from evomask.runs.protect import ProtectJob, protect_file
from evomask.runs.store.verify import verify

CELLS = ["=cmd|calc", "+1+1", "@x", "-a", "\tx", "-5", "+3.5", "plain", "a=b", None]
SCHEMA = """
[attributes.age]
role = "quasi-identifier"
[attributes.word]
role = "confidential"
kind = "ordinal"
[file]
escape_formulas = true
"""


@pytest.fixture
def people(tmp_path):
    frame = pl.DataFrame({"word": CELLS * 6, "age": [20 + i % 7 for i in range(60)]})
    frame.write_csv(tmp_path / "people.csv")
    (tmp_path / "people.toml").write_text(SCHEMA, encoding="utf-8")
    return tmp_path / "people.csv"


def test_formulas_are_counted_and_written_as_they_are(people, tmp_path):
    source = Input(people, quasi_identifiers=("age",), confidential=("word",))
    done = mask_file(MaskJob(source, "mdav", tmp_path / "out.csv", {"k": "3"}))
    assert any("30 cells begin like a formula" in note for note in done.notes)
    assert pl.read_csv(tmp_path / "out.csv")["word"].head(10).to_list()[:9] == CELLS[:9]


def test_formulas_are_escaped_on_request(people, tmp_path):
    source = Input(people, people.with_suffix(".toml"))
    mask_file(MaskJob(source, "mdav", tmp_path / "out.csv", {"k": "3"}))
    found = pl.read_csv(tmp_path / "out.csv")["word"].head(9).to_list()
    assert found == [f"'{cell}" for cell in CELLS[:5]] + CELLS[5:9]


def test_an_escaped_release_holds(people, tmp_path):
    source = Input(people, people.with_suffix(".toml"))
    job = ProtectJob(source, tmp_path / "run", seed=1, evaluations=6, searches=("recipes",))
    done = protect_file(job)
    assert any("got an apostrophe in front" in note for note in done.protection.notes)
    assert verify(tmp_path / "run").holds


def test_workbooks_have_text_cells_and_no_note(tmp_path):
    table = source_of(pl.DataFrame({"word": CELLS[:9]})).table()
    asked, dialect = PrivacyRequirements(), Dialect(escape_formulas=True)
    written = write_table(table, tmp_path / "a.xlsx", dialect=dialect, asked=asked)
    assert written.notes == ()
