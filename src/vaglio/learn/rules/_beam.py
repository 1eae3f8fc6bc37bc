"""Beam search for a conjunction of conditions: the few best so far, each made more special in every good way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from vaglio.learn.rules._condition_scorer import ConditionScorer, KernelCondition, Scored

__all__ = ["Complex", "widen"]


@dataclass(frozen=True)
class Complex:
    """A conjunction (Michalski's word) with its score and the rows it covers."""

    conditions: tuple[KernelCondition, ...]
    score: float
    rows: np.ndarray


def widen(
    scorer: ConditionScorer, star: list[Complex], width: int, propose: Callable[[Complex], list[Scored]]
) -> list[Complex]:
    """Specialise every complex of a star and keep the ``width`` best that cover different rows.

    Ties: the complex earlier in the star, then the order of the kernel (column, then threshold).
    """
    proposals = [(found, parent) for parent in star for found in propose(parent)]
    proposals.sort(key=lambda pair: -pair[0].score)
    return list(_distinct(scorer, proposals, width))


def _distinct(scorer: ConditionScorer, proposals: list[tuple[Scored, Complex]], width: int) -> Iterator[Complex]:
    seen: set[bytes] = set()
    for found, parent in proposals:
        if len(seen) == width:
            return
        rows = scorer.meeting(parent.rows, found.condition)
        mark = rows.tobytes()
        if mark not in seen:
            seen.add(mark)
            yield Complex((*parent.conditions, found.condition), found.score, rows)
