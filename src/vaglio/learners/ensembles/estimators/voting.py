"""A vote of different learners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, ClassVar, Literal, Self, TypeGuard

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from vaglio.encode import EncodedMatrix
from vaglio.engines.passes import Passes, TableSummary
from vaglio.engines.row_samples import rows_pass
from vaglio.errors import InputError, NotSupportedError, warning_as_here, warning_once
from vaglio.learners.bases import Composition, TransformerMixin
from vaglio.learners.ensembles.estimators.members import (
    RoutesMetadata,
    codebook_of,
    finish_member,
    fit_member,
    members_codebook,
    prepare_member,
)
from vaglio.learners.ensembles.estimators.stacking import (
    Learned,
    answers_out_of_fold,
    error_products,
    weights_of_least_error,
)
from vaglio.learners.ensembles.model import Member, Voting
from vaglio.learners.estimator import VaglioClassifier, VaglioEstimator, VaglioRegressor
from vaglio.learners.parameters import estimator
from vaglio.learners.registry import find
from vaglio.messages.message import Option, text
from vaglio.messages.sentences import listed
from vaglio.model.families import Task
from vaglio.typing import Estimator, SequenceNotStr, SupportsArray, TableLike

# A tree, a product of frequencies and a hyperplane: fast, and wrong on different rows.
DEFAULT_MEMBERS = ("c45", "naive-bayes", "logistic")


@estimator
class _VotingEstimator(RoutesMetadata, TransformerMixin, Composition, VaglioEstimator):
    """Different learners on the same rows.

    Parameters
    ----------
    weights : array-like of shape (n_estimators,), "cv" or None
        How much each member counts; None: all the same. "cv" (stacking) chooses the weights by five-fold
        cross-validation: not negative, and of least squared error on the rows that the members were not trained on.

    Attributes
    ----------
    estimators_ : list of estimator
        The fitted members.
    weights_ : ndarray of shape (n_members,)
        The weights that ``weights="cv"`` chose, in the order of ``estimators_``; exists only then.
    named_estimators_ : Bunch
        The fitted members by name.
    """

    _learner_id = "voting"
    _scales_weights: ClassVar[bool] = True
    # Learners of the members, if none are given.
    _default_members: ClassVar[tuple[str, ...]]
    _task: ClassVar[Task]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimators": [list, tuple, None],
        "weights": ["array-like", StrOptions({"cv"}), None],
    }

    estimators: SequenceNotStr[str | tuple[str, Estimator | Literal["drop"]]] | None = field(
        default=None, kw_only=False
    )
    weights: Sequence[float] | SupportsArray | Literal["cv"] | None = None
    n_jobs: int | None = None

    estimators_: list[Any] = field(init=False)
    weights_: np.ndarray = field(init=False)
    named_estimators_: Bunch = field(init=False)

    @property
    def _vote(self) -> str:
        vote: str = getattr(self, "voting", "mean")  # numbers have no other way
        return vote

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with those of the members under ``name__parameter``.

        Parameters
        ----------
        deep : bool, default=True
            Whether to list those of the members too.
        """
        params: dict[str, Any] = super(Composition, self).get_params(deep=False)
        if deep and _are_pairs(self.estimators):
            for name, member in self.estimators:
                params[name] = member
                if hasattr(member, "get_params"):
                    params |= {f"{name}__{key}": value for key, value in member.get_params(deep=True).items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a member is replaced by its name, its own parameters are set by ``name__parameter``."""
        if _are_pairs(params.get("estimators", self.estimators)):
            self._set_params("estimators", **params)
        else:
            super(Composition, self).set_params(**params)
        return self

    @property
    def named_estimators(self) -> Bunch:
        """The members as they were given, by name."""
        return Bunch(**dict(self._pairs()))

    def _pairs(self) -> list[tuple[str, Any]]:
        """Return name and estimator of every member, those left out included."""
        given = self._default_members if self.estimators is None else self.estimators
        pairs: list[tuple[str, Any]] = [
            (entry, self._made(entry)) if isinstance(entry, str) else tuple(entry)  # type: ignore[misc]  # checked below
            for entry in given
        ]
        if not all(len(pair) == 2 and isinstance(pair[0], str) for pair in pairs):
            raise InputError(
                "invalid-members",
                "estimators must be a list of (name, estimator) pairs or of learner ids.",
            )
        names = [name for name, _ in pairs]
        twice = sorted({name for name in names if names.count(name) > 1})
        parameters = self.get_params(deep=False)
        taken = sorted({name for name in names if "__" in name or name in parameters})
        if twice or taken:
            raise InputError(
                "invalid-member-name",
                "The member name {name!r} {problem}. Give every member a unique name that is not a "
                "parameter and has no double underscore.",
                name=(twice or taken)[0],
                problem=text("occurs twice") if twice else text("cannot be used"),
            )
        if all(member == "drop" for _, member in pairs):
            raise InputError("no-members", "All members are dropped. Give at least one estimator.")
        return pairs

    def _made(self, learner_id: str) -> Any:
        """Return the learner of an id by its defaults; what it draws is the same in every fit."""
        made = find(learner_id, self._task).make()
        return made.set_params(random_state=0) if "random_state" in made.get_params() else made

    def _routes(self) -> list[tuple[str, Any, Mapping[str, str]]]:
        return [(name, member, {"fit": "fit"}) for name, member in self._pairs() if not isinstance(member, str)]

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Voting:
        kept, rows = self._kept(), np.arange(len(y))
        with warning_once():
            fit = warning_as_here(self._fitted_member)
            members = Parallel(n_jobs=matrix.threads, prefer="threads")(
                delayed(fit)(name, member, matrix, y, weight, rows) for name, member, _ in kept
            )
            model = self._joined(kept, members, matrix)
            return self._stacked(model, kept, matrix, y, weight) if isinstance(self.weights, str) else model

    def _kept(self) -> list[tuple[str, Any, float]]:
        """Return name, a fresh copy and weight of every member that is not left out."""
        pairs = self._pairs()
        weights = self._weights(len(pairs))
        return [(name, clone(member), w) for (name, member), w in zip(pairs, weights) if not isinstance(member, str)]

    def _fitted_member(
        self, name: str, member: Any, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, rows: np.ndarray
    ) -> Member:
        # Its own view of the rows: what one member computes on the way is not shared between threads.
        seen = matrix.take(slice(None) if len(rows) == len(y) else rows)
        seen.threads = 1
        return fit_member(
            member,
            codebook_of(self, matrix),
            seen,
            y[rows],
            None if weight is None else weight[rows],
            getattr(self, "classes_", None),
            scaled=len(rows) == len(y),
            metadata=self._metadata_of(name, rows),
        )

    def _stacked(
        self,
        model: Voting,
        kept: list[tuple[str, Any, float]],
        matrix: EncodedMatrix,
        y: np.ndarray,
        weight: np.ndarray | None,
    ) -> Voting:
        """Return the model with the weights of least squared error on rows left out."""
        k = model.n_classes
        answers, rows = self._answers_out_of_fold(kept, matrix, y, weight)
        truth = np.eye(k)[y[rows]] if k else y[rows, None]
        self.weights_ = weights_of_least_error(error_products(answers, truth, None if weight is None else weight[rows]))
        weighted = (replace(one, weight=float(w)) for one, w in zip(model.members, self.weights_))
        return replace(model, members=tuple(weighted))

    def _answers_out_of_fold(
        self, kept: list[tuple[str, Any, float]], matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return what the members say of rows left out, and the numbers of these rows."""

        def learner_of(name: str, member: Any) -> Learned:
            return lambda train: self._fitted_member(name, clone(member), matrix, y, weight, train)

        learners = [learner_of(name, member) for name, member, _ in kept]
        return answers_out_of_fold(learners, self._vote, matrix, y, len(getattr(self, "classes_", ())))

    def _refuse_passes(self) -> None:
        if isinstance(self.weights, str):
            raise NotSupportedError(
                "stacking-in-memory",
                'weights="cv" trains the members on folds, which needs all rows in memory. Give the weights, or '
                "train on a sample ({sample}).",
                sample=Option("data.sample(N)", flag="--sample N"),
            )
        super()._refuse_passes()

    def _passes(self, facts: TableSummary) -> Passes:
        kept, members = self._kept(), list[Member]()
        for name, member, _ in kept:
            prepare_member(member, name, facts)
            model = yield from member._passes(facts)
            finish_member(member, members_codebook(facts.codebook), model, facts.classes)
            members.append(Member(model, 1.0, np.arange(facts.n_classes, dtype=np.int64), None))
        one = (yield rows_pass(np.zeros(1, dtype=np.int64), "a row to try")).joined(1)
        return self._joined(kept, members, one.matrix)

    def _joined(self, kept: list[tuple[str, Any, float]], members: list[Member], matrix: EncodedMatrix) -> Voting:
        names = tuple(name for name, _, _ in kept)
        self.estimators_ = [member for _, member, _ in kept]
        self.named_estimators_ = Bunch(**dict(zip(names, self.estimators_)))
        if not sum(w for _, _, w in kept) > 0:
            raise InputError(
                "zero-weights-of-members", "The weights of all members are zero. At least one must be positive."
            )
        weighted = tuple(replace(member, weight=w) for member, (_, _, w) in zip(members, kept))
        if self._vote == "soft":
            _need_probabilities(weighted, names, matrix)
        return Voting(weighted, self._vote, len(getattr(self, "classes_", ())), names)

    def _weights(self, n: int) -> list[float]:
        if self.weights is None or isinstance(self.weights, str):
            return [1.0] * n
        weights = np.asarray(self.weights, dtype=np.float64)
        if weights.shape != (n,):
            raise InputError(
                "number-of-weights",
                "There are {n_weights} weights for {n} estimators. Give one weight per estimator.",
                n_weights=weights.size,
                n=n,
            )
        if not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise InputError("invalid-vote-weight", "The weight of a vote must be a finite number of at least 0.")
        return [float(weight) for weight in weights]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # transform returns probabilities or classes, whatever the dtype of X.
        tags.transformer_tags.preserves_dtype = []
        return tags


@estimator
class VotingClassifier(_VotingEstimator, VaglioClassifier):
    """Different learners on the same rows; they decide by vote.

    If the members err on different rows, the majority errs less often than each of them: three independent members
    that err in 1/3 of the rows give a majority that errs in 7/27. Every member gets the table as it is, with nominal
    columns and missing values.

    Parameters
    ----------
    estimators : list of (str, estimator) or of str, or None
        The members, each with a name: learners of vaglio, or of any library with scikit-learn's interface; "drop" in
        place of an estimator leaves it out. A learner's id, as on the command line, stands for its defaults. None is
        a C4.5 tree, naive Bayes and logistic regression.
    voting : {"hard", "soft"}
        "hard" counts the classes the members predict, "soft" averages their probabilities. Ties go to the first class.
    weights : array-like of shape (n_estimators,), "cv" or None
        How much each vote or probability counts; None: all the same. "cv" (stacking) chooses the weights by five-fold
        cross-validation: not negative, and of least squared error of the shares or probabilities (Brier score) on the
        rows that the members were not trained on.
    flatten_transform : bool
        With "soft", whether :meth:`transform` returns one row per row of X, or one block per member.

    Notes
    -----
    With "hard", :meth:`predict_proba` gives the share of the votes. scikit-learn's class has no such method then.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> vote = vaglio.VotingClassifier([("tree", vaglio.C45Classifier()), ("bayes", vaglio.NaiveBayesClassifier())])
    >>> vote.set_params(voting="soft", weights=[1, 2]).fit(X, y).score(X, y) > 0.95
    True
    """

    _min_classes = 2
    _default_members = DEFAULT_MEMBERS
    _task: ClassVar[Task] = "classification"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "voting": [StrOptions({"hard", "soft"})],
        "flatten_transform": ["boolean"],
    }

    voting: Literal["hard", "soft"] = "hard"
    flatten_transform: bool = True

    def transform(self, X: TableLike) -> np.ndarray:
        """Return what each member says of each row.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray
            With "hard", the class each member predicts, as its position in ``classes_``: (n_samples, n_members). With
            "soft", the probabilities: (n_samples, n_members * n_classes), or (n_members, n_samples, n_classes) if
            ``flatten_transform`` is False.
        """
        matrix = self._encode(X)
        model: Any = self.fitted_.model
        if self.voting == "hard":
            return np.column_stack([member.decide(matrix) for member in model.members])
        said = model.each(matrix)
        return np.hstack(said) if self.flatten_transform else said

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns of :meth:`transform`.

        Parameters
        ----------
        input_features : array-like of str or None
            Not used: the names are those of the members.
        """
        check_is_fitted(self, "fitted_")
        if self.voting == "soft" and not self.flatten_transform:
            raise InputError(
                "transform-without-columns",
                "With voting='soft' and flatten_transform=False, transform does not return a table of columns.",
            )
        prefix, names = type(self).__name__.lower(), list(self.named_estimators_)
        if self.voting == "soft":
            names = [f"{name}{code}" for name in names for code in range(len(self.classes_))]
        return np.array([f"{prefix}_{name}" for name in names], dtype=object)


@estimator
class VotingRegressor(_VotingEstimator, VaglioRegressor):
    """Different learners of a number on the same rows; the prediction is their mean.

    Every member gets the table as it is, with nominal columns and missing values.

    Parameters
    ----------
    estimators : list of (str, estimator) or of str, or None
        The members, each with a name: learners of vaglio, or of any library with scikit-learn's interface; "drop" in
        place of an estimator leaves it out. A learner's id, as on the command line, stands for its defaults. None is
        a linear regression, a pruned tree and nearest neighbours.
    weights : array-like of shape (n_estimators,), "cv" or None
        How much each prediction counts in the mean; None: all the same. "cv" (stacking) chooses the weights by
        five-fold cross-validation: not negative, and of least squared error on the rows that the members were not
        trained on.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("body_mass_g", task="regression")
    >>> vaglio.VotingRegressor(["linear", "random-forest"]).fit(X, y).score(X, y) > 0.85
    True
    """

    _default_members = ("linear", "cart", "knn")
    _task: ClassVar[Task] = "regression"

    def transform(self, X: TableLike) -> np.ndarray:
        """Return what each member predicts for each row.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_members)
        """
        matrix = self._encode(X)
        model: Any = self.fitted_.model
        return np.asarray(model.each(matrix)[:, :, 0].T)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns of :meth:`transform`.

        Parameters
        ----------
        input_features : array-like of str or None
            Not used: the names are those of the members.
        """
        check_is_fitted(self, "fitted_")
        return np.array([f"votingregressor_{name}" for name in self.named_estimators_], dtype=object)


def _are_pairs(given: object) -> TypeGuard[Sequence[tuple[str, Any]]]:
    return isinstance(given, (list, tuple)) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in given)


def _need_probabilities(members: tuple[Member, ...], names: tuple[str, ...], matrix: EncodedMatrix) -> None:
    without = []
    one = matrix.take(slice(0, 1))
    for member, name in zip(members, names):
        try:
            told = getattr(member.model, "predict_proba", None)
            if told is None or not hasattr(getattr(member.model, "estimator", member.model), "predict_proba"):
                without.append(name)
            else:
                told(one)
        except NotSupportedError:
            without.append(name)
    if without:
        raise InputError(
            "members-without-probabilities",
            "voting='soft' averages probabilities, which {members} cannot give. Use voting='hard', "
            "or members that give probabilities.",
            members=listed(without, quoted=True),
        )
