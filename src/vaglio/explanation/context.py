"""The user's names, categories and units, for the functions that explain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix, Feature, Spread
from vaglio.explanation.goal import Move
from vaglio.messages.figures import moment, short_number
from vaglio.messages.message import Message, Number
from vaglio.model.calibration import Calibration, calibrated
from vaglio.model.costs import CostMatrix

# Longer texts are cut: a reason stays on one line.
_LONGEST = 40
# Significant digits of a number in a sentence; whole numbers of more digits are written out.
_DIGITS = 6
# Of a number that is proposed: so many that it gives the class it is said to give.
PROPOSED_DIGITS = 10


@dataclass(frozen=True)
class Context:
    """What an explanation needs beside the model and the rows: the user's names.

    Attributes
    ----------
    features : tuple of Feature
    classes : ndarray or None
        Class labels; None for a model that predicts numbers.
    spreads : tuple of Spread
        What training showed of each numeric column, in block order; empty when unknown.
    unseen : mapping of (row, feature) to value
        Categories that training never saw, and that count as missing.
    cost : CostMatrix or None
        The costs the model decides by; None where it decides by itself.
    calibration : Calibration or None
        How its probabilities are corrected.
    move : Move
        How far a predicted number is to move before a counterfactual tells it.
    fixed : frozenset of str
        Columns that nobody can change.
    assumed_fixed : tuple of str
        Those of them that were not named, but look like it.
    """

    features: tuple[Feature, ...]
    classes: np.ndarray | None
    spreads: tuple[Spread, ...] = ()
    unseen: Mapping[tuple[int, int], Any] = field(default_factory=dict)
    cost: CostMatrix | None = None
    calibration: Calibration | None = None
    move: Move = field(default_factory=Move)
    fixed: frozenset[str] = frozenset()
    assumed_fixed: tuple[str, ...] = ()

    @cached_property
    def unchangeable(self) -> frozenset[int]:
        """The features whose change is no advice, by feature index."""
        return frozenset(
            j for j, feature in enumerate(self.features) if feature.name in self.fixed or feature.column in self.fixed
        )

    @cached_property
    def spread_of(self) -> dict[int, Spread]:
        """Spread of each numeric or ordinal feature, by feature index; empty when unknown."""
        block = [j for j, feature in enumerate(self.features) if feature.in_numeric_block]
        return dict(zip(block, self.spreads))

    def ranked(self, probability: np.ndarray) -> list[int]:
        """Return the classes of a row from the decision down: by probability or, with costs, by expected cost.

        Parameters
        ----------
        probability : ndarray of shape (n_classes,)
        """
        if self.cost is None:
            return [int(k) for k in np.argsort(-probability, kind="stable")]
        return [int(k) for k in np.argsort(self.cost.expected(self.calibrated(probability[None, :]))[0], kind="stable")]

    def calibrated(self, probability: np.ndarray) -> np.ndarray:
        """Return the probabilities that the model is taken to give, from those of its own arithmetic.

        Parameters
        ----------
        probability : ndarray of shape (n_rows, n_classes)
        """
        return calibrated(probability, self.calibration)

    def label(self, code: int) -> Any:
        """Return the class label of a code, as a plain Python value.

        Parameters
        ----------
        code : int
        """
        assert self.classes is not None
        value = self.classes[code]
        return value.item() if hasattr(value, "item") else value

    def value(self, matrix: EncodedMatrix, row: int, feature: int) -> Any:
        """Return what the row holds in a column, in the user's terms; None when missing.

        Parameters
        ----------
        matrix : EncodedMatrix
        row, feature : int
        """
        if self.features[feature].kind == "text":
            return matrix.text[feature][row]
        return self.decoded(feature, encoded_value(matrix, row, feature))

    def decoded(self, feature: int, code: float) -> Any:
        """Return an encoded value in the user's terms: a category, a number, a date as text; None when missing.

        Parameters
        ----------
        feature : int
        code : float
            A number or a category code.
        """
        column = self.features[feature]
        if np.isnan(code) or (column.is_nominal and code < 0):
            return None
        if column.categories:
            # A rank that a model file sets beyond the last category is the last one.
            return column.categories[int(min(max(code, 0.0), len(column.categories) - 1.0))]
        return moment(float(code)) if column.is_date else float(code)

    def said(self, feature: int, value: object) -> Message:
        """Return ``name = value``, or that it is missing.

        Parameters
        ----------
        feature : int
        value : object
            None when missing.
        """
        column = self.features[feature]
        if value is None:
            return Message("missing-value", "{column} is missing", column=column.column)
        if column.word is not None:
            return word_text(column, value == "yes")
        return Message("column-value", "{column} = {value}", column=column.name, value=shown(value))


def word_text(feature: Feature, contains: bool) -> Message:
    """Return that a text contains a word, or that it does not."""
    word = (feature.word or ("", ""))[1]
    if contains:
        return Message("contains-word", '{column} contains "{word}"', column=feature.column, word=word)
    return Message("lacks-word", '{column} does not contain "{word}"', column=feature.column, word=word)


def encoded_value(matrix: EncodedMatrix, row: int, feature: int) -> float:
    """Return the number or category code a row holds in a column; NaN or -1 when missing."""
    if matrix.sparse is not None:
        return float(matrix.sparse[row, feature])
    block = matrix.codes if matrix.features[feature].is_nominal else matrix.numeric
    return float(block[row, matrix.position[feature]])


def shown(value: object, digits: int = _DIGITS) -> str:
    """Return a value as a person writes it, cut when it is long; a number with so many significant digits."""
    if isinstance(value, float):
        # A number of more digits before the point would get an exponent. Adding zero turns -0 into 0.
        return Number(short_number(value) if abs(value) >= 10.0**digits else f"{value + 0.0:.{digits}g}")
    cell = str(value)
    return cell if len(cell) <= _LONGEST else cell[: _LONGEST - 1] + "…"
