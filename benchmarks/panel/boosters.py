"""Other libraries of boosted trees, with their defaults: categories and missing values as their manuals say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier

# scikit-learn's bins can number no more categories; a column of more is given as the numbers of its values.
_MOST_CATEGORIES = 255


class Booster(ClassifierMixin, BaseEstimator):
    """A library of boosted trees on any table, on one thread.

    Parameters
    ----------
    library : {"HistGradientBoosting", "LightGBM", "XGBoost", "CatBoost"}
    seed : int
    """

    def __init__(self, library: str, seed: int) -> None:
        self.library = library
        self.seed = seed

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Booster:
        self.classes_, codes = np.unique(y, return_inverse=True)
        # scikit-learn cannot bin a column without a single value: it does without.
        self.used_ = X.columns[X.notna().any()] if self.library == "HistGradientBoosting" else X.columns
        X = X[self.used_]
        is_number = [pd.api.types.is_numeric_dtype(X[name]) for name in X.columns]
        self.numeric_ = np.array(is_number)
        self.known_ = [
            None if number else pd.unique(X[name].dropna().astype(str)) for name, number in zip(X.columns, is_number)
        ]
        rows = self._rows(X)
        self.model_ = getattr(self, f"_{self.library.lower()}")()
        if self.library == "CatBoost":
            self.model_.fit(rows, codes, cat_features=np.flatnonzero(~self.numeric_).tolist())
        else:
            self.model_.fit(rows, codes)
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        found: np.ndarray = np.asarray(self.model_.predict_proba(self._rows(X)))
        return found

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        found: np.ndarray = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return found

    def _rows(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return the rows under plain names, with categories in the form that the library takes."""
        columns = {}
        for j, (name, known) in enumerate(zip(self.used_, self.known_)):
            if known is None:
                columns[f"x{j}"] = X[name].astype(np.float64).to_numpy()
                continue
            words = X[name].astype(object).where(X[name].notna(), None)
            words = words.map(lambda word: None if word is None else str(word))
            if self.library == "CatBoost":
                columns[f"x{j}"] = words.fillna("missing").to_numpy()
                continue
            categories = pd.Categorical(words, categories=known)
            many = self.library == "HistGradientBoosting" and len(known) > _MOST_CATEGORIES
            codes = np.where(categories.codes < 0, np.nan, categories.codes)
            columns[f"x{j}"] = codes if many else categories
        return pd.DataFrame(columns)

    def _histgradientboosting(self) -> Any:
        return HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=self.seed)

    def _lightgbm(self) -> Any:
        import lightgbm

        return lightgbm.LGBMClassifier(random_state=self.seed, n_jobs=1, verbose=-1)

    def _xgboost(self) -> Any:
        import xgboost

        return xgboost.XGBClassifier(random_state=self.seed, n_jobs=1, enable_categorical=True)

    def _catboost(self) -> Any:
        import catboost

        return catboost.CatBoostClassifier(
            random_seed=self.seed, thread_count=1, verbose=False, allow_writing_files=False
        )
