"""The choice among intervals, normal and kernel densities, against models that are trained fold by fold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine

from vaglio import NaiveBayesClassifier, _core
from vaglio.encode import EncodedMatrix
from vaglio.learners.bayes.estimators import likelihoods as _likelihoods

FOLDS = 5
NAMES = ("mdl", "gaussian", "kde")  # in the order of the kernel's answer; "auto" is "mdl" where it cuts


def brute_force(X: np.ndarray, y: np.ndarray, w: np.ndarray | None, fold: np.ndarray, **params: float) -> np.ndarray:
    """Errors and log-loss of every likelihood, from a model of its own for every fold."""
    found = np.zeros((3, 2))
    weight = np.ones(len(y)) if w is None else w
    for number in range(FOLDS):
        train, test = fold != number, fold == number
        for at, name in enumerate(NAMES):
            model = NaiveBayesClassifier(name, **params).fit(X[train], y[train], None if w is None else w[train])
            p = model.predict_proba(X[test])
            right = np.maximum(p[np.arange(len(p)), y[test]], 1e-12)
            found[at] += weight[test] @ (p.argmax(axis=1) != y[test]), -weight[test] @ np.log(right)
    return found


def kernel_losses(X: np.ndarray, y: np.ndarray, w: np.ndarray | None, fold: np.ndarray, threads: int) -> np.ndarray:
    k = y.max() + 1
    kept = np.array([np.bincount(y[fold != f], None if w is None else w[fold != f], k) for f in range(FOLDS)])
    prior = np.log(kept / kept.sum(axis=1, keepdims=True))
    none_cut = np.zeros(FOLDS, dtype=np.uint8)
    return _core.kept_out_losses(X, y, w, fold, prior, prior[fold], none_cut, 1.0, 5.0, True, threads)


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_losses_are_those_of_models_trained_on_the_other_folds(load: object, weighted: bool, gaps: float) -> None:
    X, y = load(return_X_y=True)  # type: ignore[operator]
    rng = np.random.default_rng(0)
    X = np.where(rng.random(X.shape) < gaps, np.nan, X)
    w = rng.integers(1, 4, len(y)) * 0.5 if weighted else None
    fold = _core.content_folds(X, np.empty((len(X), 0), dtype=np.int32), y, FOLDS)
    expected = brute_force(X, y, w, fold, alpha=1.0, var_smoothing=5.0)
    found = kernel_losses(X, y, w, fold, 1)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert (kernel_losses(np.asfortranarray(X), y, w, fold, 3) == found).all()


def test_columns_without_any_cut_are_normal() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    fold = (np.arange(60) % FOLDS).astype(np.int32)
    found = kernel_losses(X, y, None, fold, 1)
    assert (found[0] == found[1]).all()


def test_equal_rows_share_a_fold_and_others_take_turns() -> None:
    X = np.array([[2.0], [1.0], [np.nan], [1.0], [-0.0], [0.0], [5.0]])
    codes = np.array([[0], [1], [0], [1], [2], [2], [0]], dtype=np.int32)
    y = np.array([0, 0, 0, 0, 1, 1, 0])
    # In order: class 0 by number, the missing one last, then class 1.
    assert _core.content_folds(X, codes, y, 3).tolist() == [1, 0, 0, 0, 1, 1, 2]


@pytest.mark.parametrize("arguments", ["fold", "others", "cut"])
def test_the_kernel_refuses_arrays_that_do_not_fit(arguments: str) -> None:
    X, y, fold = np.zeros((4, 1)), np.array([0, 1, 0, 1]), np.zeros(4, dtype=np.int32)
    prior, others, cut = np.zeros((2, 2)), np.zeros((4, 2)), np.zeros(2, dtype=np.uint8)
    if arguments == "fold":
        fold = fold + np.int32(2)
    elif arguments == "others":
        others = others[:3]
    else:
        cut = cut[:1]
    with pytest.raises(ValueError, match="fold" if arguments != "others" else "sum per row"):
        _core.kept_out_losses(X, y, None, fold, prior, others, cut, 1.0, 5.0, True, 1)


def test_other_columns_take_part_in_the_choice() -> None:
    # The nominal column gives the class away: whatever the number says, its density makes no more errors, and the
    # choice falls on the smaller log-loss. Without that column intervals make fewer errors.
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 400)
    X = pd.DataFrame({"x": np.where(y == 1, rng.choice([-3.0, 3.0], 400), 0.0) + rng.normal(size=400) * 0.4})
    assert NaiveBayesClassifier().fit(X, y).likelihoods_["x"] in ("mdl", "kde")
    told = NaiveBayesClassifier(alpha=0).fit(X.assign(z=np.array(["no", "yes"])[y]), y)
    assert told.likelihoods_["z"] == "frequency"
    assert (told.predict(X.assign(z=np.array(["no", "yes"])[y])) == y).all()


def test_columns_of_few_values_are_found_without_counting_the_others():
    rng = np.random.default_rng(0)
    n = 300
    columns = [
        rng.normal(size=n),  # many from the first row on
        np.where(np.arange(n) < 200, 1.0, np.arange(n)),  # many, but not among the first rows
        rng.integers(0, 10, n).astype(float),  # just few enough
        rng.integers(0, 11, n).astype(float),  # one too many
        np.where(rng.random(n) < 0.9, np.nan, rng.normal(size=n)),  # many, mostly missing
        np.full(n, np.nan),
        np.where(rng.random(n) < 0.5, 0.0, -0.0),
    ]
    matrix = EncodedMatrix.from_arrays(np.column_stack(columns))
    y = rng.integers(0, 2, n)
    asked = dict.fromkeys(range(len(columns)), "auto")
    present = [column[~np.isnan(column)] for column in columns]
    expected = [0 < len(np.unique(column)) <= 10 for column in present]
    few, many = _likelihoods.split_auto(asked, matrix, y, None, 2, 1)
    assert [j in few for j in asked] == expected
    assert sorted(few + many) == list(asked)
