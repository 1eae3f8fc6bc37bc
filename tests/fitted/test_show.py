"""A fitted model shows itself: one line of text, and in a notebook the model where it can be read."""

from __future__ import annotations

import pytest

import vaglio
from vaglio.fitted import Fitted
from vaglio.learners.registry import REGRESSORS


def test_one_line_says_what_it_is(play):
    assert repr(vaglio.C45Classifier().fit(*play).fitted_) == (
        "Fitted c45: 8 nodes, 5 leaves, depth 2, mean path 1.71, branching 2.33; "
        "trained on 14 rows and 4 columns; classes no and yes"
    )


@pytest.mark.parametrize(
    ("estimator", "sign"),
    [
        (vaglio.ID3Classifier(), "<svg"),
        (vaglio.RIPPERClassifier(), "<pre"),
        (vaglio.BayesianNetworkClassifier(), "<svg"),
        (vaglio.LogisticRegression(), "outlook=sunny"),
        (vaglio.SVC(kernel="linear"), "yes against no"),
        (vaglio.NaiveBayesClassifier(), "4 attributes"),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else "",
)
def test_a_notebook_shows_the_model(estimator, sign, play):
    fitted = estimator.fit(*play)
    assert sign in fitted.fitted_._repr_html_()
    assert fitted._repr_mimebundle_()["text/html"] == fitted.fitted_._repr_html_() == fitted._repr_html_()


def test_before_fit_a_notebook_shows_the_parameters():
    assert "sk-" in vaglio.C45Classifier()._repr_html_()
    assert "sk-" in vaglio.C45Classifier()._repr_mimebundle_()["text/html"]


def test_a_deep_tree_is_folded():
    X = [[float(i)] for i in range(200)]
    deep = vaglio.CARTClassifier().fit(X, [i % 2 for i in range(200)])
    assert "leaves below" in deep._repr_html_()


def test_labels_are_escaped():
    rules = vaglio.RuleSet.parse('IF x > 1 THEN "<b>" ELSE "&"')
    page = Fitted.from_rules(rules)._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;" in page


def test_a_regressor_has_no_classes():
    tree = vaglio.DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 1.0, 1.0])
    assert "classes" not in repr(tree.fitted_)
    assert "<svg" in tree._repr_html_()


@pytest.mark.slow
@pytest.mark.parametrize("name", REGRESSORS)
def test_a_notebook_shows_every_model_of_numbers(name):
    X = {"size": [float(at) for at in range(24)], "colour": ["red", "green", "blue"] * 8}
    fitted = REGRESSORS[name].make().fit(vaglio.Table.from_any(X), [at * 0.5 for at in range(24)]).fitted_
    assert fitted.learner in fitted._repr_html_()
    if name == "linear":
        assert all(word in fitted._repr_html_() for word in ("size", "colour=red", "coefficient"))
