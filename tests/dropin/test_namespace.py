"""The names of scikit-learn below ``vaglio.sklearn``, and the classes that are put in place of its own."""

from __future__ import annotations

import importlib
import inspect
import pickle
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import vaglio
import vaglio.sklearn as dropin
from vaglio.sklearn._names import MODULES

OWN = [(module, name) for module in MODULES for name in importlib.import_module(f"vaglio.sklearn.{module}").OWN]


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_of_scikit_learn_can_be_imported(module):
    theirs, ours = (importlib.import_module(f"{root}.{module}") for root in ("sklearn", "vaglio.sklearn"))
    assert set(theirs.__all__) <= set(dir(ours))
    for name in theirs.__all__:
        assert (getattr(ours, name) is getattr(theirs, name)) == (name not in ours.OWN), name


def test_modules_without_a_class_of_ours_are_scikit_learns():
    from sklearn.model_selection import train_test_split
    from vaglio.sklearn.model_selection import train_test_split as same
    from vaglio.sklearn.utils.multiclass import type_of_target

    assert same is train_test_split
    assert type_of_target([0, 1]) == "binary"
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("vaglio.sklearn.no_such_module")


def test_the_package_has_the_modules_and_functions_of_scikit_learn():
    for name in sklearn.__all__:
        ours, theirs = getattr(dropin, name), getattr(sklearn, name)
        assert (ours.__name__ == f"vaglio.{theirs.__name__}") if inspect.ismodule(theirs) else (ours is theirs), name
    assert dropin.__version__ == sklearn.__version__
    for name in ("no_such_module", "_distributor_init"):
        with pytest.raises(AttributeError, match=name):
            getattr(dropin, name)


@pytest.mark.parametrize(("module", "name"), OWN)
def test_a_preset_has_scikit_learns_parameters_and_no_others(module, name):
    theirs, ours = (
        getattr(importlib.import_module(f"{root}.{module}"), name) for root in ("sklearn", "vaglio.sklearn")
    )
    assert inspect.signature(ours) == inspect.signature(theirs)
    assert ours().get_params() == theirs().get_params()
    assert isinstance(ours(), theirs)
    assert type(clone(ours())) is ours
    assert type(pickle.loads(pickle.dumps(ours()))) is ours
    assert ours.__module__ == f"vaglio.sklearn.{module}"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("module", "name"), OWN)
def test_metadata_reaches_a_preset_as_it_reaches_scikit_learns_class(module, name):
    theirs, ours = (
        getattr(importlib.import_module(f"{root}.{module}"), name)() for root in ("sklearn", "vaglio.sklearn")
    )
    X, y = load_iris(return_X_y=True)
    X, weight = np.rint(X), np.where(np.arange(len(y)) % 3 == 0, 4.0, 0.5)
    with sklearn.config_context(enable_metadata_routing=True):
        if name == "AdaBoostClassifier":  # scikit-learn's has not learned it either
            for estimator in (theirs, ours):
                with pytest.raises(NotImplementedError, match="metadata routing"):
                    estimator.get_metadata_routing()
            return
        assert str(ours.get_metadata_routing()) == str(theirs.get_metadata_routing())
        if not hasattr(ours, "set_fit_request"):
            return
        small = {"random_state": 0, "n_estimators": 5, "max_iter": 20}
        ours = ours.set_params(**{key: small[key] for key in small if key in ours.get_params()})
        routed = make_pipeline(FunctionTransformer(), ours.set_fit_request(sample_weight=True))
        routed.fit(X, y, sample_weight=weight)
    alone, unweighted = clone(ours).fit(X, y, sample_weight=weight), clone(ours).fit(X, y)
    score = "predict_proba" if hasattr(ours, "predict_proba") else "predict"
    np.testing.assert_allclose(getattr(routed, score)(X), getattr(alone, score)(X))
    if name not in ("SVC", "Perceptron", "KNeighborsClassifier"):  # the weight matters
        assert (getattr(alone, score)(X) != getattr(unweighted, score)(X)).any()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_callbacks_are_called():
    from vaglio.sklearn.linear_model import LogisticRegression

    if not hasattr(LogisticRegression, "set_callbacks"):
        pytest.skip("the installed scikit-learn has no callbacks")
    from sklearn.callback import ScoringMonitor

    X, y = load_iris(return_X_y=True)
    monitor = ScoringMonitor(scoring="accuracy")
    model = LogisticRegression(max_iter=20).set_callbacks(monitor).fit(X, y)
    assert model.learner_ is None  # scikit-learn's own solver calls them
    assert len(monitor.get_logs().data) > 0


def test_a_model_stored_by_another_version_of_scikit_learn_is_told(monkeypatch):
    from vaglio.sklearn.naive_bayes import GaussianNB

    X, y = load_iris(return_X_y=True)
    stored = pickle.dumps(GaussianNB().fit(X, y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(pickle.loads(stored).predict(X), GaussianNB().fit(X, y).predict(X))
    assert "_sklearn_version" not in vars(pickle.loads(stored))
    monkeypatch.setattr(sklearn, "__version__", "99.0")
    with pytest.warns(InconsistentVersionWarning, match=r"GaussianNB from version 1\..*99\.0"):
        pickle.loads(stored)


@pytest.mark.parametrize(("module", "name"), OWN)
def test_the_page_of_a_preset_is_that_of_scikit_learns_class(module, name):
    theirs, ours = (
        getattr(importlib.import_module(f"{root}.{module}"), name)() for root in ("sklearn", "vaglio.sklearn")
    )
    link = theirs._get_doc_link()
    assert ours._get_doc_link() == link
    assert f"sklearn.{module}.{name}.html" in link


def test_neighbours_have_the_rows_and_the_search_of_scikit_learn():
    from sklearn import neighbors as theirs

    from vaglio.sklearn import neighbors as ours

    X, y = load_iris(return_X_y=True)
    for params in ({}, {"algorithm": "brute"}, {"algorithm": "ball_tree", "p": 3}, {"n_neighbors": 80}):
        for target in (y, np.column_stack([y, y % 2])):
            for name in ours.OWN:
                found, expected = (getattr(module, name)(**params).fit(X, target) for module in (ours, theirs))
                np.testing.assert_array_equal(found._fit_X, expected._fit_X)
                np.testing.assert_array_equal(found._y, expected._y)
                assert found._fit_method == expected._fit_method
                assert type(found._tree) is type(expected._tree)
    assert found.fit(X[:, :2], y)._tree is None or found._tree.get_arrays()[0].shape[1] == 2


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_warning_names_the_line_that_called():
    from sklearn.model_selection import cross_val_score

    from vaglio.sklearn.linear_model import LogisticRegression, Perceptron
    from vaglio.sklearn.svm import SVC

    X, y = load_iris(return_X_y=True)
    for model in (
        LogisticRegression(max_iter=1),
        Perceptron(max_iter=1),
        SVC(max_iter=1),
        vaglio.Perceptron(max_iter=1),
    ):
        for call in (model.fit, lambda X, y, model=model: cross_val_score(model, X, y, cv=2)):
            with pytest.warns(sklearn.exceptions.ConvergenceWarning) as told:
                call(X, y)
            assert {warning.filename for warning in told} == {__file__}, model


def test_patching_replaces_the_classes_and_gives_them_back():
    before = {(module, name): getattr(getattr(sklearn, module), name) for module, name in OWN}
    dropin.patch()
    try:
        dropin.patch()  # twice is once
        for module, name in OWN:
            assert getattr(getattr(sklearn, module), name).__module__ == f"vaglio.sklearn.{module}"
    finally:
        dropin.unpatch()
    assert before == {(module, name): getattr(getattr(sklearn, module), name) for module, name in OWN}


@pytest.mark.slow
def test_a_program_runs_with_the_classes_in_place(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(
        "import sys\nfrom sklearn.tree import DecisionTreeClassifier as T\nprint(T.__module__, *sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-m", "vaglio.sklearn", str(script), "a", "b"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.split()) == (0, ["vaglio.sklearn.tree", "a", "b"]), done.stderr


def test_what_scikit_learn_does_is_declared_and_counted():
    from vaglio.sklearn.tree import DecisionTreeRegressor

    def count():
        return {(entry.name, entry.case): entry.count for entry in dropin.fallbacks()}

    case = ("tree.DecisionTreeRegressor", "negative sample weights")
    before = count()[case]
    tree = DecisionTreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0], sample_weight=[3.0, -1.0])
    assert tree.learner_ is None
    assert count()[case] == before + 1
    assert all(entry.reason for entry in dropin.fallbacks())


TALKING = {
    "svm.SVC": {"verbose": True},
    "linear_model.Perceptron": {"verbose": 1, "max_iter": 3},
    "linear_model.LogisticRegression": {"verbose": 1, "solver": "newton-cg"},
    "ensemble.RandomForestClassifier": {"verbose": 2, "n_estimators": 2},
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", TALKING)
def test_verbose_prints_what_scikit_learn_prints(name, capfd):
    X, y = load_iris(return_X_y=True)
    module, _, kind = name.partition(".")
    printed = []
    for package in ("sklearn", "vaglio.sklearn"):
        getattr(importlib.import_module(f"{package}.{module}"), kind)(**TALKING[name]).fit(X, y)
        printed.append(re.sub(r"[\d.]+ ?(s\b|seconds)", "", capfd.readouterr().out))
    assert printed[0]
    assert printed[0] == printed[1]


@pytest.mark.slow
def test_importing_the_modules_loads_little_more_than_scikit_learn_does():
    code = """
import importlib, sys
for root in ("sklearn", "vaglio.sklearn"):
    before = set(sys.modules)
    for module in sys.argv[1:]:
        importlib.import_module(f"{root}.{module}")
print(*set(sys.modules) - before)
"""
    done = subprocess.run([sys.executable, "-c", code, *MODULES], capture_output=True, text=True, check=True)
    more = set(done.stdout.split())
    assert {name.split(".")[0] for name in more} == {"vaglio"}, more
    assert not [name for name in more if name.startswith(("vaglio.learners", "vaglio.encode", "vaglio.table"))], more
