"""What masking did not touch is returned as it stood; what it touched does not show by its form."""

import datetime

import polars as pl
import pyreadstat
import pytest

from evomask.runs.inputs import Input
from evomask.runs.mask import MaskJob, mask_file


def masked(source, ending=None, quasi=("x",), method="mdav", k="3", **said):
    out = source.with_name(f"masked{ending or source.suffix}")
    mask_file(MaskJob(Input(source, quasi_identifiers=quasi, **said), method, out, {"k": k}))
    return out


def text_file(folder, content):
    path = folder / "a.csv"
    path.write_bytes(content.encode())
    return path


@pytest.mark.parametrize("unit", ["ms", "us"])
@pytest.mark.parametrize("role", ["other", "quasi"])
def test_dates_of_the_years_1_and_9999_stay(tmp_path, unit, role):
    ends = [datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 23, 59)]
    moments = pl.Series(ends * 4).cast(pl.Datetime(unit))
    frame = pl.DataFrame({"x": range(8), "moment": moments, "day": moments.cast(pl.Date)})
    frame.write_parquet(tmp_path / "a.parquet")
    quasi = ("x", "moment") if role == "quasi" else ("x",)
    found = pl.read_parquet(masked(tmp_path / "a.parquet", quasi=quasi))
    assert found[["moment", "day"]].equals(frame[["moment", "day"]])


def test_moments_that_are_masked_keep_their_years(tmp_path):
    ends = [datetime.datetime(1, 1, 1)] * 5 + [datetime.datetime(9999, 12, 31)] * 5
    frame = pl.DataFrame({"x": [*ends[:4], datetime.datetime(500, 1, 1), *ends[5:]]})
    frame.write_parquet(tmp_path / "a.parquet")
    found = pl.read_parquet(masked(tmp_path / "a.parquet", method="repair"))
    assert set(found["x"].dt.year()) <= {1, 500, 9999}


def test_texts_of_untouched_columns_stay_letter_by_letter(tmp_path):
    rows = "".join(f"1.50, 7,NA,-0.0,1e3,{i}\n" for i in range(8))
    source = text_file(tmp_path, f"a,b,c,d,e,x\n{rows}")
    lines = masked(source, missing=("NA",)).read_text().splitlines()
    assert {line.rsplit(",", 1)[0] for line in lines[1:]} == {"1.50, 7,NA,-0.0,1e3"}


def test_line_ends_and_byte_order_mark_stay(tmp_path):
    source = text_file(tmp_path, "\ufeffx,y\r\n" + "".join(f"{i},b\r\n" for i in range(6)))
    content = masked(source).read_bytes()
    assert content.startswith(b"\xef\xbb\xbfx,y\r\n")
    assert content.count(b"\n") == content.count(b"\r\n") == 7


def test_plain_line_ends_stay_plain(tmp_path):
    source = text_file(tmp_path, "x,y\n" + "".join(f"{i},b\n" for i in range(6)))
    content = masked(source).read_bytes()
    assert b"\r" not in content
    assert not content.startswith(b"\xef\xbb\xbf")


def test_line_ends_of_old_computers_stay_within_texts_too(tmp_path):
    source = text_file(tmp_path, 'x,"a\rb"\r' + "".join(f'{i},"c\rd"\r' for i in range(6)))
    content = masked(source).read_bytes()
    assert b"\n" not in content
    assert content.startswith(b'x,"a\rb"\r')
    assert content.count(b',"c\rd"\r') == 6


def test_quotes_in_a_header_do_not_grow(tmp_path):
    source = text_file(tmp_path, 'x,"a ""b"""\n' + "".join(f"{i},c\n" for i in range(6)))
    assert masked(source).read_text().startswith('x,"a ""b"""\n')


def test_masked_numbers_of_parquet_have_no_more_decimals_than_before(tmp_path):
    pl.DataFrame({"x": [1.25, 2.0, 3.5, 4.0, 5.0, 6.5, 7.0]}).write_parquet(tmp_path / "a.parquet")
    found = pl.read_parquet(masked(tmp_path / "a.parquet"))["x"]
    assert (found == found.round(2)).all()
    assert found.dtype == pl.Float64


def test_whole_reals_of_parquet_stay_whole_and_reals(tmp_path):
    pl.DataFrame({"x": [1.0, 2.0, 4.0, 4.0, 5.0, 6.0, 9.0]}).write_parquet(tmp_path / "a.parquet")
    found = pl.read_parquet(masked(tmp_path / "a.parquet"))["x"]
    assert (found == found.round(0)).all()
    assert found.dtype == pl.Float64


def test_labels_that_no_released_record_uses_are_dropped(tmp_path):
    source = tmp_path / "a.sav"
    frame = pl.DataFrame({"x": [1.0] * 5 + [2.0] * 5 + [3.0]})
    labels = {"x": {1.0: "one", 2.0: "two", 3.0: "the mayor", 4.0: "nobody"}}
    pyreadstat.write_sav(frame, source, variable_value_labels=labels)
    _, details = pyreadstat.read_sav(masked(source, method="repair"))
    assert set(details.variable_value_labels["x"].values()) <= {"one", "two"}


def test_categories_of_a_type_that_no_released_record_has_are_dropped(tmp_path):
    names = pl.Series(["a", "b"] * 4, dtype=pl.Enum(["a", "b", "the mayor"]))
    pl.DataFrame({"x": range(8), "name": names}).write_parquet(tmp_path / "a.parquet")
    assert b"the mayor" not in masked(tmp_path / "a.parquet").read_bytes()


def test_an_untouched_quasi_identifier_tells_no_more_than_was_counted(tmp_path):
    source = text_file(tmp_path, "x,y\n" + "NA,1\n" + "?,1\n" * 3 + "a,1\n" * 4)
    content = masked(source, missing=("NA", "?"), method="repair", nominal=("x",)).read_text()
    assert "NA" not in content
    assert content.count("?") in (0, 3, 4)


@pytest.mark.parametrize(
    ("content", "was", "becomes", "header"),
    [
        ("x,y\n1,2\n", ".csv", ".tsv", "x\ty"),
        ("x\ty\n1\t2\n", ".tsv", ".csv", "x,y"),
        ("x\ty\n1,5\t2\n", ".tsv", ".csv", "x;y"),
        ("x;y\n1;2\n", ".csv", ".txt", "x;y"),
        ("x;y\n1;2\n", ".tsv", ".tsv", "x;y"),
    ],
)
def test_tabs_go_with_an_ending_that_asks_for_them(tmp_path, content, was, becomes, header):
    source = tmp_path / f"a{was}"
    line = content.splitlines(keepends=True)[1]
    source.write_text(content + 5 * line, encoding="utf-8")
    assert masked(source, becomes).read_text().splitlines()[0] == header


@pytest.mark.parametrize("values", [["1.25", "2.50", "3.75"], ["1", "2", "4"]])
def test_decimals_of_a_fixed_type_keep_their_type_and_digits(tmp_path, values):
    numbers = pl.Series("x", values * 4).cast(pl.Decimal(10, 3))
    pl.DataFrame([numbers]).write_parquet(tmp_path / "a.parquet")
    found = pl.read_parquet(masked(tmp_path / "a.parquet", k="5"))["x"]
    assert found.dtype == numbers.dtype
    places = max(len(value.partition(".")[2]) for value in values)
    assert not any(text[len(text) - 3 + places :].strip("0") for text in found.cast(pl.String))
