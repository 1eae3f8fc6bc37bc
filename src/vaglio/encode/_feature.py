"""The description of one input column: its name, kind and categories."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from vaglio.errors import ModelFileError
from vaglio.table import WORD_PAIRS

FeatureKind = Literal["numeric", "ordinal", "nominal", "text"]
KINDS: tuple[FeatureKind, ...] = ("numeric", "ordinal", "nominal", "text")

# Types that JSON gives back unchanged: a category must be the same after the model file has been read.
_SCALARS = (str, bool, int, float)


@dataclass(frozen=True)
class Feature:
    """Name, kind and known categories of one input column.

    Parameters
    ----------
    name : str
        The name of the column.
    kind : {"numeric", "ordinal", "nominal", "text"}
        An ordinal feature is encoded as the rank of its value (0, 1, …) in the numeric block, a nominal one as a
        category code.
    categories : tuple
        The known values of a nominal or ordinal feature, in code order; the vocabulary of a text feature; empty for
        numbers.
    is_date : bool
        The numbers count days since 1970: words are read as dates.
    """

    name: str
    kind: FeatureKind = "numeric"
    categories: tuple[Any, ...] = ()
    is_date: bool = False

    @property
    def is_nominal(self) -> bool:
        """Whether the feature is a column of the code block."""
        return self.kind == "nominal"

    @property
    def in_numeric_block(self) -> bool:
        """Whether the feature is a column of the numeric block."""
        return self.kind in ("numeric", "ordinal")

    @cached_property
    def code_of(self) -> dict[str, int]:
        """Code of each category, by its canonical spelling."""
        return {spelling(value): code for code, value in enumerate(self.categories)}

    @cached_property
    def _code_of_folded(self) -> dict[str, int]:
        """Code of yes, no and the like in lower case, if only one category has that spelling."""
        folded = [spelling(value).lower() for value in self.categories]
        if not any(set(folded) <= set(pair) for pair in WORD_PAIRS):
            return {}
        return {word: code for code, word in enumerate(folded) if folded.count(word) == 1}

    def code(self, value: Any) -> int:
        """Return the code of a value; -1 if no training row has it. In a column of yes and no, YES is yes."""
        word = spelling(value)
        known = self.code_of.get(word)
        return self._code_of_folded.get(word.lower(), -1) if known is None else known

    def to_state(self) -> dict[str, Any]:
        """Return JSON for the model file."""
        state = {"name": self.name, "kind": self.kind, "categories": list(self.categories)}
        return {**state, "is_date": True} if self.is_date else state

    @classmethod
    def from_state(cls, state: Any) -> Feature:
        """Rebuild from a model file, trusting nothing in it."""
        if not isinstance(state, dict) or not isinstance(state.get("name"), str) or state.get("kind") not in KINDS:
            raise ModelFileError("The model file describes a column without a valid name and kind.")
        categories = state.get("categories")
        if not isinstance(categories, list) or not all(isinstance(value, _SCALARS) for value in categories):
            raise ModelFileError(f"The model file has unusable categories for column {state['name']!r}.")
        feature = cls(state["name"], state["kind"], tuple(categories), state.get("is_date") is True)
        if len(feature.code_of) != len(categories):
            raise ModelFileError(f"The model file lists a category of column {feature.name!r} twice.")
        return feature


def spelling(value: Any) -> str:
    """Return one spelling for values that mean the same category.

    A column of codes may arrive as integers in one table, as floats in the next (because of a missing value) and as
    strings in a third: 7, 7.0 and "7" are the same category, and so are True and "true".
    """
    if isinstance(value, str):
        return value if value.lower() not in ("true", "false") else value.lower()
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
