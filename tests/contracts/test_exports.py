"""What a model is exported as predicts as the model does, or is refused by name.

SQL runs in SQLite and Python code in this process, on a table of real life: numbers, categories, booleans, an order,
dates, missing values, categories that training never saw, and names that no language likes.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier

import vaglio
from vaglio.errors import NotSupportedError
from vaglio.fitted import FORMATS, Fitted, export_formats
from vaglio.learners.registry import LEARNERS
from vaglio.model.condition import value_text

from .estimators import name_of, others_nightly, regressors

pytestmark = pytest.mark.filterwarnings("ignore")

NUMBER, WHOLE, COLOUR, FLAG, SIZE, DAY = 'sel"ect', "from'where;--", "ünï\ncode {x}", "GROUP", "%s\\n", "vaglio_p0"
CLASSES = ('it\'s "so"', "select *", "zwölf\n\\x")
SIZES = ["small", "mid'dle", 'lar"ge']
COSTS = [[0.0, 30.0, 4.0], [1.0, -0.5, 0.25], [2.0, 15.0, 0.0]]


def rows(n: int = 120, seed: int = 0, holes: float = 0.12, unseen: bool = False) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    number, day = rng.normal(10, 3, n).round(2), rng.integers(0, 700, n)
    colours = ["red", "gr'een", 'bl"ue', "日本", "x" * 40, *(["never seen"] if unseen else [])]
    colour, size = rng.choice(colours, n), rng.integers(0, 3, n)
    score = number / 3 + (colour == "red") * 2 + size - day / 300 + rng.normal(0, 0.7, n)
    y = np.array(CLASSES)[np.digitize(score, [2.4, 4.2])]

    def with_holes(values: pd.Series) -> pd.Series:
        return values.where(rng.random(n) >= holes)

    frame = {
        NUMBER: with_holes(pd.Series(number)),
        WHOLE: rng.integers(0, 5, n),
        COLOUR: with_holes(pd.Series(colour)),
        FLAG: pd.Series(rng.random(n) < 0.5),
        SIZE: with_holes(pd.Series(pd.Categorical.from_codes(size, SIZES, ordered=True))),
        DAY: with_holes(pd.Series(pd.Timestamp("2020-02-27") + pd.to_timedelta(day, unit="D"))),
    }
    return pd.DataFrame(frame), y


def in_sqlite(statement: str, frame: pd.DataFrame) -> list[Any]:
    """What the SELECT predicts for the rows of a database table of the same columns, in their order."""
    base = sqlite3.connect(":memory:")
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in frame)
    base.execute(f'CREATE TABLE "data" ({names})')
    base.executemany(f'INSERT INTO "data" VALUES ({", ".join("?" * frame.shape[1])})', _plain(frame))
    found = base.execute(statement)
    assert [column[0] for column in found.description][: frame.shape[1]] == list(frame), "the columns come first"
    last = [column[0] for column in found.description].index("prediction")
    return [row[last] for row in found.fetchall()]


def _plain(frame: pd.DataFrame) -> list[list[Any]]:
    def cell(value: Any) -> Any:
        if value is None or value != value:
            return None
        if isinstance(value, pd.Timestamp):
            return str(value.date())
        return value.item() if hasattr(value, "item") else value

    return [[cell(value) for value in row] for row in frame.astype(object).itertuples(index=False)]


def in_python(source: str, frame: pd.DataFrame) -> list[Any]:
    names: dict[str, Any] = {}
    exec(source, names)
    classify: Callable[[Any], Any] = names["classify"]
    answers = [classify(row) for row in frame.astype(object).to_dict("records")]
    plain = [classify(dict(zip(frame, row))) for row in _plain(frame)]  # dates as text, missing values as None
    assert answers == plain
    return answers


EXECUTED: dict[str, Callable[[str, pd.DataFrame], Any]] = {
    "sql": in_sqlite,
    "python": in_python,
    "json": lambda text, frame: vaglio.RuleSet.from_json(text).predict(frame).tolist(),
    "exact": lambda text, frame: vaglio.RuleSet.parse(text).predict(frame).tolist(),
}


def _clear(fitted: Fitted, frame: pd.DataFrame) -> np.ndarray:
    """Rows in which two classes do not tie: the order of a sum decides a tie by its rounding."""
    scores = -fitted.predict_proba(frame)
    if fitted.decision_cost is not None:
        scores = fitted.predict_proba(frame) @ fitted.decision_cost.matrix
    first, second = np.sort(scores, axis=1)[:, :2].T
    clear: np.ndarray = second - first > 1e-9
    return clear


def check_every_form(fitted: Fitted, frame: pd.DataFrame) -> None:
    forms = export_formats(fitted)
    for format in FORMATS:
        if format not in forms:
            with pytest.raises(
                NotSupportedError,
                match=r"[Ii]t can be exported as|[Kk]eep the model file|cannot be exported as sql: it",
            ):
                fitted.export(format)
    wanted = fitted.predict(frame)
    for format in [name for name in EXECUTED if name in forms and "text" in forms]:
        if format == "sql" and fitted.learner == "oblique" and DAY in frame:
            with pytest.raises(NotSupportedError, match=f"multiply a date, such as '{DAY}'"):
                fitted.export(format)
            continue
        if fitted.model.kind == "additive" and format == "json":
            _check_terms(fitted)
            continue
        found = EXECUTED[format](fitted.export(format), frame)
        if fitted.classes is None:
            assert found == pytest.approx(wanted.tolist(), rel=1e-12), format
            continue
        clear = _clear(fitted, frame)
        assert clear.mean() > 0.75
        assert np.array(found, dtype=object)[clear].tolist() == wanted[clear].tolist(), format
    _check_for_reading(fitted, forms)


def _check_terms(fitted: Fitted) -> None:
    """The tables of the terms, written out: one line per cell and score, in CSV as in JSON."""
    lines, model = json.loads(fitted.export("json")), fitted.model
    table = list(csv.DictReader(io.StringIO(fitted.export("csv"))))
    assert [float(line["score"]) for line in table] == [line["score"] for line in lines]
    assert [line["score"] for line in lines] == [*model.intercept.tolist(), *model.scores.ravel().tolist()]


def _check_for_reading(fitted: Fitted, forms: dict[str, Any]) -> None:
    if "svg" in forms:
        assert ET.fromstring(fitted.export("svg")).tag.endswith("svg")
    if "csv" in forms and "text" in forms and fitted.model.kind != "additive":
        lines = list(csv.DictReader(io.StringIO(fitted.export("csv"))))
        assert len(lines) == len(fitted.rules())
        if fitted.classes is not None:
            assert [line["label"] for line in lines] == [str(rule.label) for rule in fitted.rules()]


def make(learner: str) -> Any:
    estimator = LEARNERS[learner].make()
    if learner == "gradient-boosting":
        estimator.set_params(max_iter=5, early_stopping=False)
    if learner == "additive":
        estimator.set_params(max_rounds=5, outer_bags=2)
    for name, value in {"random_state": 0, "n_estimators": 5}.items():
        if name in estimator.get_params():
            estimator.set_params(**{name: value})
    return estimator


@pytest.mark.slow
@pytest.mark.parametrize("learner", others_nightly(LEARNERS))
def test_every_form_of_every_learner_predicts_as_it_does(learner: str):
    fitted = make(learner).fit(*rows()).fitted_
    frame = pd.concat([rows()[0], rows(seed=1, unseen=True)[0]], ignore_index=True)
    check_every_form(fitted, frame)
    if fitted.has_probabilities:
        check_every_form(fitted.with_cost(COSTS), frame)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", others_nightly(regressors()), ids=name_of)
def test_every_form_of_every_regressor_predicts_as_it_does(estimator: Any):
    frame, y = rows()
    if "n_estimators" in estimator.get_params():
        estimator.set_params(n_estimators=5)
    fitted = estimator.fit(frame, frame[NUMBER].fillna(9) + (y == CLASSES[0]) * 5).fitted_
    check_every_form(fitted, pd.concat([frame, rows(seed=1, unseen=True)[0]], ignore_index=True))


def test_a_linear_test_is_exported_where_it_has_no_date():
    frame, y = rows()
    fitted = vaglio.ObliqueTreeClassifier(random_state=0).fit(frame.drop(columns=DAY), y).fitted_
    check_every_form(fitted, rows(seed=1, unseen=True)[0].drop(columns=DAY))


def replayed(rules: vaglio.RuleSet) -> dict[str, vaglio.RuleSet]:
    """Return the rules as read back from each text; that for a person has neither the columns nor their values."""
    plain = re.sub(r"  \[.*\]$", "", str(rules), flags=re.M)
    if rules.resolution == "exclusive":  # one rule always fires
        plain += f"\nELSE {value_text(rules.default_label)}"
    return {
        "exact": vaglio.RuleSet.parse(rules.to_text(), rules.features, rules.classes),
        "json": vaglio.RuleSet.from_json(rules.to_json()),
        "for a person": vaglio.RuleSet.parse(plain, rules.features, rules.classes),
    }


def check_counts(fitted: Fitted, frame: pd.DataFrame, y: np.ndarray) -> None:
    """Every printed rule covers as many training rows as it says, and its predictions are the model's."""
    rules, clear = fitted.rules(), _clear(fitted, frame)
    for form, again in replayed(rules).items():
        # Of shares, a person reads three digits.
        close = {"rtol": 5e-3, "atol": 0.02} if form == "for a person" else {"rtol": 1e-9, "atol": 1e-9}
        found = again.evaluate_on(frame, y)
        np.testing.assert_allclose([rule.covered for rule in found], [rule.covered for rule in rules], **close)
        if form != "for a person":
            assert again.predict(frame)[clear].tolist() == fitted.predict(frame)[clear].tolist(), form


@pytest.mark.slow
@pytest.mark.parametrize("holes", [0.0, pytest.param(0.12, marks=pytest.mark.nightly), 0.4])
def test_printed_rules_cover_the_rows_they_count(holes: float):
    frame, y = rows(holes=holes)
    frame = frame.set_axis(list("abcdef"), axis=1)
    for learner, known in LEARNERS.items():
        if known.kind in ("tree", "rules"):  # the counts of ensembles are those of rows that were drawn
            check_counts(make(learner).fit(frame, y).fitted_, frame, y)


VARIANTS = {
    "c45 bagged, soft": lambda: vaglio.BaggingClassifier(vaglio.C45Classifier(), 6, random_state=0),
    "some columns": lambda: vaglio.BaggingClassifier(n_estimators=6, max_features=3, random_state=0),
    "boosted trees": lambda: vaglio.AdaBoostClassifier(
        vaglio.CARTClassifier(max_depth=3), n_estimators=8, random_state=0
    ),
    "boosted c45": lambda: vaglio.AdaBoostClassifier(vaglio.C45Classifier(max_depth=2), n_estimators=5, random_state=0),
    "a bagged forest": lambda: vaglio.BaggingClassifier(
        vaglio.RandomForestClassifier(4, random_state=0), 3, random_state=0
    ),
    "bagged rules": lambda: vaglio.BaggingClassifier(vaglio.RIPPERClassifier(random_state=0), 3, random_state=0),
    "smoothed leaves": lambda: vaglio.C45Classifier(leaf_smoothing="laplace"),
    "fully grown": lambda: vaglio.DecisionTreeClassifier(missing="fractional"),
    "branches of missing values": lambda: vaglio.ID3Classifier(),
    "unordered rules": lambda: vaglio.CN2Classifier(mode="unordered"),
    "several trees of numbers": lambda: vaglio.BaggingRegressor(n_estimators=5, max_features=4, random_state=0),
}


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_variants_too(variant: str):
    estimator = VARIANTS[variant]()
    frame, y = rows()
    fitted = estimator.fit(frame, y if is_classifier(estimator) else frame[WHOLE] * 1.5).fitted_
    check_every_form(fitted, pd.concat([frame, rows(seed=1, unseen=True)[0]], ignore_index=True))


def test_a_forest_is_exported_whole():
    X, y = rows(150)
    fitted = vaglio.RandomForestClassifier(10, random_state=0).fit(X, y).fitted_
    first = fitted.model.tree(0, fitted.codebook.features)
    assert first.rules(fitted.codebook.features, fitted.classes).predict(X).tolist() != fitted.predict(X).tolist()
    assert in_sqlite(fitted.export("sql"), X) == fitted.predict(X).tolist()
    assert in_python(fitted.rules().to_python(), X) == fitted.predict(X).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("split", ["multiway", "subset"])
@pytest.mark.parametrize("missing", ["fractional", "learned", "branch"])
def test_many_categories_take_text_in_proportion(split: str, missing: str):
    sizes = []
    for n in (300, 900):
        values = [f"value {i % n}" for i in range(3 * n)]
        y = np.where(np.array([hash_of(v) for v in values]) % 3 == 0, "a", "b")
        tree = vaglio.DecisionTreeClassifier(nominal_split=split, missing=missing)
        fitted = tree.fit(pd.DataFrame({"x": values}), y).fitted_
        assert fitted.model.n_leaves > 1
        text = fitted.export("sql")
        sizes.append(len(text) / n)
        frame = pd.DataFrame({"x": [*values[:n], "never seen", None]})
        assert in_sqlite(text, frame) == fitted.predict(frame).tolist()
    assert sizes[1] < 2 * sizes[0]


def hash_of(text: str) -> int:
    return sum(map(ord, text))


@pytest.mark.slow
def test_a_very_deep_tree_is_drawn_in_proportion():
    n = 3000
    X = pd.DataFrame({"x": np.arange(n, dtype=float)})
    y = np.arange(n) % 2
    texts = [len(vaglio.CARTClassifier().fit(X[:m], y[:m]).fitted_.export("tree")) / m for m in (1000, 3000)]
    assert texts[1] < 2 * texts[0]


def test_what_is_too_large_is_refused_by_name(monkeypatch: pytest.MonkeyPatch):
    X, y = rows()
    forest = vaglio.RandomForestClassifier(12, random_state=0).fit(X, y).fitted_
    monkeypatch.setattr("vaglio.export.source.MOST_WRITTEN", 100)
    for format in ("sql", "python"):
        with pytest.raises(NotSupportedError, match=f"too large for {format}.*more than 100 conditions"):
            forest.export(format)
    monkeypatch.setattr("vaglio.learners.forest.model.tree_shares.MOST_LEAVES", 50)
    with pytest.raises(NotSupportedError, match="at most 50 can be written as rules"):
        forest.export("text")


@pytest.mark.parametrize("learner", ["logistic", "perceptron", "svm"])
def test_coefficients_add_up_to_the_decision(learner: str):
    X, y = vaglio.datasets.load("iris").xy()
    estimator = make(learner)
    fitted = (estimator.set_params(kernel="linear") if learner == "svm" else estimator).fit(X, y).fitted_
    from_json = json.loads(fitted.export("json"))
    from_csv = list(csv.DictReader(io.StringIO(fitted.export("csv"))))
    assert [float(line["coefficient"]) for line in from_csv] == [line["coefficient"] for line in from_json]
    frame = X.to_frame()
    sums: dict[tuple[Any, Any], Any] = {}
    for line in from_json:
        term = 1.0 if line["name"] == "(intercept)" else frame[line["name"]].to_numpy()
        key = (line["class"], line.get("against"))
        sums[key] = sums.get(key, 0.0) + line["coefficient"] * term
    votes = {label: np.zeros(len(frame)) for label in fitted.classes.tolist()}
    for (label, against), value in sums.items():
        if against in votes:
            votes[label] += value > 0
            votes[against] += value <= 0
        else:
            votes[label] += value
    decided = np.array(list(votes))[np.argmax(np.column_stack(list(votes.values())), axis=1)]
    assert decided.tolist() == fitted.predict(X).tolist()
