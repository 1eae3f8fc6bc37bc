"""A model that leaves for another system says there what it says here, or is refused by name with what it can be.

Every learner, every format, on two small tables: one of real life (numbers, categories, booleans, an order, dates,
missing and unseen values, names that no language likes) and one of numbers with two classes; with and without costs.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.contracts.estimators import one_per_kind, regressors
from tests.contracts.test_exports import COLOUR, COSTS, DAY, FLAG, NUMBER, WHOLE, in_python, make, rows
from tests.tables import many_values

import vaglio
from vaglio.errors import NotSupportedError
from vaglio.fitted import Fitted, export_formats
from vaglio.learners.registry import LEARNERS

from .other_systems import RUNNERS, in_pypmml

pytestmark = pytest.mark.filterwarnings("ignore")


# What a format cannot say of a model that it takes otherwise.
REFUSED = r"cannot be exported as \w+[:.] .*([Ii]t can be exported as|[Kk]eep the model file)|multiply a date"


def numbers(n: int = 90, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(4, 1, size=(n, 3)).round(1).clip(0)
    X[rng.random(X.shape) < 0.05] = np.nan
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(d=rng.integers(0, 3, n))
    return frame, np.where(np.nan_to_num(X[:, 0]) + (np.nan_to_num(X[:, 1]) - 4) ** 2 > 4.7, 1, 0)


TABLES = {"real life": rows, "numbers": numbers, "many values": many_values}

VARIANTS: dict[str, Any] = {
    **{learner: lambda learner=learner: make(learner) for learner in LEARNERS},
    "c45 bagged, soft": lambda: vaglio.BaggingClassifier(vaglio.C45Classifier(), 3, random_state=0),
    "some columns": lambda: vaglio.BaggingClassifier(n_estimators=3, max_features=3, random_state=0),
    "boosted c45": lambda: vaglio.AdaBoostClassifier(vaglio.C45Classifier(max_depth=2), n_estimators=3, random_state=0),
    "bagged rules": lambda: vaglio.BaggingClassifier(vaglio.RIPPERClassifier(random_state=0), 3, random_state=0),
    "a vote": lambda: vaglio.VotingClassifier(
        [("t", vaglio.C45Classifier()), ("p", vaglio.Perceptron()), ("b", vaglio.NaiveBayesClassifier())]
    ),
    "smoothed leaves": lambda: vaglio.C45Classifier(leaf_smoothing="laplace"),
    "branches of missing values": lambda: vaglio.DecisionTreeClassifier(missing="branch"),
    "unordered rules": lambda: vaglio.CN2Classifier(mode="unordered"),
    "linear machine, calibrated": lambda: vaglio.SVC(kernel="linear", calibration="sigmoid", random_state=0),
    "linear machine, one against the rest": lambda: vaglio.SVC(kernel="linear", decision_function_shape="ovr"),
    **{
        f"naive Bayes, {likelihood}": lambda likelihood=likelihood: vaglio.NaiveBayesClassifier(likelihood)
        for likelihood in ("gaussian", "kde", "mdl", "discrete", "poisson", "exponential")
    },
    "machine, one against the rest": lambda: vaglio.SVC(kernel="poly", degree=2, decision_function_shape="ovr"),
    "machine, calibrated": lambda: vaglio.SVC(kernel="sigmoid", calibration="sigmoid", random_state=0),
    "neighbours by distance": lambda: vaglio.KNeighborsClassifier(weights="distance", metric="manhattan"),
    "a network of logistic units": lambda: vaglio.MLPClassifier((4, 3), activation="logistic", random_state=0),
    "naive Bayes without smoothing": lambda: vaglio.NaiveBayesClassifier(alpha=0.0),
    "a curve of degree 2": lambda: vaglio.LogisticRegression(degree=2),
    "a hyperplane of degree 3": lambda: vaglio.Perceptron(degree=3),
}


@cache
def fitted_of(variant: str, table: str) -> tuple[Fitted, pd.DataFrame]:
    """The model, and rows it was not trained on."""
    make_rows = TABLES[table]
    X, y = make_rows(200 if table == "many values" else 60)
    if variant in ("naive Bayes, poisson", "naive Bayes, exponential"):
        columns = [WHOLE, FLAG] if table == "real life" else ["d"]
        return VARIANTS[variant]().fit(X[columns], y).fitted_, make_rows(60, seed=1)[0][columns]
    new = rows(60, seed=1, unseen=True)[0] if table == "real life" else make_rows(60, seed=1)[0]
    return VARIANTS[variant]().fit(X, y).fitted_, new


def clear(scores: np.ndarray) -> np.ndarray:
    """Rows in which the best two classes do not tie: the order of a sum decides a tie by its rounding."""
    first, second = np.sort(-scores, axis=1)[:, :2].T
    return second - first > 1e-6


def check(fitted: Fitted, frame: pd.DataFrame, system: str, folder: Path) -> None:
    format, run = ("pmml", in_pypmml) if system == "pypmml" else RUNNERS[system]
    if format not in export_formats(fitted):
        with pytest.raises(NotSupportedError, match=r"it can be exported as|keep the model file|cannot be exported"):
            fitted.export(format)
        return
    try:
        answers, chances = run(fitted, frame, folder)
    except NotSupportedError as error:
        assert re.search(REFUSED, str(error))
        return
    wanted = fitted.predict(frame)
    if fitted.classes is None:
        assert answers == pytest.approx(wanted.tolist(), rel=1e-6)
        return
    sure = np.ones(len(frame), dtype=bool)
    if fitted.has_probabilities:
        probability = fitted.predict_proba(frame)
        if chances is not None:
            assert np.abs(chances - probability).max() < 1e-6
        cost = fitted.decision_cost
        sure = clear(probability if cost is None else -cost.expected(probability))
    assert sure.mean() > 0.5
    assert np.array(answers, dtype=object)[sure].tolist() == wanted[sure].tolist()


# A database server is asked for few models, and the second table shows what the first does not: two classes, numbers.
SERVED = ("c45", "ripper", "random-forest", "naive-bayes", "logistic", "linear machine, calibrated")
# One learner of each kind goes to every system; other learners and variants go to two that need no other process, and
# to the rest at night.
CHOSEN = {getattr(estimator, "_learner_id", None) for estimator in one_per_kind()}
NEAR = ("onnx", "sqlite")


def _case(variant: str, system: str, table: str) -> Any:
    nightly = variant not in CHOSEN and (system not in NEAR or table != "real life")
    return pytest.param(variant, system, table, marks=[pytest.mark.nightly] if nightly else [])


CASES = [
    _case(variant, system, table)
    for variant in VARIANTS
    for system in RUNNERS
    for table in TABLES
    if (table == "real life" and (system != "postgresql" or variant in SERVED))
    or (table != "real life" and variant in LEARNERS and system in ("c", "onnx", "pmml"))
]


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "system", "table"), CASES)
def test_a_model_says_the_same_elsewhere(variant: str, system: str, table: str, tmp_path: Path):
    fitted, frame = fitted_of(variant, table)
    if fitted.has_probabilities and table == "real life" and variant in ("c45", "naive-bayes", "logistic"):
        fitted = fitted.with_cost(COSTS)
    check(fitted, frame, system, tmp_path)


# Quotes, ends of comments, lines, scripts and formats, trigraphs, reserved words, spaces at the ends, other alphabets.
HOSTILE = [
    '"', "'", "\\", "\n", "\r\n", "\t", "`", "*/", "//", "--", "/*", "??/", "??'", "</script>", "<!-- -->", "]]>",
    "&lt;", "${x}", "%s%d", "{}", "__proto__", "constructor", "double", "select", "class", "return", "NULL", "NaN", "ß",
    "🙂", "Ω", "\u202ea", " x", "x ", "a b", "\u00a0", "\ufeff", "0", "-1", "1e5", "true", "c0", "row", "m0", "label ",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("system", RUNNERS)
def test_no_name_and_no_value_is_more_than_text(system: str, tmp_path: Path):
    rng, values = np.random.default_rng(0), np.array(HOSTILE, dtype=object)
    word = values[np.arange(135) % len(values)]
    names = iter(HOSTILE)
    frame = pd.DataFrame({next(names): word, next(names): values[rng.integers(3, 6, 135)]})
    more = {name: rng.normal(size=135).round(1) for name in names}
    frame = pd.concat([frame, pd.DataFrame(more)], axis=1)
    y = values[(word < "A") * 7 + (frame["select"] > 0).to_numpy() * 14]
    for learner in ("cart", "naive-bayes", "ripper", "logistic"):
        seen = frame if learner in ("cart", "ripper") else frame.iloc[:, :12]
        (tmp_path / learner).mkdir()
        check(make(learner).fit(seen, y).fitted_, seen[:90], system, tmp_path / learner)


@pytest.mark.slow
def test_another_reader_of_pmml_says_the_same(tmp_path: Path):
    """PMML4S, in which a tie of votes goes to the class that got the first one."""
    for variant in VARIANTS:
        for table in ("real life", "numbers"):
            fitted, frame = fitted_of(variant, table)
            if "pmml" in export_formats(fitted):
                check(fitted, frame, "pypmml", tmp_path)
                if fitted.has_probabilities and table == "real life":
                    check(fitted.with_cost(COSTS), frame, "pypmml", tmp_path)


def test_the_table_of_many_values_has_columns_that_are_believed_in_part():
    encoder: Any = fitted_of("logistic", "many values")[0].model.encoder
    assert 0 < encoder.reliability[0] < 0.5
    assert encoder.reliability[1] == 0


@pytest.mark.slow
@pytest.mark.parametrize("system", [name for name in RUNNERS if name != "postgresql"])
@pytest.mark.parametrize("number", range(len(regressors())))
def test_a_model_of_numbers_says_the_same_elsewhere(number: int, system: str, tmp_path: Path):
    estimator = regressors()[number]
    few = {"n_estimators": 3, "max_iter": 3, "early_stopping": False}
    estimator.set_params(**{name: value for name, value in few.items() if name in estimator.get_params()})
    X, _ = rows(90)
    check(estimator.fit(X, X[WHOLE] * 1.5).fitted_, rows(60, seed=1, unseen=True)[0], system, tmp_path)


@pytest.mark.parametrize("system", [name for name in RUNNERS if name not in ("postgresql", "c", "javascript")])
def test_a_polynomial_says_the_same_elsewhere(system: str, tmp_path: Path):
    """A product of columns is missing where a factor is."""
    X, _ = rows(90)
    frame = X.drop(columns=DAY) if system in ("sqlite", "duckdb") else X
    fitted = vaglio.LinearRegression(degree=3).fit(frame, X[WHOLE] * 1.5 + X[NUMBER].fillna(9) ** 2).fitted_
    assert fitted.model.encoder.products is not None
    new = rows(60, seed=1, unseen=True)[0][list(frame)]
    said = RUNNERS[system][1](fitted, new, tmp_path)[0]
    np.testing.assert_allclose(np.array(said, dtype=float), fitted.predict(new), rtol=1e-9)


def model_tree(**parameters: Any) -> Fitted:
    X, y = rows(400)
    line = X[NUMBER].fillna(9) * np.where(X[DAY].isna() | (X[COLOUR] == "red"), -1.0, 2.0) + (y == y[0]) * 5
    return vaglio.ModelTreeRegressor(**parameters).fit(X, line).fitted_


@pytest.mark.slow
@pytest.mark.parametrize("system", [*RUNNERS, "pypmml"])
def test_a_model_tree_of_several_leaves_says_the_same_elsewhere(system: str, tmp_path: Path):
    """Also in SQL, whose dialects compute with dates."""
    fitted, frame = model_tree(), rows(120, seed=1, unseen=True)[0]
    assert fitted.model.tree.n_leaves > 5
    run = in_pypmml if system == "pypmml" else RUNNERS[system][1]
    said = np.array(run(fitted, frame, tmp_path)[0], dtype=float)
    np.testing.assert_allclose(said, fitted.predict(frame), rtol=0, atol=1e-9)


@pytest.mark.parametrize("parameters", [{}, {"smoothing": 0.0}, {"max_depth": 1}, {"min_samples_leaf": 300}])
@pytest.mark.parametrize("system", ["python", "onnx", "pmml"])
def test_a_model_tree_of_any_size_says_the_same_elsewhere(
    parameters: dict[str, Any], system: str, tmp_path: Path
) -> None:
    """Without pruning or smoothing, of one test and of none; numbers far away end within the bounds."""
    fitted, frame = model_tree(**parameters), rows(60, seed=1, unseen=True)[0]
    far = frame.head(2).assign(**{NUMBER: [1e200, -1e200]})
    frame = pd.concat([frame, far], ignore_index=True)
    if system == "python":
        said = in_python(fitted.export("python"), frame)
    else:
        said = RUNNERS[system][1](fitted, frame, tmp_path)[0]
    np.testing.assert_allclose(np.array(said, dtype=float), fitted.predict(frame), rtol=0, atol=1e-9)
