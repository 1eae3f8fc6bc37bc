"""One row gets what a table of that row gets: same class, same probabilities, same refusals, from any thread."""

from __future__ import annotations

import datetime
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.tables import many_values

import vaglio
from vaglio.errors import ColumnError, InputError, NotSupportedError, VaglioError
from vaglio.fitted import Fitted
from vaglio.fitted.one_row import OneRow
from vaglio.learners.registry import LEARNERS, REGRESSORS

from .estimators import name_of, others_nightly, regressors
from .test_exports import COLOUR, COSTS, DAY, FLAG, NUMBER, SIZE, WHOLE, make, rows

pytestmark = pytest.mark.filterwarnings("ignore")

NAMES = [NUMBER, WHOLE, COLOUR, FLAG, SIZE, DAY]
PLAIN = {NUMBER: 9.5, WHOLE: 3, COLOUR: "red", FLAG: True, SIZE: "small", DAY: datetime.date(2020, 5, 1)}
# One value of a row in another form, or a wrong one.
ODD: list[dict[str, Any]] = [
    {NUMBER: None, COLOUR: None, FLAG: None, SIZE: None, DAY: None, WHOLE: None},
    {NUMBER: float("nan"), COLOUR: float("nan")},
    {NUMBER: 9, WHOLE: 3.0},
    {NUMBER: "9.5", WHOLE: " 3 "},
    {NUMBER: "", WHOLE: "true"},
    {NUMBER: np.float64(9.5), WHOLE: np.int64(3), FLAG: np.bool_(True)},
    {NUMBER: np.float32(9.25), COLOUR: np.str_("red")},
    {NUMBER: True, WHOLE: False},
    {NUMBER: 10**400},
    {NUMBER: 2**80, WHOLE: -(2**70)},
    {NUMBER: float("inf")},
    {NUMBER: "many"},
    {NUMBER: datetime.date(2020, 1, 1)},
    {COLOUR: "never seen"},
    {COLOUR: "RED"},
    {COLOUR: ""},
    {COLOUR: 7},
    {COLOUR: 7.5},
    {COLOUR: True},
    {FLAG: 1},
    {FLAG: 0.0},
    {FLAG: "TRUE"},
    {FLAG: "no"},
    {FLAG: 2},
    {SIZE: "lar\"ge"},
    {SIZE: "huge"},
    {SIZE: 1},
    {DAY: "2020-05-01"},
    {DAY: "2020-13-01"},
    {DAY: "1 May 2020"},
    {DAY: datetime.datetime(2020, 5, 1, 13, 30, 7, 250)},
    {DAY: datetime.datetime(2020, 5, 1, tzinfo=datetime.UTC)},
    {DAY: pd.Timestamp("2020-05-01")},
    {DAY: pd.NaT, COLOUR: pd.NA},
    {DAY: 18383.5},
    {"another column": [1, 2], "": object()},
]  # fmt: skip


def outcome(call: Any) -> Any:
    try:
        return call()
    except VaglioError as error:
        return type(error)


def same(found: Any, wanted: Any) -> bool:
    if isinstance(found, type) or isinstance(wanted, type):
        return found is wanted
    return bool(np.allclose(found, wanted, rtol=1e-9, atol=1e-12))


def table_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [{name: row[name] for name in NAMES if name in row}]


def check(fitted: Fitted, row: dict[str, Any]) -> None:
    wanted = outcome(lambda: fitted.predict(table_of(row))[0])
    for form in (row, tuple(row[name] for name in NAMES), [row[name] for name in NAMES]):
        found = outcome(lambda form=form: fitted.predict_one(form))
        assert same(found, wanted) if fitted.classes is None else found == wanted, (form, found, wanted)
    if fitted.has_probabilities:
        wanted = outcome(lambda: fitted.predict_proba(table_of(row))[0])
        assert same(outcome(lambda: fitted.predict_proba_one(row)), wanted), row
    elif fitted.classes is not None:
        with pytest.raises(VaglioError):
            fitted.predict_proba_one(row)


@pytest.mark.slow
@pytest.mark.parametrize("learner", others_nightly(LEARNERS))
def test_one_row_is_a_table_of_one(learner: str):
    X, y = rows(80)
    fitted = make(learner).fit(X, y).fitted_
    # How a value is read does not depend on the learner: one with a compiled form and one without meet all of them.
    for odd in ODD if learner in ("c45", "mlp") else ODD[::4]:
        check(fitted, {**PLAIN, **odd})
    if fitted.has_probabilities:
        costed = fitted.with_cost(COSTS)
        new = rows(20, seed=1, unseen=True)[0]
        assert [costed.predict_one(row) for row in new.to_dict("records")] == costed.predict(new).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("learner", others_nightly(LEARNERS))
def test_one_row_with_a_column_of_many_values(learner: str):
    X, y = many_values()
    fitted = make(learner).fit(X, y).fitted_
    new = many_values(30, seed=1)[0]
    found = [fitted.predict_one(row) for row in new.to_dict("records")]
    assert found == fitted.predict(new).tolist()
    if fitted.has_probabilities:
        chances = [fitted.predict_proba_one(row) for row in new.to_dict("records")]
        assert np.allclose(chances, fitted.predict_proba(new), rtol=1e-9, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", others_nightly(regressors()), ids=name_of)
def test_one_row_of_numbers(estimator: Any):
    X, _ = rows(80)
    if "n_estimators" in estimator.get_params():
        estimator.set_params(n_estimators=5)
    fitted = estimator.fit(X, X[WHOLE] * 1.5).fitted_
    for odd in ODD[:14]:
        check(fitted, {**PLAIN, **odd})
    with pytest.raises(NotSupportedError):
        fitted.predict_proba_one(PLAIN)
    assert fitted.decide_one(PLAIN) == (pytest.approx(fitted.predict(table_of(PLAIN))[0]), None, None)


@pytest.mark.slow
@pytest.mark.parametrize("learner", others_nightly(REGRESSORS))
def test_one_row_of_numbers_with_a_column_of_many_values(learner: str):
    X, _ = many_values()
    y = np.arange(len(X)) % 17 + np.linspace(0, 5, len(X))
    fitted = few(REGRESSORS[learner].make()).fit(X, y).fitted_
    new = many_values(30, seed=1)[0]
    found = [fitted.predict_one(row) for row in new.to_dict("records")]
    assert found == pytest.approx(fitted.predict(new).tolist(), rel=1e-12)


def few(estimator: Any) -> Any:
    known = estimator.get_params()
    small = {"n_estimators": 5, "random_state": 0} | ({} if "random_state" not in known else {"max_iter": 20})
    return estimator.set_params(**{name: value for name, value in small.items() if name in known})


@pytest.mark.slow
@pytest.mark.parametrize("learner", others_nightly(REGRESSORS))
def test_many_threads_share_a_model_of_numbers(learner: str):
    X, _ = rows(60)
    fitted = few(REGRESSORS[learner].make()).fit(X, X[WHOLE] * 1.5).fitted_
    fresh = pickle.loads(pickle.dumps(fitted))  # compiled anew, by whoever asks first
    records = rows(40, seed=1, unseen=True)[0].to_dict("records")
    wanted = [fitted.predict_one(row) for row in records]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda i: fresh.predict_one(records[i % 40]), range(80)))
    assert found == wanted * 2


VARIANTS = {
    "some columns, soft": lambda: vaglio.BaggingClassifier(vaglio.C45Classifier(), 5, max_features=3, random_state=0),
    "voting of everything": lambda: vaglio.VotingClassifier(
        [("t", vaglio.C45Classifier()), ("p", vaglio.Perceptron()), ("b", vaglio.NaiveBayesClassifier())]
    ),
    "boosted linear": lambda: vaglio.AdaBoostClassifier(vaglio.LogisticRegression(), n_estimators=3, random_state=0),
    "kernel density": lambda: vaglio.NaiveBayesClassifier("kde"),
    "branches of missing values": lambda: vaglio.ID3Classifier(),
    "strict about categories": lambda: vaglio.C45Classifier(unseen="error"),
}


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_variants_too(variant: str):
    X, y = rows(80)
    fitted = VARIANTS[variant]().fit(X, y).fitted_
    for odd in ODD if variant.startswith("strict") else ODD[::5]:
        check(fitted, {**PLAIN, **odd})


def test_text_and_arrays_and_short_rows():
    X, y = rows(60)
    texts = pd.DataFrame({"note": pd.array([f"one {w} more" for w in y], dtype=object), "n": X[WHOLE]})
    table = vaglio.Table.from_any(texts, levels={"note": "text"})
    fitted = vaglio.NaiveBayesClassifier().fit(table, y).fitted_
    row = {"note": "one select more", "n": 2}
    assert same(fitted.predict_proba_one(row), fitted.predict_proba(pd.DataFrame([row]))[0])
    unnamed = vaglio.CARTClassifier().fit(np.arange(20.0).reshape(10, 2), [0, 1] * 5).fitted_
    assert unnamed.predict_one((2.0, 3.0)) == unnamed.predict(np.array([[2.0, 3.0]]))[0]
    assert unnamed.predict_one(np.array([2.0, 3.0])) == unnamed.predict_one([2.0, 3.0])
    fitted = vaglio.C45Classifier().fit(X, y).fitted_
    with pytest.raises(ColumnError, match="lacks"):
        fitted.predict_one({NUMBER: 1.0})
    for wrong in ([1.0, 2.0], (), "a word", 7):
        with pytest.raises(InputError, match=r"The row has|A row must be a dict"):
            fitted.predict_one(wrong)
    assert fitted.predict_one(X.iloc[0]) == fitted.predict(X[:1])[0]


@pytest.mark.slow
@pytest.mark.parametrize("learner", others_nightly(LEARNERS))
def test_many_threads_share_a_model(learner: str):
    X, y = rows(60)
    fitted = pickle.loads(pickle.dumps(make(learner).fit(X, y).fitted_))
    new = rows(40, seed=1, unseen=True)[0]
    wanted = fitted.predict(new).tolist()
    records = new.to_dict("records")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda i: fitted.predict_one(records[i % 40]), range(80)))
    assert found == wanted * 2
    assert pickle.loads(pickle.dumps(fitted)).predict_one(records[0]) == wanted[0]


@pytest.mark.slow
def test_many_threads_ask_all_models_at_once():
    X, y = rows(60)
    models = [make(learner).fit(X, y).fitted_ for learner in LEARNERS]
    records = rows(12, seed=1, unseen=True)[0].to_dict("records")
    alone = [[model.predict_one(row) for row in records] for model in models]
    fresh = [pickle.loads(pickle.dumps(model)) for model in models]  # compiled anew, by whoever asks first
    asked = [(m, i) for i in range(len(records)) for m in range(len(models))] * 2
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda pair: fresh[pair[0]].predict_one(records[pair[1]]), asked))
    assert found == [alone[m][i] for m, i in asked]


def test_a_decision_has_a_probability_and_reasons():
    X, y = rows(80)
    fitted = vaglio.C45Classifier().fit(X, y).fitted_.with_cost(COSTS)
    label, chance, reasons = fitted.decide_one(PLAIN)
    assert label == fitted.predict(table_of(PLAIN))[0]
    assert chance == fitted.predict_proba_one(PLAIN)[fitted.classes.tolist().index(label)]
    assert reasons is None
    assert fitted.decide_one(PLAIN, reasons=True).reasons.decision == label


# What the compiled reader takes by itself, without a table.
AT_ONCE: list[dict[str, Any]] = [
    {},
    {NUMBER: None, COLOUR: None, FLAG: None, SIZE: None, DAY: None},
    {NUMBER: np.float64(9.5), WHOLE: np.int64(3), FLAG: np.bool_(True), COLOUR: np.str_("red")},
    {NUMBER: True, WHOLE: np.float32("nan"), COLOUR: float("nan"), SIZE: float("nan")},
    {COLOUR: "never seen", SIZE: "huge", FLAG: 1},
    {COLOUR: 7.5, FLAG: 0.0, SIZE: 2},
    {DAY: "2020-05-01", NUMBER: -0.0},
    {DAY: datetime.datetime(2020, 5, 1, 13, 30), WHOLE: 2**53},
    {DAY: pd.NaT, NUMBER: np.float64("nan")},
]
COMPILED = ("c45", "cart", "random-forest", "logistic", "perceptron", "naive-bayes", "bagging", "adaboost", "voting")


@pytest.mark.slow
@pytest.mark.parametrize("learner", COMPILED)
def test_plain_rows_are_read_and_scored_at_once(learner: str):
    X, y = rows(80)
    # Calibration comes after the scores.
    fitted = make(learner).set_params(calibrate=None).fit(X, y).fitted_
    compiled = OneRow(fitted)
    for odd in AT_ONCE:
        row = {**PLAIN, **odd}
        found, wanted = compiled.reader.encode(row), fitted.codebook.encode(table_of(row))
        np.testing.assert_array_equal(found[0], wanted.numeric)
        np.testing.assert_array_equal(found[1], wanted.codes)
        code, values = compiled.reader.score(compiled.scorer, row)
        assert fitted.classes[code] == fitted.predict(table_of(row))[0]
        if fitted.has_probabilities:
            np.testing.assert_allclose(values, fitted.predict_proba(table_of(row))[0], rtol=1e-9)
    assert compiled.reader.encode({**PLAIN, COLOUR: 2**60}) is None  # a float would be another number
    strict = OneRow(vaglio.C45Classifier(unseen="error").fit(X, y).fitted_)
    assert strict.reader.encode(PLAIN) is not None
    assert strict.reader.encode({**PLAIN, COLOUR: "never seen"}) is None
