"""Slow reference implementation of the attacks of the risk: loops over targets and records."""

from functools import cached_property, wraps

import numpy as np
from scipy.stats import entropy

from evomask.data.recoding import Intervals
from evomask.data.schema import Kind

TIE, SURE = 1e-9, 0.5


def cached(method):
    """Compute the result for the same arguments once."""

    @wraps(method)
    def wrapped(self, *arguments):
        key = (method.__name__, *arguments)
        if key not in self.found:
            self.found[key] = method(self, *arguments)
        return self.found[key]

    return wrapped


def divergence(with_own, with_any):
    own, others = np.clip([with_own, with_any], 1e-6, 1 - 1e-6)
    return entropy([own, 1 - own], [others, 1 - others])


class SlowAttack:
    """All pairs of records of people and masked records.

    The people are those of the original by default, and each record is one unless *units* has the
    person or household of each.
    """

    def __init__(self, original, masked, known, *, people=None, units=None, passing_over=False):
        self.original, self.masked, self.passing_over = original, masked, passing_over
        self.known, self.people = known, original if people is None else people
        self.n, self.n_people = len(original), len(self.people)
        self.units = np.arange(self.n_people) if units is None else np.asarray(units)
        self.found = {}

    def is_number(self, name):
        return not self.original.attribute(name).is_categorical

    def is_ordered(self, name):
        return self.original.attribute(name).kind is Kind.ORDINAL

    def values(self, name):
        return self.people[name]

    @cached
    def numbers(self, name):
        values = self.original.values(name)
        return sorted(values[~np.isnan(values)])

    @cached
    def counts(self, name):
        size = len(self.original.attribute(name).categories)
        return np.array([np.sum(self.original[name] == v) for v in range(size)])

    @cached
    def deviation(self, name):
        return np.std(self.numbers(name)) or 1.0

    # what a released cell stands for

    @cached
    def leaves(self, j, name):
        size = len(self.original.attribute(name).categories)
        if self.masked.suppressed[j]:
            return [*range(size)]
        return np.flatnonzero(self.masked.recoding(name).leaves[self.masked[name][j]]).tolist()

    @cached
    def ends(self, j, name):
        known = self.numbers(name)
        if self.masked.suppressed[j] and known:
            return known[0], known[-1]
        low, high = self.masked.ends(name)
        return low[j], high[j]

    @cached
    def is_wide(self, j, name):
        if self.is_number(name):
            low, high = self.ends(j, name)
            return bool(low < high)
        return len(self.leaves(j, name)) > 1

    @cached
    def is_whole(self, j, name):
        if not self.is_wide(j, name):
            return False
        if self.is_number(name):
            low, high = self.ends(j, name)
            return all(low <= v <= high for v in self.numbers(name))
        return set(np.flatnonzero(self.counts(name))) <= set(self.leaves(j, name))

    @cached
    def middle(self, j, name):
        low, high = self.ends(j, name)
        if not low < high:
            return low
        inside = [v for v in self.numbers(name) if low <= v <= high]
        return np.median(inside) if inside else (low + high) / 2

    @cached
    def shares(self, j, name):
        """How likely each category is in a cell."""
        leaves, counts = self.leaves(j, name), self.counts(name).astype(float)
        total = counts[leaves].sum()
        shares = np.zeros(len(counts))
        shares[leaves] = counts[leaves] / total if total else 1 / len(leaves)
        return shares

    # how far a record is from a person

    @cached
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

    @cached
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
                    for i in range(self.n_people)
                ]
            )
            for name in self.known
        }

    def nearest(self, i, names):
        total = sum((self.distances[name][i] for name in names), np.zeros(self.n))
        return np.flatnonzero(total <= total.min() + TIE), total.min()

    # re-identification

    def over_units(self, values, of_unit=np.mean):
        """Mean over units of the mean, or the largest, of the values of their records."""
        values = np.asarray(values, float)
        return np.mean([of_unit(values[self.units == unit]) for unit in set(self.units)])

    def records_like(self, i):
        return np.array(
            [
                all(same(self.values(n)[i], self.values(n)[j]) for n in self.known)
                for j in range(self.n)
            ]
        )

    @cached
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
            own, alike = self.units == self.units[i], self.records_like(i)
            chance = np.mean(own[near])
            if apart == 0:
                covered = max(self.people_covered(j) for j in near)
                mine = np.flatnonzero(alike & own)
                theirs = sum(self.chance_that_theirs(m) for m in mine if m not in near)
                found = min(len(mine), sum(own[near]) + theirs)
                chance = max(chance, found / max(len(near), sum(alike), covered))
            chances.append(chance)
        return 100 * self.over_units(chances, np.max)

    @cached_property
    def unmasked(self):
        """All that is neither known nor masked; nothing where any of it has changed."""
        released = (a.name for a in self.masked.schema if a.role.is_released)
        names = [name for name in released if name not in self.known]
        wide = any(self.is_wide(j, name) for j in range(self.n) for name in self.known)
        changed = any(not np.array_equal(self.masked[n], self.people[n]) for n in names)
        return [] if wide or changed or self.masked.suppressed.any() else names

    def same_rest(self, i, j):
        return all(self.people[name][i] == self.people[name][j] for name in self.unmasked)

    @cached_property
    def moved(self):
        """Whether a record elsewhere has the same rest, and the chance of that, by person."""
        found = {}
        for i in range(self.n):
            near, apart = self.nearest(i, self.known)
            if apart == 0 and i not in near:
                same = np.mean([self.same_rest(i, j) for j in range(self.n)])
                chance = 1 - (1 - same) ** len(near)
                found[i] = any(self.same_rest(i, j) for j in near), chance
        return found

    def chance_that_theirs(self, i):
        """That a record with everything that is known of a person elsewhere is the person's."""
        if not self.unmasked:
            return 1.0
        share, chance = np.mean([*self.moved.values()], axis=0)
        if not self.moved[i][0]:
            return 0.0
        beyond = share - chance + 2 * np.sqrt(chance * (1 - chance) / len(self.moved))
        return 1.0 if beyond >= 1 - chance else np.clip(beyond / (1 - chance) / share, 0, 1)

    def agrees(self, i, j, name, tolerance):
        if not self.is_number(name):
            return self.category_distance(i, j, name) == 0
        gap = self.gap(i, j, name)
        spread = self.numbers(name) and np.std(self.numbers(name))
        return gap is not None and gap <= tolerance * spread

    def agreement(self, name):
        """People by records; of a number by the most informative tolerance."""
        everybody = range(self.n)
        tables = [
            np.array([[self.agrees(i, j, name, wide) for j in everybody] for i in everybody])
            for wide in ((1e-6, 0.01, 0.1) if self.is_number(name) else (0.0,))
        ]
        return max(tables, key=lambda one: divergence(one.diagonal().mean(), one.mean()))

    def linked_by_agreement(self):
        names = sorted(self.known, key=lambda name: not self.is_number(name))
        agree = np.stack([self.agreement(name) for name in names], axis=-1)
        people = np.arange(self.n)
        shares = [
            np.array([self.over_units(column) for column in one.T])
            for one in (agree[people, people], agree.mean(axis=1))
        ]
        with_own, with_any = (np.clip(share, 1e-6, 1 - 1e-6) for share in shares)
        worth = np.log(with_own / (1 - with_own)) - np.log(with_any / (1 - with_any))
        scores = agree @ worth
        near = scores >= scores.max(axis=1, keepdims=True) - 1e-7
        own = self.units[:, None] == self.units
        return 100 * self.over_units((near & own).sum(axis=1) / near.sum(axis=1), np.max)

    # attribute disclosure

    @cached
    def rank(self, name, value):
        values = self.original[name]
        if not self.is_ordered(name):
            values = values[~np.isnan(values)]
        if value != value:
            return np.nan
        return (np.sum(values < value) + np.sum(values <= value) + 1) / 2

    def is_close(self, first, second):
        """Whether two ranks are within a tenth of each other, or both missing."""
        if np.isnan(first) or np.isnan(second):
            return bool(np.isnan(first) and np.isnan(second))
        return abs(first - second) <= 0.1 * self.n

    @cached
    def are_alike(self, name, value, truth):
        """Whether one category passes for another."""
        if value == truth or not self.is_ordered(name) or self.missing(name) in (value, truth):
            return value == truth
        return self.is_close(self.rank(name, value), self.rank(name, truth))

    @cached
    def missing(self, name):
        attribute = self.original.attribute(name)
        return len(attribute.categories) - 1 if attribute.has_missing else None

    def middle_rank(self, ranks):
        known = [v for v in ranks if not np.isnan(v)]
        return np.median(known) if 2 * len(known) >= max(len(ranks), 1) else np.nan

    def likely(self, name, counts):
        """The categories that are inferred where each was found so often."""
        if not self.is_ordered(name):
            return np.flatnonzero(counts >= counts.max() - TIE * counts.sum()).tolist()
        known = np.delete(counts, [] if self.missing(name) is None else self.missing(name))
        if known.sum() < counts.sum() / 2 - TIE:
            return [self.missing(name)]
        return [int(np.flatnonzero(np.cumsum(known) >= known.sum() / 2 - TIE)[0])]

    def share_close(self, j, name, middle):
        """How much of a released number is within a tenth of the ranks of *middle*."""
        low, high = (self.rank(name, end) for end in self.ends(j, name))
        if np.isnan(middle) or not high > low:
            return float(self.is_close(low, middle))
        within = min(high, middle + 0.1 * self.n) - max(low, middle - 0.1 * self.n)
        return max(within, 0.0) / (high - low)

    def is_inferred(self, i, known, name):
        """How likely a value of a person is believed and right."""
        near, truth = self.nearest(i, known)[0], self.values(name)[i]
        if self.is_number(name):
            middle = self.middle_rank([self.rank(name, self.middle(j, name)) for j in near])
            agreeing = np.mean([self.share_close(j, name, middle) for j in near])
            return (agreeing >= SURE - TIE) * float(self.is_close(middle, self.rank(name, truth)))
        counts = sum(self.shares(j, name) for j in near)
        found, size = self.likely(name, counts), len(counts)
        agreeing = np.mean(
            [sum(counts[w] for w in range(size) if self.are_alike(name, v, w)) for v in found]
        ) / len(near)
        right = np.mean([self.are_alike(name, value, truth) for value in found])
        return (agreeing >= SURE - TIE) * right

    def inferred(self, known, name):
        """Percentage of people of whom a value is believed and right."""
        found = [self.is_inferred(i, known, name) for i in range(self.n_people)]
        return 100 * self.over_units(found)

    def guessed(self, name):
        """The same of the most usual value, where half of the people have it."""
        values = self.values(name)
        if self.is_number(name):
            ranks = [self.rank(name, value) for value in values]
            middle = self.middle_rank(ranks)
            right = [self.is_close(middle, rank) for rank in ranks]
        else:
            usual = self.likely(name, self.counts(name).astype(float))[0]
            right = [self.are_alike(name, usual, value) for value in values]
        share = 100 * self.over_units(right)
        return share if share >= 100 * SURE else 0.0


def in_ranks(original, masked, names):
    """Both tables with numbers replaced by their ranks among the original ones."""
    slow = SlowAttack(original, masked, names)
    before, after = original, masked
    for name in names:
        if original.attribute(name).is_categorical:
            continue
        low, high = (
            np.array([slow.rank(name, value) for value in end]) for end in masked.ends(name)
        )
        ranks = np.array([slow.rank(name, value) for value in original.values(name)])
        before = before.with_columns({name: ranks})
        cells = Intervals(tuple(map(str, range(len(masked)))), low, high)
        after = after.with_recoded(name, np.arange(len(masked)), cells)
    return before, after


def reidentification(original, masked, known, units=None):
    """Percentage of people whom the most successful linkage picks."""
    found = []
    for passing_over in (False, True):
        slow = SlowAttack(original, masked, known, units=units, passing_over=passing_over)
        has_whole = any(slow.is_whole(j, name) for j in range(slow.n) for name in known)
        if not passing_over or has_whole:
            found += [slow.linked_by_distance(), slow.linked_by_agreement()]
    if any(not original.attribute(name).is_categorical for name in known):
        ranked = SlowAttack(*in_ranks(original, masked, known), known, units=units)
        found.append(ranked.linked_by_distance())
    return max(found)


def disclosure(original, masked, control, tasks, units=(None, None)):
    """Mean percentage of inferred values beyond the control group, or beyond guessing.

    *units* has the units of the records of the original and of the control group.
    """
    return max(
        _disclosure(original, masked, control, tasks, units, passing_over=passing_over)
        for passing_over in (False, True)
    )


def _disclosure(original, masked, control, tasks, units, *, passing_over):
    names, (own, others) = original.schema.quasi_identifiers, units
    inside = SlowAttack(original, masked, names, units=own, passing_over=passing_over)
    outside = SlowAttack(
        original, masked, names, people=control, units=others, passing_over=passing_over
    )
    found, of_control, guesses = (
        np.mean([ask(known, name) for known, name in tasks])
        for ask in (inside.inferred, outside.inferred, lambda _, name: inside.guessed(name))
    )
    return max(0.0, found - max(of_control, guesses))


def same(a, b):
    """Whether two values are equal, or both missing."""
    return a == b or (np.isnan(a) and np.isnan(b))
