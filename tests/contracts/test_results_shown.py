"""What a person sees of a result: its text in a terminal, its HTML in a notebook, its picture."""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config

import vaglio
from vaglio.evaluation import Criterion, advise_split, permutation_importance
from vaglio.explanation import Explanations

PENGUINS = vaglio.datasets.load("penguins")


@cache
def tree() -> Any:
    return vaglio.C45Classifier(max_depth=2, calibrate=None).fit(*PENGUINS.xy("species"))


@cache
def selection() -> Any:
    return vaglio.select(PENGUINS, "species", {"tree": tree(), "bayes": "naive-bayes"}, strategy="quick")


RESULTS: dict[str, Callable[[], Any]] = {
    "evaluation": lambda: vaglio.evaluate(tree(), PENGUINS, "species"),
    "selection": selection,
    "comparison": lambda: vaglio.compare(PENGUINS, "species", tree(), folds=2, noise=(), missing=(), sizes=()),
    "audit": lambda: vaglio.audit(PENGUINS[:60], "species"),
    "exploration": lambda: vaglio.explore(PENGUINS[:60], "species"),
    "study": lambda: vaglio.Study(PENGUINS, "species", tree()),
    "explanation": lambda: tree().fitted_.explain(PENGUINS[:1])[0],
    "explanations": lambda: tree().fitted_.explain(PENGUINS[:2]),
    "rules": lambda: tree().rules(),
    "rule": lambda: tree().rules()[0],
    "trace": lambda: vaglio.trace("id3", vaglio.datasets.load("play")),
    "importance": lambda: permutation_importance(tree(), *PENGUINS.xy("species"), n_repeats=1),
    "bias and variance": lambda: vaglio.bias_variance(tree(), PENGUINS, "species", n_rounds=2, random_state=0),
    "acceptance": lambda: Criterion("accuracy >= 0.8").decide(RESULTS["evaluation"]()),
    "advice": lambda: advise_split(PENGUINS.xy("species")[1]),
    "model": lambda: tree().fitted_,
    "table": lambda: PENGUINS,
}
TEXT_ONLY = {"rule", "bias and variance", "acceptance", "advice"}
DRAWN = ("evaluation", "selection", "comparison", "rules", "importance")


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_prints_as_sentences_and_tables(name: str) -> None:
    result = RESULTS[name]()
    shown = repr(result)
    assert shown == str(result)
    assert type(result).__name__ + "(" not in shown, "a dump of fields"
    assert "array(" not in shown
    assert "object at 0x" not in shown
    assert len(shown) > 20


@pytest.mark.parametrize("name", sorted(RESULTS.keys() - TEXT_ONLY))
def test_a_result_is_html_in_a_notebook(name: str) -> None:
    page = RESULTS[name]()._repr_html_()
    opened, closed = re.findall(r"<(\w+)[^>]*[^/]>|<(\w+)>", page), re.findall(r"</(\w+)>", page)
    assert closed
    assert len(opened) >= len(closed)
    assert "<script" not in page
    assert "src=" not in page


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAWN)
def test_a_result_is_drawn(name: str) -> None:
    import matplotlib.pyplot as plt

    drawn = RESULTS[name]().plot()
    axes = drawn.axes if name == "evaluation" else [drawn]
    assert all(ax.has_data() for ax in axes)
    plt.close("all")


@pytest.mark.parametrize(
    "learner",
    [
        vaglio.C45Classifier(max_depth=2),
        vaglio.CARTClassifier(max_depth=3),
        vaglio.OptimalTreeClassifier(max_depth=1),
        vaglio.DecisionTreeRegressor(max_depth=2),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_a_tree_is_drawn_with_all_its_nodes(learner: Any) -> None:
    import matplotlib.pyplot as plt

    X, y = PENGUINS.xy("species")
    model = learner.fit(X, y if hasattr(learner, "predict_proba") else np.unique(y, return_inverse=True)[1])
    _, ax = plt.subplots()
    assert model.plot(ax) is ax
    told = [text.get_text() for text in ax.texts]
    for line in model.to_text().splitlines():
        title = re.split(r": |→ |─ ", line.partition("  (")[0])[-1]
        assert title in told, title
    plt.close("all")


def test_explanations_are_a_list() -> None:
    several = tree().fitted_.explain(PENGUINS[:25])
    assert isinstance(several, list)
    assert len(several) == 25
    assert isinstance(several[:2], Explanations)
    assert several[:2] == several[0:2]
    assert repr(several).count("\nRow ") == 19
    assert repr(several).endswith("… and 5 more rows")
    assert several._repr_html_().count('class="row"') == 20
    assert repr(Explanations()) == "[]"
    assert pickle.loads(pickle.dumps(several)) == several
    assert "Riga 2" in several.to_text(lang="it")


# ---- warnings -------------------------------------------------------------------------------------------------------


def _singular() -> tuple[np.ndarray, np.ndarray]:
    """More columns than rows of a class: every Gaussian model warns of its covariance."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 45)), rng.choice(["a", "b"], 40)


GAUSS = vaglio.GaussianMAPClassifier()
TRAINED: dict[str, Callable[[np.ndarray, np.ndarray], Any]] = {
    "learner": lambda X, y: vaglio.GaussianMAPClassifier().fit(X, y),
    "bagging": lambda X, y: vaglio.BaggingClassifier(GAUSS, n_estimators=3, random_state=0).fit(X, y),
    "bagging in threads": lambda X, y: vaglio.BaggingClassifier(GAUSS, n_estimators=3, n_jobs=2).fit(X, y),
    "voting": lambda X, y: vaglio.VotingClassifier([("a", GAUSS), ("b", GAUSS)]).fit(X, y),
    "voting in threads": lambda X, y: vaglio.VotingClassifier([("a", GAUSS), ("b", GAUSS)], n_jobs=2).fit(X, y),
    "boosting": lambda X, y: vaglio.AdaBoostClassifier(GAUSS, n_estimators=3, random_state=0).fit(X, y),
    "folds": lambda X, y: vaglio.evaluate(GAUSS, X, y, folds=3),
    "bias and variance": lambda X, y: vaglio.bias_variance(GAUSS, X, y, n_rounds=4, random_state=0),
    "comparison": lambda X, y: vaglio.compare(X, y, GAUSS, folds=2, noise=(), missing=(), sizes=()),
    "trace": lambda X, y: vaglio.trace(GAUSS, X, y),
}


@pytest.mark.parametrize("name", TRAINED)
def test_a_remark_is_made_once_and_at_the_line_of_the_caller(name: str) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        TRAINED[name](*_singular())
    remarks = [each for each in told if issubclass(each.category, vaglio.errors.DataWarning)]
    assert len(remarks) == 1
    assert all(each.filename == __file__ for each in told)


@pytest.mark.nightly
def test_a_remark_of_another_process_stops_nothing() -> None:
    with parallel_config(backend="loky"):
        bag = vaglio.BaggingClassifier(GAUSS, n_estimators=2, n_jobs=2, random_state=0).fit(*_singular())
    assert len(bag.estimators_) == 2
