"""Every learner that takes monotonic_cst: booleans have an order, names are looked up, predictions keep to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from tests.contracts.estimators import all_estimators, name_of

import vaglio
from vaglio.errors import InputError

BOUND = [estimator for estimator in all_estimators() if "monotonic_cst" in estimator.get_params()]
WORDS = {
    "bool": (False, True),
    "yes and no": ("no", "yes"),
    "true and false": ("false", "true"),
    "text": ("True", "False"),
}


def table(words: tuple[Any, Any] = (False, True)) -> tuple[pd.DataFrame, np.ndarray]:
    """Rows that ask for the opposite of every direction: the flag helps those of one word and harms those of others."""
    rng = np.random.default_rng(0)
    n = 240
    flag, x, word = rng.random(n) < 0.5, rng.normal(size=n), rng.choice(list("abc"), n)
    score = x + 0.9 * flag * np.where(word == "a", -3, 1) + rng.normal(size=n) * 0.3
    absent, present = sorted(words, key=lambda value: str(value).lower() in ("true", "yes"))
    # Python's own values: an array of them would hold words.
    return pd.DataFrame({"flag": [present if each else absent for each in flag], "x": x, "word": word}), score


def target(estimator: Any, score: np.ndarray) -> np.ndarray:
    return np.where(score > 0, "yes", "no") if is_classifier(estimator) else score


def level(estimator: Any, X: pd.DataFrame) -> np.ndarray:
    found: np.ndarray = estimator.predict_proba(X)[:, 1] if is_classifier(estimator) else estimator.predict(X)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", WORDS)
@pytest.mark.parametrize("direction", [pytest.param(1, marks=pytest.mark.nightly), -1])
@pytest.mark.parametrize("estimator", BOUND, ids=name_of)
def test_the_prediction_keeps_to_the_order_of_a_boolean(estimator: Any, direction: int, kind: str) -> None:
    X, score = table(WORDS[kind])
    model = clone(estimator).set_params(monotonic_cst={"flag": direction}).fit(X, target(estimator, score))
    absent, present = sorted(WORDS[kind], key=lambda value: str(value).lower() in ("true", "yes"))
    rise = level(model, X.assign(flag=present)) - level(model, X.assign(flag=absent))
    assert (direction * rise).min() >= -1e-12
    free = clone(estimator).fit(X, target(estimator, score))
    rise = level(free, X.assign(flag=present)) - level(free, X.assign(flag=absent))
    assert (direction * rise).min() < 0  # the rows ask for the opposite somewhere


@pytest.mark.slow
@pytest.mark.parametrize("estimator", BOUND, ids=name_of)
def test_by_position_and_with_weights_the_same_model(estimator: Any) -> None:
    X, score = table()
    y, weight = target(estimator, score), np.ones(len(X))
    weight[::5] = 0
    given = ({"flag": 1}, [1, 0, 0], {0: 1}, np.array([1.0, 0.0, 0.0]))
    models = [clone(estimator).set_params(monotonic_cst=one).fit(X, y, sample_weight=weight) for one in given]
    for other in models[1:]:
        np.testing.assert_array_equal(level(models[0], X), level(other, X))


@pytest.mark.parametrize("estimator", BOUND, ids=name_of)
def test_a_column_without_order_an_unknown_name_and_other_numbers_are_refused(estimator: Any) -> None:
    X, score = table()
    y = target(estimator, score)
    for given, said in (
        ({"word": 1}, r"Column 'word' is nominal, .* declare the order"),
        ({"flg": 1}, "did you mean flag"),
        ({"x": 0.5}, "only -1, 0 and 1"),
        ([1, 0], "there are 3 columns"),
        ({3: 1}, "a position below 3"),
    ):
        with pytest.raises(InputError, match=said):
            clone(estimator).set_params(monotonic_cst=given).fit(X, y)
    if is_classifier(estimator):
        three = np.array(["a", "b", "c"])[np.arange(len(y)) % 3]
        with pytest.raises(InputError, match="not for 3 classes"):
            clone(estimator).set_params(monotonic_cst={"flag": 1}).fit(X, three)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", BOUND, ids=name_of)
def test_a_saved_model_reads_bound_booleans_as_before(estimator: Any, tmp_path: Any) -> None:
    X, score = table()
    model = clone(estimator).set_params(monotonic_cst={"flag": 1}).fit(X, target(estimator, score))
    model.save(tmp_path / "model.vaglio")
    again = vaglio.load(tmp_path / "model.vaglio")
    holes = X.assign(flag=X["flag"].astype(object).mask(np.arange(len(X)) % 7 == 0))
    np.testing.assert_array_equal(again.predict(holes), model.predict(holes))
    words = X.assign(flag=X["flag"].map({True: "TRUE", False: "false"}))
    np.testing.assert_array_equal(again.predict(words), model.predict(X))
