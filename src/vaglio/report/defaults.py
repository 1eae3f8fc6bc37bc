"""The learners a report compares and how it evaluates them, unless the caller decides otherwise."""

from __future__ import annotations

from typing import Any

__all__ = ["DEFAULT_LEARNERS", "judging_options"]

# A tree, rules, probabilities and weights, which a person can read, and two ensembles to compare them with.
DEFAULT_LEARNERS = ("c45", "ripper", "naive-bayes", "logistic", "random-forest", "gradient-boosting")

# Folds that choose the learner: five, because the choice is repeated in every outer fold. Of a large table every row is
# still predicted once, which is what makes the comparison exact; two thirds of its rows show as much as four fifths.
_INNER_FOLDS = 5
_FEW_FOLDS = 3
_LARGE = 200_000
# Folds that evaluate the choice.
_OUTER_FOLDS = 10
# Cells up to which the whole choice can be repeated in outer folds within a minute, so that every row is a test row.
_SMALL = 40_000


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
