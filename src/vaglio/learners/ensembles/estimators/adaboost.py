"""AdaBoost: each round gives more weight to the rows that earlier rounds predicted wrong."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from sklearn.metrics import accuracy_score
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import check_is_fitted

from vaglio.encode import EncodedMatrix, select_features
from vaglio.engines.passes import Chunk, Passes, TableSummary, run_in_memory
from vaglio.errors import DataWarning, warn
from vaglio.learners.ensembles.estimators.members import (
    codebook_of,
    fit_member,
    looks_for_words,
    make_member,
)
from vaglio.learners.ensembles.estimators.sampled_trees import grow_together, without_rows
from vaglio.learners.ensembles.model import Ensemble, Member
from vaglio.learners.ensembles.passes import Steps, as_number, boost_in_passes, weight_sum
from vaglio.learners.estimator import VaglioClassifier
from vaglio.learners.forest.estimators.ensemble import EnsembleEstimator
from vaglio.learners.inputs import believed_columns
from vaglio.learners.parameters import COUNT, COUNT_FROM_0, POSITIVE, estimator
from vaglio.learners.trees.estimators.decision_tree import DecisionTreeClassifier
from vaglio.messages.message import text
from vaglio.runtime.seeds import seed_of
from vaglio.typing import ClassWeight, ColumnLike, Estimator, RandomState, TableLike

T = TypeVar("T")
# What asks for nothing, and has an answer at once.
Steady = Generator[Any, Any, T]


@dataclass(frozen=True)
class Round:
    """What one attempt at a round gave.

    Attributes
    ----------
    error : float
        Weighted share of training rows it predicted wrong.
    alpha : float or None
        Weight of its vote; None when it was no better than guessing, was dropped and the weights were reset.
    """

    error: float
    alpha: float | None


@estimator
class AdaBoostClassifier(EnsembleEstimator, VaglioClassifier):
    """Boosting by SAMME, for any number of classes K.

    The member of a round with weighted error e votes with α = ½·[ln((1−e)/e) + ln(K−1)]; the weights of the rows it
    predicted wrong are multiplied by e^α, the others by e^−α. A member no better than guessing (e ≥ 1−1/K) is dropped,
    all weights become equal again, and the round is repeated, at most ``max_resets`` times in all. A member without
    error ends the learning.

    Parameters
    ----------
    estimator : classifier or None
        The learner of the members: of vaglio, or of any library with scikit-learn's interface. None is a decision tree
        of ``max_depth``.
    n_estimators : int
        Largest number of members.
    learning_rate : float
        Factor of every α.
    max_depth : int
        Depth of the trees, if no ``estimator`` is given. Trees of depth 1 cannot tell many classes apart; the command
        line takes 3.
    sampling : {"weights", "resample"}
        Give the members the weights, or a sample drawn by weight (for learners that take no weights).
    max_resets : int
        How often a round that is no better than guessing may be repeated.
    high_cardinality : float or None
        Give the members no nominal column of more than ten values (and more than this share of the number of training
        rows) that tells less than chance does on average: a vote counts by the errors on the rows that it
        was learned from, where such a column fits too well. None gives them all.
    n_jobs : int or None
        Threads of the members' predictions; rounds follow one another.

    Attributes
    ----------
    estimators_ : list of estimator
        The fitted members.
    estimator_errors_ : ndarray of shape (n_members,)
        Weighted error of each member.
    estimator_weights_ : ndarray of shape (n_members,)
        α of each member.
    feature_importances_ : ndarray of shape (n_features,)
        Mean of the members' importances by the weights of their votes; exists where the members have them.
    rounds_ : list of Round
        Every attempt, also those that led to a reset.
    reliability_ : dict of str to float
        For each nominal column of many values, the share of its information beyond chance (``high_cardinality``); the
        members are not given a column of 0, nor one that tells less than chance on average.
    learned_with_ : dict
        What was used in place of parameters that rows outside memory do not allow; exists only after such rows.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> model = vaglio.AdaBoostClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    _learner_id = "adaboost"
    _gathers = text("AdaBoost of these members needs all rows in memory in every round")
    _writes_out_sparse: ClassVar[bool] = True
    _scales_weights: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": COUNT,
        "learning_rate": POSITIVE,
        "max_depth": COUNT,
        "sampling": [StrOptions({"weights", "resample"})],
        "max_resets": COUNT_FROM_0,
    }

    estimator: Estimator | None = field(default=None, kw_only=False)
    n_estimators: int = 50
    learning_rate: float = 1.0
    max_depth: int = 1
    sampling: Literal["weights", "resample"] = "weights"
    max_resets: int = 10
    high_cardinality: float | None = 0.0
    class_weight: ClassWeight = None
    n_jobs: int | None = None
    random_state: RandomState = None

    rounds_: list[Round] = field(init=False)
    estimators_: list[Any] = field(init=False)
    learned_with_: dict[str, Any] = field(init=False)

    def _looks_for_words(self) -> bool:
        return looks_for_words(self.estimator)

    def _prototype(self) -> Any:
        return DecisionTreeClassifier(max_depth=self.max_depth) if self.estimator is None else self.estimator

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Ensemble:
        self.__dict__.pop("learned_with_", None)
        return self._learn_members(self._prototype(), matrix, y, weight)

    def _learn_members(
        self, prototype: Any, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None
    ) -> Ensemble:
        kept = believed_columns(self, matrix, y, weight)
        columns = None if len(kept) == matrix.n_features else kept
        seen = matrix if columns is None else select_features(matrix, columns)
        seen.reused = True
        rows = RowsOfRounds(self, prototype, seen, y, weight, columns)
        chunk = Chunk(seen, y, weight, 0)
        model = run_in_memory(self._rounds(rows), [chunk])
        assert isinstance(model, Ensemble)
        return model

    def _passes(self, facts: TableSummary) -> Passes:
        prototype, self.learned_with_ = without_rows(self._prototype())
        if self.sampling == "weights" and grow_together(prototype, ()) and prototype.monotonic_cst is None:
            model: Ensemble = yield from boost_in_passes(self, prototype, facts)
            return model
        rows = yield from self._gathered(facts)
        return self._learn_members(prototype, rows.matrix, rows.y, rows.weight)

    def _rounds(self, rows: Any) -> Passes:
        """Learn round by round; ``rows`` fits members and weighs rows, wherever these are."""
        self.rounds_, self.estimators_ = [], []
        total = yield from rows.total()
        n_classes, seed, resets = len(self.classes_), seed_of(self.random_state), 0
        members: list[Member] = []
        while len(members) < self.n_estimators:
            fitted, member = yield from rows.fit(np.random.default_rng([seed, len(self.rounds_)]))
            wrong, right = yield from rows.sums(member)
            error = wrong / (wrong + right)
            if error >= 1 - 1 / n_classes and n_classes > 1:
                self.rounds_.append(Round(error, None))
                yield from rows.reset()
                resets += 1
                if resets > self.max_resets:
                    break
                continue
            alpha = self.learning_rate * vote_weight(error, n_classes, least=0.5 / (total + 1))
            self.rounds_.append(Round(error, alpha))
            self.estimators_.append(fitted)
            members.append(replace(member, weight=alpha))
            if error <= 0 or len(members) == self.n_estimators:
                break
            yield from rows.weigh(member, Steps.of(alpha, (wrong, right), total))
        if not members:
            self._warn_of_guessing()
            fitted, member = yield from rows.fit(np.random.default_rng([seed, 0]))
            self.estimators_, members = [fitted], [member]
        return Ensemble(tuple(members), "hard", n_classes)

    def _warn_of_guessing(self) -> None:
        """Say that no round was better than guessing, and that one member is kept all the same."""
        warn(
            DataWarning(
                "no-better-than-chance",
                "In {n_rounds} attempts no round was better than chance, so the model has a single "
                "member. Use a stronger estimator.",
                n_rounds=len(self.rounds_),
            )
        )

    @property
    def estimator_errors_(self) -> np.ndarray:
        """Weighted error of each member that was kept."""
        return np.array([entry.error for entry in self.rounds_ if entry.alpha is not None])

    @property
    def estimator_weights_(self) -> np.ndarray:
        """α of each member."""
        return np.array([member.weight for member in self._ensemble.members])

    @property
    def _ensemble(self) -> Ensemble:
        check_is_fitted(self, "fitted_")
        model = self.fitted_.model
        assert isinstance(model, Ensemble)
        return model

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """Yield the predicted classes after each round.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        """
        for votes in self.staged_predict_proba(X):
            yield self.classes_[np.argmax(votes, axis=1)]

    def staged_predict_proba(self, X: TableLike) -> Iterator[np.ndarray]:
        """Yield the share of the votes that each class has after each round.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        """
        yield from self._ensemble.staged(self._encode(X))

    def decision_function(self, X: TableLike) -> np.ndarray:
        """Return how far the votes lean to each class.

        A vote for a class counts 1, a vote for another −1/(K−1), by the weights of the members.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of two classes the second's value minus the first's.
        """
        matrix = self._encode(X)
        return _leaning(self._ensemble.predict_proba(matrix))

    def staged_decision_function(self, X: TableLike) -> Iterator[np.ndarray]:
        """Yield how far the votes lean after each round.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        """
        for votes in self.staged_predict_proba(X):
            yield _leaning(votes)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each column in what the members learned from, their mean by the weights of their votes."""
        members = self._ensemble.members
        found = np.zeros(self.n_features_in_)
        for fitted, member in zip(self.estimators_, members):
            columns = slice(None) if member.features is None else member.features
            found[columns] += member.weight * fitted.feature_importances_
        return np.asarray(found / self.estimator_weights_.sum())

    def staged_score(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> Iterator[float]:
        """Yield the accuracy after each round.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            True classes.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts.

        Yields
        ------
        float
        """
        for predicted in self.staged_predict(X):
            yield float(accuracy_score(y, predicted, sample_weight=sample_weight))

    def _tree_weights(self) -> np.ndarray | None:
        return self.estimator_weights_


def _leaning(votes: np.ndarray) -> np.ndarray:
    """Return shares of votes as decision values; see :meth:`AdaBoostClassifier.decision_function`."""
    values = votes - (1 - votes) / max(votes.shape[1] - 1, 1)
    found: np.ndarray = values[:, 1] - values[:, 0] if values.shape[1] == 2 else values
    return found


def vote_weight(error: float, n_classes: int, least: float = 1e-10) -> float:
    """Return α = ½·[ln((1−e)/e) + ln(K−1)]; ``least`` stands for an error of 0, so that α stays finite."""
    error = max(error, least)
    return 0.5 * (float(np.log((1 - error) / error)) + float(np.log(max(n_classes - 1, 1))))


@dataclass
class RowsOfRounds:
    """Rows in memory, as the rounds ask for them: what is done with them needs no passes.

    Attributes
    ----------
    boosting : AdaBoostClassifier
    prototype : estimator
    matrix : EncodedMatrix
        With the columns that members see.
    y : ndarray
    counts : ndarray or None
        Weights that rows have of their own.
    columns : ndarray or None
        The columns of the matrix in the table; None: all.
    """

    boosting: AdaBoostClassifier
    prototype: Any
    matrix: EncodedMatrix
    y: np.ndarray
    counts: np.ndarray | None
    columns: np.ndarray | None

    def total(self) -> Steady[float]:
        """Return the weight of all rows."""
        yield from self.reset()
        return self._sum(self.weight)

    def reset(self) -> Steady[None]:
        """Let all rows weigh what they did at first."""
        self.factors = np.ones(len(self.y))
        self.weight = self.factors if self.counts is None else self.counts
        yield from ()

    def fit(self, random: np.random.Generator) -> Steady[tuple[Any, Member]]:
        """Fit a member to the rows as they weigh now: the weights sum to the number of rows."""
        yield from ()
        classes = self.boosting.classes_
        estimator = make_member(self.prototype, int(random.integers(2**31)))
        given = estimator, codebook_of(self.boosting, self.matrix)
        if self.boosting.sampling == "weights":
            member = fit_member(*given, self.matrix, self.y, self.weight, classes, scaled=True)
        else:
            rows = np.sort(random.choice(len(self.y), len(self.y), p=self.weight / self.weight.sum()))
            member = fit_member(*given, self.matrix.take(rows), self.y[rows], None, classes)
        self.wrong = member.decide(self.matrix) != self.y
        return estimator, replace(member, features=self.columns)

    def sums(self, member: Member) -> Steady[tuple[float, float]]:
        """Return the weight of the rows that the last member predicts wrong, and of those it predicts right."""
        yield from ()
        if self.counts is not None:
            return self._sum(self.weight[self.wrong]), self._sum(self.weight[~self.wrong])
        wrong = float((self.weight * self.wrong).sum())  # exact in any order, as is the difference
        return wrong, float(self.weight.sum()) - wrong

    def weigh(self, member: Member, steps: Steps) -> Steady[None]:
        """Give more weight to the rows that the last member predicts wrong."""
        self.factors = steps.taken(self.factors, self.wrong)
        self.weight = self.factors if self.counts is None else self.counts * self.factors
        yield from ()

    def _sum(self, weight: np.ndarray) -> float:
        return as_number(weight_sum(weight, self.counts is not None))
