"""Cross-validated figures of one learner on one table: accuracy, log loss, calibration, seconds."""

from __future__ import annotations

import os
import warnings
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from benchmarks.panel.pairs import Maker

# Log loss is infinite when a learner is sure and wrong; as usual, probabilities are kept this far from 0.
LEAST_PROBABILITY = 1e-6
BINS = 10


@dataclass(frozen=True)
class Score:
    """Figures of one learner on one table; those of probabilities are nan for a learner without them.

    Attributes
    ----------
    accuracy : float
        Percent correct.
    log_loss : float
        Mean of -log(probability of the true class).
    calibration_error : float
        Mean distance of the predicted class's probability from the share correct, over bins.
    reliability : float
        The part of the Brier score that recalibration could remove, summed over the classes.
    seconds : float
        CPU time of all folds, training and prediction.
    """

    accuracy: float
    log_loss: float
    calibration_error: float
    reliability: float
    seconds: float


def mean_score(scores: list[Score]) -> Score:
    """Return the mean of every figure."""
    return Score(*np.mean([astuple(score) for score in scores], axis=0).tolist())


def mean_and_error(values: list[float]) -> tuple[float, float]:
    """Return the mean and its standard error; that of a single value is not known."""
    error = np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan
    return float(np.mean(values)), float(error)


def cross_validate(make: Maker, X: pd.DataFrame, y: np.ndarray, seed: int, folds: int = 10) -> Score:
    """Score a learner on stratified folds; ``seed`` is that of the folds and of the learner."""
    labels = np.unique(y)
    correct = np.zeros(len(y), bool)
    probability = np.full((len(y), len(labels)), np.nan)
    start = _cpu_seconds()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows per class, iterations: the same for all
        for train, test in StratifiedKFold(folds, shuffle=True, random_state=seed).split(X, y):
            model = make(seed).fit(X.iloc[train], y[train])
            correct[test] = np.asarray(model.predict(X.iloc[test])).astype(str) == y[test]
            if hasattr(model, "predict_proba"):
                probability[test] = _aligned(model, X.iloc[test], labels)
    seconds = _cpu_seconds() - start
    return Score(100 * float(correct.mean()), *probability_figures(probability, y == labels[:, None]), seconds)


def score_test_rows(model: Any, X: pd.DataFrame, y: np.ndarray, unseen: pd.DataFrame, labels: np.ndarray) -> Score:
    """Train once and score on rows of their own; classes are texts."""
    start = _cpu_seconds()
    model.fit(X, y)
    probability = _aligned(model, unseen, np.unique(y))
    seconds = _cpu_seconds() - start
    classes = np.unique(y)
    correct = classes[probability.argmax(axis=1)] == labels
    return Score(100 * float(correct.mean()), *probability_figures(probability, labels == classes[:, None]), seconds)


def _cpu_seconds() -> float:
    """CPU time of this process and of those it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _aligned(model: Any, X: pd.DataFrame, labels: np.ndarray) -> np.ndarray:
    """Probabilities with one column per label; a class that the training rows lack has probability 0."""
    found = np.zeros((len(X), len(labels)))
    found[:, np.searchsorted(labels, np.asarray(model.classes_).astype(str))] = model.predict_proba(X)
    return found


def probability_figures(probability: np.ndarray, is_class: np.ndarray) -> tuple[float, float, float]:
    """Return log loss, calibration error and reliability.

    Parameters
    ----------
    probability : ndarray of shape (n_rows, n_classes)
    is_class : bool ndarray of shape (n_classes, n_rows)
        Which rows are of the class.
    """
    if np.isnan(probability).any():
        return np.nan, np.nan, np.nan
    own = probability[is_class.T]
    log_loss = -np.log(np.clip(own, LEAST_PROBABILITY, 1.0)).mean()
    predicted = probability.argmax(axis=1)
    right = is_class.T[np.arange(len(predicted)), predicted]
    error = _over_bins(probability.max(axis=1), right, np.abs)
    reliability = sum(_over_bins(p, c, np.square) for p, c in zip(probability.T, is_class))
    return float(log_loss), error, float(reliability)


def _over_bins(probability: np.ndarray, happened: np.ndarray, distance: Any) -> float:
    """Mean over bins of equal width, weighted by rows, of the distance between mean probability and frequency."""
    bins = np.minimum((probability * BINS).astype(int), BINS - 1)
    rows = np.bincount(bins, minlength=BINS)
    gap = np.bincount(bins, probability - happened, minlength=BINS) / np.maximum(rows, 1)
    return float(distance(gap) @ rows / len(bins))
