"""What boosting for classes and boosting for numbers share: parameters, configuration, rounds, going on."""

from __future__ import annotations

from dataclasses import field, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from vaglio import _core
from vaglio.encode import EncodedMatrix, guarded_from
from vaglio.errors import InputError
from vaglio.learn._parameters import COUNT, COUNT_FROM_2, NOT_NEGATIVE, POSITIVE, SHARE, estimator
from vaglio.learn.ensembles._boosting_constraints import interaction_groups, monotonic_directions
from vaglio.learn.ensembles.boosting_rounds import BoostingTask, Chosen, by_folds, by_holdout
from vaglio.learn.estimator import VaglioEstimator
from vaglio.learn.inputs import believed_columns
from vaglio.model.ensembles.boosted import Boosted
from vaglio.model.ensembles.boosted_trees import forest_of, joined
from vaglio.model.trees.tree import Tree, kernel_features
from vaglio.runtime.seeds import seed_of

# Up to so many rows the number of rounds is chosen by folds, and all rows are learned from; above, a tenth is held out.
ROWS_FOR_FOLDS = 10_000
FOLDS = 5


@estimator
class BoostingEstimator(VaglioEstimator):
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
    max_features : float
        Share of the columns that each split chooses from, drawn at random.
    subsample : float
        Share of the rows that each round learns from, drawn at random.
    max_bins : int
        Most intervals that a numeric column is cut into; missing values have their own.
    nominal_guard : float or None
        For nominal columns of more than ten values that also have more values than this share of the rows: a column of
        which tells less than chance does on average is left out, and what chance alone would gain from so
        many values is taken off the gain of the others. None takes every gain as it is.
    monotonic_cst : dict, array-like of int or None
        1 makes the prediction rise with a column, -1 makes it fall, 0 leaves it free: per column, or by name. Of two
        classes, it is the probability of the second.
    interaction_cst : {"pairwise", "no_interactions"}, sequence of sets or None
        Columns that may occur together on a path: sets of positions or names; columns in no set form one more set.
    early_stopping : {"auto", "folds"} or bool
        How the number of rounds is chosen. "folds": by the mean loss over five folds; then all rows are learned from.
        True: by a part of the rows that is held out. False: all ``max_iter`` rounds. "auto" is "folds" up to 10,000
        rows, True above.
    validation_fraction : float
        Share of the rows that is held out.
    n_iter_no_change : int
        Rounds without a better loss after which the search ends.
    tol : float
        Smallest decrease of the loss that counts.
    warm_start : bool
        Whether another call of ``fit`` goes on with the trees that are there, up to ``max_iter`` rounds. The rounds are
        then those that are asked for.

    Attributes
    ----------
    n_iter_ : int
        Number of rounds of the model.
    train_score_ : ndarray of shape (rounds + 1,)
        With early stopping: the negative loss of the rows learned from, after 0, 1, … rounds.
    validation_score_ : ndarray of shape (rounds + 1,)
        The same of the rows held out.
    estimators_ : list of list of Tree
        The trees of each round, one per output; their values are scores.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the gain of all splits.
    reliability_ : dict of str to float
        For each nominal column of many values, the part of what it tells that is beyond chance (``nominal_guard``); a
        column of 0 is left out, and so is one that tells less than chance on average.
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
        "max_features": SHARE,
        "subsample": SHARE,
        "max_bins": [Interval(Integral, 2, 65000, closed="both")],
        "nominal_guard": [*NOT_NEGATIVE, None],
        "monotonic_cst": ["array-like", dict, None],
        "interaction_cst": [list, tuple, StrOptions({"pairwise", "no_interactions"}), None],
        "early_stopping": ["boolean", StrOptions({"auto", "folds"})],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
        "n_iter_no_change": COUNT,
        "tol": NOT_NEGATIVE,
        "warm_start": ["boolean"],
    }

    learning_rate: float | str = field(default="auto", kw_only=False)
    max_iter: int = 500
    max_leaf_nodes: int | str | None = "auto"
    max_depth: int | None = None
    min_samples_leaf: int | str = "auto"
    l2_regularization: float = 1.0
    max_features: float = 0.5
    subsample: float = 0.7
    max_bins: int = 255
    nominal_guard: float | None = 0.0
    monotonic_cst: Any = None
    interaction_cst: Any = None
    early_stopping: bool | str = "auto"
    validation_fraction: float = 0.1
    n_iter_no_change: int = 20
    tol: float = 1e-7
    warm_start: bool = False
    unseen: str = "missing"
    random_state: Any = None
    n_jobs: int | None = None

    n_iter_: int = field(init=False)
    train_score_: np.ndarray = field(init=False)
    validation_score_: np.ndarray = field(init=False)

    def _kernel_loss(self) -> tuple[str, str, int]:
        """Return the loss in the kernel's words, the link, and the number of outputs."""
        raise NotImplementedError

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Boosted:
        try:
            model = self._boost(matrix, y, weight)
        except OverflowError:
            model = None
        if model is None or not model.is_bounded:
            raise InputError(
                "The sums of the trees grow beyond all numbers: choose a smaller learning_rate, or divide the numbers "
                "to be predicted, or the weights, by a large number."
            )
        return model

    def _boost(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Boosted:
        loss, link, outputs = self._kernel_loss()
        seed = seed_of(self.random_state)
        table = _core.bin_table(
            matrix.numeric,
            matrix.codes,
            *kernel_features(matrix.features),
            max_bins=self.max_bins,
            seed=seed,
            n_threads=matrix.threads,
            **self._binning(weight),
        )
        task = BoostingTask(
            table,
            loss,
            np.asarray(y, dtype=np.float64),
            outputs,
            weight,
            self._config(matrix, len(y), seed, loss) | {"interactions": self._groups(matrix, y, weight)},
            float(getattr(self, "quantile", None) or 0.5),
        )
        before = self._model_before(matrix, link, outputs)
        if before is not None:
            return self._go_on(task, before, matrix)
        chosen = self._rounds(task, seed, matrix.threads)
        trainer = chosen.trainer
        if trainer is None:
            trainer = task.trainer(np.arange(len(y)))
            trainer.advance(chosen.rounds)
        self.n_iter_ = chosen.rounds
        self.train_score_, self.validation_score_ = -chosen.training_losses, -chosen.validation_losses
        return Boosted(forest_of(trainer, matrix.features, chosen.rounds * outputs), trainer.baseline, link)

    def _rounds(self, task: BoostingTask, seed: int, threads: int) -> Chosen:
        n, most, small = len(task.y), self.max_iter, len(task.y) <= ROWS_FOR_FOLDS
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

    def _config(self, matrix: EncodedMatrix, n: int, seed: int, loss: str) -> dict[str, Any]:
        names = [feature.name for feature in matrix.features]
        nominal = [feature.is_nominal for feature in matrix.features]
        rate, fewest = self.learning_rate, self.min_samples_leaf
        return {
            "learning_rate": (0.05 if n <= ROWS_FOR_FOLDS else 0.1) if isinstance(rate, str) else float(rate),
            "min_samples_leaf": min(20, max(2, n // 100)) if isinstance(fewest, str) else int(fewest),
            "max_leaves": self._most_leaves(n),
            "max_depth": 0 if self.max_depth is None else int(self.max_depth),
            "l2": float(self.l2_regularization),
            "max_features": float(self.max_features),
            "subsample": float(self.subsample),
            "guarded_from": guarded_from(self.nominal_guard, matrix.n_rows),
            "monotonic": monotonic_directions(self.monotonic_cst, names, nominal, loss),
            "middle_of_gaps": self._middle_of_gaps,
            "seed": seed,
            "n_threads": matrix.threads,
        }

    def _groups(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> list[list[int]]:
        """Return the sets of columns that may meet on a path: a column in no set is not tested."""
        groups = interaction_groups(self.interaction_cst, [feature.name for feature in matrix.features])
        kept = believed_columns(self, matrix, y, weight).tolist()
        if len(kept) == matrix.n_features:
            return groups
        return [both for group in groups if (both := sorted(set(group).intersection(kept)))] or [kept]

    def _most_leaves(self, n: int) -> int:
        if isinstance(self.max_leaf_nodes, str):
            return int(np.clip(np.sqrt(n) / 3, 8, 31))
        return 0 if self.max_leaf_nodes is None else int(self.max_leaf_nodes)

    # Whether a threshold lies in the middle of the bins that hold no row of a node, as in exact trees.
    _middle_of_gaps: ClassVar[bool] = True

    def _binning(self, weight: np.ndarray | None) -> dict[str, Any]:
        """Return which rows decide where bins end, and by which weight: nothing for all rows alike."""
        return {}

    def _model_before(self, matrix: EncodedMatrix, link: str, outputs: int) -> Boosted | None:
        """Return the model to go on with."""
        fitted = getattr(self, "fitted_", None)
        if not self.warm_start or fitted is None:
            return None
        model = fitted.model
        if fitted.codebook.features != matrix.features or model.link != link or model.outputs != outputs:
            raise InputError("warm_start needs the columns and classes of the fit before: use a new estimator.")
        if self.max_iter < model.rounds:
            raise InputError(
                f"max_iter is {self.max_iter}, but the model has {model.rounds} rounds already: with warm_start ask "
                "for more, or use a new estimator."
            )
        assert isinstance(model, Boosted)
        return model

    def _go_on(self, task: BoostingTask, before: Boosted, matrix: EncodedMatrix) -> Boosted:
        trainer = task.trainer(np.arange(len(task.y)), start=before.raw(matrix).T, first=before.rounds)
        trainer.advance(self.max_iter - before.rounds)
        self.n_iter_ = self.max_iter
        self.train_score_ = self.validation_score_ = np.empty(0)
        if self.max_iter == before.rounds:
            return before
        return replace(before, forest=joined(before.forest, forest_of(trainer, matrix.features), matrix.features))

    @property
    def _boosted(self) -> Boosted:
        model = self.fitted_.model
        assert isinstance(model, Boosted)
        return model

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each column in the gain of all splits."""
        return self._boosted.importances

    @property
    def estimators_(self) -> list[list[Tree]]:
        """The trees of each round, each as a model of its own: its values are scores."""
        features, model = self.fitted_.codebook.features, self._boosted
        return [
            [model.forest.tree(i * model.outputs + k, features) for k in range(model.outputs)]
            for i in range(model.rounds)
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
