"""k nearest neighbours: the training rows are stored, and the most similar ones vote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from matplotlib.axes import Axes
from scipy import sparse as sp
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.engines.passes import Passes, TableSummary
from vaglio.engines.row_samples import bytes_of_rows
from vaglio.errors import DataWarning, InputError, NotSupportedError, as_own_errors, warn
from vaglio.learners.estimator import VaglioClassifier, VaglioEstimator, VaglioRegressor
from vaglio.learners.inputs import (
    check_labels,
    check_numbers,
    check_same_length,
    check_weight,
    check_X,
    gathered_rows,
    learn_column_reliability,
    within_range,
)
from vaglio.learners.neighbors.model import (
    METRICS,
    PAIRWISE,
    SEARCHES,
    VOTES,
    Neighbors,
    class_sums,
    codes_of_absence,
)
from vaglio.learners.neighbors.passes import (
    OutOfCoreNeighbors,
    refuse_folds,
    refuse_out_of_core,
    reliability_of,
    typical_differences,
    write_rows,
)
from vaglio.learners.parameters import COUNT, POSITIVE, estimator
from vaglio.learners.rules.forms.text import rule_text
from vaglio.learners.rules.model.rule import Rule
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.learners.trees.model.grower import grow_tree
from vaglio.learners.trees.model.rules import rules_of_tree
from vaglio.learners.trees.model.tree import Tree
from vaglio.messages.locale import Locale
from vaglio.messages.message import text
from vaglio.plot.evaluation import Curve, draw_band, draw_curves
from vaglio.plot.style import MUTED, PALETTE, axes_for, draws_names
from vaglio.runtime.arguments import checked
from vaglio.typing import ClassWeight, ColumnLike, CrossValidation, RandomState, TableLike

# Rows whose neighbours are searched: more would take long on a large table and choose the same K.
MOST_QUERIES = 5000
# Enough rows for a split to mean something: more than vote, far fewer than all.
NEIGHBORHOOD = 50
# Other names of metrics, as scikit-learn has them.
_SYNONYMS = {"l1": "manhattan", "cityblock": "manhattan", "l2": "euclidean"}

# The names that scikit-learn has for them too.
_MetricName = Literal[
    "minkowski",
    "euclidean",
    "l2",
    "manhattan",
    "l1",
    "cityblock",
    "chebyshev",
    "cosine",
    "hamming",
    "braycurtis",
    "canberra",
    "correlation",
    "haversine",
    "jaccard",
    "sqeuclidean",
]


@dataclass(frozen=True)
class NeighborsCurve:
    """Validation score against the number of neighbours.

    Attributes
    ----------
    n_neighbors : int64 (m,)
        1, 2, …, m.
    scores : float64 (m, folds)
        Accuracy of each fold; for numbers the negative mean squared error.
    """

    n_neighbors: np.ndarray
    scores: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """Mean score of each K over the folds."""
        mean: np.ndarray = self.scores.mean(axis=1)
        return mean

    @property
    def best(self) -> int:
        """The K of the highest mean score; of equal ones the smallest."""
        return int(self.n_neighbors[np.argmax(self.mean)])

    @draws_names
    def plot(self, ax: Axes | None = None) -> Any:
        """Draw the curve with one standard error around it; return the axes."""
        ax = axes_for(ax)
        error = self.scores.std(axis=1) / np.sqrt(self.scores.shape[1])
        draw_band(ax, self.n_neighbors, self.mean - error, self.mean + error, PALETTE[0])
        draw_curves(ax, [Curve(self.n_neighbors, self.mean)], xlabel="neighbours K", ylabel="validation score")
        ax.axvline(self.best, color=MUTED, linestyle="--", linewidth=1.2)
        return ax


def neighbors_curve(
    model: Neighbors | OutOfCoreNeighbors, largest: int, cv: CrossValidation, seed: Any, threads: int
) -> NeighborsCurve:
    """Score every K from 1 to ``largest`` on held-out folds of the stored rows; of many rows, on a part of a fold."""
    target = model.read_targets() if isinstance(model, OutOfCoreNeighbors) else model.target
    with as_own_errors():
        splits = [
            (np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
            for train, test in _splitter(target, model.n_classes, cv, seed).split(target, target)
        ]
    if not splits:
        raise InputError("no-folds", "cv has no splits. Give a number of folds or at least one pair of rows.")
    step = max(1, -(-sum(len(test) for _, test in splits) // MOST_QUERIES))
    largest = min(largest, *(len(train) for train, _ in splits))
    scores = []
    for train, test in splits:
        scores.append(_scores(*model.hold_out(train, test[::step], largest, threads)))
    return NeighborsCurve(np.arange(1, largest + 1), np.array(scores).T)


def _splitter(target: np.ndarray, n_classes: int, cv: CrossValidation, seed: Any) -> Any:
    if not isinstance(cv, Integral):
        return check_cv(cv)
    folds = min(int(cv), len(target))
    if n_classes:
        rarest = int(np.bincount(target, minlength=n_classes).min())
        if rarest >= 2:
            return StratifiedKFold(min(folds, rarest), shuffle=True, random_state=seed)
    return KFold(folds, shuffle=True, random_state=seed)


def _scores(asked: Neighbors, targets: np.ndarray, distances: np.ndarray, weights: np.ndarray) -> list[float]:
    """Score the rows that are asked for by the first of their neighbours, by the first two, and so on."""
    weight = asked.weight / asked.weight.max() if asked.weight.size else None
    scores = []
    for k in range(1, targets.shape[1] + 1):
        near = targets[:, :k]
        votes = asked.vote_weights(distances[:, :k]) * weights[:, :k]
        if asked.n_classes:
            decided = np.argmax(class_sums(near, votes, asked.n_classes), axis=1)
            scores.append(float(np.average(decided == asked.target, weights=weight)))
        else:
            guess = (near * votes).sum(axis=1) / votes.sum(axis=1)
            scores.append(-float(np.average((guess - asked.target) ** 2, weights=weight)))
    return scores


@dataclass(frozen=True, eq=False)
class LocalTree:
    """The neighbourhood of a row, read as a tree.

    Attributes
    ----------
    rows : int64 (k,)
        The training rows it was grown on, nearest first.
    distances : float64 (k,)
    tree : Tree
    rules : RuleSet
        One rule per leaf.
    rule : Rule
        The one the row meets.
    """

    rows: np.ndarray
    distances: np.ndarray
    tree: Tree
    rules: RuleSet
    rule: Rule

    @checked
    def to_text(self, lang: str = "en") -> str:
        """Return the neighbourhood and its rules as lines a person reads.

        Parameters
        ----------
        lang : str, default="en"
            The language of the text: ``"en"`` or ``"it"``.
        """
        locale = Locale(lang)
        head = locale.say(
            "Among the {n:,} nearest rows (up to a distance of {distance:.4g}), the row meets:",
            n=len(self.rows),
            distance=float(self.distances[-1]),
        )
        rule = locale.text(rule_text(self.rule))
        return f"{head}\n  {rule}\n{locale.say('All rules:')}\n{self.rules}"

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__


def grow_local_tree(
    model: Neighbors,
    case: EncodedMatrix,
    features: tuple[Feature, ...],
    classes: np.ndarray | None,
    n_neighbors: int = NEIGHBORHOOD,
    max_depth: int = 3,
) -> LocalTree:
    """Grow a tree on the training rows nearest to one row; every leaf holds a tenth of them at least.

    Parameters
    ----------
    model : Neighbors
    case : EncodedMatrix
        The one row.
    features : tuple of Feature
    classes : ndarray or None
        Class labels; None for numbers.
    n_neighbors : int
        How many training rows make the neighbourhood.
    max_depth : int
        Tests on a path: with more, the rule of the row is no longer read at a glance.
    """
    rows, distances = model.nearest(case, n_neighbors)
    near = model.of_rows(rows[0])
    weight = near.weight / near.weight.max() if near.weight.size else None
    config = _core.TreeConfig(
        criterion="gini" if model.n_classes else "squared_error",
        nominal_split="subset",
        missing="learned",  # missing values go to the branch that makes the split better
        max_depth=max_depth,
        min_rows_leaf=max(1.0, near.n_rows / 10),
    )
    tree = grow_tree(near.stored(features), near.target, model.n_classes, weight, config)
    rules = rules_of_tree(tree, features, classes)
    rule = max(rules, key=lambda rule: float(rule.match(case)[0]))
    return LocalTree(rows[0], distances[0], tree, rules, rule)


@estimator
class _NeighborsEstimator(VaglioEstimator):
    """What the classifier and the regressor share.

    Parameters
    ----------
    n_neighbors : int or "cv"
        Number of neighbours K. "cv" tries every K up to ``max_neighbors`` by cross-validation (on 5000 rows of a larger
        table); the scores are in ``curve_``. The command line takes "cv".
    weights : {"uniform", "distance", "squared_distance"}, callable or None
        The vote of a neighbour at distance d: 1, 1/d or 1/d²; a neighbour at distance 0 decides alone. A function
        takes the array of distances and returns an array of weights. None is "uniform".
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}
        How the neighbours are searched; all ways find the same neighbours. There is no ball tree: it stands for "auto".
    metric : {"minkowski", "euclidean", "manhattan", "chebyshev", "cosine", "hamming"}, another name or callable
        How differences become a distance. "l1" and "cityblock" are "manhattan", "l2" is "euclidean". "braycurtis",
        "canberra", "correlation", "haversine", "jaccard" and "sqeuclidean" are those of scikit-learn: they need
        complete numbers and look at all pairs of rows. A function takes two encoded rows (numbers, then category
        codes).
    p : float
        Power of Minkowski's metric.
    preprocess : {"auto"} or None
        "auto" divides differences of numbers by the typical difference of two training rows in their column, √2 times
        the standard deviation; None takes them as they are.
    max_neighbors : int
        Largest K that ``n_neighbors="cv"`` tries.
    cv : int, splitter or iterable
        Folds of ``n_neighbors="cv"``.
    random_state : int, RandomState or None
        Seed of the folds of ``n_neighbors="cv"``.

    Attributes
    ----------
    n_neighbors_ : int
        The number of neighbours that is used.
    curve_ : NeighborsCurve
        With ``n_neighbors="cv"``: accuracy against K; the negative mean squared error for numbers.
    reliability_ : dict of str to float
        For each nominal column of many values, the share of its information beyond chance (``high_cardinality``); a
        column of 0 has no effect.
    """

    _learner_id = "knn"
    _gathered_share = 2
    _writes_out_sparse: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [*COUNT, StrOptions({"cv"})],
        "weights": [StrOptions(set(VOTES)), callable, None],
        "algorithm": [StrOptions({*SEARCHES, "ball_tree"})],
        "metric": [StrOptions({*METRICS, *PAIRWISE, *_SYNONYMS}), callable],
        "p": POSITIVE,
        "max_neighbors": COUNT,
        "cv": ["cv_object"],
    }

    n_neighbors: int | Literal["cv"] = field(default=5, kw_only=False)
    weights: Literal["uniform", "distance", "squared_distance"] | Callable[[np.ndarray], np.ndarray] | None = "uniform"
    algorithm: Literal["auto", "brute", "kd_tree", "ball_tree"] = "auto"
    metric: _MetricName | Callable[[np.ndarray, np.ndarray], float] = "minkowski"
    p: float = 2
    preprocess: Literal["auto"] | None = "auto"
    high_cardinality: float | None = 0.0
    max_neighbors: int = 30
    cv: CrossValidation = 10
    random_state: RandomState = 0
    n_jobs: int | None = None

    n_neighbors_: int = field(init=False)
    curve_: NeighborsCurve = field(init=False)

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Neighbors:
        self._refuse_columns(matrix.codes.shape[1] > 0 or matrix.has_missing)
        scale = self._scale(lambda: (matrix.numeric,), matrix.numeric.shape[1])
        how = self._without_rows(matrix.features, scale, learn_column_reliability(self, matrix, y, weight))
        held = np.empty(0) if weight is None else weight
        model = replace(how, numeric=matrix.numeric_rows, codes=matrix.code_rows, target=y, weight=held)
        self.n_neighbors_ = self._choose(model, matrix.threads)
        return replace(model, k=self.n_neighbors_)

    def _scale(self, parts: Callable[[], Iterable[np.ndarray]], columns: int) -> np.ndarray:
        """Return the divisor of each column of numbers."""
        return typical_differences(parts, columns) if self.preprocess == "auto" else np.ones(columns)

    def _without_rows(self, features: Sequence[Feature], scale: np.ndarray, reliability: np.ndarray) -> Neighbors:
        """Return how distances and votes are measured, as a model that holds no rows yet."""
        metric, power = self._metric()
        return Neighbors(
            numeric=np.empty((0, len(scale))),
            codes=np.empty((0, len(reliability)), dtype=np.int32),
            target=np.empty(0),
            weight=np.empty(0),
            scale=scale,
            n_classes=len(getattr(self, "classes_", ())),
            k=1,
            metric=metric,
            power=power,
            vote="uniform" if self.weights is None else self.weights,
            search="auto" if self.algorithm == "ball_tree" else self.algorithm,
            absent=codes_of_absence(features),
            reliability=None if (reliability == 1).all() else reliability,
        )

    def _passes(self, facts: TableSummary) -> Passes:
        if bytes_of_rows(facts) <= self._gathered_share * facts.memory:
            rows = yield from gathered_rows(facts)
            return self._learn(rows.matrix, rows.y, rows.weight)
        features = facts.codebook.features
        self._refuse_columns(bool(facts.missing.any()) or any(feature.is_nominal for feature in features))
        if self.n_neighbors == "cv":
            refuse_folds(facts)
        files = yield from write_rows(facts)
        scale = self._scale(lambda: (part.numeric for part in files.parts()), len(facts.low))
        how = self._without_rows(features, scale, reliability_of(self, files, facts))
        self.n_neighbors_ = self._choose(OutOfCoreNeighbors(files, how), facts.threads)
        return OutOfCoreNeighbors(files, replace(how, k=self.n_neighbors_))

    def _scaled(self, weight: np.ndarray) -> np.ndarray:
        # Only proportions matter to a vote, but rows that are added later must find those held as they were given.
        return weight

    def _choose(self, model: Neighbors | OutOfCoreNeighbors, threads: int) -> int:
        if self.n_neighbors != "cv":
            if self.n_neighbors > model.n_rows:
                warn(
                    DataWarning(
                        "more-neighbors-than-rows",
                        "{k:,} neighbors are asked for, but there are {n:,} training {n:row|rows}: all of them vote on "
                        "every row. Use a smaller n_neighbors.",
                        k=int(self.n_neighbors),
                        n=model.n_rows,
                    )
                )
            return int(self.n_neighbors)
        if model.n_rows < 2:
            return 1
        self.curve_ = neighbors_curve(model, self.max_neighbors, self.cv, self.random_state, threads)
        return self.curve_.best

    def _metric(self) -> tuple[Any, float]:
        """Minkowski's metric by the name of its power, where that has one of its own."""
        named = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}
        if self.metric == "minkowski" and self.p in named:
            return named[self.p], 2.0
        metric = _SYNONYMS.get(self.metric, self.metric) if isinstance(self.metric, str) else self.metric
        return metric, float(self.p) if metric == "minkowski" else 2.0

    def _refuse_columns(self, incomplete: bool) -> None:
        if self.metric in ("cosine", *PAIRWISE) and incomplete:
            raise NotSupportedError(
                "metric-needs-numbers",
                "The metric {metric!r} needs numbers without missing values. Use metric='minkowski' for "
                "nominal columns or missing values.",
                metric=self.metric,
            )

    def partial_fit(self, X: TableLike, y: ColumnLike, *, sample_weight: ColumnLike | None = None) -> Self:
        raise NotImplementedError

    def add(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> Self:
        """Add rows to those held, without learning again.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes or numbers of the rows.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts, on the scale of the rows held: without weights these count 1.

        Returns
        -------
        self
        """
        check_is_fitted(self, "fitted_")
        return self.partial_fit(X, y, sample_weight=sample_weight)

    @checked
    def kneighbors(
        self, X: TableLike | None = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Find the nearest training rows.

        Parameters
        ----------
        X : frame, Table or array, optional
            Rows whose neighbours are searched; without it the training rows, of which none is its own neighbour.
        n_neighbors : int, optional
            By default that of the model.
        return_distance : bool

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            Only with ``return_distance=True``.
        rows : ndarray of shape (n_queries, n_neighbors)
            Positions of training rows that count, nearest first; equal distances in the order of the rows.
        """
        check_is_fitted(self, "fitted_")
        matrix = None if X is None else self._encode(X)
        k = self.n_neighbors_ if n_neighbors is None else n_neighbors
        rows, distances = self._model.nearest(matrix, k, self._threads())
        return (distances, rows) if return_distance else rows

    @checked
    def kneighbors_graph(
        self, X: TableLike | None = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> Any:
        """Return the neighbours as a sparse matrix, queries by training rows.

        Parameters
        ----------
        X : frame, Table or array, optional
            Rows whose neighbours are searched; without it the training rows, of which none is its own neighbour.
        n_neighbors : int, optional
            By default that of the model.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether an entry is 1 or the distance.

        Returns
        -------
        csr_matrix of shape (n_queries, n_samples)
        """
        if mode not in ("connectivity", "distance"):
            raise InputError(
                "invalid-graph-mode", "mode must be 'connectivity' or 'distance', not {mode!r}.", mode=mode
            )
        distances, rows = self.kneighbors(X, n_neighbors)
        values = np.ones(rows.size) if mode == "connectivity" else distances.ravel()
        starts = np.arange(len(rows) + 1) * rows.shape[1]
        return sp.csr_matrix((values, rows.ravel(), starts), shape=(len(rows), self._model.n_rows))

    @checked
    def local_tree(self, row: Any, *, n_neighbors: int = NEIGHBORHOOD, max_depth: int = 3) -> LocalTree:
        """Grow a small tree on the training rows nearest to one row, and find the rule the row meets.

        Parameters
        ----------
        row : frame, Table or array of one row (or a plain sequence of numbers)
        n_neighbors : int
            Rows it is grown on: more rows than vote, so that both sides of a class boundary are among them.
        max_depth : int

        Returns
        -------
        LocalTree
            With ``rows``, ``distances``, ``tree``, ``rules`` and ``rule``.
        """
        if n_neighbors < 1 or max_depth < 0:
            raise InputError("local-tree-size", "n_neighbors must be at least 1, and max_depth at least 0.")
        if isinstance(row, np.ndarray) or (
            isinstance(row, (list, tuple)) and not any(isinstance(r, dict) for r in row)
        ):
            with as_own_errors():  # ragged lists
                row = np.atleast_2d(row)
        case = self._encode(row)
        if case.n_rows != 1:
            raise InputError(
                "local-tree-of-one-row",
                "local_tree explains one row, but X has {n_rows}. Give a single row.",
                n_rows=case.n_rows,
            )
        codebook, classes = self.fitted_.codebook, self.fitted_.classes
        return grow_local_tree(self._model, case, codebook.features, classes, n_neighbors, max_depth)

    @property
    def _model(self) -> Any:
        model = self.fitted_.model
        assert isinstance(model, (Neighbors, OutOfCoreNeighbors))
        return model

    def _hold(self, model: Neighbors, classes: np.ndarray | None) -> Self:
        self.fitted_ = replace(self.fitted_, model=model, classes=classes)
        return self

    def _encode_added(self, X: TableLike) -> EncodedMatrix:
        """Encode rows to be held, so that the codebook knows their categories too."""
        if isinstance(self._model, OutOfCoreNeighbors):
            refuse_out_of_core(text("add rows"))
        codebook = self.fitted_.codebook.extended(check_X(self, X, reset=False))
        self.fitted_ = replace(self.fitted_, codebook=codebook)
        return self._encode(X)


@estimator
class KNeighborsClassifier(VaglioClassifier, _NeighborsEstimator):
    """Classification by the k nearest training rows.

    The search is exact. Differences of numbers are divided by what is typical of their column, categories that differ
    and missing values count as a difference of 1 (less in a nominal column of many values: ``high_cardinality``), and
    the metric joins the differences; equal distances are ranked in the order of the rows. A tie of the votes goes to
    the first class.

    Examples
    --------
    >>> from vaglio import KNeighborsClassifier
    >>> model = KNeighborsClassifier(3).fit([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"])
    >>> model.predict([[2.5]]).tolist()
    ['low']
    """

    class_weight: ClassWeight = None

    def partial_fit(
        self, X: TableLike, y: ColumnLike, classes: Any = None, sample_weight: ColumnLike | None = None
    ) -> Self:
        """Add rows to those held; the first call fits.

        Ranges and the number of neighbours stay as the first rows gave them; new categories and missing values are held
        as they are.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like, optional
            Labels that later rows may have; otherwise a label is added when it is first seen.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        self._refuse_parts()
        if not hasattr(self, "fitted_"):
            self.fit(X, y, sample_weight)
            return self if classes is None else self._with_classes(np.unique(classes))
        matrix = self._encode_added(X)
        labels, codes = check_labels(y, self)
        check_same_length(matrix, codes)
        self._with_classes(labels)
        target = np.searchsorted(self.classes_, labels)[codes]
        weight = self._weight_of_chunk(X, target, sample_weight)
        return self._hold(self._model.adding(matrix, target, weight, len(self.classes_)), self.classes_)

    def _with_classes(self, labels: np.ndarray) -> Self:
        """Let the model know these labels too."""
        joined = np.union1d(self.classes_, labels)
        target = np.searchsorted(joined, self.classes_)[self._model.target]
        self.classes_ = joined
        return self._hold(replace(self._model, target=target, n_classes=len(joined)), joined)


@estimator
class KNeighborsRegressor(VaglioRegressor, _NeighborsEstimator):
    """Prediction of a number: the mean of the k nearest rows, weighted by their votes.

    Examples
    --------
    >>> from vaglio import KNeighborsRegressor
    >>> model = KNeighborsRegressor(2).fit([[1.0], [2.0], [8.0], [9.0]], [1.0, 2.0, 8.0, 9.0])
    >>> model.predict([[1.4]]).tolist()
    [1.5]
    """

    def partial_fit(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> Self:
        """Add rows to those held; the first call fits.

        Ranges and the number of neighbours stay as the first rows gave them; new categories and missing values are held
        as they are.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Numbers to predict.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        if not hasattr(self, "fitted_"):
            return self.fit(X, y, sample_weight)
        matrix, numbers = self._encode_added(X), check_numbers(y, self)
        check_same_length(matrix, numbers)
        weight = check_weight(sample_weight, X, matrix.n_rows)
        weight = None if weight is None else within_range(weight)
        return self._hold(self._model.adding(matrix, numbers, weight, 0), None)
