"""The multi-layer perceptron: scikit-learn's training, inside our table handling."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.neural_network import MLPClassifier as ScikitLearnMLP
from sklearn.utils._param_validation import Interval, StrOptions

from vaglio.encode import DenseEncoder, EncodedMatrix
from vaglio.learn._base import VaglioClassifier
from vaglio.model.linear.mlp import NetworkModel


class MLPClassifier(VaglioClassifier):
    """Multi-layer perceptron: layers of weighted sums with a bend in between, trained by gradient.

    The training is scikit-learn's :class:`~sklearn.neural_network.MLPClassifier`, whose parameters it takes; nominal
    columns are one-hot encoded, numbers standardised and missing values imputed inside.

    Parameters
    ----------
    hidden_layer_sizes : tuple of int, default=(100,)
    activation : {"identity", "logistic", "tanh", "relu"}, default="relu"
    solver : {"lbfgs", "sgd", "adam"}, default="adam"
    alpha : float, default=0.0001
        Strength of the squared penalty.
    batch_size : int or "auto", default="auto"
    learning_rate : {"constant", "invscaling", "adaptive"}, default="constant"
    learning_rate_init : float, default=0.001
    power_t : float, default=0.5
    max_iter : int, default=200
    shuffle : bool, default=True
    random_state : int, RandomState or None, default=0
    tol : float, default=1e-4
    momentum : float, default=0.9
    nesterovs_momentum : bool, default=True
    early_stopping : bool, default=False
    validation_fraction : float, default=0.1
    beta_1, beta_2, epsilon : float, default=0.9, 0.999 and 1e-8
    n_iter_no_change : int, default=10
    max_fun : int, default=15000
    class_weight : dict or "balanced", optional
    preprocess : {"auto"} or None, default="auto"
        One-hot encode, standardise and impute inside, or take X as it is.

    Attributes
    ----------
    coefs_, intercepts_ : list of ndarray
    n_iter_ : int
    loss_ : float
    loss_curve_ : list of float
        Of the solvers "sgd" and "adam".

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("iris").xy("species")
    >>> vaglio.MLPClassifier((8,), solver="lbfgs").fit(X, y).score(X, y) > 0.95
    True
    """

    _learner_id = "mlp"
    _min_classes = 2
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "hidden_layer_sizes": ["array-like", Interval(Integral, 1, None, closed="left")],
        "activation": [StrOptions({"identity", "logistic", "tanh", "relu"})],
        "solver": [StrOptions({"lbfgs", "sgd", "adam"})],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "batch_size": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "learning_rate": [StrOptions({"constant", "invscaling", "adaptive"})],
        "learning_rate_init": [Interval(Real, 0, None, closed="neither")],
        "power_t": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "momentum": [Interval(Real, 0, 1, closed="both")],
        "nesterovs_momentum": ["boolean"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="left")],
        "beta_1": [Interval(Real, 0, 1, closed="left")],
        "beta_2": [Interval(Real, 0, 1, closed="left")],
        "epsilon": [Interval(Real, 0, None, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "max_fun": [Interval(Integral, 1, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "preprocess": [StrOptions({"auto"}), None],
    }

    coefs_: list[np.ndarray]
    intercepts_: list[np.ndarray]
    encoded_names_: np.ndarray
    n_iter_: int
    loss_: float

    def __init__(
        self,
        hidden_layer_sizes: Any = (100,),
        activation: str = "relu",
        *,
        solver: str = "adam",
        alpha: float = 0.0001,
        batch_size: int | str = "auto",
        learning_rate: str = "constant",
        learning_rate_init: float = 0.001,
        power_t: float = 0.5,
        max_iter: int = 200,
        shuffle: bool = True,
        random_state: Any = 0,
        tol: float = 1e-4,
        momentum: float = 0.9,
        nesterovs_momentum: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        n_iter_no_change: int = 10,
        max_fun: int = 15000,
        class_weight: Any = None,
        preprocess: str | None = "auto",
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.class_weight = class_weight
        self.preprocess = preprocess

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> NetworkModel:
        encoder = DenseEncoder.learn(matrix, weight, self.preprocess)
        ours = ("class_weight", "preprocess")
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
