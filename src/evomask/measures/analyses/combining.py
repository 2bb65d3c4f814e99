"""Combining rules: estimates from several synthetic copies of one file.

An analysis is carried out on each copy as if it were the original; its estimate is the mean over
the copies, and its variance has a part within and a part between them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.analyses.analyses import AnalysesToPreserve
from evomask.measures.analyses.estimates import NORMAL_QUANTILE, Estimate, student_quantile


class Rule(StrEnum):
    """How the variances of copies are combined.

    With m copies, mean variance u within them, and variance b of the estimates between them:
    *partial* for partly synthetic files, u + b/m (Reiter, 2003); *simple* for values that are drawn
    from a fitted model, u (1 + 1/m), which holds for one copy too (Raab, Nowok and Dibben, 2016);
    *full* for copies of which each is a sample from a synthetic population of its own,
    (1 + 1/m) b - u, or u where that is negative (Raghunathan, Reiter and Rubin, 2003).
    """

    PARTIAL = "partial"
    SIMPLE = "simple"
    FULL = "full"


@dataclass(frozen=True)
class CombinedAnalysis:
    """A table, model or indicator with its estimates from all copies.

    Args:
        text: the analysis as the user wrote it.
        values: estimates with their 95 % intervals by name; those that every copy determines.
    """

    text: str
    meaning: str
    values: dict[str, Estimate]


def combine_copies(
    copies: Sequence[Table], analyses: AnalysesToPreserve, rule: Rule = Rule.PARTIAL
) -> tuple[CombinedAnalysis, ...]:
    """Carry out analyses on each copy and combine their estimates; no original is needed."""
    if len(copies) < 2 and rule is not Rule.SIMPLE:
        raise ParameterError(
            f"the rule {rule} needs at least two copies; name another, or take the rule simple"
        )
    prepared = analyses.against(copies[0])
    found = []
    for together in zip(*map(prepared.compare, copies), strict=True):
        values = {}
        for estimates in zip(*(one.values for one in together), strict=True):
            known = [one.after for one in estimates if one.after is not None]
            if len(known) == len(copies):
                values[estimates[0].name] = combine(known, rule)
        found.append(CombinedAnalysis(together[0].text, together[0].meaning, values))
    return tuple(found)


def combine(estimates: Sequence[Estimate], rule: Rule) -> Estimate:
    """Combine the estimates of all copies; variances are those of their 95 % intervals."""
    m = len(estimates)
    values = np.array([one.value for one in estimates])
    reaches = np.array([(one.high - one.low) / (2 * NORMAL_QUANTILE) for one in estimates])
    within = float(np.mean(reaches**2))
    between = float(values.var(ddof=1)) if m > 1 else 0.0
    freedom = np.inf
    if rule is Rule.SIMPLE:
        variance = within * (1 + 1 / m)
    elif rule is Rule.PARTIAL:
        variance = within + between / m
        if between > 0:
            freedom = (m - 1) * (1 + m * within / between) ** 2
    else:
        variance = (1 + 1 / m) * between - within
        if variance > 0:
            freedom = (m - 1) * (1 - m * within / ((m + 1) * between)) ** 2
        else:
            variance = within
    quantile = NORMAL_QUANTILE
    if np.isfinite(freedom):
        quantile = float(student_quantile(np.array([freedom]))[0])
    reach, value = quantile * float(np.sqrt(variance)), float(values.mean())
    return Estimate(value, value - reach, value + reach)
