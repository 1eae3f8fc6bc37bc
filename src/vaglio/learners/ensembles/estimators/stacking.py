"""The weights of different learners by what they say of rows that they were not trained on (Breiman, 1996)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import nnls

from vaglio.encode import EncodedMatrix
from vaglio.errors import warning_as_here
from vaglio.learners.calibrating import held_out_by_class
from vaglio.learners.ensembles.model import Member
from vaglio.runtime.seeds import dealt_by_class

__all__ = ["FOLDS", "answers_out_of_fold", "error_products", "weights_of_least_error"]

# Every member is trained that many times more.
FOLDS = 5
# Numbers are dealt out to the folds from so many parts of equal size, so that each fold has small and large ones.
_PARTS = 10

# From the rows to learn from to a fitted member.
Learned = Callable[[np.ndarray], Member]


def dealt(y: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the fold of each row, by class or by the size of the number; -1 for rows that no fold leaves out.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Class codes, or numbers.
    n_classes : int
        0 for numbers.
    """
    if n_classes:
        return held_out_by_class(y, FOLDS)
    if len(y) < 2:
        return np.full(len(y), -1)
    rank = np.empty(len(y), dtype=np.int64)
    rank[np.argsort(y, kind="stable")] = np.arange(len(y))
    return dealt_by_class(rank * _PARTS // len(y), FOLDS)


def answers_out_of_fold(
    learned: list[Learned], vote: str, matrix: EncodedMatrix, y: np.ndarray, n_classes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return what each member says of rows that it has not learned from, and the numbers of these rows.

    Parameters
    ----------
    learned : list of callable
        For each member, from the numbers of some rows to the member that was trained on them.
    vote : {"soft", "hard", "mean"}
    matrix : EncodedMatrix
    y : ndarray of shape (n,)
        Class codes, or numbers.
    n_classes : int
        0 for numbers.

    Returns
    -------
    answers : float64 (members, rows, classes), of one class for numbers
    rows : int64 (rows,)
    """
    fold = dealt(y, n_classes)
    parts = [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in range(FOLDS)]
    parts = [(train, held) for train, held in parts if train.size and held.size]

    def said(learn: Learned, train: np.ndarray, held: np.ndarray) -> np.ndarray:
        rows = matrix.take(held)
        rows.threads = 1
        return learn(train).answers(rows, vote, n_classes)

    work = warning_as_here(said)
    found = Parallel(n_jobs=matrix.threads, prefer="threads")(
        delayed(work)(learn, train, held) for learn in learned for train, held in parts
    )
    answers = np.zeros((len(learned), len(y), max(n_classes, 1)))
    for i, each in enumerate(found):
        answers[i // len(parts), parts[i % len(parts)][1]] = each
    rows = np.flatnonzero(fold >= 0) if parts else np.empty(0, np.int64)
    return answers[:, rows], rows


def error_products(answers: np.ndarray, truth: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Return the mean product of the errors of every two members: the squared error of a mean w of them is wᵀCw.

    Parameters
    ----------
    answers : float64 (members, rows, classes)
    truth : float64 (rows, classes)
        The number, or 1 for the class of the row and 0 for the others.
    weight : float64 (rows,) or None

    Returns
    -------
    float64 (members, members)
        In units of the largest error, whose square may be no number.

    Examples
    --------
    >>> import numpy as np
    >>> said = np.array([[[1.0], [3.0]], [[4.0], [4.0]]])
    >>> error_products(said, np.array([[0.0], [4.0]]), None).tolist()
    [[0.0625, 0.125], [0.125, 0.5]]
    """
    errors = answers - truth
    if not errors.size:
        return np.zeros((len(errors), len(errors)))
    largest = np.abs(errors).max()
    errors = errors / largest if largest > 0 else errors
    m, counted = len(errors), np.ones(len(truth)) if weight is None else weight
    products = np.empty((m, m))
    for i in range(m):
        for j in range(i + 1):
            products[i, j] = products[j, i] = np.average((errors[i] * errors[j]).sum(axis=1), weights=counted)
    return products


def weights_of_least_error(products: np.ndarray) -> np.ndarray:
    """Return the weights w of least wᵀCw that are not negative and sum to 1.

    The least squares u ≥ 0 of √C·u = 0 and Σu = 1 together are a multiple of w: for u = s·w the sum of squares is
    s²·wᵀCw + (s − 1)², at the best s a number that grows with wᵀCw.

    Examples
    --------
    >>> import numpy as np
    >>> weights_of_least_error(np.diag([1.0, 4.0])).round(12).tolist()
    [0.8, 0.2]
    """
    size = np.diag(products).max(initial=0.0)
    if not size > 0:
        return np.full(len(products), 1 / max(len(products), 1))
    values, vectors = np.linalg.eigh(products / size)
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    found, _ = nnls(np.vstack([root, np.ones(len(products))]), np.append(np.zeros(len(products)), 1.0))
    weights: np.ndarray = found / found.sum()
    return weights
