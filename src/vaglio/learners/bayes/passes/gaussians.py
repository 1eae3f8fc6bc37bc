"""Means and covariances of each class in passes."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.engines.exact_sums import Grid
from vaglio.engines.passes import Chunk, Facts, Pass
from vaglio.engines.scatter import ScatterPlan
from vaglio.learners.bayes.estimators.covariance import ClassGaussians, Scatter, gaussians_of, share_of_sums


def gaussian_passes(
    facts: Facts, columns: list[int], kind: str, shrinkage: float | str
) -> Generator[Pass, Any, ClassGaussians]:
    """Ask for the sums behind means and covariances; return the Gaussian of each class."""
    assert facts.classes is not None
    plan = ScatterPlan.of(facts, columns)
    weight, first, second = plan.sums((yield Pass("means and covariances", plan.summarize)))
    whole = scatter_of_sums(plan.centre, weight.sum(axis=0), first.sum(axis=0), second.sum(axis=0), None)
    total = np.diag(whole.product) / np.maximum(np.diag(whole.weight), np.finfo(float).tiny)
    parts = [scatter_of_sums(plan.centre, *sums, whole.mean) for sums in zip(weight, first, second)]
    shares = [float(shrinkage) if isinstance(shrinkage, (int, float)) else 0.0] * len(parts)
    if kind == "shrunk" and shrinkage == "auto":
        lengths = Lengths.of(facts, plan, parts)
        fourth = lengths.grid.value((yield Pass("lengths of rows", lengths.summarize)))[:, 0]
        shares = [lengths.share(c, part, float(fourth[c])) for c, part in enumerate(parts)]
    return gaussians_of(parts, total, facts.class_weight, facts.classes, kind, shares)


def scatter_of_sums(
    centre: np.ndarray, weight: np.ndarray, first: np.ndarray, second: np.ndarray, fallback: np.ndarray | None
) -> Scatter:
    """Return the products of deviations from the mean, given those from the centre."""
    rows = np.diag(weight)
    shift = np.divide(np.diag(first), rows, out=np.zeros(len(rows)), where=rows > 0)
    instead = np.zeros(len(rows)) if fallback is None else fallback
    mean = np.where(rows > 0, centre + shift, instead)
    product = second - first * shift[None, :] - first.T * shift[:, None] + np.outer(shift, shift) * weight
    diagonal = np.diag_indices_from(product)
    product[diagonal] = np.maximum(product[diagonal], 0.0)
    return Scatter(product, weight, mean, np.empty((0, len(rows))))


@dataclass(frozen=True)
class Lengths:
    """Squared lengths of the rows in units of the deviations of their class, squared and added up."""

    columns: tuple[int, ...]
    mean: np.ndarray
    spread: np.ndarray
    total: np.ndarray
    grid: Grid

    @classmethod
    def of(cls, facts: Facts, plan: ScatterPlan, parts: list[Scatter]) -> Lengths:
        """Plan the sum."""
        total = facts.class_weight
        mean = np.stack([part.mean for part in parts])
        spread = np.sqrt(np.stack([np.diag(part.product) for part in parts]) / total[:, None])
        low, high = facts.low[list(plan.columns)], facts.high[list(plan.columns)]
        reach = np.nan_to_num(np.fmax(np.abs(low - mean), np.abs(high - mean)))
        most = np.divide(reach, spread, out=np.zeros_like(reach), where=spread > 0)
        bound = facts.largest_weight * float((most**2).sum(axis=1).max()) ** 2
        return cls(plan.columns, mean, spread, total, Grid.for_bound([max(bound, 1e-300)]))

    def summarize(self, chunk: Chunk) -> np.ndarray:
        """Return the sums of one chunk in each class."""
        length = np.zeros(chunk.n_rows)
        for at, j in enumerate(self.columns):
            spread = self.spread[:, at][chunk.y]
            deviation = np.nan_to_num(chunk.matrix.numeric[:, j] - self.mean[:, at][chunk.y])
            length += np.divide(deviation, spread, out=np.zeros_like(length), where=spread > 0) ** 2
        terms = length**2 if chunk.weight is None else chunk.weight * length**2
        return self.grid.class_sums(terms[:, None], chunk.y, len(self.total))

    def share(self, c: int, part: Scatter, fourth: float) -> float:
        """Return the shrinkage of one class."""
        varies = self.spread[c] > 0
        spread = self.spread[c][varies]
        correlation = part.product[np.ix_(varies, varies)] / np.outer(spread, spread) / self.total[c]
        return share_of_sums(correlation, fourth, float(self.total[c]))
