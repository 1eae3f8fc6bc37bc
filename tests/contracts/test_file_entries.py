"""Whatever its kind, a model that is read from a file needs every entry of the file, each of its type and size."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.hostile.model_file import Change, changed, reloaded

import vaglio
from vaglio.errors import ModelFileError
from vaglio.fitted import Fitted
from vaglio.fitted._file import to_bytes
from vaglio.model.kinds import KINDS

# Entries that files of the first edition do not have.
LATER = ("table_values", "named_feature", "quantiles_feature", "bins_n_values", "holds", "contains_training_rows")
# Entries that may be None or any number.
FREE = ("binarize", "coef0", "gamma")
# Learners that count words.
COUNTS = ("multinomial-nb", "bernoulli-nb")
LEARNERS = {
    "tree": lambda: vaglio.ObliqueTreeClassifier(random_state=0),
    "rules": vaglio.RIPPERClassifier,
    "naive-bayes": vaglio.NaiveBayesClassifier,
    "gaussian-mixture": lambda: vaglio.GaussianMixtureClassifier(random_state=0),
    "joint-bayes": vaglio.JointBayesClassifier,
    "bayes-net": vaglio.BayesianNetworkClassifier,
    "multinomial-nb": vaglio.MultinomialNB,
    "bernoulli-nb": vaglio.BernoulliNB,
    "linear": vaglio.LogisticRegression,
    "mlp": lambda: vaglio.MLPClassifier(hidden_layer_sizes=(3,), max_iter=5, random_state=0),
    "svm": vaglio.SVC,
    "neighbors": lambda: vaglio.KNeighborsClassifier(weights="distance"),
    "forest": lambda: vaglio.RandomForestClassifier(2, random_state=0),
    "ensemble": lambda: vaglio.AdaBoostClassifier(n_estimators=2, random_state=0),
    "voting": lambda: vaglio.VotingClassifier([("a", vaglio.C45Classifier()), ("b", vaglio.LogisticRegression())]),
}


@cache
def rows() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"number": rng.normal(size=40), "word": rng.choice(list("xyz"), 40)})
    y = np.array(["a", "b", "c"])[(X["number"] > 0).astype(int) + (X["word"] == "z")]
    X.loc[::7, "number"], X.loc[::11, "word"] = np.nan, None
    return X, y


@cache
def model(kind: str) -> Fitted:
    X, y = rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted: Fitted = (
            LEARNERS[kind]().fit(X[["word"]] if kind in ("multinomial-nb", "bernoulli-nb") else X, y).fitted_
        )
    assert fitted.model.kind == kind
    return fitted


def entries(kind: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    found: list[Any] = []
    changed(model(kind), lambda body, arrays: found.extend((body["model"], arrays)))
    return found[0], found[1]


def damage(kind: str) -> Iterator[tuple[str, Change]]:
    """Yield every change that no file of this kind may have, with its name."""
    described, arrays = entries(kind)

    def put(name: str, value: Any) -> Change:
        return lambda body, arrays: arrays.update({name: value})

    def say(name: str, value: Any) -> Change:
        return lambda body, arrays: body["model"].update({name: value})

    for name, value in arrays.items():
        last = name.split(".")[-1].split("naive_")[-1]
        if last not in LATER:
            yield f"no {name}", lambda body, arrays, name=name: arrays.pop(name)
        yield f"{name} with one dimension more", put(name, value[None])
        yield f"{name} of another type", put(name, np.zeros(value.shape, "f4" if value.dtype != "f4" else "f8"))
    for name in described:
        if name not in (*LATER, *FREE):
            for other in (None, {"what": 1}, "what"):
                yield f"{other!r} as {name}", say(name, other)


def test_every_kind_is_tried() -> None:
    assert set(LEARNERS) == set(KINDS)


@pytest.mark.parametrize("kind", LEARNERS)
def test_a_file_without_an_entry_or_with_another_is_refused(kind: str) -> None:
    accepted = []
    for name, change in damage(kind):
        try:
            reloaded(model(kind), change)
        except ModelFileError as error:
            assert "model file" in str(error), name
        else:
            accepted.append(name)
    assert not accepted


@pytest.mark.parametrize("kind", LEARNERS)
def test_an_unchanged_file_is_the_same_model(kind: str) -> None:
    again = reloaded(model(kind), lambda body, arrays: None)
    assert to_bytes(again) == to_bytes(model(kind))
    assert again.model.size() == model(kind).model.size()
    X = rows()[0]
    assert again.predict(X).tolist() == model(kind).predict(X).tolist()
