"""Results of the theory of learning, worked through with numbers: kernels, shattering, votes, stratified splits."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from vaglio.document.catalogue import Words
from vaglio.document.document import Page, Trace
from vaglio.document.impurity import entropy, entropy_formula
from vaglio.document.notation import as_fraction, comma_list, count, fixed
from vaglio.errors import InputError
from vaglio.evaluation import shatters
from vaglio.learners.registry import find

__all__ = ["trace_kernel", "trace_shattering", "trace_split", "trace_vote"]


# -- kernels ---------------------------------------------------------------------------------------------------------
def phi(x: np.ndarray) -> np.ndarray:
    """φ(x) = (x1, …, xd, x1·x1, x1·x2, …, x1·xd).

    >>> phi(np.array([1.0, 2.0, 3.0])).tolist()
    [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]
    """
    return np.concatenate([x, x[0] * x])


def trace_kernel(x: Sequence[float] = (1, 2, 3), z: Sequence[float] = (2, 0, 1), *, lang: str = "en") -> Trace:
    """Show that φ(x)·φ(z) equals (1 + x1·z1)·(x·z).

    Parameters
    ----------
    x, z : sequence of float
        Two vectors of the same length.
    lang : {"en", "it"}
        English or Italian.

    Returns
    -------
    Trace

    Examples
    --------
    >>> from vaglio.tracing import trace_kernel
    >>> facts = trace_kernel([1, 2, 3], [2, 0, 1]).facts
    >>> facts["mapped"] == facts["kernel"]
    True
    """
    a, b = np.asarray(x, dtype=float).ravel(), np.asarray(z, dtype=float).ravel()
    if a.shape != b.shape or not 1 <= len(a) <= 20:
        raise InputError(
            "give-two-vectors-same",
            "Give two vectors of the same length, at most 20; got {n_a} and {n_b} numbers.",
            n_a=len(a),
            n_b=len(b),
        )
    page = Page(Words(lang))
    say = page.say
    page.section(say("kernel_map"))
    names = [f"x{i + 1}" for i in range(len(a))]
    page.formula(f"φ(x) = ({', '.join([*names, 'x1²', *(f'x1·{name}' for name in names[1:])])})")
    page.formula(f"φ(x) = ({', '.join(map(fixed, phi(a)))})")
    page.formula(f"φ(z) = ({', '.join(map(fixed, phi(b)))})")
    mapped = float(phi(a) @ phi(b))
    page.formula(
        f"φ(x)·φ(z) = {' + '.join(f'{fixed(p)}·{fixed(q)}' for p, q in zip(phi(a), phi(b)))} = {fixed(mapped)}"
    )
    page.section(say("kernel_direct"))
    dot = float(a @ b)
    page.formula(f"x·z = {' + '.join(f'{fixed(p)}·{fixed(q)}' for p, q in zip(a, b))} = {fixed(dot)}")
    value = (1 + a[0] * b[0]) * dot
    page.formula(f"(1 + x1·z1)·(x·z) = (1 + {fixed(a[0])}·{fixed(b[0])})·{fixed(dot)} = {fixed(value)}")
    page.section(say("kernel_why"))
    page.text(say("kernel_because"))
    page.formula("φ(x)·φ(z) = Σ xⱼ·zⱼ + Σ (x1·xⱼ)·(z1·zⱼ) = x·z + x1·z1·(x·z) = (1 + x1·z1)·(x·z)")
    page.facts |= {"mapped": mapped, "kernel": float(value), "dot": dot}
    return page.finish(say("title_kernel"))


# -- shattering ------------------------------------------------------------------------------------------------------
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
        raise InputError("points-must-rows-numbers", "Points must be rows of numbers.") from None
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
    page.table(
        ["", *(f"x{j + 1}" for j in range(X.shape[1]))], [[_point_name(i), *map(fixed, p)] for i, p in enumerate(X)]
    )
    page.section(say("shatter_labellings"))
    lines = [
        [
            "".join("+" if v else "−" for v in labelling),
            say("yes" if ok else "no"),
            _hyperplane(model) if linear and ok else "",
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


def _point_name(i: int) -> str:
    return chr(ord("A") + i)


def _hyperplane(model: Any) -> str:
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
    a, b = (comma_list(_point_name(i) for i in side) for side in (plus, minus))
    page.text(page.say("radon", a=a, b=b, point=f"({', '.join(map(fixed, meet))})"))
    page.facts["radon"] = [[_point_name(i) for i in plus], [_point_name(i) for i in minus]]


# -- votes -----------------------------------------------------------------------------------------------------------
def trace_vote(error: Any = "1/3", learners: int = 3, *, lang: str = "en") -> Trace:
    """Compute the error of the majority of independent learners, each with the same error.

    Parameters
    ----------
    error : Fraction, float or str
        The error of each learner, for instance ``"1/3"``.
    learners : int
        Their number; it is odd, so that there is no tie.
    lang : {"en", "it"}
        English or Italian.

    Returns
    -------
    Trace

    Examples
    --------
    >>> from vaglio.tracing import trace_vote
    >>> trace_vote("1/3", 3).facts["majority_error"]
    '7/27'
    """
    e, n = as_fraction(error), int(learners)
    if not 0 <= e <= 1:
        raise InputError("error-rate-lies-between", "An error rate lies between 0 and 1; got {error}.", error=error)
    if not 1 <= n <= 99 or n % 2 == 0:
        raise InputError(
            "majority-needs-odd-number",
            "A majority needs an odd number of learners from 1 to 99; got {learners}.",
            learners=learners,
        )
    page = Page(Words(lang))
    say, whole = page.say, e.denominator**n
    page.section(say("vote_setting"))
    page.text(say("vote_rule", n=n, error=_fraction(e), need=n // 2 + 1))
    page.formula("P(k) = C(n, k)·e^k·(1 − e)^(n − k)")
    chance = [comb(n, k) * e**k * (1 - e) ** (n - k) for k in range(n + 1)]
    lines = [
        [str(k), f"{comb(n, k)}·({_fraction(e)})^{k}·({_fraction(1 - e)})^{n - k}", _unreduced(p, whole)]
        for k, p in enumerate(chance)
    ]
    page.table([say("col_wrong"), "C(n, k)·e^k·(1 − e)^(n − k)", "P"], lines, chosen=range(n // 2 + 1, n + 1))
    majority = sum(chance[n // 2 + 1 :], Fraction(0))
    terms = " + ".join(line[1] for line in lines[n // 2 + 1 :][:4]) + (" + …" if n > 7 else "")
    page.formula(f"P({say('majority_errs')}) = {terms} = {_unreduced(majority, whole)} ≈ {_percent(majority)}")
    page.formula(f"P({say('all_err')}) = ({_fraction(e)})^{n} = {_unreduced(chance[-1], whole)}")
    page.text(say("vote_result", one=_percent(1 - e), all=_percent(1 - majority)))
    page.facts |= {"majority_error": str(majority), "all_err": str(chance[-1]), "accuracy": float(1 - majority)}
    return page.finish(say("title_vote", n=n))


def _fraction(value: Fraction) -> str:
    return str(value) if value.denominator < 1000 else f"{float(value):.4f}"


def _unreduced(value: Fraction, whole: int) -> str:
    """The fraction over the common denominator: 6/27, not 2/9, so that the terms of a sum can be added."""
    # A denominator of more than nine digits cannot be read: the decimal number stands alone.
    if whole >= 10**9:
        return f"{float(value):.4f}"
    return f"{value * whole}/{whole} = {float(value):.4f}"


def _percent(value: Fraction) -> str:
    return f"{100 * float(value):.0f}%"


# -- splits ----------------------------------------------------------------------------------------------------------
def trace_split(y: Any, test_size: float = 0.5, *, seed: int = 0, lang: str = "en") -> Trace:
    """Show that a stratified split keeps the entropy of the class.

    Parameters
    ----------
    y : array-like
        The class of each row.
    test_size : float
        Share of the rows in the test part.
    seed : int
        Seed of the random split.
    lang : {"en", "it"}
        English or Italian.

    Returns
    -------
    Trace

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.tracing import trace_split
    >>> _, y = vaglio.datasets.load("iris").xy("species")
    >>> [round(value, 2) for value in trace_split(y, 0.5).facts["entropy"]]
    [1.58, 1.58, 1.58]
    """
    labels, codes = np.unique(np.asarray(y).astype(str), return_inverse=True)
    if not 0 < test_size < 1:
        raise InputError(
            "test-part-share-between", "The test part is a share between 0 and 1; got {test_size}.", test_size=test_size
        )
    smallest = np.bincount(codes).min()
    if smallest < 2 or min(test_size, 1 - test_size) * len(codes) < len(labels):
        raise InputError(
            "stratified-split-needs-least",
            "A stratified split needs at least two rows of every class, and one row of every class in each part.",
        )
    train, test = train_test_split(codes, test_size=test_size, stratify=codes, random_state=seed)
    page = Page(Words(lang))
    say = page.say
    parts = [np.bincount(part, minlength=len(labels)).astype(float) for part in (codes, train, test)]
    names = [say("all_rows"), say("training_part"), say("test_part")]
    page.section(say("split_parts"))
    page.text(say("split_rule", share=f"{100 * test_size:.0f}%"))
    rows = [[name, count(p.sum()), *map(count, p), fixed(float(entropy(p)))] for name, p in zip(names, parts)]
    page.table(["", say("rows"), *labels, say("entropy")], rows)
    for name, part in zip(names, parts):
        page.formula(f"{say('entropy')}({name}) = {entropy_formula(part)}")
    page.facts |= {"entropy": [float(entropy(part)) for part in parts], "counts": [part.tolist() for part in parts]}
    return page.finish(say("title_split"))
