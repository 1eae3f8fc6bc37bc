"""Results of the theory of learning, worked through with numbers: kernels, shattering, votes, stratified splits."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, exp, factorial, prod, sqrt, tanh
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from vaglio.document.document import Page, Trace
from vaglio.document.impurity import entropy, entropy_formula
from vaglio.document.notation import Notation, as_fraction
from vaglio.errors import InputError
from vaglio.evaluation import shatters
from vaglio.learners.registry import find
from vaglio.messages.sentences import listed
from vaglio.typing import ColumnLike, Estimator

__all__ = ["trace_kernel", "trace_shattering", "trace_split", "trace_vote"]

# Longer vectors do not fit a line.
_MOST_DIMENSIONS = 20
# Coordinates of φ that are written out, and degrees of a sum.
_MOST_COEFFICIENTS = 36
_MOST_DEGREES = 10
# Terms that are added up: of short vectors the others are below rounding.
_MOST_TERMS = 500
_KERNELS = ("product", "poly", "rbf", "sigmoid")


# -- kernels ---------------------------------------------------------------------------------------------------------
def phi(x: np.ndarray) -> np.ndarray:
    """φ(x) = (x1, …, xd, x1·x1, x1·x2, …, x1·xd).

    >>> phi(np.array([1.0, 2.0, 3.0])).tolist()
    [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]
    """
    return np.concatenate([x, x[0] * x])


def trace_kernel(
    x: Sequence[float] = (1, 2, 3),
    z: Sequence[float] = (2, 0, 1),
    *,
    kernel: str = "product",
    degree: int = 2,
    sigma: float = 1.0,
    k: float = 1.0,
    delta: float = 0.0,
    dimensions: int | None = None,
    lang: str = "en",
) -> Trace:
    """Show that a kernel is a dot product of mapped vectors, and how many coefficients the map has.

    Parameters
    ----------
    x, z : sequence of float
        Two vectors of the same length.
    kernel : {"product", "poly", "rbf", "sigmoid"}
        (1 + x1·z1)·(x·z); (x·z + 1)^degree; exp(−‖x − z‖²/2σ²); tanh(k·x·z − δ).
    degree : int, default=2
        Of the polynomial.
    sigma, k, delta : float
        Parameters of the Gaussian and of the sigmoid kernel.
    dimensions : int, optional
        Count the coefficients of the polynomial for this number of variables instead of those of x.
    lang : str, default="en"
        The language: "en" or "it".

    Returns
    -------
    Trace

    Examples
    --------
    >>> from vaglio.tracing import trace_kernel
    >>> facts = trace_kernel([1, 2, 3], [2, 0, 1]).facts
    >>> facts["mapped"] == facts["kernel"]
    True
    >>> trace_kernel(kernel="poly", degree=5, dimensions=10).facts["coefficients"]
    3003
    """
    a, b = np.asarray(x, dtype=float).ravel(), np.asarray(z, dtype=float).ravel()
    if a.shape != b.shape or not 1 <= len(a) <= _MOST_DIMENSIONS:
        raise InputError(
            "vector-lengths",
            "Give two vectors of the same length, at most {most}; got {n_x:,} and {n_z:,} numbers.",
            most=_MOST_DIMENSIONS,
            n_x=len(a),
            n_z=len(b),
        )
    if kernel not in _KERNELS or not 1 <= int(degree) <= _MOST_DIMENSIONS or not sigma > 0:
        raise InputError(
            "kernel-parameters",
            "kernel must be {kernels}, degree an integer from 1 to {most}, and sigma positive.",
            kernels=listed(_KERNELS, last="or", quoted=True),
            most=_MOST_DIMENSIONS,
        )
    page = Page(Notation(lang))
    say = page.say
    if kernel == "product":
        _product_kernel(page, a, b)
    elif kernel == "poly":
        _polynomial_kernel(page, a, b, int(degree), len(a) if dimensions is None else int(dimensions))
    elif kernel == "rbf":
        _gaussian_kernel(page, a, b, float(sigma))
    else:
        _sigmoid_kernel(page, a, b, float(k), float(delta))
    return page.finish(say("A kernel is a dot product in another space"))


def _dot(page: Page, a: np.ndarray, b: np.ndarray) -> float:
    say, dot = page.say, float(a @ b)
    page.formula(f"x·z = {' + '.join(f'{say.fixed(p)}·{say.fixed(q)}' for p, q in zip(a, b))} = {say.fixed(dot)}")
    page.facts["dot"] = dot
    return dot


def _product_kernel(page: Page, a: np.ndarray, b: np.ndarray) -> None:
    say = page.say
    page.section(say("With the map φ"))
    names = [f"x{i + 1}" for i in range(len(a))]
    page.formula(f"φ(x) = ({', '.join([*names, 'x1²', *(f'x1·{name}' for name in names[1:])])})")
    mapped = _mapped_product(page, phi(a), phi(b))
    page.section(say("With the kernel"))
    dot = _dot(page, a, b)
    value = (1 + a[0] * b[0]) * dot
    page.formula(f"(1 + x1·z1)·(x·z) = (1 + {say.fixed(a[0])}·{say.fixed(b[0])})·{say.fixed(dot)} = {say.fixed(value)}")
    page.section(say("Why they are equal"))
    page.text(say("The first half of φ gives x·z. The second half is x1 times x and gives x1·z1 times x·z."))
    page.formula("φ(x)·φ(z) = Σ xⱼ·zⱼ + Σ (x1·xⱼ)·(z1·zⱼ) = x·z + x1·z1·(x·z) = (1 + x1·z1)·(x·z)")
    page.facts |= {"mapped": mapped, "kernel": float(value)}


def _mapped_product(page: Page, a: np.ndarray, b: np.ndarray) -> float:
    say, value = page.say, float(a @ b)
    page.formula(f"φ(x) = ({say.series(map(say.fixed, a))})")
    page.formula(f"φ(z) = ({say.series(map(say.fixed, b))})")
    terms = " + ".join(f"{say.fixed(p)}·{say.fixed(q)}" for p, q in zip(a, b))
    page.formula(f"φ(x)·φ(z) = {terms} = {say.fixed(value)}")
    return value


def _monomials(d: int, degree: int) -> list[tuple[tuple[int, ...], int]]:
    """Return the exponents of 1, x1 … xd in every term of (x·z + 1)^degree, and how often the term occurs."""
    found = []
    for chosen in combinations_with_replacement(range(d + 1), degree):
        exponents = tuple(chosen.count(i) for i in range(d + 1))
        found.append((exponents, factorial(degree) // prod(map(factorial, exponents))))
    return found


def _polynomial_kernel(page: Page, a: np.ndarray, b: np.ndarray, degree: int, dimensions: int) -> None:
    say, d = page.say, len(a)
    size = comb(d + degree, degree)
    if size <= _MOST_COEFFICIENTS:
        terms = _monomials(d, degree)

        def mapped(x: np.ndarray) -> np.ndarray:
            lifted = np.append(1.0, x)
            return np.array([sqrt(times) * np.prod(lifted ** np.array(powers)) for powers, times in terms])

        page.section(say("With the map φ"))
        page.text(say("Each product of powers has the root of the number of times it occurs as its factor."))
        page.formula(f"φ(x) = ({', '.join(_monomial(powers, times) for powers, times in terms)})")
        page.facts["mapped"] = _mapped_product(page, mapped(a), mapped(b))
    page.section(say("With the kernel"))
    dot = _dot(page, a, b)
    value = (dot + 1) ** degree
    page.formula(f"(x·z + 1)^{degree} = ({say.fixed(dot)} + 1)^{degree} = {say.fixed(value)}")
    page.section(say("How many coefficients"))
    whole, top = comb(dimensions + degree, degree), comb(dimensions + degree - 1, degree)
    page.text(
        say(
            "With {d:,} variables, φ has {whole:,} coordinates: the products of powers up to degree {h}. {top:,} of "
            "them have exactly this degree. The kernel needs {d:,} products and one power.",
            d=dimensions,
            whole=whole,
            top=top,
            h=degree,
        )
    )
    page.formula(f"C(d + h, h) = C({dimensions} + {degree}, {degree}) = {whole}")
    page.formula(f"C(d + h − 1, h) = C({dimensions + degree - 1}, {degree}) = {top}")
    page.facts |= {"kernel": float(value), "coefficients": whole, "of_this_degree": top}


def _monomial(powers: tuple[int, ...], times: int) -> str:
    factors = [f"x{i}" + (f"^{power}" if power > 1 else "") for i, power in enumerate(powers) if i and power]
    root = "" if times == 1 else f"√{times}"
    return "·".join([root, *factors] if root else factors) or "1"


def _gaussian_kernel(page: Page, a: np.ndarray, b: np.ndarray, sigma: float) -> None:
    say = page.say
    page.section(say("With the kernel"))
    distance = float(((a - b) ** 2).sum())
    value = exp(-distance / (2 * sigma**2))
    terms = " + ".join(f"({say.fixed(p)} − {say.fixed(q)})²" for p, q in zip(a, b))
    page.formula(f"‖x − z‖² = {terms} = {say.fixed(distance)}")
    page.formula(f"exp(−‖x − z‖²/2σ²) = exp(−{say.fixed(distance)}/{say.fixed(2 * sigma**2)}) = {say.fixed(value)}")
    page.section(say("With the map φ"))
    page.text(
        say(
            "φ has infinitely many coordinates: the products of powers of every degree. Their sum, degree by degree, "
            "converges to the kernel."
        )
    )
    dot = _dot(page, a, b)
    start = exp(-float(a @ a) / (2 * sigma**2)) * exp(-float(b @ b) / (2 * sigma**2))
    page.formula(f"exp(−‖x‖²/2σ²)·exp(−‖z‖²/2σ²)·Σ (x·z/σ²)^j/j!   ({say.fixed(start)}·Σ …)")
    rows, total, term = [], 0.0, start
    for j in range(_MOST_TERMS):
        total += term
        if j < _MOST_DEGREES:
            rows.append([str(j), say.fixed(term), say.fixed(total)])
        term *= dot / sigma**2 / (j + 1)
    page.table([say("degree"), say("term"), say("sum")], rows)
    page.facts |= {"kernel": value, "mapped": total}


def _sigmoid_kernel(page: Page, a: np.ndarray, b: np.ndarray, k: float, delta: float) -> None:
    say = page.say
    page.section(say("With the kernel"))
    dot = _dot(page, a, b)
    value = tanh(k * dot - delta)
    page.formula(f"tanh(k·x·z − δ) = tanh({say.fixed(k)}·{say.fixed(dot)} − {say.fixed(delta)}) = {say.fixed(value)}")
    page.section(say("Is it a dot product?"))
    gram = np.tanh(k * np.array([[a @ a, a @ b], [a @ b, b @ b]]) - delta)
    lowest = float(np.linalg.eigvalsh(gram)[0])
    page.text(
        say(
            "A dot product gives a matrix without negative eigenvalues for any set of vectors. The matrix of x and z "
            "has the smallest eigenvalue {lowest}.",
            lowest=say.fixed(lowest),
        )
    )
    page.formula("K = " + "; ".join("(" + say.series(map(say.fixed, line)) + ")" for line in gram))
    page.text(
        say("So no map φ has this kernel.")
        if lowest < -1e-12
        else say("These two vectors do not rule out a map φ, but others may: tanh is not a kernel for all k and δ.")
    )
    page.facts |= {"kernel": value, "smallest_eigenvalue": lowest}


# -- shattering ------------------------------------------------------------------------------------------------------
def trace_shattering(points: Any, estimator: Estimator | str | None = None, *, lang: str = "en") -> Trace:
    """Try all 2^N labellings of N points.

    Parameters
    ----------
    points : array-like of shape (N, d)
        The points, one per row.
    estimator : classifier or str, optional
        By default a hyperplane: a linear support vector machine that allows almost no error.
    lang : str, default="en"
        The language: "en" or "it".

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
        raise InputError("points-not-numbers", "Points must be rows of numbers.") from None
    linear = estimator is None
    learner: Any = estimator
    if linear:
        learner = find("svm").make(kernel="linear", C=1e6, preprocess=None, max_iter=100_000)
    elif isinstance(estimator, str):
        learner = find(estimator).cls()  # what is shattered is the textbook learner, unpruned
    outcome = shatters(learner, X)
    page = Page(Notation(lang))
    say, n = page.say, len(X)
    page.section(say("The points"))
    page.text(
        say(
            "{n} points have {all} labellings. The learner shatters the points if it can realise every labelling.",
            n=n,
            all=2**n,
        )
    )
    page.table(
        ["", *(f"x{j + 1}" for j in range(X.shape[1]))], [[_point_name(i), *map(say.fixed, p)] for i, p in enumerate(X)]
    )
    page.section(say("The labellings"))
    lines = [
        [
            "".join("+" if v else "−" for v in labelling),
            (say("yes") if ok else say("no")),
            _hyperplane(say, model) if linear and ok else "",
        ]
        for labelling, ok, model in zip(outcome.labellings, outcome.realised, outcome.models)
    ]
    failed = [i for i, ok in enumerate(outcome.realised) if not ok]
    page.table([say("labelling"), say("realised"), say("boundary")], lines, chosen=failed)
    done = int(outcome.realised.sum())
    page.text(
        say("All {all} labellings are realised: the {n} points are shattered.", n=n, done=done, all=2**n)
        if outcome
        else say("{done} of {all} labellings are realised: the {n} points are not shattered.", n=n, done=done, all=2**n)
    )
    if linear and not outcome:
        _radon(page, X)
    page.facts |= {"shattered": bool(outcome), "realised": done, "labellings": 2**n}
    return page.finish(say("Can {n} points be shattered?", n=n))


def _point_name(i: int) -> str:
    return chr(ord("A") + i)


def _hyperplane(say: Notation, model: Any) -> str:
    """The hyperplane that was found."""
    if model is None or not hasattr(model, "coef_"):
        return ""
    weights = np.round(np.append(model.coef_[0], model.intercept_), 4)
    terms = " + ".join(f"{say.fixed(w)}·x{j + 1}" for j, w in enumerate(weights[:-1]))
    return f"{terms} + {say.fixed(weights[-1])} = 0".replace("+ −", "− ")


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
    a, b = (", ".join(map(_point_name, side)) for side in (plus, minus))
    page.text(
        page.say(
            "Reason: the convex hulls of {{{a}}} and {{{b}}} meet in {point}. A hyperplane with the first set"
            " on one side and the second set on the other side would have this point on both sides. Any d + 2"
            " points in d dimensions can be divided in this way (Radon).",
            a=a,
            b=b,
            point=f"({page.say.series(map(page.say.fixed, meet))})",
        )
    )
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
    lang : str, default="en"
        The language: "en" or "it".

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
        raise InputError("error-rate-out-of-range", "An error rate must be between 0 and 1; got {error}.", error=error)
    if not 1 <= n <= 99 or n % 2 == 0:
        raise InputError(
            "number-of-learners",
            "The number of learners must be odd, from 1 to 99; got {learners}.",
            learners=learners,
        )
    page = Page(Notation(lang))
    say, whole = page.say, e.denominator**n
    page.section(say("Independent learners"))
    page.text(
        say(
            "{n} learners make errors independently, each with probability e = {error}. The majority is wrong"
            " when at least {need} of them are wrong.",
            n=n,
            error=_fraction(say, e),
            need=n // 2 + 1,
        )
    )
    page.formula("P(k) = C(n, k)·e^k·(1 − e)^(n − k)")
    chance = [comb(n, k) * e**k * (1 - e) ** (n - k) for k in range(n + 1)]
    lines = [
        [str(k), f"{comb(n, k)}·({_fraction(say, e)})^{k}·({_fraction(say, 1 - e)})^{n - k}", _unreduced(say, p, whole)]
        for k, p in enumerate(chance)
    ]
    page.table([say("wrong learners"), "C(n, k)·e^k·(1 − e)^(n − k)", "P"], lines, chosen=range(n // 2 + 1, n + 1))
    majority = sum(chance[n // 2 + 1 :], Fraction(0))
    terms = " + ".join(line[1] for line in lines[n // 2 + 1 :][:4]) + (" + …" if n > 7 else "")
    page.formula(
        f"P({say('majority wrong')}) = {terms} = {_unreduced(say, majority, whole)} ≈ {_percent(say, majority)}"
    )
    page.formula(f"P({say('all wrong')}) = ({_fraction(say, e)})^{n} = {_unreduced(say, chance[-1], whole)}")
    page.text(
        say(
            "Accuracy: {one} for one learner, {all} for the majority.",
            one=_percent(say, 1 - e),
            all=_percent(say, 1 - majority),
        )
    )
    page.facts |= {"majority_error": str(majority), "all_err": str(chance[-1]), "accuracy": float(1 - majority)}
    return page.finish(say("The majority vote of {n} learners", n=n))


def _fraction(say: Notation, value: Fraction) -> str:
    return str(value) if value.denominator < 1000 else say.number(float(value), ".4f")


def _unreduced(say: Notation, value: Fraction, whole: int) -> str:
    """The fraction over the common denominator: 6/27, not 2/9, so that the terms of a sum can be added."""
    # A denominator of more than nine digits cannot be read: the decimal number stands alone.
    if whole >= 10**9:
        return say.number(float(value), ".4f")
    return f"{value * whole}/{whole} = {say.number(float(value), '.4f')}"


def _percent(say: Notation, value: Fraction) -> str:
    return say.percent(float(value), 0)


# -- splits ----------------------------------------------------------------------------------------------------------
def trace_split(y: ColumnLike, test_size: float = 0.5, *, seed: int = 0, lang: str = "en") -> Trace:
    """Show that a stratified split keeps the entropy of the class.

    Parameters
    ----------
    y : array-like
        The class of each row.
    test_size : float
        Share of the rows in the test part.
    seed : int
        Seed of the random split.
    lang : str, default="en"
        The language: "en" or "it".

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
            "test-size-out-of-range", "test_size must be between 0 and 1; got {test_size}.", test_size=test_size
        )
    smallest = np.bincount(codes).min()
    if smallest < 2 or min(test_size, 1 - test_size) * len(codes) < len(labels):
        raise InputError(
            "too-few-rows-to-stratify",
            "A stratified split needs at least two rows of every class, and one row of every class in each part.",
        )
    train, test = train_test_split(codes, test_size=test_size, stratify=codes, random_state=seed)
    page = Page(Notation(lang))
    say = page.say
    parts = [np.bincount(part, minlength=len(labels)).astype(float) for part in (codes, train, test)]
    names = [say("all rows"), say("training"), say("test")]
    page.section(say("The parts"))
    page.text(say("{share} of the rows of each class are held out for testing.", share=say.percent(test_size, 0)))
    rows = [
        [name, say.count(p.sum()), *map(say.count, p), say.fixed(float(entropy(p)))] for name, p in zip(names, parts)
    ]
    page.table(["", say("rows"), *labels, say("entropy")], rows)
    for name, part in zip(names, parts):
        page.formula(f"{say('entropy')}({name}) = {entropy_formula(say, part)}")
    page.facts |= {"entropy": [float(entropy(part)) for part in parts], "counts": [part.tolist() for part in parts]}
    return page.finish(say("A stratified split"))
