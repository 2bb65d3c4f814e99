"""One pair (loss, risk) for every masked file, whatever made it.

``papers`` is what the papers measure. Its scores can be won by files that protect nobody: a
file with permuted categories, or with its rows in another order. ``strict`` is the largest
of that risk, the same risk after an intruder has put renamed categories right, and inference
from the most similar record, which does not care about order.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from evomask.data.schema import Role, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.measures.categories import CategoricalColumn
from evomask.measures.comparability import categorical, check_masked, check_original, continuous
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
from evomask.measures.measure import About, Measure, Reading, Side
from evomask.measures.risk.inference import Inference
from evomask.measures.risk.interval import RankInterval
from evomask.measures.risk.linkage import DistanceLinkage, ReverseDistanceLinkage
from evomask.measures.risk.probabilistic import MOST_ATTRIBUTES, ProbabilisticLinkage
from evomask.measures.risk.relabelling import recovered_share, renamed
from evomask.measures.score import Mean, Weighted
from evomask.measures.tracked.trackable import Request, TrackableReading


@dataclass(frozen=True)
class Loss:
    """The loss of a file: mean of the losses by kind, weighted by number of attributes.

    Categorical: mean of CTBIL, DBIL and EBIL. Continuous: the probabilistic loss.
    """

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "loss", "information loss", Side.LOSS, "how much of the file's usefulness masking has cost"
    )

    def against(self, original: Table) -> Reading:
        """Prepare the losses of the kinds that are there."""
        check_original(original, self.attributes)
        parts: list[Measure] = []
        weights: list[float] = []
        categories = categorical(original.schema, self.attributes)
        numbers = continuous(original.schema, self.attributes)
        if categories:
            kinds = (ContingencyLoss, DistanceLoss, EntropyLoss)
            parts.append(Mean(tuple(kind(categories) for kind in kinds)))
            weights.append(len(categories))
        if numbers:
            parts.append(ProbabilisticLoss(numbers))
            weights.append(len(numbers))
        reading = Weighted(tuple(parts), tuple(weights)).against(original)
        return TrackableReading(reading, original, Request(self.about.name, self.attributes))


@dataclass(frozen=True, eq=False)
class _Linkages:
    """The two record linkages of a profile, read together."""

    schema: Schema
    names: tuple[str, ...]
    distance: Reading
    probabilistic: Reading | None

    @classmethod
    def of(cls, original: Table, names: tuple[str, ...], *, probabilistic: bool) -> "_Linkages":
        compared = categorical(original.schema, names) or names
        weigh = probabilistic and len(compared) <= MOST_ATTRIBUTES
        return cls(
            original.schema,
            names,
            DistanceLinkage(names).against(original),
            ProbabilisticLinkage(compared).against(original) if weigh else None,
        )

    def __call__(self, masked: Table) -> float:
        """Continuous files: the mean of both linkages; others: the larger one."""
        near = self.distance(masked)
        if self.probabilistic is None:
            return near
        weighed = self.probabilistic(masked)
        if categorical(self.schema, self.names):
            return max(near, weighed)
        return (near + weighed) / 2


def papers_risk(disclosed: float, linked: float) -> float:
    """The papers' risk of a share of cells that are disclosed and of records that are linked."""
    return (disclosed + linked) / 2


@dataclass(frozen=True)
class PapersRisk:
    """The papers' risk: half interval disclosure, half record linkage.

    Args:
        attributes: names of attributes of any kind.
        probabilistic: whether probabilistic linkage is read too; a search that reads many
            files leaves it out. Above 20 attributes it is always left out.

    Continuous: ID / 2 + DBRL / 4 + PRL / 4. Else (ID + max(DBRL, PRL)) / 2, where PRL
    compares the categorical attributes alone.
    """

    attributes: tuple[str, ...]
    probabilistic: bool = True

    about: ClassVar[About] = About(
        "risk-papers",
        "disclosure risk as the papers measure it",
        Side.RISK,
        "how many cells and records an intruder gets right who compares the two files as they are",
    )

    def against(self, original: Table) -> Reading:
        """Prepare interval disclosure and both linkages; without PRL it can be tracked."""
        interval = RankInterval(self.attributes).against(original)
        linkages = _Linkages.of(original, self.attributes, probabilistic=self.probabilistic)

        def reading(masked: Table) -> float:
            return papers_risk(interval(masked), linkages(masked))

        return _tracked_without(linkages, reading, original, self)


@dataclass(frozen=True)
class StrictRisk:
    """The largest of the papers' risk, the same after relabelling, and inference.

    After relabelling, recovered cells count as interval disclosure, and inference is tried
    again too.
    """

    attributes: tuple[str, ...]
    probabilistic: bool = True

    about: ClassVar[About] = About(
        "risk",
        "disclosure risk, strict",
        Side.RISK,
        "how much the most successful of several intruders learns, also one who sees through "
        "renamed categories and shuffled records",
    )

    def against(self, original: Table) -> Reading:
        """Prepare every intruder; without probabilistic linkage it can be tracked."""
        interval = RankInterval(self.attributes).against(original)
        linkages = _Linkages.of(original, self.attributes, probabilistic=self.probabilistic)
        inference = Inference(self.attributes).against(original)
        recovered = _recovered_cells(original, self.attributes)

        def reading(masked: Table) -> float:
            linked = linkages(masked)
            risks = [papers_risk(interval(masked), linked), inference(masked)]
            if categorical(original.schema, self.attributes):
                named = renamed(original, masked, self.attributes)
                if _same_codes(masked, named, self.attributes):
                    risks.append(papers_risk(recovered(masked), linked))
                else:
                    risks.append(papers_risk(recovered(masked), linkages(named)))
                    risks.append(inference(named))
            return max(risks)

        return _tracked_without(linkages, reading, original, self)


def _tracked_without(
    linkages: _Linkages, reading: Reading, original: Table, risk: Measure
) -> Reading:
    """The reading, with a way to follow it where there is no probabilistic linkage in it."""
    if linkages.probabilistic is not None:
        return reading
    return TrackableReading(reading, original, Request(risk.about.name, risk.attributes))


def _same_codes(masked: Table, named: Table, names: tuple[str, ...]) -> bool:
    return all(
        np.array_equal(masked[name], named[name]) for name in categorical(masked.schema, names)
    )


def _recovered_cells(original: Table, names: tuple[str, ...]) -> Reading:
    """Categorical cells recovered by renaming and continuous cells within rank intervals."""
    columns = [CategoricalColumn.of(original, n) for n in categorical(original.schema, names)]
    numbers = continuous(original.schema, names)
    interval = RankInterval(numbers).against(original) if numbers else None

    def reading(masked: Table) -> float:
        check_masked(original, masked, names)
        total = 100.0 * sum(recovered_share(column, masked) for column in columns)
        total += len(numbers) * interval(masked) if interval else 0.0
        return total / len(names)

    return reading


class RiskProfile(StrEnum):
    """Which risk: the papers', or one that renaming and reordering cannot deceive."""

    STRICT = "strict"
    PAPERS = "papers"


@dataclass(frozen=True)
class Profile:
    """A pair of loss and risk that fits attributes of any kind."""

    name: str
    loss: type[Loss]
    risk: type[StrictRisk | PapersRisk]

    def measures(
        self, attributes: tuple[str, ...], *, probabilistic: bool = True
    ) -> tuple[Measure, Measure]:
        """Its loss and risk; without probabilistic linkage many files can be read."""
        return self.loss(attributes), self.risk(attributes, probabilistic)


PROFILES: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(RiskProfile.STRICT.value, Loss, StrictRisk),
        Profile(RiskProfile.PAPERS.value, Loss, PapersRisk),
    )
}
"""Which loss and risk make up each profile: the one table of them."""


def profile(name: str) -> Profile:
    """The profile of that name, or an error that lists all."""
    if name not in PROFILES:
        raise ParameterError(f"no profile is called {name!r}; there are {', '.join(PROFILES)}")
    return PROFILES[name]


def classic_loss(names: tuple[str, ...]) -> Mean:
    """The loss of the classic score for continuous data: the mean of IL1 to IL5."""
    kinds = (ValueLoss, MeanLoss, CovarianceLoss, VarianceLoss, CorrelationLoss)
    return Mean(tuple(kind(names) for kind in kinds))


def classic_risk(names: tuple[str, ...]) -> Weighted:
    """The risk of the classic score: ID / 2 + DLD / 4 + PRL / 4."""
    parts = (RankInterval(names), ReverseDistanceLinkage(names), ProbabilisticLinkage(names))
    return Weighted(parts, (0.5, 0.25, 0.25))


def scope(original: Table, masked: Table) -> tuple[str, ...]:
    """The attributes to measure: quasi-identifiers, and confidential ones that were masked."""
    names = list(original.schema.quasi_identifiers)
    names += [
        name
        for name in original.schema.with_role(Role.CONFIDENTIAL)
        if name in masked.schema and _was_masked(original, masked, name)
    ]
    if not names:
        raise SchemaError("there is no quasi-identifier to measure; say which columns are")
    return tuple(names)


def _was_masked(original: Table, masked: Table, name: str) -> bool:
    if masked.is_recoded(name) or len(original) != len(masked):
        return True
    before, after = original[name], masked[name]
    return not np.array_equal(before, after, equal_nan=before.dtype.kind == "f")
