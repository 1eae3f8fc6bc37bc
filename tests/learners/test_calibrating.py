"""``calibrate`` changes the probabilities of every surface alike, and no class."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss
from tests.contracts.test_exports import CLASSES, COSTS, check_every_form, make, rows

import vaglio
from vaglio.errors import InputError, NotSupportedError
from vaglio.evaluation.predictions import predict_with_scores
from vaglio.fitted import Fitted, export_formats
from vaglio.fitted.file import from_bytes, to_bytes
from vaglio.learners.registry import LEARNERS
from vaglio.model.calibration import Calibration

pytestmark = pytest.mark.filterwarnings("ignore")

CALIBRATION = Calibration(1.7, 0.15)


def same(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(np.asarray(found, dtype=float), wanted, rtol=1e-9, atol=1e-9)


@pytest.fixture(scope="module")
def models() -> dict[str, Fitted]:
    """One calibrated model per kind; which calibration it is does not matter here."""
    X, y = rows()
    found: dict[str, Fitted] = {}
    for name in sorted(LEARNERS, key=lambda name: name not in ("c45", "bagging", "logistic", "ripper")):
        kind, estimator = LEARNERS[name].kind, make(name)
        if kind not in found and hasattr(estimator, "predict_proba"):
            try:
                found[kind] = replace(estimator.fit(X, y).fitted_, calibration=CALIBRATION)
            except NotSupportedError:
                continue
    assert len(found) > 10
    return found


@pytest.mark.slow
def test_every_surface_shows_the_same_probabilities(models):
    X, _ = rows(30, seed=1, unseen=True)
    for name, fitted in models.items():
        plain = replace(fitted, calibration=None)
        wanted = CALIBRATION(plain.predict_proba(X))
        same(fitted.predict_proba(X), wanted)
        assert fitted.predict(X).tolist() == plain.predict(X).tolist(), name
        same([fitted.predict_proba_one(row) for row in X.to_dict("records")], wanted)
        same(fitted.predict_with_proba(X)[1], wanted)
        scores = predict_with_scores(fitted, X).scores
        assert scores is not None
        same(scores.values, wanted)
        decided = [fitted.classes.tolist().index(label) for label in plain.predict(X)]
        told = fitted.explain(X.iloc[:8], counterfactual=False)
        same([e.probability for e in told], wanted[np.arange(8), decided[:8]])
        assert all(e.notes[-1].code == "calibrated-probability" for e in told)
        if name not in ("ensemble", "forest"):  # whose rules for ranks in files are tested elsewhere
            again = from_bytes(to_bytes(fitted))
            assert again.calibration == CALIBRATION
            assert to_bytes(again) == to_bytes(fitted)


@pytest.mark.slow
def test_costs_decide_by_calibrated_probabilities_everywhere(models):
    X, _ = rows(60, seed=2, unseen=True)
    for name, fitted in models.items():
        if not fitted.has_probabilities:
            continue
        careful = fitted.with_cost(COSTS)
        assert careful.cost is not None
        wanted = fitted.classes[careful.cost.decide(fitted.predict_proba(X))].tolist()
        assert careful.predict(X).tolist() == wanted, name
        assert [careful.predict_one(row) for row in X.to_dict("records")] == wanted
        assert [e.decision for e in careful.explain(X.iloc[:8])] == wanted[:8], name


@pytest.mark.slow
def test_exports_are_calibrated_or_refused(models):
    X, _ = rows(40, seed=3, unseen=True)
    for name, fitted in models.items():
        assert "pmml" not in export_formats(fitted)
        careful, chances = fitted.with_cost(COSTS), fitted.predict_proba(X)
        check_every_form(careful, X)
        forms = export_formats(careful)
        if "python" in forms:
            space: dict[str, Any] = {}
            exec(careful.export("python"), space)
            same([list(space["classify"](row, probabilities=True).values()) for row in X.to_dict("records")], chances)
        if "exact" in forms:
            rules = vaglio.RuleSet.parse(careful.export("exact"))
            assert rules.calibration == Fitted.from_rules(rules).calibration == CALIBRATION, name
    with pytest.raises(NotSupportedError, match="calibrated"):
        models["tree"].to_pmml()


@pytest.mark.slow
def test_new_rows_get_better_probabilities():
    random = np.random.default_rng(0)
    X = random.normal(size=(1400, 5))
    y = (X[:, 0] + random.logistic(size=1400) > 0).astype(int)
    for estimator in (vaglio.ID3Classifier(), vaglio.CN2Classifier(), vaglio.ObliqueTreeClassifier(random_state=0)):
        plain, careful = (
            clone(estimator).set_params(calibrate=how).fit(X[:400], y[:400]) for how in (None, "temperature")
        )
        assert (plain.predict(X) == careful.predict(X)).all()
        losses = [log_loss(y[400:], model.predict_proba(X[400:])) for model in (plain, careful)]
        assert losses[1] < losses[0] - 0.02


@pytest.mark.slow
def test_the_model_does_not_depend_on_threads_or_place(tmp_path):
    X, y = rows(300)
    frame = pd.DataFrame({"a": np.arange(300) % 7, "b": np.arange(300) * 37 % 101, "y": y})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    made = vaglio.RandomForestClassifier(n_estimators=5, calibrate="temperature", random_state=0)
    one, two = (to_bytes(clone(made).set_params(n_jobs=n).fit(X, y).fitted_) for n in (1, 1))
    assert one == two
    found = [clone(made).set_params(n_jobs=n).fit(X, y).fitted_ for n in (1, 2)]
    assert found[0].calibration == found[1].calibration
    assert (found[0].predict_proba(X) == found[1].predict_proba(X)).all()
    learner = vaglio.NaiveBayesClassifier(calibrate="temperature")
    here = clone(learner).fit(frame[["a", "b"]], frame["y"]).fitted_
    there = clone(learner).fit(*vaglio.scan(tmp_path / "rows.csv").xy("y")).fitted_
    assert here.calibration == there.calibration
    assert here.calibration is not None


def test_a_class_of_one_row_stays_in_every_fold():
    X, y = np.arange(12.0)[:, None], np.array(["a"] * 6 + ["b"] * 5 + ["c"])
    model = vaglio.C45Classifier(calibrate="temperature").fit(X, y)
    assert model.fitted_.calibration is not None
    assert model.predict_proba(X).shape == (12, 3)
    alone = vaglio.C45Classifier(calibrate="temperature").fit(X[:3], ["a", "b", "c"])
    assert alone.fitted_.calibration is None


def test_what_has_no_probabilities_says_so():
    X, y = rows()
    with pytest.raises(NotSupportedError, match="needs probabilities"):
        vaglio.Perceptron(calibrate="temperature").fit(X[[X.columns[1]]], y == CLASSES[0])
    with pytest.raises(InputError, match="all rows at once"):
        vaglio.NaiveBayesClassifier(calibrate="temperature").partial_fit(X, y, classes=CLASSES)
