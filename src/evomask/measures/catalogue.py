"""All measures by name, and which of them apply to a file."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from evomask.data.schema import Kind, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.comparability import categorical, continuous
from evomask.measures.loss.classic import (
    CorrelationLoss,
    CovarianceLoss,
    MeanLoss,
    ValueLoss,
    VarianceLoss,
)
from evomask.measures.loss.contingency import ContingencyLoss
from evomask.measures.loss.distance import DistanceLoss
from evomask.measures.loss.entropy import EntropyLoss
from evomask.measures.loss.probabilistic import ProbabilisticLoss
from evomask.measures.measure import About, Measure
from evomask.measures.people import REPORTING
from evomask.measures.profiles import PROFILES, FollowedRisk
from evomask.measures.risk.individual import INDIVIDUAL
from evomask.measures.risk.inference import Inference
from evomask.measures.risk.interval import DeviationInterval, RankInterval, RelativeInterval
from evomask.measures.risk.linkage import DistanceLinkage, ReverseDistanceLinkage
from evomask.measures.risk.privacy_models import DISTINCT_L, ENTROPY_L, RECURSIVE_L, UNIQUES, K, T
from evomask.measures.risk.probabilistic import (
    MOST_ASSIGNED,
    MOST_ATTRIBUTES,
    OneToOneLinkage,
    ProbabilisticLinkage,
)
from evomask.measures.risk.relabelling import RelabelledLinkage, Relabelling
from evomask.measures.risk.special_uniques import SPECIAL_UNIQUES
from evomask.measures.risk.swapping import SwappingLinkage
from evomask.measures.score import Mean, Weighted, Worst

Maker = Callable[[tuple[str, ...]], Measure]

OF_NUMBERS: dict[str, Maker] = {
    kind.about.name: kind
    for kind in (
        ProbabilisticLoss, ValueLoss, MeanLoss, CovarianceLoss, VarianceLoss, CorrelationLoss,
        RelativeInterval, DeviationInterval,
    )
}  # fmt: skip
OF_CATEGORIES: dict[str, Maker] = {
    kind.about.name: kind for kind in (ContingencyLoss, EntropyLoss, Relabelling, RelabelledLinkage)
}
OF_ANY_KIND: dict[str, Maker] = {
    kind.about.name: kind
    for kind in (DistanceLoss, RankInterval, DistanceLinkage, ReverseDistanceLinkage, Inference)
}
WEIGHING: dict[str, Maker] = {
    kind.about.name: kind for kind in (ProbabilisticLinkage, OneToOneLinkage)
}
OF_ORDER: dict[str, Maker] = {SwappingLinkage.about.name: SwappingLinkage}
SAMPLED = (
    DistanceLinkage.about.name, ReverseDistanceLinkage.about.name, SwappingLinkage.about.name,
    RelabelledLinkage.about.name,
)  # fmt: skip
"""Linkages, whose time grows faster than the number of records."""

MEASURES: dict[str, Maker] = {
    **OF_NUMBERS, **OF_CATEGORIES, **OF_ANY_KIND, **WEIGHING, **OF_ORDER,
}  # fmt: skip

ABOUT: dict[str, About] = {
    about.name: about
    for about in (
        *(profile.loss.about for profile in PROFILES.values()),
        *(profile.risk.about for profile in PROFILES.values()), FollowedRisk.about,
        ProbabilisticLoss.about, ValueLoss.about, MeanLoss.about, CovarianceLoss.about,
        VarianceLoss.about, CorrelationLoss.about, ContingencyLoss.about, DistanceLoss.about,
        EntropyLoss.about, RankInterval.about, RelativeInterval.about, DeviationInterval.about,
        DistanceLinkage.about, ReverseDistanceLinkage.about, ProbabilisticLinkage.about,
        OneToOneLinkage.about, SwappingLinkage.about, Relabelling.about,
        RelabelledLinkage.about, Inference.about, Mean.about, Worst.about, Weighted.about,
        K, DISTINCT_L, ENTROPY_L, RECURSIVE_L, T, UNIQUES, INDIVIDUAL, SPECIAL_UNIQUES,
    )
}  # fmt: skip


def explained(name: str) -> About:
    """What the measure called *name* says of itself."""
    if name not in ABOUT:
        raise ParameterError(f"no measure is called {name!r}; there are {', '.join(ABOUT)}")
    return ABOUT[name]


LARGE = 20_000
"""Above so many records, linkages are tried on a fixed sample of them."""

PAIRS, WEIGHED_PAIRS = 1_000_000_000, 200_000_000
"""Pairs of records that a linkage may look at, and one that weighs agreements of numbers."""

FEWEST = 1_000
"""Records in the sample of a linkage, at least; weighing agreements may have fewer."""


def samples(schema: Schema, names: tuple[str, ...], n_records: int) -> dict[str, int]:
    """How many records the linkages of a large file are tried on, by name; none of a small one."""
    if n_records <= LARGE:
        return {}
    linked = max(FEWEST, min(REPORTING, PAIRS // n_records))
    weighed = min(REPORTING, max(1, WEIGHED_PAIRS // n_records))
    of_numbers = {} if categorical(schema, names) else {"prl": weighed}
    return {**dict.fromkeys(SAMPLED, linked), **of_numbers}


def applicable(
    schema: Schema, names: tuple[str, ...], n_records: int, *, exact: bool = False
) -> dict[str, Measure]:
    """The measures that attributes of these kinds allow, each on those it can read.

    Args:
        exact: whether linkages look at all records of a large file, too.
    """
    measures = _applicable(schema, names, n_records)
    people = {} if exact else samples(schema, names, n_records)
    return {name: _on(measure, people.get(name)) for name, measure in measures.items()}


def _on(measure: Measure, people: int | None) -> Measure:
    """The measure on a fixed sample of so many records."""
    return replace(measure, people=people) if people else measure  # type: ignore[type-var]


def _applicable(schema: Schema, names: tuple[str, ...], n_records: int) -> dict[str, Measure]:
    numbers, categories = continuous(schema, names), categorical(schema, names)
    makers: list[tuple[Maker, tuple[str, ...]]] = []
    makers += [(maker, numbers) for maker in OF_NUMBERS.values() if numbers]
    makers += [(maker, categories) for maker in OF_CATEGORIES.values() if categories]
    makers += [(maker, names) for maker in OF_ANY_KIND.values()]
    ordered = tuple(name for name in names if schema[name].kind is not Kind.NOMINAL)
    makers += [(maker, ordered) for maker in OF_ORDER.values() if ordered]
    compared = categories or names
    if len(compared) <= MOST_ATTRIBUTES:
        makers.append((ProbabilisticLinkage, compared))
        if n_records <= MOST_ASSIGNED:
            makers.append((OneToOneLinkage, compared))
    measures = [maker(chosen) for maker, chosen in makers]
    return {measure.about.name: measure for measure in measures}


def chosen_measures(
    original: Table, names: tuple[str, ...], wanted: Sequence[str], *, exact: bool = False
) -> dict[str, Measure]:
    """The wanted measures, or an error that says why one does not apply."""
    possible = applicable(original.schema, names, len(original), exact=exact)
    for name in wanted:
        explained(name)
        if name not in possible:
            raise ParameterError(
                f"{name} does not apply to these attributes; there are {', '.join(possible)}"
            )
    return {name: possible[name] for name in wanted}
