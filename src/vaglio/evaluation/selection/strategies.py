"""The five strategies of model selection, and how far each one's figure can be trusted (V7)."""

from __future__ import annotations

from dataclasses import dataclass

from vaglio.errors import InputError

__all__ = ["STRATEGIES", "Strategy", "find_strategy"]


@dataclass(frozen=True)
class Strategy:
    """One way to choose a model and to estimate how good it is.

    ``tuned`` tells whether parameters are searched; ``chosen_on_test`` whether the rows that choose are also
    the rows that judge, so that a choice among several flatters the winner.

    Attributes
    ----------
    name : str
    tuned : bool
        Whether parameters are searched.
    chosen_on_test : bool
        Whether the rows that choose are also the rows that judge, so that a choice among several flatters the winner.
    reliability, remark : str
        How far an estimate can be trusted, in a word and in a sentence.
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
        "Trained and judged on the same rows: a first trial, nothing more.",
    ),
    Strategy(
        "quick",
        False,
        True,
        "better",
        "Default parameters, judged on rows not learnt from. With few rows the figure depends on the split.",
    ),
    Strategy(
        "standard",
        True,
        True,
        "may be too high",
        "Parameters were chosen on the rows that also judge: the figure is likely too high.",
    ),
    Strategy(
        "validation",
        True,
        False,
        "good",
        "Chosen on validation rows, judged on test rows that chose nothing. Not for very small tables.",
    ),
    Strategy(
        "cross-validation",
        True,
        False,
        "best",
        "Chosen by cross-validation inside the training rows, judged on rows that chose nothing. Slow.",
    ),
)
STRATEGIES = {strategy.name: strategy for strategy in _ALL}


def find_strategy(name: str) -> Strategy:
    """The strategy of this name."""
    if name not in STRATEGIES:
        raise InputError(f"There is no strategy {name!r}; there are {', '.join(STRATEGIES)}.")
    return STRATEGIES[name]
