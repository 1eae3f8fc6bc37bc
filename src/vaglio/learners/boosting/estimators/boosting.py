"""What boosting for classes and boosting for numbers share: parameters, configuration, rounds, going on."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import field, replace
from itertools import combinations
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from vaglio import _core
from vaglio.encode import EncodedMatrix, guarded_from
from vaglio.engines.passes import Passes, TableSummary
from vaglio.engines.row_samples import EncodedRows
from vaglio.errors import InputError
from vaglio.learners.boosting.estimators.columns import BoostingColumns
from vaglio.learners.boosting.estimators.rounds import (
    BoostingTask,
    Chosen,
    RoundScore,
    by_folds,
    by_holdout,
    is_large,
    more_trainers,
)
from vaglio.learners.boosting.estimators.summed import SummedEstimator, on_grid_of
from vaglio.learners.boosting.model import Boosted, forest_of, joined, mean_of
from vaglio.learners.boosting.passes import boost_in_passes
from vaglio.learners.inputs import believed_columns
from vaglio.learners.monotonicity import monotonic_directions, position_of
from vaglio.learners.parameters import COUNT, COUNT_FROM_2, NOT_NEGATIVE, POSITIVE, SHARE, estimator
from vaglio.learners.trees.model.tree import Tree
from vaglio.runtime.seeds import seed_of
from vaglio.typing import MonotonicConstraints, RandomState, SequenceNotStr

if TYPE_CHECKING:
    pass

FOLDS = 5
# Rows for which a numeric column gets one bin more.
_ROWS_PER_BIN = 8
# Models of all rows that are averaged, where folds choose the rounds.
_MODELS = 3
# Columns that a split chooses from at least, if there are so many.
_FEWEST_COLUMNS = 10
# Nominal columns of more values are tested as numbers, too, if that is asked for.
_MANY_VALUES = 10


@estimator
class BoostingEstimator(SummedEstimator):
    """What boosting for classes and boosting for numbers share.

    Parameters
    ----------
    learning_rate : float or "auto"
        Factor of every tree. "auto" takes smaller steps on smaller tables, where more rounds cost little: 0.05 up to
        10,000 rows, 0.1 above.
    max_iter : int
        Most rounds; early stopping may end before. Each round has one tree, or one per class if there are more than
        two.
    max_leaf_nodes : int, "auto" or None
        Most leaves of a tree. "auto" is a third of the root of the number of rows, from 8 up to 31: small tables do not
        tell many columns' interplay from chance.
    max_depth : int or None
        Most tests on a path; None sets no limit.
    min_samples_leaf : int or "auto"
        Fewest rows in a leaf. "auto" is a hundredth of the rows, from 2 up to 20.
    l2_regularization : float
        Draws the values of leaves towards zero, most where a leaf has few rows.
    max_features : float or "auto"
        Share of the columns that each split chooses from, drawn at random. "auto" is half of them, but ten at least:
        of a few columns, every one left out may be the one that counts.
    subsample : float
        Share of the rows that each round learns from, drawn at random.
    refit_leaves : bool
        Whether leaves take their values from all rows, not only from those that the round has drawn: the others had no
        part in the choice of the tests, so that their residuals are honest.
    growth : {"leaf", "level"}
        Which node is split next: that of the largest gain, or one level after the other.
    max_bins : int or "auto"
        Most intervals that a numeric column is cut into, up to 65,000; missing values have their own. "auto" is one for
        eight rows, from 32 up to 255: finer ones take time and tell no more.
    high_cardinality : float or None
        For nominal columns of more than ten values that also have more values than this share of the rows: of a column
        that tells less than chance does on average no sets of values are tested, and what chance alone would gain from
        so many values is taken off the gain of the others. None takes every gain as it is.
    ordered_categories : {"auto"}, bool or int
        Whether nominal columns are also tested as numbers: the mean target of the rows of the same category that come
        before, in random orders which the rounds take turns with. "auto" takes the columns of many values that tell
        something, but in part by chance (``reliability_``). True takes all columns of more than ten values, a whole
        number those of more values than that.
    monotonic_cst : dict, array-like of int or None
        1 makes the prediction rise with a column, -1 makes it fall, 0 leaves it free: per column, or by name. Of two
        classes, it is the probability of the second. A boolean column counts as 0 and 1.
    interaction_cst : {"pairwise", "no_interactions"}, sequence of sets or None
        Columns that may occur together on a path: sets of positions or names; columns in no set form one more set.
    early_stopping : {"auto", "folds"} or bool
        How the number of rounds is chosen. "folds": by the mean loss over five folds; then all rows are learned from.
        True: by a part of the rows that is held out. False: all ``max_iter`` rounds. "auto" is "folds" up to 10,000
        rows, True above.
    scoring : str, callable or None
        What the number of rounds is chosen by: "loss", the name of one of scikit-learn's scores, or a function of
        (estimator, X, y). None is the score of the estimator: accuracy, or R².
    n_models : int or "auto"
        Models of the rows learned from whose scores are averaged; each draws rows and columns of its own. The loss of
        the mean is never above the mean of their losses. "auto" is 3 where folds choose the rounds, else 1.
    average_folds : bool
        Whether the models of the folds that chose the rounds, which are there already, are averaged with them.
    validation_fraction : float
        Share of the rows that is held out.
    n_iter_no_change : int
        Rounds without a better loss after which the search ends.
    tol : float
        Smallest decrease of the loss that counts; of numbers that are predicted by the squared or absolute error or a
        quantile, as a share of the loss before the first round, so that their unit does not matter; for the losses
        poisson and gamma y is divided by its mean.
    warm_start : bool
        Whether another call of ``fit`` goes on with the trees that are there, up to ``max_iter`` rounds. The rounds are
        then those that are asked for, of one model: nothing is averaged.

    Attributes
    ----------
    n_iter_ : int
        Number of rounds of each model.
    n_trees_per_iteration_ : int
        Trees of each round: one per output of each model.
    n_models_ : int
        Number of models that were averaged, those of the folds included; round by round, they take turns.
    do_early_stopping_ : bool
        Whether the number of rounds was chosen by rows held out, as a part or in folds.
    is_categorical_ : ndarray of shape (n_features,) or None
        Which columns are nominal; None if none is.
    train_score_ : ndarray of shape (rounds + 1,)
        With early stopping: the negative loss of the rows learned from, after 0, 1, … rounds; for the losses poisson
        and gamma, of y divided by its mean.
    validation_score_ : ndarray of shape (rounds + 1,)
        The same of the rows held out. With ``scoring``, both hold that score.
    estimators_ : list of list of Tree
        The trees of each round, one per output of each model; their values are scores.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the gain of all splits.
    reliability_ : dict of str to float
        For each nominal column of many values, the share of its information beyond chance (``high_cardinality``); a
        column of 0 is left out, and one that tells less than chance on average is only tested as numbers.
    """

    _learner_id = "gradient-boosting"
    _scales_weights: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "learning_rate": [*POSITIVE, StrOptions({"auto"})],
        "max_iter": COUNT,
        "max_leaf_nodes": [*COUNT_FROM_2, StrOptions({"auto"}), None],
        "max_depth": [*COUNT, None],
        "min_samples_leaf": [*COUNT, StrOptions({"auto"})],
        "l2_regularization": NOT_NEGATIVE,
        "max_features": [*SHARE, StrOptions({"auto"})],
        "subsample": SHARE,
        "refit_leaves": ["boolean"],
        "growth": [StrOptions({"leaf", "level"})],
        "max_bins": [Interval(Integral, 2, 65000, closed="both"), StrOptions({"auto"})],
        "high_cardinality": [*NOT_NEGATIVE, None],
        "ordered_categories": ["boolean", StrOptions({"auto"}), Interval(Integral, 2, None, closed="left")],
        "monotonic_cst": ["array-like", dict, None],
        "interaction_cst": [list, tuple, StrOptions({"pairwise", "no_interactions"}), None],
        "early_stopping": ["boolean", StrOptions({"auto", "folds"})],
        "scoring": [str, callable, None],
        "n_models": [*COUNT, StrOptions({"auto"})],
        "average_folds": ["boolean"],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
        "n_iter_no_change": COUNT,
        "tol": NOT_NEGATIVE,
        "warm_start": ["boolean"],
    }

    learning_rate: float | Literal["auto"] = field(default="auto", kw_only=False)
    max_iter: int = 500
    max_leaf_nodes: int | Literal["auto"] | None = "auto"
    max_depth: int | None = None
    min_samples_leaf: int | Literal["auto"] = "auto"
    l2_regularization: float = 1.0
    max_features: float | Literal["auto"] = "auto"
    subsample: float = 0.7
    refit_leaves: bool = False
    growth: Literal["leaf", "level"] = "leaf"
    max_bins: int | Literal["auto"] = "auto"
    high_cardinality: float | None = 0.0
    ordered_categories: bool | int | Literal["auto"] = "auto"
    monotonic_cst: MonotonicConstraints = None
    interaction_cst: SequenceNotStr[Collection[str | int]] | Literal["pairwise", "no_interactions"] | None = None
    early_stopping: bool | Literal["auto", "folds"] = "auto"
    scoring: str | Callable[[Any, Any, Any], float] | None = "loss"
    n_models: int | Literal["auto"] = "auto"
    average_folds: bool = True
    validation_fraction: float = 0.1
    n_iter_no_change: int = 20
    tol: float = 1e-7
    warm_start: bool = False
    unseen: Literal["missing", "error"] = "missing"
    random_state: RandomState = None
    n_jobs: int | None = None

    n_iter_: int = field(init=False)
    n_models_: int = field(init=False)
    train_score_: np.ndarray = field(init=False)
    validation_score_: np.ndarray = field(init=False)

    def _is_small(self, n: int) -> bool:
        return not is_large(n)

    def _boost_in_passes(self, facts: TableSummary) -> Passes:
        return boost_in_passes(self, facts)

    def _boost(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Boosted:
        loss, link, outputs = self._kernel_loss()
        seed = seed_of(self.random_state)
        if self._scales_weights:
            weight = on_grid_of(weight)
        believed = believed_columns(self, matrix, y, weight)
        columns = BoostingColumns(matrix, believed, self._ordered(matrix), self._targets(y, outputs), weight, seed)
        task = BoostingTask(
            columns.table_of(self._most_bins(len(y)), **self._binning(weight)),
            loss,
            np.asarray(y, dtype=np.float64),
            outputs,
            weight,
            columns.config(self._config(matrix, len(y), seed, loss)),
            float(getattr(self, "quantile", None) or 0.5),
            self._round_score(link, y, weight),
        )
        before = model_before(self, matrix, link, outputs)
        self.n_models_ = 1
        if before is not None:
            return self._go_on(task, before, matrix, columns)
        chosen = self._rounds(task, seed, matrix.threads)
        trainer, learned = chosen.trainer, chosen.watched[0].training if chosen.watched else np.arange(len(y))
        if trainer is None:
            learned = np.arange(len(y))
            trainer = task.trainer(learned)
            trainer.advance(chosen.rounds)
        self.n_iter_ = chosen.rounds
        self.train_score_, self.validation_score_ = -chosen.training_losses, -chosen.validation_losses
        learners = [(trainer, learned), *self._more_models(task, chosen, learned, matrix.threads)]
        self.n_models_ = len(learners)
        models = [columns.model_of(one, rows, chosen.rounds * outputs, link) for one, rows in learners]
        return self._tempered(mean_of(models, matrix.features), chosen, columns, y, weight)

    def _more_models(
        self, task: BoostingTask, chosen: Chosen, learned: np.ndarray, threads: int
    ) -> list[tuple[Any, np.ndarray]]:
        """Return trainers that the first one is averaged with, and the rows of each."""
        if self.warm_start:
            return []
        by_folds = chosen.trainer is None and len(chosen.watched) > 0
        wanted = (_MODELS if by_folds else 1) if isinstance(self.n_models, str) else int(self.n_models)
        more = [(one, learned) for one in more_trainers(task, learned, chosen.rounds, wanted - 1, threads)]
        folds = [(one.trainer, one.training) for one in chosen.watched] if by_folds and self.average_folds else []
        return more + folds

    def _tempered(
        self, model: Boosted, chosen: Chosen, columns: BoostingColumns, y: np.ndarray, weight: np.ndarray | None
    ) -> Boosted:
        """Return the model as it is kept."""
        return model

    def _tempered_by(self, model: Boosted, rows: EncodedRows | None) -> Boosted:
        """Return the same for rows that were held out somewhere else."""
        return model

    def _targets(self, y: np.ndarray, outputs: int) -> np.ndarray:
        """Return what means of categories are taken of, (n, T)."""
        return np.asarray(y, dtype=np.float64)[:, None]

    def _ordered(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the nominal columns that are also tested as numbers."""
        asked = self.ordered_categories
        if isinstance(asked, str):
            # Wholly believed columns have no entry.
            reliability: dict[str, float] = getattr(self, "reliability_", {})
            partly = [j for j in matrix.nominal_features if reliability.get(matrix.features[j].name, 0.0) > 0]
            return np.array(partly, dtype=np.int64)
        most = np.inf if asked is False else _MANY_VALUES if asked is True else int(asked)
        found: np.ndarray = matrix.nominal_features[matrix.n_categories > most]
        return found

    def _round_score(self, link: str, y: np.ndarray, weight: np.ndarray | None) -> RoundScore | None:
        if isinstance(self.scoring, str) and self.scoring == "loss":
            return None
        classes = getattr(self, "classes_", None)
        given = y * self._unit if classes is None else classes[y]
        return RoundScore(self.scoring, link, given, classes, weight, self._unit)

    def _rounds(self, task: BoostingTask, seed: int, threads: int) -> Chosen:
        n, most, small = len(task.y), self.max_iter, not is_large(len(task.y))
        how = self.early_stopping
        if how == "auto":
            how = False if self.warm_start else "folds" if small else True
        if task.classes and len(np.unique(task.y)) < 2:
            return Chosen(1, np.empty(0), np.empty(0))  # nothing to tell apart
        if how is False or n < 2 * FOLDS:  # of a handful of rows none can be spared
            return Chosen(most, np.empty(0), np.empty(0))
        if how == "folds":
            return by_folds(task, FOLDS, most, self.n_iter_no_change, self.tol, seed % 2**32, threads)
        return by_holdout(task, self.validation_fraction, most, self.n_iter_no_change, self.tol, seed % 2**32)

    def _config(self, matrix: EncodedMatrix, n: int, seed: int, loss: str) -> _core.BoostingConfig:
        names = [feature.name for feature in matrix.features]
        rate, fewest, share = self.learning_rate, self.min_samples_leaf, self.max_features
        if isinstance(share, str):
            share = max(0.5, min(1.0, _FEWEST_COLUMNS / matrix.n_features))
        return _core.BoostingConfig(
            learning_rate=(0.1 if is_large(n) else 0.05) if isinstance(rate, str) else float(rate),
            min_samples_leaf=min(20, max(2, n // 100)) if isinstance(fewest, str) else int(fewest),
            max_leaves=self._most_leaves(n),
            max_depth=0 if self.max_depth is None else min(int(self.max_depth), 2**31 - 1),
            l2=float(self.l2_regularization),
            max_features=float(share),
            subsample=float(self.subsample),
            refit=bool(self.refit_leaves),
            level_wise=self.growth == "level",
            guarded_from=guarded_from(self.high_cardinality, matrix.n_rows),
            interactions=interaction_groups(self.interaction_cst, names),
            monotonic=monotonic_directions(self.monotonic_cst, matrix.features, len(getattr(self, "classes_", ()))),
            middle_of_gaps=self._middle_of_gaps,
            seed=seed,
            n_threads=matrix.threads,
        )

    def _most_leaves(self, n: int) -> int:
        if isinstance(self.max_leaf_nodes, str):
            return int(np.clip(np.sqrt(n) / 3, 8, 31))
        return 0 if self.max_leaf_nodes is None else min(int(self.max_leaf_nodes), 2**31 - 1)

    def _most_bins(self, n: int) -> int:
        return int(np.clip(n // _ROWS_PER_BIN, 32, 255)) if isinstance(self.max_bins, str) else int(self.max_bins)

    # Whether a threshold lies in the middle of the bins that hold no row of a node, as in exact trees.
    _middle_of_gaps: ClassVar[bool] = True

    def _binning(self, weight: np.ndarray | None) -> dict[str, Any]:
        """Return which rows decide where bins end, and by which weight: nothing for all rows alike."""
        return {}

    def _go_on(self, task: BoostingTask, before: Boosted, matrix: EncodedMatrix, columns: BoostingColumns) -> Boosted:
        temperature = getattr(self, "temperature_", 1.0)
        before = before.scaled(temperature).shifted(-np.log(self._unit))
        trainer = task.trainer(np.arange(len(task.y)), start=before.raw(matrix).T, first=before.rounds)
        trainer.advance(self.max_iter - before.rounds)
        self.n_iter_ = self.max_iter
        self.train_score_ = self.validation_score_ = np.empty(0)
        if self.max_iter > before.rounds:
            more = forest_of(trainer, matrix.features, sources=columns.sources_of(None))
            before = replace(before, forest=joined(before.forest, more, matrix.features))
        return before.scaled(1 / temperature)

    # -- the fitted model --------------------------------------------------------------------------------------------
    @property
    def _boosted(self) -> Boosted:
        model = self.fitted_.model
        assert isinstance(model, Boosted)
        return model

    @property
    def n_trees_per_iteration_(self) -> int:
        """Trees of each round."""
        return self._boosted.outputs * self.n_models_

    @property
    def do_early_stopping_(self) -> bool:
        """Whether the number of rounds was chosen by rows held out."""
        return len(self.validation_score_) > 0

    @property
    def is_categorical_(self) -> np.ndarray | None:
        """Which columns are nominal; None if none is."""
        nominal = np.array([feature.is_nominal for feature in self.fitted_.codebook.features])
        return nominal if nominal.any() else None

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each column in the gain of all splits."""
        return self._boosted.importances

    @property
    def estimators_(self) -> list[list[Tree]]:
        """The trees of each round, each as a model of its own: its values are scores."""
        features, model = self.fitted_.codebook.features, self._boosted
        width = self.n_trees_per_iteration_
        return [
            [model.forest.tree(i + k, features) for k in range(width)] for i in range(0, model.forest.n_trees, width)
        ]

    def apply(self, X: Any) -> np.ndarray:
        """Return the leaf of each row in each tree: its number within the tree.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_trees)
        """
        leaves: np.ndarray = self._boosted.apply(self._encode(X)) - self._boosted.forest.starts[:-1]
        return leaves


def model_before(estimator: BoostingEstimator, matrix: EncodedMatrix, link: str, outputs: int) -> Boosted | None:
    """Return the model to go on with; None where a new one is learned.

    Parameters
    ----------
    estimator : BoostingEstimator
    matrix : EncodedMatrix
        The rows of this fit.
    link : str
    outputs : int
        What the model of this fit has.
    """
    if not estimator.warm_start:
        return None
    if estimator.n_models not in ("auto", 1):
        raise InputError(
            "warm-start-of-mean",
            "warm_start continues a single model, but n_models={n_models} averages several. Set n_models=1.",
            n_models=estimator.n_models,
        )
    fitted = getattr(estimator, "fitted_", None)
    if fitted is None:
        return None
    averaged = getattr(estimator, "n_models_", 1)
    if averaged > 1:
        raise InputError(
            "warm-start-after-mean",
            "warm_start continues a single model, but the previous fit averaged {n_models}. Use a "
            "new estimator with warm_start=True from its first fit.",
            n_models=averaged,
        )
    model = fitted.model
    assert isinstance(model, Boosted)
    same = fitted.codebook.features == matrix.features and model.link == link and model.outputs == outputs
    now = getattr(estimator, "classes_", None)
    if not same or (fitted.classes is not None and now is not None and fitted.classes.tolist() != now.tolist()):
        raise InputError(
            "warm-start-other-table",
            "warm_start needs the columns and classes of the previous fit. Use a new estimator.",
        )
    if estimator.max_iter < model.rounds:
        raise InputError(
            "warm-start-rounds",
            "max_iter={max_iter}, but the model already has {rounds} rounds. With warm_start, ask "
            "for more rounds, or use a new estimator.",
            max_iter=estimator.max_iter,
            rounds=model.rounds,
        )
    return model


def interaction_groups(given: object, names: list[str]) -> list[list[int]]:
    """Return the sets of columns that may meet on a path; nothing when all may."""
    if given is None:
        return []
    everything = range(len(names))
    if isinstance(given, str):
        size = 1 if given == "no_interactions" else 2
        return [list(group) for group in combinations(everything, min(size, len(names)))]
    kinds = (list, tuple, set, frozenset)
    if not isinstance(given, kinds) or not all(isinstance(group, kinds) for group in given):
        raise InputError(
            "interaction-constraints",
            "Interaction constraints must be a sequence of tuples or lists, each with columns that may interact.",
        )
    groups = [sorted({position_of(item, names, "interaction_cst") for item in group}) for group in given]
    rest = sorted(set(everything).difference(*groups))
    return groups + ([rest] if rest else [])
