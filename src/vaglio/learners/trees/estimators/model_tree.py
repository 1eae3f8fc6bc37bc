"""The model tree M5 (Quinlan 1992; Wang and Witten 1997): a regression tree with linear models in its leaves."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from vaglio.encode import DenseEncoder, EncodedMatrix
from vaglio.learners.estimator import VaglioRegressor
from vaglio.learners.inputs import Unit, learn_column_reliability
from vaglio.learners.parameters import COUNT, COUNT_OR_PART, NOT_NEGATIVE, estimator
from vaglio.learners.trees.estimators.decision_tree import DecisionTreeRegressor
from vaglio.learners.trees.estimators.growing import grow
from vaglio.learners.trees.estimators.leaf_models import fit_nodes, smoothed, stopped
from vaglio.learners.trees.model.formulas import formulas_text
from vaglio.learners.trees.model.model_tree import ModelTree, cut_back
from vaglio.learners.trees.model.tree import Tree
from vaglio.messages.message import text


@estimator
class ModelTreeRegressor(VaglioRegressor):
    """Model tree M5: a regression tree whose leaves predict by a linear model.

    The tree is grown as that of :class:`DecisionTreeRegressor`. Then each node gets a linear model of the columns that
    are tested below it. Terms are dropped as long as its mean absolute error, times (n + v) / (n − v) for n rows and v
    parameters, does not rise. A node whose model is no worse than its subtree, times (n + 2v) / (n − v), becomes a
    leaf; a subtree has the parameters of its leaves and one for each test. At last the models are smoothed along the
    paths, which gives one linear model per leaf. A prediction never leaves the range of the training rows.

    Parameters
    ----------
    max_depth : int or None
        Largest number of tests on a path; None sets no limit.
    min_samples_leaf : int or float
        Fewest rows in a leaf, whatever they weigh; a float is a share of all rows.
    smoothing : float
        How many rows a model further up a path counts for, when it is averaged with that below it; 0 leaves the models
        of the leaves as they are.
    prune : bool
        Whether a node becomes a leaf if its linear model is no worse than its subtree.
    high_cardinality : float or None
        Correct the gain, and lower the indicators, of a nominal column for chance if it has more than ten values and
        more than this share of the number of training rows. None corrects no column.

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays; its nodes say the mean of their rows.
    reliability_ : dict of str to float
        For each nominal column of many values, the share of its information beyond chance (``high_cardinality``).

    Examples
    --------
    >>> import numpy as np, vaglio
    >>> X = np.linspace(-3, 3, 61)[:, None]
    >>> model = vaglio.ModelTreeRegressor(smoothing=0).fit(X, np.abs(X[:, 0]))
    >>> model.predict([[-2.55], [2.55]]).round(2)
    array([2.55, 2.55])
    """

    _learner_id = "model-tree"
    _scales_weights: ClassVar[bool] = True
    _writes_out_sparse: ClassVar[bool] = True
    # Which terms a node keeps is decided by absolute errors, which no sums over a pass give for models not yet known.
    _gathers = text("A model tree needs all rows in memory")
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_depth": [*COUNT, None],
        "min_samples_leaf": COUNT_OR_PART,
        "smoothing": NOT_NEGATIVE,
        "prune": ["boolean"],
        "high_cardinality": [*NOT_NEGATIVE, None],
    }

    max_depth: int | None = None
    min_samples_leaf: float = 4
    smoothing: float = 15.0
    prune: bool = True
    high_cardinality: float | None = 0.0
    unseen: Literal["missing", "error"] = "missing"
    n_jobs: int | None = None

    @property
    def tree_(self) -> Tree:
        """The tree as arrays."""
        return self._model().tree

    def apply(self, X: Any) -> np.ndarray:
        """Return the number of the leaf that each row reaches.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int64, shape (n_samples,)
        """
        return self.tree_.apply(self._encode(X))

    def get_depth(self) -> int:
        """Return the number of tests on the longest path."""
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self.tree_.n_leaves

    def rules(self) -> str:
        """Return the model as text: for each leaf a line with its conditions and its linear model."""
        return formulas_text(self._model(), self.fitted_.codebook.features)

    def _model(self) -> ModelTree:
        check_is_fitted(self, "fitted_")
        model = self.fitted_.model
        assert isinstance(model, ModelTree)
        return model

    def _growing(self) -> DecisionTreeRegressor:
        """The learner that grows the tree."""
        return DecisionTreeRegressor(
            max_depth=self.max_depth, min_samples_leaf=self.min_samples_leaf, high_cardinality=self.high_cardinality
        )

    def _grown(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Tree:
        """The tree before pruning."""
        tree = grow(self._growing(), matrix, y, weight, 0)
        counts = np.ones(len(y)) if weight is None else weight
        return stopped(tree, tree.apply(matrix), Unit.of(y, weight).scaled(y), counts)

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> ModelTree:
        tree = self._grown(matrix, y, weight)
        reliability = learn_column_reliability(self, matrix, y, weight)
        encoder = DenseEncoder.learn(matrix, weight, reliability=reliability)
        rows, target = np.asarray(encoder.transform(matrix)), Unit.of(y, weight)
        counts = np.ones(len(y)) if weight is None else weight
        owner = np.array([column.feature for column in encoder.origin], dtype=np.int64)
        leaf, models = fit_nodes(tree, tree.apply(matrix), rows, target.scaled(y), counts, owner, self.prune)
        pruned, old = cut_back(tree, leaf)
        start, column, coef, intercept = smoothed(
            pruned, [models[node] for node in old], encoder.width, float(self.smoothing)
        )
        bounds = np.array([y.min(), y.max()], dtype=np.float64)
        return ModelTree(pruned, encoder, start, column, target.back(coef), target.back(intercept), bounds)
