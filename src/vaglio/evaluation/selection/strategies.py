"""The five strategies of model selection, and how reliable the result of each is."""

from __future__ import annotations

from dataclasses import dataclass

from vaglio.errors import InputError
from vaglio.messages.message import Message, text
from vaglio.messages.sentences import did_you_mean

__all__ = ["STRATEGIES", "Strategy", "find_strategy"]


@dataclass(frozen=True)
class Strategy:
    """One way to choose a model and to estimate its performance.

    Attributes
    ----------
    name : str
    tuned : bool
        Whether parameters are searched.
    chosen_on_test : bool
        Whether the model is chosen on the test rows, so that the result of the best of several is too high.
    reliability, remark : Message
        How reliable the result is, in a word and in a sentence.
    """

    name: str
    tuned: bool
    chosen_on_test: bool
    reliability: Message
    remark: Message


_ALL = (
    Strategy(
        "zero",
        False,
        True,
        text("very poor"),
        text("The model was trained and scored on the same rows. Use it for a first look only."),
    ),
    Strategy(
        "quick",
        False,
        True,
        text("fair"),
        text(
            "Default parameters, scored on a hold-out set. With few rows the result depends on the split, and the best "
            "of several learners is scored too high."
        ),
    ),
    Strategy(
        "standard",
        True,
        True,
        text("poor"),
        text("The parameters were chosen on the test rows, so the score is likely too high."),
    ),
    Strategy(
        "validation",
        True,
        False,
        text("good"),
        text(
            "The model was selected on a validation set and scored on rows that played no part in the selection. "
            "Not for "
            "very small tables."
        ),
    ),
    Strategy(
        "cross-validation",
        True,
        False,
        text("very good"),
        text("The model was selected by cross-validation and scored on rows that played no part in the selection."),
    ),
)
STRATEGIES = {strategy.name: strategy for strategy in _ALL}


def find_strategy(name: str) -> Strategy:
    """The strategy of this name."""
    if name not in STRATEGIES:
        raise InputError(
            "unknown-strategy",
            "There is no strategy {strategy!r}: {hint}",
            strategy=name,
            hint=did_you_mean(name, STRATEGIES),
        )
    return STRATEGIES[name]
