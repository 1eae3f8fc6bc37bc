"""What every writer of this room starts from."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vaglio._version import __version__
from vaglio.encode import Codebook, Feature, spelling
from vaglio.errors import NotSupportedError
from vaglio.export.part import EVERY, PROGRAMS, Part, build_part, obstacle
from vaglio.model.costs import CostMatrix

__all__ = ["Source"]

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
    """

    codebook: Codebook
    model: Any
    classes: np.ndarray | None
    cost: CostMatrix | None
    learner: str

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

    def obstacle(self, kinds: Collection[str] = PROGRAMS) -> str | None:
        """Why the model cannot be written as parts of these kinds; None if it can."""
        return obstacle(self.model, self.features, kinds)

    def part(self, form: str, kinds: Collection[str] = PROGRAMS) -> Part:
        """Return the model as tables of numbers, or refuse it by name.

        Parameters
        ----------
        form : str
            The format, as it is called.
        kinds : collection of str
            The kinds of parts that the format has.
        """
        if why := self.obstacle(kinds):
            raise self.refusal(form, why)
        part = build_part(self.model, self.features, len(self.labels))
        if part.size > MOST_NUMBERS:
            raise self.refusal(form, f"it has more than {MOST_NUMBERS:,} numbers; learn a smaller one")
        return part

    def refusal(self, form: str, why: str) -> NotSupportedError:
        """Return the error for a model that a format cannot hold; it says which programs can."""
        text = any(feature.kind == "text" or feature.word is not None for feature in self.features)
        forms = {"javascript": PROGRAMS} if text else {"c": PROGRAMS, "javascript": PROGRAMS, "onnx": EVERY}
        others = [name for name, kinds in forms.items() if name != form and self.obstacle(kinds) is None]
        instead = f"it can be written as {', '.join(others)}" if others else "keep the model file"
        return NotSupportedError(f"A model of {self.learner!r} cannot be written as {form}: {why}; {instead}.")

    def refuse_text(self, form: str) -> None:
        """Refuse columns of free text, for a format that has no way to split a text into words."""
        for feature in self.features:
            if feature.kind == "text" or feature.word is not None:
                raise self.refusal(form, f"column {feature.column!r} is free text, which it cannot split into words")


def spelled(feature: Feature) -> tuple[list[str], bool]:
    """Return the known words of a column in code order, and whether case does not matter (then in lower case)."""
    words = [spelling(value) for value in feature.categories]
    folded = [word.lower() for word in words]
    if feature.folds_case and len(set(folded)) == len(folded):
        return folded, True
    return words, False
