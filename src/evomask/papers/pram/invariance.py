"""What invariance gains (section 4.1.5 of Marés, 2013): tables 4.8 to 4.11, figures 4.10 to 4.13.

Education of Adult is masked, crossed with race (skewed, for SCH) and occupation (even, for
METRO). Differences are expectations over all files that a matrix may make; the chi-square is
that of the expected counts.
"""

from functools import lru_cache

import numpy as np

from evomask.arrays import Floats
from evomask.data.chart import Axis, Chart, Series
from evomask.masking.randomization.limits import Limits, shaped
from evomask.masking.randomization.pram import (
    Design,
    Transitions,
    category_frequencies,
    constant_diagonal,
)
from evomask.measures.expected.association import (
    chi_square_difference,
    expectation_ratios,
    weighted_ratio,
)
from evomask.measures.profiles import RiskProfile
from evomask.papers.effort import Effort
from evomask.papers.pram.inputs import (
    BOTH,
    CONTROL,
    DEGREE,
    EVEN,
    INITIAL,
    MASKED,
    NEITHER,
    ONLY_INVARIANT,
    RATIOS,
    SKEWED,
    SUMMARIES,
    VARIANTS,
    crossed,
)
from evomask.papers.pram.matrices import Row, SearchRun, carried_out
from evomask.searches.pram.search import (
    Algorithm,
    Parameters,
    PramSearch,
    Sought,
)

GENERATIONS = 250
CHANGE = 0.4
RANGE = (0.55, 0.75)
HELD = 6
"""Categories of DEGREE in the tables."""


@lru_cache(maxsize=16)
def evolved(beside: str, variant: str, effort: Effort) -> SearchRun:
    """Algorithm 6 for the counts of education crossed with another attribute."""
    parameters = Parameters(
        attributes=(MASKED,),
        algorithm=Algorithm.THESIS,
        profile=RiskProfile.PAPERS,
        fitness=Sought.BIVARIATE,
        beside=beside,
        invariant=variant == BOTH,
        diagonal=() if variant == NEITHER else RANGE,
        start=Design.ENTROPY,
        change=CHANGE,
    )
    setup = PramSearch.setup(crossed(beside), parameters, effort.around)
    return carried_out(setup, effort, GENERATIONS)


def matrix_of(beside: str, variant: str, effort: Effort) -> Transitions:
    """One of the five matrices that are compared."""
    if variant not in (INITIAL, ONLY_INVARIANT):
        run = evolved(beside, variant, effort)
        matrix: Transitions = run.problem.matrices(run.genome)[MASKED]
        return matrix
    frequencies = category_frequencies(crossed(beside), MASKED)
    return first_matrix(frequencies, invariant=variant == ONLY_INVARIANT)


def first_matrix(frequencies: Floats, *, invariant: bool) -> Transitions:
    """Maximum entropy with 0.6 on the diagonal; invariant, and its diagonal in range."""
    start = constant_diagonal(frequencies, CHANGE)
    return shaped(start, frequencies, Limits(*RANGE, invariant=True)) if invariant else start


def utility(beside: str, variant: str, effort: Effort) -> float:
    """The expected difference in bivariate counts, in percent (4.5)."""
    problem = evolved(beside, BOTH, effort).problem
    return float(problem.measured.loss({MASKED: matrix_of(beside, variant, effort)}))


def chi_square_change(beside: str, variant: str, effort: Effort) -> float:
    """The relative difference of chi-square, of the expected counts, in percent (4.8)."""
    table = crossed(beside)
    sizes = [len(table.attribute(name).categories) for name in (MASKED, beside)]
    before = np.zeros(sizes)
    np.add.at(before, (table.codes(MASKED), table.codes(beside)), 1.0)
    return chi_square_difference(before, matrix_of(beside, variant, effort).T @ before)


def table_4_8(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Expectation ratios by category, DEGREE and SCH; ours education and race of Adult."""
    return _ratios(SKEWED, Effort(seed, share))


def table_4_9(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Expectation ratios by category, DEGREE and METRO; ours education and occupation of Adult."""
    return _ratios(EVEN, Effort(seed, share))


def _ratios(beside: str, effort: Effort) -> list[Row]:
    return [_ratio_row(beside, variant, effort) for variant in VARIANTS]


def _ratio_row(beside: str, variant: str, effort: Effort) -> Row:
    table = crossed(beside)
    frequencies = category_frequencies(table, MASKED)
    ratios = expectation_ratios(frequencies, matrix_of(beside, variant, effort))
    row: Row = {"matrix": variant}
    row |= {f"DEGREE {i} paper": value for i, value in enumerate(RATIOS[beside][variant], 1)}
    if variant in (INITIAL, ONLY_INVARIANT):
        first = first_matrix(DEGREE[:HELD], invariant=variant == ONLY_INVARIANT)
        on_degree = expectation_ratios(DEGREE[:HELD], first).tolist()
        row |= {f"DEGREE {i} ours": value for i, value in enumerate(on_degree, 1)}
    named = zip(table.attribute(MASKED).categories, frequencies, ratios.tolist(), strict=True)
    return row | {f"{name} ours": ratio for name, held, ratio in named if held}


def table_4_10(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Utility and weighted risk of five matrices, DEGREE and SCH; ours education and race."""
    return _summaries(SKEWED, Effort(seed, share))


def table_4_11(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Utility and weighted risk of five matrices, DEGREE and METRO; ours education, occupation."""
    return _summaries(EVEN, Effort(seed, share))


def _summaries(beside: str, effort: Effort) -> list[Row]:
    frequencies = category_frequencies(crossed(beside), MASKED)
    return [
        {
            "matrix": variant,
            "utility paper": SUMMARIES[beside][variant][0],
            "utility ours": utility(beside, variant, effort),
            "risk paper": SUMMARIES[beside][variant][1],
            "risk ours": weighted_ratio(frequencies, matrix_of(beside, variant, effort)),
        }
        for variant in VARIANTS
    ]


def figure_4_10(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Difference in bivariate counts by generation, education and occupation of Adult."""
    return [_evolution(EVEN, Effort(seed, share))]


def figure_4_11(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Difference in bivariate counts by generation, education and race of Adult."""
    return [_evolution(SKEWED, Effort(seed, share))]


def _evolution(beside: str, effort: Effort) -> Chart:
    paths = {variant: evolved(beside, variant, effort).path for variant in (BOTH, CONTROL)}
    ends = {variant: path[-1][0] for variant, path in paths.items()}
    return Chart(
        f"bivariate-{beside}",
        f"Counts of education crossed with {beside}",
        f"Evolution ends at {ends[BOTH]:.1f} percent with invariance, "
        f"at {ends[CONTROL]:.1f} percent without.",
        Axis("generation"),
        Axis("difference in bivariate counts, percent"),
        tuple(
            Series(
                variant,
                "line",
                tuple(map(float, range(len(path)))),
                tuple(loss for loss, _ in path),
            )
            for variant, path in paths.items()
        ),
    )


def figure_4_12(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Difference in bivariate counts of five matrices, both crossings."""
    effort = Effort(seed, share)
    values = {b: [utility(b, v, effort) for v in VARIANTS] for b in (EVEN, SKEWED)}
    return [
        _bars(
            "bivariate-differences",
            "Difference in bivariate counts",
            "Every matrix is compared with the initial one; lower is more useful.",
            values,
        )
    ]


def figure_4_13(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Relative difference of chi-square of five matrices, both crossings."""
    effort = Effort(seed, share)
    values = {b: [chi_square_change(b, v, effort) for v in VARIANTS] for b in (EVEN, SKEWED)}
    return [
        _bars(
            "chi-square-differences",
            "Relative difference of chi-square",
            "How much of the relation between the two attributes is lost; lower is more useful.",
            values,
        )
    ]


def _bars(name: str, title: str, reading: str, values: dict[str, list[float]]) -> Chart:
    places = tuple(map(float, range(len(VARIANTS))))
    return Chart(
        name,
        title,
        reading,
        Axis("matrix", VARIANTS),
        Axis("percent"),
        tuple(
            Series(f"education - {beside}", "bars", places, tuple(bars))
            for beside, bars in values.items()
        ),
    )
