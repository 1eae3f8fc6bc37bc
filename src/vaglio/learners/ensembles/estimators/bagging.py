"""Bagging: the same learner on many bootstrap samples, by majority or mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import is_classifier
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import check_is_fitted

from vaglio.encode import Codebook, EncodedMatrix, decode, select_features
from vaglio.engines.passes import Passes, TableSummary
from vaglio.errors import InputError, warning_as_here, warning_once
from vaglio.learners.bases import available_if
from vaglio.learners.ensembles.estimators.members import (
    RoutesMetadata,
    codebook_of,
    fit_member,
    learns_encoded,
    looks_for_words,
    make_member,
)
from vaglio.learners.ensembles.estimators.sampled_trees import (
    Sample,
    grow_drawn,
    grow_members,
    grow_members_in_passes,
    grow_together,
    share_a_table,
    without_rows,
)
from vaglio.learners.ensembles.model import Ensemble, Member
from vaglio.learners.estimator import VaglioClassifier, VaglioEstimator, VaglioRegressor
from vaglio.learners.forest.estimators.ensemble import (
    EnsembleEstimator,
    check_warm_start,
)
from vaglio.learners.parameters import COUNT, COUNT_OR_SHARE, estimator
from vaglio.learners.trees.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from vaglio.learners.trees.estimators.growing import GrowthParameters
from vaglio.messages.message import text
from vaglio.model.base import class_proba
from vaglio.runtime.seeds import seed_of
from vaglio.typing import ClassWeight, Estimator, RandomState, TableLike


@estimator
class _BaggingEstimator(RoutesMetadata, EnsembleEstimator):
    """What bagging of classifiers and of regressors share.

    Parameters
    ----------
    estimator : estimator or None
        The learner of the members: of vaglio, or of any library with scikit-learn's interface. None is a fully grown
        decision tree. Estimators of other libraries get a pandas frame where the columns have names, else an array.
    n_estimators : int
        Number of members.
    max_samples : int or float
        Number or share of the rows drawn for each member.
    bootstrap : bool or "disjoint"
        Draw the rows of each member with replacement. With "disjoint" the rows are divided at random into as many
        groups as there are members, and each member is trained on a group of its own.
    max_features : int or float
        Number or share of the columns drawn for each member.
    bootstrap_features : bool
        Draw the columns of each member with replacement.
    warm_start : bool
        Keep the members of the fit before and add as many as ``n_estimators`` asks for; on the same rows the result is
        that of a fit from the start.

    Attributes
    ----------
    estimators_ : list of estimator
        The fitted members.
    estimators_samples_ : list of ndarray
        The rows that each member was trained on.
    samples_ : list of (Sample, ndarray or None)
        What was drawn for each member, without the rows themselves; and the numbers of the rows, where some were left
        out because they weigh nothing.
    learned_with_ : dict
        What was used in place of parameters that rows outside memory do not allow; exists only after such rows.
    estimators_features_ : list of ndarray
        The columns that each member was trained on.
    oob_score_ : float
        Out-of-bag accuracy, or R² for numbers, or what the function ``oob_score`` says; exists with ``oob_score``.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Of a classifier with ``oob_score``: probabilities by the members that were not trained on the row; NaN for a row
        that all members were trained on, or that has the weight 0.
    oob_prediction_ : ndarray of shape (n_samples,)
        Of a regressor with ``oob_score``: predictions by the members that were not trained on the row, else NaN.
    """

    _learner_id = "bagging"
    _gathers = text("Bagging with these members needs all rows in memory for every sample")
    _writes_out_sparse: ClassVar[bool] = True
    _scales_weights: ClassVar[bool] = True
    _default_estimator: ClassVar[type[VaglioEstimator]]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": COUNT,
        "max_samples": COUNT_OR_SHARE,
        "max_features": COUNT_OR_SHARE,
        "bootstrap": ["boolean", StrOptions({"disjoint"})],
        "bootstrap_features": ["boolean"],
        "warm_start": ["boolean"],
    }

    estimator: Estimator | None = field(default=None, kw_only=False)
    n_estimators: int = field(default=10, kw_only=False)
    max_samples: float = 1.0
    max_features: float = 1.0
    bootstrap: bool | Literal["disjoint"] = True
    bootstrap_features: bool = False
    oob_score: bool | Callable[[np.ndarray, np.ndarray], float] = False
    warm_start: bool = False
    n_jobs: int | None = None
    random_state: RandomState = None

    estimators_: list[Any] = field(init=False)
    samples_: list[tuple[Sample, np.ndarray | None]] = field(init=False)
    learned_with_: dict[str, Any] = field(init=False)
    estimators_features_: list[np.ndarray] = field(init=False)

    @property
    def _vote(self) -> str:
        vote: str = getattr(self, "voting", "mean")  # numbers have no other way
        return vote

    def _looks_for_words(self) -> bool:
        return looks_for_words(self.estimator)

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Ensemble:
        self.__dict__.pop("learned_with_", None)
        return self._learn_members(self._prototype(), matrix, y, weight)

    def _learn_members(
        self, prototype: Any, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None
    ) -> Ensemble:
        self._forget_out_of_bag()
        codebook, classes = codebook_of(self, matrix), getattr(self, "classes_", None)
        kept = self._kept(matrix)
        samples = self._samples(len(kept), matrix.n_rows, matrix.n_features)
        added = [make_member(prototype, sample.seed) for sample in samples]
        if samples and grow_together(prototype, samples):
            members = grow_members(added, samples, codebook, (matrix, y, weight), classes)
        else:
            shared = share_a_table(prototype, samples, matrix)
            if isinstance(prototype, GrowthParameters):
                matrix.ranks()  # those of a sample are found among them
                matrix.reused = shared
            with warning_once():
                fit = warning_as_here(self._fit_sample)
                members = Parallel(n_jobs=matrix.threads, prefer="threads")(
                    delayed(fit)(member, codebook, (matrix, y, weight), sample, shared)
                    for member, sample in zip(added, samples)
                )
        self._keep_members(kept, added, samples, matrix.n_features)
        model = Ensemble((*kept, *members), self._vote, 0 if classes is None else len(classes))
        if self.oob_score:
            self._keep_out_of_bag(*self._predict_unseen(model, matrix, samples), y, text("member"))
        return model

    def _fit_sample(
        self,
        estimator: Estimator,
        codebook: Codebook,
        given: tuple[EncodedMatrix, np.ndarray, np.ndarray | None],
        sample: Sample,
        shared: bool,
    ) -> Member:
        (matrix, y, weight), classes = given, getattr(self, "classes_", None)
        member = grow_drawn(estimator, sample, codebook, given, classes) if shared else None
        if member is not None:
            return member
        rows = sample.rows
        metadata = self._metadata_of("estimator", rows)
        own_weight = None if weight is None else weight[rows]
        as_counts = isinstance(estimator, GrowthParameters) and learns_encoded(estimator)
        if as_counts:
            # A tree must know which rows are the same row again: a value that tells nothing would seem to tell the
            # class.
            rows, counts = np.unique(rows, return_counts=True)
            own_weight = counts.astype(float) if weight is None else counts * weight[rows]
        taken = matrix.take(rows)
        taken.threads = 1
        return fit_member(
            estimator,
            codebook,
            taken,
            y[rows],
            own_weight,
            classes,
            sample.features,
            scaled=as_counts and weight is None,
            metadata=metadata,
        )

    def _keep_members(self, kept: tuple[Member, ...], added: list[Any], samples: list[Sample], width: int) -> None:
        every = np.arange(width)
        drawn = [every if sample.features is None else sample.features for sample in samples]
        self.estimators_ = (self.estimators_ if kept else []) + added
        left_out = samples and self.__dict__.get("_counted") is not None
        numbers = self._row_numbers(np.arange(samples[0].n_rows)) if left_out else None
        self.samples_ = (self.samples_ if kept else []) + [(sample, numbers) for sample in samples]
        self.estimators_features_ = (self.estimators_features_ if kept else []) + drawn

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each member was trained on; they are drawn again."""
        check_is_fitted(self, "fitted_")
        return [sample.rows if numbers is None else numbers[sample.rows] for sample, numbers in self.samples_]

    def _passes(self, facts: TableSummary) -> Passes:
        prototype, self.learned_with_ = without_rows(self._prototype())
        samples = self._samples(0, facts.n_rows, len(facts.codebook.features))
        alone = self.oob_score or (self.warm_start and hasattr(self, "fitted_"))
        if alone or not grow_together(prototype, samples):
            rows = yield from self._gathered(facts)
            return self._learn_members(prototype, rows.matrix, rows.y, rows.weight)
        self._forget_out_of_bag()
        added = [make_member(prototype, sample.seed) for sample in samples]
        members = yield from grow_members_in_passes(added, samples, facts)
        self._keep_members((), added, samples, len(facts.codebook.features))
        return Ensemble(tuple(members), self._vote, facts.n_classes)

    def _kept(self, matrix: EncodedMatrix) -> tuple[Member, ...]:
        """Return the members of the fit before that this one goes on from."""
        if self.warm_start and self.oob_score:
            raise InputError(
                "oob-score-with-warm-start",
                "oob_score needs all members trained on the same rows. Use warm_start=False.",
            )
        fitted = vars(self).get("fitted_")
        if not self.warm_start or fitted is None:
            return ()
        members: tuple[Member, ...] = fitted.model.members
        check_warm_start(self, matrix, len(members), text("members"))
        return members

    def _samples(self, first: int, n: int, width: int) -> list[Sample]:
        """Draw rows and columns for the members from ``first`` on."""
        seed = seed_of(self.random_state)
        draws = _count(self.max_samples, n, "max_samples", text("rows"))
        wanted = _count(self.max_features, width, "max_features", text("columns"))
        groups = self._groups(first, n)
        again = bool(self.bootstrap) and not groups
        return [
            Sample.drawn((seed, i), n, draws, again, wanted, width, self.bootstrap_features, groups)
            for i in range(first, self.n_estimators)
        ]

    def _groups(self, first: int, n: int) -> int:
        """Return into how many disjoint groups the rows are divided; 0 for none."""
        if self.bootstrap != "disjoint":
            return 0
        if first or self.max_samples != 1.0:
            raise InputError(
                "disjoint-with-other-draws",
                "bootstrap='disjoint' divides all rows among the members. Use max_samples=1.0 and warm_start=False.",
            )
        if self.n_estimators > n:
            raise InputError(
                "more-groups-than-rows",
                "bootstrap='disjoint' needs at least one row for each of the {groups:,} members; there are {n:,} rows.",
                groups=self.n_estimators,
                n=n,
            )
        return self.n_estimators

    def _predict_unseen(
        self, model: Ensemble, matrix: EncodedMatrix, samples: list[Sample]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the mean prediction of the members that were not trained on a row, and how many they are."""
        if not self.bootstrap:
            raise InputError(
                "oob-score-without-bootstrap",
                "oob_score needs bootstrap=True: without it few rows or none are out of bag.",
            )
        sums = np.zeros((matrix.n_rows, model.n_classes or 1))
        asked = np.zeros(matrix.n_rows)
        for member, drawn in zip(model.members, samples):
            unseen = np.setdiff1d(np.arange(matrix.n_rows), drawn.rows)
            if unseen.size:
                sums[unseen] += member.answers(matrix.take(unseen), model.vote, model.n_classes)
                asked[unseen] += 1
        means = np.where(asked[:, None] > 0, sums / np.maximum(asked, 1)[:, None], np.nan)
        return means, asked

    # -- metadata ----------------------------------------------------------------------------------------------------
    def _prototype(self) -> Any:
        return self._default_estimator() if self.estimator is None else self.estimator

    def _routes(self) -> list[tuple[str, Any, Mapping[str, str]]]:
        prototype = self._prototype()
        asked = "predict_proba" if hasattr(prototype, "predict_proba") and self._vote == "soft" else "predict"
        calls = {"fit": "fit", "predict": asked}
        if self._vote != "mean":
            calls |= {"predict_proba": asked, "predict_log_proba": asked, "decision_function": "decision_function"}
        return [("estimator", prototype, calls)]

    def _model_with(self, method: str, metadata: Mapping[str, Any]) -> Ensemble:
        """Return the model whose members are asked with the metadata that they have asked for."""
        check_is_fitted(self, "fitted_")
        given, model = self._routed(method, metadata)["estimator"], self.fitted_.model
        assert isinstance(model, Ensemble)
        return replace(
            model, members=tuple(replace(each, model=replace(each.model, metadata=given)) for each in model.members)
        )

    def predict(self, X: TableLike, **params: Any) -> np.ndarray:
        """Return the prediction for each row of X.

        Metadata for the members is given by name, where metadata routing is enabled and they have asked for it.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
            A lazy table gives a lazy result, a Dask frame a Dask series.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        if not params:
            return super().predict(X)
        model = self._model_with("predict", params)
        return replace(self.fitted_, model=model).predict_encoded(self._encode(X))

    @available_if(is_classifier)
    def predict_proba(self, X: TableLike, **params: Any) -> np.ndarray:
        """Return the probability of each class for each row, in the order of ``classes_``.

        Metadata for the members is given by name, where metadata routing is enabled and they have asked for it.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        if not params:
            return super().predict_proba(X)  # type: ignore[misc,no-any-return]
        return class_proba(self._model_with("predict_proba", params), self._encode(X))

    @available_if(is_classifier)
    def predict_log_proba(self, X: TableLike, **params: Any) -> np.ndarray:
        """Return the logarithm of :meth:`predict_proba`.

        Metadata for the members is given by name, where metadata routing is enabled and they have asked for it.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            logarithms: np.ndarray = np.log(self.predict_proba(X, **params))
        return logarithms


def _members_decide(bagging: Any) -> bool:
    prototype = bagging._default_estimator if bagging.estimator is None else bagging.estimator
    return hasattr(prototype, "decision_function")


@estimator
class BaggingClassifier(_BaggingEstimator, VaglioClassifier):
    """Any classifier on many bootstrap samples; the members vote.

    Parameters
    ----------
    voting : {"soft", "hard"}
        Average the members' probabilities (of members that give them), or count the classes they predict.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> bag = vaglio.BaggingClassifier(n_estimators=20, oob_score=True, random_state=0).fit(X, y)
    >>> bag.oob_score_ > 0.9
    True
    """

    _default_estimator = DecisionTreeClassifier
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"voting": [StrOptions({"soft", "hard"})]}

    voting: Literal["soft", "hard"] = "soft"
    class_weight: ClassWeight = None

    @available_if(_members_decide)
    def decision_function(self, X: TableLike, **params: Any) -> np.ndarray:
        """Return the mean of the members' decision values; exists where the members have them.

        Metadata for the members is given by name, where metadata routing is enabled and they have asked for it.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        matrix, named = self._encode(X), hasattr(self, "feature_names_in_")
        routed = self._routed("decision_function", params)
        given = routed["estimator"]["decision_function"] if routed else {}
        total = np.zeros(1)
        for member, features in zip(self.estimators_, self.estimators_features_):
            if len(member.classes_) != len(self.classes_):
                raise InputError(
                    "member-without-class",
                    "A member of this BaggingClassifier has not seen every class, so the decision values "
                    "cannot be averaged. Use predict_proba, or a larger max_samples.",
                )
            total = total + member.decision_function(decode(select_features(matrix, features), named), **given)
        return total / len(self.estimators_)


@estimator
class BaggingRegressor(_BaggingEstimator, VaglioRegressor):
    """Any regressor on many bootstrap samples; the prediction is the mean of the members.

    Examples
    --------
    >>> from vaglio import BaggingRegressor
    >>> X = [[float(i)] for i in range(40)]
    >>> bag = BaggingRegressor(n_estimators=30, random_state=0).fit(X, [2 * x[0] for x in X])
    >>> bool(18 < bag.predict([[10.0]])[0] < 22)
    True
    """

    _default_estimator = DecisionTreeRegressor


def _count(value: float, total: int, name: str, what: str) -> int:
    """A whole number is itself, a fraction a share of the total."""
    if not isinstance(value, Integral):
        return max(1, int(value * total))
    if value > total:
        raise InputError(
            "sample-larger-than-table",
            "{parameter}={value}, but there are {total} {what}. Use at most that many.",
            parameter=name,
            value=value,
            total=total,
            what=what,
        )
    return int(value)
