"""Effect of invariance (Marés, 2013, section 4.1.5): tables 4.8 to 4.11, figures 4.10 to 4.13.

DEGREE of the stand-in for Housing is masked, crossed with SCH (skewed) and METRO (even).
Differences in counts are expectations over all files that a matrix may make; chi-square is the mean
over five perturbed files.

The row "only invariance" is R = P Q mixed with the identity (4.6) with a weight of .49, which makes
any matrix diagonally dominant; its diagonal, .636 to .750, then needs no other control. And the
thesis reads expectation ratios along the rows of a matrix, v_k r_kk over the sum of v_j r_kj, where
its text defines them along the columns, by r_jk. The first matrix is symmetric and shows no
difference; with both, the printed numbers come out to the last digit. So ours are read along rows
beside the paper's, and by the definition.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from evomask.data.chart import Axis, Chart, Series
from evomask.evolution.streams import draw_stream
from evomask.masking.randomization.pram import (
    Design,
    Transitions,
    category_frequencies,
    constant_diagonal,
    draw,
)
from evomask.measures.profiles import RiskProfile
from evomask.searches.pram.genome import Limits, constrain
from evomask.searches.pram.search import Algorithm, Parameters, PramSearch, Target
from evomask.types import Codes, Floats, Points
from evomask_papers.claims import SLIGHTLY, Claim
from evomask_papers.effort import Effort
from evomask_papers.pram.association import (
    chi_square_difference,
    expectation_ratios,
    weighted_ratio,
)
from evomask_papers.pram.inputs import (
    BOTH,
    CONTROL,
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
from evomask_papers.pram.matrices import Row, SearchRun, run_setup

GENERATIONS = 250
CHANGE = 0.4
RANGE = (0.55, 0.75)
FILES = 5
"""Perturbed files whose chi-square is averaged."""

ALPHA = 0.49
"""Weight of an invariant matrix against the identity: the diagonal is always above one half."""


@lru_cache(maxsize=16)
def evolved(beside: str, variant: str, effort: Effort) -> SearchRun:
    """Run Algorithm 6 for the counts of DEGREE crossed with another attribute."""
    parameters = Parameters(
        attributes=(MASKED,),
        algorithm=Algorithm.THESIS,
        profile=RiskProfile.PAPERS,
        fitness=Target.BIVARIATE,
        beside=beside,
        invariant=variant == BOTH,
        alpha=ALPHA if variant == BOTH else 1.0,
        diagonal=() if variant == NEITHER else RANGE,
        start=Design.ENTROPY,
        change=CHANGE,
    )
    setup = PramSearch.setup(crossed(beside), parameters, effort.around)
    return run_setup(setup, effort, GENERATIONS)


def matrix_of(beside: str, variant: str, effort: Effort) -> Transitions:
    """One of the five matrices that are compared."""
    if variant not in (INITIAL, ONLY_INVARIANT):
        run = evolved(beside, variant, effort)
        matrix: Transitions = run.problem.matrices(run.genome)[MASKED]
        return matrix
    frequencies = category_frequencies(crossed(beside), MASKED)
    return first_matrix(frequencies, invariant=variant == ONLY_INVARIANT)


def first_matrix(frequencies: Floats, *, invariant: bool) -> Transitions:
    """Maximum entropy matrix with diagonal 0.6, optionally made invariant with its diagonal in
    range.
    """
    start = constant_diagonal(frequencies, CHANGE)
    limits = Limits(*RANGE, invariant=True, alpha=ALPHA)
    return constrain(start, frequencies, limits) if invariant else start


def utility(beside: str, variant: str, effort: Effort) -> float:
    """The expected difference in bivariate counts, in percent (4.5)."""
    problem = evolved(beside, BOTH, effort).problem
    return float(problem.measured.loss({MASKED: matrix_of(beside, variant, effort)}))


def chi_square_change(beside: str, variant: str, effort: Effort) -> float:
    """The relative difference of chi-square in percent (4.8), the mean of five perturbed files."""
    table = crossed(beside)
    codes, other = table.codes(MASKED), table.codes(beside)
    sizes = [len(table.attribute(name).categories) for name in (MASKED, beside)]
    matrix = matrix_of(beside, variant, effort)
    before = _counts(codes, other, sizes)
    files = (draw(codes, matrix, draw_stream(effort.seed, r)) for r in range(FILES))
    return float(
        np.mean([chi_square_difference(before, _counts(file, other, sizes)) for file in files])
    )


def _counts(codes: Codes, other: Codes, sizes: Sequence[int]) -> Points:
    counts = np.zeros(tuple(sizes))
    np.add.at(counts, (codes, other), 1.0)
    return counts


def table_4_8(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Expectation ratios by category, DEGREE and SCH."""
    return _ratios(SKEWED, Effort(seed, share))


def table_4_9(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Expectation ratios by category, DEGREE and METRO."""
    return _ratios(EVEN, Effort(seed, share))


def _ratios(beside: str, effort: Effort) -> list[Row]:
    return [_ratio_row(beside, variant, effort) for variant in VARIANTS]


def _ratio_row(beside: str, variant: str, effort: Effort) -> Row:
    table = crossed(beside)
    frequencies = category_frequencies(table, MASKED)
    matrix = matrix_of(beside, variant, effort)
    along_rows = expectation_ratios(frequencies, matrix.T).tolist()
    defined = expectation_ratios(frequencies, matrix).tolist()
    row: Row = {"matrix": variant}
    for i, paper in enumerate(RATIOS[beside][variant]):
        value = f"DEGREE {i + 1}"
        row |= {f"{value} paper": paper, f"{value} ours": along_rows[i]}
        row |= {f"{value} by definition": defined[i]}
    return row


def table_4_10(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Utility and weighted risk of five matrices, DEGREE and SCH."""
    return _summaries(SKEWED, Effort(seed, share))


def table_4_11(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Utility and weighted risk of five matrices, DEGREE and METRO."""
    return _summaries(EVEN, Effort(seed, share))


def _summaries(beside: str, effort: Effort) -> list[Row]:
    frequencies = category_frequencies(crossed(beside), MASKED)
    return [
        {
            "matrix": variant,
            "utility paper": SUMMARIES[beside][variant][0],
            "utility ours": utility(beside, variant, effort),
            "risk paper": SUMMARIES[beside][variant][1],
            "risk ours": weighted_ratio(frequencies, matrix_of(beside, variant, effort).T),
            "risk by definition": weighted_ratio(frequencies, matrix_of(beside, variant, effort)),
        }
        for variant in VARIANTS
    ]


def figure_4_10(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Difference in bivariate counts by generation, DEGREE and METRO."""
    return [_evolution(EVEN, Effort(seed, share))]


def figure_4_11(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Difference in bivariate counts by generation, DEGREE and SCH."""
    return [_evolution(SKEWED, Effort(seed, share))]


def _evolution(beside: str, effort: Effort) -> Chart:
    paths = {variant: evolved(beside, variant, effort).path for variant in (BOTH, CONTROL)}
    return Chart(
        f"bivariate-{beside}",
        f"Counts of DEGREE crossed with {beside}",
        evolution_claim(beside, {v: [loss for loss, _ in path] for v, path in paths.items()}).told,
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


def evolution_claim(beside: str, losses: Mapping[str, Sequence[float]]) -> Claim:
    """Figures 4.10 and 4.11: differences of counts decrease, and are smallest with invariance."""
    first, last = ({v: path[at] for v, path in losses.items()} for at in (0, -1))
    ends = " and ".join(f"{SUMMARIES[beside][variant][0]:.2f}" for variant in (BOTH, CONTROL))
    return Claim(
        f"the difference falls with and without invariance, and ends lower with it ({ends})",
        all(last[v] < first[v] for v in losses) and last[BOTH] < last[CONTROL],
        {"with from": first[BOTH], "to": last[BOTH]}
        | {"without from": first[CONTROL], "then to": last[CONTROL]},
    )


def figure_4_12(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Difference in bivariate counts of five matrices, both crossings."""
    effort = Effort(seed, share)
    values = {b: [utility(b, v, effort) for v in VARIANTS] for b in (EVEN, SKEWED)}
    return [
        _bars(
            "bivariate-differences",
            "Difference in bivariate counts",
            " ".join(claim.told for claim in utility_claims(values)),
            values,
        )
    ]


def utility_claims(values: Mapping[str, Sequence[float]]) -> list[Claim]:
    """Figure 4.12: all matrices compared with the initial one, evolution compared with invariance
    only."""
    claims = []
    for beside, bars in values.items():
        ours = dict(zip(VARIANTS, bars, strict=True))
        below = all(ours[v] < ours[INITIAL] for v in VARIANTS if v != INITIAL)
        printed = ", ".join(f"{SUMMARIES[beside][v][0]:.2f}" for v in VARIANTS)
        claims.append(
            Claim(
                f"{MASKED} - {beside}: every matrix is below the initial one, the evolved "
                f"invariant one slightly below only invariance ({printed})",
                below and (1 - SLIGHTLY) * ours[ONLY_INVARIANT] < ours[BOTH] < ours[ONLY_INVARIANT],
                ours,
            )
        )
    return claims


def chi_square_claims(values: Mapping[str, Sequence[float]]) -> list[Claim]:
    """Figure 4.13: the matrix with the least change of chi-square, and the attribute with the
    larger change."""
    ours = {b: dict(zip(VARIANTS, bars, strict=True)) for b, bars in values.items()}
    least = {b: min(bars, key=lambda v, bars=bars: bars[v]) for b, bars in ours.items()}  # type: ignore[misc]
    best = Claim(
        "the evolved invariant matrix changes chi-square least",
        set(least.values()) == {BOTH},
        {
            f"{beside}, {variant}": bars[variant]
            for beside, bars in ours.items()
            for variant in bars
        },
    )
    means = {beside: float(np.mean(bars)) for beside, bars in values.items()}
    more = Claim(
        f"{EVEN} changes more than {SKEWED}",
        means[EVEN] > means[SKEWED],
        {f"mean of all, {beside}": value for beside, value in means.items()},
    )
    return [best, more]


def figure_4_13(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Relative difference of chi-square of five matrices, both crossings."""
    effort = Effort(seed, share)
    values = {b: [chi_square_change(b, v, effort) for v in VARIANTS] for b in (EVEN, SKEWED)}
    return [
        _bars(
            "chi-square-differences",
            "Relative difference of chi-square",
            " ".join(claim.told for claim in chi_square_claims(values)),
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
            Series(f"DEGREE - {beside}", "bars", places, tuple(bars))
            for beside, bars in values.items()
        ),
    )
