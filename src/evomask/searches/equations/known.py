"""The standard designs of PRAM matrices, and a few others, written as equations.

`entropy`, `diagonal` and `off-diagonal` are the designs of `Pram`; `redraw` draws a changed value
anew by the frequencies, so that these stay, and `near` prefers categories that are close by.
"""

from collections.abc import Mapping

from evomask.evolution.tree import Symbols, depth
from evomask.masking.randomization.equations import Equation, RowRule, parsed

CHANGES = (0.1, 0.2, 0.3, 0.4, 0.5)

WHOLE: Mapping[str, str] = {
    "redraw": "{stay} * same + {change} * freq_j / N",
    "entropy": "{stay} * same + {change} * (1 - same) / (size - 1)",
    "diagonal": "same * (size - 1) * (freq_i - {twice} * freq_min)"
    " + (1 - same) * {twice} * freq_min",
    "off-diagonal": "{stay} * same * ((size - 2) * (N - freq_i))"
    " + {change} * (1 - same) * (N - freq_i - freq_j)",
    "near": "{change} * freq_j / (N * distance) + {stay} * same",
}
"""What rows are made of, to be normalised; `redraw` and `entropy` sum to one already."""

MOVES: Mapping[str, str] = {
    "redraw": "{change} * freq_j / N",
    "entropy": "{change} / (size - 1)",
    "diagonal": "{twice} * freq_min / (freq_i * (size - 1))",
    "off-diagonal": "{change} * (N - freq_i - freq_j) / ((size - 2) * (N - freq_i))",
    "near": "{change} * freq_j / (N * distance * size)",
}
"""What leaves the diagonal; the rest stays there."""


def known_equations(rows: RowRule, symbols: Symbols, levels: int) -> tuple[Equation, ...]:
    """Those that the symbols can say within the levels, each with several probabilities of change.

    ``diagonal`` changes frequent categories less, so the rarest change twice as often.
    """
    if "same" not in symbols.terminals:
        return ()
    texts = MOVES if rows is RowRule.REST else WHOLE
    equations = [
        parsed(text.format(change=change, stay=round(1 - change, 9), twice=2 * change))
        for change in CHANGES
        for text in texts.values()
    ]
    return tuple(equation for equation in equations if depth(equation, symbols) <= levels)
