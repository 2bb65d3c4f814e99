"""Slow reference implementation of the strict attacks: loops over targets and records."""

from functools import cached_property, wraps

import numpy as np

from evomask.data.schema import Kind
from evomask.measures.disclosure.attribute_disclosure import left_out_attributes, random_halves

TIE = 1e-9


def kept(method):
    """What was computed for the same arguments is not computed again."""

    @wraps(method)
    def remembering(self, *arguments):
        key = (method.__name__, *arguments)
        if key not in self.found:
            self.found[key] = method(self, *arguments)
        return self.found[key]

    return remembering


class Twin:
    """All pairs of an original and a masked table, some attributes known, some confidential."""

    def __init__(self, original, masked, known, confidential=(), passing_over=False):
        self.original, self.masked, self.passing_over = original, masked, passing_over
        self.known, self.confidential = known, confidential
        self.n = len(original)
        self.found = {}

    def is_number(self, name):
        return not self.original.attribute(name).is_categorical

    def is_ordered(self, name):
        return self.original.attribute(name).kind is Kind.ORDINAL

    def values(self, name):
        return self.original[name]

    @kept
    def numbers(self, name):
        values = self.original.values(name)
        return sorted(values[~np.isnan(values)])

    @kept
    def counts(self, name):
        size = len(self.original.attribute(name).categories)
        return np.array([np.sum(self.original[name] == v) for v in range(size)])

    @kept
    def deviation(self, name):
        return np.std(self.numbers(name)) or 1.0

    # what a released cell stands for

    @kept
    def leaves(self, j, name):
        size = len(self.original.attribute(name).categories)
        if self.masked.suppressed[j]:
            return [*range(size)]
        return np.flatnonzero(self.masked.recoding(name).leaves[self.masked[name][j]]).tolist()

    @kept
    def ends(self, j, name):
        known = self.numbers(name)
        if self.masked.suppressed[j] and known:
            return known[0], known[-1]
        low, high = self.masked.ends(name)
        return low[j], high[j]

    @kept
    def is_wide(self, j, name):
        if self.is_number(name):
            low, high = self.ends(j, name)
            return bool(low < high)
        return len(self.leaves(j, name)) > 1

    @kept
    def is_whole(self, j, name):
        if not self.is_wide(j, name):
            return False
        if self.is_number(name):
            low, high = self.ends(j, name)
            return all(low <= v <= high for v in self.numbers(name))
        return set(np.flatnonzero(self.counts(name))) <= set(self.leaves(j, name))

    @kept
    def middle(self, j, name):
        low, high = self.ends(j, name)
        if not low < high:
            return low
        inside = [v for v in self.numbers(name) if low <= v <= high]
        return np.median(inside) if inside else (low + high) / 2

    @kept
    def shares(self, j, name):
        """How likely each category is in a cell."""
        leaves, counts = self.leaves(j, name), self.counts(name).astype(float)
        total = counts[leaves].sum()
        shares = np.zeros(len(counts))
        shares[leaves] = counts[leaves] / total if total else 1 / len(leaves)
        return shares

    # how far a record is from a person

    @kept
    def apart(self, name, v, w):
        attribute = self.original.attribute(name)
        if v == w or attribute.kind is Kind.NOMINAL:
            return float(v != w)
        missing = len(attribute.categories) - 1 if attribute.has_missing else None
        return 1.0 if missing in (v, w) else abs(v - w) / attribute.domain_size

    def category_distance(self, i, j, name):
        v = self.values(name)[i]
        if self.passing_over and self.is_whole(j, name):
            return 1.0
        return min(self.apart(name, v, w) for w in self.leaves(j, name))

    @kept
    def compared_ends(self, j, name):
        if self.passing_over and self.is_whole(j, name):
            return np.nan, np.nan
        return self.ends(j, name)

    def gap(self, i, j, name):
        """Between a person's number and a released one; none where either alone is missing."""
        v, (low, high) = self.values(name)[i], self.compared_ends(j, name)
        if np.isnan(v) or np.isnan(low):
            return 0.0 if np.isnan(v) and np.isnan(low) else None
        return max(low - v, v - high, 0.0)

    def number_distance(self, i, j, name):
        gap = self.gap(i, j, name)
        return 1.0 if gap is None else (gap / self.deviation(name)) ** 2

    @cached_property
    def distances(self):
        """For each attribute a table of people and records."""
        return {
            name: np.array(
                [
                    [
                        (self.number_distance if self.is_number(name) else self.category_distance)(
                            i, j, name
                        )
                        for j in range(self.n)
                    ]
                    for i in range(self.n)
                ]
            )
            for name in self.known
        }

    def nearest(self, i, names):
        total = sum((self.distances[name][i] for name in names), np.zeros(self.n))
        return np.flatnonzero(total <= total.min() + TIE), total.min()

    def nearest_strangers(self, i, names):
        """The nearest originals of people who do not look the same."""
        total = sum((self.distances[name][i] for name in names), np.zeros(self.n))
        others = np.where(total > 0, total, np.inf)
        return np.flatnonzero(np.isfinite(others) & (others <= others.min() + TIE))

    # linked

    def people_like(self, i):
        return sum(
            all(same(self.values(n)[i], self.values(n)[j]) for n in self.known)
            for j in range(self.n)
        )

    @kept
    def people_covered(self, j):
        if not any(self.is_wide(j, name) for name in self.known):
            return 0
        shares = [
            np.mean([self.covers(j, name, self.values(name)[i]) for i in range(self.n)])
            for name in self.known
        ]
        return self.n * np.prod(shares)

    def covers(self, j, name, value):
        if not self.is_number(name):
            return value in self.leaves(j, name)
        low, high = self.ends(j, name)
        return same(value, low) or low <= value <= high

    def linked_by_distance(self):
        chances = []
        for i in range(self.n):
            near, apart = self.nearest(i, self.known)
            if i in near:
                chances.append(1 / len(near))
            elif apart == 0:
                covered = max(self.people_covered(j) for j in near)
                chances.append(1 / max(len(near), self.people_like(i), covered))
            else:
                chances.append(0)
        return 100 * np.mean(chances)

    def agrees(self, i, j, name):
        if not self.is_number(name):
            return self.category_distance(i, j, name) == 0
        gap = self.gap(i, j, name)
        spread = self.numbers(name) and np.std(self.numbers(name))
        return gap is not None and gap <= 0.1 * spread

    def linked_by_agreement(self):
        names = sorted(self.known, key=lambda name: not self.is_number(name))
        agree = np.array(
            [[[self.agrees(i, j, a) for a in names] for j in range(self.n)] for i in range(self.n)]
        )
        people = np.arange(self.n)
        shares = agree[people, people].mean(axis=0), agree.mean(axis=(0, 1))
        with_own, with_any = (np.clip(share, 1e-6, 1 - 1e-6) for share in shares)
        worth = np.log(with_own / (1 - with_own)) - np.log(with_any / (1 - with_any))
        scores = agree @ worth
        near = scores >= scores.max(axis=1, keepdims=True) - 1e-7
        return 100 * np.mean(near.diagonal() / near.sum(axis=1))

    # read

    @kept
    def rank(self, name, value):
        values = self.values(name)
        return (np.sum(values < value) + np.sum(values <= value) + 1) / 2

    @kept
    def is_right(self, name, value, truth):
        """Whether what was read is equal, or within a tenth of the ranks."""
        if self.is_number(name):
            if np.isnan(value) or np.isnan(truth):
                return np.isnan(value) and np.isnan(truth)
            return abs(self.rank(name, value) - self.rank(name, truth)) <= 0.1 * self.n
        if value == truth or not self.is_ordered(name):
            return value == truth
        if self.missing(name) in (value, truth):
            return False
        return abs(self.rank(name, value) - self.rank(name, truth)) <= 0.1 * self.n

    @kept
    def missing(self, name):
        attribute = self.original.attribute(name)
        return len(attribute.categories) - 1 if attribute.has_missing else None

    def middle_number(self, numbers):
        known = [v for v in numbers if not np.isnan(v)]
        return np.median(known) if 2 * len(known) >= max(len(numbers), 1) else np.nan

    def likely(self, name, counts):
        """The categories that are read where each was found so often."""
        if not self.is_ordered(name):
            return np.flatnonzero(counts >= counts.max() - TIE * counts.sum()).tolist()
        known = np.delete(counts, [] if self.missing(name) is None else self.missing(name))
        if known.sum() < counts.sum() / 2 - TIE:
            return [self.missing(name)]
        return [int(np.flatnonzero(np.cumsum(known) >= known.sum() / 2 - TIE)[0])]

    def read_right(self, i, near, name):
        truth = self.values(name)[i]
        if self.is_number(name):
            value = self.middle_number([self.middle(j, name) for j in near])
            return float(self.is_right(name, value, truth))
        found = self.likely(name, sum(self.shares(j, name) for j in near))
        return np.mean([self.is_right(name, value, truth) for value in found])

    @kept
    def guessed_right(self, i, name):
        truth = self.values(name)[i]
        if self.is_number(name):
            return float(self.is_right(name, self.middle_number(self.values(name)), truth))
        return float(self.is_right(name, self.likely(name, self.counts(name))[0], truth))

    def gain(self, questions):
        right, guessed = [], []
        for known, wanted in questions:
            for i in range(self.n):
                near, _ = self.nearest(i, known)
                right.append(np.mean([self.read_right(i, near, name) for name in wanted]))
                guessed.append(np.mean([self.guessed_right(i, name) for name in wanted]))
        right, guessed = np.mean(right), np.mean(guessed)
        return 0.0 if guessed == 1 else 100 * max(0.0, (right - guessed) / (1 - guessed))

    def half_known(self):
        names = np.array(self.known)
        return self.gain([(names[h], names[~h]) for h in random_halves(len(names))])

    def all_but_one_known(self):
        names = self.known
        chosen = [names[place] for place in left_out_attributes(len(names))]
        return self.gain([([n for n in names if n != name], [name]) for name in chosen])

    def successes(self):
        """What every intruder gets right, in percent, in the order of the measure."""
        found = [self.linked_by_distance(), self.linked_by_agreement()]
        if len(self.known) > 1:
            found += [self.half_known(), self.all_but_one_known()]
        return found + [self.confidential_gain(name) for name in self.confidential]

    def confidential_gain(self, name):
        """Beyond the usual value, or what the nearest strangers' originals tell."""
        people = range(self.n)
        right = np.mean([self.read_right(i, self.nearest(i, self.known)[0], name) for i in people])
        before = Twin(self.original, self.original, self.known, (name,))
        told = [before.read_by_strangers(i, name) for i in people]
        guessed = max(np.mean(told), np.mean([self.guessed_right(i, name) for i in people]))
        return 0.0 if guessed == 1 else 100 * max(0.0, (right - guessed) / (1 - guessed))

    def read_by_strangers(self, i, name):
        near = self.nearest_strangers(i, self.known)
        return self.read_right(i, near, name) if len(near) else 0.0


def same(a, b):
    """Whether two values are equal, or both missing."""
    return a == b or (np.isnan(a) and np.isnan(b))
