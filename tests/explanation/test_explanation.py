"""One form for every learner: the decision is predict's, weights add up where they claim to, names are the user's."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import vaglio
from vaglio.errors import NotSupportedError
from vaglio.explanation import Explanation, Reason
from vaglio.learners.registry import LEARNERS

from .test_counterfactual import trained

PAGE = Path(__file__).parents[2] / "docs" / "explain.md"
pytestmark = pytest.mark.filterwarnings("ignore")
ADDING_UP = {
    "naive-bayes": "log-odds",
    "multinomial-nb": "log-odds",
    "bernoulli-nb": "log-odds",
    "joint-bayes": "log-odds",
    "gaussian-map": "log-odds",
    "gaussian-mixture": "log-odds",
    "bayes-net": "log-odds",
    "logistic": "log-odds",
    "perceptron": "lead",
    "random-forest": "probability",
    "bagging": "probability",
    "adaboost": "probability",
}


@pytest.fixture(scope="module")
def penguins():
    X, y = vaglio.datasets.load("penguins").xy("species")
    return X.to_frame(), y


def said(explanation: Explanation) -> list[Reason]:
    return [*explanation.reasons, *explanation.against]


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
def test_one_form_for_every_learner(learner):
    model, X, _ = trained(learner, "penguins")
    rows = X.iloc[[0, 3, 60, 150, 200, 290, 343]]
    explanations = model.explain(rows, counterfactual=False)
    assert [e.decision for e in explanations] == model.predict(rows).tolist()
    for explanation, (_, row) in zip(explanations, rows.iterrows()):
        assert explanation.runner_up != explanation.decision
        assert explanation.reasons or explanation.notes
        for reason in said(explanation):
            if reason.feature is not None:
                assert reason.feature in X.columns
                assert reason.value == row[reason.feature] or pd.isna(row[reason.feature])
        assert all(r.weight is None or r.weight > 0 for r in explanation.reasons)
        json.loads(json.dumps(explanation.to_dict()))
    if hasattr(model, "predict_proba") and learner != "svm":
        top = model.predict_proba(rows).max(axis=1)
        assert [e.probability for e in explanations] == pytest.approx(top.tolist())


@pytest.mark.slow
@pytest.mark.parametrize("learner", ADDING_UP)
def test_weights_add_up_to_what_they_claim(penguins, learner):
    X, y = penguins
    X = X.dropna()
    y = np.asarray(y)[X.index]
    # A note says what the reasons amount to where the probability is calibrated.
    model = LEARNERS[learner].make().set_params(calibrate=None).fit(X, y)
    rows = X.iloc[::45]
    for explanation, (_, row) in zip(model.explain(rows, counterfactual=False), rows.iterrows()):
        assert ADDING_UP[learner] in explanation.measure
        total = sum(reason.weight for reason in said(explanation))
        assert total == pytest.approx(explanation.total, abs=1e-9)
        a, b = (list(model.classes_).index(label) for label in (explanation.decision, explanation.runner_up or y[0]))
        if ADDING_UP[learner] == "probability":
            expected = explanation.probability
        elif ADDING_UP[learner] == "lead":
            values = model.decision_function(row.to_frame().T.astype(rows.dtypes))[0]
            expected = values[a] - values[b]
        else:
            logarithms = model.predict_log_proba(row.to_frame().T.astype(rows.dtypes))[0]
            expected = logarithms[a] - logarithms[b]
        assert np.isinf(expected) or total == pytest.approx(expected, rel=1e-6, abs=1e-9)


class Balanced(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.slow
def test_html_is_well_formed_and_hostile_names_stay_text():
    X = pd.DataFrame({"<b>x</b>": [1.0, 2, 3, 4] * 5, "y&z": ["<i>", "b", "<i>", "b"] * 5})
    y = ["<script>", "n", "<script>", "n"] * 5
    for learner in LEARNERS:
        page = LEARNERS[learner].make().fit(X, y).explain(X.head(1))[0]._repr_html_()
        reader = Balanced()
        reader.feed(page)
        assert reader.open == []
        assert not re.search(r"<script>|<b>x|<i>(?!<)", page.replace("<i style", ""))


def test_bars_are_as_long_as_their_weights():
    page = Explanation("a", reasons=(Reason("x", weight=2.0),), against=(Reason("y", weight=-1.0),)).to_html()
    assert re.findall(r"width:(\d+)%", page) == ["100", "50"]
    assert "width:100%" in Explanation("a", reasons=(Reason("x", weight=float("inf")),)).to_html()


@pytest.mark.slow
def test_similar_training_rows_are_named_where_trees_vote(penguins):
    X, y = penguins
    for learner in ("random-forest", "bagging", "adaboost"):
        model = LEARNERS[learner].make().fit(X, y)
        note = next(note for note in model.explain(X.iloc[[200]], training=X)[0].notes if "most similar" in note)
        similarity = model.similarity(X.iloc[[200]], X).toarray()[0]
        first, share = re.search(r": (\d+) \((\d+)%\)", note).groups()
        assert similarity[int(first)] == similarity.max()
        assert int(share) == round(100 * similarity.max())
    with pytest.raises(NotSupportedError, match="Leave training out"):
        LEARNERS["c45"].make().fit(X, y).explain(X.head(1), training=X)


def test_the_outputs_on_the_page_are_real():
    page = PAGE.read_text(encoding="utf-8")
    X, y = vaglio.datasets.load("penguins").xy("species")
    model = vaglio.NaiveBayesClassifier().fit(X, y)
    explanation = model.explain(X[[338]])[0]
    shown = re.findall(r"^```\w*\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE)[1]
    assert str(explanation).strip() == shown.strip()
    change = explanation.counterfactual
    for text in (str(change.changes), repr(change.decision), f"{change.distance:.2f}"):
        assert text in page
