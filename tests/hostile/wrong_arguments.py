"""Every public call with good arguments, and values of wrong types for each of them."""

from __future__ import annotations

import datetime
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

import vaglio
from vaglio import evaluation
from vaglio.evaluation import EvaluationPlan
from vaglio.evaluation.selection.splits import make_folds
from vaglio.fitted import Fitted
from vaglio.learners.registry import LEARNERS, REGRESSORS


@dataclass(frozen=True)
class Call:
    """A function or method, and arguments that it accepts.

    Attributes
    ----------
    name : str
        As a person would call it.
    function : callable
    good : dict
        Arguments by name.
    """

    name: str
    function: Callable[..., Any]
    good: dict[str, Any]

    def arguments(self) -> Iterator[str]:
        """Name every argument that has a name."""
        named = [
            name
            for name, parameter in inspect.signature(self.function).parameters.items()
            if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        ]
        yield from dict.fromkeys([*named, *self.good])


class Nothing:
    """An object that is nothing in particular."""

    def __repr__(self) -> str:
        return "<nothing>"


def wrong_values() -> dict[str, Any]:
    """Return values of every type that somebody might pass by mistake."""
    return {
        "none": None,
        "true": True,
        "zero": 0,
        "negative": -7,
        "huge": 2**70,
        "float": 1.5,
        "nan": float("nan"),
        "infinite": float("-inf"),
        "complex": 1j,
        "empty text": "",
        "text": "zz\0z",
        "surrogate": "\ud800",
        "bytes": b"zz",
        "empty list": [],
        "list": [1, "a", None],
        "nested": [[1], [2, 3]],
        "tuple": (1, 2),
        "empty dict": {},
        "dict": {"a": 1, 2: [3]},
        "set": {1, 2},
        "range": range(3),
        "generator": (i for i in range(3)),
        "0-d": np.array(3.0),
        "1-d": np.array([1.0, np.nan]),
        "3-d": np.zeros((2, 2, 2)),
        "objects": np.array([object(), None], dtype=object),
        "empty array": np.empty((0, 0)),
        "frame": pd.DataFrame({"q": [1.0, 2.0]}),
        "empty frame": pd.DataFrame(),
        "series": pd.Series(["u", None]),
        "date": datetime.date(2024, 2, 29),
        "time": np.datetime64("NaT"),
        "function": len,
        "class": dict,
        "module": np,
        "object": Nothing(),
        "path": Path("no/such/file"),
    }


def calls(folder: Path) -> list[Call]:
    """Return one good call of every public function and of every method of what they return.

    Parameters
    ----------
    folder : Path
        For files that are read.
    """
    play = vaglio.datasets.load("play")
    X, y = play.xy("play")
    tree = vaglio.CARTClassifier().fit(X, y)
    play.to_frame().to_csv(folder / "play.csv", index=False)
    tree.save(folder / "play.vaglio")
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    stump = vaglio.CARTClassifier(max_depth=1)
    about = {"table": play, "target": "play", "learners": ["cart"], "n_jobs": 1}
    usual = {name: each.default for name, each in inspect.signature(vaglio.streaming).parameters.items()}
    return [
        Call("read", vaglio.read, {"source": folder / "play.csv", "target": "play"}),
        Call("scan", vaglio.scan, {"source": folder / "play.csv"}),
        Call("load", vaglio.load, {"path": folder / "play.vaglio"}),
        Call("streaming", _entered, usual),
        Call("datasets.load", vaglio.datasets.load, {"name": "play"}),
        Call("datasets.describe", vaglio.datasets.describe, {"name": "play"}),
        Call("audit", vaglio.audit, {"table": play}),
        Call("evaluate", vaglio.evaluate, {"model": tree, "X": X, "y": y}),
        Call("compare", vaglio.compare, {**about, "folds": 2, "noise": (), "missing": (), "sizes": (1.0,)}),
        Call("select", vaglio.select, {**about, "folds": 2, "n_iter": 1, "strategy": "zero"}),
        Call("bias_variance", vaglio.bias_variance, {"estimator": stump, "X": X, "y": y, "n_rounds": 2}),
        Call("make_folds", make_folds, {"y": y, "n_splits": 2}),
        Call("shatters", vaglio.shatters, {"estimator": stump, "points": points[:2]}),
        Call(
            "vc_dimension_lower_bound",
            vaglio.vc_dimension_lower_bound,
            {"estimator": stump, "n_features": 1, "max_points": 2, "n_tries": 2},
        ),
        Call("trace", vaglio.trace, {"learner": "id3", "X": X, "y": y}),
        *_of_tables(play),
        *_of_models(tree.fitted_, X, y, folder),
        *_of_rules(tree.rules(), X, y),
        *_of_studies(play),
        *_of_displays(tree, X, y),
        *_of_estimators(X, y, folder),
        *_of_functions(tree, play, folder),
        *_of_results(tree, play, folder),
    ]


def _entered(**given: Any) -> None:
    with vaglio.streaming(**given):
        pass


def _of_tables(play: vaglio.Table) -> Iterator[Call]:
    for name, good in {
        "from_any": {"source": play.to_frame()},
        "column": {"name": "outlook"},
        "select": {"names": ["outlook"]},
        "drop": {"names": ["outlook"]},
        "take": {"rows": np.array([0, 2])},
        "with_roles": {"roles": {"outlook": "ignored"}},
        "labelled": {},
        "xy": {},
        "__getitem__": {"key": "outlook"},
    }.items():
        yield Call(f"Table.{name}", getattr(play, name), good)


def _of_models(model: Fitted, X: Any, y: Any, folder: Path) -> Iterator[Call]:
    row = dict(zip(X.columns, ("sunny", 85.0, 85.0, "false")))
    for name, good in {
        "predict": {"X": X},
        "predict_proba": {"X": X},
        "predict_with_proba": {"X": X},
        "predict_one": {"row": row},
        "predict_proba_one": {"row": row},
        "decide_one": {"row": row},
        "explain": {"X": X},
        "export": {"format": "sql"},
        "to_sql": {},
        "to_c": {},
        "with_cost": {"cost": 1.0 - np.eye(2)},
        "with_decision_rule": {"by": "argmax"},
        "save": {"path": folder / "again.vaglio"},
    }.items():
        yield Call(f"Fitted.{name}", getattr(model, name), good)
    near = vaglio.KNeighborsClassifier(n_neighbors=1).fit(X, y).fitted_
    yield Call("Fitted.add", near.add, {"X": X, "y": y})
    numbers = X.select(["temperature", "humidity"])
    drawn = vaglio.GaussianMAPClassifier().fit(numbers, y).fitted_
    yield Call("Fitted.sample", drawn.sample, {})
    yield Call("Fitted.decision_function", vaglio.SVC().fit(numbers, y).fitted_.decision_function, {"X": numbers})
    additive = vaglio.ExplainableBoostingClassifier(max_rounds=2, interactions=0).fit(X, y).fitted_
    yield Call("Fitted.edit", additive.edit, {"term": 0, "action": "flatten"})
    yield Call("Fitted.with_intercept", additive.with_intercept, {"intercept": [0.5]})


def _of_rules(rules: vaglio.RuleSet, X: Any, y: Any) -> Iterator[Call]:
    for name, good in {
        "parse": {"text": "IF a > 1 THEN yes ELSE no"},
        "from_json": {"text": rules.to_json()},
        "to_json": {},
        "to_python": {},
        "to_sql": {},
        "predict": {"X": X},
        "predict_proba": {"X": X},
        "overlap": {"X": X},
        "minimal_cover": {"X": X, "y": y},
        "evaluate_on": {"X": X, "y": y},
        "refit": {"X": X, "y": y},
        "score": {"X": X, "y": y},
        "simplify": {"X": X, "y": y},
    }.items():
        yield Call(f"RuleSet.{name}", getattr(rules, name), good)
    yield Call("Fitted.from_rules", Fitted.from_rules, {"rules": rules})


def _of_studies(play: vaglio.Table) -> Iterator[Call]:
    good = {"table": play, "target": "play", "learners": ["cart"], "strategy": "zero"}
    yield Call("Study", vaglio.Study, good)
    study = vaglio.Study(**good).run()
    yield Call("Study.run", vaglio.Study(**good).run, {})
    X = play.xy("play")[0]
    yield Call("Study.predict", study.predict, {"X": X})
    yield Call("Study.explain", study.explain, {"X": X})
    yield Call("Study.to_text", study.to_text, {})


def _of_displays(tree: Any, X: Any, y: Any) -> Iterator[Call]:
    predicted, proba = tree.predict(X), tree.predict_proba(X)
    evaluation = vaglio.evaluate(tree, X, y, cost=1.0 - np.eye(2))
    for name in vaglio.__all__:
        if not name.endswith("Display"):
            continue
        cls = getattr(vaglio, name)
        given = {"estimator": tree, "X": X, "y": y}
        if name == "TermDisplay":
            additive = vaglio.ExplainableBoostingClassifier(max_rounds=2, interactions=0).fit(X, y)
            given = {"estimator": additive, "term": 0}
        if name == "ForestDistanceDisplay":
            given["estimator"] = vaglio.RandomForestClassifier(n_estimators=2, random_state=0).fit(X, y)
            yield Call(f"{name}.from_table", cls.from_table, {"table": vaglio.datasets.load("play"), "target": "play"})
        if name == "LearningCurveDisplay":
            given |= {"cv": 2, "train_sizes": [0.5, 1.0]}
        if name == "ValidationCurveDisplay":
            given |= {"cv": 2, "param_name": "max_depth", "param_range": [1, 2]}
        yield Call(f"{name}.from_estimator", cls.from_estimator, given)
        if name == "ConfusionMatrixDisplay":
            yield Call(f"{name}.from_predictions", cls.from_predictions, {"y_true": y, "y_pred": predicted})
        elif hasattr(cls, "from_predictions"):
            score = list(inspect.signature(cls.from_predictions).parameters)[1]
            yield Call(f"{name}.from_predictions", cls.from_predictions, {"y_true": y, score: proba[:, 1]})
        if hasattr(cls, "from_evaluation"):
            yield Call(f"{name}.from_evaluation", cls.from_evaluation, {"evaluation": evaluation})


def _of_estimators(X: Any, y: Any, folder: Path) -> Iterator[Call]:
    numbers = X.select(["temperature", "humidity"])
    fitted = {
        "C45Classifier": vaglio.C45Classifier().fit(X, y),
        "RandomForestClassifier": vaglio.RandomForestClassifier(n_estimators=2, random_state=0).fit(X, y),
        "KNeighborsClassifier": vaglio.KNeighborsClassifier(n_neighbors=1).fit(numbers, y),
        "LogisticRegression": vaglio.LogisticRegression().fit(numbers, y),
        "DecisionTreeRegressor": vaglio.DecisionTreeRegressor(max_depth=2).fit(X, np.arange(14.0)),
    }
    for name, estimator in fitted.items():
        rows = numbers if estimator.n_features_in_ == 2 else X
        target = np.arange(14.0) if name.endswith("Regressor") else y
        for method, good in {
            "fit": {"X": rows, "y": target},
            "predict": {"X": rows},
            "predict_proba": {"X": rows},
            "predict_log_proba": {"X": rows},
            "decision_function": {"X": rows},
            "score": {"X": rows, "y": target},
            "explain": {"X": rows},
            "save": {"path": folder / "again.vaglio"},
            "apply": {"X": rows},
            "decision_path": {"X": rows},
            "cost_complexity_pruning_path": {"X": rows, "y": target},
            "to_text": {},
            "to_svg": {},
            "similarity": {"X": rows},
            "outlier_scores": {"X": rows},
            "prototypes": {"X": rows, "y": target},
            "kneighbors": {"X": rows},
            "kneighbors_graph": {"X": rows},
            "local_tree": {"row": [70.0, 70.0]},
            "add": {"X": rows, "y": target},
        }.items():
            if hasattr(estimator, method):
                # What trains gets an estimator of its own.
                own = clone(estimator) if method in ("fit", "cost_complexity_pruning_path") else estimator
                yield Call(f"{name}.{method}", getattr(own, method), good)
    imputer = vaglio.ForestImputer(n_estimators=2, max_iter=1, random_state=0).fit(X, y)
    yield Call("ForestImputer.transform", imputer.transform, {"X": X})


# Methods for other modules of this package, whose arguments these have checked.
INTERNAL = {
    "CostMatrix": ("decide", "decide_one", "expected", "mean_cost"),
    "Fitted": ("predict_encoded", "with_provenance", "with_target"),
    "RuleSet": ("class_codes", "codebook", "decision", "from_state", "rules", "telling_missing", "with_costs"),
    "Study": ("of_results",),
    "ThresholdTable": ("from_scores",),
    "Table": ("resolve", "with_column", "with_columns", "with_remarks", "with_sparse"),
}


def _of_functions(tree: Any, play: vaglio.Table, folder: Path) -> Iterator[Call]:
    """Call the functions of the package and of the evaluation that are not called above."""
    X, y = play.xy("play")
    codes = np.arange(14) % 2
    plan = EvaluationPlan(folds=2)
    study = vaglio.Study(play, "play", ["cart"], strategy="zero").run()
    small = {"folds": 2, "n_iter": 1, "strategy": "quick", "n_jobs": 1}
    yield Call("explore", vaglio.explore, {"table": play})
    yield Call("draw", vaglio.draw, {"figure": "roc", "model": tree, "X": X, "y": y})
    yield Call("tune", vaglio.tune, {"learner": "cart", "table": play, "target": "play", **small})
    yield Call("write_report", vaglio.write_report, {"study": study, "path": folder / "page.html"})
    for name, good in {
        "adjust_priors": {"probability": np.full((2, 2), 0.5), "trained_on": [0.5, 0.5], "real": [0.3, 0.7]},
        "advise_split": {"y": y},
        "evaluate_by_folds": {"learner": vaglio.CARTClassifier(), "X": X, "y": y, "n_splits": 2},
        "evaluate_learner": {"estimator": vaglio.CARTClassifier(), "X": X, "y": y, "plan": plan},
        "train_and_evaluate": {"estimator": vaglio.CARTClassifier(), "X": X, "y": y, "plan": plan},
        "fit_diagnosis": {"train": 0.9, "test": 0.8},
        "friedman_nemenyi": {"scores": {"a": [0.1, 0.2], "b": [0.3, 0.4]}},
        "majority_vote_error": {"error": 0.3, "n_learners": 3},
        "make_holdout": {"y": y},
        "make_random_splits": {"y": y, "n_splits": 2},
        "make_three_way": {"y": y},
        "mcnemar": {"y": codes, "a": codes, "b": 1 - codes},
        "nadeau_bengio": {"a": [0.5, 0.6], "b": [0.4, 0.7], "n_train": 9, "n_test": 1},
        "permutation_importance": {"model": tree, "X": X, "y": y, "n_repeats": 1},
        "predict_with_scores": {"model": tree, "X": X},
        "rows_in_proportion": {"y": y},
        "wilson_interval": {"successes": 3, "total": 9},
    }.items():
        yield Call(name, getattr(evaluation, name), good)


def _of_results(tree: Any, play: vaglio.Table, folder: Path) -> Iterator[Call]:
    """Call every public method of what functions return, with good arguments by the names of its parameters."""
    X, y = play.xy("play")
    small = {"learners": ["cart"], "folds": 2, "n_jobs": 1}
    found = vaglio.evaluate(tree, X, y, cost=1.0 - np.eye(2))
    study = vaglio.Study(play, "play", ["cart"], strategy="zero").run()
    numbers = vaglio.DecisionTreeRegressor(max_depth=2).fit(X, np.arange(14.0))
    made = [
        play,
        tree.fitted_,
        tree.rules(),
        study,
        found,
        vaglio.evaluate(numbers, X, np.arange(14.0)),
        vaglio.compare(play, "play", noise=(), missing=(), sizes=(1.0,), **small),
        vaglio.select(play, "play", n_iter=1, strategy="zero", **small),
        vaglio.audit(play, "play"),
        vaglio.explore(play, "play"),
        found.thresholds("yes"),
        evaluation.CostMatrix.from_any(1.0 - np.eye(2), labels=["no", "yes"]),
        evaluation.permutation_importance(tree, X, y, n_repeats=1),
        evaluation.friedman_nemenyi({"a": [0.1, 0.2], "b": [0.3, 0.4]}),
        tree.explain(X)[0],
        vaglio.trace("id3", X, y),
        *(
            getattr(vaglio, name).from_estimator(tree, X, y)
            for name in ("ConfusionMatrixDisplay", "RocCurveDisplay", "CalibrationDisplay", "CostCurveDisplay")
        ),
    ]
    (folder / "costs.csv").write_text("true,no,yes\nno,0,1\nyes,1,0\n")
    row = dict(zip(X.columns, ("sunny", 85.0, 85.0, "false")))
    good: dict[str, Any] = {
        "X": X,
        "y": y,
        "row": row,
        "rows": np.array([0, 2]),
        "name": "outlook",
        "names": ["outlook"],
        "key": "outlook",
        "source": play.to_frame(),
        "roles": {"outlook": "ignored"},
        "path": folder / "again.vaglio",
        "text": "IF a > 1 THEN yes ELSE no",
        "rules": tree.rules(),
        "cost": 1.0 - np.eye(2),
        "profit": np.eye(2),
        "labels": ["no", "yes"],
        "positive": "yes",
        "threshold": 0.5,
        "by": "argmax",
        "format": "sql",
        "term": 0,
        "action": "flatten",
        "intercept": [0.5],
        "n": 3,
        "criterion": "accuracy >= 0.5",
        "measure": "accuracy",
        "average": "macro",
        "column": "outlook",
        "kind": "missing",
        "a": "cart",
        "b": "cart",
        "estimator": tree,
        "y_true": y,
        "y_pred": y,
        "evaluation": found,
        "reason": tree.explain(X)[0].reasons[0],
        "space": {"max_depth": [1, 2]},
    }
    own: dict[tuple[str, str], dict[str, Any]] = {
        ("Table", "rename"): {"names": {"outlook": "sky"}},
        ("RuleSet", "from_json"): {"text": tree.rules().to_json()},
        ("Evaluation", "average"): {"name": "precision"},
        ("Evaluation", "rate"): {"name": "precision"},
        ("RegressionEvaluation", "estimate"): {"measure": "rmse"},
        ("RegressionEvaluation", "accept"): {"criterion": "rmse <= 9"},
        ("RegressionEvaluation", "from_predictions"): {"y_true": [1.0, 2.0], "y_pred": [1.0, 3.0]},
        ("CostMatrix", "read_csv"): {"path": folder / "costs.csv"},
        ("ThresholdTable", "best"): {"measure": "f1"},
        ("FriedmanNemenyi", "differ"): {"a": "a", "b": "b"},
    }
    for result in made:
        of = type(result).__name__
        for name, function in inspect.getmembers(result, inspect.isroutine):
            if name.startswith("_") or name in INTERNAL.get(of, ()):
                continue
            known = {**good, **own.get((of, name), {})}
            parameters = inspect.signature(function).parameters.values()
            named = [each for each in parameters if each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)]
            # A parameter without a default and without a good value is one more to be named above.
            given = {each.name: known[each.name] for each in named if each.default is each.empty}
            if named:
                yield Call(f"{of}.{name}", function, given)


def parameter_calls() -> list[Call]:
    """Return a fit of every learner with its parameters as arguments."""
    X, y = vaglio.datasets.load("play").xy("play")
    numbers = X.select(["temperature", "humidity"])
    return [
        Call(
            f"{learner.task} {learner.id}",
            _fitting(learner.make, numbers, target),
            learner.make().get_params(deep=False),
        )
        for known, target in ((LEARNERS, y), (REGRESSORS, np.arange(14.0)))
        for learner in known.values()
        if learner.id != "voting"  # its estimators have parameters of their own
    ]


def _fitting(make: Callable[[], Any], X: Any, y: Any) -> Callable[..., Any]:
    return lambda **parameters: make().set_params(**parameters).fit(X, y)
