"""The perceptron (Rosenblatt 1958): move the hyperplane whenever a row falls on the wrong side."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self, overload

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from vaglio import _core
from vaglio.encode import DenseEncoder, EncodedMatrix
from vaglio.errors import NotSupportedError
from vaglio.learn._parameters import COUNT, FROM_0_TO_1, POSITIVE, estimator
from vaglio.learn.linear._encoding_passes import encoder_passes
from vaglio.learn.linear._linear_classifier import LinearClassifier, as_labels
from vaglio.model.linear.linear import LinearModel
from vaglio.scale import passes
from vaglio.scale.passes import Chunk, Facts, Passes


@dataclass(frozen=True)
class Epoch:
    """One pass over the rows.

    Attributes
    ----------
    errors : ndarray of int
        Wrong predictions of each output, counted before the weights moved.
    mean_error : float
        Largest share of wrong predictions of any output.
    coef, intercept : ndarray
        The weights after the pass, in the encoded space.
    """

    errors: np.ndarray
    mean_error: float
    coef: np.ndarray
    intercept: np.ndarray


class History(Sequence[Epoch]):
    """The passes in their order; an :class:`Epoch` is made when it is asked for, since there may be thousands."""

    def __init__(self) -> None:
        self._parts: list[tuple[np.ndarray, np.ndarray, int]] = []
        self._ends: list[int] = []

    def add(self, weights: np.ndarray, errors: np.ndarray, rows: int) -> None:
        """Append passes over so many rows: the weights after each, (passes, K, width + 1), and the errors."""
        self._parts.append((weights, errors, rows))
        self._ends.append(len(self) + len(errors))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, at: int) -> Epoch: ...
    @overload
    def __getitem__(self, at: slice) -> list[Epoch]: ...
    def __getitem__(self, at: int | slice) -> Epoch | list[Epoch]:
        if isinstance(at, slice):
            return [self[i] for i in range(len(self))[at]]
        place = range(len(self))[at]
        part = bisect_right(self._ends, place)
        weights, errors, rows = self._parts[part]
        t = place - self._ends[part]  # counted from the end of the part
        return Epoch(errors[t], float(errors[t].max() / rows), weights[t, :, :-1], weights[t, :, -1])


class Walk(NamedTuple):
    """Rows as the kernel of a pass takes them."""

    encoder: DenseEncoder
    matrix: EncodedMatrix
    kernel: Callable[..., Any]
    rows: tuple[np.ndarray, ...]
    labels: np.ndarray
    weight: np.ndarray | None

    @classmethod
    def over(cls, encoder: DenseEncoder, matrix: EncodedMatrix, codes: np.ndarray, weight: np.ndarray | None) -> Walk:
        rows = encoder.transform(matrix, look=matrix.sparse is not None)
        if isinstance(rows, np.ndarray):
            return cls(encoder, matrix, _core.perceptron_passes, (rows,), as_labels(codes), weight)
        csr = (rows.data.astype(np.float64), rows.indices.astype(np.int32), rows.indptr.astype(np.int64))
        return cls(encoder, matrix, _core.perceptron_passes_sparse, csr, as_labels(codes), weight)


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
        Training ends when the share of wrong predictions in a pass is below it; None goes on until none is wrong.
    shuffle : bool
        Visit the rows in a new random order in every pass.
    init : {"zero", "random"}
        Start from zero weights or from small random ones.
    random_state : int, RandomState or None
        Seed of the order of the rows and of random starting weights.

    Attributes
    ----------
    converged_ : bool
        Whether the mean error fell below ``tol`` or to 0: always in the end if a hyperplane separates the classes.
    history_ : sequence of Epoch
        Errors and weights of every pass.
    n_iter_ : int
        Number of passes.

    Notes
    -----
    A row's weight scales its step. Since rows are visited one after the other, a weight of two is not the same as the
    row twice.

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
        "shuffle": ["boolean"],
        "init": [StrOptions({"zero", "random"})],
    }

    eta0: float = 1.0
    max_iter: int = 1000
    tol: float | None = 1e-3
    shuffle: bool = False
    init: str = "zero"

    converged_: bool = field(init=False)
    history_: History = field(init=False)
    n_iter_: int = field(init=False)

    # A perceptron's values are no log-odds: hasattr(estimator, "predict_proba") must be false.
    @property
    def predict_proba(self) -> Any:
        raise AttributeError("A perceptron gives no probabilities: use decision_function, or LogisticRegression.")

    @property
    def predict_log_proba(self) -> Any:
        raise AttributeError("A perceptron gives no probabilities: use decision_function, or LogisticRegression.")

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> LinearModel:
        encoder = self._encoder(matrix, y, weight, look=False)
        walk, random = Walk.over(encoder, matrix, y, weight), check_random_state(self.random_state)
        weights = self._start(encoder.width, random)
        self.history_, self.converged_ = History(), False
        while not self.converged_ and len(self.history_) < self.max_iter:
            weights = self._pass(walk, weights, random, self.max_iter - len(self.history_))
            self.converged_ = self._has_learned(self.history_[-1].mean_error)
        self.n_iter_ = len(self.history_)
        self._say_unless_converged()
        return self._publish(self._as_model(encoder, weights))

    def _has_learned(self, mean_error: float) -> bool:
        return mean_error == 0 or (self.tol is not None and mean_error < self.tol)

    def _say_unless_converged(self) -> None:
        if not self.converged_ and self.tol is not None:
            warnings.warn(
                f"{self.history_[-1].mean_error:.1%} of the predictions in pass {self.n_iter_} were still wrong: "
                "either no hyperplane separates the classes or max_iter is too small.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _refuse_passes(self) -> None:
        super()._refuse_passes()
        if self.shuffle:
            raise NotSupportedError(
                "shuffle=True visits the rows in random order, which needs all of them in memory: a lazy table is "
                "visited in the order of its rows."
            )

    def _passes(self, facts: Facts) -> Passes:
        encoder = yield from encoder_passes(self, facts)
        weights = self._start(encoder.width, check_random_state(self.random_state))
        self.history_, self.converged_ = History(), False
        step = partial(_walk, encoder, float(self.eta0), bool(self.fit_intercept))
        while not self.converged_ and len(self.history_) < self.max_iter:
            name = f"rows in order, pass {len(self.history_) + 1}"
            start = (weights, np.zeros(len(weights), dtype=np.int64))
            weights, errors = yield passes.Walk(name, start, step)
            mean_error = float(errors.max() / facts.n_rows)
            self.history_.add(weights[None].copy(), errors[None], facts.n_rows)
            self.converged_ = self._has_learned(mean_error)
        self.n_iter_ = len(self.history_)
        self._say_unless_converged()
        return self._publish(self._as_model(encoder, weights))

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
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
        first = not hasattr(self, "fitted_")
        codebook, matrix, codes, weight = self._take_chunk(X, y, classes, sample_weight)
        random = check_random_state(self.random_state)
        if first:
            encoder = self._encoder(matrix, codes, weight, look=False)
            weights = self._start(encoder.width, random)
            self.history_, self.converged_ = History(), False
        else:
            encoder = self._model().encoder
            weights = np.column_stack([self._model().coef, self.intercept_])
        weights = self._pass(Walk.over(encoder, matrix, codes, weight), weights, random)
        self.n_iter_ = len(self.history_)
        self._keep_chunk(codebook, self._publish(self._as_model(encoder, weights)), matrix, codes)
        return self

    def _start(self, width: int, random: np.random.RandomState) -> np.ndarray:
        shape = (self._outputs(), width + 1)
        held = self._held_start(shape)
        if held is not None:
            return held
        return random.normal(scale=0.01, size=shape) if self.init == "random" else np.zeros(shape)

    def _notices_nonfinite(self) -> bool:
        # A pass over the rows costs as much as a look for infinite numbers would, and sees them.
        return self.preprocess is None

    def _pass(self, walk: Walk, weights: np.ndarray, random: np.random.RandomState, most: int = 1) -> np.ndarray:
        """Pass over the rows, at most so often, until they are learned; in a new order every time only once."""
        n = len(walk.labels)
        order = random.permutation(n).astype(np.int64) if self.shuffle else None
        rates = (float(self.eta0), bool(self.fit_intercept), walk.weight)
        passed, errors, sound, _ = walk.kernel(
            *walk.rows,
            walk.labels,
            weights,
            order,
            *rates,
            passes=1 if self.shuffle else most,
            tolerance=float(self.tol or 0.0),
        )
        if not sound:
            walk.encoder.refuse_nonfinite(walk.matrix)
        self.history_.add(passed, errors, n)
        last: np.ndarray = passed[-1]
        return last

    def _as_model(self, encoder: DenseEncoder, weights: np.ndarray) -> LinearModel:
        return LinearModel(encoder, weights[:, :-1].copy(), weights[:, -1].copy(), probabilistic=False)


def _walk(
    encoder: DenseEncoder, rate: float, intercept: bool, state: tuple[np.ndarray, np.ndarray], chunk: Chunk
) -> tuple[np.ndarray, np.ndarray]:
    """Visit the rows of a chunk after those before it."""
    walk = Walk.over(encoder, chunk.matrix, chunk.y, chunk.weight)
    weights, errors, _, _ = walk.kernel(*walk.rows, walk.labels, state[0], None, rate, intercept, walk.weight)
    return weights[-1], state[1] + errors[-1]
