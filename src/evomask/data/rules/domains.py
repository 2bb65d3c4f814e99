"""Domains of numbers: the values that an attribute may be released with."""

from dataclasses import dataclass

import numpy as np

from evomask.arrays import Flags, Floats
from evomask.data.rules.edits import category_numbers, step_of
from evomask.data.schema import Attribute, Kind

_HAIR = 1e-9


@dataclass(frozen=True, eq=False)
class Domain:
    """A range of numbers, in steps or not, or a list of them.

    Args:
        step: difference of neighbours, 0 where any number between the ends will do.
        listed: the numbers themselves, ascending, where they are categories.
    """

    low: float
    high: float
    step: float = 0.0
    decimals: int | None = None
    listed: Floats | None = None

    def rounded(self, values: Floats) -> Floats:
        """At the released decimals, inside the range or not."""
        return values if self.decimals is None else np.round(values, self.decimals)

    def nearest(self, values: Floats) -> Floats:
        """The value of the domain closest to each number; missing stays missing."""
        if self.listed is None:
            return np.clip(self.rounded(values), self.low, self.high)
        below, above = self.below(values), self.above(values)
        return np.where(values - below <= above - values, below, above)

    def below(self, values: Floats) -> Floats:
        """The largest value of the domain that is not above each number, or its lowest."""
        if self.listed is not None:
            places = np.searchsorted(self.listed, values + _HAIR, side="right") - 1
            return self._listed_at(self.listed, places, values)
        if self.step > 0:
            values = self.rounded(np.floor(values / self.step + _HAIR) * self.step)
        return np.clip(values, self.low, self.high)

    def above(self, values: Floats) -> Floats:
        """The smallest value of the domain that is not below each number, or its highest."""
        if self.listed is not None:
            places = np.searchsorted(self.listed, values - _HAIR, side="left")
            return self._listed_at(self.listed, places, values)
        if self.step > 0:
            values = self.rounded(np.ceil(values / self.step - _HAIR) * self.step)
        return np.clip(values, self.low, self.high)

    def holds(self, values: Floats) -> Flags:
        """Which numbers are values of the domain, or missing."""
        slack = _HAIR * max(1.0, self.high - self.low) if np.isfinite(self.high) else 0.0
        inside = (values >= self.low - slack) & (values <= self.high + slack)
        if self.listed is not None:
            inside &= np.isin(values, self.listed)
        flags: Flags = inside | np.isnan(values)
        return flags

    @staticmethod
    def _listed_at(listed: Floats, places: np.ndarray, values: Floats) -> Floats:
        nearest = listed[np.clip(places, 0, len(listed) - 1)]
        return np.where(np.isnan(values), values, nearest)


def domain_of(attribute: Attribute, values: Floats) -> Domain:
    """The domain of an attribute: its categories, or the range of its original *values*."""
    step = step_of(attribute)
    if attribute.kind is not Kind.CONTINUOUS:
        listed = np.sort(category_numbers(attribute)[: attribute.domain_size])
        return Domain(float(listed[0]), float(listed[-1]), step, None, listed)
    known = values[~np.isnan(values)]
    if not len(known):
        return Domain(-np.inf, np.inf, step, attribute.decimals)
    low, high = float(known.min()), float(known.max())
    if attribute.decimals is not None:
        low, high = round(low, attribute.decimals), round(high, attribute.decimals)
    return Domain(low, high, step, attribute.decimals)
