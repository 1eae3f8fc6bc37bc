"""Cross-validated figures of one learner on one table: accuracy, log loss, calibration, seconds."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
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
    """Percent correct, mean log loss, expected calibration error (both nan without probabilities), seconds."""

    accuracy: float
    log_loss: float
    calibration_error: float
    seconds: float


def cross_validate(make: Maker, X: pd.DataFrame, y: np.ndarray, seed: int, folds: int = 10) -> Score:
    """Score a learner on stratified folds; ``seed`` is that of the folds and of the learner."""
    correct = np.zeros(len(y), bool)
    losses, confidence = np.full(len(y), np.nan), np.full(len(y), np.nan)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows per class, iterations: the same for all
        for train, test in StratifiedKFold(folds, shuffle=True, random_state=seed).split(X, y):
            model = make(seed).fit(X.iloc[train], y[train])
            predicted = np.asarray(model.predict(X.iloc[test])).astype(str)
            correct[test] = predicted == y[test]
            if hasattr(model, "predict_proba"):
                _note_probabilities(model, X.iloc[test], y[test], losses, confidence, test)
    seconds = time.process_time() - start
    return Score(100 * float(correct.mean()), float(losses.mean()), _calibration(confidence, correct), seconds)


def _note_probabilities(
    model: Any, X: pd.DataFrame, y: np.ndarray, losses: np.ndarray, confidence: np.ndarray, rows: np.ndarray
) -> None:
    proba = np.asarray(model.predict_proba(X))
    place = {str(label): i for i, label in enumerate(model.classes_)}
    column = np.array([place.get(label, -1) for label in y])
    own = np.where(column >= 0, proba[np.arange(len(y)), column], 0.0)
    losses[rows] = -np.log(np.clip(own, LEAST_PROBABILITY, 1.0))
    confidence[rows] = proba.max(axis=1)


def _calibration(confidence: np.ndarray, correct: np.ndarray) -> float:
    """Mean distance between the probability of the predicted class and the share correct, over bins of equal width."""
    if np.isnan(confidence).any():
        return float("nan")
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = [abs(confidence[bins == b].mean() - correct[bins == b].mean()) * (bins == b).sum() for b in np.unique(bins)]
    return float(np.sum(gaps) / len(confidence))
