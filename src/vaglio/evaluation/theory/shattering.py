"""The VC dimension by experiment: whether a learner realises every labelling of some points."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from vaglio.errors import InputError, NoSolutionError, as_own_errors
from vaglio.messages.message import Message, text
from vaglio.runtime.arguments import checked
from vaglio.typing import Estimator

__all__ = ["Shattering", "shatters", "vc_dimension_lower_bound"]

# 4096 labellings, each of which is fitted: about as many as a minute allows.
_MAX_POINTS = 12


@dataclass(frozen=True, repr=False, eq=False)
class Shattering:
    """Which of the 2^N labellings of N points a learner reproduced. It is true when all were.

    Attributes
    ----------
    points : ndarray of shape (n_points, n_features)
    labellings : ndarray of bool, shape (2 ** n_points, n_points)
    realised : ndarray of bool
        Which labellings were reproduced.
    models : tuple
        The learner fitted to each labelling, or None.
    """

    points: np.ndarray
    labellings: np.ndarray
    realised: np.ndarray
    models: tuple[Any, ...]

    def __bool__(self) -> bool:
        return bool(self.realised.all())

    @property
    def failed(self) -> np.ndarray:
        """Labellings that the learner did not reproduce."""
        return np.asarray(self.labellings[~self.realised])

    def __repr__(self) -> str:
        return str(self.in_words())

    def in_words(self) -> Message:
        """Return whether the points are shattered, and by which labellings they are not."""
        told = {"n": len(self.points), "done": int(self.realised.sum()), "total": len(self.labellings)}
        if self:
            return text("{n} points shattered: {done} of {total} labellings realised", **told)
        shown = ["".join("+" if v else "−" for v in row) for row in self.failed[:4]]
        shown += ["…"] if len(self.failed) > 4 else []
        return text(
            "{n} points not shattered: {done} of {total} labellings realised; not {failed}",
            **told,
            failed=", ".join(shown),
        )

    def _repr_html_(self) -> str:
        return f"<p>{self!r}</p>"

    def plot(self, *, max_panels: int = 16) -> Any:
        """Draw each labelling with the learner's regions (two attributes); failures have a red frame."""
        from vaglio.plot.decision_region import draw_labellings

        return draw_labellings(self.points, self.labellings, self.realised, self.models, max_panels=max_panels)


@checked
def shatters(estimator: Estimator, points: Any) -> Shattering:
    """Fit the learner to all 2^N labellings of N points and check whether it reproduces each of them.

    A labelling with a single class counts as realised when the learner refuses it: every hypothesis space
    here contains the constant predictions. One for which the learner has no solution, as a hard margin on classes that
    no hyperplane separates, is not realised.

    The result is about what the learner finds, so its regularisation should be off: a regularised learner may fail
    on labellings that its hypothesis space contains.

    Parameters
    ----------
    estimator : classifier
    points : array-like of shape (n_points, n_features)
        At most 12.

    Examples
    --------
    A line in the plane shatters three points and no four:

    >>> from sklearn.svm import SVC
    >>> from vaglio import shatters
    >>> line = SVC(kernel="linear", C=1e4, max_iter=5000)
    >>> bool(shatters(line, [[0, 0], [1, 0], [0, 1]]))
    True
    >>> shatters(line, [[0, 0], [1, 0], [0, 1], [1, 1]])
    4 points not shattered: 14 of 16 labellings realised; not −++−, +−−+
    """
    with as_own_errors():
        points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or not 1 <= len(points) <= _MAX_POINTS:
        raise InputError(
            "points-out-of-range",
            "Pass 1 to {max_points} points as rows; {max_points2} labellings are enough.",
            max_points=_MAX_POINTS,
            max_points2=2**_MAX_POINTS,
        )
    labellings = np.array(list(itertools.product([0, 1], repeat=len(points))))
    models, realised = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a learner that does not converge does not reproduce the labelling
        for y in labellings:
            model, right = _fits(estimator, points, y)
            models.append(model)
            realised.append(right)
    return Shattering(points, labellings, np.array(realised), tuple(models))


def _fits(estimator: Estimator, points: np.ndarray, y: np.ndarray) -> tuple[Any, bool]:
    try:
        model = clone(estimator).fit(points, y)
    except NoSolutionError:  # a hard margin: no hyperplane has these labels
        return None, False
    except ValueError:
        if y.min() == y.max():
            return None, True
        raise
    return model, bool((model.predict(points) == y).all())


@checked
def vc_dimension_lower_bound(
    estimator: Estimator, n_features: int = 2, *, max_points: int = 6, n_tries: int = 20, seed: int = 0
) -> int:
    """The largest N for which some N points, drawn at random, were shattered.

    The VC dimension is at least this: one shattered set is enough. That no larger set was found proves nothing.

    Parameters
    ----------
    estimator : classifier
    n_features : int, default=2
        Number of columns of the points.
    max_points : int, default=6
        Largest N tried.
    n_tries : int, default=20
        Number of sets of points drawn for each N.
    seed : int, default=0
        Seed of the points.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from vaglio import vc_dimension_lower_bound
    >>> vc_dimension_lower_bound(DecisionTreeClassifier(max_depth=1), 1, max_points=4)
    2
    """
    if not 1 <= max_points <= _MAX_POINTS:
        raise InputError(
            "max-points-out-of-range",
            "max_points is {max_points}; it must be between 1 and {max_points2}.",
            max_points=max_points,
            max_points2=_MAX_POINTS,
        )
    if n_features < 1:
        raise InputError("features-out-of-range", "n_features is {n}; it must be at least 1.", n=n_features)
    rng = np.random.default_rng(seed)
    for n in range(1, max_points + 1):
        # Random points are in general position with probability one, so a few draws are enough if any set of n works.
        if not any(shatters(estimator, rng.normal(size=(n, n_features))) for _ in range(n_tries)):
            return n - 1
    return max_points
