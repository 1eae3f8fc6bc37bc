"""Files of Bayes models with hostile numbers: refused, or harmless."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest

import vaglio
from vaglio.errors import ModelFileError
from vaglio.table import Column

ESTIMATORS = [
    vaglio.NaiveBayesClassifier({"bill_length_mm": "kde", "body_mass_g": "gaussian"}),
    vaglio.GaussianMixtureClassifier(2),
    vaglio.JointBayesClassifier(),
    vaglio.BayesianNetworkClassifier(),
    vaglio.MultinomialNB(),
    vaglio.BernoulliNB(),
]
# What the reader of a file takes for damage.
REFUSED = (ModelFileError, ArithmeticError, IndexError, KeyError, MemoryError, TypeError, ValueError)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_any_number_changed(estimator: Any) -> None:
    table, y = vaglio.datasets.load("penguins").xy("species")
    table, y = table[::8], y[::8]
    if not isinstance(estimator, (vaglio.JointBayesClassifier, vaglio.BayesianNetworkClassifier)):
        table = table.with_column(Column.text("note", ["some words" if i % 3 else "others" for i in range(len(table))]))
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = estimator.fit(table, y).fitted_
        rows = fitted.codebook.encode(table[:5])
        for _ in range(150):
            arrays, meta = _damaged(fitted.model, rng)
            try:
                model = type(fitted.model).from_state(arrays, meta, fitted.codebook.features, len(fitted.classes))
            except REFUSED:
                continue
            assert not np.isnan(model.predict_proba(rows)).any()
            model.draw(np.zeros(2, dtype=np.int64), np.random.default_rng(0))


def _damaged(model: Any, rng: np.random.Generator) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    arrays, meta = model.state()
    arrays = {name: np.array(value) for name, value in arrays.items()}
    meta = json.loads(json.dumps(meta))
    name = rng.choice(sorted(arrays))
    value = arrays[name]
    way = rng.integers(5)
    if way < 3 and value.size:
        strange = [-1, 0, 10**6, 2**31 - 1] if value.dtype.kind in "iu" else [np.nan, np.inf, -1, 0, 1e308, 1e-308]
        value[tuple(rng.integers(side) for side in value.shape)] = rng.choice(strange)
    elif way == 3:
        arrays[name] = value[:-1] if len(value) else np.zeros((1, *value.shape[1:]), value.dtype)
    else:
        number = float(rng.choice([-1.0, 1e308]))
        meta = {key: number if isinstance(old, (int, float)) else old for key, old in meta.items()}
    return arrays, meta
