"""Every public estimator on a column of free text: it learns from the words, or says truly why it cannot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier

import vaglio
from vaglio import Table
from vaglio.errors import NotSupportedError, VaglioError
from vaglio.table import Column

from ..estimators import all_estimators, name_of, others_nightly

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::sklearn.exceptions.ConvergenceWarning")

predictors = [e for e in all_estimators() if hasattr(e, "predict")]
# Learners that refuse text, each with the learner its error names instead.
REFUSES = {"BayesianNetworkClassifier": "NaiveBayesClassifier", "JointBayesClassifier": "NaiveBayesClassifier"}
reading = [e for e in predictors if type(e).__name__ not in REFUSES]

SPAM, HAM = ("offer", "ganhar", "prêmio", "деньги"), ("meeting", "report", "pranzo", "müller")
FILLERS = ("the", "and", "today", "we", "you", "please", "see", "with", "about", "it's")


def texts(n: int = 200, seed: int = 0) -> tuple[list[str], np.ndarray]:
    """Texts of two classes that share most words; two words of each text tell its class."""
    rng = np.random.default_rng(seed)
    y = np.array(["ham", "spam"])[np.arange(n) % 2]
    return [
        " ".join(rng.permutation([*rng.choice(FILLERS, 6), *rng.choice(SPAM if label == "spam" else HAM, 2)]))
        for label in y
    ], y


def target_for(estimator: Any, y: np.ndarray) -> np.ndarray:
    return y if is_classifier(estimator) else (y == "spam").astype(float)


def agreement(estimator: Any, X: Any, y: np.ndarray) -> float:
    target, predicted = target_for(estimator, y), estimator.predict(X)
    return float(np.mean(predicted == target if is_classifier(estimator) else (predicted > 0.5) == (target > 0.5)))


@pytest.mark.slow
@pytest.mark.parametrize("estimator", others_nightly(predictors), ids=name_of)
def test_separable_texts_are_learned_or_refused_with_a_true_sentence(estimator):
    words, y = texts()
    X = Table([Column.text("subject", words)])
    instead = REFUSES.get(type(estimator).__name__)
    if instead is None:
        assert agreement(clone(estimator).fit(X, target_for(estimator, y)), X, y) >= 0.95
        return
    with pytest.raises(NotSupportedError, match=f"'subject' is free text.*{instead}"):
        clone(estimator).fit(X, y)
    assert agreement(getattr(vaglio, instead)().fit(X, y), X, y) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("estimator", others_nightly(reading), ids=name_of)
def test_text_stands_beside_numbers_and_categories(estimator, tmp_path):
    words, y = texts(120)
    rng = np.random.default_rng(1)
    strings = [None if i % 17 == 0 else "" if i % 19 == 0 else text for i, text in enumerate(words)]
    colour = rng.choice(["red", "green"], 120)
    numeric = Column("size", "numeric", rng.normal(size=120), level="ratio")
    nominal = Column.nominal("colour", (colour == "red").astype(np.int32), ("green", "red"))
    X = Table([numeric, Column.text("subject", strings), nominal])
    if type(estimator).__name__ == "MultinomialNB":  # counts are not negative
        X = Table([Column.text("subject", strings), nominal])
    fitted = clone(estimator).fit(X, target_for(estimator, y))
    assert agreement(fitted, X, y) > 0.7
    fitted.save(tmp_path / "model.vaglio")
    loaded = vaglio.load(tmp_path / "model.vaglio")
    # Later rows: unseen words, no words, no text, other letters; columns in another order.
    strange = "please see the OFFER! GANHAR, prêmio today with you", "never-seen wörter 漢字 \U0001f600"
    later = Table(
        [
            Column.nominal("colour", np.array([0, 1, -1, 0], dtype=np.int32), ("green", "red")),
            Column.text("subject", [*strange, "", None]),
            Column("size", "numeric", np.array([0.1, 1.0, np.nan, -1.0]), level="ratio"),
        ]
    )
    same_order = Table([later.column(name) for name in X.columns])
    assert (loaded.predict(later) == fitted.predict(same_order)).all()
    told = loaded.explain(later)
    assert len(told) == 4
    assert all(str(each) for each in told)
    if is_classifier(estimator):
        assert loaded.predict(later)[0] == "spam"


TREES_AND_RULES = [e for e in reading if hasattr(e, "rules") and is_classifier(e) and "Forest" not in type(e).__name__]


@pytest.mark.slow
@pytest.mark.parametrize("estimator", TREES_AND_RULES, ids=name_of)
def test_rules_of_text_can_be_read_written_and_run(estimator):
    words, y = texts()
    X = Table([Column.text("my subject", [*words[:-4], None, "", "offer", "we"])])
    fitted = clone(estimator).fit(X, y)
    rules = fitted.rules()
    shown = str(rules)
    assert '"my subject" contains "' in shown
    assert " = yes" not in shown
    for again in (vaglio.RuleSet.parse(rules.to_text()), vaglio.RuleSet.from_json(rules.to_json())):
        np.testing.assert_allclose(again.predict_proba(X), rules.predict_proba(X))
    scope: dict[str, Any] = {}
    exec(rules.to_python("classify"), scope)
    given = X.column("my subject").data
    assert [scope["classify"]({"my subject": text}) for text in given] == rules.predict(X).tolist()
    with pytest.raises(NotSupportedError, match=r"'my subject' is free text.*Python"):
        rules.to_sql("mails")


def test_an_explanation_and_its_counterfactual_speak_of_words():
    words, y = texts()
    X = Table([Column.text("subject", words)])
    model = vaglio.C45Classifier().fit(X, y)
    told = model.explain(X[np.array([1])])[0]
    assert 'subject contains "' in told.reasons[-1].text
    assert str(told.counterfactual).startswith("subject did not have the word “")
    ham = model.explain(X[np.array([0])])[0]
    assert 'subject does not contain "' in ham.reasons[0].text
    assert str(ham.counterfactual).startswith("subject had the word “")
    # Of a text that is missing nothing is proposed: its words would all be known at once.
    assert model.explain(Table([Column.text("subject", [None])]))[0].counterfactual is None


def test_a_tree_of_words_is_drawn_in_the_names_of_the_table():
    words, y = texts()
    model = vaglio.ID3Classifier().fit(Table([Column.text("subject", words)]), y)
    drawn = model.fitted_.export("tree")
    assert 'subject contains "' in drawn
    assert "= yes" in drawn


def test_rules_may_be_forbidden_a_text():
    words, y = texts()
    size = Column("size", "numeric", (y == "spam") + np.zeros(len(y)), level="ratio")
    X = Table([size, Column.text("subject", words)])
    rules = vaglio.RIPPERClassifier(forbid=["subject"]).fit(X, y).rules()
    assert "contains" not in str(rules)
    assert "size" in str(rules)


def test_the_most_telling_words_stand_for_a_text():
    rng = np.random.default_rng(3)
    noise = [f"word{i}" for i in range(2000)]
    y = np.arange(300) % 2
    strings = [" ".join([*rng.choice(noise, 20), ("yea", "nay")[label]]) for label in y]
    model = vaglio.C45Classifier().fit(Table([Column.text("vote", strings)]), y)
    words = [feature.word[1] for feature in model.fitted_.codebook.features]
    assert len(words) == 256
    assert set(words[:2]) == {"yea", "nay"}
    assert model.fitted_.codebook.names == ["vote"]
    assert model.fitted_.provenance["training"]["columns"] == 1


def test_a_text_without_words_is_refused_alone_and_left_out_beside_others():
    empty = Column.text("subject", ["", None, "a", ""])
    y = ["no", "no", "yes", "yes"]
    with pytest.raises(VaglioError, match="'subject' holds no words"):
        vaglio.C45Classifier().fit(Table([empty]), y)
    both = Table([empty, Column("size", "numeric", np.array([1.0, 2.0, 8.0, 9.0]), level="ratio")])
    model = vaglio.CARTClassifier().fit(both, y)
    assert model.predict(both).tolist() == y


def test_words_are_chosen_from_the_training_rows_alone():
    words, y = texts()
    strings = pd.Series(words)
    half = np.arange(100)
    strings[100:] = strings[100:] + " leak"
    model = vaglio.C45Classifier().fit(Table([Column.text("subject", strings[half].tolist())]), y[half])
    assert "leak" not in {feature.word[1] for feature in model.fitted_.codebook.features}


@pytest.mark.parametrize("estimator", [vaglio.LogisticRegression(), vaglio.Perceptron()], ids=name_of)
def test_words_are_not_chosen_from_a_part_of_the_rows(estimator):
    words, y = texts()
    with pytest.raises(NotSupportedError, match=r"'subject' is free text.*fit instead of partial_fit"):
        estimator.partial_fit(Table([Column.text("subject", words)]), y, classes=["ham", "spam"])


def test_rows_of_weight_zero_choose_no_words():
    words, y = texts()
    X = Table([Column.text("subject", [*words, "leak leak", "leak again"])])
    weight = np.array([1.0] * len(words) + [0.0, 0.0])
    model = vaglio.C45Classifier().fit(X, [*y, "ham", "spam"], sample_weight=weight)
    assert "leak" not in {feature.word[1] for feature in model.fitted_.codebook.features}
