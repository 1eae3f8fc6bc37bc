"""How much of a study a page shows, so that the page stays small whatever the table is.

The limits are constants. Every list of a summary is cut to one of them, every text is clipped, and a picture has a
fixed number of points, so the largest possible page is known before anything is computed. The alternative, to make a
page and make it again with less when it is too large, would repeat explanations and permutation importance.
"""

from __future__ import annotations

from dataclasses import dataclass

from vaglio.explanation.chapter import ChapterLimits

__all__ = ["MOST_BYTES", "Limits"]

# Mail servers and chat programs still take a file of this size, and a phone opens it without delay.
MOST_BYTES = 3_000_000


@dataclass(frozen=True)
class Limits(ChapterLimits):
    """The most of each thing that is shown; the page says beside it what is left out.

    The comments give the size of each part in the worst case, when every text has its full length and every character
    needs six bytes, as "<" does in a script. Together they stay below ``MOST_BYTES``.

    Attributes
    ----------
    findings : int
        Findings of the audit, remarks of the reader, and lines of the cleaning log.
    columns, names : int
        Columns with a picture, and columns named below them.
    classes : int
        Classes in the tables by class and in the box that chooses a class.
    matrix : int
        Classes in the confusion matrix.
    points : int
        Thresholds of a curve.
    learners, settings : int
        Learners and settings that are listed; outer folds count as settings.
    tree_nodes, rules, weights : int
        Of the chosen model.
    examples : int
        Rows explained, of each kind.
    """

    findings: int = 30  # 210 kB
    columns: int = 36  # 450 kB: a histogram of 24 bins in 8 colours has 7 kB
    names: int = 300  # 80 kB
    classes: int = 40  # 700 kB: a class has 6 curves of 101 points
    matrix: int = 14  # 20 kB
    points: int = 101
    learners: int = 40  # 110 kB
    settings: int = 60  # 140 kB
    # Of the chosen model: 64 nodes of a tree 180 kB, 60 rules of up to 12 conditions 420 kB, 20 weights 60 kB.
    examples: int = 3  # 350 kB: seven rows of 24 cells and 16 reasons
