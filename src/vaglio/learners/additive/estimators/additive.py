"""Additive models: one table of scores per column and per pair of columns, boosted a small step at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature, guarded_from
from vaglio.engines.passes import Passes, TableSummary
from vaglio.learners.additive.estimators.bags import (
    DEALT_ROWS,
    Bagged,
    deal_bags,
    mean_model,
    most_steps,
    settle,
    slot_weights,
)
from vaglio.learners.additive.estimators.pairs import (
    PairPlan,
    best_pairs,
    excluded_terms,
    group_columns,
    joint_weight,
    pair_tables,
    rows_to_screen,
)
from vaglio.learners.additive.model.additive import Additive, slot_starts
from vaglio.learners.additive.passes import boost_in_passes
from vaglio.learners.boosting.estimators.summed import (
    SummedClassifier,
    SummedEstimator,
    SummedRegressor,
    finite_losses,
    on_grid_of,
)
from vaglio.learners.inputs import believed_columns
from vaglio.learners.monotonicity import monotonic_directions
from vaglio.learners.parameters import COUNT, COUNT_FROM_2, NOT_NEGATIVE, SHARE, estimator
from vaglio.learners.trees.model.tree import kernel_features
from vaglio.runtime.seeds import seed_of
from vaglio.typing import ClassWeight, MonotonicConstraints, RandomState, SequenceNotStr

# Rounds between two looks at the rows kept out.
_INTERVAL = 5
# Up to so many rows a step has one cut.
_FEW_ROWS = 10_000


@estimator
class AdditiveEstimator(SummedEstimator):
    """What additive models for classes and for numbers share.

    Parameters
    ----------
    max_bins : int
        Most intervals that a numeric column is cut into; missing values have their own.
    max_interaction_bins : int
        Most intervals or categories of a column in a pair; fewer on small tables.
    interactions : int, float, str or sequence of pairs
        How many pairs of columns get a term: a number, a multiple of the number of columns (1.0, "1x"), or the pairs
        themselves, by name or position. Those that lower the loss most beyond their columns are taken. If the rows kept
        out gain nothing from them, there is none.
    exclude : sequence or None
        Columns and pairs without a term: names, positions, or pairs of these.
    validation_size : float
        Share of the rows that each bag keeps out, to find the number of rounds. With 0, all ``max_rounds`` are made.
    outer_bags : int
        Number of bags: models learned without some of the rows, whose mean is the model and whose spread is the band
        around each term.
    learning_rate : float
        Factor of every step.
    max_rounds : int
        Most rounds; in each, every term takes a step.
    early_stopping_rounds : int
        Rounds without a lower loss of the rows kept out after which the search ends. The number of rounds is the same
        for all bags.
    early_stopping_tolerance : float
        Smallest decrease of the loss that counts, as a share of the loss before the first round.
    min_samples_leaf : int
        Fewest rows on each side of a cut.
    min_hessian : float
        Least sum of second derivatives on each side of a cut.
    reg_lambda : float
        Draws steps towards zero, most where they rest on few rows.
    cat_smooth : float
        Draws categories of few rows towards the middle when they are sorted by what they tell.
    max_leaves : int or "auto"
        Most intervals, or sets of categories, of one step. "auto" is 2 up to 10,000 rows and 3 above, where steps of
        one cut would take too many rounds.
    high_cardinality : float or None
        For nominal columns of more than ten values that also have more values than this share of the rows: a column
        that tells less than chance does on average has no term, and steps of the others count only what they gain
        beyond chance. None takes every column as it is.
    monotonic_cst : dict, array-like of int or None
        1 makes the prediction rise with a column, -1 makes it fall, 0 leaves it free: per column, or by name. Of two
        classes, it is the probability of the second. A boolean column counts as 0 and 1. A bound column has no pairs.

    Attributes
    ----------
    n_iter_ : int
        Rounds of the columns.
    best_iteration_ : tuple of (int, int)
        Rounds of the columns and of the pairs.
    validation_score_ : ndarray
        The negative mean loss of the rows kept out, after every five rounds of the columns; the start first.
    term_names_ : list of str
        Columns, and pairs as ``"a & b"``.
    term_features_ : list of tuple of int
        The columns of each term.
    term_scores_ : list of ndarray
        What each term adds: one number per slot or per cell, with one axis more where there are more than two classes.
        The last slot of a column is that of missing values.
    standard_deviations_ : list of ndarray
        The standard deviation of the same numbers over the bags.
    bin_weights_ : list of ndarray
        Weight of the training rows in the same cells.
    intercept_ : ndarray
        Where each score starts.
    feature_importances_ : ndarray of shape (n_features,)
        How much each column moves the score on average; a pair counts half for each of its columns.
    reliability_ : dict of str to float
        For each nominal column of many values, the share of its information beyond chance (``high_cardinality``).
    """

    _learner_id = "additive"
    _scales_weights: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_bins": [Interval(Integral, 2, 65000, closed="both")],
        "max_interaction_bins": [Interval(Integral, 2, 254, closed="both")],
        "interactions": [Interval(Real, 0, None, closed="left"), str, list, tuple],
        "exclude": [list, tuple, None],
        "validation_size": [Interval(Real, 0.0, 0.5, closed="both")],
        "outer_bags": COUNT,
        "learning_rate": SHARE,
        "max_rounds": COUNT,
        "early_stopping_rounds": COUNT,
        "early_stopping_tolerance": NOT_NEGATIVE,
        "min_samples_leaf": COUNT,
        "min_hessian": NOT_NEGATIVE,
        "reg_lambda": NOT_NEGATIVE,
        "cat_smooth": NOT_NEGATIVE,
        "max_leaves": [*COUNT_FROM_2, StrOptions({"auto"})],
        "monotonic_cst": ["array-like", dict, None],
    }

    max_bins: int = field(default=255, kw_only=False)
    max_interaction_bins: int = 32
    interactions: float | str | Sequence[tuple[str | int, str | int]] = "1x"
    exclude: SequenceNotStr[str | int | tuple[str | int, str | int]] | None = None
    validation_size: float = 0.125
    outer_bags: int = 8
    learning_rate: float = 0.05
    max_rounds: int = 15_000
    early_stopping_rounds: int = 50
    early_stopping_tolerance: float = 1e-4
    min_samples_leaf: int = 4
    min_hessian: float = 1e-4
    reg_lambda: float = 1.0
    cat_smooth: float = 10.0
    max_leaves: int | Literal["auto"] = "auto"
    high_cardinality: float | None = 0.0
    monotonic_cst: MonotonicConstraints = None
    unseen: Literal["missing", "error"] = "missing"
    random_state: RandomState = None
    n_jobs: int | None = None

    n_iter_: int = field(init=False)
    best_iteration_: tuple[int, int] = field(init=False)
    validation_score_: np.ndarray = field(init=False)

    def _is_small(self, n: int) -> bool:
        return n <= DEALT_ROWS

    def _boost_in_passes(self, facts: TableSummary) -> Passes:
        return boost_in_passes(self, facts)

    def _boost(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Additive:
        loss, link, outputs = self._kernel_loss()
        seed = seed_of(self.random_state)
        weight = on_grid_of(weight)
        table = self._binned(matrix, seed)
        slots = [table.bins(j) for j in range(matrix.n_features)]
        weights = slot_weights(slots, matrix.features, table.thresholds, weight)
        believed = believed_columns(self, matrix, y, weight)
        config = self._config(matrix.features, matrix.n_rows, believed, loss, weights)
        classes = link in ("logit", "softmax")
        held = deal_bags(y, classes, self.outer_bags, self.validation_size, seed % 2**32)
        target = np.asarray(y, dtype=np.float64)
        trainer = _core.AdditiveTrainer(table, loss, target, outputs, weight, held, config, n_threads=matrix.threads)
        stopping = self._stopping(bool(held.any()), len(np.unique(y)) if classes else None)
        self.validation_score_ = -finite_losses(trainer.boost(stopping))
        self.n_iter_ = trainer.rounds
        groups = group_columns(matrix.features, weights, self.max_interaction_bins, len(y))
        plan = self._pair_plan(matrix.features, config)
        trainer.set_coarse(groups)
        pairs = plan.given
        if pairs is None:
            rows = rows_to_screen(len(plan.compared), len(y), 0, len(y))
            gains = trainer.screen(plan.array, rows) if plan.compared else np.zeros(0)
            pairs = best_pairs(plan.compared, gains, plan.wanted)
        self.best_iteration_ = (self.n_iter_, 0)
        if pairs and stopping.max_rounds > 0:
            trainer.open_pairs(np.array(pairs, dtype=np.uint32))
            trainer.boost(stopping)
            self.best_iteration_ = (self.n_iter_, trainer.rounds)
        pairs = pairs if self.best_iteration_[1] else []
        joint = [joint_weight(slots, groups, a, b, weight) for a, b in pairs]
        return self._mean_model(trainer, matrix.features, table.thresholds, config, (groups, weights, pairs, joint))

    def _mean_model(
        self,
        trained: Any,
        features: tuple[Feature, ...],
        thresholds: list[np.ndarray],
        config: _core.AdditiveConfig,
        of: Any,
    ) -> Additive:
        """Return the mean of the bags that were trained, in memory or in passes."""
        groups, weights, pairs, joint = of
        _, link, _ = self._kernel_loss()
        cut_start = np.cumsum([0, *map(len, thresholds)])
        start = slot_starts(features, cut_start).tolist()
        bagged = Bagged(
            trained.baseline[:, :, 0],
            [trained.features[:, :, a:b].copy() for a, b in pairwise(start)],
            pair_tables(trained.pairs, pairs, groups),
            pairs,
            groups,
            weights,
            joint,
        )
        settled = settle(bagged, link == "softmax", [feature.is_nominal for feature in features])
        cuts = np.concatenate([np.zeros(0), *thresholds])
        return mean_model(settled, link, cuts, cut_start, config.boosted, features)

    def _binned(self, matrix: EncodedMatrix, seed: int) -> Any:
        return _core.bin_table(
            matrix.numeric,
            matrix.codes,
            *kernel_features(matrix.features),
            max_bins=self.max_bins,
            seed=seed,
            n_threads=matrix.threads,
        )

    def _config(
        self, features: tuple[Feature, ...], n_rows: int, believed: Any, loss: str, weights: list[np.ndarray]
    ) -> _core.AdditiveConfig:
        names = [feature.name for feature in features]
        boosted = np.zeros(len(features), dtype=bool)
        boosted[sorted(believed)] = True
        for j, own in enumerate(weights):
            boosted[j] &= (own > 0).sum() > 1
        singles, _ = excluded_terms(self.exclude, names)
        boosted[sorted(singles)] = False
        return _core.AdditiveConfig(
            learning_rate=float(self.learning_rate),
            most_steps=most_steps(n_rows),
            max_leaves=self._most_leaves(n_rows),
            min_samples_leaf=int(self.min_samples_leaf),
            min_hessian=float(self.min_hessian),
            l2=float(self.reg_lambda),
            nominal_smoothing=float(self.cat_smooth),
            guarded_from=guarded_from(self.high_cardinality, n_rows),
            monotonic=monotonic_directions(self.monotonic_cst, features, len(getattr(self, "classes_", ()))),
            boosted=boosted.astype(int).tolist(),
        )

    def _most_leaves(self, n: int) -> int:
        return (2 if n <= _FEW_ROWS else 3) if isinstance(self.max_leaves, str) else int(self.max_leaves)

    def _stopping(self, watched: bool, classes: int | None) -> _core.AdditiveStopping:
        rounds = int(self.max_rounds)
        if classes is not None and classes < 2:
            rounds = 0  # nothing to tell apart
        elif not watched and self.validation_size > 0:
            rounds = min(rounds, int(self.early_stopping_rounds))  # of so few rows none can be kept out
        return _core.AdditiveStopping(
            max_rounds=rounds,
            patience=int(self.early_stopping_rounds),
            tolerance=float(self.early_stopping_tolerance),
            interval=_INTERVAL,
        )

    def _pair_plan(self, features: tuple[Feature, ...], config: _core.AdditiveConfig) -> PairPlan:
        names = [feature.name for feature in features]
        bound = np.array(config.monotonic or [0] * len(names)) != 0
        free = np.flatnonzero(np.array(config.boosted, dtype=bool) & ~bound)
        return PairPlan.of(self.interactions, self.exclude, names, bound, free)

    @property
    def _additive(self) -> Additive:
        model = self.fitted_.model
        assert isinstance(model, Additive)
        return model

    @property
    def term_names_(self) -> list[str]:
        """Columns, and pairs as ``"a & b"``."""
        return [self._additive.name_of(t) for t in range(self._additive.n_terms)]

    @property
    def term_features_(self) -> list[tuple[int, ...]]:
        """The columns of each term."""
        return [tuple(j for j in pair if j >= 0) for pair in self._additive.terms.tolist()]

    def _tables(self, of: str) -> list[np.ndarray]:
        found = [self._additive.table(t, of) for t in range(self._additive.n_terms)]
        return [table[..., 0] if self._additive.outputs == 1 and of != "weights" else table for table in found]

    @property
    def term_scores_(self) -> list[np.ndarray]:
        """What each term adds."""
        return self._tables("scores")

    @property
    def standard_deviations_(self) -> list[np.ndarray]:
        """The standard deviation of what each term adds, over the bags."""
        return self._tables("deviations")

    @property
    def bin_weights_(self) -> list[np.ndarray]:
        """Weight of the training rows in each cell."""
        return self._tables("weights")

    @property
    def intercept_(self) -> np.ndarray:
        """Where each score starts."""
        return self._additive.intercept

    @intercept_.setter
    def intercept_(self, value: object) -> None:
        self.fitted_ = self.fitted_.with_intercept(value)

    @property
    def feature_importances_(self) -> np.ndarray:
        """How much each column moves the score on average."""
        found = np.zeros(self.n_features_in_)
        for size, columns in zip(self._additive.importances(), self.term_features_):
            found[list(columns)] += size / len(columns)
        return found

    def edit(self, term: str | int, action: str, **how: Any) -> Self:
        """Change one term of the fitted model, and return the estimator.

        The keywords are those of ``fitted_.edit``: where, value, direction, label and reason.

        Parameters
        ----------
        term : str or int
            Name or position of the term.
        action : {"flatten", "monotone", "remove", "set"}
        """
        self.fitted_ = self.fitted_.edit(term, action, **how)
        return self

    def term_importances(self) -> np.ndarray:
        """Return how much each term moves the score of a training row: the mean of its absolute value."""
        return self._additive.importances()


@estimator
class ExplainableBoostingClassifier(SummedClassifier, AdditiveEstimator):
    """Additive model for classes: one table of log-odds per column and per pair of columns.

    Boosting goes round the columns; each takes a small step that fits the gradient of the log loss by itself. So the
    model is a sum of one function per column, which can be drawn, checked and changed (``fitted_.edit``). The mean of
    several bags is taken, and their spread is the band around each function.

    Parameters
    ----------
    objective : {"log_loss"}
        What is minimised.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> model = vaglio.ExplainableBoostingClassifier(random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> model.term_names_[:2]
    ['island', 'bill_length_mm']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"objective": [StrOptions({"log_loss"})]}

    objective: Literal["log_loss"] = "log_loss"
    class_weight: ClassWeight = None


@estimator
class ExplainableBoostingRegressor(SummedRegressor, AdditiveEstimator):
    """Additive model for numbers: one table per column and per pair of columns.

    Boosting goes round the columns; each takes a small step that fits the gradient of the loss by itself. So the model
    is a sum of one function per column, which can be drawn, checked and changed (``fitted_.edit``).

    Parameters
    ----------
    objective : {"squared_error", "poisson", "gamma"}
        What is minimised: it gives the mean, or the mean of counts or of positive numbers by its logarithm.

    Examples
    --------
    >>> from vaglio import ExplainableBoostingRegressor
    >>> X = [[float(i)] for i in range(100)]
    >>> model = ExplainableBoostingRegressor(random_state=0).fit(X, [2 * x[0] for x in X])
    >>> bool(90 < model.predict([[50.0]])[0] < 110)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "objective": [StrOptions({"squared_error", "poisson", "gamma"})]
    }

    _loss_name: ClassVar[str] = "objective"
    objective: Literal["squared_error", "poisson", "gamma"] = "squared_error"

    def _kernel_loss(self) -> tuple[str, str, int]:
        return self.objective, "identity" if self.objective == "squared_error" else "log", 1
