"""Learners that go on learning take later rows with new categories, new classes and missing cells, or say why not."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier
from tests.contracts.estimators import all_estimators, name_of

import vaglio
from vaglio.errors import InputError

FIRST = pd.DataFrame(
    {
        "n": [1.0, 2.0, 1.5, 8.0, 9.0, 8.5],
        "word": ["a", "b", "a", "b", "b", "a"],
        "flag": [True, False, True, False, False, True],
    }
)
LABELS = np.array(["low", "low", "low", "high", "high", "high"])
LATER = pd.DataFrame({"n": [5.0, np.nan], "word": ["new", None], "flag": [True, False]})


def learners() -> list:
    return [estimator for estimator in all_estimators() if hasattr(estimator, "partial_fit")]


def started(estimator, classes=("high", "low")):
    y = LABELS if is_classifier(estimator) else FIRST["n"].to_numpy()
    options = {"classes": list(classes)} if is_classifier(estimator) else {}
    return estimator.partial_fit(FIRST, y, **options)


def later_target(estimator) -> np.ndarray:
    return np.array(["low", "high"]) if is_classifier(estimator) else np.array([5.0, 6.0])


def test_there_are_such_learners() -> None:
    assert len(learners()) >= 5


@pytest.mark.parametrize("estimator", learners(), ids=name_of)
def test_new_categories_and_missing_cells_are_learned_from(estimator, tmp_path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = started(estimator).partial_fit(LATER, later_target(estimator))
    rows = pd.concat([FIRST, LATER], ignore_index=True)
    predicted = model.predict_proba(rows) if hasattr(model, "predict_proba") else model.predict(rows)
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(predicted.sum(axis=1), 1)
    model.save(tmp_path / "model")
    again = vaglio.load(tmp_path / "model")
    loaded = again.predict_proba(rows) if hasattr(model, "predict_proba") else again.predict(rows)
    np.testing.assert_array_equal(loaded, predicted)


@pytest.mark.parametrize("estimator", [e for e in learners() if is_classifier(e)], ids=name_of)
def test_a_new_class_is_learned_or_refused_by_name(estimator) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = started(estimator)
        rows, y = FIRST.head(2), np.array(["middle", "low"])
        if hasattr(model, "add"):
            assert "middle" in model.add(rows, y).classes_
            return
        with pytest.raises((InputError, ValueError), match="middle"):
            model.partial_fit(rows, y)


@pytest.mark.parametrize("estimator", [e for e in learners() if hasattr(e, "add")], ids=name_of)
def test_an_added_row_is_at_distance_0_from_itself(estimator) -> None:
    model = started(estimator)
    complete = pd.DataFrame({"n": [5.0, 6.0], "word": ["new", "newer"], "flag": [True, False]})
    model.add(complete, later_target(estimator))
    distances, rows = model.kneighbors(complete, n_neighbors=1)
    np.testing.assert_array_equal(distances, 0.0)
    np.testing.assert_array_equal(rows[:, 0], [6, 7])
    # Categories known before keep their rows.
    distances, rows = model.kneighbors(FIRST, n_neighbors=1)
    np.testing.assert_array_equal(distances, 0.0)
    np.testing.assert_array_equal(rows[:, 0], np.arange(6))


@pytest.mark.parametrize("estimator", [e for e in learners() if hasattr(e, "add")], ids=name_of)
def test_an_ordered_value_without_a_place_is_refused(estimator) -> None:
    grades = pd.DataFrame({"g": pd.Categorical(["a", "b"] * 3, categories=["a", "b"], ordered=True)})
    y = LABELS if is_classifier(estimator) else FIRST["n"].to_numpy()
    model = estimator.partial_fit(grades, y)
    strange = pd.DataFrame({"g": pd.Categorical(["c"], categories=["a", "b", "c"], ordered=True)})
    with pytest.raises(InputError, match="not in the order"):
        model.add(strange, later_target(estimator)[:1])


@pytest.mark.parametrize("weight", [1e308, 1e99, 1e-200])
@pytest.mark.parametrize("estimator", learners(), ids=name_of)
def test_weights_of_a_part_are_bounded_as_those_of_a_whole(estimator, weight) -> None:
    """Rows that join others are not scaled: a sum that is infinite, or nothing beside the others, is refused."""
    rows = FIRST[["n", "flag"]].to_numpy(dtype=float)
    y = LABELS if is_classifier(estimator) else rows[:, 0]
    options = {"classes": ["high", "low"]} if is_classifier(estimator) else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = estimator.partial_fit(rows, y, **options)
        before = model.predict(rows).tolist()
        if weight == 1e99:
            model.partial_fit(rows, y, sample_weight=np.full(6, weight))
            ways = ("predict_proba", "decision_function", "predict")
            answer = next(getattr(model, way) for way in ways if hasattr(model, way))(rows)
            assert np.isfinite(answer).all()
        else:
            with pytest.raises(InputError, match="too far from 1"):
                model.partial_fit(rows, y, sample_weight=np.full(6, weight))
            assert model.predict(rows).tolist() == before
