"""Other libraries on any table: scikit-learn behind the usual encoding, and Weka as an estimator."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from benchmarks import weka
from vaglio import Table


def _words(frame: pd.DataFrame) -> pd.DataFrame:
    """Nominal columns as strings, with one word for missing: what the one-hot encoder takes."""
    return frame.astype(object).where(frame.notna(), "missing").astype(str)


def one_hot(estimator: Any) -> Any:
    """Return the usual pipeline: means imputed, numbers standardised, categories one-hot."""
    numbers = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    categories = make_pipeline(FunctionTransformer(_words), encoder)
    is_number = make_column_selector(dtype_include="number")
    is_category = make_column_selector(dtype_exclude="number")
    return make_pipeline(ColumnTransformer([("n", numbers, is_number), ("c", categories, is_category)]), estimator)


class WekaClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of Weka with its defaults: trained and asked in one call of Java, when rows are predicted.

    Parameters
    ----------
    learner : {"J48", "JRip", "NaiveBayes"}
    """

    def __init__(self, learner: str) -> None:
        self.learner = learner

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> WekaClassifier:
        self.rows_, self.labels_, self.classes_ = X, y, np.unique(y)
        self.last_: tuple[Any, np.ndarray] | None = None
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        found: np.ndarray = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return found

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        if self.last_ is None or self.last_[0] is not X.index:
            self.last_ = X.index, self._ask(X)
        return self.last_[1]

    def _ask(self, X: pd.DataFrame) -> np.ndarray:
        names = [f"x{j}" for j in range(X.shape[1])]
        train = self.rows_.set_axis(names, axis=1).assign(label=self.labels_)
        # The class of the rows to predict is not known: any stands in its place.
        unseen = X.set_axis(names, axis=1).assign(label=self.classes_[0])
        known, asked = Table.from_any(train), Table.from_any(unseen)
        with tempfile.TemporaryDirectory() as folder:
            files = Path(folder) / "train.arff", Path(folder) / "test.arff"
            weka.write_arff(known, "label", files[0], beside=asked)
            weka.write_arff(asked, "label", files[1], beside=known)
            return read_distributions(weka.call(self.learner, *files, ("-p", "0", "-distribution")))


def read_distributions(output: str) -> np.ndarray:
    """Return the probabilities that Weka prints with ``-p 0 -distribution``; ``*`` marks the predicted class."""
    # The names of classes between the number and the distribution are cut off, and may hold blanks and quotes.
    lines = re.findall(r"^\s*\d+\s+\d+:.*\s([\d.*,]+)\s*$", output, flags=re.MULTILINE)
    if not lines:
        raise RuntimeError(f"Weka printed no distribution: {output.strip()[:500]}")
    marked = [[word.startswith("*") for word in line.split(",")] for line in lines]
    values = np.array([[float(word.lstrip("*")) for word in line.split(",")] for line in lines])
    # Three digits are printed: the mark decides between classes that look equal.
    values = values + 1e-6 * np.array(marked)
    shares: np.ndarray = values / values.sum(axis=1, keepdims=True)
    return shares
