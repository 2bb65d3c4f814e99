"""SPSS, Stata and SAS: labels, codes, missing codes and types survive masking."""

import datetime as dt
import subprocess
import sys

import numpy as np
import polars as pl
import pyreadstat
import pytest

from evomask.data.frames import Declaration
from evomask.data.hierarchy import Hierarchy
from evomask.data.schema import Kind, Role
from evomask.errors import FileError
from evomask.io.tables import read_source, read_table, write_table

PEOPLE = pl.DataFrame(
    {
        "code": ["007", "08", "9", "10"],
        "sex": [1, 2, 1, 9],
        "income": [1200.5, -99.0, 800.25, None],
        "age": [30, 40, None, 50],
        "born": [dt.date(1990, 1, 31), None, dt.date(1950, 7, 1), dt.date(2001, 2, 3)],
        "asked": [dt.datetime(2020, 1, 1, 10, 30, 5)] * 3 + [None],
        "at": [dt.time(10, 30), dt.time(11, 0), None, dt.time(0, 0, 1)],
    }
)
LABELS = {"sex": "Sex of the respondent", "income": "Monthly income, net"}
SEX = {1: "male", 2: "female", 9: "refused"}


@pytest.fixture
def spss(tmp_path):
    path = tmp_path / "people.sav"
    pyreadstat.write_sav(
        PEOPLE,
        path,
        column_labels=[LABELS.get(name) for name in PEOPLE.columns],
        variable_value_labels={"sex": SEX, "income": {-99: "no answer"}, "code": {"007": "Bond"}},
        missing_ranges={"income": [{"lo": -99, "hi": -90}, 5], "sex": [9], "code": ["9"]},
        variable_measure={"sex": "nominal", "income": "scale", "age": "ordinal", "code": "nominal"},
        variable_format={"sex": "F1.0", "income": "F9.2", "born": "ADATE10", "asked": "DATETIME20"},
    )
    return path


@pytest.fixture
def stata(tmp_path):
    path = tmp_path / "people.dta"
    lettered = pl.Series("income", [1200.5, "a", 800.25, None], dtype=pl.Object)
    pyreadstat.write_dta(
        PEOPLE.with_columns(lettered, pl.col("sex").cast(pl.Int8)),
        path,
        column_labels=[LABELS.get(name) for name in PEOPLE.columns],
        variable_value_labels={"sex": SEX, "income": {"a": "refused"}},
        missing_user_values={"income": ["a"]},
    )
    return path


READERS = {".sav": pyreadstat.read_sav, ".dta": pyreadstat.read_dta}
KEPT = [
    "column_names", "column_names_to_labels", "variable_value_labels", "missing_ranges",
    "missing_user_values", "variable_measure", "original_variable_types",
    "readstat_variable_types",
]  # fmt: skip


def contents(path):
    """Values and description of a file, read without evomask."""
    frame, details = READERS[path.suffix](path, output_format="polars", user_missing=True)
    return frame.to_dict(as_series=False), {name: getattr(details, name) for name in KEPT}


def described_kinds(path):
    return {a.name: a.kind for a in read_table(path).schema}


class TestReading:
    def test_kinds_follow_the_measure_level(self, spss):
        kinds = described_kinds(spss)
        assert kinds["sex"] is Kind.NOMINAL
        assert kinds["income"] is Kind.CONTINUOUS
        assert kinds["age"] is Kind.ORDINAL

    def test_numbers_whose_every_value_is_labelled_are_codes(self, stata):
        assert described_kinds(stata)["sex"] is Kind.NOMINAL

    def test_numbers_with_a_few_labels_are_numbers(self, stata):
        assert described_kinds(stata)["income"] is Kind.CONTINUOUS

    def test_categories_are_codes_and_labels_travel_beside(self, stata):
        sex = read_table(stata).attribute("sex")
        assert sex.categories == ("1", "2", "9")
        assert sex.value_labels == (("1", "male"), ("2", "female"), ("9", "refused"))
        assert sex.label == "Sex of the respondent"

    def test_text_codes_keep_their_zeros(self, spss):
        assert read_table(spss).attribute("code").categories == ("007", "08", "10", "9")

    @pytest.mark.parametrize("name", ["spss", "stata"])
    def test_missing_codes_are_not_numbers(self, name, request):
        income = read_table(request.getfixturevalue(name)).values("income")
        assert np.array_equal(income, [1200.5, np.nan, 800.25, np.nan], equal_nan=True)

    def test_the_released_precision_is_that_of_the_values(self, spss):
        assert read_table(spss).attribute("income").decimals == 2

    def test_what_the_user_declares_wins(self, spss):
        table = read_table(spss, {"sex": Declaration(Kind.ORDINAL, Role.QUASI_IDENTIFIER)})
        assert table.attribute("sex").kind is Kind.ORDINAL
        assert table.attribute("sex").label == "Sex of the respondent"

    def test_a_sas_transport_file_is_read(self, tmp_path):
        path = tmp_path / "people.xpt"
        pyreadstat.write_xport(
            PEOPLE.select("code", "income"), path, column_labels=["Code", "Income"]
        )
        table = read_table(path)
        assert table.attribute("income").label == "Income"
        assert table.attribute("code").categories == ("007", "08", "10", "9")

    @pytest.mark.parametrize("ending", [".sav", ".zsav", ".dta", ".xpt", ".sas7bdat"])
    def test_a_file_of_another_format_is_refused(self, tmp_path, ending):
        path = tmp_path / f"people{ending}"
        path.write_bytes(b"this is not such a file" * 50)
        with pytest.raises(FileError, match=f"cannot be read as {ending[1:]}"):
            read_source(path)

    def test_a_file_without_records_is_refused(self, tmp_path):
        pyreadstat.write_sav(PEOPLE.head(0).select("code"), tmp_path / "none.sav")
        with pytest.raises(FileError, match="no records"):
            read_source(tmp_path / "none.sav")


class TestRoundTrip:
    @pytest.mark.parametrize("name", ["spss", "stata"])
    def test_an_unmasked_table_is_written_as_it_was(self, name, request, tmp_path):
        path = request.getfixturevalue(name)
        write_table(read_table(path), tmp_path / f"out{path.suffix}")
        assert contents(tmp_path / f"out{path.suffix}") == contents(path)

    @pytest.mark.parametrize("name", ["spss", "stata"])
    def test_masking_one_attribute_changes_nothing_else(self, name, request, tmp_path):
        path, target = request.getfixturevalue(name), tmp_path / "out"
        target = target.with_suffix(path.suffix)
        table = read_table(path)
        write_table(table.with_columns({"sex": table["sex"][::-1].copy()}), target)
        values, description = contents(path)
        assert contents(target) == ({**values, "sex": [9, 1, 2, 1]}, description)

    @pytest.mark.parametrize("name", ["spss", "stata"])
    def test_masked_numbers_replace_missing_codes(self, name, request, tmp_path):
        path = request.getfixturevalue(name)
        target = tmp_path / f"out{path.suffix}"
        write_table(read_table(path).with_columns({"income": np.array([1.0, 2, 3, 4])}), target)
        assert contents(target)[0]["income"] == [1, 2, 3, 4]

    @pytest.mark.parametrize("name", ["spss", "stata"])
    def test_missing_codes_follow_their_records(self, name, request, tmp_path):
        path = request.getfixturevalue(name)
        target = tmp_path / f"out{path.suffix}"
        write_table(read_table(path).take(np.array([1, 0])), target)
        assert contents(target)[0]["income"] == contents(path)[0]["income"][1::-1]

    @pytest.mark.parametrize("ending", [".sav", ".dta"])
    def test_generalized_codes_are_written_as_text_without_value_labels(
        self, spss, tmp_path, ending
    ):
        table = read_table(spss)
        tree = Hierarchy(("1", "2", "9"), (("1", "2", "9"), ("any", "any", "refused")))
        target = tmp_path / f"out{ending}"
        write_table(
            table.with_recoded("sex", tree.ancestors(1)[table.codes("sex")], tree.recoding(1)),
            target,
        )
        values, description = contents(target)
        assert values["sex"] == ["any", "any", "any", "refused"]
        assert "sex" not in description["variable_value_labels"]
        assert description["column_names_to_labels"]["sex"] == "Sex of the respondent"

    def test_labels_go_from_spss_to_stata(self, spss, tmp_path):
        write_table(read_table(spss), tmp_path / "out.dta")
        description = contents(tmp_path / "out.dta")[1]
        assert description["variable_value_labels"]["sex"] == SEX
        assert description["column_names_to_labels"]["income"] == "Monthly income, net"

    def test_missing_codes_of_spss_become_letters_in_stata(self, spss, tmp_path):
        write_table(read_table(spss), tmp_path / "out.dta")
        values, description = contents(tmp_path / "out.dta")
        assert values["income"] == [1200.5, "a", 800.25, None]
        assert description["variable_value_labels"]["income"] == {"a": "no answer"}

    def test_whole_numbers_of_a_text_file_become_stata_longs(self, tmp_path):
        (tmp_path / "a.csv").write_text("n,big\n1,3000000000\n2,5\n")
        write_table(read_table(tmp_path / "a.csv"), tmp_path / "a.dta")
        types = contents(tmp_path / "a.dta")[1]["readstat_variable_types"]
        assert types == {"n": "int32", "big": "double"}

    def test_codes_too_large_for_a_number_are_written_as_text(self, tmp_path):
        huge = 2**53 + 1
        pl.DataFrame({"n": [huge, 5]}).write_parquet(tmp_path / "a.parquet")
        write_table(read_table(tmp_path / "a.parquet"), tmp_path / "a.sav")
        assert contents(tmp_path / "a.sav")[0]["n"] == [str(huge), "5"]

    def test_a_compressed_spss_file_is_read_back(self, spss, tmp_path):
        write_table(read_table(spss), tmp_path / "out.zsav")
        assert (tmp_path / "out.zsav").read_bytes()[:4] == b"$FL3"
        assert read_source(tmp_path / "out.zsav").frame.equals(read_source(spss).frame)


class TestWriting:
    @pytest.mark.parametrize("name", ["spss", "stata"])
    def test_the_date_of_writing_is_not_told(self, name, request, tmp_path):
        path = request.getfixturevalue(name)
        target = tmp_path / f"out{path.suffix}"
        write_table(read_table(path), target)
        _, details = READERS[path.suffix](target, output_format="polars")
        assert details.creation_time == dt.datetime(2000, 1, 1)

    def test_many_lettered_missing_values_fit_into_spss(self, tmp_path):
        letters = pl.Series("x", [1, "a", "b", "c", "d"], dtype=pl.Object)
        pyreadstat.write_dta(
            letters.to_frame(), tmp_path / "a.dta", missing_user_values={"x": list("abcd")}
        )
        write_table(read_table(tmp_path / "a.dta"), tmp_path / "a.sav")
        assert np.isnan(read_table(tmp_path / "a.sav").values("x")).tolist() == [False] + [True] * 4

    def test_a_half_written_file_is_noticed(self, spss, tmp_path, monkeypatch):
        whole = pyreadstat.write_sav

        def write_half(frame, path, **options):
            whole(frame, path, **options)
            content = path.read_bytes()
            path.write_bytes(content[: len(content) - 40])

        monkeypatch.setattr(pyreadstat, "write_sav", write_half)
        with pytest.raises(FileError, match="could not be written"):
            write_table(read_table(spss), tmp_path / "half.sav")
        assert not list(tmp_path.glob("*half*"))

    def test_sas_is_only_read(self, spss, tmp_path):
        with pytest.raises(FileError, match="SAS files can only be read"):
            write_table(read_table(spss), tmp_path / "out.xpt")

    def test_a_name_that_the_format_forbids_is_named(self, tmp_path):
        (tmp_path / "a.csv").write_text("my age\n1\n")
        with pytest.raises(FileError, match="'my age'"):
            write_table(read_table(tmp_path / "a.csv"), tmp_path / "a.sav")
        assert not list(tmp_path.glob("*.sav*"))

    def test_pandas_is_not_needed(self, spss, tmp_path):
        program = (
            "import sys; sys.modules['pandas'] = None\n"
            "from pathlib import Path\n"
            "from evomask.io.tables import read_table, write_table\n"
            f"write_table(read_table(Path({str(spss)!r})), Path({str(tmp_path / 'b.dta')!r}))\n"
        )
        subprocess.run([sys.executable, "-c", program], check=True)
        assert (tmp_path / "b.dta").exists()
