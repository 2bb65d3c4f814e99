"""Which loss and which risk judge a masked file: two profiles.

``papers`` is what the papers measure. Its scores can be won by files that protect nobody: a
file with permuted categories, or with its rows in another order; and its figures change with
the number of records. ``strict`` is our own pair, see ``evomask.measures.judging``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from evomask.data.schema import Role, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.measures.comparability import categorical, check_original, continuous
from evomask.measures.judging.loss import REFERENCE, StrictLoss
from evomask.measures.judging.risk import StrictRisk, same_codes
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
from evomask.measures.risk.relabelling import renamed
from evomask.measures.score import Mean, Weighted
from evomask.measures.tracked.trackable import Request, TrackableReading


@dataclass(frozen=True)
class PapersLoss:
    """The papers' loss: mean of the losses by kind, weighted by number of attributes.

    Categorical: mean of CTBIL, DBIL and EBIL. Continuous: the probabilistic loss.
    """

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "loss-papers",
        "information loss as the papers measure it",
        Side.LOSS,
        "how much of the file's usefulness masking has cost; small changes count more the more "
        "records there are",
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
class FollowedRisk:
    """What bursts of single changes follow of the strict risk.

    The larger of distance-based linkage and of inference with half of the attributes known,
    both before and after renaming. Left out are weights of agreement, people of whom all but
    one attribute are known, and confidential attributes; ties share, instead of the most
    frequent value being read, and links go from records to people.
    """

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "risk-followed",
        "the part of the disclosure risk that is followed change by change",
        Side.RISK,
        "how many people are linked to their nearest record, or read from it with half of the "
        "attributes known, also by someone who sees through renamed categories",
    )

    def against(self, original: Table) -> Reading:
        """Prepare both intruders for many masked files."""
        linkage = DistanceLinkage(self.attributes).against(original)
        inference = Inference(self.attributes).against(original)

        def reading(masked: Table) -> float:
            risks = [linkage(masked), inference(masked)]
            if categorical(original.schema, self.attributes):
                named = renamed(original, masked, self.attributes)
                if not same_codes(masked, named, self.attributes):
                    risks += [linkage(named), inference(named)]
            return max(risks)

        request = Request(self.about.name, self.attributes, reference=REFERENCE)
        return TrackableReading(reading, original, request)


def _tracked_without(
    linkages: _Linkages, reading: Reading, original: Table, risk: Measure
) -> Reading:
    """The reading, with a way to follow it where there is no probabilistic linkage in it."""
    if linkages.probabilistic is not None:
        return reading
    return TrackableReading(reading, original, Request(risk.about.name, risk.attributes))


class RiskProfile(StrEnum):
    """Which pair: the papers', or ours, which renaming and reordering cannot deceive."""

    STRICT = "strict"
    PAPERS = "papers"


@dataclass(frozen=True)
class Profile:
    """A pair of loss and risk that fits attributes of any kind.

    Args:
        followed: the name of the risk that bursts of single changes follow.
    """

    name: str
    loss: type[StrictLoss | PapersLoss]
    risk: type[StrictRisk | PapersRisk]
    followed: str

    def measures(
        self, attributes: tuple[str, ...], *, probabilistic: bool = True
    ) -> tuple[Measure, Measure]:
        """Its loss and risk; without weights of agreement many files can be read."""
        return self.loss(attributes), self.risk(attributes, probabilistic)

    def followable(self, attributes: tuple[str, ...]) -> Measure:
        """The risk that bursts follow, as a measure that can be read in full too."""
        if self.name == RiskProfile.PAPERS:
            return PapersRisk(attributes, probabilistic=False)
        return FollowedRisk(attributes)


PROFILES: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(RiskProfile.STRICT.value, StrictLoss, StrictRisk, FollowedRisk.about.name),
        Profile(RiskProfile.PAPERS.value, PapersLoss, PapersRisk, PapersRisk.about.name),
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
