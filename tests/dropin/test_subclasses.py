"""Classes that a program derives from the presets, and from vaglio's own: a fit reads attributes, not the signature."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import AdaBoostRegressor, StackingClassifier
from sklearn.linear_model import LogisticRegressionCV

import vaglio
import vaglio.sklearn as dropin
from vaglio.learners.provenance import learner_source
from vaglio.learners.registry import LEARNERS, REGRESSORS
from vaglio.sklearn import ensemble, tree
from vaglio.sklearn._names import MODULES

X, Y = (values[:120] for values in load_breast_cancer(return_X_y=True))
X = X[:, :5]
# Parameters that change a model, off their defaults.
CHANGED = {
    "C": 0.3,
    "alpha": 3.0,
    "hidden_layer_sizes": (3,),
    "kernel": "linear",
    "max_depth": 1,
    "max_iter": 3,
    "max_rules": 1,
    "min_samples_leaf": 20,
    "n_estimators": 3,
    "n_models": 1,
    "n_neighbors": 2,
    "random_state": 0,
}
PRESETS = [getattr(importlib.import_module(f"vaglio.sklearn.{m}"), name) for m in MODULES for name in
           importlib.import_module(f"vaglio.sklearn.{m}").OWN]  # fmt: skip
OWN = sorted({entry.cls for entry in (*LEARNERS.values(), *REGRESSORS.values())}, key=lambda cls: cls.__name__)


def derived(cls: Any, **fixed: Any) -> tuple[Any, Any]:
    """Return a subclass that fixes parameters, and one that has a parameter of its own beside."""

    class Fixing(cls):
        def __init__(self) -> None:
            super().__init__(**fixed)

    class Adding(cls):
        def __init__(self, own: int = 5) -> None:
            super().__init__(**fixed)
            self.own = own

    return Fixing, Adding


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_parameter_that_a_subclass_fixes_is_the_one_that_is_learned_with() -> None:
    for cls in [*PRESETS, *OWN]:
        taken = {name: CHANGED[name] for name in CHANGED if name in cls().get_params()}
        if cls.__name__ == "SVC" and not issubclass(cls, dropin._preset.Preset):
            taken.pop("C")  # another name of lam
        rows = (X % 3).astype(int) if cls.__name__ == "CategoricalNB" else X
        expected = cls(**taken).fit(rows, Y)
        for subclass in derived(cls, **taken):
            found = subclass().fit(rows, Y)
            method = "predict_proba" if hasattr(expected, "predict_proba") else "predict"
            np.testing.assert_array_equal(
                getattr(found, method)(rows),
                getattr(expected, method)(rows),
                err_msg=subclass.__qualname__ + cls.__name__,
            )
            if cls in OWN:
                assert found.fitted_.params == expected.fitted_.params, cls
                assert learner_source(found) == learner_source(expected)


def test_a_parameter_that_a_subclass_fixes_is_checked() -> None:
    for cls in (tree.DecisionTreeClassifier, vaglio.DecisionTreeClassifier):
        for subclass in derived(cls, max_depth=-1):
            with pytest.raises(ValueError, match="'max_depth' parameter of"):
                subclass().fit(X, Y)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_subclass_chooses_the_members_of_its_ensemble() -> None:
    class Boosted(ensemble.BaggingClassifier):
        def _get_estimator(self) -> Any:
            return ensemble.AdaBoostClassifier(n_estimators=2)

    class Deep(ensemble.AdaBoostClassifier):
        def _validate_estimator(self) -> None:
            self.estimator_ = tree.DecisionTreeClassifier(max_depth=4)

    class Drawn(ensemble.RandomForestClassifier):
        def _make_estimator(self, append: bool = True, random_state: Any = None) -> Any:
            return super()._make_estimator(append, random_state).set_params(max_depth=2)

    assert {type(member) for member in Boosted(n_estimators=3).fit(X, Y).estimators_} == {ensemble.AdaBoostClassifier}
    assert max(member.get_depth() for member in Deep(n_estimators=3).fit(X, Y).estimators_) > 1
    assert {member.get_depth() for member in Drawn(n_estimators=3, random_state=0).fit(X, Y).estimators_} <= {1, 2}
    # What scikit-learn would choose, vaglio's trees replace, whatever the user calls the class.
    for cls in (ensemble.BaggingClassifier, ensemble.AdaBoostClassifier, ensemble.RandomForestClassifier):
        for subclass in derived(cls, n_estimators=2):
            assert {type(member) for member in subclass().fit(X, Y).estimators_} == {tree.DecisionTreeClassifier}


def members_of(model: Any) -> set[str]:
    """Return the names under which a program that walks over the attributes finds estimators."""
    return {name for name in dir(model) if name.endswith("_") and isinstance(getattr(model, name, None), BaseEstimator)}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore:Attribute `prob[AB]_`")
def test_every_preset_hands_out_its_learner() -> None:
    rows, target = load_iris(return_X_y=True)
    for cls in PRESETS:
        whole = (rows % 2).astype(int) if cls.__name__ == "CategoricalNB" else np.rint(rows)
        model = cls().fit(whole, target)
        learner = model.learner_
        theirs = getattr(importlib.import_module(cls.__module__.replace("vaglio.", "", 1)), cls.__name__)
        assert members_of(model) == members_of(theirs().fit(whole, target)), cls.__name__
        if cls.__name__ != "CategoricalNB":  # which learns from a table
            np.testing.assert_allclose(learner.predict(whole), model.predict(whole), 1e-9, err_msg=cls.__name__)
            assert len(learner.explain(whole[:2])) == 2
        if hasattr(model, "partial_fit"):
            assert model.partial_fit(whole, target).learner_ is None  # scikit-learn's own code


def test_patched_names_answer_for_scikit_learns_classes() -> None:
    import sklearn.linear_model
    import sklearn.tree

    made = sklearn.tree.DecisionTreeClassifier()
    dropin.patch()
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        class Mine(LogisticRegression):
            pass

        assert LogisticRegression.__module__ == "vaglio.sklearn.linear_model"
        assert isinstance(LogisticRegressionCV(), LogisticRegression)
        assert issubclass(LogisticRegressionCV, LogisticRegression)
        assert isinstance(made, DecisionTreeClassifier)  # as from an old pickle
        assert not isinstance(made, DecisionTreeRegressor)
        assert not isinstance(LogisticRegressionCV(), Mine)
        assert isinstance(Mine(), LogisticRegression)
        assert not isinstance(NearestNeighbors().fit(X), KNeighborsClassifier)
        # Members that scikit-learn's ensembles choose are of the class that the program knows.
        boosted = AdaBoostRegressor(n_estimators=2).fit(X, Y)
        assert type(boosted.estimators_[0]) is DecisionTreeRegressor
        stack = StackingClassifier([("tree", DecisionTreeClassifier(max_depth=2))]).fit(X, Y)
        assert type(stack.final_estimator_) is LogisticRegression
    finally:
        dropin.unpatch()
    assert not isinstance(LogisticRegressionCV(), LogisticRegression)
    assert type(AdaBoostRegressor(n_estimators=1).fit(X, Y).estimators_[0]) is sklearn.tree.DecisionTreeRegressor
