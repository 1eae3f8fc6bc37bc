"""What the rows of a service are like: predictions, missing and unknown values, distance from the training rows."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix, Feature
from vaglio.fitted import Fitted
from vaglio.fitted.one_row import OneRow
from vaglio.fitted.predicted_numbers import PredictedNumbers
from vaglio.learners.provenance import Shares, shares_from
from vaglio.serve.counters import Counters
from vaglio.table import Table

__all__ = ["KINDS", "ColumnDrift", "Monitor", "Seen", "column_drift", "prediction_drift"]

# Rows of a window below which nothing is said.
FEWEST_ROWS = 50
# What can be said of a value: the word in the names of counters.
KINDS = ("missing", "unseen", "outside")
# Rows of half a window: drift is told of the last one to two thousand.
HALF = 1000


@dataclass(frozen=True)
class ColumnDrift:
    """How far one column is from training.

    Attributes
    ----------
    measure : {"ks", "psi"}
        Kolmogorov and Smirnov's distance for numbers, taken at the ends of the bins of the training rows, or the
        population stability index for categories.
    value : float
    severity : {"medium", "high"} or None
        As the audit would call it; None if it would not mention it.
    """

    measure: str
    value: float
    severity: str | None


def column_drift(shares: Shares | None, bins: list[int], columns: int = 1) -> ColumnDrift | None:
    """Return how far the values of a window are from those of training; None if too little is known.

    Parameters
    ----------
    shares : Shares or None
        Of training.
    bins : list of int
        Rows of the window per bin or category, and behind them those of unknown categories.
    columns : int, default=1
        How many columns are watched.
    """
    # Imported late, and by a thread: the audit and what it needs take longer to import than all the rest of a server.
    from scipy.special import kolmogorov

    from vaglio.quality.checks.drift import population_stability, severity_of_shares, severity_of_shift

    seen = sum(bins)
    if shares is None or seen < FEWEST_ROWS or not sum(shares.counts):
        return None
    if shares.edges or math.isfinite(shares.low):
        before, now = np.array(shares.counts, dtype=float), np.array(bins[:-1], dtype=float)
        if not now.sum():
            return None
        n, m = before.sum(), now.sum()
        distance = float(np.abs(np.cumsum(before) / n - np.cumsum(now) / m).max())
        p = float(kolmogorov(math.sqrt(n * m / (n + m)) * distance))
        return ColumnDrift("ks", distance, severity_of_shift(distance, p, int(n), int(m), columns))
    before = np.array([*shares.counts, 0], dtype=float)
    now = np.array(bins, dtype=float)
    used = (before > 0) | (now > 0)
    stability = population_stability(before[used], now[used])
    return ColumnDrift("psi", stability, severity_of_shares(stability, before, now, columns))


def prediction_drift(known: PredictedNumbers | None, bins: list[int]) -> ColumnDrift | None:
    """Return how far the predictions of a window are from those of the evaluation; None if too little is known.

    Parameters
    ----------
    known : PredictedNumbers or None
    bins : list of int
        Rows of the window per bin.
    """
    if known is None:
        return None
    found = [column_drift(Shares(rows, known.edges), [*bins, 0]) for rows in known.references]
    return min((drift for drift in found if drift is not None), key=lambda drift: drift.value, default=None)


@dataclass
class Seen:
    """What was seen in some rows.

    Attributes
    ----------
    classes : Counter
        Rows per predicted class; for a model of numbers, all rows under the empty text.
    values : Counter
        (kind, column) -> values.
    rows : Counter
        Kind -> rows that have such a value.
    bins : list of arrays
        Per feature the rows per bin or category; the last is for unknown categories. Behind them the predicted numbers
        per bin.
    """

    bins: list[np.ndarray]
    classes: Counter[Any] = field(default_factory=Counter)
    values: Counter[tuple[str, str]] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)


class _Watched:
    """One feature: where its value stands, and what is known of its values."""

    def __init__(self, feature: Feature, place: int, shares: Shares | None) -> None:
        self.name, self.place, self.nominal = feature.column, place, feature.is_nominal
        self.word = feature.word is not None
        self.edges = [] if shares is None else list(shares.edges)
        self.low, self.high = (-np.inf, np.inf) if shares is None or self.nominal else (shares.low, shares.high)
        self.size = 0 if shares is None else len(shares.counts)


class Monitor:
    """Looks at the rows of one model and at its answers.

    Parameters
    ----------
    name : str
        Of the model.
    counters : Counters
        Where it counts.
    fitted : Fitted
    """

    def __init__(self, name: str, counters: Counters, fitted: Fitted) -> None:
        self.name, self.counters = name, counters
        self.classless = fitted.classes is None
        features = fitted.codebook.features
        training = fitted.provenance.get("training")
        state = training.get("shares") if isinstance(training, dict) else None
        self.shares = shares_from(state, features)
        self.features = features
        blocks = [0, 0]
        self.watched: list[_Watched] = []
        for feature, shares in zip(features, self.shares):
            self.watched.append(_Watched(feature, blocks[feature.is_nominal], shares))
            blocks[feature.is_nominal] += feature.kind != "text"
        self.predicted = fitted.predicted_numbers
        self.sizes = [each.size + 1 for each in self.watched]
        self.sizes += [] if self.predicted is None else [len(self.predicted.edges) + 1]
        self.window, self.earlier = ([[0] * size for size in self.sizes] for _ in range(2))
        self.n_window = self.n_earlier = 0
        self.text = {j for j, feature in enumerate(features) if feature.kind == "text"}

    # -- one row -------------------------------------------------------------------------------------------------------
    def see_row(self, one: OneRow, row: dict[str, Any], label: Any) -> None:
        """Count one row and the answer to it; in the thread of the server only.

        Parameters
        ----------
        one : OneRow
        row : dict
        label : object
        """
        codebook = one.fitted.codebook
        given = row if codebook.named else [row[name] for name in codebook.names]
        blocks = None if one.reader is None else one.reader.encode(given)
        if blocks is None:
            table = Table.from_any({name: [row[name]] for name in codebook.names})
            seen = self.nothing()
            self.examine(seen, table, codebook.encode(table), [label])
            self.add(seen)
            return
        self.counters.add("vaglio_predictions_total", 1, self.name, "" if self.classless else str(label))
        if self.predicted is not None:
            self.window[-1][bisect_left(self.predicted.edges, float(label))] += 1
        numbers, codes = blocks[0][0].tolist(), blocks[1][0].tolist()
        found: set[str] = set()
        for watched, bins in zip(self.watched, self.window):
            if watched.nominal:
                code = codes[watched.place]
                if code >= 0:
                    if watched.size:
                        bins[code] += 1
                    continue
                lost = True
            else:
                value = numbers[watched.place]
                lost = value != value
                if not lost:
                    if watched.size:
                        bins[bisect_left(watched.edges, value)] += 1
                    if watched.low <= value <= watched.high:
                        continue
            kind = "outside" if not lost else "missing" if row[watched.name] is None else "unseen"
            if kind == "unseen":
                bins[-1] += 1
            found.add(kind)
            self.counters.add(f"vaglio_{kind}_values_total", 1, self.name, watched.name)
        for kind in found:
            self.counters.add(f"vaglio_rows_with_{kind}_values_total", 1, self.name)
        self._turn(1)

    # -- many rows -----------------------------------------------------------------------------------------------------
    def nothing(self) -> Seen:
        """Return an empty record."""
        return Seen([np.zeros(size, dtype=np.int64) for size in self.sizes])

    def examine(self, seen: Seen, table: Table, matrix: EncodedMatrix, labels: list[Any]) -> None:
        """Add what some rows are like to a record; in any thread.

        Parameters
        ----------
        seen : Seen
        table : Table
            The rows as they came.
        matrix : EncodedMatrix
            The same rows, encoded.
        labels : list
            What the model says of them.
        """
        if self.classless:
            seen.classes[""] += len(labels)
        else:
            seen.classes.update(labels)
        if self.predicted is not None:
            seen.bins[-1] += self.predicted.count(np.array(labels, dtype=np.float64))
        if matrix.sparse is not None:
            return
        flags = {kind: np.zeros(len(matrix), dtype=bool) for kind in KINDS}
        for j, (watched, bins) in enumerate(zip(self.watched, seen.bins)):
            if j in self.text:
                continue
            absent = table.column(watched.name).missing if watched.name in table else np.zeros(len(matrix), bool)
            if watched.nominal:
                codes = matrix.codes[:, watched.place]
                lost, place, outside = codes < 0, codes, np.zeros(len(matrix), dtype=bool)
            else:
                values = matrix.numeric[:, watched.place]
                lost = np.isnan(values)
                place = np.searchsorted(watched.edges, values) if watched.size else np.zeros(len(matrix), np.int64)
                outside = ~lost & ((values < watched.low) | (values > watched.high))
            if watched.size:
                bins[:-1] += np.bincount(place[~lost], minlength=watched.size)[: watched.size]
            found = {"missing": lost & absent, "unseen": lost & ~absent, "outside": outside}
            bins[-1] += int(found["unseen"].sum())
            for kind, rows in found.items():
                if rows.any():
                    seen.values[kind, watched.name] += int(rows.sum())
                    flags[kind] |= rows
        for kind, rows in flags.items():
            seen.rows[kind] += int(rows.sum())

    def add(self, seen: Seen) -> None:
        """Count what was seen; in the thread of the server only.

        Parameters
        ----------
        seen : Seen
        """
        add, model = self.counters.add, self.name
        for label, count in seen.classes.items():
            add("vaglio_predictions_total", count, model, str(label))
        for (kind, column), count in seen.values.items():
            add(f"vaglio_{kind}_values_total", count, model, column)
        for kind, count in seen.rows.items():
            if count:
                add(f"vaglio_rows_with_{kind}_values_total", count, model)
        for bins, more in zip(self.window, seen.bins):
            for at in np.flatnonzero(more).tolist():
                bins[at] += int(more[at])
        self._turn(seen.classes.total())

    def _turn(self, rows: int) -> None:
        """Count rows of the window; when half of it is full, forget the half before it."""
        self.n_window += rows
        if self.n_window >= HALF:
            self.earlier, self.n_earlier = self.window, self.n_window
            self.window = [[0] * len(bins) for bins in self.earlier]
            self.n_window = 0

    def recent(self) -> tuple[int, list[list[int]]]:
        """Return how many rows the window holds, and their counts per bin: of each feature, then of the predictions."""
        both = [[a + b for a, b in zip(now, before)] for now, before in zip(self.window, self.earlier)]
        return self.n_window + self.n_earlier, both
