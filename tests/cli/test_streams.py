"""``-`` in the place of a file."""

import io
import sys
from types import SimpleNamespace

import polars as pl
import pytest

ROWS = "age,town\n" + "".join(f"{20 + i % 9},t{i % 4}\n" for i in range(60))


@pytest.fixture
def piped(monkeypatch):
    """Pipe something into the command."""

    def pipe(content):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))

    return pipe


def test_a_file_goes_in_and_comes_out_by_the_standard_streams(evomask, piped):
    piped(ROWS.encode())
    answer = evomask("mask", "-", "--quasi", "age", "-k", 3, "--out", "-", "--quiet")
    assert answer.code == 0, answer.err
    masked = pl.read_csv(answer.out.encode())
    assert masked.columns == ["age", "town"]
    assert masked["age"].value_counts()["count"].min() >= 3


def test_what_is_said_goes_to_standard_error_then(evomask, piped):
    piped(ROWS.encode())
    answer = evomask("mask", "-", "--quasi", "age", "-k", 3, "--out", "-")
    assert "60 records, 1 attributes masked by mdav" in answer.err
    assert answer.out.startswith("age,town\n")


def test_nothing_by_standard_input_is_one_sentence(evomask, piped):
    piped(b"")
    answer = evomask("init", "-")
    assert (answer.code, answer.err.count("\n")) == (1, 1)
    assert "standard input" in answer.err


def test_the_answer_cannot_be_printed_into_the_file(evomask, piped):
    piped(ROWS.encode())
    answer = evomask("mask", "-", "--quasi", "age", "-k", 3, "--out", "-", "--json")
    assert answer.code == 1
    assert "both use standard output" in answer.err


def test_parquet_is_known_by_its_first_bytes(evomask, piped):
    content = io.BytesIO()
    pl.read_csv(ROWS.encode()).write_parquet(content)
    piped(content.getvalue())
    assert "[attributes.age]" in evomask("init", "-").out


def test_a_protection_keeps_what_was_piped_in(evomask, piped, tmp_path):
    piped(ROWS.encode())
    few = ("--evaluations", 2, "--searches", "recipes", "--quasi", "age,town", "--quiet")
    assert evomask("protect", "-", *few, "--out", tmp_path / "run").code == 0
    kept = tmp_path / "run.standard-input.csv"
    assert kept.read_text() == ROWS
    assert kept.stat().st_mode & 0o777 == 0o600
    assert evomask("resume", tmp_path / "run", "--quiet").code == 0
