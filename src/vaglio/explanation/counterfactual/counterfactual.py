"""Counterfactuals: a few changed values of a row that give it another class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vaglio.explanation._context import shown
from vaglio.text.numbers import short_number


@dataclass(frozen=True)
class Change:
    """One value that would change.

    Attributes
    ----------
    feature : str
        The column.
    value : object
        What the row has there; None when missing.
    instead : object
        What it would be. In a column of free text: the word that would be left out.
    is_word : bool
        Whether it is about a word left out.
    """

    feature: str
    value: Any
    instead: Any
    is_word: bool = False

    def __str__(self) -> str:
        if self.is_word:
            return f"{self.feature} did not have the word “{self.instead}”"
        instead = short_number(self.instead) if isinstance(self.instead, float) else shown(self.instead)
        if self.value is None:
            return f"{self.feature} were {instead} (it is missing)"
        return f"{self.feature} were {instead} instead of {shown(self.value)}"


@dataclass(frozen=True)
class Counterfactual:
    """A smallest change found that gives the row another class; it was checked by the model.

    Small means: fewest columns first, then least distance, with a number measured in standard deviations of the
    training rows, an ordered category by its share of the scale, any other category and a missing value counting 1.
    Whole numbers stay whole, and values stay within those training saw.

    Attributes
    ----------
    changes : tuple of Change
    decision : object
        The class the row would get.
    distance : float
        Sum over the changes, as above.
    """

    changes: tuple[Change, ...]
    decision: Any
    distance: float

    def __str__(self) -> str:
        return " and ".join(str(change) for change in self.changes)
