import numpy as np
import pytest

from evomask.data.schema import Attribute, Kind, Role
from evomask.errors import DataError
from evomask.evolution.variation import gray
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.searches.files.genome import MISSING, Coding, decimals_of, scale_of
from tests.tables import mixed, numbers

ORIGINAL = [[1, 3, 1, 5, 9], [5, 2, 2, 6, 7], [4, 8, 3, 4, 9], [1, 6, 5, 8, 2], [4, 7, 2, 1, 2]]
PROTECTED = [[1, 2, 1, 5, 7], [9, 1, 2, 3, 5], [4, 1, 9, 8, 9], [1, 6, 7, 9, 1], [3, 1, 2, 7, 2]]
GENOMES = [
    [0b0000, 0b0001, 0b0000, 0b0000, 0b1001],
    [0b1010, 0b0010, 0b0000, 0b0111, 0b0011],
    [0b0000, 0b1101, 0b1111, 0b1010, 0b0000],
    [0b0000, 0b0000, 0b0011, 0b0001, 0b0010],
    [0b0100, 0b0101, 0b0000, 0b0101, 0b0000],
]


def columns(rows):
    """A table whose lowest value is 0 and highest 15, so that codes are those of the numbers."""
    return numbers(**{f"a{i}": [0, 15, *c] for i, c in enumerate(zip(*rows, strict=True))})


def test_the_genome_file_of_figure_3_1():
    original = columns(ORIGINAL)
    genome = Coding(original, original.schema.names).encode(columns(PROTECTED))
    assert genome[2:].tolist() == GENOMES


def test_table_3_1():
    assert gray(1500) ^ gray(1000) == 0b101_0010_1110
    assert gray(1500) ^ gray(1900) == 0b11_1110_1000


@pytest.mark.parametrize("seed", range(3))
def test_decoding_undoes_encoding(seed):
    table = mixed(40)
    order = np.random.default_rng(seed).permutation(40)
    coding = Coding(table, table.schema.quasi_identifiers)
    masked = coding.decode(coding.encode(table.take(order)))
    again = coding.decode(coding.encode(masked))
    for name in coding.names:
        assert np.array_equal(masked[name], again[name], equal_nan=name in ("age", "income"))


def test_an_unchanged_number_has_gene_0():
    table = mixed(40)
    coding = Coding(table, ("age",))
    assert not coding.encode(table).any()


def test_a_missing_number_has_a_gene_of_its_own():
    table = numbers(a=[1.0, np.nan, 3.0])
    coding = Coding(table, ("a",))
    assert coding.encode(table)[1, 0] == MISSING
    assert np.isnan(coding.decode(coding.encode(table)).values("a")[1])


def test_a_mean_of_whole_numbers_becomes_whole():
    table = numbers(a=[1.0, 2.0, 4.0])
    coding = Coding(table, ("a",))
    masked = coding.decode(coding.encode(table.with_columns({"a": np.array([1.5, 2.4, 9.0])})))
    assert masked.values("a").tolist() == [2.0, 2.0, 4.0]


def test_a_code_above_the_highest_value_is_not_possible():
    table = numbers(a=[0.0, 4.0])
    coding = Coding(table, ("a",))
    genome = coding.encode(table)
    genome[0, 0] = gray(5)
    assert not coding.is_possible(genome)
    assert not coding.is_possible_gene(gray(5), 0, 0)


@pytest.mark.parametrize(("value", "places"), [(7.0, 0), (0.25, 2), (1 / 3, 12)])
def test_decimals_are_those_the_values_have(value, places):
    attribute = Attribute("a", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER)
    assert decimals_of(attribute, np.array([0.0, value, 1.0])[: 2 if value == 7 else 3]) == places


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e9, 1e15])
def test_numbers_of_any_size_keep_their_value(size):
    values = size * (1.0 + np.random.default_rng(1).random(20))
    table = numbers(a=values, b=np.full(20, size / 3))
    coding = Coding(table, ("a", "b"))
    masked = coding.decode(coding.encode(table))
    assert np.allclose(masked.values("a"), values, rtol=1e-10, atol=0.5 if size > 1e11 else 0.0)
    assert np.allclose(masked.values("b"), size / 3, rtol=1e-10, atol=0.5 if size > 1e11 else 0.0)


def test_declared_decimals_win():
    attribute = Attribute("a", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER, decimals=1)
    assert scale_of(attribute, np.array([0.25, 0.75])).steps == 10


def test_generalized_cells_cannot_evolve():
    table = mixed(40)
    masked = Mondrian(("age",), 5).mask(table, np.random.default_rng(1))
    with pytest.raises(DataError, match="'age' is generalized"):
        Coding(table, ("age",)).encode(masked)


def test_changed_cells_are_counted_by_attribute():
    table = mixed(40)
    coding = Coding(table, ("age", "income", "school"))
    masked = table.with_columns({"school": np.where(np.arange(40) < 10, 0, table["school"])})
    expected = np.mean(masked["school"] != table["school"])
    assert coding.changed(coding.encode(masked)) == {"age": 0.0, "income": 0.0, "school": expected}


def test_the_distance_of_numbers_is_in_standard_deviations():
    table = numbers(a=[0.0, 0.0, 4.0, 4.0], b=[7.0, 7.0, 7.0, np.nan])
    coding = Coding(table, ("a", "b"))
    masked = table.with_columns({"a": np.array([0.0, 1.0, 4.0, 3.0])})
    assert coding.moved(coding.encode(masked)) == pytest.approx(0.25)
    assert Coding(table, ("b",)).moved(Coding(table, ("b",)).encode(table)) == 0.0
