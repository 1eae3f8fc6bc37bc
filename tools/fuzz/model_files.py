"""Model files with a right checksum and wrong content: loaded, and if that succeeds used in every way."""

from __future__ import annotations

import contextlib
import io
import json
import warnings
import zlib
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from safetensors.numpy import save as dump_arrays

import vaglio
from tools.fuzz.mutate import Arrays, Spares, change_array, change_bytes, change_plain
from tools.fuzz.target import Finding, Target, pick
from vaglio.cli._output import print_answer, to_json
from vaglio.cli.commands.inspect import describe
from vaglio.errors import ModelFileError, VaglioError
from vaglio.fitted import Fitted, export_formats
from vaglio.fitted.file import FORMAT, _checksum, _open, from_bytes, to_bytes
from vaglio.learners.registry import LEARNERS
from vaglio.serve.counters import Counters
from vaglio.serve.http.application import Deadline
from vaglio.serve.http.responses import ProblemError
from vaglio.serve.monitor import Monitor
from vaglio.serve.openapi import describe_service
from vaglio.serve.served import Served

# Settings that make small models, and those of kinds that the defaults do not reach.
SMALL: dict[str, list[dict[str, Any]]] = {
    "random-forest": [{"n_estimators": 3}],
    "bagging": [{"n_estimators": 2}],
    "adaboost": [{"n_estimators": 3}],
    "gradient-boosting": [{"max_iter": 4}, {"max_iter": 3, "multi_class": "shared_tree", "temperature": 2.0}],
    "additive": [{"max_rounds": 5, "interactions": 0}, {"max_rounds": 5, "interactions": [("a", "b"), ("b", "c")]}],
    "optimal-tree": [{"max_depth": 2}],
    "mlp": [{"hidden_layer_sizes": (3,), "max_iter": 20}],
    "svm": [{}, {"kernel": "linear"}, {"kernel": "poly", "calibration": "sigmoid"}],
    "knn": [{"n_neighbors": 2}, {"n_neighbors": 3, "weights": "distance", "metric": "cosine"}],
    "naive-bayes": [{"likelihood": "gaussian"}, {"likelihood": "kde"}, {"likelihood": "mdl"}],
    "logistic": [{}, {"l1_ratio": 1.0}],
}


class ModelFiles(Target):
    """The arrays and the description of a model file are changed, and the checksum is computed again."""

    name = "models"
    suffix = ".vaglio"

    def prepare(self) -> None:
        warnings.simplefilter("ignore")
        np.seterr(all="ignore")
        self.seeds: list[tuple[Arrays, str]] = []
        for model in small_models():
            body, arrays = _open(to_bytes(model))
            self.seeds.append((arrays, json.dumps(body)))
            # Imports what is imported at first use, so that no worker does it again; a fault is found by the workers.
            with contextlib.suppress(Exception):
                use(model, predict, *STEPS)
        self.spares = Spares((arrays, json.loads(text)) for arrays, text in self.seeds)

    def make(self, random: Random) -> bytes:
        kept, text = pick(random, self.seeds)
        arrays, body = dict(kept), json.loads(text)
        for _ in range(pick(random, (1, 1, 1, 2, 4))):
            how = random.random()
            if how < 0.3:
                change_array(random, arrays)
            elif how < 0.4:
                self.spares.change_array(random, arrays)
            elif how < 0.7:
                body = change_plain(random, body)
            else:
                body = self.spares.change_plain(random, body)
        content = sealed(arrays, json.dumps(body))
        return change_bytes(random, content) if random.random() < 0.05 else content

    def attempt(self, content: bytes) -> str:
        try:
            model = from_bytes(content)
        except ModelFileError as error:
            told(error)
            return "refused"
        # Every model predicts; of the other uses, which take longer, each has its turn.
        random = Random(zlib.crc32(content))
        use(model, predict, pick(random, STEPS), random=random)
        return "used"


def sealed(arrays: Arrays, body: str) -> bytes:
    """Return a file whose checksum is right whatever it holds."""
    arrays = {name: np.ascontiguousarray(value) for name, value in arrays.items()}
    envelope = {"format": FORMAT, "checksum": _checksum(arrays, body), "body": body}
    return dump_arrays(arrays, metadata={"vaglio": json.dumps(envelope)})


def told(error: VaglioError) -> None:
    """A refusal for want of memory is no refusal: on a larger machine the file would take the memory."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MemoryError):
            raise cause
        cause = cause.__cause__


def use(model: Fitted, *steps: Callable[..., None], random: Random | None = None) -> None:
    """Use a model in several ways: each succeeds or refuses with an error of vaglio's own."""
    rows = rows_for(model)
    for step in steps:
        try:
            step(model, rows, random or Random(0))
        except VaglioError as error:
            told(error)


def rows_for(model: Fitted) -> pd.DataFrame:
    """Return rows for the columns of the model: usual values, missing ones, extreme ones."""
    columns: dict[str, list[Any]] = {}
    for feature in model.codebook.columns:
        if feature.kind in ("nominal", "ordinal"):
            known = list(feature.categories[:1])
            columns[feature.name] = [*(known or [None]), None, "never seen", *(known or [None])]
        elif feature.kind == "text":
            columns[feature.name] = ["a word", None, " ".join(map(str, feature.categories[:9])), ""]
        else:
            columns[feature.name] = [1.0, np.nan, 1.7e308, -5e-324]
    return pd.DataFrame(columns)


def predict(model: Fitted, rows: Any, _: Random | None = None) -> None:
    labels, probabilities = model.predict_with_proba(rows)
    if probabilities is not None:
        sound = (
            np.isfinite(probabilities).all()
            and np.allclose(probabilities.sum(axis=1), 1)
            and (probabilities >= 0).all()
        )
        if not sound:
            raise Finding(f"probabilities that are none: {probabilities.tolist()}"[:300])
    if model.classes is None and not np.isfinite(labels.astype(float)).all():
        raise Finding("a predicted number that is none")


def explain(model: Fitted, rows: Any, _: Random | None = None) -> None:
    for explanation in model.explain(rows[1:2]):
        explanation.to_text()
        to_json(explanation.to_dict()).encode()


def show(model: Fitted, rows: Any, random: Random) -> None:
    if random.random() < 0.4:
        repr(model).encode()
        model._repr_html_()
        return
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()):
        print_answer(describe(model), random.random() < 0.5)
    out.getvalue().encode()


def export(model: Fitted, rows: Any, random: Random) -> None:
    forms = export_formats(model)
    for name in random.sample(sorted(forms), min(len(forms), 2)):
        text = forms[name]()
        text if isinstance(text, bytes) else text.encode()


def save(model: Fitted, rows: Any, _: Random | None = None) -> None:
    if model.digest != from_bytes(to_bytes(model)).digest:
        raise Finding("the model is another one after it was saved and loaded")


def decide(model: Fitted, rows: Any, random: Random) -> None:
    """What else a model says of rows: scores, coefficients, rows of its own, decisions by costs."""
    numbers: list[Callable[[], Any]] = [
        lambda: model.decision_function(rows),
        lambda: model.sample(3, random_state=0).to_csv(),
        lambda: [each["coefficient"] for each in model.coefficients()],
        lambda: model.with_decision_rule("argmax").predict(rows),
        lambda: predict(model.with_cost(1.0 - np.eye(0 if model.classes is None else len(model.classes))), rows),
        lambda: [model.cell_formats, model.ignored_columns, model.training_shape, model.target],
        lambda: vaglio.evaluate(model, rows, y=model.predict(rows)).to_text(),
    ]
    for ask in random.sample(numbers, 2):
        _answered(ask)


def sql(model: Fitted, rows: Any, random: Random) -> None:
    dialect = pick(random, ("sqlite", "duckdb", "postgresql", "mysql"))
    model.to_sql("t", random.random() < 0.5, dialect).encode()


def serve(model: Fitted, rows: Any, random: Random) -> None:
    """A server answers what the model says, and describes it."""
    served = Served("m", Path("m.vaglio"), model, Monitor("m", Counters(), model), 10_000)
    if random.random() < 0.2:
        to_json(describe_service([served], tokens=False)).encode()
    plain = [
        {name: None if value != value else value for name, value in row.items()} for row in rows.to_dict("records")
    ]

    def answer(row: dict[str, Any]) -> bytes:
        return json.dumps(served.answer_one(served.check(row)), allow_nan=False).encode()

    for row in plain:
        _answered(partial(answer, row))
    _answered(lambda: served.of_many(served.table_of([served.check(row) for row in plain]), Deadline(60.0)))


def _answered(ask: Callable[[], Any]) -> None:
    try:
        ask()
    except VaglioError as error:
        told(error)
    except ProblemError:
        pass


def one(model: Fitted, rows: Any, random: Random) -> None:
    """One row gets what a table of that row gets, or is refused as well."""
    # Spellings that a column of numbers, of categories or of dates may have.
    more = [dict.fromkeys(rows, value) for value in (True, "1", 1, "true", 1e300, -3.5, "2024-01-02", "x", "")]
    for row in random.sample([*rows.to_dict("records"), *more], 4):
        answers = [_answer(model, row), _answer(model, tuple(row.values())), _label(model, row)]
        if len({str(answer) for answer in answers}) > 1:
            raise Finding(f"one row is another one in a table: {answers}"[:300])


def _answer(model: Fitted, row: Any) -> Any:
    try:
        label, probability, _ = model.decide_one(row)
    except VaglioError as error:
        told(error)
        return "refused"
    if probability is not None and not 0 <= probability <= 1:
        raise Finding(f"a probability that is none: {probability}")
    return _plain(label)


def _label(model: Fitted, row: dict[str, Any]) -> Any:
    try:
        return _plain(model.predict_with_proba(pd.DataFrame([row]))[0][0])
    except VaglioError as error:
        told(error)
        return "refused"


def _plain(label: Any) -> Any:
    return f"{label:.6g}" if isinstance(label, float) else label


def edit(model: Fitted, rows: Any, _: Random | None = None) -> None:
    """Every term of an additive model can be changed, or is refused."""
    for term in model.terms():
        for action in ("flatten", "monotone", "remove"):
            changed = model.edit(term["term"], action)
            predict(changed, rows)
            changed.edits_in_words()


STEPS = (explain, show, export, save, one, edit, decide, sql, serve)


def small_models() -> list[Fitted]:
    """Return models of every learner on a table of all kinds of columns, a few with other settings."""
    X, y, number = small_table()
    # Learners without a random_state draw their seed from here: the same files in every process.
    np.random.seed(0)  # noqa: NPY002
    made = []
    for learner in LEARNERS.values():
        for settings in SMALL.get(learner.id, [{}]):
            estimator = learner.make()
            estimator.set_params(**settings)
            for columns in (X, X[["a", "b", "c"]], X[["a", "b"]].fillna(1.0).abs()):
                try:
                    made.append(
                        estimator.fit(columns, y).fitted_.with_provenance(target="y", command="vaglio train t.csv")
                    )
                    break
                except VaglioError:  # a learner without words, or without missing values
                    continue
    for name in ("c45", "cart", "random-forest", "ripper", "cn2", "bayes-net"):
        # On these columns alone the tests are of ranks and of categories.
        made.append(LEARNERS[name].make().set_params(**SMALL.get(name, [{}])[0]).fit(X[["d", "c"]], y).fitted_)
    for regressor in (
        vaglio.DecisionTreeRegressor(max_depth=2),
        vaglio.ObliqueTreeRegressor(max_depth=2),
        vaglio.OptimalTreeRegressor(max_depth=2),
        vaglio.ModelTreeRegressor(),
        vaglio.KNeighborsRegressor(n_neighbors=2),
        vaglio.HistGradientBoostingRegressor(max_iter=3),
        vaglio.ExplainableBoostingRegressor(max_rounds=5, interactions=1),
        vaglio.LinearRegression(0.1),
        vaglio.SVR(),
        vaglio.SVR(kernel="linear"),
        vaglio.MLPRegressor((3,), max_iter=5),
        vaglio.VotingRegressor(["linear", "cart"]),
        vaglio.AdaBoostRegressor(n_estimators=3, random_state=0),
    ):
        made.append(regressor.fit(X[["a", "b", "c"]], number).fitted_)
    made.append(edited_model(X, y))
    made.append(vaglio.RandomForestRegressor(n_estimators=2).fit(X[["a", "c"]], number).fitted_)
    return [*made, *models_of_other_columns(X, y)]


def models_of_other_columns(X: pd.DataFrame, y: np.ndarray) -> list[Fitted]:
    """Return models of dates, truth values, codes, words, counts and arrays, of other classes, and with costs."""
    n = len(X)
    other = pd.DataFrame(
        {
            "day": pd.date_range("2024-01-01", periods=n),
            "flag": np.arange(n) % 3 == 0,
            "code": pd.Series(np.arange(n) % 4).astype("category"),
            "said": [f"word{i % 5} and word{i % 3}" for i in range(n)],
        }
    )
    text = vaglio.Table.from_any(other, levels={"said": "text"})
    plain, binary = other[["day", "flag", "code"]], y == "one"
    counts = sp.csr_array(np.arange(3 * n).reshape(n, 3) % 4)
    cost = {("one", "two"): 3.0, ("two", "one"): 1.0, ("one", "three"): 2.0}
    asked: list[tuple[Any, Any, Any]] = [
        *((LEARNERS[name].make(), plain, binary) for name in ("c45", "ripper", "naive-bayes", "logistic", "knn")),
        *((LEARNERS[name].make(), text, y) for name in ("c45", "naive-bayes", "multinomial-nb", "cn2")),
        *((LEARNERS[name].make(), counts, y) for name in ("logistic", "multinomial-nb", "bernoulli-nb", "perceptron")),
        *((LEARNERS[name].make(), X[["a"]].to_numpy(), np.arange(n) % 3) for name in ("cart", "svm", "gaussian-map")),
    ]
    made = [estimator.fit(columns, labels).fitted_ for estimator, columns, labels in asked]
    made += [made[1].with_cost(np.array([[0.0, 2.0], [1.0, 0.0]]))]
    careful = vaglio.NaiveBayesClassifier().fit(X, y).fitted_.with_cost(cost)
    return [*made, careful, careful.with_decision_rule("argmax")]


def edited_model(X: pd.DataFrame, y: np.ndarray) -> Fitted:
    """Return an additive model that a person has changed: its file has a list of the changes."""
    additive = vaglio.ExplainableBoostingClassifier(max_rounds=5, interactions=[("a", "c")])
    learned: Fitted = additive.fit(X, y == "one").fitted_
    changed = learned.edit("a", "monotone", direction=1, reason="known").edit("c", "set", where="red", value=0.5)
    return changed.edit("b", "flatten", where=(1, 4)).edit("a & c", "remove").with_intercept([0.25])


def small_table() -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Return numbers, categories, ranks and words, with missing values, three classes and a number to predict."""
    rng = np.random.default_rng(0)
    n = 24
    a = rng.normal(size=n).round(2)
    b = np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 9, n).astype(float))
    c = pd.Series(rng.choice(["red", "green", "blue"], n)).astype("category")
    c[3] = None
    d = pd.Categorical(rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True)
    y = np.array(["one", "two", "three"])[(a > 0).astype(int) + (c == "red").to_numpy()]
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d}), y, a + np.nan_to_num(b)
