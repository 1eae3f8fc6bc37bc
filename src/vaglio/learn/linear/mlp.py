"""The multi-layer perceptron: scikit-learn's training, inside our table handling."""

from __future__ import annotations

from dataclasses import field
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.neural_network import MLPClassifier as ScikitLearnMLP
from sklearn.utils._param_validation import Interval, StrOptions

from vaglio.encode import DenseEncoder, EncodedMatrix
from vaglio.learn._parameters import COUNT, FROM_0_TO_1, NOT_NEGATIVE, POSITIVE, estimator
from vaglio.learn.estimator import VaglioClassifier
from vaglio.learn.inputs import learn_belief
from vaglio.model.linear.mlp import NetworkModel


@estimator
class MLPClassifier(VaglioClassifier):
    """Multi-layer perceptron: layers of weighted sums with a nonlinear function in between, trained by gradient.

    The training is scikit-learn's :class:`~sklearn.neural_network.MLPClassifier`, whose parameters it takes; nominal
    columns are one-hot encoded, numbers standardised and missing values imputed inside.

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
        Loss after each pass; of the solvers "sgd" and "adam".
    reliability_ : dict of str to float
        For each nominal column of many values, the part of what it tells that is beyond chance (``nominal_guard``); a
        column of 0 has no effect.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("iris").xy("species")
    >>> vaglio.MLPClassifier((8,), solver="lbfgs").fit(X, y).score(X, y) > 0.95
    True
    """

    _learner_id = "mlp"
    _min_classes = 2
    _needs_every_class = True
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
    }

    hidden_layer_sizes: Any = field(default=(100,), kw_only=False)
    activation: str = field(default="relu", kw_only=False)
    solver: str = "adam"
    alpha: float = 0.0001
    batch_size: int | str = "auto"
    learning_rate: str = "constant"
    learning_rate_init: float = 0.001
    power_t: float = 0.5
    max_iter: int = 200
    shuffle: bool = True
    random_state: Any = 0
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
    class_weight: Any = None
    preprocess: str | None = "auto"
    nominal_guard: float | None = 0.0

    coefs_: list[np.ndarray] = field(init=False)
    intercepts_: list[np.ndarray] = field(init=False)
    encoded_names_: np.ndarray = field(init=False)
    n_iter_: int = field(init=False)
    loss_: float = field(init=False)

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> NetworkModel:
        encoder = DenseEncoder.learn(matrix, weight, self.preprocess, reliability=learn_belief(self, matrix, y, weight))
        ours = ("class_weight", "preprocess", "nominal_guard")
        settings = {name: value for name, value in self.get_params().items() if name not in ours}
        network = ScikitLearnMLP(**settings).fit(encoder.transform(matrix), y, sample_weight=weight)
        self.coefs_, self.intercepts_ = network.coefs_, network.intercepts_
        self.n_iter_, self.loss_ = network.n_iter_, float(network.loss_)
        if hasattr(network, "loss_curve_"):
            self.loss_curve_ = network.loss_curve_
        self.encoded_names_ = np.array(encoder.names, dtype=object)
        weights = tuple(np.ascontiguousarray(layer, dtype=np.float64) for layer in network.coefs_)
        biases = tuple(np.asarray(bias, dtype=np.float64) for bias in network.intercepts_)
        return NetworkModel(encoder, weights, biases, self.activation)
