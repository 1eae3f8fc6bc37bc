from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import vaglio
from vaglio.errors import InputError, NotSupportedError
from vaglio.fitted import FORMATS, export_formats
from vaglio.fitted.formats import export
from vaglio.learners.registry import LEARNERS


def test_a_python_function_answers_as_the_model_does(play: tuple):
    X, y = play
    model = vaglio.C45Classifier().fit(X, y).fitted_
    names: dict = {}
    exec(model.export("python"), names)
    rows = X.to_frame().to_dict("records")
    assert [names["classify"](row) for row in rows] == model.predict(X).tolist()


def test_a_drawing_names_the_root_and_the_target(play: tuple):
    assert "outlook" in vaglio.C45Classifier().fit(*play).fitted_.export("svg")
    network = vaglio.BayesianNetworkClassifier().fit(*play).fitted_.with_provenance(target="play")
    assert ">play<" in network.export("svg")


def test_coefficients_are_in_the_units_of_the_table():
    X, y = vaglio.datasets.load("iris").xy()
    model = vaglio.LogisticRegression().fit(X, y)
    rows = json.loads(model.fitted_.export("json"))
    assert [row["coefficient"] for row in rows] == pytest.approx(model.coefficients()["coefficient"].tolist())
    assert model.fitted_.export("csv").startswith("class,name,coefficient\n")


def test_what_a_model_has_not_is_said(play: tuple):
    model = vaglio.JointBayesClassifier().fit(*play).fitted_
    with pytest.raises(NotSupportedError, match="Keep the model file"):
        model.export("sql")
    with pytest.raises(NotSupportedError, match="It can be exported as text, exact, json"):
        vaglio.RIPPERClassifier().fit(*play).fitted_.export("svg")
    with pytest.raises(InputError, match="no format 'docx'"):
        model.export("docx")


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["c45", "ripper", "random-forest", "naive-bayes"])
def test_every_form_it_has_can_be_written(learner: str, play: tuple):
    model = LEARNERS[learner].make().fit(*play).fitted_
    for format, write in export_formats(model).items():
        assert format in FORMATS
        assert write()


def test_a_digest_is_that_of_the_model_alone(play: tuple):
    first, again = (vaglio.C45Classifier().fit(*play).fitted_ for _ in range(2))
    other = vaglio.C45Classifier(max_depth=1).fit(*play).fitted_
    assert first.digest == again.with_provenance(target="play", command="whatever").digest
    assert first.digest != other.digest


@pytest.mark.parametrize("scheme", ["ovo", "ovr"])
def test_the_sides_of_a_support_vector_machine(scheme: str):
    X, y = vaglio.datasets.load("iris").xy()
    rows = vaglio.SVC(kernel="linear", multi_class=scheme).fit(X, y).fitted_.coefficients()
    sides = list(dict.fromkeys((row["class"], row["against"]) for row in rows))
    a, b, c = sorted(set(y))
    assert sides == ([(label, "the rest") for label in (a, b, c)] if scheme == "ovr" else [(a, b), (a, c), (b, c)])
    assert [row["name"] for row in rows][:5] == ["(intercept)", *X.columns]
    two = vaglio.SVC(kernel="linear").fit(X[:100], y[:100]).fitted_.coefficients()
    assert {(row["class"], row["against"]) for row in two} == {(b, a)}
    assert {row["class"] for row in vaglio.LogisticRegression().fit(X[:100], y[:100]).fitted_.coefficients()} == {b}


def test_what_has_no_form_says_why(play: tuple):
    for learner, why in (("knn", "It can be exported as onnx"), ("naive-bayes", "It can be exported as onnx, pmml")):
        with pytest.raises(NotSupportedError, match=f"'{learner}' cannot be exported as csv. {why}"):
            LEARNERS[learner].make().fit(*play).fitted_.export("csv")
    with pytest.raises(NotSupportedError, match=r"cannot be exported as csv: .*. Keep the model file"):
        vaglio.JointBayesClassifier().fit(*play).fitted_.export("csv")
    careful = vaglio.C45Classifier().fit(*play).fitted_.with_cost([[0, 9], [1, 0]])
    assert repr(careful).endswith("classes no and yes; decides for the class with the lowest expected cost")
    many = vaglio.C45Classifier().fit([[float(i)] for i in range(20)], [i // 2 for i in range(20)]).fitted_
    assert "classes 0, 1, 2, 3, 4, 5, 6, 7 and 2 more" in repr(many)


def test_a_model_of_words_has_no_graph_and_says_why_it_has_no_sql():
    notes = pd.DataFrame({"note": pd.array(["some words", "other words"] * 10, dtype=object), "n": np.arange(20.0)})
    table = vaglio.Table.from_any(notes, levels={"note": "text"})
    fitted = vaglio.NaiveBayesClassifier().fit(table, ["a", "b"] * 10).fitted_
    assert "onnx" not in export_formats(fitted)
    with pytest.raises(NotSupportedError) as asked:
        fitted.to_sql()
    with pytest.raises(NotSupportedError) as exported:
        export(fitted, "sql")
    assert str(exported.value) == str(asked.value)
