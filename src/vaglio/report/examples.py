"""Chapter 5: explanations of single rows, some predicted correctly and some not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from vaglio.errors import NotSupportedError
from vaglio.evaluation import Evaluation, RegressionEvaluation
from vaglio.evaluation.selection.candidates import resolve_learners
from vaglio.explanation import Explanation
from vaglio.messages.figures import count, figure, percent, quantity
from vaglio.messages.message import text
from vaglio.messages.sentences import clip
from vaglio.report.limits import Limits
from vaglio.report.model_chapter import EvaluatedRows, evaluated_rows
from vaglio.study import Study

__all__ = ["examples_chapter"]

# Reasons and cells per example; more of them would not be read.
_MOST_REASONS = 8
_MOST_CELLS = 24
# With more columns than this no smallest change is searched for: the search predicts a row per column and value.
_MOST_CHANGEABLE = 300


class _Explainers:
    """The models that explain: the chosen model, or in a nested selection the model of the fold that tested the row."""

    def __init__(self, study: Study) -> None:
        self.study = study
        outer = study.selection.outer
        self.fold_of = np.repeat(np.arange(len(outer)), [len(fold.rows) for fold in outer])
        same = [i for i, fold in enumerate(outer) if fold.choice.learner == study.selection.best.learner]
        # Where every fold chose another learner, only the final model belongs to the learner that the report shows.
        self.by_fold = bool(same)
        everything = np.arange(len(study.selection.judged))
        self.able = everything[np.isin(self.fold_of, same)] if same else everything
        self._models: dict[int, Any] = {}

    def model_for(self, place: int) -> Any:
        """A fitted model for one of the test rows."""
        if not self.by_fold:
            return self.study.fitted
        at = int(self.fold_of[place])
        if at not in self._models:
            self._models[at] = self._train_again(self.study.selection.outer[at])
        return self._models[at]

    def _train_again(self, fold: Any) -> Any:
        """The choice of a fold, trained on the rows outside of it."""
        candidates = resolve_learners(self.study.learners, seed=self.study.seed, task=self.study.selection.task)
        candidate = next(c for c in candidates if c.name == fold.choice.learner)
        params = {str(k).removeprefix("estimator__"): v for k, v in fold.choice.params.items()}
        return self.study.rows.take(fold.train).fit(candidate.make(params)).fitted_


def examples_chapter(study: Study, evaluation: Any, limits: Limits) -> dict[str, Any]:
    """Everything the chapter says, as plain data."""
    if not hasattr(study.selection.best_estimator, "fitted_"):
        return {"lead": [text("Predictions of models from other libraries are not explained.")], "groups": []}
    rows = evaluated_rows(study)
    explainers = _Explainers(study)
    picked = [(title, places) for title, places in _picked(evaluation, explainers.able, limits.examples) if places]
    told = _explained(explainers, rows, [place for _, places in picked for place in places])
    groups = [
        {"title": title, "examples": [_example(told[place], evaluation, rows, place) for place in places]}
        for title, places in picked
    ]
    return {"lead": _lead(study, evaluation, explainers.by_fold), "groups": groups}


def _lead(study: Study, evaluation: Any, by_fold: bool) -> list[str]:
    wrong = int(np.count_nonzero(evaluation.true != evaluation.predicted))
    n = evaluation.n_rows
    said: list[str] = [
        text(
            "Of {n:,} test {n:row|rows}, those with the largest errors, and some with a usual error.",
            n=n,
        )
        if evaluation.task == "regression"
        else text(
            "Of {n:,} test {n:row|rows}, {right:,} {right:was|were} predicted correctly and {wrong:,} wrongly.",
            n=n,
            right=n - wrong,
            wrong=wrong,
        )
    ]
    if study.selection.outer and by_fold:
        said.append(text("Each row below is explained by a model that was not trained on it."))
    elif study.selection.outer:
        said.append(text("The rows below are explained by the final model, which was also trained on them."))
    if len(study.audit.context.inputs) > _MOST_CHANGEABLE:
        said.append(
            text("The smallest change that moves the number is not shown: there are too many columns to search.")
            if evaluation.task == "regression"
            else text(
                "The smallest change that gives another class is not shown: there are too many columns to search."
            )
        )
    return said


def _picked(evaluation: Any, able: np.ndarray, most: int) -> Iterable[tuple[str, list[int]]]:
    """Rows to show: of numbers the largest errors and usual ones.

    Of classes: confident and correct, of different classes; wrong, most confident first; the least confident.
    """
    if evaluation.task == "regression":
        yield from _picked_numbers(evaluation, able, most)
        return
    confidence = _confidence(evaluation)
    right = evaluation.true == evaluation.predicted
    by_confidence = able[np.argsort(-confidence[able], kind="stable")]
    good = _varied([i for i in by_confidence.tolist() if right[i]], evaluation.true, most)
    pairs = evaluation.true * len(evaluation.labels) + evaluation.predicted
    bad = _varied([i for i in by_confidence.tolist() if not right[i]], pairs, most)
    if evaluation.scores is None:
        yield text("Predicted correctly"), good
        yield text("Predicted wrongly"), bad
    else:
        yield text("Predicted correctly with high confidence"), good
        yield text("Predicted wrongly, most confident first"), bad
    if evaluation.probability:
        least = [i for i in by_confidence[::-1].tolist() if i not in good and i not in bad][:1]
        yield text("The least confident prediction"), least


def _picked_numbers(evaluation: Any, able: np.ndarray, most: int) -> Iterable[tuple[str, list[int]]]:
    residuals = evaluation.residuals[able]
    order = able[np.argsort(residuals, kind="stable")].tolist()
    high = [i for i in order[:most] if evaluation.residuals[i] < 0]
    low = [i for i in order[::-1][:most] if evaluation.residuals[i] > 0]
    yield text("Predicted far too high"), high
    yield text("Predicted far too low"), low
    by_size = able[np.argsort(np.abs(residuals), kind="stable")]
    usual = [i for i in by_size[len(by_size) // 2 :].tolist() if i not in high and i not in low]
    yield text("With an error as large as half of the rows have at most"), usual[:1]


def _confidence(evaluation: Evaluation) -> np.ndarray:
    """By how much the score of the predicted class exceeds the next score."""
    if evaluation.scores is None:
        return np.zeros(evaluation.n_rows)
    at = np.arange(evaluation.n_rows)
    own = evaluation.scores[at, evaluation.predicted]
    others = evaluation.scores.copy()
    others[at, evaluation.predicted] = -np.inf
    margin: np.ndarray = own - others.max(axis=1)
    return margin


def _varied(rows: list[int], key: np.ndarray, most: int) -> list[int]:
    """The first rows of different keys; then more of the same."""
    first: dict[int, int] = {}
    for i in rows:
        first.setdefault(int(key[i]), i)
        if len(first) == most:
            break
    found = list(first.values())
    return found + [i for i in rows[: 2 * most] if i not in found][: most - len(found)]


def _explained(explainers: _Explainers, rows: EvaluatedRows, places: list[int]) -> dict[int, Explanation | str]:
    """The explanation of each row, or why there is none; the rows of one model are explained together."""
    told: dict[int, Explanation | str] = {}
    models = {place: explainers.model_for(place) for place in places}
    for model in {id(model): model for model in models.values()}.values():
        of_model = [place for place in places if models[place] is model]
        few = rows.take(of_model)
        try:
            told |= zip(of_model, model.explain(few, counterfactual=len(few.columns) <= _MOST_CHANGEABLE))
        except NotSupportedError as error:
            told |= dict.fromkeys(of_model, clip(error.message, 240))
    return told


def _example(explanation: Explanation | str, evaluation: Any, rows: EvaluatedRows, place: int) -> dict[str, Any]:
    row = rows.take([place])
    outcome = _number(evaluation, place) if evaluation.task == "regression" else _class(evaluation, place)
    summary: dict[str, Any] = {
        "row": count(rows.at[place] + 1),
        "title": rows.title(int(rows.at[place]) + 1),
        **outcome,
        "cells": [{"name": clip(name, 40), "value": quantity(_cell(row, name))} for name in row.columns[:_MOST_CELLS]],
        "more_cells": max(0, len(row.columns) - _MOST_CELLS),
        "why_not": "",
    }
    if isinstance(explanation, str):
        return summary | {"why_not": explanation}
    decided = None if evaluation.task == "regression" else evaluation.labels[evaluation.predicted[place]]
    return summary | _reasons(explanation, decided)


def _class(evaluation: Evaluation, place: int) -> dict[str, Any]:
    true = evaluation.labels[evaluation.true[place]]
    predicted = evaluation.labels[evaluation.predicted[place]]
    probability = evaluation.scores[place, evaluation.predicted[place]] if evaluation.scores is not None else None
    return {
        "true": clip(true, 40),
        "predicted": clip(predicted, 40),
        "correct": bool(true == predicted),
        "probability": percent(float(probability)) if probability is not None and evaluation.probability else "",
        "error": "",
    }


def _number(evaluation: RegressionEvaluation, place: int) -> dict[str, Any]:
    residual = float(evaluation.residuals[place])
    size = figure(abs(residual))
    return {
        "true": figure(float(evaluation.true[place]), 6),
        "predicted": figure(float(evaluation.predicted[place]), 6),
        "correct": abs(residual) <= evaluation.median_ae,
        "probability": "",
        "error": text("{size} too low", size=size) if residual > 0 else text("{size} too high", size=size),
    }


def _cell(row: Any, name: str) -> Any:
    value = row.column(name).values[0]
    return value.item() if hasattr(value, "item") else value


def _reasons(explanation: Explanation, predicted: object) -> dict[str, Any]:
    """Reasons, notes and change; ``predicted`` is the class that was predicted, None for a number."""
    weights = [abs(r.weight) for r in (*explanation.told_for, *explanation.told_against) if r.weight is not None]
    largest = max(weights, default=0.0) or 1.0

    def plain(reason: Any) -> dict[str, Any]:
        share = None if reason.weight is None else min(1.0, abs(reason.weight) / largest)
        weight = "" if reason.weight is None else figure(float(reason.weight), 3)
        return {"text": clip(reason.text, 160), "weight": weight, "share": share}

    by_cost = [] if explanation.cost_in_words is None else [explanation.cost_in_words]
    notes = [clip(note, 240) for note in (*by_cost, *explanation.notes[:6])]
    if predicted is not None and explanation.decision != predicted:
        notes.append(
            text(
                "The prediction is {predicted}; the model alone gives {decision}.",
                predicted=clip(predicted, 40),
                decision=clip(explanation.decision, 40),
            )
        )
    # A smallest change that gives another class.
    change = explanation.counterfactual
    return {
        "runner_up": "" if explanation.runner_up is None else clip(explanation.runner_up, 40),
        "reasons": [plain(reason) for reason in explanation.told_for[:_MOST_REASONS]],
        "against": [plain(reason) for reason in explanation.told_against[:_MOST_REASONS]],
        "notes": notes,
        "measure": clip(explanation.sum_in_words or "", 120),
        "change": ""
        if change is None
        else text(
            "It would be {decision} if {change}.",
            decision=clip(change.decision, 40) if predicted is not None else figure(float(change.decision)),
            change=clip(change.in_words, 200),
        ),
    }
