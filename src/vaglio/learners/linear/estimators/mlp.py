"""The multi-layer perceptron: scikit-learn's training, inside our table handling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.neural_network import MLPClassifier as ScikitLearnMLP
from sklearn.neural_network import MLPRegressor as ScikitLearnRegressor
from sklearn.utils._param_validation import Interval, StrOptions

from vaglio.encode import DenseEncoder, EncodedMatrix
from vaglio.engines.passes import Passes, TableSummary
from vaglio.errors import NotSupportedError, as_own_errors
from vaglio.learners.bases import available_if
from vaglio.learners.estimator import VaglioEstimator, VaglioRegressor
from vaglio.learners.inputs import Unit, learn_whole_reliability
from vaglio.learners.learned import Learned
from vaglio.learners.linear.estimators.linear_classifier import ChunkLearner, TakenChunk
from vaglio.learners.linear.model import NetworkModel
from vaglio.learners.linear.passes import encoder_passes, network_passes
from vaglio.learners.parameters import COUNT, FROM_0_TO_1, NOT_NEGATIVE, POSITIVE, estimator, parameters_of
from vaglio.messages.message import text
from vaglio.runtime.interrupts import noticing_interrupts
from vaglio.runtime.threads import one_blas_thread
from vaglio.typing import ClassWeight, ColumnLike, RandomState, SupportsArray, TableLike

# What scikit-learn's network tells of its training.
_OF_THE_NETWORK = (
    "n_iter_",
    "loss_curve_",
    "best_loss_",
    "validation_scores_",
    "best_validation_score_",
    "n_layers_",
    "n_outputs_",
    "out_activation_",
    "t_",
)


@estimator
class _NetworkEstimator(VaglioEstimator):
    """Training by scikit-learn, inside our table handling.

    Parameters
    ----------
    hidden_layer_sizes : tuple of int
        Number of units of each hidden layer.
    activation : {"identity", "logistic", "tanh", "relu"}
        Function applied to the weighted sums of the hidden layers.
    solver : {"lbfgs", "sgd", "adam"}
        How the loss is minimised: limited-memory BFGS, stochastic gradient descent, or Adam.
    alpha : float
        Strength of the squared penalty.
    batch_size : int or "auto"
        Rows per step of "sgd" and "adam"; "auto" is 200, or all rows if there are fewer.
    learning_rate : {"constant", "invscaling", "adaptive"}
        Schedule of "sgd": constant, falling as ``t ** -power_t``, or divided by five when the loss stops falling.
    learning_rate_init : float
        First learning rate of "sgd" and "adam".
    power_t : float
        How fast the learning rate of "invscaling" falls.
    max_iter : int
        Largest number of iterations, for "sgd" and "adam" of passes over the rows.
    shuffle : bool
        Whether "sgd" and "adam" visit the rows in a new order in every pass.
    random_state : int, RandomState or None
        Seed of the first weights, of the order of the rows and of the rows kept apart for early stopping.
    tol : float
        Training ends when the loss (the validation score with ``early_stopping``) improves by less than this.
    momentum : float
        Share of the last step that "sgd" adds to the next one.
    nesterovs_momentum : bool
        Whether "sgd" uses Nesterov's momentum.
    early_stopping : bool
        Whether "sgd" and "adam" keep rows apart and stop when the accuracy on them no longer improves.
    validation_fraction : float
        Share of the rows kept apart for early stopping.
    beta_1 : float
        Decay of the mean of the gradients in "adam".
    beta_2 : float
        Decay of the mean of the squared gradients in "adam".
    epsilon : float
        Added to denominators of "adam", so that none is zero.
    n_iter_no_change : int
        Passes without an improvement of ``tol`` after which "sgd" and "adam" stop.
    max_fun : int
        Largest number of evaluations of the loss by "lbfgs".
    verbose : bool
        Print the loss of every pass.
    warm_start : bool
        Whether a further fit starts from the present weights.
    high_cardinality : float or None
        Leave out a nominal column of more than ten values (and more than this share of the number of training rows) of
        which tells less than chance does on average. None leaves out none.

    Attributes
    ----------
    coefs_ : list of ndarray
        Weights between each layer and the next.
    intercepts_ : list of ndarray
        Biases of each layer after the first.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns, the units of the first layer.
    n_iter_ : int
        Number of iterations.
    loss_ : float
        Loss at the end.
    loss_curve_ : list of float
        Loss after each pass; of the solvers "sgd" and "adam", as what follows.
    best_loss_ : float or None
        Least loss of a pass; None with ``early_stopping``.
    validation_scores_ : list of float or None
        With ``early_stopping``, the accuracy on the rows kept apart after each pass.
    best_validation_score_ : float or None
        The best of them.
    n_layers_ : int
        Number of layers, the columns and the classes included.
    n_outputs_ : int
        Units of the last layer.
    out_activation_ : str
        Function of the last layer.
    t_ : int
        Rows seen by "sgd" and "adam".
    reliability_ : dict of str to float
        For each nominal column of many values, the share of its information beyond chance (``high_cardinality``); a
        column of 0 is left out, and so is one that tells less than chance on average.
    """

    _learner_id = "mlp"
    _accepts_sparse = True
    # scikit-learn's network, and the parameters it does not take.
    _theirs: ClassVar[Any]
    _ours: ClassVar[tuple[str, ...]] = ("preprocess", "high_cardinality")
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "hidden_layer_sizes": ["array-like", *COUNT],
        "activation": [StrOptions({"identity", "logistic", "tanh", "relu"})],
        "solver": [StrOptions({"lbfgs", "sgd", "adam"})],
        "alpha": NOT_NEGATIVE,
        "batch_size": [StrOptions({"auto"}), *COUNT],
        "learning_rate": [StrOptions({"constant", "invscaling", "adaptive"})],
        "learning_rate_init": POSITIVE,
        "power_t": NOT_NEGATIVE,
        "max_iter": COUNT,
        "shuffle": ["boolean"],
        "tol": NOT_NEGATIVE,
        "momentum": FROM_0_TO_1,
        "nesterovs_momentum": ["boolean"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="left")],
        "beta_1": [Interval(Real, 0, 1, closed="left")],
        "beta_2": [Interval(Real, 0, 1, closed="left")],
        "epsilon": POSITIVE,
        "n_iter_no_change": COUNT,
        "max_fun": COUNT,
        "verbose": ["boolean"],
        "warm_start": ["boolean"],
    }

    hidden_layer_sizes: int | Sequence[int] | SupportsArray = field(default=(100,), kw_only=False)
    activation: Literal["identity", "logistic", "tanh", "relu"] = field(default="relu", kw_only=False)
    solver: Literal["lbfgs", "sgd", "adam"] = "adam"
    alpha: float = 0.0001
    batch_size: int | Literal["auto"] = "auto"
    learning_rate: Literal["constant", "invscaling", "adaptive"] = "constant"
    learning_rate_init: float = 0.001
    power_t: float = 0.5
    max_iter: int = 200
    shuffle: bool = True
    random_state: RandomState = 0
    tol: float = 1e-4
    momentum: float = 0.9
    nesterovs_momentum: bool = True
    early_stopping: bool = False
    validation_fraction: float = 0.1
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8
    n_iter_no_change: int = 10
    max_fun: int = 15000
    verbose: bool = False
    warm_start: bool = False
    preprocess: Literal["auto"] | None = "auto"
    high_cardinality: float | None = 0.0

    coefs_ = Learned[list[np.ndarray]]("weights")
    intercepts_ = Learned[list[np.ndarray]]("biases")
    encoded_names_: np.ndarray = field(init=False)
    n_iter_: int = field(init=False)
    loss_: float = field(init=False)
    loss_curve_: list[float] = field(init=False)
    best_loss_: float | None = field(init=False)
    validation_scores_: list[float] | None = field(init=False)
    best_validation_score_: float | None = field(init=False)
    n_layers_: int = field(init=False)
    n_outputs_: int = field(init=False)
    out_activation_: str = field(init=False)
    t_: int = field(init=False)

    def _takes_tables(self) -> bool:
        return self.preprocess is not None

    def _encoder(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> DenseEncoder:
        belief = learn_whole_reliability(self, matrix, y, weight)
        return DenseEncoder.learn(matrix, weight, self.preprocess, reliability=belief)

    def _network(self, go_on: bool = False) -> Any:
        """Return the network to train: a new one, or the present one with the present weights."""
        settings = {name: value for name, value in parameters_of(self).items() if name not in self._ours}
        if "fitted_" not in vars(self) or not (go_on or self.warm_start):
            return self._theirs(**settings)
        self._held.set_params(**settings)
        self._held.coefs_, self._held.intercepts_ = self.coefs_, self.intercepts_
        return self._held

    def _as_model(self, encoder: DenseEncoder, network: Any) -> NetworkModel:
        self._held = network
        for name in _OF_THE_NETWORK:
            self.__dict__.pop(name, None)
            if hasattr(network, name):
                setattr(self, name, getattr(network, name))
        self.loss_ = float(network.loss_)
        self.encoded_names_ = np.array(encoder.names, dtype=object)
        weights = tuple(np.ascontiguousarray(layer, dtype=np.float64) for layer in network.coefs_)
        biases = tuple(np.asarray(bias, dtype=np.float64) for bias in network.intercepts_)
        return NetworkModel(encoder, weights, biases, network.activation)


@estimator
class MLPClassifier(_NetworkEstimator, ChunkLearner):
    """Multi-layer perceptron: layers of weighted sums with a nonlinear function in between, trained by gradient.

    The training is scikit-learn's :class:`~sklearn.neural_network.MLPClassifier`, whose parameters it takes; nominal
    columns are one-hot encoded, numbers standardised and missing values imputed inside.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("iris").xy("species")
    >>> vaglio.MLPClassifier((8,), solver="lbfgs").fit(X, y).score(X, y) > 0.95
    True
    """

    _min_classes = 2
    _needs_every_class = True
    _theirs = ScikitLearnMLP
    _ours = ("calibrate", "class_weight", "preprocess", "high_cardinality")

    class_weight: ClassWeight = None

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> NetworkModel:
        encoder, network = self._encoder(matrix, y, weight), self._network()
        _train(network, encoder.transform(matrix), y, weight)
        return self._as_model(encoder, network)

    def _refuse_passes(self) -> None:
        super()._refuse_passes()
        fixed = self.solver == "adam" or (self.solver == "sgd" and self.learning_rate == "constant")
        if not fixed or self.early_stopping:
            raise NotSupportedError(
                "network-in-memory",
                "On a scanned table a network trains by mini-batches, with solver='adam', or 'sgd' with "
                "a constant learning rate, and without early_stopping. Other settings need all rows in "
                "memory.",
            )

    def _passes(self, facts: TableSummary) -> Passes:
        encoder = yield from encoder_passes(self, facts, whole=True)
        batch = min(200, facts.n_rows) if self.batch_size == "auto" else min(int(self.batch_size), facts.n_rows)
        # A batch is given whole and in order: what scikit-learn would shuffle or divide is decided here.
        network = self._network().set_params(shuffle=False)
        limits = (batch, self.max_iter, float(self.tol), self.n_iter_no_change)
        network, curve = yield from network_passes(network, encoder, facts, *limits)
        network.loss_curve_, network.n_iter_ = curve, len(curve)
        network.loss_, network.best_loss_ = curve[-1], min(curve)
        return self._as_model(encoder, network)

    @available_if(lambda self: self.solver != "lbfgs")
    def partial_fit(
        self, X: TableLike, y: ColumnLike, *, classes: Any = None, sample_weight: ColumnLike | None = None
    ) -> Self:
        """Learn from a chunk of a larger table: one pass of "sgd" or "adam" from the present weights.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
            The first chunk also fixes the encoding: let it be typical.
        y : array-like of shape (n_samples,)
        classes : array-like
            All classes; needed on the first call.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        chunk = self._take_chunk(X, y, classes, sample_weight)
        network, labels = self._network(go_on=not chunk.first), np.arange(len(self.classes_))
        rows = chunk.encoder.transform(chunk.matrix)
        with one_blas_thread(), as_own_errors():
            network.partial_fit(rows, chunk.codes, sample_weight=chunk.weight, classes=labels)
        return self._keep_chunk(chunk, self._as_model(chunk.encoder, network))

    def adopt(self, network: ScikitLearnMLP, X: TableLike, y: ColumnLike) -> Self:
        """Take over a network that scikit-learn has trained, so that it can be explained and saved.

        Parameters
        ----------
        network : sklearn.neural_network.MLPClassifier
            Trained on one class per row.
        X : array or sparse matrix of shape (n_samples, n_features)
            The numbers it was trained on.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self
        """
        codebook, matrix = self._encode_training(X)
        self.classes_ = network.classes_
        codes = np.searchsorted(self.classes_, np.asarray(y).ravel())
        encoder = DenseEncoder.learn(matrix, None, None)
        return self._keep_chunk(TakenChunk(True, codebook, encoder, matrix, codes), self._as_model(encoder, network))


@estimator
class MLPRegressor(_NetworkEstimator, VaglioRegressor):
    """Multi-layer perceptron for numbers: layers of weighted sums with a nonlinear function in between.

    The training is scikit-learn's :class:`~sklearn.neural_network.MLPRegressor`, whose parameters it takes; nominal
    columns are one-hot encoded, numbers standardised and missing values imputed inside. The target is standardised too,
    so that its unit does not change the model; ``loss_`` is that of the standardised one.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("body_mass_g", task="regression")
    >>> vaglio.MLPRegressor((8,), solver="lbfgs").fit(X, y).score(X, y) > 0.85
    True
    """

    _theirs = ScikitLearnRegressor
    _gathers = text("A network for numbers needs all rows in memory")

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> NetworkModel:
        encoder, network, target = self._encoder(matrix, y, weight), self._network(), Unit.of(y, weight)
        numbers = target.scaled(y)
        middle = float(np.average(numbers, weights=weight))
        if hasattr(network, "coefs_"):  # a warm start goes on from weights in the unit of the table
            network.coefs_ = [*network.coefs_[:-1], target.scaled(network.coefs_[-1])]
            network.intercepts_ = [*network.intercepts_[:-1], target.scaled(network.intercepts_[-1]) - middle]
        _train(network, encoder.transform(matrix), numbers - middle, weight)
        if (y == y[0]).all():  # nothing to learn but the number itself
            network.coefs_[-1] = np.zeros_like(network.coefs_[-1])
            network.intercepts_[-1] = np.zeros_like(network.intercepts_[-1])
        # The last layer is a weighted sum: in the unit of the table its weights are as many times as large.
        network.coefs_[-1] = target.back(network.coefs_[-1])
        network.intercepts_[-1] = target.back(network.intercepts_[-1] + middle)
        return self._as_model(encoder, network)


def _train(network: Any, rows: Any, target: np.ndarray, weight: np.ndarray | None) -> None:
    """Fit a network of scikit-learn, which checks the sizes of the layers only then."""
    with noticing_interrupts() as interrupts, as_own_errors():  # interrupted, it would return the half-trained network
        network.fit(rows, target, sample_weight=weight)
    interrupts.check()
