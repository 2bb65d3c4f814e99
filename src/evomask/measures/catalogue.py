"""Catalogue of all measures by name, and those that apply to a file."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from evomask.data.schema import Kind, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.disclosure.privacy_models import (
    DISTINCT_L,
    ENTROPY_L,
    RECURSIVE_L,
    UNIQUES,
    K,
    T,
)
from evomask.measures.disclosure.record_risk import INDIVIDUAL
from evomask.measures.disclosure.relabelling import RelabelledLinkage, Relabelling
from evomask.measures.disclosure.special_uniques import SPECIAL_UNIQUES
from evomask.measures.measure import About, Measure, categorical, continuous
from evomask.measures.papers.categorical_loss import ContingencyLoss, DistanceLoss, EntropyLoss
from evomask.measures.papers.continuous_loss import (
    CorrelationLoss,
    CovarianceLoss,
    MeanLoss,
    ProbabilisticLoss,
    ValueLoss,
    VarianceLoss,
)
from evomask.measures.papers.distance_linkage import DistanceLinkage, ReverseDistanceLinkage
from evomask.measures.papers.inference import Inference
from evomask.measures.papers.interval_disclosure import (
    DeviationInterval,
    RankInterval,
    RelativeInterval,
)
from evomask.measures.papers.probabilistic_linkage import (
    MOST_ASSIGNED,
    MOST_ATTRIBUTES,
    OneToOneLinkage,
    ProbabilisticLinkage,
)
from evomask.measures.papers.rank_swapping_linkage import SwappingLinkage
from evomask.measures.profiles import PROFILES, IncrementalRisk
from evomask.measures.score import Mean, Weighted, Worst
from evomask.measures.targets import REPORT_TARGETS

MeasureFactory = Callable[[tuple[str, ...]], Measure]

OF_NUMBERS: dict[str, MeasureFactory] = {
    kind.about.name: kind
    for kind in (
        ProbabilisticLoss, ValueLoss, MeanLoss, CovarianceLoss, VarianceLoss, CorrelationLoss,
        RelativeInterval, DeviationInterval,
    )
}  # fmt: skip
OF_CATEGORIES: dict[str, MeasureFactory] = {
    kind.about.name: kind for kind in (ContingencyLoss, EntropyLoss, Relabelling, RelabelledLinkage)
}
OF_ANY_KIND: dict[str, MeasureFactory] = {
    kind.about.name: kind
    for kind in (DistanceLoss, RankInterval, DistanceLinkage, ReverseDistanceLinkage, Inference)
}
PROBABILISTIC: dict[str, MeasureFactory] = {
    kind.about.name: kind for kind in (ProbabilisticLinkage, OneToOneLinkage)
}
OF_ORDER: dict[str, MeasureFactory] = {SwappingLinkage.about.name: SwappingLinkage}
SAMPLED = (
    DistanceLinkage.about.name, ReverseDistanceLinkage.about.name, SwappingLinkage.about.name,
    RelabelledLinkage.about.name,
)  # fmt: skip
"""Linkages, whose time grows faster than the number of records."""

MEASURES: dict[str, MeasureFactory] = {
    **OF_NUMBERS, **OF_CATEGORIES, **OF_ANY_KIND, **PROBABILISTIC, **OF_ORDER,
}  # fmt: skip

ABOUT: dict[str, About] = {
    about.name: about
    for about in (
        *(profile.loss.about for profile in PROFILES.values()),
        *(profile.risk.about for profile in PROFILES.values()), IncrementalRisk.about,
        ProbabilisticLoss.about, ValueLoss.about, MeanLoss.about, CovarianceLoss.about,
        VarianceLoss.about, CorrelationLoss.about, ContingencyLoss.about, DistanceLoss.about,
        EntropyLoss.about, RankInterval.about, RelativeInterval.about, DeviationInterval.about,
        DistanceLinkage.about, ReverseDistanceLinkage.about, ProbabilisticLinkage.about,
        OneToOneLinkage.about, SwappingLinkage.about, Relabelling.about,
        RelabelledLinkage.about, Inference.about, Mean.about, Worst.about, Weighted.about,
        K, DISTINCT_L, ENTROPY_L, RECURSIVE_L, T, UNIQUES, INDIVIDUAL, SPECIAL_UNIQUES,
    )
}  # fmt: skip


def describe_measure(name: str) -> About:
    """Return the description of the measure called *name*."""
    if name not in ABOUT:
        raise ParameterError(f"no measure is called {name!r}; there are {', '.join(ABOUT)}")
    return ABOUT[name]


LARGE = 20_000
"""Number of records above which linkages use a fixed sample."""

PAIRS, WEIGHED_PAIRS = 1_000_000_000, 200_000_000
"""Maximum number of record pairs of a linkage, and of a probabilistic linkage of numbers."""

FEWEST = 1_000
"""Minimum sample size of a linkage; probabilistic linkage of numbers may have a smaller one."""


def sample_sizes(schema: Schema, names: tuple[str, ...], n_records: int) -> dict[str, int]:
    """Number of records that each linkage of a large file uses, by name; empty for a small one."""
    if n_records <= LARGE:
        return {}
    linked = max(FEWEST, min(REPORT_TARGETS, PAIRS // n_records))
    weighed = min(REPORT_TARGETS, max(1, WEIGHED_PAIRS // n_records))
    of_numbers = {} if categorical(schema, names) else {"prl": weighed}
    return {**dict.fromkeys(SAMPLED, linked), **of_numbers}


def applicable_measures(
    schema: Schema, names: tuple[str, ...], n_records: int, *, exact: bool = False
) -> dict[str, Measure]:
    """Measures that attributes of these kinds allow, each on those that it can compare.

    Args:
        exact: whether linkages use all records of a large file, too.
    """
    numbers, categories = continuous(schema, names), categorical(schema, names)
    pairs: list[tuple[MeasureFactory, tuple[str, ...]]] = []
    pairs += [(factory, numbers) for factory in OF_NUMBERS.values() if numbers]
    pairs += [(factory, categories) for factory in OF_CATEGORIES.values() if categories]
    pairs += [(factory, names) for factory in OF_ANY_KIND.values()]
    ordered = tuple(name for name in names if schema[name].kind is not Kind.NOMINAL)
    pairs += [(factory, ordered) for factory in OF_ORDER.values() if ordered]
    compared = categories or names
    if len(compared) <= MOST_ATTRIBUTES:
        pairs.append((ProbabilisticLinkage, compared))
        if n_records <= MOST_ASSIGNED:
            pairs.append((OneToOneLinkage, compared))
    sizes = {} if exact else sample_sizes(schema, names, n_records)
    measures = {}
    for factory, chosen in pairs:
        measure = factory(chosen)
        if size := sizes.get(measure.about.name):
            measure = replace(measure, people=size)  # type: ignore[type-var]
        measures[measure.about.name] = measure
    return measures


def select_measures(
    original: Table, names: tuple[str, ...], wanted: Sequence[str], *, exact: bool = False
) -> dict[str, Measure]:
    """Return the measures of the given names, or raise an error for one that does not apply."""
    possible = applicable_measures(original.schema, names, len(original), exact=exact)
    for name in wanted:
        describe_measure(name)
        if name not in possible:
            raise ParameterError(
                f"{name} does not apply to these attributes; there are {', '.join(possible)}"
            )
    return {name: possible[name] for name in wanted}
