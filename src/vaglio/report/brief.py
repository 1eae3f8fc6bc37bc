"""The first page: what makes the figures misleading, and the result in three sentences and one picture."""

from __future__ import annotations

import math
import shlex
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation import Evaluation, RegressionEvaluation
from vaglio.messages.figures import figure, percent
from vaglio.messages.message import Message, join, text
from vaglio.messages.sentences import clip, listed
from vaglio.study import Study

__all__ = ["alarms_part", "brief_chapter"]

# Columns that are named as reasons.
_REASONS = 3
# Policies with a bar of their own.
_MOST_POLICIES = 5


def alarms_part(study: Study, command: str) -> list[dict[str, Any]]:
    """Return the alarms as plain data, each with the command that mends it.

    Parameters
    ----------
    study : Study
    command : str
        The command that made the study; empty if none did.
    """
    return [
        {
            "kind": alarm.kind,
            "message": alarm.message,
            "remedy": alarm.remedy,
            "command": f"{command} {shlex.join(alarm.options)}" if command and alarm.options else "",
        }
        for alarm in study.alarms
    ]


def brief_chapter(
    study: Study, evaluation: Evaluation | RegressionEvaluation, performance: dict[str, Any], inside: dict[str, Any]
) -> dict[str, Any]:
    """Return the first page as plain data: who, how good or how much money and how sure, why; and one picture.

    Parameters
    ----------
    study : Study
    evaluation : Evaluation or RegressionEvaluation
    performance, inside : dict
        The chapters.
    """
    if isinstance(evaluation, RegressionEvaluation):
        error, gain = performance["lead"][-3:-1] if performance["cost"] else performance["lead"][-2:]
        said = [error, _how_sure(study, evaluation, gain), *_why(inside)]
        return {"sentences": said, "saved": None, "policies": []}
    savings = evaluation.savings
    gain = performance["lead"][0] if savings is None else savings.in_words()
    return {
        "sentences": [_who(evaluation), _how_sure(study, evaluation, gain), *_why(inside)],
        "saved": None if savings is None else _money(savings.saved.value),
        "policies": _policies(study, evaluation),
    }


def _money(value: float) -> str:
    return figure(value) if math.isfinite(value) else "–"


def _who(evaluation: Evaluation) -> Message:
    """Which rows are picked, from which probability on, and how many of them rightly."""
    if not evaluation.binary:
        return text(
            "The model gives each row one of {classes:,} classes.",
            classes=len(evaluation.labels),
        )
    k = evaluation.positive_index
    picked, n = evaluation.predicted == k, evaluation.n_rows
    told = {
        "label": clip(evaluation.labels[k], 40),
        "picked": int(np.count_nonzero(picked)),
        "n": n,
        "found": int(np.count_nonzero(picked & (evaluation.true == k))),
        "all": int(np.count_nonzero(evaluation.true == k)),
    }
    threshold = _threshold(evaluation)
    if threshold is None:
        return text(
            "Of {n:,} rows the model picks {picked:,} as {label}; {found:,} of them are, of {all:,} in all.", **told
        )
    return text(
        "Of {n:,} rows the model picks {picked:,} as {label}, those with a probability of at least {threshold}; "
        "{found:,} of them are, of {all:,} in all.",
        **told,
        threshold=percent(threshold, 1000),
    )


def _threshold(evaluation: Evaluation) -> float | None:
    """The probability from which the class is predicted; None where no single one separates the predictions."""
    if not evaluation.probability or evaluation.scores is None:
        return None
    threshold = 0.5
    if evaluation.cost is not None:
        try:
            threshold = evaluation.cost.threshold(evaluation.labels[evaluation.positive_index])
        except InputError:  # errors that cost no more than correct predictions give no threshold
            return None
    picked = evaluation.predicted == evaluation.positive_index
    score = evaluation.scores[:, evaluation.positive_index]
    separates = bool((picked == (score >= threshold)).mean() > 0.99)
    return threshold if separates else None


def _how_sure(study: Study, evaluation: Evaluation | RegressionEvaluation, gain: Message) -> Message:
    n = evaluation.n_rows
    strategy = study.selection.strategy
    rows = (
        text("Measured on {n:,} training rows: this is no estimate.", n=n)
        if strategy.name == "zero"
        else text("Measured on {n:,} rows; reliability: {reliability}.", n=n, reliability=strategy.reliability)
    )
    return join(" ", [gain, rows])


def _why(inside: dict[str, Any]) -> list[Message]:
    """The columns without which the model would be worst."""
    rows = inside["parts"][-1]["rows"][:_REASONS]
    if not rows:
        return []
    names = listed([row["label"] for row in rows])
    return [text("What counts most: {columns}.", columns=names)]


def _policies(study: Study, evaluation: Evaluation) -> list[dict[str, Any]]:
    """What the model and giving every row one class cost per row; empty without costs."""
    savings = evaluation.savings
    if savings is None:
        return []
    learner = clip(study.selection.best.learner, 40)
    bars = [{"label": text("the model, {learner}", learner=learner), "cost": savings.cost, "model": True}]
    bars += [
        {"label": text("always {label}", label=clip(label, 40)), "cost": cost, "model": False}
        for label, cost in savings.policies[:_MOST_POLICIES]
    ]
    return bars
