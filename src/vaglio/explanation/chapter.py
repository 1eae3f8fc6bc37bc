"""What a model has learned, as plain data for a page: sentences, and parts that a page draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from vaglio.messages.message import Message, text
from vaglio.model.families import Lookup
from vaglio.table import Table

if TYPE_CHECKING:
    from vaglio.fitted import Fitted

__all__ = ["Background", "Chapter", "ChapterLimits", "chapters", "further_columns"]

# Sentences that lead the chapter, and its parts: tables, bars, trees, maps as plain data. Words are messages, which
# the page renders in its language; names, labels and values of the table are plain text.
Chapter = tuple[Sequence[str], list[dict[str, Any]]]


@dataclass(frozen=True)
class ChapterLimits:
    """The most of each thing that a chapter shows.

    Attributes
    ----------
    tree_nodes, rules, weights : int
        Nodes of a drawn tree, rules of a list, bars or lines of a table.
    """

    tree_nodes: int = 64
    rules: int = 60
    weights: int = 20


class Background(Protocol):
    """What a chapter needs beside the model: how it came about, and the rows it was evaluated on."""

    @property
    def target(self) -> str:
        """The name of the target column."""

    @property
    def estimator(self) -> Any:
        """The fitted estimator that the model comes from."""

    @property
    def ranking(self) -> Sequence[str]:
        """The columns by what they tell about the class, the best first."""

    @property
    def support(self) -> np.ndarray:
        """Evaluated rows of each class."""

    def rows(self) -> tuple[Table, np.ndarray]:
        """Return the evaluated rows and their classes."""

    def maps(self, fitted: Fitted) -> list[dict[str, Any]]:
        """Return the evaluated rows as places on maps, by the distance of the trees and by the Euclidean one."""


# Kind of model -> its chapter. A kind without a function still has its size and its permutation importance.
chapters: Lookup[Callable[[Fitted, Background, ChapterLimits], Chapter]] = Lookup(lambda family: family.chapter)


def further_columns(n: int) -> Message:
    """Return how many columns a list leaves out."""
    return text("{n:,} further {n:column is|columns are} not shown.", n=n)
