"""The perceptron (Rosenblatt 1958): move the hyperplane whenever a row falls on the wrong side."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import field
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from vaglio import _core
from vaglio.encode import DenseEncoder, EncodedMatrix
from vaglio.engines import passes
from vaglio.engines.passes import Chunk, Passes, TableSummary
from vaglio.errors import InputError, NotSupportedError, warn
from vaglio.learners.inner_split import inner_split
from vaglio.learners.linear.estimators.linear_classifier import LinearClassifier
from vaglio.learners.linear.estimators.perceptron_training import (
    ONE_ERROR,
    HeldOut,
    History,
    Limits,
    MovingWeights,
    Penalty,
    PerceptronRun,
    Progress,
    Rates,
    moving_weights,
)
from vaglio.learners.linear.model import LinearModel
from vaglio.learners.linear.passes import encoder_passes
from vaglio.learners.parameters import BETWEEN_0_AND_1, COUNT, FROM_0_TO_1, NOT_NEGATIVE, POSITIVE, estimator
from vaglio.messages.message import Message
from vaglio.runtime.seeds import legacy_random_state
from vaglio.typing import ColumnLike, TableLike

# Passes without a higher accuracy on the rows held out that end training.
_PATIENCE = 5
_LARGEST_SEED = np.iinfo(np.int32).max
# The bias learns more slowly from sparse rows, most of which leave most weights unchanged.
_SPARSE_BIAS_RATE = 0.01


@estimator
class Perceptron(LinearClassifier):
    """Perceptron: w ← w + r·(d − y)·x for every row whose prediction y is not the true d.

    A prediction is 1 where w·x + b > 0, else 0. With two classes there is one hyperplane; with more, one for each class
    against the rest. :meth:`fit` passes over the rows until the mean error of a pass is below ``tol`` or ``max_iter``
    passes are done; :meth:`partial_fit` makes one pass over the rows it is given.

    Parameters
    ----------
    eta0 : float
        The learning rate r.
    max_iter : int
        Largest number of passes over the rows.
    tol : float or None
        Training ends when the share of wrong predictions in a pass is below it; None goes on until none is wrong. With
        ``early_stopping``, by how much the accuracy on the rows held out must rise to count.
    shuffle : bool or "auto"
        Visit the rows in a new random order in every pass. False, the textbook, visits them in the order of the table;
        if that is sorted by class, the last class counts for more. "auto", which learners by id have, shuffles rows in
        memory and visits those of a scanned table in order.
    init : {"zero", "random"}
        Start from zero weights or from small random ones.
    penalty : {"l2", "l1", "elasticnet"} or None
        What draws the coefficients towards zero at every row: their squares, their absolute values, which makes some
        exactly zero, or both. The intercept is not penalised.
    alpha : float
        Strength of the penalty. With ``"l2"`` every row takes the share ``eta0 * alpha`` from each coefficient.
    l1_ratio : float
        The share of the absolute values in ``"elasticnet"``.
    early_stopping : bool
        Whether rows are held out, and training ends when the accuracy on them no longer rises.
    validation_fraction : float
        The share of rows held out; of fewer than four rows none is.
    n_iter_no_change : int, "auto" or None
        Training ends when so many passes in a row made no fewer errors than one before them, as happens where no
        hyperplane separates the classes; with ``early_stopping``, when after none of them the accuracy on the rows held
        out was higher. None goes on until ``tol`` or ``max_iter`` ends it. "auto" is 5 with ``early_stopping``, else
        None, the textbook: in rows that are sorted by class the errors of a pass are few, however little was learned.
    random_state : int, RandomState or None
        Seed of the order of the rows, of random starting weights and of the rows held out.

    Attributes
    ----------
    converged_ : bool
        Whether the mean error fell below ``tol`` or to 0, as it always does in the end if a hyperplane separates the
        classes, there is no penalty and nothing else ends training; or the accuracy on rows held out no longer rose.
    history_ : sequence of Epoch
        Errors and weights of every pass.
    n_iter_ : int
        Number of passes.
    validation_scores_ : list of float or None
        With ``early_stopping``, the accuracy on the rows held out after each pass.

    Notes
    -----
    A row's weight scales its step. Since rows are visited one after the other, a weight of two is not the same as the
    row twice.

    The absolute penalty is the cumulative one of Tsuruoka, Tsujii and Ananiadou (2009): a coefficient pays what it owes
    when a row has its column. Of sparse rows that is where the cell is not zero.

    Examples
    --------
    >>> import numpy as np
    >>> from vaglio import Perceptron
    >>> X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 0, 1]
    >>> and_gate = Perceptron(preprocess=None).fit(X, y)
    >>> and_gate.converged_, and_gate.predict(X).tolist()
    (True, [0, 0, 0, 1])
    """

    _learner_id = "perceptron"
    _scales_weights: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "eta0": POSITIVE,
        "max_iter": COUNT,
        "tol": [*FROM_0_TO_1, None],
        "shuffle": ["boolean", StrOptions({"auto"})],
        "init": [StrOptions({"zero", "random"})],
        "penalty": [StrOptions({"l2", "l1", "elasticnet"}), None],
        "alpha": NOT_NEGATIVE,
        "l1_ratio": FROM_0_TO_1,
        "early_stopping": ["boolean"],
        "validation_fraction": BETWEEN_0_AND_1,
        "n_iter_no_change": [*COUNT, StrOptions({"auto"}), None],
    }

    eta0: float = 1.0
    max_iter: int = 1000
    tol: float | None = 1e-3
    shuffle: bool | Literal["auto"] = False
    init: Literal["zero", "random"] = "zero"
    penalty: Literal["l2", "l1", "elasticnet"] | None = None
    alpha: float = 1e-4
    l1_ratio: float = 0.15
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int | Literal["auto"] | None = "auto"

    converged_: bool = field(init=False)
    history_: History = field(init=False)
    n_iter_: int = field(init=False)
    validation_scores_: list[float] | None = field(init=False)

    # A perceptron's values are no log-odds: hasattr(estimator, "predict_proba") must be false.
    @property
    def predict_proba(self) -> Any:
        raise AttributeError("A perceptron gives no probabilities: use decision_function, or LogisticRegression.")

    @property
    def predict_log_proba(self) -> Any:
        raise AttributeError("A perceptron gives no probabilities: use decision_function, or LogisticRegression.")

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> LinearModel:
        encoder = self._encoder(matrix, y, weight)
        walk, held = self._divided(encoder, matrix, y, weight)
        random = legacy_random_state(self.random_state)
        progress = Progress(ONE_ERROR if held is None else self.tol)
        outputs = self._moving(self._start(encoder.width, random))
        self._begin()
        while not self.converged_ and not self._waited_enough(progress) and len(self.history_) < self.max_iter:
            errors = self._pass(walk, outputs, random, self.max_iter - len(self.history_) if held is None else 1)
            if held is None:
                self._look(progress, errors, len(walk.labels))
                continue
            assert self.validation_scores_ is not None
            self.validation_scores_.append(held.accuracy(outputs.weights))
            progress.look(-self.validation_scores_[-1])
            self.converged_ = not errors.any() or self._waited_enough(progress)
        return self._end(encoder, outputs)

    def _divided(
        self, encoder: DenseEncoder, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None
    ) -> tuple[PerceptronRun, HeldOut | None]:
        """Return the rows to learn from, and those held out if there are any."""
        learned, held = held_out_rows(self, y)
        if not len(held):
            return self._walk_over(encoder, matrix, y, weight), None
        part, other = (None, None) if weight is None else (weight[learned], weight[held])
        walk = self._walk_over(encoder, matrix.take(learned), y[learned], part)
        return walk, HeldOut(encoder.transform(matrix.take(held)), y[held], other)

    def _walk_over(
        self, encoder: DenseEncoder, matrix: EncodedMatrix, codes: np.ndarray, weight: np.ndarray | None
    ) -> PerceptronRun:
        return PerceptronRun.over(encoder, matrix, codes, weight, look=Penalty.of(self) is not None)

    def _begin(self) -> None:
        self.history_, self.converged_ = History(), False
        self.validation_scores_ = [] if self.early_stopping else None

    def _end(self, encoder: DenseEncoder, outputs: MovingWeights) -> LinearModel:
        self.n_iter_ = len(self.history_)
        if not self.converged_ and self.tol is not None:
            warn(self._unfinished(), ConvergenceWarning)
        return self._publish(self._as_model(encoder, outputs.weights))

    def _moving(self, weights: np.ndarray) -> MovingWeights:
        return moving_weights(weights, Penalty.of(self))

    def _rates(self) -> Rates:
        return Rates(float(self.eta0), bool(self.fit_intercept))

    def _look(self, progress: Progress, errors: np.ndarray, rows: int) -> None:
        """Take the errors of passes, (passes, K), over so many rows."""
        for of_pass in errors:
            progress.look(int(of_pass.sum()))
        mean_error = float(errors[-1].max() / rows)
        self.converged_ = mean_error == 0 or (self.tol is not None and mean_error < self.tol)

    def _waited_enough(self, progress: Progress) -> bool:
        return 0 < self._patience() <= progress.waited

    def _patience(self) -> int:
        """Return how many passes without progress end training; 0 is any number."""
        if self.n_iter_no_change == "auto":
            return _PATIENCE if self.early_stopping else 0
        return int(self.n_iter_no_change or 0)

    def _unfinished(self) -> Message:
        """Say why training ended before it converged."""
        if self.validation_scores_:
            return Message(
                "validation-not-converged",
                "The accuracy on the hold-out set ({accuracy:.1%} after pass {n_iter:,}) was still changing: training "
                "converges after {patience:,} {patience:pass|passes} without progress. Raise max_iter or tol.",
                accuracy=float(self.validation_scores_[-1]),
                n_iter=int(self.n_iter_),
                patience=self._patience(),
            )
        wrong, n_iter = float(self.history_[-1].mean_error), int(self.n_iter_)
        if self.n_iter_ == self.max_iter:
            return Message(
                "passes-used-up",
                "{wrong:.1%} of the predictions in pass {n_iter:,} were still wrong. Either no hyperplane separates "
                "the classes, or max_iter is too small.",
                wrong=wrong,
                n_iter=n_iter,
            )
        return Message(
            "passes-without-progress",
            "{wrong:.1%} of the predictions in pass {n_iter:,} were still wrong. Either no hyperplane separates the "
            "classes, or training stopped too early, after {patience:,} {patience:pass|passes} without fewer errors "
            "(n_iter_no_change).",
            wrong=wrong,
            n_iter=n_iter,
            patience=self._patience(),
        )

    def _refuse_passes(self) -> None:
        super()._refuse_passes()
        if self.shuffle and self.shuffle != "auto":
            raise NotSupportedError(
                "shuffle-in-memory",
                "shuffle=True visits the rows in random order, which needs all of them in memory. A "
                "scanned table is visited in the order of its rows.",
            )
        if self.early_stopping:
            raise NotSupportedError(
                "early-stopping-in-memory",
                "early_stopping=True keeps a hold-out set in memory. On a scanned table, training ends "
                "by tol or max_iter. Set early_stopping=False.",
            )

    def _passes(self, facts: TableSummary) -> Passes:
        encoder = yield from encoder_passes(self, facts)
        outputs = self._moving(self._start(encoder.width, check_random_state(self.random_state)))
        self._begin()
        step, progress = partial(_visit_chunk, encoder, self._rates()), Progress(ONE_ERROR)
        while not self.converged_ and not self._waited_enough(progress) and len(self.history_) < self.max_iter:
            name = f"rows in order, pass {len(self.history_) + 1}"
            start = (outputs, np.zeros(self._outputs(), dtype=np.int64))
            outputs, errors = yield passes.SequentialPass(name, start, step)
            self.history_.add(outputs.weights[None].copy(), errors[None], facts.n_rows)
            self._look(progress, errors[None], facts.n_rows)
        return self._end(encoder, outputs)

    def partial_fit(
        self, X: TableLike, y: ColumnLike, classes: Any = None, sample_weight: ColumnLike | None = None
    ) -> Self:
        """Learn online: visit each of these rows once, from the present weights.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
            The first chunk also fixes the encoding.
        y : array-like of shape (n_samples,)
        classes : array-like
            All classes; needed on the first call.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        self._validate_params()
        if self.early_stopping:
            raise NotSupportedError(
                "early-stopping-in-partial-fit",
                "partial_fit makes one pass over all its rows, without a hold-out set. early_stopping must be False.",
            )
        chunk = self._take_chunk(X, y, classes, sample_weight)
        random = check_random_state(self.random_state)
        if chunk.first:
            self._begin()
        outputs = self._moving(self._start(chunk.encoder.width, random) if chunk.first else self._present_weights())
        self._pass(self._walk_over(chunk.encoder, chunk.matrix, chunk.codes, chunk.weight), outputs, random)
        self.n_iter_ = len(self.history_)
        return self._keep_chunk(chunk, self._publish(self._as_model(chunk.encoder, outputs.weights)))

    def _start(self, width: int, random: np.random.RandomState) -> np.ndarray:
        shape = (self._outputs(), width + 1)
        held = self._held_start(shape)
        if held is not None:
            return held
        return random.normal(scale=0.01, size=shape) if self.init == "random" else np.zeros(shape)

    def _encoding(self) -> dict[str, bool]:
        return {"look": False}  # a pass over the rows notices infinite numbers

    def _notices_nonfinite(self) -> bool:
        """Whether fitting refuses infinite numbers by itself: a pass over the rows sees them."""
        return self.preprocess is None

    def _pass(
        self, walk: PerceptronRun, outputs: MovingWeights, random: np.random.RandomState, most: int = 1
    ) -> np.ndarray:
        """Pass over the rows, at most so often, until training ends; in a new order every time only once.

        Returns the errors of each pass.
        """
        n = len(walk.labels)
        order = random.permutation(n).astype(np.int64) if self.shuffle else None
        limits = Limits(1 if self.shuffle else most, float(self.tol or 0.0), self._patience())
        moved = outputs.visit(walk, order, self._rates(), limits)
        if not moved.sound:
            walk.encoder.refuse_nonfinite(walk.matrix)
            if Penalty.of(self) is not None:
                raise InputError(
                    "diverging-coefficients",
                    "The coefficients diverged. Scale the columns, as preprocess='auto' does, or lower eta0 or alpha.",
                )
        self.history_.add(moved.weights, moved.errors, n)
        return moved.errors

    def _as_model(self, encoder: DenseEncoder, weights: np.ndarray) -> LinearModel:
        return LinearModel(encoder, weights[:, :-1].copy(), weights[:, -1].copy(), probabilistic=False)


def held_out_rows(perceptron: Any, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to learn from and those held out, which are none without ``early_stopping``."""
    if perceptron.early_stopping:
        return inner_split(perceptron, y, len(perceptron.classes_))
    return np.arange(len(y)), np.empty(0, dtype=np.int64)


def _visit_chunk(
    encoder: DenseEncoder, rates: Rates, state: tuple[MovingWeights, np.ndarray], chunk: Chunk
) -> tuple[MovingWeights, np.ndarray]:
    """Visit the rows of a chunk after those before it."""
    outputs = deepcopy(state[0])  # the state before stays as it was, in case the step is made again
    walk = PerceptronRun.over(encoder, chunk.matrix, chunk.y, chunk.weight)
    return outputs, state[1] + outputs.visit(walk, None, rates).errors[-1]


class Division:
    """The rows that are learned from, and those held out.

    Parameters
    ----------
    encoder : DenseEncoder
    matrix : EncodedMatrix
        All rows.
    held : ndarray of int
        The rows held out; may be none.
    """

    def __init__(self, encoder: DenseEncoder, matrix: EncodedMatrix, held: np.ndarray) -> None:
        n = matrix.n_rows
        self.held, self.learned = held, np.setdiff1d(np.arange(n), held)
        # Where a row is among those that are learned from; -1 for the others.
        self.place = np.full(n, -1)
        self.place[self.learned] = np.arange(len(self.learned))
        part = matrix.take(self.learned) if len(held) else matrix
        self.walk = PerceptronRun.over(encoder, part, np.zeros(len(self.learned), dtype=np.int64), None)
        self.held_rows = encoder.transform(matrix.take(held)) if len(held) else None


class Order:
    """The orders in which an output visits the rows, as scikit-learn draws them."""

    def __init__(self, seed: Any) -> None:
        self.random = legacy_random_state(seed)
        # scikit-learn draws a number that it does not use before that of the order.
        self.random.randint(1, _LARGEST_SEED)

    def of(self, n: int, shuffle: bool) -> Iterator[np.ndarray]:
        """Yield the order of each pass over n rows."""
        moved = _core.visiting_order(n, int(self.random.randint(_LARGEST_SEED)))
        order = np.arange(n)
        while True:
            order = order[moved] if shuffle else order
            yield order


@estimator
class VisitingPerceptron(Perceptron):
    """A perceptron whose outputs each visit the rows in their own order, and end when they make no more progress.

    Parameters
    ----------
    n_iter_no_change : int
        Passes without progress by ``tol`` after which an output has learned.
    tol : float or None
        How far the mean loss must fall, or the accuracy on rows held out must rise; None goes on to the last pass.
    early_stopping : bool
        Whether rows are held out, by whose accuracy an output ends.
    """

    _scales_weights = False
    # scikit-learn's class has checked them.
    _parameter_constraints = {"tol": [object], "l1_ratio": [object]}

    tol: Any = 1e-3
    n_iter_no_change: int = 5

    # Where the learning starts, if not at zero; the weight of each class, and of each row (also 0: it is visited).
    start_: Any = field(init=False)
    factors_: np.ndarray = field(init=False)
    row_weights_: Any = field(init=False)

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> LinearModel:
        encoder = DenseEncoder.learn(matrix, None, None)
        weight = np.ones(len(y)) if self.row_weights_ is None else self.row_weights_
        k = self._outputs()
        weights = np.zeros((k, encoder.width + 1))
        if self.__dict__.get("start_") is not None:
            weights[:] = self.start_
        passes = []
        if k == 1:
            order = Order(self.random_state)  # scikit-learn draws a first number before it holds rows out
            division = Division(encoder, matrix, self._draw_held_out(y, weight))
            labels = y.astype(np.int32)
            weights[0], steps = self._visit(labels, weight, self.factors_, division, weights[0], order)
            passes.append(steps)
        else:
            # All outputs hold out the same rows, by all classes.
            division = Division(encoder, matrix, self._draw_held_out(y, weight))
            seeds = legacy_random_state(self.random_state).randint(_LARGEST_SEED, size=k)
            for at, seed in enumerate(seeds):
                # Against the rest only the class itself is weighed.
                factors = np.array([1.0, self.factors_[at]])
                labels = (y == at).astype(np.int32)
                weights[at], steps = self._visit(labels, weight, factors, division, weights[at], Order(seed))
                passes.append(steps)
        self.n_iter_ = max(passes)
        return self._publish(self._as_model(encoder, weights))

    def _draw_held_out(self, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return the rows that are held out, as scikit-learn draws them."""
        if not self.early_stopping:
            return np.empty(0, dtype=np.int64)
        split = StratifiedShuffleSplit(test_size=self.validation_fraction, random_state=self.random_state)
        _, held = next(split.split(np.zeros((len(y), 1)), y))
        if not weight[held].any():
            raise ValueError(
                "The sample weights for validation set are all zero, consider using a different random state."
            )
        return np.asarray(held)

    def _visit(
        self,
        labels: np.ndarray,
        weight: np.ndarray,
        factors: np.ndarray,
        division: Division,
        weights: np.ndarray,
        order: Order,
    ) -> tuple[np.ndarray, int]:
        """Pass over the rows until there is no more progress; return the weights and the number of passes.

        Labels are 1 where a row is of the class of the output; ``factors`` are the weights of the two sides.
        """
        learned, out = labels[division.learned], division.held
        walk = division.walk._replace(labels=learned, weight=factors[learned] * weight[division.learned])
        held = HeldOut(division.held_rows, labels[out], weight[out]) if len(out) else None
        progress = Progress(self.tol)
        bias_rate = 1.0 if walk.matrix.sparse is None else _SPARSE_BIAS_RATE
        rates = Rates(float(self.eta0), bool(self.fit_intercept), at_zero=True, bias_rate=bias_rate)
        orders = order.of(len(labels), bool(self.shuffle))
        moving = self._moving(weights[None])
        for step in range(1, self.max_iter + 1):
            visited = division.place[next(orders)]
            moved = moving.visit(walk, visited[visited >= 0], rates)
            if not moved.sound:
                raise ValueError(
                    f"Floating-point under-/overflow occurred at epoch #{step}: scale the columns, for example with "
                    "StandardScaler."
                )
            # scikit-learn asks the rows held out by the weights without their common scale.
            worse = moved.loss / len(walk.labels) if held is None else -held.accuracy(moving.stored)
            if progress.look(worse) >= self.n_iter_no_change:
                return moving.weights[0], step
        return moving.weights[0], self.max_iter
