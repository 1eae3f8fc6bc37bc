"""Shattering: every labelling of some points is tried, with the reason why a hyperplane fails."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.document.catalogue import Words
from vaglio.document.document import Page, Trace
from vaglio.document.notation import comma_list, fixed
from vaglio.errors import InputError
from vaglio.evaluation import shatters
from vaglio.learners.registry import find


def trace_shattering(points: Any, estimator: Any = None, *, lang: str = "en") -> Trace:
    """Try all 2^N labellings of N points.

    Parameters
    ----------
    points : array-like of shape (N, d)
        The points, one per row.
    estimator : classifier or str, optional
        By default a hyperplane: a linear support vector machine that allows almost no error.
    lang : {"en", "it"}
        English or Italian.

    Returns
    -------
    Trace

    Examples
    --------
    >>> from vaglio.tracing import trace_shattering
    >>> trace_shattering([[0, 0], [1, 0], [0, 1]]).facts["shattered"]
    True
    >>> trace_shattering([[0, 0], [1, 0], [0, 1], [1, 1]]).facts["realised"]
    14
    """
    try:
        X = np.asarray(points, dtype=float)
    except (TypeError, ValueError):
        raise InputError("Points must be rows of numbers.") from None
    linear = estimator is None
    if linear:
        estimator = find("svm").make(kernel="linear", C=1e6, preprocess=None, max_iter=100_000)
    elif isinstance(estimator, str):
        estimator = find(estimator).cls()  # what is shattered is the textbook learner, unpruned
    outcome = shatters(estimator, X)
    page = Page(Words(lang))
    say, n = page.say, len(X)
    page.section(say("shatter_points"))
    page.text(say("shatter_rule", n=n, all=2**n))
    page.table(["", *(f"x{j + 1}" for j in range(X.shape[1]))], [[_name(i), *map(fixed, p)] for i, p in enumerate(X)])
    page.section(say("shatter_labellings"))
    lines = [
        [
            "".join("+" if v else "−" for v in labelling),
            say("yes" if ok else "no"),
            _line(model) if linear and ok else "",
        ]
        for labelling, ok, model in zip(outcome.labellings, outcome.realised, outcome.models)
    ]
    failed = [i for i, ok in enumerate(outcome.realised) if not ok]
    page.table([say("col_labelling"), say("col_realised"), say("col_boundary")], lines, chosen=failed)
    done = int(outcome.realised.sum())
    page.text(say("shattered" if outcome else "not_shattered", n=n, done=done, all=2**n))
    if linear and not outcome:
        _radon(page, X)
    page.facts |= {"shattered": bool(outcome), "realised": done, "labellings": 2**n}
    return page.finish(say("title_shattering", n=n))


def _name(i: int) -> str:
    return chr(ord("A") + i)


def _line(model: Any) -> str:
    """The hyperplane that was found."""
    if model is None or not hasattr(model, "coef_"):
        return ""
    weights = np.round(np.append(model.coef_[0], model.intercept_), 4)
    terms = " + ".join(f"{fixed(w)}·x{j + 1}" for j, w in enumerate(weights[:-1]))
    return f"{terms} + {fixed(weights[-1])} = 0".replace("+ −", "− ")


def _radon(page: Page, X: np.ndarray) -> None:
    """Radon: d + 2 points (fewer when they lie in a plane) split into two sets whose hulls meet."""
    # λ with Σ λ = 0 and Σ λ·x = 0, from the null space of the points with a row of ones.
    lifted = np.vstack([X.T, np.ones(len(X))])
    _, sizes, vectors = np.linalg.svd(lifted)
    rank = int((sizes > 1e-9 * max(sizes.max(), 1)).sum())
    if rank >= len(X):
        return
    weights = vectors[-1]
    weights = np.where(np.abs(weights) < 1e-9, 0.0, weights / np.abs(weights).max())
    plus, minus = np.flatnonzero(weights > 0).tolist(), np.flatnonzero(weights < 0).tolist()
    meet = weights[plus] @ X[plus] / weights[plus].sum()
    a, b = (comma_list(_name(i) for i in side) for side in (plus, minus))
    page.text(page.say("radon", a=a, b=b, point=f"({', '.join(map(fixed, meet))})"))
    page.facts["radon"] = [[_name(i) for i in plus], [_name(i) for i in minus]]
