"""Multivariate trees: a node may test a linear combination of columns."""

from __future__ import annotations

from vaglio.learn._preset import preset
from vaglio.learn.decision_tree import DecisionTreeClassifier


@preset(criterion="gini", random_state=0)
class ObliqueTreeClassifier(DecisionTreeClassifier):
    """Decision tree whose nodes may test a linear combination of numeric columns.

    At each node the best test of a single column is found first. Then linear combinations of up to sixteen columns
    (those of highest gain) are searched: Fisher's discriminant of each class against the rest, and random changes of
    the best one so far. A combination is taken only when its gain is higher, so that no node is worse on the training
    rows than its axis-parallel choice. Parameters are those of :class:`DecisionTreeClassifier`; ``random_state`` keys
    the random changes, and the default gives the same tree every time.

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
