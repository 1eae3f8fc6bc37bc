"""Predictions of a fitted model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import vaglio
from vaglio import datasets
from vaglio.encode import Codebook
from vaglio.errors import InputError, NotSupportedError
from vaglio.fitted import Fitted
from vaglio.learners.registry import find
from vaglio.table import CellFormat

LEARNERS = ["c45", "logistic", "perceptron", "svm", "knn", "naive-bayes", "ripper", "adaboost"]


@pytest.mark.parametrize("learner", LEARNERS)
def test_class_and_probabilities_from_one_encoding(learner: str, monkeypatch: pytest.MonkeyPatch):
    X, y = datasets.load("iris").xy("species")
    fitted = find(learner).make().fit(X, y).fitted_
    expected = fitted.predict(X)
    try:
        expected_proba = fitted.predict_proba(X)
    except NotSupportedError:
        expected_proba = None
    encode, encoded = Codebook.encode, []

    def counting(self, rows):
        encoded.append(rows)
        return encode(self, rows)

    monkeypatch.setattr(Codebook, "encode", counting)
    labels, proba = fitted.predict_with_proba(X)
    assert len(encoded) == 1
    assert labels.tolist() == expected.tolist()
    assert proba is None if expected_proba is None else (proba == expected_proba).all()


def numbers() -> Fitted:
    return vaglio.DecisionTreeRegressor(max_depth=1).fit(ROWS, [0.0, 0.0, 1.0, 1.0]).fitted_


ROWS = np.array([[0.0], [1.0], [2.0], [3.0]])


def test_a_model_of_numbers_has_no_classes_to_speak_of():
    model = numbers()
    predicted, probabilities = model.predict_with_proba(ROWS)
    assert predicted.tolist() == model.predict(ROWS).tolist() == [0, 0, 1, 1]
    assert probabilities is None
    assert not model.has_probabilities
    with pytest.raises(NotSupportedError, match=r"'[a-z-]+' does not give probabilities"):
        model.predict_proba(ROWS)
    with pytest.raises(InputError, match="this model predicts numbers"):
        model.with_cost([[0, 1], [1, 0]])
    assert len(model.rules()) == 2


def test_what_a_model_has_not_is_said(play):
    knn = vaglio.KNeighborsClassifier().fit(*play).fitted_
    for what, name in (("decision values", "decision_function"), ("rules", "rules")):
        with pytest.raises(NotSupportedError, match=f"'knn' does not give {what}"):
            getattr(knn, name)(*([play[0]] if name != "rules" else []))
    with pytest.raises(NotSupportedError, match="'knn' does not give coefficients"):
        knn.coefficients()
    perceptron = vaglio.Perceptron(random_state=0).fit(*play).fitted_
    assert not perceptron.has_probabilities
    with pytest.raises(NotSupportedError, match="needs probabilities, which the learner 'perceptron' does not give"):
        perceptron.with_cost([[0, 1], [1, 0]])


def test_costs_are_put_in_and_out_of_use(play):
    X, y = play
    plain = vaglio.NaiveBayesClassifier().fit(X, y).fitted_
    careful = plain.with_cost({("no", "yes"): 9, ("yes", "no"): 1})
    assert (plain.decision_cost, careful.decision_cost) == (None, careful.cost)
    without = careful.with_decision_rule("argmax")
    assert without.decision_cost is None
    assert without.cost is careful.cost
    assert without.predict(X).tolist() == plain.predict(X).tolist() != careful.predict(X).tolist()
    again = without.with_decision_rule("cost")
    assert (
        again.predict(X).tolist()
        == careful.predict(X).tolist()
        == careful.with_decision_rule("cost").predict(X).tolist()
    )
    assert plain.with_decision_rule("argmax").decide == "argmax"
    with pytest.raises(InputError, match="no costs to decide by"):
        plain.with_decision_rule("argmax").with_decision_rule("cost")
    with pytest.raises(InputError, match="not by 'luck'"):
        careful.with_decision_rule("luck")
    labels, probabilities = careful.predict_with_proba(X)
    assert labels.tolist() == careful.predict(X).tolist()
    np.testing.assert_array_equal(probabilities, plain.predict_proba(X))


@pytest.mark.parametrize(
    ("training", "shape"),
    [
        ({"rows": 4, "columns": 1}, (4, 1)),
        ({"rows": 0, "columns": 1}, None),
        ({"rows": 4, "columns": 0}, None),
        ({"rows": 4.0, "columns": 1}, None),
        ({"rows": 4, "columns": "1"}, None),
        ({"rows": True, "columns": 1}, None),
        ({"rows": 4}, None),
        ("many", None),
        (None, None),
    ],
)
def test_the_shape_of_the_training_rows_where_it_is_known(training, shape):
    assert numbers().with_provenance(training=training).training_shape == shape


def test_what_the_provenance_says():
    model = numbers()
    assert model.with_provenance(target="y").target == "y"
    assert model.with_provenance(target=3).target is None
    noted = model.with_provenance(dates=["day", 3], x=1)
    assert noted.cell_formats == {**model.cell_formats, "day": CellFormat("date")}
    assert model.with_provenance(dates="day").cell_formats == model.cell_formats
    assert noted.provenance == {**model.provenance, "dates": ["day", 3], "x": 1}
    assert "x" not in model.provenance
    assert noted.digest == model.digest != replace(noted, params={}).digest


def test_rules_that_a_person_wrote(play):
    model = Fitted.from_rules(vaglio.RuleSet.parse("IF age > 60 THEN yes ELSE no"))
    assert (model.learner, model.params, list(model.provenance)) == ("rules", {}, ["version"])
    assert model.predict([{"age": 70.0}, {"age": 50.0}]).tolist() == ["yes", "no"]
    assert model.cost is None
    costed = vaglio.C45Classifier().fit(*play).fitted_.with_cost([[0, 9], [1, 0]])
    again = Fitted.from_rules(costed.rules())
    assert again.cost.matrix.tolist() == [[0, 9], [1, 0]]
    assert again.predict(play[0]).tolist() == costed.predict(play[0]).tolist()


@pytest.mark.parametrize("n", [0, 1, 3])
def test_rows_are_drawn_by_number_and_label(n, play):
    model = vaglio.NaiveBayesClassifier().fit(*play).fitted_
    assert len(model.sample(n, random_state=0)) == n
    assert list(model.sample(n, "yes", random_state=0).columns) == model.codebook.names
    assert len(model.sample(random_state=0)) == 1
    with pytest.raises(InputError, match="n is -1"):
        model.sample(-1)
    with pytest.raises(InputError, match=r"There is no class 'maybe' to draw from\. The classes are 'no' and 'yes'"):
        model.sample(n, "maybe")
