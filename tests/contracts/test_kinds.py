"""Every kind of model crossed with every task: what a kind lacks is named, or declared with a reason in its record."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import is_regressor

import vaglio
from vaglio.explanation.chapter import chapters
from vaglio.explanation.explanation import explainers
from vaglio.fitted import export_formats
from vaglio.fitted.file import from_bytes, to_bytes
from vaglio.learners.registry import LEARNERS, REGRESSORS
from vaglio.model.families import KINDS, TASKS, Learner, families, family_of, model_class
from vaglio.report.limits import Limits
from vaglio.report.model_chapter import StudyBackground
from vaglio.tracing.tracer import writers

from .estimators import others_nightly, regressors

SAVED = Path(__file__).parents[1] / "saved"
# A support vector machine is written for others by its weights, which it has with a linear kernel only.
# A hundred rounds of boosting are many pages in every format; ten ask the same questions.
PARAMETERS: dict[str, dict[str, Any]] = {"svm": {"kernel": "linear"}, "boosted": {"max_iter": 10}}
COLUMNS = ["island", "bill_length_mm", "flipper_length_mm", "sex"]


@cache
def rows() -> tuple[Any, Any]:
    """Numbers and categories, a few of them missing; few columns, so that a joint table can be counted."""
    frame = vaglio.datasets.load("penguins").to_frame().iloc[::8].reset_index(drop=True)
    return frame[COLUMNS], frame["species"]


@cache
def of_numbers() -> tuple[Any, Any]:
    """The same rows with a number to predict, for kinds of models that predict nothing else."""
    X = rows()[0]
    return X.drop(columns="flipper_length_mm"), X["flipper_length_mm"].fillna(200.0)


@cache
def learner_of(kind: str) -> Learner:
    """The first learner of this kind, of classes if there is one."""
    learners = (*LEARNERS.values(), *REGRESSORS.values())
    learner = next((learner for learner in learners if learner.kind == kind), None)
    assert learner is not None, f"no learner of the registry learns a model of the kind {kind!r}"
    return learner


def rows_for(kind: str) -> tuple[Any, Any]:
    return rows() if learner_of(kind).task == "classification" else of_numbers()


@cache
def trained(kind: str) -> Any:
    """An estimator whose model is of this kind."""
    return learner_of(kind).make(**PARAMETERS.get(kind, {})).fit(*rows_for(kind))


@cache
def studied(kind: str) -> Any:
    X, y = rows_for(kind)
    study = vaglio.Study(X.assign(target=y), "target", learners=[trained(kind)._learner_id], strategy="zero")
    return study.run(progress=False)


def check_file(kind: str) -> None:
    fitted, (X, _) = trained(kind).fitted_, rows_for(kind)
    again = from_bytes(to_bytes(fitted))
    assert type(again.model) is model_class(kind)
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))


def check_explanation(kind: str) -> None:
    assert explainers.find(kind) is not None, f"no function explains a model of the kind {kind!r}"
    fitted, (X, _) = trained(kind).fitted_, rows_for(kind)
    explanations = fitted.explain(X.head(5), counterfactual=False)
    assert [e.decision for e in explanations] == fitted.predict(X.head(5)).tolist()
    assert all(e.reasons or e.notes for e in explanations)


def check_counterfactual(kind: str) -> None:
    fitted, (X, _) = trained(kind).fitted_, rows_for(kind)
    found = [e.counterfactual for e in fitted.explain(X.head(5))]
    assert any(found), f"no change of a row was found for a model of the kind {kind!r}"


def check_trace(kind: str) -> None:
    X, y = rows_for(kind)
    task = learner_of(kind).task
    assert writers[task].find(trained(kind)._learner_id) is not None, f"no trace of a model of the kind {kind!r}"
    work = vaglio.trace(trained(kind), X, y, row=X.head(1), max_steps=3)
    assert work.sections


def check_chapter(kind: str) -> None:
    write = chapters.find(kind)
    assert write is not None, f"the report has no chapter about a model of the kind {kind!r}"
    said, parts = write(studied(kind).fitted, StudyBackground(studied(kind)), Limits())
    assert said or parts


def check_export(kind: str) -> None:
    found = export_formats(trained(kind).fitted_)
    assert found, f"a model of the kind {kind!r} cannot be written in any format"
    assert all(write().strip() for write in found.values())


CHECKS = {
    "file": check_file,
    "explanation": check_explanation,
    "counterfactual": check_counterfactual,
    "trace": check_trace,
    "chapter": check_chapter,
    "export": check_export,
}


def test_every_task_has_a_check() -> None:
    assert tuple(CHECKS) == TASKS


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_takes_part_in_a_task_or_says_why_not(kind: str, task: str) -> None:
    reason = KINDS[kind].without.get(task)
    if reason is None:
        CHECKS[task](kind)
        return
    assert len(reason.split()) > 3, "a reason is a clause with subject and verb"
    with pytest.raises(AssertionError):  # a reason that no longer holds must go
        CHECKS[task](kind)


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_agrees_with_its_class(kind: str) -> None:
    family = family_of(kind)
    assert family is not None
    assert model_class(kind).__module__.startswith(f"vaglio.learners.{family.name}.model")
    assert model_class(kind).kind == KINDS[kind].name == kind


@pytest.mark.slow
@pytest.mark.parametrize("record", [*LEARNERS.values(), *REGRESSORS.values()], ids=lambda r: f"{r.id}-{r.task}")
def test_a_learner_lies_in_the_folder_of_its_family_and_learns_the_kind_it_names(record: Learner) -> None:
    assert record.cls.__module__.startswith(f"vaglio.learners.{record.family}.")
    assert record.cls._learner_id == record.id
    X, y = rows()
    model = record.make().fit(X, y if record.task == "classification" else X["flipper_length_mm"].fillna(200))
    assert model.fitted_.model.kind == record.kind
    assert is_regressor(model) == (record.task == "regression")


def test_every_public_regressor_has_an_id() -> None:
    assert {record.cls for record in REGRESSORS.values()} == {type(estimator) for estimator in regressors()}


@pytest.mark.slow
@pytest.mark.parametrize("learner", others_nightly(REGRESSORS))
def test_a_model_of_numbers_is_saved_explained_described_and_written(learner: str) -> None:
    """The tasks of its kind, where a number is predicted, but for the search for another class and the trace."""
    X, y = rows()[0].drop(columns="flipper_length_mm"), rows()[0]["flipper_length_mm"].fillna(200)
    record = REGRESSORS[learner]
    fitted = record.make(**PARAMETERS.get(record.kind, {})).fit(X, y).fitted_
    again = from_bytes(to_bytes(fitted))
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    explanations = fitted.explain(X.head(5), counterfactual=False)
    assert [e.decision for e in explanations] == pytest.approx(fitted.predict(X.head(5)).tolist())
    assert all(e.reasons or e.against or e.notes for e in explanations)
    row = X.iloc[3].to_dict()
    assert again.predict_one(row) == pytest.approx(fitted.predict(X.iloc[[3]])[0], rel=1e-9)
    if learner != "adaboost":  # a weighted median is no sum, and says so
        assert all(write().strip() for write in export_formats(fitted).values())


@pytest.mark.slow
def test_one_family_is_loaded_for_one_kind() -> None:
    script = (
        "import sys, vaglio; model = vaglio.load(sys.argv[1]); row = dict.fromkeys(model.codebook.names); "
        "model.explain([row], counterfactual=False); print([name for name in sys.modules if 'vaglio.' in name])"
    )
    command = [sys.executable, "-c", script, str(SAVED / "logistic-0.1.0.vaglio")]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "vaglio.learners.linear.explain" in loaded
    for family in set(families()) - {"linear"}:
        assert f"'vaglio.learners.{family}.model" not in loaded
        assert f"'vaglio.learners.{family}.explain" not in loaded


def _asks_which_kind(test: ast.Compare) -> bool:
    """Whether a comparison looks at ``model.kind``; whether a kind is known at all may be asked."""
    sides = [test.left, *test.comparators]
    looks = any(ast.unparse(side).endswith("model.kind") for side in sides)
    return looks and not any(isinstance(side, ast.Name) and side.id == "KINDS" for side in sides)


def test_frameworks_ask_the_family_instead_of_naming_a_kind():
    package = Path(vaglio.__file__).parent
    found = [
        f"{path.relative_to(package)}:{node.lineno}"
        for framework in ("model", "explanation", "export", "document", "fitted", "tracing")
        for path in sorted((package / framework).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Compare) and _asks_which_kind(node)
    ]
    assert not found, f"the family knows what depends on a kind of model: {found}"
