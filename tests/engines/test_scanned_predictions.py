"""Predictions, scores and evaluations of rows that stay on disk."""

from __future__ import annotations

import numpy as np
import pytest

import vaglio
from vaglio import NaiveBayesClassifier, evaluate, scan
from vaglio.errors import InputError


@pytest.fixture(scope="module")
def model(path):
    return NaiveBayesClassifier(likelihood="mdl").fit(*scan(path).drop(["weight"]).xy("target"))


def test_predictions_are_lazy_and_those_of_rows_in_memory(model, lazy, frame, tmp_path):
    X, _ = lazy.xy("target")
    rows = frame.drop(columns=["weight", "target"])
    predicted = model.predict(X)
    assert len(predicted) == len(frame)
    assert np.array_equal(np.asarray(predicted), model.predict(rows))
    assert np.array_equal(np.asarray(model.predict_proba(X)), model.predict_proba(rows))
    model.predict_proba(X).write(tmp_path / "p.parquet", rows=500)
    written = vaglio.read(tmp_path / "p.parquet")
    assert list(written.columns) == ["maybe", "no", "yes"]
    assert len(written) == len(frame)


@pytest.mark.slow
def test_scores_and_evaluations_are_exact(model, path, frame):
    data = scan(path)
    X, y = data.drop(["weight"]).xy("target")
    rows, true = frame.drop(columns=["weight", "target"]), frame["target"].to_numpy(str)
    assert model.score(X, y) == model.score(rows, true)
    weighed = model.score(X, y, sample_weight=data["weight"])
    assert weighed == pytest.approx(model.score(rows, true, sample_weight=frame["weight"]), abs=1e-15)
    assert evaluate(model, X, y).to_dict() == evaluate(model, rows, true).to_dict()


def test_y_must_be_a_column_of_the_same_table(lazy, frame):
    X, _ = lazy.xy("target")
    with pytest.raises(InputError, match="column of the same table"):
        NaiveBayesClassifier().fit(X, frame["target"])
