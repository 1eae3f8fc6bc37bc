"""The classes that are replaced, and the test files of the installed scikit-learn that name them."""

from __future__ import annotations

import re
from pathlib import Path

import sklearn

TARGETS: dict[str, tuple[str, ...]] = {
    "tree": ("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor"),
    "ensemble": (
        "AdaBoostClassifier",
        "BaggingClassifier",
        "BaggingRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
        "HistGradientBoostingClassifier",
        "HistGradientBoostingRegressor",
        "RandomForestClassifier",
        "RandomForestRegressor",
    ),
    "neighbors": ("KNeighborsClassifier", "KNeighborsRegressor"),
    "svm": ("SVC",),
    "linear_model": ("LogisticRegression", "Perceptron"),
    "naive_bayes": ("BernoulliNB", "CategoricalNB", "GaussianNB", "MultinomialNB"),
    "neural_network": ("MLPClassifier",),
}
NAMES = re.compile(rf"\b({'|'.join(name for names in TARGETS.values() for name in names)})\b")

# Files that name the classes and test something else, each with its reason.
_OTHER = {
    "tests/test_docstring_parameters.py": "the wording of scikit-learn's pages",
    "tests/test_docstring_parameters_consistency.py": "the wording of scikit-learn's pages",
    "utils/tests/test_testing.py": "scikit-learn's helpers for tests",
    "utils/tests/test_estimator_checks.py": "scikit-learn's checks of estimators, on estimators made to fail",
}


def test_files() -> list[str]:
    """Return the test files that name one of the classes, relative to the installed package."""
    root = Path(sklearn.__file__).parent
    found = (path for path in root.rglob("tests/test_*.py") if NAMES.search(path.read_text(encoding="utf-8")))
    return sorted(name for name in (path.relative_to(root).as_posix() for path in found) if name not in _OTHER)
