"""Judges of masked files that share no code with the loss and the risk of evomask.

Loss: models of scikit-learn that learn from the masked file and are tested on original records,
the overlap of confidence intervals of regressions, the error of propensity scores, three-way
tables. Risk: linkage by nearest neighbours and by weights of agreement, inference by boosted trees
and membership by distance, the last two against people who are not in the release. Lower is better
everywhere. Models and tables read a generalized or suppressed cell as one of the values that it
covers, drawn by their frequency in the original; distances take the share of each category and the
median of an interval; weights take a value that is covered as one that agrees.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.neighbors import NearestNeighbors

from evomask.data.recoding import CategorySets
from evomask.data.table import Table
from outside_files import Names, StudyFile

Array = NDArray[Any]

TREES = {"max_iter": 30, "max_leaf_nodes": 15}
TABLES, BINS = 60, 8
WINDOW = 0.1
"""A number is inferred where its rank is met within this share."""

MOST_LINKED = 300
"""People who are linked by weights."""

MOST_INFERRED = 2
"""Quasi-identifiers that the boosted attacker infers besides the confidential attribute."""


@dataclass(frozen=True, eq=False)
class Judges:
    """All outside judges, prepared for one file."""

    file: StudyFile
    seed: int = 0

    def loss(self, masked: Table) -> dict[str, float]:
        """Five judges of the information that is lost."""
        masked = self.single_values(masked)
        linear, boosted = self._skills(masked)
        return {
            "linear": 1.0 - linear,
            "boosted": 1.0 - boosted,
            "intervals": 1.0 - self._overlap(masked),
            "propensity": self._propensity_error(masked),
            "tables": self._table_error(masked),
        }

    def risk(self, masked: Table) -> dict[str, float]:
        """Four judges of the risk for people in the release, in percent."""
        reached, apart = self._nearest(masked)
        return {
            "nearest": 100.0 * reached,
            "weights": 100.0 * self._linked_by_weights(masked),
            "inference": self._gain_of_inference(self.single_values(masked)),
            "membership": 100.0 * apart,
        }

    # features

    def single_values(self, masked: Table) -> Table:
        """A value that each generalized cell covers, drawn by its frequency in the original."""
        rng = np.random.default_rng(self.seed + 4)
        drawn = {}
        for name in masked.recodings:
            original = self.file.table[name]
            drawn[name] = np.array(original)
            for records, covered in self._cells(masked, name):
                values = original[covered] if covered.any() else original
                drawn[name][records] = rng.choice(values, int(records.sum()))
        return masked.with_columns(drawn)

    def _cells(self, masked: Table, name: str) -> Iterator[tuple[Array, Array]]:
        """Records of each cell of a generalized column, and original records that it covers."""
        for code in np.unique(masked[name]):
            yield masked[name] == code, self._covers(masked, name, int(code))

    def _covers(self, masked: Table, name: str, code: int) -> Array:
        """Which original records have a value that a cell covers."""
        original = self.file.table[name]
        recoding = masked.recodings[name]
        if isinstance(recoding, CategorySets):
            inside: Array = recoding.leaves[code][original]
            return inside
        within: Array = (recoding.low[code] <= original) & (original <= recoding.high[code])
        return within

    @cached_property
    def _scales(self) -> dict[str, Array]:
        table = self.file.table
        numbers = (n for n in table.schema.names if not table.attribute(n).is_categorical)
        return {n: np.sort(table.values(n)) for n in numbers}

    def _column(self, table: Table, name: str) -> Array:
        """Codes of a categorical attribute; of a number its rank among the original values."""
        if name not in self._scales:
            return table.codes(name).astype(float)
        scale, values = self._scales[name], table.values(name)
        below, up_to = (np.searchsorted(scale, values, side) for side in ("left", "right"))
        return (below + up_to) / 2 / len(scale)

    def _plain(self, table: Table, names: Names) -> Array:
        return np.column_stack([self._column(table, n) for n in names])

    def _dummies(self, table: Table, names: Names) -> Array:
        """Ranks of numbers, and a column for every category but the first."""
        columns = []
        for name in names:
            column = self._column(table, name)
            if name in self._scales:
                columns.append(column[:, None])
            else:
                size = self.file.table.attribute(name).domain_size
                columns.append((column[:, None] == np.arange(1, size)).astype(float))
        return np.hstack(columns)

    def _wanted(self, name: str) -> tuple[Array, bool]:
        """What analysts predict: a rank, or whether the most usual category holds."""
        column = self._column(self.file.table, name)
        if name in self._scales:
            return column, True
        return (column == np.bincount(column.astype(int)).argmax()).astype(int), False

    @cached_property
    def _train(self) -> Array:
        return np.random.default_rng(self.seed).random(len(self.file.table)) < 0.5

    # loss

    def _skills(self, masked: Table) -> tuple[float, float]:
        """Mean skill of linear models and of boosted trees on original records held back."""
        names, train = self.file.names, self._train
        found: tuple[list[float], list[float]] = ([], [])
        for target in self.file.targets:
            wanted, is_number = self._wanted(target)
            for skills, features, model in (
                (found[0], self._dummies, self._linear(is_number)),
                (found[1], self._plain, self._boosted(is_number)),
            ):
                fitted = model.fit(features(masked, names)[train], wanted[train])
                asked = features(self.file.table, names)[~train]
                if is_number:
                    skill = max(-1.0, r2_score(wanted[~train], fitted.predict(asked)))
                else:
                    chances = fitted.predict_proba(asked)[:, 1]
                    skill = 2.0 * roc_auc_score(wanted[~train], chances) - 1.0
                skills.append(float(skill))
        return float(np.mean(found[0])), float(np.mean(found[1]))

    def _linear(self, is_number: bool) -> Any:
        return LinearRegression() if is_number else LogisticRegression(max_iter=200)

    def _boosted(self, is_number: bool) -> Any:
        kind = HistGradientBoostingRegressor if is_number else HistGradientBoostingClassifier
        return kind(random_state=self.seed, **TREES)

    def _overlap(self, masked: Table) -> float:
        """Overlap of confidence intervals of regressions (Karr et al., 2006), at least -1."""
        shares = []
        for target in self.file.targets[:2]:
            wanted, _ = self._wanted(target)
            (b0, s0), (b1, s1) = (
                _regression(self._dummies(table, self.file.names), wanted)
                for table in (self.file.table, masked)
            )
            common = np.minimum(b0 + 2 * s0, b1 + 2 * s1) - np.maximum(b0 - 2 * s0, b1 - 2 * s1)
            overlap = 0.5 * (common / (4 * s0) + common / (4 * s1))
            shares.append(np.mean(np.clip(overlap, -1.0, 1.0)[1:]))
        return float(np.mean(shares))

    def _propensity_error(self, masked: Table) -> float:
        """Mean squared error of propensity scores of held back records (Woo et al., 2009)."""
        names = masked.schema.names
        both = np.vstack([self._plain(self.file.table, names), self._plain(masked, names)])
        is_masked = np.repeat([0, 1], len(masked))
        train = np.random.default_rng(self.seed + 1).random(len(both)) < 0.5
        fitted = self._boosted(is_number=False).fit(both[train], is_masked[train])
        return float(np.mean((fitted.predict_proba(both[~train])[:, 1] - 0.5) ** 2))

    @cached_property
    def _triples(self) -> list[Names]:
        names, rng = self.file.table.schema.names, np.random.default_rng(self.seed + 2)
        drawn = (tuple(rng.choice(names, 3, replace=False).tolist()) for _ in range(TABLES))
        return [triple for triple in drawn if set(triple) & set(self.file.names)]

    def _table_error(self, masked: Table) -> float:
        """Mean total variation distance of three-way tables."""
        files = [
            {name: self._binned(table, name) for name in table.schema.names}
            for table in (self.file.table, masked)
        ]
        return float(
            np.mean([_distance(*([f[n] for n in t] for f in files)) for t in self._triples])
        )

    def _binned(self, table: Table, name: str) -> Array:
        column: Array = self._column(table, name)
        if name in self._scales:
            bins: Array = np.minimum((column * BINS).astype(int), BINS - 1)
            return bins
        codes: Array = column.astype(int)
        return codes

    # risk

    def _nearest(self, masked: Table) -> tuple[float, float]:
        """Chance that the nearest record is one's own, and how well distances show members.

        The second is the area under the receiver operating characteristic.
        """
        released, inside, outside = (
            self._compared(table) for table in (masked, self.file.table, self.file.others)
        )
        rows, own, sizes = np.unique(released, axis=0, return_inverse=True, return_counts=True)
        count = min(30, len(rows))
        search = NearestNeighbors(n_neighbors=count).fit(rows)
        apart, places = search.kneighbors(inside)
        ties = apart <= apart[:, :1] + 1e-9
        is_own = places == own.ravel()[:, None]
        right = (ties & is_own).any(axis=1) / (ties * sizes[places]).sum(axis=1)
        distances, _ = search.kneighbors(outside, n_neighbors=1)
        is_member = np.repeat([1, 0], [len(inside), len(outside)])
        far = np.concatenate([apart[:, 0], distances[:, 0]])
        return float(right.mean()), float(roc_auc_score(is_member, -far))

    def _linked_by_weights(self, masked: Table) -> float:
        """Chance that the record of highest weight is one's own (Fellegi and Sunter, 1969).

        The intruder knows how often masking leaves each attribute as it was, so that a column
        that tells nothing any more does not count, and numbers that are mostly as they were must
        be equal.
        """
        size = len(self.file.table)
        chosen = np.random.default_rng(self.seed + 3).permutation(size)[:MOST_LINKED]
        everybody = np.arange(size)
        agreeing, kept = [], []
        for name in self.file.names:
            agrees = self._agreement(masked, name)
            agreeing.append(agrees(chosen[:, None], everybody[None]))
            kept.append(np.mean(agrees(everybody, everybody)))
        agree = np.stack(agreeing, axis=-1)
        m, u = (np.clip(share, 1e-6, 1 - 1e-6) for share in (kept, agree.mean(axis=(0, 1))))
        scores = agree @ np.log(m * (1 - u) / (u * (1 - m)))
        best = scores >= scores.max(axis=1, keepdims=True) - 1e-9
        return float(np.mean(best[np.arange(len(chosen)), chosen] / best.sum(axis=1)))

    def _agreement(self, masked: Table, name: str) -> Callable[[Array, Array], Array]:
        """Whether original records, by place, agree with masked records in an attribute."""
        if name in masked.recodings:
            codes, places = np.unique(masked[name], return_inverse=True)
            covers = np.stack([self._covers(masked, name, int(code)) for code in codes])
            return lambda originals, released: covers[places[released], originals]
        before, after = (self._column(table, name) for table in (self.file.table, masked))
        is_left = np.mean(before == after) > 0.5
        close = WINDOW / 4 if name in self._scales and not is_left else 0.0
        return lambda originals, released: np.abs(before[originals] - after[released]) <= close

    def _compared(self, table: Table) -> Array:
        """Numbers standardized, categories so that two that differ are at a distance of one."""
        columns = []
        for name in self.file.names:
            if name in self._scales:
                scale = self._scales[name]
                values = (self._typical(table, name) - scale.mean()) / max(scale.std(), 1e-12)
                columns.append(values[:, None])
            else:
                columns.append(self._shares(table, name) * np.sqrt(0.5))
        return np.round(np.hstack(columns), 9)

    def _typical(self, table: Table, name: str) -> Array:
        """Numbers; of an interval the median of the original values that it covers."""
        if name not in table.recodings:
            return table.values(name)
        original, found = self.file.table.values(name), np.empty(len(table))
        for records, covered in self._cells(table, name):
            found[records] = np.median(original[covered] if covered.any() else original)
        return found

    def _shares(self, table: Table, name: str) -> Array:
        """Share of each category in a cell, by their frequency in the original."""
        size = self.file.table.attribute(name).domain_size
        if name not in table.recodings:
            single: Array = (table.codes(name)[:, None] == np.arange(size)).astype(float)
            return single
        original, found = self.file.table.codes(name), np.empty((len(table), size))
        for records, covered in self._cells(table, name):
            values = original[covered] if covered.any() else original
            found[records] = np.bincount(values, minlength=size)[:size] / len(values)
        return found

    def _gain_of_inference(self, masked: Table) -> float:
        """Success of boosted trees on members less that on others, in percentage points."""
        names = self.file.names
        known = {self.file.confidential: names}
        for name in names[:MOST_INFERRED]:
            known[name] = tuple(n for n in names if n != name)
        gains = []
        for unknown, features in known.items():
            is_number = unknown in self._scales
            wanted = self._column(masked, unknown)
            if len(np.unique(wanted)) < 2:
                gains.append(0.0)
                continue
            model = self._boosted(is_number).fit(self._plain(masked, features), wanted)
            inside, outside = (
                _right(
                    model.predict(self._plain(table, features)),
                    self._column(table, unknown),
                    is_number,
                )
                for table in (self.file.table, self.file.others)
            )
            gains.append(100.0 * (inside - outside))
        return float(np.mean(gains))


def _right(predicted: Array, truth: Array, is_number: bool) -> float:
    if is_number:
        return float(np.mean(np.abs(predicted - truth) <= WINDOW))
    return float(np.mean(predicted == truth))


def _regression(features: Array, wanted: Array) -> tuple[Array, Array]:
    """Coefficients of least squares and their standard errors."""
    design = np.column_stack([np.ones(len(wanted)), features])
    coefficients, *_ = np.linalg.lstsq(design, wanted, rcond=None)
    squares = ((wanted - design @ coefficients) ** 2).sum() / (len(wanted) - design.shape[1])
    variances = np.diag(np.linalg.pinv(design.T @ design)) * squares
    return coefficients, np.sqrt(np.maximum(variances, 1e-12))


def _distance(first: list[Array], second: list[Array]) -> float:
    """Total variation distance of two tables of counts."""
    sizes = [int(max(a.max(), b.max())) + 1 for a, b in zip(first, second, strict=True)]
    counts = [
        np.bincount(np.ravel_multi_index(tuple(codes), sizes), minlength=int(np.prod(sizes)))
        for codes in (first, second)
    ]
    return float(np.abs(counts[0] - counts[1]).sum() / 2 / len(first[0]))
