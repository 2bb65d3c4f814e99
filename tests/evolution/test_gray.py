import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evomask.evolution.variation import from_gray, gray


def test_gray_codes_of_table_3_1():
    codes = {1500: 0b111_0011_0010, 1000: 0b10_0001_1100, 1900: 0b100_1101_1010}
    assert {value: gray(value) for value in codes} == codes


def test_genomes_of_table_3_1():
    assert gray(1500) ^ gray(1000) == 0b101_0010_1110
    assert gray(1500) ^ gray(1900) == 0b11_1110_1000


def test_the_garbled_rows_of_table_3_1_mean_genome_1110():
    assert gray(12) ^ gray(7) == 0b1110


def test_the_examples_of_section_2_1():
    assert [from_gray(0b111000), from_gray(0b101000)] == [47, 48]


@given(st.integers(0, 2**62))
def test_neighbours_differ_in_one_bit(value):
    assert (gray(value) ^ gray(value + 1)).bit_count() == 1


@given(st.integers(0, 2**63 - 1))
def test_from_gray_undoes_gray(value):
    assert from_gray(gray(value)) == value


def test_arrays_are_coded_cell_by_cell():
    values = np.array([[0, 1], [1500, 2**62]])
    assert gray(values).tolist() == [[gray(0), gray(1)], [gray(1500), gray(2**62)]]
    assert np.array_equal(from_gray(gray(values)), values)
