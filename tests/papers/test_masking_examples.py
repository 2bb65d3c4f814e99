"""Worked examples of the two theses, as they are printed."""

import numpy as np
import pytest

from evomask.data.classes import classes_of
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.masking.composition import InTurn
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.masking.randomization.pram import make_invariant, off_diagonal
from evomask.masking.rank_swapping import swap_partners
from evomask_papers.catalogue import reproduce
from tests.tables import numbers

RNG = np.random.default_rng(0)

TABLE_4_1 = """
0.500 0.067 0.060 0.065 0.067 0.076 0.080 0.083
0.073 0.500 0.058 0.064 0.066 0.075 0.080 0.083
0.072 0.064 0.500 0.062 0.064 0.074 0.080 0.083
0.073 0.065 0.057 0.500 0.066 0.075 0.080 0.083
0.073 0.066 0.058 0.064 0.500 0.075 0.080 0.083
0.074 0.068 0.061 0.066 0.068 0.500 0.080 0.083
0.075 0.068 0.062 0.067 0.069 0.076 0.500 0.083
0.075 0.069 0.062 0.067 0.069 0.077 0.081 0.500
"""
TABLE_4_2 = np.array([98.0, 173, 251, 195, 170, 80, 33, 0])

ORIGINAL_2_1 = {
    "V1": [8, 6, 10, 7, 9, 2, 1, 4, 5, 3],
    "V2": [9, 7, 3, 1, 4, 2, 10, 8, 5, 6],
    "V3": [1, 10, 4, 2, 6, 8, 3, 7, 5, 9],
}
MASKED_2_1 = {
    "V1": [10, 5, 8, 9, 7, 4, 3, 2, 6, 1],
    "V2": [10, 5, 4, 2, 3, 1, 9, 6, 7, 8],
    "V3": [3, 8, 2, 4, 5, 10, 1, 9, 6, 7],
}


def test_equation_2_3_on_the_frequencies_of_table_4_2_gives_table_4_1():
    printed = np.array(TABLE_4_1.split(), dtype=float).reshape(8, 8)
    printed[0, 4] = 0.068  # printed as 0.067, cut off where the others are rounded
    assert off_diagonal(TABLE_4_2, 0.5) == pytest.approx(printed, abs=0.0005)


def test_the_two_stage_matrix_of_section_4_1_4_keeps_the_frequencies():
    invariant = make_invariant(off_diagonal(TABLE_4_2, 0.5), TABLE_4_2)
    assert TABLE_4_2 @ invariant == pytest.approx(TABLE_4_2)


@pytest.mark.parametrize("name", ["V1", "V2", "V3"])
def test_rank_swapping_can_give_table_2_1(name):
    printed = dict(zip(ORIGINAL_2_1[name], MASKED_2_1[name], strict=True))
    wanted = [printed[value] - 1 for value in range(1, 11)]
    outcomes = [swap_partners(10, 2, np.random.default_rng(s)).tolist() for s in range(300)]
    assert wanted in outcomes


def test_mondrian_of_figure_2_4_masks_2_and_d_as_intervals():
    schema = Schema(
        (
            Attribute("Y", Kind.ORDINAL, Role.QUASI_IDENTIFIER, ("A", "B", "C", "D")),
            Attribute("X", Kind.ORDINAL, Role.QUASI_IDENTIFIER, ("1", "2", "3")),
        )
    )
    columns = {"Y": np.array([0, 1, 2, 3, 2, 3]), "X": np.array([0, 2, 0, 1, 2, 2])}
    masked = Mondrian(("Y", "X"), 2).mask(Table(schema, columns), RNG)
    cell = {name: masked.recodings[name].labels[masked[name][3]] for name in ("X", "Y")}
    assert cell == {"X": "[1,2]", "Y": "[C,D]"}
    assert classes_of(masked, ("X", "Y")).sizes.tolist() == [2, 2, 2]


class TestMicroaggregationByParts:
    """Table 2.1 of the thesis on attribute grouping; it prints 1.5 where 2 and 3 meet."""

    ORIGINAL = numbers(a1=[1, 3, 5, 8, 12, 13], a2=[2, 6, 3, 9, 8, 10])
    MASKED = InTurn((MdavGeneric(("a1",), 2), MdavGeneric(("a2",), 2))).mask(ORIGINAL, RNG)

    def test_gives_the_printed_means(self):
        assert self.MASKED["a1"].tolist() == [2, 2, 6.5, 6.5, 12.5, 12.5]
        assert self.MASKED["a2"].tolist() == [2.5, 7, 2.5, 9.5, 7, 9.5]

    def test_leaves_every_record_different(self):
        assert len(classes_of(self.MASKED, ("a1", "a2"))) == 6


@pytest.mark.parametrize(
    "name", ["files-figure-3.1", "pram-figure-4.1", "pram-figure-4.2", "pram-figure-4.3"]
)
def test_worked_examples_of_genomes_are_the_printed_ones(name):
    assert all(row["ours"] == row["paper"] for row in reproduce(name).rows)


def test_the_equation_of_figure_4_14_is_worked_out_on_a_stack():
    written = {row["what"]: row["ours"] for row in reproduce("equations-figure-4.14").rows}
    assert written["equation"].replace(" ", "") == "a+2*b"
    assert [row["stack"] for row in reproduce("equations-figure-4.15").rows][-1] == "7"
