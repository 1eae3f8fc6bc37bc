"""Model files with a right checksum and wrong content: loaded, and if that succeeds used in every way."""

from __future__ import annotations

import contextlib
import io
import json
import warnings
import zlib
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from random import Random
from typing import Any

import numpy as np
import pandas as pd
from safetensors.numpy import save as dump_arrays

import vaglio
from tools.fuzz.mutate import Arrays, change_array, change_bytes, change_plain
from tools.fuzz.target import Finding, Target, pick
from vaglio.cli._output import print_answer, to_json
from vaglio.cli.commands.inspect import describe
from vaglio.errors import ModelFileError, VaglioError
from vaglio.fitted import Fitted, export_formats
from vaglio.fitted.file import FORMAT, _checksum, _open, from_bytes, to_bytes
from vaglio.learners.registry import LEARNERS

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

    def make(self, random: Random) -> bytes:
        kept, text = pick(random, self.seeds)
        arrays, body = dict(kept), json.loads(text)
        for _ in range(pick(random, (1, 1, 1, 2, 4))):
            if random.random() < 0.6:
                change_array(random, arrays)
            else:
                body = change_plain(random, body)
        content = sealed(arrays, json.dumps(body))
        return change_bytes(random, content) if random.random() < 0.05 else content

    def attempt(self, content: bytes) -> str:
        try:
            model = from_bytes(content)
        except ModelFileError as error:
            told(error)
            return "refused"
        # Every model predicts; of the other uses, which take longer, each has its turn.
        use(model, predict, STEPS[zlib.crc32(content) % len(STEPS)])
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


def use(model: Fitted, *steps: Callable[[Fitted, Any], None]) -> None:
    """Use a model in several ways: each succeeds or refuses with an error of vaglio's own."""
    rows = rows_for(model)
    for step in steps:
        try:
            step(model, rows)
        except VaglioError as error:
            told(error)


def rows_for(model: Fitted) -> pd.DataFrame:
    """Return rows for the columns of the model: usual values, missing ones, extreme ones."""
    columns: dict[str, list[Any]] = {}
    for feature in model.codebook.features:
        if feature.kind in ("nominal", "ordinal"):
            known = list(feature.categories[:1])
            columns[feature.name] = [*(known or [None]), None, "never seen", *(known or [None])]
        elif feature.kind == "text":
            columns[feature.name] = ["a word", None, " ".join(map(str, feature.categories[:9])), ""]
        else:
            columns[feature.name] = [1.0, np.nan, 1.7e308, -5e-324]
    return pd.DataFrame(columns)


def predict(model: Fitted, rows: Any) -> None:
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


def explain(model: Fitted, rows: Any) -> None:
    for explanation in model.explain(rows[1:2]):
        explanation.to_text()
        to_json(explanation.to_dict()).encode()


def show(model: Fitted, rows: Any) -> None:
    repr(model).encode()
    model._repr_html_()
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()):
        print_answer(describe(model), False)
        print_answer(describe(model), True)
    out.getvalue().encode()


def export(model: Fitted, rows: Any) -> None:
    for write in export_formats(model).values():
        text = write()
        text if isinstance(text, bytes) else text.encode()


def save(model: Fitted, rows: Any) -> None:
    if model.digest != from_bytes(to_bytes(model)).digest:
        raise Finding("the model is another one after it was saved and loaded")


def one(model: Fitted, rows: Any) -> None:
    """One row gets what a table of that row gets, or is refused as well."""
    for row in rows.to_dict("records"):
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


def edit(model: Fitted, rows: Any) -> None:
    """Every term of an additive model can be changed, or is refused."""
    for term in model.terms():
        for action in ("flatten", "monotone", "remove"):
            changed = model.edit(term["term"], action)
            predict(changed, rows)
            changed.edits_in_words()


STEPS = (explain, show, export, save, one, edit)


def small_models() -> list[Fitted]:
    """Return models of every learner on a table of all kinds of columns, a few with other settings."""
    X, y, number = small_table()
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
        vaglio.KNeighborsRegressor(n_neighbors=2),
        vaglio.HistGradientBoostingRegressor(max_iter=3),
        vaglio.ExplainableBoostingRegressor(max_rounds=5, interactions=1),
    ):
        made.append(regressor.fit(X[["a", "b", "c"]], number).fitted_)
    made.append(edited_model(X, y))
    made.append(vaglio.RandomForestRegressor(n_estimators=2).fit(X[["a", "c"]], number).fitted_)
    return made


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
