"""Every public function takes a table with the name of its class column, and inputs with the classes beside them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import vaglio
from vaglio.errors import ArgumentError, InputError

LEARNER = {"c45": vaglio.C45Classifier(calibrate=None, max_depth=2)}
# What a function says about the data, so that the forms can be compared.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "evaluate": lambda *data: vaglio.evaluate(LEARNER["c45"], *data, folds=3).confusion.tolist(),
    "compare": lambda *data: [
        report.score.value for report in vaglio.compare(*data, LEARNER, folds=3, noise=(), missing=(), sizes=()).reports
    ],
    "select": lambda *data: vaglio.select(*data, LEARNER, strategy="quick").score,
    "tune": lambda *data: vaglio.tune(LEARNER["c45"], *data, {"max_depth": [1, 3]}, folds=3).best.params,
    "Study": lambda *data: vaglio.Study(*data, LEARNER, strategy="quick").run().evaluation.accuracy.value,
    "audit": lambda *data: [finding.kind for finding in vaglio.audit(*data)],
    "explore": lambda *data: vaglio.explore(*data).classes(),
    "trace": lambda *data: vaglio.trace("naive-bayes", *data).facts["learner"],
    "draw": lambda *data: len(vaglio.draw("pairs", X=data[0], y=data[1]).axes),
    "bias_variance": lambda *data: vaglio.bias_variance(LEARNER["c45"], *data, n_rounds=2, random_state=0).error,
}
SLOW = {"draw", "Study", "audit"}


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    size = rng.normal(0, 1, 40)
    label = np.where(size + rng.normal(0, 0.5, 40) > 0, "big", "small")
    return pd.DataFrame({"size": size, "other": rng.normal(0, 1, 40), "kind": label})


def forms(folder: Path) -> dict[str, tuple[Any, Any]]:
    """Return the same rows in every form."""
    table = frame()
    inputs, labels = table.drop(columns="kind"), table["kind"]
    file = folder / "rows.csv"
    table.to_csv(file, index=False, float_format="%.17g")
    whole = vaglio.Table.from_any(table)
    return {
        "frame and name": (table, "kind"),
        "frame and position": (table, 2),
        "frame and series": (inputs, labels),
        "frame and list": (inputs, labels.tolist()),
        "polars and name": (pl.from_pandas(table), "kind"),
        "polars and series": (pl.from_pandas(inputs), pl.Series("kind", labels.tolist())),
        "arrow and name": (pa.table(table), "kind"),
        "Table and name": (whole, "kind"),
        "Table and array": whole.xy("kind"),
        "target of the table": (whole.with_roles({"kind": "target"}), None),
        "columns by name": ({name: table[name].tolist() for name in table}, "kind"),
        "file and name": (file, "kind"),
        "file and position": (str(file), -1),
        "array and array": (inputs.to_numpy(), labels.to_numpy()),
        "array of objects and position": (table.to_numpy(), 2),
    }


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in FUNCTIONS]
)
def test_both_forms_of_the_data(name: str, tmp_path: Path) -> None:
    import matplotlib.pyplot as plt

    found = {}
    for form, data in forms(tmp_path).items():
        # Columns without names differ in what a tree is called, not in what is found.
        found[form] = FUNCTIONS[name](*data)
        plt.close("all")
    expected = found["frame and name"]
    assert all(each == expected for each in found.values()), found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_labels_of_other_length(name: str) -> None:
    table = frame()
    with pytest.raises(InputError, match="numbers of rows differ: 40 in the table, 39 in"):
        FUNCTIONS[name](table.drop(columns="kind"), table["kind"][:-1])


def test_labels_named_like_an_input() -> None:
    table = frame()
    found = vaglio.explore(table, table["kind"])  # the class is among the inputs, which shows
    assert found.target == "class"
    assert vaglio.Study(table.drop(columns="kind"), table["kind"]).target == "kind"


@pytest.mark.slow
def test_rows_out_of_core(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    frame().to_csv(file, index=False)
    scanned = vaglio.scan(file)
    beside, inside = scanned.xy("kind"), (scanned, "kind")
    for name in ("audit", "explore", "select"):
        assert FUNCTIONS[name](*beside) == FUNCTIONS[name](*inside), name
    for data in (beside, inside):
        study = vaglio.Study(*data, LEARNER, strategy="validation", selection_options={"search": "none"}).run()
        assert "stay" in study.to_text()


@pytest.mark.slow
def test_learner_by_its_id_is_evaluated_by_ten_folds() -> None:
    table = frame()
    given = vaglio.evaluate("id3", table, "kind", seed=3)
    assert given.about == "learner"
    assert given.n_rows == len(table)
    assert given.confusion.tolist() == vaglio.evaluate("id3", table, "kind", folds=10, seed=3).confusion.tolist()
    held_out = vaglio.evaluate(vaglio.ID3Classifier(), table, "kind", holdout=0.25)
    assert (held_out.about, held_out.n_rows) == ("model", 10)
    with pytest.raises(InputError, match="There is no learner 'id33': did you mean id3"):
        vaglio.evaluate("id33", table, "kind")
    with pytest.raises(InputError, match="neither a learner id nor an estimator"):
        vaglio.evaluate(
            vaglio.ID3Classifier().fit(*vaglio.Table.from_any(table).xy("kind")).fitted_, table, "kind", folds=3
        )


def test_one_learner_is_tuned() -> None:
    with pytest.raises(InputError, match="one learner"):
        vaglio.tune("id3", frame(), "kind", learners=["c45"])


# ---- misspelt names -------------------------------------------------------------------------------------------------

CALLABLES = sorted(name for name in vaglio.__all__ if callable(getattr(vaglio, name)))


@pytest.mark.parametrize("name", CALLABLES)
def test_misspelt_parameter_is_answered_with_a_suggestion(name: str) -> None:
    called = getattr(vaglio, name)
    parameters = inspect.signature(called).parameters.values()
    if any(each.kind == each.VAR_KEYWORD for each in parameters):
        pytest.skip("takes further arguments")
    named = [each.name for each in parameters if each.kind == each.KEYWORD_ONLY and len(each.name) > 3]
    named = named or [each.name for each in parameters if len(each.name) > 3]
    if not named or name.endswith("Display") or name in ("Table", "RuleSet"):
        pytest.skip("is made by other functions")
    wrong = named[0][:-1] + "z"
    with pytest.raises(ArgumentError, match=f"has no parameter '{wrong}': did you mean.*{named[0]}"):
        called(**{wrong: 1})


@pytest.mark.parametrize("name", [name for name in CALLABLES if hasattr(getattr(vaglio, name), "set_params")])
def test_misspelt_parameter_that_is_set(name: str) -> None:
    made = getattr(vaglio, name)()
    parameter = max(made.get_params(deep=False), key=len)
    with pytest.raises(InputError, match=f"Invalid parameter '{parameter}z' for estimator {name}: did you mean"):
        made.set_params(**{f"{parameter}z": 1})


def test_misspelt_name_of_the_package() -> None:
    with pytest.raises(AttributeError, match="Did you mean C45Classifier"):
        vaglio.C45Classifer  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute '_private'$"):
        vaglio._private  # noqa: B018
