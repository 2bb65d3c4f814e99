"""Delimited text: dialects found out, codes kept, bad files refused in one sentence."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.frames import Declaration, polars_from, table_from
from evomask.data.schema import Kind
from evomask.errors import DataError, FileError, ParameterError, SchemaError
from evomask.io.dialects import Dialect
from evomask.io.tables import read_frame, read_source, read_table, write_table

LETTERS = 'ab é,;"\n\r\t'
CELLS = st.one_of(st.none(), st.text(LETTERS, min_size=1, max_size=4).map(lambda text: f"x{text}"))


@pytest.fixture
def file(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


class TestDialect:
    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_the_delimiter_is_found(self, file, delimiter):
        source = read_source(file(f"a{delimiter}b\n1{delimiter}2\n"))
        assert source.dialect.delimiter == delimiter
        assert source.frame.columns == ["a", "b"]

    def test_delimiters_inside_quotes_do_not_count(self, file):
        assert read_frame(file('"a,1,2";"b,3"\n1;2\n')).columns == ["a,1,2", "b,3"]

    def test_a_decimal_comma_is_found(self, file):
        source = read_source(file("a;b\n1,5;x\n-2,25;y\n"))
        assert source.dialect.decimal == ","
        assert source.frame["a"].to_list() == [1.5, -2.25]

    def test_numbers_with_points_keep_the_decimal_point(self, file):
        source = read_source(file("a;b\n1,5;2.5\n"))
        assert source.dialect.decimal == "."
        assert source.frame["a"].to_list() == ["1,5"]

    def test_utf_8_is_found(self, file):
        source = read_source(file("città\nè\n"))
        assert (source.dialect.encoding, source.frame.columns) == ("utf-8", ["città"])

    def test_windows_text_is_found(self, file):
        source = read_source(file("name\nJosé\n".encode("cp1252")))
        assert (source.dialect.encoding, source.frame["name"][0]) == ("cp1252", "José")

    def test_odd_letters_of_utf_8_are_not_taken_for_windows_text(self, file):
        assert read_source(file("name\nO\u0092Brien\n")).dialect.encoding == "utf-8"

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
    def test_a_byte_order_mark_is_read_and_dropped(self, file, encoding):
        assert read_frame(file("é,b\n1,2\n".encode(encoding))).columns == ["é", "b"]

    def test_what_the_user_names_wins(self, file):
        path = file("a;b|é\n1,5;2|3\n".encode("utf-16-le"))
        frame = read_frame(path, Dialect("|", "utf-16-le", decimal="."))
        assert frame.to_dict(as_series=False) == {"a;b": ["1,5;2"], "é": [3]}

    def test_it_is_shown_in_words(self):
        assert str(Dialect(";", "cp1252", (), ",")) == "delimiter ';', decimal comma, cp1252"

    @pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
    def test_line_ends_of_every_system_are_read(self, file, line_end):
        assert read_frame(file(f"a,b{line_end}1,2{line_end}")).rows() == [(1, 2)]

    @pytest.mark.parametrize(
        ("dialect", "sentence"),
        [
            (Dialect(delimiter=";;"), "single plain character"),
            (Dialect(decimal=";"), "decimal mark is"),
            (Dialect(delimiter=",", decimal=","), "cannot both"),
            (Dialect(encoding="klingon"), "no encoding is called 'klingon'"),
        ],
    )
    def test_an_impossible_dialect_is_refused(self, file, dialect, sentence):
        with pytest.raises(ParameterError, match=sentence):
            read_frame(file("a\n1\n"), dialect)

    def test_a_file_is_written_in_the_dialect_asked_for(self, file, tmp_path):
        table = read_table(file("name;x\nJosé;1,5\n"))
        target = tmp_path / "out.csv"
        write_table(table, target, dialect=Dialect(";", "latin-1", (), ","))
        assert target.read_bytes() == "name;x\nJosé;1,5\n".encode("latin-1")

    def test_a_letter_that_an_encoding_does_not_know_is_told(self, file, tmp_path):
        table = read_table(file("name\nżółw\n"))
        with pytest.raises(
            FileError, match="line 2 of the output has a character that encoding latin-1"
        ):
            write_table(table, tmp_path / "out.csv", dialect=Dialect(encoding="latin-1"))
        assert not (tmp_path / "out.csv").exists()

    def test_a_decimal_comma_needs_another_delimiter_on_output(self, file, tmp_path):
        with pytest.raises(ParameterError, match="cannot both"):
            write_table(
                read_table(file("a\n1.5\n")), tmp_path / "out.csv", dialect=Dialect(decimal=",")
            )

    def test_the_ending_tsv_means_tabs(self, file, tmp_path):
        write_table(read_table(file("a,b\n1,2\n")), tmp_path / "out.tsv")
        assert (tmp_path / "out.tsv").read_text() == "a\tb\n1\t2\n"


class TestValues:
    @pytest.mark.parametrize(
        "text", ["007", "00", "-05", "+34600123", "12345678901234567890", "9007199254740993"]
    )
    def test_codes_stay_text(self, file, text):
        assert read_frame(file(f"a,b\n{text},1\n12,2\n"))["a"].to_list() == [text, "12"]

    def test_a_leading_zero_before_a_point_is_a_number(self, file):
        assert read_frame(file("a\n0.5\n0\n-0.25\n"))["a"].to_list() == [0.5, 0.0, -0.25]

    def test_whole_numbers_are_whole(self, file):
        assert read_table(file("a\n1\n22\n")).attribute("a").decimals == 0

    def test_blanks_around_numbers_do_not_matter(self, file):
        assert read_frame(file("a\n 1\n2 \n"))["a"].to_list() == [1, 2]

    def test_the_released_precision_is_that_of_the_text(self, file):
        assert read_table(file("a\n1.50\n22.125\n3\n")).attribute("a").decimals == 3

    def test_numbers_in_powers_of_ten_are_released_as_they_come(self, file):
        assert read_table(file("a\n1.5e-3\n2.5\n")).attribute("a").decimals is None

    def test_very_many_decimals_are_released_as_they_come(self, file):
        assert read_table(file("a\n0.12345678901234\n")).attribute("a").decimals is None

    def test_empty_cells_are_missing(self, file):
        assert np.isnan(read_table(file("a,b\n1.5,x\n,y\n")).values("a")).tolist() == [False, True]

    def test_named_texts_are_missing(self, file):
        frame = read_frame(file("a\n1\nNA\n"), Dialect(missing=("NA",)))
        assert frame["a"].to_list() == [1, None]

    def test_minus_999_is_a_number_unless_named(self, file):
        assert read_frame(file("a\n1\n-999\n"))["a"].to_list() == [1, -999]

    def test_text_that_starts_late_is_found(self, file):
        values = [str(number) for number in range(3000)] + ["unknown"]
        assert read_frame(file("a\n" + "\n".join(values)))["a"].to_list() == values

    def test_line_ends_of_windows_inside_quotes_stay(self, file):
        content = b'a,"b"\r\n"x\r\ny","q"\r\nz,"2, 3"\r\n\r\n'
        assert read_frame(file(content)).rows() == [("x\r\ny", "q"), ("z", "2, 3")]

    @given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8))
    def test_any_text_written_and_read_is_the_same(self, tmp_path_factory, records):
        path = tmp_path_factory.mktemp("any") / "a.csv"
        frame = pl.DataFrame(records, schema={"a": pl.String, "b": pl.String}, orient="row")
        table = table_from(frame)
        write_table(table, path)
        assert read_frame(path, Dialect(",", "utf-8")).equals(polars_from(table))

    def test_quoted_line_ends_stay_in_their_field(self, file):
        assert read_frame(file('a,b\n"x\ny",1\nz,2\n'))["a"].to_list() == ["x\ny", "z"]

    def test_empty_lines_of_a_single_column_are_missing_values(self, file):
        assert read_frame(file("a\n1\n\n3\n"))["a"].to_list() == [1, None, 3]

    def test_a_table_written_and_read_is_the_same(self, file, tmp_path):
        text = "id,zip,x,sex\n1,01234,1.50,f\n2,99999,,m\n"
        table = read_table(file(text))
        write_table(table, tmp_path / "out.csv")
        assert read_frame(tmp_path / "out.csv").equals(read_frame(file(text)))


class TestBadInput:
    @pytest.mark.parametrize(
        ("content", "sentence"),
        [
            ("", "is empty"),
            (" \n\n", "is empty"),
            ("a,b\n", "a header and no records"),
            ("a,b\n1,2\n1,2,3\n", "record 2 of .* has 3 fields, and the header has 2"),
            ("a,b\n1,2\n1\n", "record 2 of .* has 1 fields, and the header has 2"),
            ("a,a\n1,2\n", "two columns named 'a'"),
            ("a,,c\n1,2,3\n", "column 2 of .* has no name"),
            ('a,b\n"1,2\n', "a quote that is opened and not closed"),
            (b"PAR1\x00\x01\x02\x00", "is not text"),
            (b"\x89PNG\x01\x02\x03\xff\xfa\x81", "is not text"),
        ],
        ids=[
            "empty",
            "blank",
            "header",
            "long",
            "short",
            "twice",
            "nameless",
            "quote",
            "zeros",
            "binary",
        ],
    )
    def test_what_is_not_a_table_is_refused(self, file, content, sentence):
        with pytest.raises(FileError, match=sentence):
            read_frame(file(content))

    def test_a_ragged_record_after_a_quoted_line_end_is_counted_right(self, file):
        with pytest.raises(FileError, match="record 2 of"):
            read_frame(file('a,b\n"x\ny",1\nz\n'))

    def test_a_wrong_encoding_names_the_line(self, file):
        with pytest.raises(FileError, match=r"is not utf-8 \(line 2\)"):
            read_frame(file("name\nJosé\n".encode("latin-1")), Dialect(encoding="utf-8"))

    def test_infinity_names_column_and_record(self, file):
        with pytest.raises(DataError, match="column 'a' holds an infinite value in record 2"):
            read_table(file("a\n1.5\ninf\n"))

    def test_text_declared_continuous_names_column_and_record(self, file):
        with pytest.raises(SchemaError, match=r"column 'a' .* text in record 2"):
            read_table(file("a\n1\nmany\n"), {"a": Declaration(Kind.CONTINUOUS)})

    def test_a_schema_that_names_missing_columns_says_which(self, file):
        with pytest.raises(SchemaError, match="no column 'wage' in the data, which has a, b"):
            read_table(file("a,b\n1,2\n"), {"wage": Declaration()})

    def test_a_file_that_is_not_there_is_named(self, tmp_path):
        with pytest.raises(FileError, match="there is no file"):
            read_frame(tmp_path / "none.csv")

    def test_an_unknown_ending_lists_the_known_ones(self, file):
        with pytest.raises(FileError, match=r"use one of \.csv"):
            read_frame(file("a\n1\n", "data.docx"))

    def test_a_constant_column_is_read(self, file):
        assert read_table(file("a\n1\n1\n")).values("a").tolist() == [1, 1]
