"""What every writer starts from: a model with its columns and classes, or rules; and what all writers share."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vaglio._version import __version__
from vaglio.encode import Codebook, Feature, spelling
from vaglio.errors import NotSupportedError
from vaglio.export.export_node import COMMON, EVERY, IN_TURN, VOTE, ExportNode, exporter_of, unsupported_reason
from vaglio.messages.message import text
from vaglio.messages.sentences import listed
from vaglio.model.calibration import Calibration
from vaglio.model.condition import Condition
from vaglio.model.costs import CostMatrix

__all__ = ["MOST_NUMBERS", "RuleList", "Source", "Written", "spelled"]

# Conditions and values in all: some fifty megabytes of source, which programs still read in seconds.
MOST_WRITTEN = 1_000_000
# Numbers in all: some hundred megabytes of source, which compilers still read.
MOST_NUMBERS = 20_000_000


@dataclass(frozen=True, eq=False)
class Source:
    """A model with its columns and classes, as a Fitted has them.

    Attributes
    ----------
    codebook : Codebook
    model : Model
    classes : ndarray or None
    cost : CostMatrix or None
        The costs it decides by.
    learner : str
    calibration : Calibration or None
        How its probabilities are corrected.
    """

    codebook: Codebook
    model: Any
    classes: np.ndarray | None
    cost: CostMatrix | None
    learner: str
    calibration: Calibration | None = None

    @property
    def features(self) -> tuple[Feature, ...]:
        return self.codebook.features

    @cached_property
    def labels(self) -> list[Any]:
        """The class labels as plain values; none for a model that predicts numbers."""
        return [] if self.classes is None else self.classes.tolist()

    @property
    def headline(self) -> str:
        """What the file is, for its first line."""
        return f"A model of the learner {self.learner}, written by vaglio {__version__}."

    @property
    def has_text(self) -> bool:
        """Whether a column is free text, which most formats cannot split into words."""
        return any(feature.kind == "text" or feature.word is not None for feature in self.features)

    def unsupported_reason(self, kinds: Collection[str] = COMMON) -> str | None:
        """Why the model cannot be written as a node of these kinds; None if it can."""
        return unsupported_reason(self.model, self.features, kinds)

    def node(self, form: str, kinds: Collection[str] = COMMON, sums: bool = False) -> ExportNode:
        """Return the model as tables of numbers, or refuse it by name.

        Parameters
        ----------
        form : str
            The format, as it is called.
        kinds : collection of str
            The kinds of nodes that the format has.
        sums : bool
            The node that a database adds up, where the family has another one for it.
        """
        if why := self.unsupported_reason(kinds):
            raise self.refusal(form, why)
        exporter = exporter_of(self.model)
        assert exporter is not None
        build = exporter.build_sums if sums and exporter.build_sums is not None else exporter.build
        node = build(self.model, self.features, len(self.labels))
        if node.size > MOST_NUMBERS:
            raise self.refusal(
                form,
                text("it has more than {most_elements:,} numbers; train a smaller one", most_elements=MOST_NUMBERS),
            )
        return node

    def refusal(self, form: str, why: str) -> NotSupportedError:
        """Return the error for a model that a format cannot hold; it says which programs can."""
        forms = {"javascript": COMMON} if self.has_text else {"c": COMMON, "javascript": COMMON, "onnx": EVERY}
        others = [name for name, kinds in forms.items() if name != form and self.unsupported_reason(kinds) is None]
        instead = (
            text("it can be exported as {formats}", formats=listed(others, last="or"))
            if others
            else text("keep the model file")
        )
        return NotSupportedError(
            "unsupported-export",
            "A model of {learner!r} cannot be exported as {form}: {reason}; {instead}.",
            learner=self.learner,
            form=form,
            reason=why,
            instead=instead,
        )

    def refuse_text(self, form: str) -> None:
        """Refuse columns of free text, for a format that has no way to split a text into words."""
        for feature in self.features:
            if feature.kind == "text" or feature.word is not None:
                raise self.refusal(
                    form,
                    text("column {column!r} is free text, which it cannot split into words", column=feature.column),
                )


@dataclass(frozen=True, eq=False)
class RuleList:
    """Rules as the writers of conditions (SQL, Python) take them.

    Attributes
    ----------
    features : tuple of Feature
    classes : tuple or None
        Class labels in code order; None where the rules give a number.
    conditions : list of tuple of Condition
        Those of each rule, in the order in which the rules are tried.
    labels : list
        What each rule decides for.
    said : ndarray of shape (n_rules, K)
        The probabilities of each rule, or its number; of rules that vote, their votes.
    default_label : object
        What a row gets that no rule takes.
    default : ndarray of shape (K,)
        Its probabilities, or the number.
    mode : int
        IN_TURN, SHARED or VOTE.
    costs : CostMatrix or None
        The costs the rules decide by.
    calibration : Calibration or None
        How the probabilities of a row are corrected; None where those of the rules are corrected already.
    """

    features: tuple[Feature, ...]
    classes: tuple[Any, ...] | None
    conditions: list[tuple[Condition, ...]]
    labels: list[Any]
    said: np.ndarray
    default_label: Any
    default: np.ndarray
    mode: int = IN_TURN
    costs: CostMatrix | None = None
    calibration: Calibration | None = None

    @property
    def is_crisp(self) -> bool:
        """Whether one rule takes a row, and takes it whole."""
        each = (condition for conditions in self.conditions for condition in conditions)
        return self.mode != VOTE and all(condition.missing in (0, 1) for condition in each)


def spelled(feature: Feature) -> tuple[list[str], bool]:
    """Return the known words of a column in code order, and whether case does not matter (then in lower case)."""
    words = [spelling(value) for value in feature.categories]
    folded = [word.lower() for word in words]
    if feature.folds_case and len(set(folded)) == len(folded):
        return folded, True
    return words, False


class Written:
    """Counts the conditions and values written, and refuses more than :data:`MOST_WRITTEN`.

    Parameters
    ----------
    form : str
        What is written, as its format is called.
    most : int, optional
        What the reader of this form takes, if that is less.
    """

    def __init__(self, form: str, most: int | None = None) -> None:
        self.form = form
        self.count = 0
        self.most = MOST_WRITTEN if most is None else min(most, MOST_WRITTEN)

    def add(self, count: int) -> None:
        """Count so many more.

        Parameters
        ----------
        count : int
        """
        self.count += count
        if self.count > self.most:
            raise NotSupportedError(
                "export-too-large",
                "This model is too large for {form}: its rules have more than {most_written:,} "
                "conditions and values. Train a smaller model, or keep the model file.",
                form=self.form,
                most_written=self.most,
            )
