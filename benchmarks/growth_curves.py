"""Which learners the task `growth` measures, and the peers of each: those that are installed.

Every learner of the registry has a curve. Where another library has the same learner, both have the same settings;
the others are measured with their defaults.
"""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.discriminant_analysis
import sklearn.ensemble
import sklearn.linear_model
import sklearn.naive_bayes
import sklearn.neighbors
import sklearn.svm
import sklearn.tree

import vaglio
import vaglio.sklearn.ensemble
from benchmarks import weka
from benchmarks.forests import other_forests
from benchmarks.intelex import intelex
from benchmarks.runner import OURS
from vaglio.learners.registry import LEARNERS, find

THREADS = 2
SKLEARN = f"scikit-learn {sklearn.__version__}"
JOBS: dict[str, Any] = {"n_jobs": THREADS}
SEEDED: dict[str, Any] = {"random_state": 0}
# Learners of the registry that stand among the pairs, by another name or with other settings.
PAIRED = {
    "logistic",
    "perceptron",
    "svm",
    "knn",
    "bagging",
    "adaboost",
    "random-forest",
    "gaussian-map",
    "multinomial-nb",
    "bernoulli-nb",
    "additive",
    "c45",
    "ripper",
}


@dataclass(frozen=True)
class Curve:
    """A learner of one library.

    Parameters
    ----------
    learner, who : str
    make : callable
        Returns an unfitted estimator.
    predicts : bool
        Whether predictions are part of the time.
    counts : bool
        Whether the learner is one of counts, which are not negative.
    """

    learner: str
    who: str
    make: Callable[[], Any]
    predicts: bool = False
    counts: bool = False


class WekaRun:
    """A learner of Weka, which trains and tests in one call of Java; `seconds` is the time that Weka prints."""

    def __init__(self, learner: str) -> None:
        self.learner = learner

    def measured(self, X: np.ndarray, y: np.ndarray, rows: int) -> tuple[float, float]:
        """Return the seconds of building a model of the first rows, and its accuracy on the others."""
        table = vaglio.Table.from_any({**{f"x{j}": X[:, j] for j in range(X.shape[1])}, "y": y.astype(str)})
        known, unseen = table.take(np.arange(rows)), table.take(np.arange(rows, len(y)))
        with tempfile.TemporaryDirectory() as folder:
            files = Path(folder) / "train.arff", Path(folder) / "test.arff"
            weka.write_arff(known, "y", files[0], beside=unseen)
            weka.write_arff(unseen, "y", files[1], beside=known)
            run = weka.run(self.learner, *files, memory="8g")
        return run.seconds, run.accuracy


def curves() -> list[Curve]:
    """Return ours and, after each, its peers."""
    found = []
    for learner, ours, peers in _pairs():
        special = {"predicts": learner == "nearest neighbours", "counts": learner == "multinomial naive Bayes"}
        found.append(Curve(learner, OURS, ours, **special))
        found += [Curve(learner, who, make, **special) for who, make in peers.items()]
    others = [name for name in LEARNERS if name not in PAIRED]
    return [*found, *(Curve(name, OURS, partial(_default, name)) for name in others)]


def _default(name: str) -> Any:
    """Return the learner of the registry with its defaults, on all threads of the task."""
    made = find(name).make()
    return made.set_params(**{key: value for key, value in (JOBS | SEEDED).items() if key in made.get_params()})


def _pairs() -> Iterator[tuple[str, Callable[[], Any], dict[str, Callable[[], Any]]]]:
    """Yield the name, ours, and the same learner elsewhere."""
    trees, linear, bayes = sklearn.tree, sklearn.linear_model, sklearn.naive_bayes
    yield "decision tree", partial(vaglio.DecisionTreeClassifier, **JOBS), {SKLEARN: trees.DecisionTreeClassifier}
    yield "C4.5", partial(_default, "c45"), _weka("J48")
    yield "RIPPER", partial(_default, "ripper"), _weka("JRip")
    gaussian = partial(vaglio.NaiveBayesClassifier, "gaussian", **JOBS)
    yield "naive Bayes, normal", gaussian, {SKLEARN: bayes.GaussianNB}
    yield "multinomial naive Bayes", vaglio.MultinomialNB, {SKLEARN: bayes.MultinomialNB}
    yield "Bernoulli naive Bayes", vaglio.BernoulliNB, {SKLEARN: partial(bayes.BernoulliNB, binarize=0.0)}
    quadratic = sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis
    yield "Gaussians", partial(vaglio.GaussianMAPClassifier, **JOBS), {SKLEARN: quadratic}
    logistic = {SKLEARN: linear.LogisticRegression, **_intelex("linear_model", "LogisticRegression")}
    yield "logistic regression", vaglio.LogisticRegression, logistic
    yield "perceptron", vaglio.Perceptron, {SKLEARN: linear.Perceptron}
    yield "SVC", vaglio.SVC, {SKLEARN: sklearn.svm.SVC, **_intelex("svm", "SVC")}
    neighbours = partial(sklearn.neighbors.KNeighborsClassifier, **JOBS)
    accelerated = _intelex("neighbors", "KNeighborsClassifier")
    yield "nearest neighbours", partial(vaglio.KNeighborsClassifier, **JOBS), {SKLEARN: neighbours, **accelerated}
    yield "bagging", *_seeded("BaggingClassifier", **JOBS)
    yield "AdaBoost", *_seeded("AdaBoostClassifier")
    ours, theirs = _seeded("RandomForestClassifier", **JOBS)
    yield "random forest", ours, {**theirs, **_intelex("ensemble", "RandomForestClassifier"), **other_forests(THREADS)}
    hundred: dict[str, Any] = {"early_stopping": False, **SEEDED}
    boosted = partial(vaglio.sklearn.ensemble.HistGradientBoostingClassifier, **hundred)
    peer = partial(sklearn.ensemble.HistGradientBoostingClassifier, **hundred)
    yield "gradient boosting, 100 rounds", boosted, {SKLEARN: peer, **_other_boosting()}
    yield "additive model", partial(_default, "additive"), _interpret()


def _seeded(name: str, **given: Any) -> tuple[Callable[[], Any], dict[str, Callable[[], Any]]]:
    """Return the ensemble of this name, of vaglio and of scikit-learn."""
    ours, theirs = getattr(vaglio, name), getattr(sklearn.ensemble, name)
    return partial(ours, **SEEDED, **given), {SKLEARN: partial(theirs, **SEEDED, **given)}


def _intelex(module: str, name: str) -> dict[str, Callable[[], Any]]:
    other = intelex(module, name, THREADS)
    return {} if other is None else {other.name: other.make}


def _weka(learner: str) -> dict[str, Callable[[], Any]]:
    return {f"Weka {learner}": partial(WekaRun, learner)} if weka.available() else {}


def _other_boosting() -> dict[str, Callable[[], Any]]:
    """Return LightGBM and XGBoost with 100 rounds of 31 leaves, steps of 0.1 and 255 bins, as scikit-learn's."""
    found: dict[str, Callable[[], Any]] = {}
    if importlib.util.find_spec("lightgbm"):
        import lightgbm

        found[f"LightGBM {version('lightgbm')}"] = partial(lightgbm.LGBMClassifier, verbose=-1, **JOBS, **SEEDED)
    if importlib.util.find_spec("xgboost"):
        import xgboost

        leaves: dict[str, Any] = {"max_leaves": 31, "max_depth": 0, "grow_policy": "lossguide"}
        steps: dict[str, Any] = {"learning_rate": 0.1, "max_bin": 255, "reg_lambda": 0.0}
        found[f"XGBoost {version('xgboost')}"] = partial(xgboost.XGBClassifier, **leaves, **steps, **JOBS, **SEEDED)
    return found


def _interpret() -> dict[str, Callable[[], Any]]:
    if importlib.util.find_spec("interpret") is None:
        return {}
    from interpret.glassbox import ExplainableBoostingClassifier

    return {f"interpret {version('interpret-core')}": partial(ExplainableBoostingClassifier, **JOBS, **SEEDED)}
