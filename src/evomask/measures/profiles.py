"""Profiles: the pair of information loss and disclosure risk that evaluates a masked file.

``papers`` is the pair of the papers. Files that protect nobody can score well on it: with permuted
categories, or with records in another order; and its values depend on the number of records.
``strict`` is our own pair, see `measures.loss` and `measures.disclosure`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from evomask.data.schema import Role, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.measures.disclosure.relabelling import renamed, same_codes
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.incremental.readings import Request, TrackableReading
from evomask.measures.loss.loss import EQUAL_WEIGHTS, InformationLoss, LossWeights
from evomask.measures.measure import (
    About,
    Measure,
    Reading,
    Side,
    categorical,
    check_original,
    continuous,
)
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
from evomask.measures.papers.interval_disclosure import RankInterval
from evomask.measures.papers.probabilistic_linkage import MOST_ATTRIBUTES, ProbabilisticLinkage
from evomask.measures.score import Mean, Weighted
from evomask.measures.targets import ALL_TARGETS, REPORT_TARGETS


@dataclass(frozen=True)
class PapersLoss:
    """Information loss of the papers: mean of the losses by kind, weighted by attributes.

    Categorical: mean of CTBIL, DBIL and EBIL. Continuous: the probabilistic loss.
    """

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "loss-papers",
        "information loss of the papers",
        Side.LOSS,
        "the mean of the published losses by kind of attribute; a change counts more the more "
        "records there are",
    )

    def against(self, original: Table) -> Reading:
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
    """Distance-based and probabilistic record linkage, combined."""

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
        """The mean of both linkages for continuous files, the larger one for others."""
        distance = self.distance(masked)
        if self.probabilistic is None:
            return distance
        probabilistic = self.probabilistic(masked)
        if categorical(self.schema, self.names):
            return max(distance, probabilistic)
        return (distance + probabilistic) / 2


def papers_risk(interval: float, linkage: float) -> float:
    """Risk of the papers from interval disclosure and record linkage."""
    return (interval + linkage) / 2


@dataclass(frozen=True)
class PapersRisk:
    """Disclosure risk of the papers: half interval disclosure, half record linkage.

    Args:
        attributes: names of attributes of any kind.
        probabilistic: whether probabilistic linkage is included; a search that evaluates many
            files leaves it out. Above 20 attributes it is always left out.

    Continuous: ID / 2 + DBRL / 4 + PRL / 4. Else (ID + max(DBRL, PRL)) / 2, where PRL
    compares the categorical attributes alone. Without PRL it can be tracked.
    """

    attributes: tuple[str, ...]
    probabilistic: bool = True

    about: ClassVar[About] = About(
        "risk-papers",
        "disclosure risk of the papers",
        Side.RISK,
        "the mean of interval disclosure and record linkage, by an intruder who compares the two "
        "files as they are",
    )

    def against(self, original: Table) -> Reading:
        interval = RankInterval(self.attributes).against(original)
        linkages = _Linkages.of(original, self.attributes, probabilistic=self.probabilistic)

        def reading(masked: Table) -> float:
            return papers_risk(interval(masked), linkages(masked))

        if linkages.probabilistic is not None:
            return reading
        return TrackableReading(reading, original, Request(self.about.name, self.attributes))


@dataclass(frozen=True)
class IncrementalRisk:
    """The part of the strict risk that has incremental updates.

    The larger of distance-based linkage and of inference with half of the attributes known,
    both before and after undoing a relabelling. Left out are linkage by weights of agreement,
    inference with all but one attribute known, and confidential attributes; ties share,
    instead of the most frequent value being inferred, and links go from records to targets.
    """

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "risk-followed",
        "incremental part of the disclosure risk",
        Side.RISK,
        "the share of individuals re-identified by the nearest record, or of unknown values "
        "inferred from it with half of the attributes known, also after undoing a relabelling",
    )

    def against(self, original: Table) -> Reading:
        linkage = DistanceLinkage(self.attributes).against(original)
        inference = Inference(self.attributes).against(original)

        def reading(masked: Table) -> float:
            risks = [linkage(masked), inference(masked)]
            if categorical(original.schema, self.attributes):
                named = renamed(original, masked, self.attributes)
                if not same_codes(masked, named, self.attributes):
                    risks += [linkage(named), inference(named)]
            return max(risks)

        return TrackableReading(reading, original, Request(self.about.name, self.attributes))


class RiskProfile(StrEnum):
    """Names of the profiles; ``strict`` is robust against relabelled and reordered files."""

    STRICT = "strict"
    PAPERS = "papers"


@dataclass(frozen=True)
class Profile:
    """A pair of loss and risk for attributes of any kind.

    Args:
        followed: name of the risk with incremental updates.
    """

    name: str
    loss: type[InformationLoss | PapersLoss]
    risk: type[DisclosureRisk | PapersRisk]
    followed: str

    def measures(
        self, attributes: tuple[str, ...], *, probabilistic: bool = True
    ) -> tuple[Measure, Measure]:
        """Loss and risk; faster without probabilistic linkage."""
        return self.loss(attributes), self.risk(attributes, probabilistic)

    def loss_by_weights(self, attributes: tuple[str, ...], weights: LossWeights) -> Measure:
        """The loss with weights of its parts; the papers' loss has none."""
        if self.loss is InformationLoss:
            return InformationLoss(attributes, weights)
        if weights != EQUAL_WEIGHTS:
            raise ParameterError(f"the loss of profile {self.name} has no parts to weigh")
        return self.loss(attributes)

    def reported(self, attributes: tuple[str, ...], *, exact: bool = False) -> Measure:
        """The risk of the report: more targets than in a search, or everybody."""
        if self.name == RiskProfile.PAPERS:
            return PapersRisk(attributes)
        return DisclosureRisk(attributes, people=ALL_TARGETS if exact else REPORT_TARGETS)

    def followable(self, attributes: tuple[str, ...]) -> Measure:
        """The risk with incremental updates, as a measure that can be evaluated in full too."""
        if self.name == RiskProfile.PAPERS:
            return PapersRisk(attributes, probabilistic=False)
        return IncrementalRisk(attributes)


PROFILES: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(
            RiskProfile.STRICT.value, InformationLoss, DisclosureRisk, IncrementalRisk.about.name
        ),
        Profile(RiskProfile.PAPERS.value, PapersLoss, PapersRisk, PapersRisk.about.name),
    )
}
"""Loss and risk of each profile."""


def profile(name: str) -> Profile:
    """Return the profile of that name, or raise an error that lists all."""
    if name not in PROFILES:
        raise ParameterError(f"no profile is called {name!r}; there are {', '.join(PROFILES)}")
    return PROFILES[name]


def classic_loss(names: tuple[str, ...]) -> Mean:
    """Loss of the classic score for continuous data: the mean of IL1 to IL5."""
    kinds = (ValueLoss, MeanLoss, CovarianceLoss, VarianceLoss, CorrelationLoss)
    return Mean(tuple(kind(names) for kind in kinds))


def classic_risk(names: tuple[str, ...]) -> Weighted:
    """Risk of the classic score: ID / 2 + DLD / 4 + PRL / 4."""
    parts = (RankInterval(names), ReverseDistanceLinkage(names), ProbabilisticLinkage(names))
    return Weighted(parts, (0.5, 0.25, 0.25))


def scope(original: Table, masked: Table) -> tuple[str, ...]:
    """Attributes to measure: quasi-identifiers, and confidential attributes that were masked."""
    names = list(original.schema.quasi_identifiers)
    names += [
        name
        for name in original.schema.with_role(Role.CONFIDENTIAL)
        if name in masked.schema and _was_masked(original, masked, name)
    ]
    if not names:
        raise SchemaError("there is no quasi-identifier to measure; declare at least one")
    return tuple(names)


def _was_masked(original: Table, masked: Table, name: str) -> bool:
    if masked.is_recoded(name) or len(original) != len(masked):
        return True
    before, after = original[name], masked[name]
    return not np.array_equal(before, after, equal_nan=before.dtype.kind == "f")
