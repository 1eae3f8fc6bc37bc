"""The trees of a forest one after the other, without the parallel loop of scikit-learn.

That loop wraps every tree in a task and makes a generator of random numbers for it: on a small table both take longer
than to grow the tree. scikit-learn's own code still makes the first tree, and with it checks what it was given and
writes its attributes; the others are made here from what it handed to the first.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_random_state

from vaglio.runtime.seeds import lent_generator
from vaglio.typing import ColumnLike


def grows_in_turn(forest: Any, sample_weight: ColumnLike | None) -> bool:
    """Return whether the trees can be grown here: on one thread, by draws that depend on the number of rows alone."""
    alone = forest.n_jobs == 1 or (forest.n_jobs is None and effective_n_jobs(None) == 1)
    many = isinstance(forest.n_estimators, Integral) and int(forest.n_estimators) > 1
    unweighted = sample_weight is None and getattr(forest, "class_weight", None) is None
    plain = unweighted and forest.max_samples is None and not any("callbacks" in name for name in vars(forest))
    return alone and many and plain and not (forest.warm_start or forest.oob_score or forest.verbose)


def grow_others(forest: Any, X: Any, y: Any) -> None:
    """Add the trees that a forest lacks to its first.

    Parameters
    ----------
    forest : preset of a forest
        With one tree.
    X, y
        What the first tree was grown on.
    """
    random = check_random_state(forest.random_state)
    if isinstance(forest.random_state, Integral):
        random.randint(np.iinfo(np.int32).max)  # the seed of the first tree
    trees = [forest._make_estimator(append=False, random_state=random) for _ in range(forest.n_estimators - 1)]
    n, weight = len(y), None
    for tree in trees:
        if forest.bootstrap:
            weight = np.bincount(lent_generator(tree.random_state).randint(0, n, n), minlength=n)
        tree._fit(X, y, sample_weight=weight, check_input=False)
    forest.estimators_ += trees
