"""The five strategies of model selection, and how reliable the result of each is."""

from __future__ import annotations

from dataclasses import dataclass

from vaglio.errors import InputError
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
    reliability, remark : str
        How reliable the result is, in a word and in a sentence.
    """

    name: str
    tuned: bool
    chosen_on_test: bool
    reliability: str
    remark: str


_ALL = (
    Strategy(
        "zero",
        False,
        True,
        "not reliable",
        "Trained and tested on the same rows: only for a first look.",
    ),
    Strategy(
        "quick",
        False,
        True,
        "better",
        "Default parameters, tested on rows that were held out. With few rows the result depends on the split.",
    ),
    Strategy(
        "standard",
        True,
        True,
        "may be too high",
        "The parameters were chosen on the test rows: the result is likely too high.",
    ),
    Strategy(
        "validation",
        True,
        False,
        "good",
        "Chosen on validation rows, tested on rows that were not used for the choice. Not for very small tables.",
    ),
    Strategy(
        "cross-validation",
        True,
        False,
        "best",
        "Chosen by cross-validation on the training rows, tested on rows that were not used for the choice. Slow.",
    ),
)
STRATEGIES = {strategy.name: strategy for strategy in _ALL}


def find_strategy(name: str) -> Strategy:
    """The strategy of this name."""
    if name not in STRATEGIES:
        raise InputError(
            "there-strategy-2", "There is no strategy {name!r}: {hint}", name=name, hint=did_you_mean(name, STRATEGIES)
        )
    return STRATEGIES[name]
