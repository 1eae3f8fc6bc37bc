from __future__ import annotations

import json

import pytest

import vaglio
from vaglio.errors import InputError, NotSupportedError
from vaglio.fitted import FORMATS, export_formats
from vaglio.learn.registry import LEARNERS


def test_a_python_function_answers_as_the_model_does(play: tuple):
    X, y = play
    model = vaglio.C45Classifier().fit(X, y).fitted_
    names: dict = {}
    exec(model.export("python"), names)
    rows = X.to_frame().to_dict("records")
    assert [names["classify"](row) for row in rows] == model.predict(X).tolist()


def test_a_drawing_names_the_root_and_the_target(play: tuple):
    assert "outlook" in vaglio.C45Classifier().fit(*play).fitted_.export("svg")
    network = vaglio.BayesianNetworkClassifier().fit(*play).fitted_.noting(target="play")
    assert ">play<" in network.export("svg")


def test_coefficients_are_in_the_units_of_the_table():
    X, y = vaglio.datasets.load("iris").xy()
    model = vaglio.LogisticRegression().fit(X, y)
    rows = json.loads(model.fitted_.export("json"))
    assert [row["coefficient"] for row in rows] == pytest.approx(model.coefficients()["coefficient"].tolist())
    assert model.fitted_.export("csv").startswith("class,name,coefficient\n")


def test_what_a_model_has_not_is_said(play: tuple):
    model = vaglio.JointBayesClassifier().fit(*play).fitted_
    with pytest.raises(NotSupportedError, match="keep the model file"):
        model.export("sql")
    with pytest.raises(NotSupportedError, match="it can be written as text, exact, json"):
        vaglio.RIPPERClassifier().fit(*play).fitted_.export("svg")
    with pytest.raises(InputError, match="no format 'docx'"):
        model.export("docx")


@pytest.mark.parametrize("learner", ["c45", "ripper", "random-forest", "naive-bayes"])
def test_every_form_it_has_can_be_written(learner: str, play: tuple):
    model = LEARNERS[learner].make().fit(*play).fitted_
    for format, write in export_formats(model).items():
        assert format in FORMATS
        assert write()


def test_a_digest_is_that_of_the_model_alone(play: tuple):
    first, again = (vaglio.C45Classifier().fit(*play).fitted_ for _ in range(2))
    other = vaglio.C45Classifier(max_depth=1).fit(*play).fitted_
    assert first.digest == again.noting(target="play", command="whatever").digest
    assert first.digest != other.digest
