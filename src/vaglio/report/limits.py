"""How much of a study a page shows, so that it stays small whatever the table."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

__all__ = ["MOST_BYTES", "Limits"]

MOST_BYTES = 3_000_000


@dataclass(frozen=True)
class Limits:
    """The most of each thing that is shown; what is left out is said beside it.

    Attributes
    ----------
    findings, columns, names : int
        Findings of the audit, columns with a picture, columns named below them.
    classes : int
        In the confusion matrix, in tables by class and in the box that chooses a class.
    points : int
        Thresholds of a curve.
    learners, settings : int
        Learners and settings of them that are listed.
    tree_nodes, rules, weights : int
        Of the chosen model.
    examples : int
        Rows explained, of each sort.
    """

    findings: int = 30
    columns: int = 36
    names: int = 300
    classes: int = 40
    matrix: int = 14
    points: int = 101
    learners: int = 40
    settings: int = 60
    tree_nodes: int = 64
    rules: int = 60
    weights: int = 20
    examples: int = 3

    def halved(self) -> Limits:
        """Half as much of everything, at least two of each."""
        return replace(self, **{item.name: max(2, getattr(self, item.name) // 2) for item in fields(self)})
