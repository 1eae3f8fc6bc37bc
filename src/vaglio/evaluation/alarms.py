"""What makes the figures of an evaluation misleading, and what mends it: said above everything, on every surface."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.messages.figures import figure
from vaglio.messages.locale import ENGLISH, Locale
from vaglio.messages.message import Message, Option, join, text
from vaglio.messages.sentences import clip

if TYPE_CHECKING:
    from vaglio.evaluation._evaluated_rows import EvaluatedRows
    from vaglio.evaluation.evaluation import Evaluation
    from vaglio.evaluation.regression_evaluation import RegressionEvaluation

__all__ = ["Alarm", "alarms_html", "alarms_of", "leak_alarm", "training_rows_alarm"]

# Styles are written into the elements, because a notebook keeps no style sheet between cells.
_STYLE = "border-left:5px solid #c62828;padding:6px 10px;margin:6px 0;font-family:system-ui,sans-serif;font-size:14px"

# An interval of the accuracy this wide tells next to nothing.
_UNUSABLE = 0.5


@dataclass(frozen=True)
class Alarm:
    """A reason not to believe the figures, and the way out.

    Attributes
    ----------
    kind : {"leak", "training-rows", "unusable", "constant"}
    message : Message
        What is wrong.
    remedy : Message
        What to do.
    options : tuple of str
        Options that mend the command that was run; empty if another one is needed.
    """

    kind: str
    message: Message
    remedy: Message
    options: tuple[str, ...] = ()

    def in_words(self) -> Message:
        """Return what is wrong and what to do."""
        return text("WARNING: {told}", told=join(" ", [self.message, self.remedy]))

    def to_dict(self) -> dict[str, Any]:
        """Return the alarm as plain data, ready for JSON."""
        return {"kind": self.kind, **self.message.as_data(), "remedy": str(self.remedy), "options": list(self.options)}


def alarms_of(evaluation: EvaluatedRows) -> tuple[Alarm, ...]:
    """Return what makes an evaluation misleading, worst first.

    Parameters
    ----------
    evaluation : Evaluation or RegressionEvaluation

    Examples
    --------
    >>> from vaglio.evaluation import Evaluation
    >>> [alarm.kind for alarm in Evaluation.from_predictions(["a", "b"] * 30, ["a"] * 60).alarms]
    ['constant']
    """
    found: Any = evaluation
    if evaluation.task == "regression":
        return (*_training_rows(found), *_constant_number(found))
    return (*_training_rows(found), *_unusable(found), *_constant(found))


def alarms_html(alarms: Sequence[Alarm], *, locale: Locale = ENGLISH) -> str:
    """Return alarms as a fragment of HTML, to stand above everything.

    Parameters
    ----------
    alarms : sequence of Alarm
    locale : Locale
    """
    told = (html.escape(locale.text(alarm.in_words())) for alarm in alarms)
    return "".join(f'<p role="alert" style="{_STYLE}"><strong>{each}</strong></p>' for each in told)


def training_rows_alarm() -> Alarm:
    """Return the alarm of a model that is scored on the rows it was trained on because the user asked for it."""
    return Alarm(
        "training-rows",
        Message("scored-on-training-rows", "The model was scored on its training rows: this is no estimate."),
        text(
            "Choose another strategy: {option}.",
            option=Option("strategy", "cross-validation", flag="--strategy cross-validation"),
        ),
    )


def leak_alarm(column: str, found: Message) -> Alarm:
    """Return the alarm of a column that gives the class away.

    Parameters
    ----------
    column : str
    found : Message
        What the audit found.
    """
    remedy = text(
        "If its value is not known before the class, every figure here is too good: leave it out by {option}.",
        option=Option("roles", {column: "ignored"}, flag=f"--ignore {column!r}"),
    )
    return Alarm("leak", found, remedy, ("--ignore", column))


def _training_rows(evaluation: EvaluatedRows) -> list[Alarm]:
    overlap = evaluation.overlap
    return [] if overlap is None else [Alarm("training-rows", overlap.what(), overlap.remedy)]


def _unusable(evaluation: Evaluation) -> list[Alarm]:
    support = evaluation.rates.support
    remedy = text(
        "Evaluate on more rows, or on every row by cross-validation: {option}.",
        option=Option("evaluate(learner, X, y, folds=10)", flag="--folds 10"),
    )
    if np.count_nonzero(support) < 2 <= len(evaluation.labels):
        label = str(evaluation.labels[int(np.argmax(support))])
        message = Message(
            "one-class-tested",
            "Every test row is of the class {label}: nothing here tells how good the model is.",
            label=clip(label, 40),
        )
        return [Alarm("unusable", message, remedy)]
    accuracy = evaluation.accuracy
    if not accuracy.high - accuracy.low > _UNUSABLE:
        return []
    message = Message(
        "unusable-estimate",
        "{n:,} test {n:row is|rows are} too few to tell how good the model is: accuracy may be anywhere from {low:.0%} "
        "to {high:.0%}.",
        n=evaluation.n_rows,
        low=accuracy.low,
        high=accuracy.high,
    )
    return [Alarm("unusable", message, remedy)]


def _constant(evaluation: Evaluation) -> list[Alarm]:
    given = np.unique(evaluation.predicted)
    if len(given) > 1 or len(evaluation.labels) < 2 or evaluation.n_rows < 2:
        return []
    label = clip(evaluation.labels[int(given[0])], 40)
    message: Message = Message("constant-model", "This model gives every row the same answer, {label}.", label=label)
    savings = evaluation.savings
    if savings is not None:
        each = [
            text("always {label} costs {cost} per row", label=clip(name, 40), cost=figure(cost))
            for name, cost in savings.policies[:3]
        ]
        message = Message(
            "constant-model-with-costs",
            "This model gives every row the same answer, {label}: {policies}.",
            label=label,
            policies=join(", ", each),
        )
    remedy = text(
        "It uses no column. Look for a better learner ({option}), or give the costs of errors ({costs}).",
        option=Option("vaglio.select(X, y)", flag="vaglio select TABLE --target COLUMN"),
        costs=Option("cost", flag="--cost-missed 500 --cost-alarm 20"),
    )
    return [Alarm("constant", message, remedy)]


def _constant_number(evaluation: RegressionEvaluation) -> list[Alarm]:
    if evaluation.n_rows < 2 or np.ptp(evaluation.predicted) > 0:
        return []
    number = figure(float(evaluation.predicted[0]))
    message = Message("constant-number", "This model gives every row the same answer, {number}.", number=number)
    remedy = text(
        "It uses no column. Look for a better learner: {option}.",
        option=Option("vaglio.select(X, y)", flag="vaglio select TABLE --target COLUMN"),
    )
    return [Alarm("constant", message, remedy)]
