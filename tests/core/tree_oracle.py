"""Exhaustive split search, written for clarity: what the grower must find, node by node."""

from __future__ import annotations

from itertools import combinations
from math import log2

import numpy as np


def impurity(criterion, y, w, n_classes):
    """Impurity times weight of a set of rows."""
    total = w.sum()
    if total <= 0:
        return 0.0
    if criterion == "squared_error":
        mean = (w * y).sum() / total
        return (w * (y - mean) ** 2).sum()
    counts = np.bincount(y, weights=w, minlength=n_classes)
    if criterion == "gini":
        return total - (counts**2).sum() / total
    if criterion == "error":
        return total - counts.max()
    return -sum(c * log2(c / total) for c in counts if c > 0)


class Oracle:
    def __init__(self, rows, y, n_classes, criterion, nominal_split, missing, min_leaf, weight=None):
        self.weight = np.ones(len(y)) if weight is None else weight
        self.rows, self.y, self.n_classes = rows, y, n_classes
        self.criterion, self.nominal_split, self.missing, self.min_leaf = criterion, nominal_split, missing, min_leaf
        self.p = rows.numeric.shape[1]

    def counts(self, at, w):
        """How much of each row is at a node, whatever it weighs: what minimums are about."""
        return w / self.weight[at]

    def column(self, feature, at):
        """Values of a feature at the rows; missing ones are NaN."""
        if feature < self.p:
            return self.rows.numeric[at, feature]
        codes = self.rows.codes[at, feature - self.p].astype(float)
        return np.where(codes < 0, np.nan, codes)

    def gain(self, at, w, branch):
        """Gain and worth of a division; ``branch`` is -1 for rows spread over the branches."""
        known = branch >= 0
        parts = [known & (branch == b) for b in np.unique(branch[known])]
        if self.criterion == "gain_ratio" or self.criterion == "gain":
            kind = "entropy"
        else:
            kind = self.criterion
        y = self.y[at]
        loss = impurity(kind, y[known], w[known], self.n_classes)
        gain = loss - sum(impurity(kind, y[part], w[part], self.n_classes) for part in parts)
        gain = max(gain, 0.0) / w.sum()
        if self.criterion != "gain_ratio":
            return gain, gain
        shares = [w[part].sum() / w.sum() for part in [*parts, ~known]]
        info = -sum(s * log2(s) for s in shares if s > 0)
        return gain, gain / info if info > 1e-12 else 0.0

    def divisions(self, feature, at):
        """Every division a feature allows, unknown rows where the policy puts them."""
        values = self.column(feature, at)
        unknown = np.isnan(values)
        for branch, count in self._known_divisions(feature, values[~unknown]):
            full = np.full(len(at), -1)
            full[~unknown] = branch
            if not unknown.any() or self.missing == "fractional":
                yield full
            elif self.missing == "own_branch":
                yield np.where(unknown, count, full)
            else:
                for b in range(count):
                    yield np.where(unknown, b, full)
        alone = feature < self.p or self.nominal_split == "subset"
        if alone and self.missing == "learned" and unknown.any() and not unknown.all():
            yield np.where(unknown, 1, 0)

    def _known_divisions(self, feature, values):
        distinct = np.unique(values)
        if feature < self.p:
            for low in distinct[:-1]:
                yield (values > low).astype(int), 2
        elif self.nominal_split == "multiway":
            if len(distinct) > 1 or (self.missing == "own_branch" and len(distinct)):
                yield np.searchsorted(distinct, values), len(distinct)
        else:
            for size in range(1, len(distinct) // 2 + 1):
                for chosen in combinations(distinct, size):
                    yield np.isin(values, chosen).astype(int), 2

    def admissible(self, feature, counts, branch):
        sizes = np.array([counts[branch == b].sum() for b in np.unique(branch[branch >= 0])])
        enough = sizes >= self.min_leaf - 1e-9
        if feature >= self.p and self.nominal_split == "multiway":
            return enough.sum() >= 2
        if self.missing == "own_branch":  # the branch of the missing ones may be small
            return len(sizes) >= 2 and enough[:2].all()
        return len(sizes) >= 2 and enough.all()

    def names_the_rows(self, feature, at, counts):
        """Whether too many categories for the rows keep a feature out of subset tests."""
        if feature < self.p or self.nominal_split != "subset":
            return False
        values = self.column(feature, at)
        known = ~np.isnan(values)
        return len(np.unique(values[known])) > max(2, counts[known].sum() / 2 + 1e-9)

    def best(self, at, w):
        """Best gain of each feature at a node, and its worth; of equal gains the least worth."""
        result, counts = {}, self.counts(at, w)
        for feature in range(self.p + self.rows.codes.shape[1]):
            if self.names_the_rows(feature, at, counts):
                continue
            found = [self.gain(at, w, b) for b in self.divisions(feature, at) if self.admissible(feature, counts, b)]
            if found:
                most = max(gain for gain, _ in found)
                result[feature] = most, min(worth for gain, worth in found if gain >= most - 1e-9)
        return result
