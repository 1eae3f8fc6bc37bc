"""Entropy, Gini index and error rate of class counts, from their definitions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vaglio.document.notation import Notation


def shares(counts: np.ndarray) -> np.ndarray:
    """Class shares along the last axis; zeros where there are no rows."""
    total = counts.sum(axis=-1, keepdims=True)
    found: np.ndarray = np.divide(counts, total, out=np.zeros(np.shape(counts), dtype=float), where=total > 0)
    return found


def entropy(counts: np.ndarray) -> np.ndarray:
    """−Σ p·log2 p, in bits.

    >>> round(float(entropy(np.array([9.0, 5.0]))), 4)
    0.9403
    """
    p = shares(np.asarray(counts, dtype=float))
    # + 0.0 turns -0.0 into 0.0.
    return np.asarray(-np.sum(p * np.log2(p, out=np.zeros_like(p), where=p > 0), axis=-1) + 0.0)


def gini(counts: np.ndarray) -> np.ndarray:
    """1 − Σ p².

    >>> round(float(gini(np.array([9.0, 5.0]))), 4)
    0.4592
    """
    counts = np.asarray(counts, dtype=float)
    return np.where(counts.sum(axis=-1) > 0, 1.0 - np.sum(shares(counts) ** 2, axis=-1), 0.0)


def error(counts: np.ndarray) -> np.ndarray:
    """1 − max p."""
    counts = np.asarray(counts, dtype=float)
    return np.where(counts.sum(axis=-1) > 0, 1.0 - shares(counts).max(axis=-1), 0.0)


MEASURES = {"entropy": entropy, "gini": gini, "error": error}


def after(measure: str, branches: np.ndarray) -> float:
    """Σ n_b/n · impurity of branch b; ``branches`` has one line of class weights per branch."""
    sizes = branches.sum(axis=1)
    return float(sizes @ MEASURES[measure](branches) / sizes.sum())


def weighted(measure: str, counts: np.ndarray) -> np.ndarray:
    """Impurity times the weight of the rows."""
    return np.asarray(counts.sum(axis=-1) * MEASURES[measure](counts))


@dataclass(frozen=True, eq=False)
class Cuts:
    """Every threshold of a numeric attribute, between neighbouring values of the known rows.

    Attributes
    ----------
    threshold : float64 (t,)
    below, above : float64 (t, K)
        Class weights on both sides.
    """

    threshold: np.ndarray
    below: np.ndarray
    above: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray, table: np.ndarray) -> Cuts:
        """Make the thresholds between neighbouring values.

        Parameters
        ----------
        values : float64 (v,)
            In ascending order, at least two.
        table : float64 (v, K)
            Class weights of the rows with each value.
        """
        below = table.cumsum(axis=0)[:-1]
        return cls((values[:-1] + values[1:]) / 2, below, table.sum(axis=0) - below)

    def after(self, measure: str) -> np.ndarray:
        """Impurity after each threshold."""
        found: np.ndarray = (weighted(measure, self.below) + weighted(measure, self.above)) / self.whole.sum()
        return found

    def gain(self, measure: str) -> np.ndarray:
        """What each threshold takes off the impurity of the known rows."""
        found: np.ndarray = MEASURES[measure](self.whole) - self.after(measure)
        return found

    @property
    def whole(self) -> np.ndarray:
        """Class weights of all known rows."""
        found: np.ndarray = self.below[0] + self.above[0]
        return found


def entropy_formula(say: Notation, counts: np.ndarray) -> str:
    """The entropy with its numbers: −(9/14)·log2(9/14) − …"""
    total = counts.sum()
    terms = [f"({say.fraction(n, total)})·log2({say.fraction(n, total)})" for n in counts if n > 0]
    return f"−{' − '.join(terms)} = {say.fixed(float(entropy(counts)))}"


def gini_formula(say: Notation, counts: np.ndarray) -> str:
    """The Gini index with its numbers: 1 − (9/14)² − …"""
    total = counts.sum()
    terms = [f"({say.fraction(n, total)})²" for n in counts if n > 0]
    return f"1 − {' − '.join(terms)} = {say.fixed(float(gini(counts)))}"
