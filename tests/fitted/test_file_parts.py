"""The parts of a model file are checked against each other: each is valid alone, together they say nothing."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from tests.fitted.one_per_kind import COUNTS, LEARNERS, NUMBERS, model, rows
from tests.hostile.model_file import Change, reloaded

import vaglio
from vaglio.errors import ModelFileError, VaglioError
from vaglio.model.families import KINDS


def column(name: str, **said: Any) -> Change:
    """Return the change of what the codebook says about a column."""

    def change(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        features = body["codebook"]["features"]  # learners that count words have others
        next((each for each in features if each["name"] == name), features[0]).update(said)

    return change


def codebook(**said: Any) -> Change:
    return lambda body, arrays: body["codebook"].update(said)


# What the codebook may say alone, and no model of numbers and words can mean.
CHANGES: dict[str, Change] = {
    "a number with categories": column("number", categories=["x", "y"]),
    "a number that is nominal": column("number", kind="nominal"),
    "a number that is ordinal": column("number", kind="ordinal"),
    "a number that is text": column("number", kind="text"),
    "words that are numbers": column("word", kind="numeric"),
    "words that are numbers without categories": column("word", kind="numeric", categories=[]),
    "words that are text": column("word", kind="text"),
    "words that are ordinal": column("word", kind="ordinal"),
    "words that are dates": column("word", is_date=True),
    "words without categories": column("word", categories=[]),
    "one category less": column("word", categories=["x", "y"]),
    "many categories": column("word", categories=[f"w{i}" for i in range(300)]),
    "categories that are numbers": column("word", categories=[1, 2, 3]),
    "a matrix that is sparse": codebook(sparse=True),
    "no columns": codebook(features=[]),
}
REFUSED = ("a number with categories", "words that are numbers", "words that are dates", "a matrix that is sparse")


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*LEARNERS, *NUMBERS])
def test_parts_that_contradict_each_other_are_refused_or_mean_one_thing(kind: str) -> None:
    X, _ = rows()
    for name, change in CHANGES.items():
        try:
            loaded = reloaded(model(kind), change)
        except ModelFileError:
            continue
        assert name not in REFUSED or kind in COUNTS, (kind, name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for at in (0, 1, 7, 11):
                assert said_of_one(loaded, X, at) == said_of_table(loaded, X, at), (kind, name, at)


def said_of_one(fitted: Any, X: Any, at: int) -> Any:
    try:
        return fitted.predict_one({name: None if value != value else value for name, value in X.iloc[at].items()})
    except VaglioError:
        return "refused"


def said_of_table(fitted: Any, X: Any, at: int) -> Any:
    try:
        return fitted.predict(X.iloc[[at]])[0]
    except VaglioError:
        return "refused"


def test_free_text_for_a_kind_that_counts_no_words_is_refused() -> None:
    for kind in LEARNERS:
        if not KINDS[kind].text:
            with pytest.raises(ModelFileError, match="takes no free text"):
                reloaded(model(kind), column("word", kind="text", categories=[]))


def test_classes_that_their_type_makes_alike_are_refused() -> None:
    X = np.arange(12.0).reshape(6, 2)
    fitted = vaglio.CARTClassifier().fit(X, [0, 1] * 3).fitted_

    def change(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        body["classes"]["labels"] = [0.4, 0.6]

    with pytest.raises(ModelFileError, match="do not fit their type"):
        reloaded(fitted, change)


def test_columns_used_as_they_are_must_be_numbers() -> None:
    X = np.arange(12.0).reshape(6, 2)
    fitted = vaglio.LogisticRegression(preprocess=None).fit(X, [0, 1] * 3).fitted_

    def change(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        body["codebook"]["features"][0].update(kind="nominal", categories=["a", "b"])
        body["codebook"]["spreads"].pop(0)

    with pytest.raises(ModelFileError, match="as they are must be numeric"):
        reloaded(fitted, change)


def test_rules_without_any_rule_explain_themselves_with_costs() -> None:
    """Found by the fuzzer: no rule means no weights to decide by."""
    X, _ = vaglio.datasets.load("play").xy("play")
    rules = vaglio.RuleSet.parse("ELSE yes", classes=["no", "yes"])
    costs = {("yes", "no"): 1.0, ("no", "yes"): 2.0}
    fitted = vaglio.fitted.Fitted.from_rules(rules).with_cost(costs)
    assert len(fitted.explain(X[:2])) == 2
