"""Model files with a right checksum and hostile content: refused in one sentence, or harmless."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.hostile.model_file import Change, changed, reloaded

import vaglio
from vaglio.errors import InputError, ModelFileError, NotSupportedError, VaglioError
from vaglio.fitted import Fitted

# Loads a file and uses it on two rows, one of them without any value, under a limit of memory beyond the imports.
USE = """
import resource, sys, numpy as np, vaglio, vaglio.learners.registry
from pathlib import Path
from vaglio.errors import VaglioError
for name in ("tree", "neighbors", "ensemble"):
    vaglio.model.families.model_class(name)
import sklearn.metrics
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30),) * 2)
for path in sys.argv[1:]:
    try:
        model = vaglio.load(path)
        for rows in (np.array([[1.0, 2.0]]), np.full((1, 2), np.nan)):
            model.predict(rows)
            model.predict_proba(rows)
        print("used")
    except VaglioError as error:
        assert not isinstance(error.__cause__, MemoryError)
        print("refused")
"""


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    return X, np.array(["no", "yes"])[(X[:, 0] + X[:, 1] > 0).astype(int)]


def outcome(folder: Path, *contents: bytes) -> list[str]:
    """What becomes of files in a process of their own, with a limit of memory."""
    if not sys.platform.startswith("linux"):
        pytest.skip("the limit of memory is set, and the memory in use is read, as on Linux")
    paths = [folder / f"{i}.vaglio" for i in range(len(contents))]
    for path, content in zip(paths, contents):
        path.write_bytes(content)
    done = subprocess.run([sys.executable, "-c", USE, *paths], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-600:]
    return done.stdout.split()


@pytest.mark.slow
def test_weights_whose_sum_is_infinite(rows: Any, tmp_path: Path) -> None:
    model = vaglio.C45Classifier().fit(*rows).fitted_

    def change(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        arrays["weight"][:] = 1.7e308
        arrays["missing_branch"][:] = -1

    assert outcome(tmp_path, changed(model, change)) == ["refused"]


def test_the_kernel_does_not_rely_on_the_weights(rows: Any) -> None:
    """A row without values is sent down a tree whose weights add up to infinity, or are no numbers."""
    import dataclasses

    model = vaglio.C45Classifier().fit(*rows).fitted_
    for bad in (1.7e308, np.nan, 0.0, -1.0):
        weight = np.full_like(model.model.weight, bad)
        tree = dataclasses.replace(model.model, weight=weight)
        found = dataclasses.replace(model, model=tree).predict_proba(np.full((3, 2), np.nan))
        assert found.shape == (3, 2)


@pytest.mark.slow
def test_many_neighbours(rows: Any, tmp_path: Path) -> None:
    model = vaglio.KNeighborsClassifier().fit(*rows).fitted_

    def change(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        body["model"]["k"] = 2**32 - 1
        arrays["weight"] = np.ones(len(arrays["target"]))

    assert outcome(tmp_path, changed(model, change))[0] in ("used", "refused")


@pytest.mark.slow
def test_a_type_of_labels_that_takes_memory(rows: Any, tmp_path: Path) -> None:
    X = rows[0]
    y = np.arange(len(X)) % 40
    model = vaglio.KNeighborsClassifier(n_neighbors=1).fit(X, y).fitted_

    def with_type(dtype: str) -> Change:
        labels = {"dtype": dtype, "labels": list(range(10_000))}
        return lambda body, arrays: body.update(classes=labels)

    types = ["f,99999f", "99999f", "U999999999", "V9999999", "f8,f8", "(9,9)f8", "M8[s]"]
    found = outcome(tmp_path, *(changed(model, with_type(dtype)) for dtype in types))
    for dtype, word in zip(types, found, strict=True):
        assert word in ("refused", "used")
        if not dtype.startswith("U"):
            with pytest.raises(ModelFileError, match="no type"):
                reloaded(model, with_type(dtype))


@pytest.mark.slow
def test_very_many_classes(rows: Any, tmp_path: Path) -> None:
    """Memory grows with rows times classes, not with the square of the classes."""
    model = vaglio.BaggingClassifier(vaglio.Perceptron(), n_estimators=2, voting="hard").fit(*rows).fitted_

    def change(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        body["classes"] = {"dtype": "<i8", "labels": list(range(60_000))}

    assert outcome(tmp_path, changed(model, change)) == ["used"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "value",
    ["\ud800", 10**400, -(10**400), [[[[]]]] * 3, {"rows": "many", "columns": {}}, {"accuracy": "good"}, "\x1b[31m"],
    ids=repr,
)
@pytest.mark.parametrize("key", ["training", "scores", "target", "dates", "command", "python", "version"])
def test_a_model_with_any_provenance_is_refused_or_shown(rows: Any, key: str, value: Any, tmp_path: Path) -> None:
    from vaglio.cli._output import to_json
    from vaglio.cli.commands.inspect import describe

    model = vaglio.C45Classifier().fit(*rows).fitted_
    try:
        model = reloaded(model, lambda body, arrays: body["provenance"].update({key: value}))
    except ModelFileError:
        return
    assert "\x1b" not in repr(model)
    repr(model).encode()
    model._repr_html_().encode()
    to_json(describe(model).data).encode()
    assert isinstance(model.cell_formats, dict)
    model.predict(rows[0])


def test_a_description_that_is_too_deep(rows: Any) -> None:
    def change(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        deep: Any = []
        for _ in range(500):
            deep = [deep]
        body["params"] = {"deep": deep}

    with pytest.raises(ModelFileError, match="not readable"):
        reloaded(vaglio.C45Classifier().fit(*rows).fitted_, change)


@pytest.mark.parametrize("label", ["\ud800", 10**400], ids=["surrogate", "large"])
def test_what_could_not_be_loaded_again_is_not_saved(label: Any, tmp_path: Path) -> None:
    model: Fitted = vaglio.C45Classifier().fit([[1.0], [2.0]], ["a", "b"]).fitted_
    object.__setattr__(model, "classes", np.array(["a", label], dtype=object))
    with pytest.raises(NotSupportedError, match="cannot be saved"):
        model.save(tmp_path / "m.vaglio")
    assert not list(tmp_path.iterdir())


def test_weights_that_add_up_to_infinity_are_scaled_or_refused_in_training(rows: Any) -> None:
    X, y = rows
    weight = np.full(len(y), 1e308)
    tree = vaglio.C45Classifier().fit(X, y, sample_weight=weight)  # only proportions matter to it
    assert tree.to_text() == vaglio.C45Classifier().fit(X, y).to_text()
    with pytest.raises(InputError, match="too far from 1"):
        vaglio.NaiveBayesClassifier().fit(X, y, sample_weight=weight)


def test_whole_numbers_beyond_all_floats_are_categories(rows: Any) -> None:
    import pandas as pd

    X = pd.DataFrame({"code": pd.Series([10**400, 1, 10**400, 1] * 5, dtype="category")})
    y = ["a", "b"] * 10
    try:
        model = vaglio.C45Classifier().fit(X, y)
    except VaglioError:
        return
    assert model.predict(X).tolist() == y


def test_the_column_of_a_linear_test_that_is_none(rows: Any) -> None:
    def change(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        arrays["feature"][:] = np.where(arrays["feature"] < 0, 9, arrays["feature"])

    with pytest.raises(ModelFileError, match="the feature of a node"):
        reloaded(vaglio.ObliqueTreeClassifier().fit(*rows).fitted_, change)


def test_dense_models_of_sparse_matrices(rows: Any) -> None:
    def change(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        body["codebook"]["sparse"] = True

    with pytest.raises(ModelFileError, match="no sparse matrices"):
        reloaded(vaglio.KNeighborsClassifier().fit(*rows).fitted_, change)


def test_a_stored_rank_beyond_the_categories() -> None:
    import pandas as pd

    grades = pd.Categorical(list("lmh") * 10, list("lmh"), ordered=True)
    X, y = pd.DataFrame({"grade": grades}), np.array(["a", "b", "c"])[grades.codes]

    def change(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        arrays["numeric"][:] *= 1e300

    try:
        reloaded(vaglio.KNeighborsClassifier(1).fit(X, y).fitted_, change).explain(X[:3])
    except VaglioError:
        return


@pytest.mark.slow
@pytest.mark.parametrize("value", [1e308, -1e308, 7.5, -3.2, np.inf, -np.inf])
@pytest.mark.parametrize("learner", ["c45", "cart", "random-forest", "ripper"])
def test_ranks_outside_of_the_categories(learner: str, value: float) -> None:
    import pandas as pd

    from vaglio.fitted import export_formats
    from vaglio.learners.registry import LEARNERS

    grades = pd.Categorical(list("lmh") * 10, list("lmh"), ordered=True)
    X = pd.DataFrame({"grade": grades})
    model = LEARNERS[learner].make().fit(X, np.array(["a", "b", "c"])[grades.codes]).fitted_

    def change(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        for name in ("threshold", "detail"):
            if name in arrays:
                arrays[name][:] = value

    try:
        strange = reloaded(model, change)
        for write in export_formats(strange).values():
            write()
        strange.explain(X[:3])
    except VaglioError:
        return
