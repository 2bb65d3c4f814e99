"""Compressed text and workbooks, in and out."""

import bz2
import datetime
import gzip
import lzma
import re
import zipfile

import polars as pl
import pytest

from evomask.data.frames import Declaration
from evomask.data.schema import Role
from evomask.errors import EvomaskError, FileError
from evomask.io.dialects import Dialect
from evomask.io.formats import FORMATS, READABLE, WRITABLE
from evomask.io.tables import read_source, read_table, released_name, write_table
from evomask.runs.inputs import Input
from evomask.runs.mask import MaskJob, mask_file
from evomask.runs.options import readable_endings

ROWS = "age,town\n" + "".join(f"{20 + i % 9},t{i % 4}\n" for i in range(60))
PACKING = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
UNPACKING = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
FRAME = pl.DataFrame({
    "age": [20 + i % 9 for i in range(60)],
    "code": [f"00{i % 7}" for i in range(60)],
    "text": [["=1+1", "+34", "http://example.org", None][i % 4] for i in range(60)],
    "income": [1000.25 + i for i in range(60)],
    "day": [datetime.date(2020, 1, 1 + i % 28) for i in range(60)],
    "moment": [datetime.datetime(2020, 1, 1, i % 24, 30) for i in range(60)],
    "member": [i % 3 == 0 for i in range(60)],
})  # fmt: skip


@pytest.mark.parametrize("ending", PACKING)
def test_compressed_text_is_read_and_written_as_it_was(tmp_path, ending):
    path, out = tmp_path / f"people.csv{ending}", tmp_path / f"masked.csv{ending}"
    path.write_bytes(PACKING[ending](ROWS.encode()))
    mask_file(MaskJob(Input(path, quasi_identifiers=("age",)), "mdav", out, {"k": "3"}))
    masked = UNPACKING[ending](out.read_bytes()).decode()
    assert masked.splitlines()[0] == "age,town"
    assert len(masked.splitlines()) == 61


def test_the_same_table_makes_the_same_compressed_bytes(tmp_path):
    (tmp_path / "people.csv").write_text(ROWS)
    table = read_table(tmp_path / "people.csv")
    for name in ("a.csv.gz", "b.csv.gz"):
        write_table(table, tmp_path / name)
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


def test_a_damaged_archive_is_one_sentence(tmp_path):
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(ROWS.encode())[:40])
    with pytest.raises(FileError, match="cannot be unpacked as gz"):
        read_source(tmp_path / "people.csv.gz")


def test_a_workbook_comes_back_as_it_was_written(tmp_path):
    FRAME.write_parquet(tmp_path / "people.parquet")
    table = read_table(tmp_path / "people.parquet")
    written = write_table(table, tmp_path / "people.xlsx")
    assert written.records == 60
    assert read_source(tmp_path / "people.xlsx").frame.equals(
        FRAME.cast({"moment": pl.Datetime("ms")})
    )


def test_no_text_becomes_a_formula(tmp_path):
    FRAME.write_parquet(tmp_path / "people.parquet")
    write_table(read_table(tmp_path / "people.parquet"), tmp_path / "people.xlsx")
    with zipfile.ZipFile(tmp_path / "people.xlsx") as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
        texts = book.read("xl/sharedStrings.xml").decode()
    assert "<f>" not in sheet
    assert "=1+1" in texts


def test_the_same_table_makes_the_same_workbook(tmp_path):
    FRAME.write_parquet(tmp_path / "people.parquet")
    table = read_table(tmp_path / "people.parquet")
    for name in ("a.xlsx", "b.xlsx"):
        write_table(table, tmp_path / name)
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


def test_a_workbook_is_masked_and_loses_its_identifiers(tmp_path):
    FRAME.write_excel(tmp_path / "people.xlsx")
    source = Input(tmp_path / "people.xlsx", None, ("age", "income"), identifiers=("text",))
    mask_file(MaskJob(source, "mdav", tmp_path / "masked.xlsx", {"k": "5"}))
    masked = read_source(tmp_path / "masked.xlsx").frame
    assert "text" not in masked.columns
    assert masked.group_by("age", "income").len()["len"].min() >= 5
    assert masked["code"].to_list() == FRAME["code"].to_list()


def test_a_workbook_that_is_none_is_one_sentence(tmp_path):
    (tmp_path / "people.xlsx").write_text("not a workbook")
    with pytest.raises(FileError, match="cannot be read as a workbook"):
        read_source(tmp_path / "people.xlsx")


def test_old_workbooks_are_only_read(tmp_path):
    assert released_name(tmp_path / "people.ods") == "people.xlsx"
    (tmp_path / "people.csv").write_text(ROWS)
    table = read_table(tmp_path / "people.csv", {"age": Declaration(role=Role.QUASI_IDENTIFIER)})
    with pytest.raises(FileError, match=r"only be read; use .xlsx"):
        write_table(table, tmp_path / "people.xls")


@pytest.mark.parametrize("names", [["age", "age"], ["age", None]])
def test_columns_of_a_workbook_must_have_names_of_their_own(tmp_path, names):
    xlsxwriter = pytest.importorskip("xlsxwriter")
    book = xlsxwriter.Workbook(tmp_path / "people.xlsx")
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, names)
    sheet.write_row(1, 0, [1, 2])
    book.close()
    with pytest.raises(FileError, match="must name each column once"):
        read_source(tmp_path / "people.xlsx")


@pytest.mark.parametrize(
    "ending", [".csv", ".txt.gz", ".pq", ".xls", ".xlsb", ".xlsm", ".ods", ".xpt"]
)
def test_all_that_is_read_may_be_uploaded(ending):
    assert ending in readable_endings()


@pytest.mark.parametrize("name", ["people", "people.gz", "people.parquet.gz", "people.exe"])
def test_other_names_may_not_be_uploaded(name):
    assert not name.endswith(readable_endings())


def test_every_written_format_can_be_read():
    assert set(WRITABLE) < set(READABLE)
    assert all(bool(fmt.write) == bool(fmt.written) for fmt in FORMATS)


def test_a_file_with_the_wrong_ending_says_what_it_is(tmp_path):
    FRAME.write_parquet(tmp_path / "people.xlsx")
    with pytest.raises(FileError, match=r"looks like Parquet files: rename it to \*.parquet"):
        read_source(tmp_path / "people.xlsx")


def workbook(tmp_path, rows, name="office.xlsx", sheet="Daten"):
    import xlsxwriter

    path = tmp_path / name
    with xlsxwriter.Workbook(path) as book:
        book.add_worksheet("Info").write(0, 0, "about")
        page = book.add_worksheet(sheet)
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                page.write(i, j, value)
    return path


OFFICE = [
    ["Export of today"], [], ["code", "amount", "saved", "mixed"],
    ["01", "5.780,50", -999, "1"], ["02", "k.A.", 12.5, "k.A."], ["03", "12,00", 7, "3"],
]  # fmt: skip


def test_a_workbook_of_an_office_is_read_by_the_options_of_text_files(tmp_path):
    path = workbook(tmp_path, OFFICE)
    how = Dialect(decimal=",", thousands=".", missing=("k.A.", "-999"), header=3, sheet="Daten")
    found = read_source(path, how)
    assert found.frame.to_dict(as_series=False) == {
        "code": ["01", "02", "03"],
        "amount": [5780.5, None, 12.0],
        "saved": [None, 12.5, 7.0],
        "mixed": [1, None, 3],
    }
    assert found.from_file["amount"].decimals == 2


def test_the_same_options_read_the_same_values_from_text(tmp_path):
    path = tmp_path / "office.csv"
    lines = [";".join(map(str, row)) for row in OFFICE]
    path.write_text("\n".join(lines).replace("12.5", "12,5") + "\n", encoding="utf-8")
    how = Dialect(decimal=",", thousands=".", missing=("k.A.", "-999"), header=3)
    frame = read_source(path, how).frame
    assert frame["amount"].to_list() == [5780.5, None, 12.0]
    assert frame["saved"].to_list() == [None, 12.5, 7.0]


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        (Dialect(sheet="Daten"), "column 2 has no name; if row 3 has the names, give --header 3"),
        (Dialect(sheet="Data"), "has no sheet 'Data'; it has Info, Daten"),
        (Dialect(sheet="Daten", header=30), "has no row 30; give the row that names the columns"),
        (Dialect(thousands="x"), "a mark between thousands is one of"),
        (Dialect(thousands="."), "cannot both be '.'; name the decimal mark too"),
        (Dialect(header=0), "rows are counted from 1, got header 0"),
    ],
)
def test_what_does_not_fit_a_workbook_is_a_sentence(tmp_path, how, sentence):
    with pytest.raises(EvomaskError, match=re.escape(sentence)):
        read_source(workbook(tmp_path, OFFICE), how)
