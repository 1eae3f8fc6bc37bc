"""What vaglio relies on in what scikit-learn does not publish: one test per name, for every version of it."""

from __future__ import annotations

import ast
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import vaglio
from vaglio.runtime import scikit_learn


def test_composition_gives_and_sets_the_parameters_of_its_parts_by_name():
    class Parts(scikit_learn.Composition):
        def __init__(self, parts=()):
            self.parts = parts

        def get_params(self, deep=True):
            return self._get_params("parts", deep=deep)

        def set_params(self, **params):
            return self._set_params("parts", **params)

    made = Parts([("tree", vaglio.C45Classifier(max_depth=2))])
    assert made.get_params()["tree__max_depth"] == 2
    assert made.set_params(tree__max_depth=3).parts[0][1].max_depth == 3
    other = vaglio.LogisticRegression()
    assert made.set_params(tree=other).parts == [("tree", other)]
    with pytest.raises(ValueError, match="unique"):
        made._validate_names(["a", "a"])


def test_check_method_params_takes_the_rows_of_what_is_one_value_per_row():
    params = {"sample_weight": np.array([1.0, 2.0, 3.0]), "flag": "as it is"}
    taken = scikit_learn.check_method_params(np.zeros((3, 1)), params=params, indices=[2, 0])
    assert taken["sample_weight"].tolist() == [3.0, 1.0]
    assert taken["flag"] == "as it is"


def test_check_partial_fit_first_call_keeps_the_classes_of_the_first_call():
    learner = SimpleNamespace(classes_=None)
    with pytest.raises(ValueError, match="classes"):
        scikit_learn.check_partial_fit_first_call(learner)
    assert scikit_learn.check_partial_fit_first_call(learner, [2, 1])
    assert learner.classes_.tolist() == [1, 2]
    assert not scikit_learn.check_partial_fit_first_call(learner, [1, 2])
    with pytest.raises(ValueError, match="not the same"):
        scikit_learn.check_partial_fit_first_call(learner, [1, 3])


def test_check_sample_weight_gives_one_number_per_row():
    X = np.zeros((2, 1))
    assert scikit_learn.check_sample_weight(None, X).tolist() == [1.0, 1.0]
    given = np.array([1.0, 0.0])
    copied = scikit_learn.check_sample_weight(given, X, dtype=np.float64, copy=True)
    assert copied.tolist() == [1.0, 0.0]
    assert not np.shares_memory(copied, given)
    for wrong in ([1.0], [1.0, np.nan], [[1.0], [1.0]]):
        with pytest.raises(ValueError, match=r"[Ss]ample_?\s?weight"):
            scikit_learn.check_sample_weight(wrong, X)


def test_effective_n_threads_is_at_least_one_and_what_is_asked_for():
    assert scikit_learn.effective_n_threads(1) == 1
    assert scikit_learn.effective_n_threads(None) >= 1
    with pytest.raises(ValueError, match="n_threads"):
        scikit_learn.effective_n_threads(0)


def test_num_samples_counts_the_rows_of_anything():
    for rows in ([1, 2, 3], np.zeros((3, 2)), pd.DataFrame({"a": [1, 2, 3]}), csr_matrix((3, 2))):
        assert scikit_learn.num_samples(rows) == 3
    with pytest.raises(TypeError):
        scikit_learn.num_samples(3)


def test_safe_indexing_takes_rows_of_anything():
    frame = pd.DataFrame({"a": [1, 2, 3]}, index=["x", "y", "z"])
    assert scikit_learn.safe_indexing(frame, np.array([2, 0]))["a"].tolist() == [3, 1]
    assert scikit_learn.safe_indexing(frame, np.array([True, False, True]))["a"].tolist() == [1, 3]
    assert scikit_learn.safe_indexing([1, 2, 3], [2, 0]) == [3, 1]
    assert scikit_learn.safe_indexing(csr_matrix(np.eye(3)), [2, 0]).toarray().tolist() == [[0, 0, 1], [1, 0, 0]]
    assert scikit_learn.safe_indexing(frame, [0], axis=1).columns.tolist() == ["a"]


def _private(path: Path) -> list[str]:
    """What a module imports from scikit-learn that has a leading underscore."""
    return [
        f"{node.module}.{alias.name}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").split(".")[0] == "sklearn"
        for alias in node.names
        if any(part.startswith("_") for part in (*node.module.split("."), alias.name))
    ]


@pytest.mark.slow
def test_no_other_module_imports_what_scikit_learn_does_not_publish():
    package = Path(vaglio.__file__).parent
    found = {path.relative_to(package).as_posix(): _private(path) for path in sorted(package.rglob("*.py"))}
    assert len(found.pop("runtime/scikit_learn.py")) == len(scikit_learn.__all__)
    others = {path: [name for name in names if "._param_validation." not in name] for path, names in found.items()}
    assert {path: names for path, names in others.items() if names} == {}
