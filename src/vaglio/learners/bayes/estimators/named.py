"""Parameters of the named distributions of naive Bayes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix
from vaglio.errors import InputError
from vaglio.learners.bayes.estimators.class_statistics import Moments
from vaglio.learners.bayes.estimators.variances import class_densities
from vaglio.learners.bayes.model.named_likelihood import DISTRIBUTIONS, NamedGroup, possible

# What a distribution takes, for the message that a column has something else.
_TAKES = {"poisson": "counts 0, 1, 2, …", "exponential": "numbers from 0", "lognormal": "numbers above 0"}
# A class of zeros alone still has a rate: no mean falls below this share of the column's own.
_LEAST_MEAN = 1e-9


@dataclass(frozen=True)
class Strengths:
    """How strongly the estimates are smoothed: rows added to a mean, and to a variance."""

    alpha: float
    var_smoothing: float


def named_group(
    asked: dict[int, str],
    matrix: EncodedMatrix,
    y: np.ndarray,
    weight: np.ndarray | None,
    moments: Moments,
    strengths: Strengths,
    threads: int,
) -> NamedGroup:
    """Fit the columns that are asked to follow a named distribution.

    The mean of a Poisson or exponential distribution is estimated as if α more rows had the mean of all rows, as α
    adds to a frequency; the logarithms of a log-normal one are smoothed like a Gaussian. With 0 it is the estimate of
    largest likelihood.
    """
    chosen = {j: kind for j, kind in asked.items() if kind in DISTRIBUTIONS}
    for j, kind in chosen.items():
        _refuse_impossible(matrix.numeric[:, matrix.position[j]], kind, matrix.features[j].name)
    positions = [int(matrix.position[j]) for j, kind in chosen.items() if kind == "lognormal"]
    moved = None
    if positions:
        logarithms = np.log(matrix.numeric[:, positions])
        moved = Moments(*_core.class_moments(logarithms, y, weight, len(moments.weight), threads))
    return named_of_moments(asked, matrix.position, moments, moved, strengths)


def named_of_moments(
    asked: dict[int, str], position: np.ndarray, moments: Moments, moved: Moments | None, strengths: Strengths
) -> NamedGroup:
    """Fit the columns from their moments; ``moved`` are those of the logarithms of the log-normal ones, in order."""
    k = len(moments.weight)
    chosen = {j: kind for j, kind in asked.items() if kind in DISTRIBUTIONS}
    if not chosen:
        return NamedGroup.empty(k)
    means: list[np.ndarray] = []
    variances: list[np.ndarray] = []
    done = 0
    for j, kind in chosen.items():
        if kind == "lognormal":
            assert moved is not None
            mean, variance = class_densities(moved.select(np.array([done])), strengths.var_smoothing)
            done += 1
        else:
            mean = _means(moments.select(position[j : j + 1]), strengths.alpha)
            variance = np.ones((1, k))
        means.append(mean)
        variances.append(variance)
    codes = np.array([DISTRIBUTIONS.index(kind) for kind in chosen.values()], dtype=np.int32)
    return NamedGroup(np.array(list(chosen), dtype=np.int64), codes, np.concatenate(means), np.concatenate(variances))


def takes(kind: str) -> str:
    """Say what numbers a distribution takes."""
    return _TAKES[kind]


def _means(moments: Moments, alpha: float) -> np.ndarray:
    """Return the smoothed mean of one column in every class, shape (1, K)."""
    overall = float(moments.overall().mean[0, 0])
    rows = moments.weight[:, 0] + alpha
    total = moments.weight[:, 0] * moments.mean[:, 0] + alpha * overall
    mean = np.divide(total, rows, out=np.full(len(rows), overall), where=rows > 0)
    positive: np.ndarray = np.maximum(mean, _LEAST_MEAN * overall if overall > 0 else 1.0)[None, :]
    return positive


def _refuse_impossible(x: np.ndarray, kind: str, name: str) -> None:
    wrong = np.flatnonzero(~possible(kind, x) & ~np.isnan(x))
    if wrong.size:
        row = int(wrong[0])
        raise InputError(
            f"Column {name!r} has {x[row]:g} in row {row}, but the likelihood {kind!r} takes {_TAKES[kind]}: correct "
            "it, or choose another likelihood for this column."
        )
