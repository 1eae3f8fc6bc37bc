"""What a target asks for: classes or numbers. The rule stands here and nowhere else.

Text, categories and truth values are classes. Numbers of which one is not whole are numbers to predict. Whole numbers
may be either: two of them are classes; more of them are classes if they are few (:data:`FEW`) and recur, and numbers
otherwise. Times of day are numbers, dates only if somebody says so. What is assumed about more than two whole numbers,
dates and times is told, so that the user can say otherwise with ``task``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from vaglio.errors import InputError
from vaglio.messages.message import Message, Option
from vaglio.messages.sentences import listed
from vaglio.table._column import MOST_NUMERIC_CLASSES, Column
from vaglio.table._dates import CLOCK

if TYPE_CHECKING:
    from vaglio.model.families import Task

__all__ = ["TASKS", "TargetTask", "decide_task"]

TASKS = ("auto", "classification", "regression")
# Whole numbers with more distinct values are a quantity, unless somebody says that they are classes.
FEW = 20
# Rows that a class has on average; whole numbers that recur less often are a quantity.
_LEAST_ROWS = 2

AskedTask = Literal["auto", "classification", "regression"]


class TargetTask(NamedTuple):
    """What is predicted, and how certain that is.

    Attributes
    ----------
    task : {"classification", "regression"}
    open : bool
        Whether the values may be either, so that a learner of one task alone decides.
    told : Message or None
        What was assumed, where people may mean the other.
    """

    task: Task
    open: bool = False
    told: Message | None = None


def decide_task(target: Any, asked: str = "auto", able: Task | None = None, name: str = "") -> TargetTask:
    """Return whether a target asks for classes or for numbers.

    Parameters
    ----------
    target : Column or array-like
    asked : {"auto", "classification", "regression"}
        What the user says; "auto" leaves it to the values.
    able : {"classification", "regression"}, optional
        The only task of the learners that are to be trained: it decides about values that may be either.
    name : str
        The name of the target, if it is an array.

    Examples
    --------
    >>> decide_task([1.5, 2.0, 7.0]).task, decide_task(["a", "b"]).task, decide_task([0, 1, 1, 0]).task
    ('regression', 'classification', 'classification')
    >>> found = decide_task([3, 4, 5] * 10)
    >>> found.task, str(found.told).startswith("The target has 3 distinct whole numbers, taken as classes.")
    ('classification', True)
    """
    if asked not in TASKS:
        allowed = listed(TASKS, quoted=True, last="or")
        raise InputError("unknown-asked-task", "task must be {allowed}, not {task!r}.", allowed=allowed, task=asked)
    told = _of_time(target)
    if asked != "auto":
        return TargetTask("regression", told=told) if asked == "regression" else TargetTask("classification")
    values = _numbers(target)
    if values is None:
        # Learners of numbers alone read words as numbers, or name the first that is none. An array of truth values has
        # none to name, and would be learned as 0 and 1 without a word.
        truths = not isinstance(target, Column) and np.asarray(target).dtype.kind == "b"
        read = able == "regression" and not truths
        return TargetTask("regression", told=told) if read else TargetTask("classification")
    if told is not None and able != "classification":
        return TargetTask("regression", told=told)
    named = target.name if isinstance(target, Column) else name
    found, distinct = _of_numbers(values)
    if not found.open or distinct <= 2:
        return TargetTask(able) if found.open and able is not None else found
    if able is not None and able == found.task:
        return found
    return found._replace(task=able or found.task, told=_told(able or found.task, distinct, named))


def _of_time(target: Any) -> Message | None:
    """Return in what dates and times of day are predicted; None of other targets."""
    if isinstance(target, Column) and target.is_date:
        return Message(
            "dates-as-numbers",
            "The target {name!r} holds dates. The model predicts days since 1970-01-01.",
            name=target.name,
        )
    if isinstance(target, Column) and target.cell_format is not None and target.cell_format.form == CLOCK:
        return Message(
            "times-as-numbers",
            "The target {name!r} holds times of day. The model predicts seconds since midnight.",
            name=target.name,
        )
    return None


def _numbers(target: Any) -> np.ndarray | None:
    """Return the numbers of a target that are known; None if it holds no numbers."""
    if isinstance(target, Column):
        # A date is no quantity unless somebody says so.
        return target.data[~target.missing] if target.kind == "numeric" and not target.is_date else None
    values = np.asarray(target)
    if values.dtype.kind == "O":
        kinds = set(map(type, values.ravel().tolist()))
        if not kinds or bool in kinds or not all(issubclass(kind, (int, float)) for kind in kinds):
            return None
    elif values.dtype.kind not in "iuf":
        return None
    found = values.ravel().astype(np.float64)
    known: np.ndarray = found[~np.isnan(found)]
    return known


def _of_numbers(values: np.ndarray) -> tuple[TargetTask, int]:
    """Return what numbers ask for, and how many distinct ones there are."""
    if not np.isfinite(values).all() or np.any(values != np.floor(values)):
        return TargetTask("regression"), 0
    distinct = len(np.unique(values))
    if distinct <= 2:
        return TargetTask("classification", open=True), distinct
    if distinct > MOST_NUMERIC_CLASSES:
        return TargetTask("regression"), distinct
    as_classes = distinct <= FEW and distinct * _LEAST_ROWS <= len(values)
    return TargetTask("classification" if as_classes else "regression", open=True), distinct


def _told(task: Task, distinct: int, name: str) -> Message:
    told = {"distinct": distinct, "target": Message("", " {name!r}", name=name) if name else ""}
    if task == "regression":
        return Message(
            "whole-numbers-as-numbers",
            "The target{target} has {distinct:,} distinct whole numbers, taken as amounts. If they are classes, set "
            "{option}.",
            **told,
            option=Option("task", "classification"),
        )
    return Message(
        "whole-numbers-as-classes",
        "The target{target} has {distinct:,} distinct whole numbers, taken as classes. If they are amounts, set "
        "{option}.",
        **told,
        option=Option("task", "regression"),
    )
