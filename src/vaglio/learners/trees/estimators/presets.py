"""The textbook trees: ID3 (Quinlan 1986), C4.5 (Quinlan 1993), CART (Breiman and others 1984), oblique trees.

Each is :class:`DecisionTreeClassifier`, or :class:`DecisionTreeRegressor`, with other defaults, and with the switches
of the grower that its book requires. They stand in one file, so that a reader can compare them.
"""

from __future__ import annotations

from vaglio.learners.parameters import estimator
from vaglio.learners.trees.estimators.decision_tree import (
    Criterion,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    MissingValues,
    NominalSplit,
    Pruning,
)
from vaglio.typing import RandomState


@estimator
class ID3Classifier(DecisionTreeClassifier):
    """ID3: information gain, one branch per value, no pruning.

    A :class:`DecisionTreeClassifier` with other defaults: ``criterion="entropy"``, ``nominal_split="multiway"``,
    ``missing="branch"``. A nominal column is not tested again below a node that tested it; a numeric column may be,
    with the branches < t and ≥ t; there is no split without a positive gain. ``high_cardinality=None``: columns of very
    many values are not corrected for chance, and attract it.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("play").xy("play")
    >>> vaglio.ID3Classifier().fit(X, y).score(X, y)
    1.0
    """

    _learner_id = "id3"
    _reuse_nominal = False
    _strict = True
    _require_gain = True

    criterion: Criterion = "entropy"
    nominal_split: NominalSplit = "multiway"
    missing: MissingValues = "branch"
    high_cardinality: float | None = None


@estimator
class C45Classifier(DecisionTreeClassifier):
    """C4.5: gain ratio, one branch per value, missing values distributed over the branches, error-based pruning.

    A :class:`DecisionTreeClassifier` with other defaults: ``criterion="gain_ratio"``, ``nominal_split="multiway"``,
    ``missing="fractional"``, ``min_samples_leaf=2``, ``pruning="error_based"`` at ``confidence_factor=0.25``,
    ``high_cardinality=0.1``. A numeric split pays for the number of thresholds it was chosen from, and must leave more
    rows on either side of a node with many rows.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("play").xy("play")
    >>> len(vaglio.C45Classifier().fit(X, y).rules())
    5
    """

    _learner_id = "c45"
    _reuse_nominal = False
    _c45_numeric = True
    _require_gain = True

    criterion: Criterion = "gain_ratio"
    nominal_split: NominalSplit = "multiway"
    missing: MissingValues = "fractional"
    min_samples_leaf: float = 2
    pruning: Pruning | None = "error_based"
    high_cardinality: float | None = 0.1


@estimator
class CARTClassifier(DecisionTreeClassifier):
    """CART: Gini index, binary splits, fully grown; ``ccp_alpha="cv"`` prunes by cost and complexity.

    These are the defaults of :class:`DecisionTreeClassifier`.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("play").xy("play")
    >>> vaglio.CARTClassifier(max_depth=1).fit(X, y).get_n_leaves()
    2
    """

    _learner_id = "cart"


@estimator
class ObliqueTreeClassifier(DecisionTreeClassifier):
    """Decision tree whose nodes may test a linear combination of numeric columns.

    At each node the best test of a single column is found first. Then linear combinations of up to sixteen columns
    (those of highest gain) are searched: Fisher's discriminant of each class against the rest, and random changes of
    the best one so far. A combination is taken only when its gain is higher, so that no node is worse on the training
    rows than its axis-parallel choice. They are searched in nodes of at least eight rows that miss no value of those
    columns, because fewer rows are separated by almost any direction. ``random_state`` is the seed of the random
    changes; the default gives the same tree every time.

    A row that misses any column of a combination goes to the heavier branch, or down both when
    ``missing="fractional"``.

    Examples
    --------
    >>> import numpy as np, vaglio
    >>> X = np.random.default_rng(0).uniform(size=(200, 2))
    >>> y = X[:, 0] + X[:, 1] > 1
    >>> vaglio.ObliqueTreeClassifier().fit(X, y).get_n_leaves() < vaglio.CARTClassifier().fit(X, y).get_n_leaves()
    True
    """

    _learner_id = "oblique"
    _oblique = True

    random_state: RandomState = 0


@estimator
class ObliqueTreeRegressor(DecisionTreeRegressor):
    """Decision tree for numbers whose nodes may test a linear combination of numeric columns.

    At each node the best test of a single column is found first. Then linear combinations of up to sixteen columns
    (those of highest gain) are searched: the slopes of least squares, Fisher's discriminant of the rows above the mean
    against the rest, and random changes of the best one so far. A combination is taken only when it decreases the
    criterion more, in nodes of at least eight rows that miss no value of those columns. ``random_state`` is the seed of
    the random changes; the default gives the same tree every time. Missing values as in
    :class:`ObliqueTreeClassifier`.

    Examples
    --------
    >>> import numpy as np, vaglio
    >>> X = np.random.default_rng(0).uniform(size=(200, 2))
    >>> y = np.where(X[:, 0] + X[:, 1] > 1, 5.0, 2.0)
    >>> vaglio.ObliqueTreeRegressor().fit(X, y).get_n_leaves() < vaglio.DecisionTreeRegressor().fit(X, y).get_n_leaves()
    True
    """

    _learner_id = "oblique"
    _oblique = True

    random_state: RandomState = 0
