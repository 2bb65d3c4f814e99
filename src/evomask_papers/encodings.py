"""Reproductions of genome encodings: figures 3.1, 4.1 to 4.3, 4.14 and 4.15 (Marés, 2013).

Every row is a record, a matrix row or a step, with printed and computed value.
"""

from collections.abc import Iterable

import numpy as np

from evomask.evolution.variation import gray
from evomask.masking.randomization.formula_pram import stacks
from evomask.searches.equations.genome import formula
from evomask.searches.pram.genome import THOUSAND
from evomask.searches.pram.problem import exchange_ranges, flip_gray_bit
from evomask.types import Floats, Points

Row = dict[str, object]

ORIGINAL = ((1, 3, 1, 5, 9), (5, 2, 2, 6, 7), (4, 8, 3, 4, 9), (1, 6, 5, 8, 2), (4, 7, 2, 1, 2))
MASKED = ((1, 2, 1, 5, 7), (9, 1, 2, 3, 5), (4, 1, 9, 8, 9), (1, 6, 7, 9, 1), (3, 1, 2, 7, 2))
GENOMES = (
    "0000 0001 0000 0000 1001",
    "1010 0010 0000 0111 0011",
    "0000 1101 1111 1010 0000",
    "0000 0000 0011 0001 0010",
    "0100 0101 0000 0101 0000",
)
"""Figure 3.1: a file, a masked one, and the genome of the second against the first."""

MATRIX = np.array([[0.185, 0.283, 0.532], [0.609, 0.089, 0.302], [0.002, 0.277, 0.721]])
CODED = (
    "0011100101 0110010110 1100011110",
    "1101010001 0001110101 0110111001",
    "0000000011 0110011111 1110111001",
)
"""Figure 4.1: a transition matrix, and its Gray codes."""

MUTATED = (CODED[0], "1101011001 0001110101 0110111001", CODED[2])
"""Figure 4.2: the fourth number with its fourth bit from the right negated."""

CROSSED = (
    CODED[0],
    "0110011111 1110111001 0110111001",
    "0000000011 1101010001 0001110101",
)
"""Figure 4.3: the fourth and fifth number have changed places with the last two."""

EQUATION = ("+", "a", "*", "2", "b")
"""Figure 4.14: a + (2 * b) in our encoding: functions precede their operands (prefix order)."""

VALUES = {"a": np.array(1.0), "2": np.array(2.0), "b": np.array(3.0)}


def figure_3_1() -> list[Row]:
    """Genome of a masked file of five records against its original, in Gray code."""
    return [
        {
            "original": " ".join(map(str, before)),
            "masked": " ".join(map(str, after)),
            "paper": printed,
            "ours": _written((gray(a) ^ gray(b) for a, b in zip(before, after, strict=True)), 4),
        }
        for before, after, printed in zip(ORIGINAL, MASKED, GENOMES, strict=True)
    ]


def figure_4_1() -> list[Row]:
    """A transition matrix of three categories, in Gray code."""
    return _matrix_rows(_numbers(), CODED)


def figure_4_2() -> list[Row]:
    """The matrix of figure 4.1 with one bit negated."""
    numbers = _numbers()
    numbers[3] = flip_gray_bit(int(numbers[3]), 3)
    return _matrix_rows(numbers, MUTATED)


def figure_4_3() -> list[Row]:
    """The matrix of figure 4.1 with two ranges of values exchanged."""
    return _matrix_rows(exchange_ranges(_numbers(), 3, 7, 2), CROSSED)


def figure_4_14() -> list[Row]:
    """An equation as a vector and in infix notation."""
    return [
        {"what": "vector", "paper": "a 2 b * +", "ours": " ".join(EQUATION)},
        {"what": "equation", "paper": "a + (2 * b)", "ours": formula(EQUATION)},
    ]


def figure_4_15() -> list[Row]:
    """Stack during the evaluation of that equation for a = 1 and b = 3."""
    steps = [[float(value) for value in stack] for stack in stacks(EQUATION, VALUES)]
    return [
        {"symbol": symbol, "stack": " ".join(f"{value:g}" for value in stack)}
        for symbol, stack in zip(reversed(EQUATION), steps, strict=True)
    ]


def _numbers() -> Floats:
    whole: Floats = np.rint(MATRIX.ravel() * THOUSAND)
    return whole


def _matrix_rows(numbers: Floats, printed: tuple[str, ...]) -> list[Row]:
    rows: Points = numbers.reshape(MATRIX.shape)
    return [
        {
            "numbers": " ".join(str(int(number)) for number in row),
            "paper": paper,
            "ours": _written((gray(int(number)) for number in row), 10),
        }
        for row, paper in zip(rows, printed, strict=True)
    ]


def _written(codes: Iterable[int], bits: int) -> str:
    return " ".join(f"{code:0{bits}b}" for code in codes)
