"""The names of ``sklearn.ensemble``; forests, bagging, AdaBoost and gradient boosting train vaglio's trees.

How members are drawn, weighed and asked is scikit-learn's own code, so that its numbers are the same; what is trained
is vaglio's: the trees of a forest, and by default those of bagging and AdaBoost.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn import ensemble as theirs
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from vaglio.errors import NotSupportedError
from vaglio.runtime.scikit_learn import num_samples
from vaglio.runtime.seeds import legacy_random_state
from vaglio.sklearn import tree
from vaglio.sklearn._checks import TALKING, TALKS, shared_case, shared_cases, single_precision
from vaglio.sklearn._names import count_case, forward
from vaglio.sklearn._preset import Preset
from vaglio.typing import ColumnLike, RandomState, TableLike

# What is vaglio's; every other name is scikit-learn's.
OWN = (
    "AdaBoostClassifier",
    "BaggingClassifier",
    "BaggingRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
)

__all__, __getattr__, __dir__ = forward(__name__, OWN)

WEIGHTLESS = "sample weights of 0"
_WARM = "warm_start=True with early stopping"
_SCORED = "early stopping by another score than the loss"
_LOSS = "loss is an object"
INFINITE = "infinite numbers in X"
ONE_CLASS = "y of one class"
# Up to so many rows the trees of a forest are asked one after the other: a row takes a fourteenth of the time of
# scikit-learn's threads, 1,000 rows two thirds.
_FEW = 1000


class _Ensemble(Preset):
    """Members by scikit-learn's code; where it would take a tree of its own, one of vaglio."""

    _member: ClassVar[type[tree.TreePreset]]

    # Parameters or attributes of scikit-learn's class.
    estimator_: Any
    estimator_params: tuple[str, ...]
    estimators_: list[Any]

    def fit(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> Self:
        """Train the members, as scikit-learn's class of this name does.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        return self._fit_members(X, y, sample_weight)

    def _fit_members(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None, **fit_params: Any) -> Self:
        """Let scikit-learn's code train copies of the chosen estimator."""
        from vaglio.sklearn._growing import sharing

        with sharing():
            self._let_scikit_learn_fit(X, y, sample_weight, **fit_params)
        return self

    def _let_scikit_learn_fit(
        self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None, **fit_params: Any
    ) -> None:
        # Past the common fit of presets, to scikit-learn's.
        super(Preset, self).fit(X, y, sample_weight=sample_weight, **fit_params)  # type: ignore[misc]

    def _validate_estimator(self, *default: Any) -> None:
        """Choose what members are copies of. A subclass may have its own choice: only scikit-learn's is replaced."""
        super()._validate_estimator(*default)  # type: ignore[misc]
        theirs_own: Any = self._member.__bases__[-1]
        if type(self.estimator_) is theirs_own and not self._was_given():
            self.estimator_ = self._member(**self.estimator_.get_params())

    def _was_given(self) -> bool:
        """Whether the user named the estimator of the members."""
        return self.estimator is not None  # type: ignore[attr-defined]

    def _make_estimator(self, append: bool = True, random_state: RandomState = None) -> Any:
        """Make a member: a tree of plain parameters is made anew, which saves a fifth of a bag of 100 on 150 rows."""
        plain = all(value is None or isinstance(value, (str, int, float)) for value in vars(self.estimator_).values())
        if random_state is None or type(self.estimator_) is not self._member or not plain:
            return super()._make_estimator(append, random_state)  # type: ignore[misc]
        given = {name: getattr(self, name) for name in self.estimator_params}
        # The seed is drawn as scikit-learn does.
        given["random_state"] = legacy_random_state(random_state).randint(np.iinfo(np.int32).max)
        made: Any = self._member
        member = made(**({name: getattr(self.estimator_, name) for name in made._get_param_names()} | given))
        if append:
            self.estimators_.append(member)
        return member

    @property
    def learner_(self) -> Any:
        """The members as one estimator of vaglio; None where they are not vaglio's trees of one target."""
        from vaglio.sklearn._growing import joined

        check_is_fitted(self)
        several = getattr(self, "n_outputs_", 1) > 1
        return None if several or self._has_foreign_trees() or self._shuffles_columns() else joined(self)

    def _has_foreign_trees(self) -> bool:
        ours = (isinstance(member, tree.TreePreset) and member._ours for member in self.estimators_)
        return not all(ours)

    def _shuffles_columns(self) -> bool:
        return any((np.diff(columns) <= 0).any() for columns in getattr(self, "estimators_features_", []))

    def _trained(self) -> Any:
        check_is_fitted(self)
        if self._has_foreign_trees():
            raise NotSupportedError(
                "foreign-trees",
                "Not all members of this {name} are vaglio's trees, so vaglio can neither explain nor "
                "save it. Use vaglio's own class of this name.",
                name=type(self).__name__,
            )
        if any(member.n_outputs_ > 1 for member in self.estimators_):
            raise NotSupportedError(
                "several-targets-of-forest",
                "vaglio explains and saves forests with one target. Fit one estimator per column.",
            )
        if self._shuffles_columns():
            raise NotSupportedError(
                "shuffled-columns",
                "The members drew columns in arbitrary order, so vaglio can neither explain nor save "
                "them. Use vaglio's own class of this name.",
            )
        return self.learner_


class _Bagging(_Ensemble):
    """Bagging, which hands metadata to its members."""

    def fit(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None, **fit_params: Any) -> Self:
        """Train the members, as scikit-learn's class of this name does.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        **fit_params : dict
            Given to the members where metadata routing is enabled.

        Returns
        -------
        self
        """
        return self._fit_members(X, y, sample_weight, **fit_params)


class _Forest(_Ensemble):
    """A forest: the criterion and the targets decide whether vaglio can grow its trees.

    On one thread the trees are grown one after the other, without the parallel loop of scikit-learn, which wraps every
    tree in a task and makes a generator of random numbers for it. scikit-learn's own code still makes the first tree,
    and with it checks what it was given and writes its attributes; the others are made from what it handed to the
    first. So a forest of 100 trees on 150 rows takes half the time, one of 10 trees on 10,000 rows a tenth less.
    """

    bootstrap: bool
    criterion: Any
    n_estimators: int
    n_outputs_: int
    random_state: Any

    def _let_scikit_learn_fit(
        self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None, **fit_params: Any
    ) -> None:
        if self._left_to_scikit_learn(X, y, sample_weight) or not _grows_in_turn(self, sample_weight):
            super()._let_scikit_learn_fit(X, y, sample_weight, **fit_params)
            return
        wanted, self.n_estimators = self.n_estimators, 1
        self._handed: list[Any] = []
        try:
            super()._let_scikit_learn_fit(X, y, sample_weight, **fit_params)
        finally:
            self.n_estimators = wanted
            handed = self.__dict__.pop("_handed")
        self._grow_others(*handed)

    def _make_estimator(self, append: bool = True, random_state: RandomState | None = None) -> Any:
        member = super()._make_estimator(append, random_state)
        if "_handed" in self.__dict__:
            member._handed = self._handed
        return member

    def _was_given(self) -> bool:
        return False  # every forest names scikit-learn's own tree, whose parameters are its own

    def _case(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None) -> str | None:
        made: Any = self._member
        case: str | None = made(criterion=self.criterion)._case(X, y, sample_weight)
        return case

    def _grow_others(self, X: Any, y: Any) -> None:
        """Add the trees that the forest lacks to its first, which was grown on these rows."""
        random = check_random_state(self.random_state)
        if isinstance(self.random_state, Integral):
            random.randint(np.iinfo(np.int32).max)  # the seed of the first tree
        members = [self._make_estimator(append=False, random_state=random) for _ in range(self.n_estimators - 1)]
        n, weight = len(y), None
        for member in members:
            if self.bootstrap:
                weight = np.bincount(legacy_random_state(member.random_state).randint(0, n, n), minlength=n)
            member._fit(X, y, sample_weight=weight, check_input=False)
        self.estimators_ += members

    def _mean_prediction(self, X: TableLike) -> np.ndarray | None:
        """Return the mean of what the trees say; None where scikit-learn's method is to be asked."""
        if "estimators_" not in self.__dict__ or self.n_outputs_ > 1 or getattr(X, "shape", (_FEW + 1,))[0] > _FEW:
            return None
        rows = single_precision(self, X)
        if rows is None:
            return None
        total = np.zeros((len(rows), getattr(self, "n_classes_", 1)))
        for member in self.estimators_:
            total += member.tree_.predict(rows)
        total /= len(self.estimators_)
        return total


def _grows_in_turn(forest: Any, sample_weight: ColumnLike | None) -> bool:
    """Return whether the trees can be grown here: on one thread, by draws that depend on the number of rows alone."""
    own = type(forest).__module__ == __name__  # a subclass may draw rows otherwise
    alone = forest.n_jobs == 1 or (forest.n_jobs is None and effective_n_jobs(None) == 1)
    many = isinstance(forest.n_estimators, Integral) and int(forest.n_estimators) > 1
    unweighted = sample_weight is None and getattr(forest, "class_weight", None) is None
    plain = unweighted and forest.max_samples is None and not any("callbacks" in name for name in vars(forest))
    return own and alone and many and plain and not (forest.warm_start or forest.oob_score or forest.verbose)


class _ClassForest(_Forest):
    """A forest of classes."""

    def predict_proba(self, X: TableLike) -> Any:
        """Return the mean of the probabilities of each class that the trees give to each row of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of them for several outputs
        """
        found = self._mean_prediction(X)
        return super().predict_proba(X) if found is None else found  # type: ignore[misc]


class _NumberForest(_Forest):
    """A forest of numbers."""

    def predict(self, X: TableLike) -> Any:
        """Return the mean of the numbers that the trees give to each row of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        found = self._mean_prediction(X)
        return super().predict(X) if found is None else found[:, 0]  # type: ignore[misc]


class RandomForestClassifier(_ClassForest, theirs.RandomForestClassifier):
    __doc__ = theirs.RandomForestClassifier.__doc__
    _member = tree.DecisionTreeClassifier
    _cases = tree.DecisionTreeClassifier._cases


class RandomForestRegressor(_NumberForest, theirs.RandomForestRegressor):
    __doc__ = theirs.RandomForestRegressor.__doc__
    _member = tree.DecisionTreeRegressor
    _cases = tree.DecisionTreeRegressor._cases


class ExtraTreesClassifier(_ClassForest, theirs.ExtraTreesClassifier):
    __doc__ = theirs.ExtraTreesClassifier.__doc__
    _member = tree.ExtraTreeClassifier
    _cases = tree.ExtraTreeClassifier._cases


class ExtraTreesRegressor(_NumberForest, theirs.ExtraTreesRegressor):
    __doc__ = theirs.ExtraTreesRegressor.__doc__
    _member = tree.ExtraTreeRegressor
    _cases = tree.ExtraTreeRegressor._cases


class BaggingClassifier(_Bagging, theirs.BaggingClassifier):
    __doc__ = theirs.BaggingClassifier.__doc__
    _member = tree.DecisionTreeClassifier


class BaggingRegressor(_Bagging, theirs.BaggingRegressor):
    __doc__ = theirs.BaggingRegressor.__doc__
    _member = tree.DecisionTreeRegressor


class AdaBoostClassifier(_Ensemble, theirs.AdaBoostClassifier):
    __doc__ = theirs.AdaBoostClassifier.__doc__
    _member = tree.DecisionTreeClassifier


class _Boosting(Preset):
    """Gradient boosting: scikit-learn checks and prepares the rows, vaglio grows the trees."""

    _theirs: ClassVar[Any]
    # Which rows are watched is decided as scikit-learn does, before the learner sees them.
    _fixed: ClassVar[dict[str, Any]] = {
        "high_cardinality": None,
        "ordered_categories": False,
        "scoring": "loss",
        "subsample": 1.0,
        "validation_fraction": 0.1,
    }
    _cases: ClassVar[dict[str, str]] = {
        **shared_cases(theirs.HistGradientBoostingClassifier),
        WEIGHTLESS: "scikit-learn counts them where min_samples_leaf asks for more than one row, and their classes",
        _WARM: "scikit-learn goes on from its own binned trees",
        _SCORED: "vaglio stops by the loss",
        _LOSS: "it is an object of scikit-learn",
        **TALKS,
        INFINITE: "vaglio refuses them",
        ONE_CLASS: "there is nothing to learn",
    }

    # Parameters of scikit-learn's class.
    categorical_features: Any
    class_weight: Any = None
    early_stopping: Any
    is_categorical_: Any
    loss: Any
    scoring: Any
    validation_fraction: Any
    verbose: Any
    warm_start: bool
    random_state: Any
    _predictors: Any

    def fit(
        self,
        X: TableLike,
        y: ColumnLike,
        sample_weight: ColumnLike | None = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Grow the trees, as scikit-learn's class of this name does.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        X_val : array-like of shape (n_val, n_features), optional
            Rows to stop by, instead of a part of X.
        y_val : array-like of shape (n_val,), optional
            Their targets.
        sample_weight_val : array-like of shape (n_val,), optional
            Their weights.

        Returns
        -------
        self
        """
        watched = {"X_val": X_val, "y_val": y_val, "sample_weight_val": sample_weight_val}
        self._begin()
        if not self._left_to_scikit_learn(X, y, sample_weight):
            from vaglio.sklearn._histogram_boosting import fit_boosting

            case = fit_boosting(self, X, y, sample_weight, watched)
            if case is None:
                return self
            count_case(self, case)
        if self.__dict__.get("learner_") is not None:
            self.__dict__.pop("_predictors", None)  # scikit-learn cannot go on from vaglio's trees
        return self._fit_theirs(X, y, sample_weight=sample_weight, **watched)

    def _case(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None) -> str | None:
        if not isinstance(self.loss, str):
            return _LOSS
        fitted_by_scikit_learn = "_predictors" in vars(self) and vars(self).get("learner_") is None
        if self.warm_start and (fitted_by_scikit_learn or self._stops_early(num_samples(X))):
            return _WARM
        if self.verbose:
            return TALKING
        if self.scoring != "loss" and self._stops_early(num_samples(X)):
            return _SCORED
        return shared_case(self, sample_weight)

    def _predict_iterations(
        self, X: TableLike, predictors: Any, raw_predictions: Any, is_binned: bool, n_threads: int
    ) -> None:
        """Add what the trees say: all trees of vaglio in one call, in the order in which scikit-learn adds them."""
        whole = predictors is self._predictors and self.is_categorical_ is None
        if is_binned or not whole or self.__dict__.get("learner_") is None:
            super()._predict_iterations(X, predictors, raw_predictions, is_binned, n_threads)  # type: ignore[misc]
            return
        fitted = self.learner_.fitted_
        rows = fitted.codebook.encode(X)
        rows.threads = n_threads
        raw_predictions[...] = fitted.model.raw(rows)

    def _stops_early(self, n: int) -> bool:
        return n > 10_000 if self.early_stopping == "auto" else bool(self.early_stopping)


class HistGradientBoostingClassifier(_Boosting, theirs.HistGradientBoostingClassifier):
    __doc__ = theirs.HistGradientBoostingClassifier.__doc__
    _theirs = theirs.HistGradientBoostingClassifier
    _learner = "vaglio.sklearn._histogram_boosting:BoostedClassifier"
    _fixed: ClassVar[dict[str, Any]] = {**_Boosting._fixed, "class_weight": None, "temperature": 1.0}


class HistGradientBoostingRegressor(_Boosting, theirs.HistGradientBoostingRegressor):
    __doc__ = theirs.HistGradientBoostingRegressor.__doc__
    _theirs = theirs.HistGradientBoostingRegressor
    _learner = "vaglio.sklearn._histogram_boosting:BoostedRegressor"
