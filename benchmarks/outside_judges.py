"""Judges of masked files that share no code with evomask's own loss and risk.

Use: models of scikit-learn that learn from the masked file and are tested on original records
they have not seen, two-way tables by numpy, categories that are gone. Risk: the attacks of the
audit, which no search and no part of the risk knows, and nearest neighbours by scikit-learn.
All readings are in percent, lower is better.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.neighbors import NearestNeighbors

from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.measures.attacks.attack import AttackResult, PreparedAttack
from evomask.measures.attacks.audit import attacks_on
from outside_files import StudyFile

Array = NDArray[Any]

FOLDS = 3
"""Each third of the records is foretold by models that learned from the others."""

MOST_TARGETS = 8
LEAST_SKILL = 0.05
"""What the original itself hardly foretells is no test."""

FEWEST = 10
"""Records that a model needs to learn from."""

BINS = 5
COUNTED = 10
"""Bins of a number in tables, and the fewest records of a cell that is compared."""


def parts_of(table: Table, name: str, original: Table) -> Array:
    """For each record the share of every category that its cell may stand for.

    A suppressed cell has no share of any; of numbers, fifths of the original are the categories.
    """
    if table.attribute(name).is_categorical:
        leaves = table.recoding(name).leaves.astype(float)
        whole = leaves.all(axis=1) & (leaves.shape[1] > 1)
        shares = np.where(whole[:, None], 0.0, leaves / leaves.sum(axis=1, keepdims=True))
        parts: Array = shares[table[name]]
    else:
        parts = _fifths(*table.ends(name), original.values(name))
    return np.where(table.suppressed[:, None], 0.0, parts)


def _fifths(low: Array, high: Array, values: Array) -> Array:
    """Shares of intervals in the fifths of the original, evenly over their length."""
    cuts = np.unique(np.nanquantile(values, np.arange(1, BINS) / BINS))
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    point = np.digitize(low, cuts)
    parts = np.eye(len(cuts) + 1)[np.minimum(point, len(cuts))]
    wide = np.flatnonzero(high > low)
    inside = np.minimum(high[wide, None], ends[1:]) - np.maximum(low[wide, None], ends[:-1])
    parts[wide] = np.maximum(inside, 0.0) / (high - low)[wide, None]
    gone = np.isnan(low) | ((low <= np.nanmin(values)) & (high >= np.nanmax(values)))
    return np.where(gone[:, None], 0.0, parts)


def features_of(table: Table, names: tuple[str, ...], original: Table) -> Array:
    """Records as models see them: numbers standardized, categories as shares."""
    columns = []
    for name in names:
        if table.attribute(name).is_categorical:
            leaves = table.recoding(name).leaves.astype(float)
            columns.append((leaves / leaves.sum(axis=1, keepdims=True))[table[name]])
        else:
            values = original.values(name)
            numbers = np.nan_to_num(table.middles(name), nan=float(np.nanmedian(values)))
            columns.append(
                ((numbers - np.nanmean(values)) / max(np.nanstd(values), 1e-12))[:, None]
            )
    return np.hstack(columns)


def ranked(values: Array, original: Array) -> Array:
    """Places of values among the original's, from 0 to 1, ties at the middle; NaN stays."""
    ordered = np.sort(original[~np.isnan(original)])
    below, up_to = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return np.where(np.isnan(values), np.nan, (below + up_to) / 2 / len(ordered))


@dataclass(frozen=True, eq=False)
class Judges:
    """All outside judges, prepared for one file.

    Args:
        seed: of how records are split and trees are grown.
        by_ranks: whether models see and foretell the ranks of numbers, so that a few very large
            values do not decide how well they do.
    """

    file: StudyFile
    seed: int = 0
    by_ranks: bool = False

    def use(self, masked: Table) -> dict[str, float]:
        """Lost accuracy, error of tables, lost categories."""
        return {
            "accuracy": self.lost_accuracy(masked),
            "tables": self.table_error(masked),
            "categories": self.lost_categories(masked),
        }

    def risk(
        self, masked: Table, known: Mapping[str, AttackResult] | None = None
    ) -> dict[str, float]:
        """What the audit's attacks gain, by family, and linkage by nearest neighbours.

        Args:
            known: successes of the attacks, where the audit of a run has found them.
        """
        found = known or {name: strike(masked) for name, strike in self._strikes.items()}
        gains = {name: _gain(success) for name, success in found.items()}
        learned = [g for name, g in gains.items() if name.startswith("learned-")]
        linking = [g for name, g in gains.items() if not name.startswith(("learned-", "singling"))]
        families = {
            "linking": max(linking),
            "singling": gains["singling-out"],
            "learned": float(np.mean(learned)),
        }
        return {**families, "audit": max(families.values()), "nearest": self.linked(masked)}

    @cached_property
    def _folds(self) -> Array:
        return np.random.default_rng(self.seed).integers(FOLDS, size=len(self.file.table))

    @cached_property
    def targets(self) -> tuple[str, ...]:
        """The natural target, and quasi-identifiers to be foretold from the others."""
        names = self.file.names
        spread = [names[i * len(names) // MOST_TARGETS] for i in range(MOST_TARGETS)]
        natural = (self.file.target,) if self.file.target else ()
        return (*natural, *dict.fromkeys(spread))

    @cached_property
    def skills(self) -> Mapping[tuple[str, str], float]:
        """What models learn from the original, where that is something."""
        every = {(t, m): self._skill(self.file.table, t, m) for t in self.targets for m in MODELS}
        return {key: skill for key, skill in every.items() if skill >= LEAST_SKILL}

    def lost_accuracy(self, masked: Table) -> float:
        """The part of what models learn from the original that they do not learn any more.

        Below 0 where they learn more: averages of groups have less noise than records.
        """
        found = sum(self._skill(masked, target, model) for target, model in self.skills)
        return 100.0 * (1.0 - found / sum(self.skills.values()))

    def _skill(self, masked: Table, target: str, model: str) -> float:
        """How much better than the usual value a model foretells original records."""
        original = self.file.table
        told = self._foretold(masked, target, model)
        truth = self._labels(original, target)
        if not original.attribute(target).is_categorical:
            return max(0.0, float(r2_score(truth, told)))
        usual = float(np.mean(truth == np.bincount(truth.astype(int)).argmax()))
        right = float(accuracy_score(truth, told))
        return max(0.0, (right - usual) / max(1.0 - usual, 1e-9))

    def _foretold(self, masked: Table, target: str, model: str) -> Array:
        """Each original record's value, by a model of the masked records in other folds."""
        original = self.file.table
        known = tuple(n for n in self.file.names if n != target)
        wanted, truth = (self._labels(table, target) for table in (masked, original))
        learnt_from, asked = (self._features(table, known) for table in (masked, original))
        is_number = not original.attribute(target).is_categorical
        told = np.full(
            len(truth), np.mean(truth) if is_number else np.bincount(truth.astype(int)).argmax()
        )
        for fold in range(FOLDS):
            test = self._folds == fold
            train = ~test & ~masked.suppressed & ~np.isnan(wanted)
            if train.sum() >= FEWEST and len(np.unique(wanted[train])) > 1:
                model_of_kind = MODELS[model][is_number](self.seed)
                fitted = model_of_kind.fit(learnt_from[train], wanted[train])
                told[test] = fitted.predict(asked[test])
        return told

    def _labels(self, table: Table, name: str) -> Array:
        labels = _labels(table, name)
        if not self.by_ranks or table.attribute(name).is_categorical:
            return labels
        return ranked(labels, self.file.table.values(name))

    def _features(self, table: Table, names: tuple[str, ...]) -> Array:
        original = self.file.table
        if not self.by_ranks:
            return features_of(table, names, original)
        return np.hstack([self._ranked_feature(table, name) for name in names])

    def _ranked_feature(self, table: Table, name: str) -> Array:
        """A category as shares, a number as its rank on a scale with deviation 1."""
        original = self.file.table
        if table.attribute(name).is_categorical:
            return features_of(table, (name,), original)
        values = original.values(name)
        numbers = np.nan_to_num(table.middles(name), nan=float(np.nanmedian(values)))
        feature: Array = (ranked(numbers, values)[:, None] - 0.5) * np.sqrt(12.0)
        return feature

    def table_error(self, masked: Table) -> float:
        """Mean relative difference of the cells of all two-way tables, at most 100 % each."""
        names, original = self.file.names, self.file.table
        before, after = (
            [parts_of(table, name, original) for name in names] for table in (original, masked)
        )
        errors = [
            _cell_errors(before[a].T @ before[b], after[a].T @ after[b])
            for a, b in combinations(range(len(names)), 2)
        ]
        return 100.0 * float(np.mean([error.mean() for error in errors if len(error)]))

    def lost_categories(self, masked: Table) -> float:
        """Categories (of numbers: fifths) of the original that no record surely has any more."""
        original, shares = self.file.table, []
        for name in self.file.names:
            had = (parts_of(original, name, original) == 1.0).any(axis=0)
            has = (parts_of(masked, name, original) == 1.0).any(axis=0)
            shares.append(float(np.mean(~has[had])))
        return 100.0 * float(np.mean(shares))

    @cached_property
    def _strikes(self) -> Mapping[str, PreparedAttack]:
        original = self.file.table
        attacks = attacks_on(original, original)
        return {attack.about.name: attack.against(original) for attack in attacks}

    def linked(self, masked: Table) -> float:
        """People whose own record is the nearest, ties shared; numbers scaled, categories 0/1."""
        original = self.file.table
        people = _scaled(original, self.file.names, original)
        records = _scaled(masked, self.file.names, original)
        distinct, labels, counts = np.unique(
            np.round(records, 9), axis=0, return_inverse=True, return_counts=True
        )
        near = NearestNeighbors(n_neighbors=1).fit(distinct)
        apart, _ = near.kneighbors(people)
        own = np.linalg.norm(people - distinct[labels.ravel()], axis=1)
        ties = _ties(people, distinct, counts, apart[:, 0])
        right = own <= apart[:, 0] + 1e-9
        return 100.0 * float(np.mean(np.where(right, 1.0 / ties, 0.0)))


def _labels(table: Table, name: str) -> Array:
    """What a model learns to foretell: a set by one of its categories, NaN where suppressed."""
    if not table.attribute(name).is_categorical:
        low, high = table.ends(name)
        return np.where(low == high, low, table.middles(name))
    leaves = table.recoding(name).leaves
    rng = np.random.default_rng(1)
    draws = rng.random((len(table), leaves.shape[1]))
    cells = leaves[table[name]]
    chosen = np.where(cells, draws, -1.0).argmax(axis=1).astype(float)
    return np.where(cells.all(axis=1) & (leaves.shape[1] > 1), np.nan, chosen)


def _trees(kind: Any) -> Callable[[int], Any]:
    return lambda seed: kind(n_estimators=25, min_samples_leaf=3, random_state=seed)


MODELS: Mapping[str, tuple[Callable[[int], Any], Callable[[int], Any]]] = {
    "trees": (_trees(ExtraTreesClassifier), _trees(ExtraTreesRegressor)),
    "lines": (lambda _: RidgeClassifier(), lambda _: Ridge()),
}
"""How each model foretells categories, and numbers."""


def _cell_errors(before: Array, after: Array) -> Array:
    counted = before >= COUNTED
    errors: Array = np.minimum(1.0, np.abs(after - before)[counted] / before[counted])
    return errors


def _gain(success: AttackResult) -> float:
    """What an attack gets beyond its baseline, as a share of what that leaves open."""
    return 100.0 * max(0.0, (success.value - success.baseline) / (100.0 - success.baseline))


def _scaled(table: Table, names: tuple[str, ...], original: Table) -> Array:
    """Features in which two categories are 1 apart, and ordered ones by their places."""
    columns = []
    for name in names:
        attribute = table.attribute(name)
        if attribute.kind is Kind.NOMINAL:
            columns.append(features_of(table, (name,), original) / np.sqrt(2.0))
        elif attribute.kind is Kind.ORDINAL:
            places = np.nan_to_num(table.middles(name), nan=attribute.domain_size / 2)
            columns.append(places[:, None] / max(1, attribute.domain_size - 1))
        else:
            columns.append(features_of(table, (name,), original))
    return np.hstack(columns)


def _ties(people: Array, distinct: Array, counts: Array, apart: Array) -> Array:
    """How many records are as near to each person as the nearest."""
    ties = np.empty(len(people))
    norms = (distinct**2).sum(axis=1)
    for start in range(0, len(people), 500):
        some = slice(start, start + 500)
        squared = norms - 2.0 * people[some] @ distinct.T + (people[some] ** 2).sum(1)[:, None]
        near = np.sqrt(np.maximum(squared, 0.0)) <= apart[some, None] + 1e-6
        ties[some] = near @ counts
    return np.maximum(ties, 1.0)
