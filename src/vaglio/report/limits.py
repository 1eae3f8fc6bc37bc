"""How a report evaluates learners unless the caller decides otherwise, and how much of a study its page shows.

The limits are constants. Every list of a summary is cut to one of them, every text is clipped, and a picture has a
fixed number of points, so the largest possible page is known before anything is computed. The alternative, to make a
page and make it again with less when it is too large, would repeat explanations and permutation importance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vaglio.explanation.chapter import ChapterLimits
from vaglio.model.families import Task

__all__ = ["DEFAULT_LEARNERS", "MOST_BYTES", "Limits", "judging_options"]

# Mail servers and chat programs still take a file of this size, and a phone opens it without delay.
MOST_BYTES = 3_000_000
# A tree, rules, probabilities, weights or neighbours, which a person can read, and two ensembles to compare them with.
DEFAULT_LEARNERS: dict[Task, tuple[str, ...]] = {
    "classification": ("c45", "ripper", "naive-bayes", "logistic", "random-forest", "gradient-boosting"),
    "regression": ("cart", "linear", "knn", "random-forest", "gradient-boosting"),
}

# Folds that choose the learner: five, because the choice is repeated in every outer fold. Of a large table every row is
# still predicted once, which is what makes the comparison exact; two thirds of its rows show as much as four fifths.
_INNER_FOLDS = 5
_FEW_FOLDS = 3
_LARGE = 200_000
# Folds that evaluate the choice.
_OUTER_FOLDS = 10
# Cells up to which the whole choice can be repeated in outer folds within a minute, so that every row is a test row.
_SMALL = 40_000


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


def judging_options(
    n_rows: int,
    n_columns: int,
    *,
    strategy: str = "cross-validation",
    folds: int | None = None,
    holdout: float | None = None,
    test: Any = None,
) -> dict[str, Any]:
    """Options of :func:`vaglio.select` for a report.

    A small table (up to 40 000 cells) is evaluated by nested cross-validation, a larger one on a fifth of its rows held
    out; ``folds``, ``holdout`` and ``test`` decide otherwise. The learner is chosen in five folds, from 200 000
    cells on in three, where a learner that is clearly behind after a fold is not tried on the others.

    Parameters
    ----------
    n_rows, n_columns : int
        Size of the table.
    strategy : str, default="cross-validation"
        As in :func:`vaglio.select`.
    folds : int, optional
        Outer folds.
    holdout : float, optional
        Share of the rows held out for the test.
    test : table, optional
        Test rows.

    Examples
    --------
    >>> judging_options(344, 8)
    {'folds': 5, 'outer_folds': 10}
    >>> judging_options(32561, 15)
    {'folds': 3, 'race': True, 'test_size': 0.2}
    """
    large = n_rows * n_columns >= _LARGE
    options: dict[str, Any] = {"folds": _FEW_FOLDS, "race": True} if large else {"folds": _INNER_FOLDS}
    if test is not None:
        return options | {"test": test}
    if holdout is not None:
        return options | {"test_size": holdout}
    if folds is not None:
        return options | {"outer_folds": min(folds, n_rows)}
    if strategy == "cross-validation" and n_rows * n_columns <= _SMALL:
        return options | {"outer_folds": min(_OUTER_FOLDS, n_rows)}
    return options | {"test_size": 0.2}
