"""Bias, variance and noise of a learner, estimated from pairs of disjoint training sets; and the error of a vote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from vaglio.encode import Codebook, DenseEncoder, EncodedMatrix
from vaglio.errors import InputError, as_own_errors, warning_as_here, warning_once
from vaglio.evaluation.predictions import task_of_model
from vaglio.evaluation.rows import MemoryRows
from vaglio.messages.figures import figure
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message, Number, text
from vaglio.plot.evaluation import Curve, draw_curves
from vaglio.plot.style import axes_for, draws_names
from vaglio.runtime.arguments import checked
from vaglio.runtime.scikit_learn import num_samples, safe_indexing
from vaglio.typing import ColumnLike, Estimator, TableLike, TableSource

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BiasVariance", "BiasVarianceCurve", "bias_variance", "majority_vote_error"]

NEIGHBOURS = 10
# A line needs several distances, and each of them a mean over some rows.
LEAST_ROWS = 5 * NEIGHBOURS
# Distances beyond this many rows would take long, and a sample of the rows shows the same.
MOST_ROWS = 5000
# The nearest row must be clearly nearer than the tenth: otherwise (many columns) none is near, and the line at distance
# 0 is a guess.
NEAR = 0.75


@dataclass(frozen=True)
class BiasVariance:
    """The parts of a learner's expected error on new rows: ``error = bias² + variance + noise``.

    Attributes
    ----------
    error : float
        Mean squared error; for classes the error rate, which is half the squared error of the 0/1 predictions.
    bias : float
        Squared distance of the average prediction, over all training sets of this size, from the true value: averaging
        models does not lower it. An estimate, so that a bias near 0 may come out slightly below.
    variance : float
        Variance of the predictions from one training set to the next: bagging lowers it.
    noise : float
        Variance of the true value among rows that are alike; 0 where it cannot be told from the bias. It belongs to
        the table: all learners have the same.
    rounds : int
        Number of models fitted.
    train_rows : int
        Number of rows each of them was fitted to.
    noise_source : str
        Where the noise comes from: "given", "equal rows", "neighbours" or both. Empty if it cannot be told from the
        bias; then ``bias`` is bias² and noise together.
    """

    error: float
    bias: float
    variance: float
    noise: float
    rounds: int
    noise_source: str = ""
    train_rows: int = 0

    def __str__(self) -> str:
        return str(self.in_words())

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return the parts as plain data."""
        return asdict(self)

    def in_words(self) -> Message:
        """Return the decomposition as one line."""
        told = {
            "error": _part(self.error),
            "bias": _part(self.bias),
            "variance": _part(self.variance),
            "n": self.rounds,
            "rows": self.train_rows,
        }
        if not self.noise_source:
            return text(
                "error {error} = bias² and noise together {bias} + variance {variance} ({n:,} "
                "training sets of {rows:,} rows; no rows are similar enough to separate noise from bias)",
                **told,
            )
        return text(
            "error {error} = bias² {bias} + variance {variance} + noise {noise} ({n:,} training "
            "sets of {rows:,} rows; noise {source})",
            **told,
            noise=_part(self.noise),
            source=_NOISE_SOURCES.get(self.noise_source, self.noise_source),
        )


def _part(value: float) -> Number:
    """A share to four decimals, what has a unit with few digits."""
    return Number(f"{value:.4f}") if value == 0 or 1e-3 <= abs(value) <= 1 else figure(value, 5)


_NOISE_SOURCES = {
    "given": text("as given"),
    "equal rows": text("from equal rows"),
    "neighbours": text("from neighbors"),
    "equal rows and neighbours": text("from equal rows and neighbors"),
}


@dataclass(frozen=True)
class BiasVarianceCurve:
    """The decomposition for several values of one parameter: simple models have high bias, complex ones high variance.

    Attributes
    ----------
    param_name : str
    param_range : tuple
    parts : tuple of BiasVariance
        One for each value.
    """

    param_name: str
    param_range: tuple[Any, ...]
    parts: tuple[BiasVariance, ...]

    @draws_names
    def plot(self, ax: Axes | None = None, *, lang: str | Locale = "en") -> Any:
        """Draw error, bias², variance and noise against the parameter, in this language; return the axes."""
        ax, locale = axes_for(ax), locale_of(lang)
        numbers = all(isinstance(value, (int, float)) for value in self.param_range)
        x = np.array(self.param_range if numbers else range(len(self.param_range)), dtype=float)
        names = {"error": text("error"), "bias": text("bias²"), "variance": text("variance"), "noise": text("noise")}
        if not all(part.noise_source for part in self.parts):
            names = {"error": text("error"), "bias": text("bias² and noise"), "variance": text("variance")}
        curves = [Curve(x, np.array([getattr(p, key) for p in self.parts]), name) for key, name in names.items()]
        draw_curves(
            ax, curves, xlabel=self.param_name, ylabel=text("expected error"), locale=locale, marker="o", markersize=4
        )
        if not numbers:
            ax.set_xticks(x, [str(value) for value in self.param_range])
        return ax


@checked
def bias_variance(
    estimator: Estimator,
    X: TableSource,
    y: str | int | ColumnLike | None = None,
    *,
    n_rounds: int = 50,
    test_size: float = 1 / 3,
    noise: float | None = None,
    param_name: str | None = None,
    param_range: Sequence[Any] = (),
    n_jobs: int | None = None,
    random_state: int | None = None,
) -> BiasVariance | BiasVarianceCurve:
    """Estimate bias, variance and noise of a learner by fitting it to pairs of disjoint training sets.

    In each round some rows are held out and the others split at random into two halves. A model is fitted to each half
    and predicts the held-out rows. The errors of two models that share no training row have only the bias and the noise
    in common: the mean of their product is bias² + noise, and half the mean squared difference of the two predictions
    is the variance. Bootstrap samples of one training set would count its own variance as bias.

    For classes this is the decomposition of the error rate by Kohavi and Wolpert.

    Parameters
    ----------
    estimator : classifier or regressor
    X, y : table (or its file) and name of its target, or X and the labels or numbers
    n_rounds : int, default 50
        Number of models fitted, two in each round; an odd number is rounded up.
    test_size : float, default 1/3
        Share of the rows held out.
    noise : float, optional
        Known noise, in the unit of ``error``. Otherwise it is estimated: from rows that are equal in every column, and
        for the share of the rows that equal no other from their nearest neighbours, extrapolated to distance 0. Where
        rows are too few or too far apart (text, many columns), bias² and noise are reported together.
    param_name, param_range : str, sequence
        Repeat it for several values of a parameter; the result then has ``plot()``.
    n_jobs : int or None
        Threads.
    random_state : int or None
        Seed of the splits and of the models.

    Returns
    -------
    BiasVariance or BiasVarianceCurve

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> parts = vaglio.bias_variance(vaglio.CARTClassifier(), X, y, n_rounds=10, random_state=0)
    >>> abs(parts.error - (parts.bias + parts.variance + parts.noise)) < 1e-12
    True
    """
    if n_rounds < 2:
        raise InputError(
            "too-few-rounds", "n_rounds is {n_rounds}; variance needs at least 2 models.", n_rounds=n_rounds
        )
    rows = MemoryRows.of_arrays(X, y, task=task_of_model(estimator))
    inputs, truth = rows.X, rows.y
    if param_name is not None:
        options: dict[str, Any] = {"n_rounds": n_rounds, "test_size": test_size, "noise": noise, "n_jobs": n_jobs}
        parts = [
            bias_variance(
                clone(estimator).set_params(**{param_name: v}), inputs, truth, random_state=random_state, **options
            )
            for v in param_range
        ]
        return BiasVarianceCurve(param_name, tuple(param_range), tuple(parts))  # type: ignore[arg-type]
    numbers = rows.task == "regression"
    with as_own_errors():  # text among numbers
        classes = None if numbers else np.unique(truth)
    estimate = estimate_noise(inputs, truth, numbers) if noise is None else Noise(float(noise), "given")
    seeds = np.random.default_rng(random_state).integers(2**32, size=-(-n_rounds // 2))
    with warning_once():
        fit = warning_as_here(_pair)
        pairs = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(fit)(estimator, inputs, truth, test_size, classes, int(seed)) for seed in seeds
        )
    factor = 1.0 if numbers else 0.5
    common, variance = (factor * float(np.mean([pair[part] for pair in pairs])) for part in (0, 1))
    return BiasVariance(
        common + variance,
        common - estimate.value,
        variance,
        estimate.value,
        2 * len(seeds),
        estimate.source,
        pairs[0][2],
    )


def _pair(
    estimator: Estimator, X: TableLike, y: np.ndarray, test_size: float, classes: Any, seed: int
) -> tuple[float, float, int]:
    """Fit to two disjoint training sets; return the mean product of the errors, the variance, and their rows."""
    random = np.random.default_rng(seed)
    known, unseen = train_test_split(
        np.arange(num_samples(X)), test_size=test_size, random_state=int(random.integers(2**31))
    )
    half = len(known) // 2
    if half < 1:
        raise InputError(
            "too-few-rows-for-pairs", "{n} rows are too few for two training sets and test rows.", n=len(y)
        )
    truth, rows = _as_columns(y[unseen], classes), safe_indexing(X, unseen)
    predicted = []
    for sample in (known[:half], known[half : 2 * half]):
        model = clone(estimator)
        if "random_state" in model.get_params(deep=False):
            model.set_params(random_state=int(random.integers(2**31)))
        model.fit(safe_indexing(X, np.sort(sample)), y[np.sort(sample)])
        predicted.append(_as_columns(model.predict(rows), classes))
    first, second = predicted
    common = ((first - truth) * (second - truth)).sum(axis=1).mean()
    return float(common), float(((first - second) ** 2).sum(axis=1).mean() / 2), half


def _as_columns(labels: np.ndarray, classes: np.ndarray | None) -> np.ndarray:
    """One column per class with 1 for the class of the row; one column for numbers."""
    if classes is None:
        return np.asarray(labels, dtype=np.float64)[:, None]
    return np.asarray(np.equal(np.asarray(labels)[:, None], classes), dtype=np.float64)


class Noise(NamedTuple):
    """The estimate, and where it comes from; the source is empty if the noise cannot be told from the bias."""

    value: float
    source: str


def estimate_noise(X: TableLike, y: np.ndarray, numbers: bool) -> Noise:
    """Estimate the noise from equal rows, and from neighbours for the rows that equal no other, each by its share."""
    matrix = Codebook.learn(X).encode(X)
    if matrix.sparse is not None or matrix.text:
        return Noise(0.0, "")
    # As columns, squared differences of two rows are those of the 0/1 indicators of their classes.
    truth = y.astype(np.float64)[:, None] if numbers else np.equal(y[:, None], np.unique(y)).astype(np.float64)
    factor = 1.0 if numbers else 0.5
    group, size = _groups(matrix)
    single = size[group] == 1
    share = float(single.mean())
    repeated = 0.0 if share == 1 else factor * _within(truth[~single], group[~single])
    if share == 0:
        return Noise(repeated, "equal rows")
    near = _between_neighbours(matrix, truth, single)
    if near is None:
        # Too few or too distant rows: what the equal rows show is known of their own share only.
        return Noise(repeated, "equal rows") if share <= 0.5 else Noise(0.0, "")
    source = "neighbours" if share == 1 else "equal rows and neighbours"
    return Noise((1 - share) * repeated + share * factor * near, source)


def _groups(matrix: EncodedMatrix) -> tuple[np.ndarray, np.ndarray]:
    """Return the group of equal rows each row belongs to, and the sizes of the groups."""
    cells = np.hstack([np.nan_to_num(matrix.numeric, nan=np.inf), matrix.codes])
    group = np.unique(cells, axis=0, return_inverse=True)[1].ravel()
    return group, np.bincount(group)


def _within(truth: np.ndarray, group: np.ndarray) -> float:
    """Unbiased variance of the truth within the groups, averaged over the rows."""
    group = np.unique(group, return_inverse=True)[1]
    size = np.bincount(group)
    total = 0.0
    for column in truth.T:
        mean = np.bincount(group, column) / size
        spread = np.bincount(group, (column - mean[group]) ** 2) / (size - 1)
        total += float(np.average(spread, weights=size))
    return total


def _between_neighbours(matrix: EncodedMatrix, truth: np.ndarray, single: np.ndarray) -> float | None:
    """Return the variance of the truth at distance 0, or None if no row is near another."""
    rows = np.flatnonzero(single)
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MOST_ROWS)).astype(np.int64))]
    if len(rows) < LEAST_ROWS:
        return None
    points = DenseEncoder.learn(matrix).transform(matrix)
    points = np.asarray(points, dtype=np.float64)[rows]
    known = truth[rows]
    from sklearn.neighbors import NearestNeighbors  # imports half of scikit-learn, which few need here

    search = NearestNeighbors(n_neighbors=NEIGHBOURS).fit(points)
    distance, index = search.kneighbors()
    far = (distance**2).mean(axis=0)
    half = np.array([0.5 * ((known - known[index[:, p]]) ** 2).sum(axis=1).mean() for p in range(NEIGHBOURS)])
    if far[0] > NEAR**2 * far[-1]:
        return None
    slope, at_zero = np.polyfit(far, half, 1)
    # Disagreement that falls with the distance is chance: then the mean over all ten is the better estimate.
    return float(np.clip(at_zero, 0.0, half[0])) if slope > 0 else float(half.mean())


@checked
def majority_vote_error(error: float | Sequence[float], n_learners: int | None = None) -> float:
    """Return the probability that most of several independent learners are wrong.

    Parameters
    ----------
    error : float or sequence of float
        One error for all learners, or one per learner.
    n_learners : int, optional
        Number of learners, if ``error`` is one number. A tie of the votes counts half.

    Returns
    -------
    float

    Examples
    --------
    >>> from vaglio.evaluation import majority_vote_error
    >>> round(majority_vote_error(1 / 3, 3) * 27, 10)
    7.0
    """
    if isinstance(error, Real):
        if n_learners is None or n_learners < 1:
            raise InputError(
                "no-learners",
                "n_learners is {n_learners}; it must be at least 1.",
                n_learners=n_learners,
            )
        errors = np.full(n_learners, float(error))
    else:
        errors = np.asarray(error, dtype=np.float64)
    if errors.size == 0 or not ((errors >= 0) & (errors <= 1)).all():
        raise InputError("error-out-of-range", "Every error must be a probability between 0 and 1.")
    wrong = np.ones(1)  # probability of 0, 1, … wrong learners so far
    for e in errors:
        wrong = np.convolve(wrong, [1 - e, e])
    half = len(errors) / 2
    counts = np.arange(len(wrong))
    return float(wrong[counts > half].sum() + 0.5 * wrong[counts == half].sum())
