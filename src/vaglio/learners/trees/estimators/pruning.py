"""How strongly a grown tree is pruned or shrunken, and the choice of the strength by cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import Bunch

from vaglio import _core
from vaglio.encode import EncodedMatrix
from vaglio.errors import NotSupportedError
from vaglio.learners.trees.estimators.growing import charged_risk, grow_and_prune
from vaglio.learners.trees.model.tree import Tree
from vaglio.messages.message import Option
from vaglio.runtime.seeds import seed_of

if TYPE_CHECKING:
    from vaglio.learners.trees.estimators.decision_tree import TreeEstimator
    from vaglio.learners.trees.estimators.growing import GrowthParameters

# Ten folds, as Breiman and others recommend.
FOLDS = 10
# A tree with ten thousand leaves has as many subtrees; their errors change little from one to the next.
MOST_ALPHAS = 100


def path_of(estimator: GrowthParameters, tree: Tree) -> Bunch:
    """Return the whole nested sequence of a grown tree; ``impurities`` are error rates where these are the risk."""
    alphas, risks, n_leaves = _core.cost_complexity_path(tree.to_kernel(), charged_risk(estimator))
    return Bunch(ccp_alphas=alphas, impurities=risks, n_leaves=n_leaves)


def choose_alpha(
    estimator: TreeEstimator,
    matrix: EncodedMatrix,
    y: np.ndarray,
    weight: np.ndarray | None,
    n_classes: int,
    tree: Tree,
) -> tuple[float, Bunch]:
    """Choose the price of a leaf by ten-fold cross-validation.

    Each subtree of the sequence is best over an interval of prices; it is tried at the geometric mean of the
    interval's ends (Breiman et al.). Of equally good subtrees the smaller is taken; with ``one_standard_error`` the
    smallest whose error is within one standard error of the best.
    """
    path = path_of(estimator, tree)
    tried = prices(path)
    errors, spread = _errors(estimator, matrix, y, weight, n_classes, tried[2])
    return choose(estimator, path, tried, errors, spread)


def prices(path: Bunch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which trees of a sequence are tried, where their intervals of prices begin, and at which prices."""
    # Dense among the small trees, where one more split matters, and sparse among the large ones.
    from_end = np.unique(np.geomspace(1, len(path.ccp_alphas), MOST_ALPHAS).round().astype(int))
    keep = len(path.ccp_alphas) - from_end[::-1]
    ends = path.ccp_alphas[keep]
    return keep, ends, np.append(np.sqrt(ends[:-1] * ends[1:]), ends[-1])


def choose(
    estimator: TreeEstimator,
    path: Bunch,
    given: tuple[np.ndarray, np.ndarray, np.ndarray],
    errors: np.ndarray,
    spread: np.ndarray,
) -> tuple[float, Bunch]:
    """Return the price of least error, and the table of what was tried; ``given`` is that of :func:`prices`."""
    keep, ends, tried = given
    # Squares of the largest numbers there are overflow, and then no tree is better than the smallest.
    errors, spread = (np.where(np.isnan(values), np.inf, values) for values in (errors, spread))
    # The last of equal ones is the smallest tree; the factor lets errors that differ only by rounding count as equal.
    best = int(np.flatnonzero(errors <= errors.min() * (1 + 1e-12))[-1])
    if estimator.one_standard_error:
        best = int(np.flatnonzero(errors <= errors[best] + spread[best])[-1])
    table = Bunch(
        ccp_alphas=ends, tried=tried, n_leaves=path.n_leaves[keep], errors=errors, standard_errors=spread, chosen=best
    )
    return float(ends[best]), table


def _errors(
    estimator: TreeEstimator,
    matrix: EncodedMatrix,
    y: np.ndarray,
    weight: np.ndarray | None,
    n_classes: int,
    alphas: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean loss of the rows, each left out once, under each price, and its standard error."""
    shares, means, spreads = [np.zeros(0)], [np.zeros((0, len(alphas)))], [np.zeros((0, len(alphas)))]
    for train, test in folds_of(estimator, y, n_classes):
        part, held = (None, None) if weight is None else (weight[train], weight[test])
        tree = grow_and_prune(estimator, matrix.take(train), y[train], part, n_classes)
        losses = _losses(tree, standing(estimator, tree, alphas), matrix.take(test), y[test], n_classes)
        own = np.ones(len(test)) if held is None else held
        mean = losses @ own / own.sum()
        shares.append(own.sum(keepdims=True))
        means.append(mean[None])
        spreads.append((((losses - mean[:, None]) ** 2) @ own)[None])
    share, mean, spread = (np.concatenate(parts) for parts in (shares, means, spreads))
    if not len(share):
        return np.zeros(len(alphas)), np.zeros(len(alphas))
    # What the folds vary by, and what they vary by among each other.
    errors = share @ mean / share.sum()
    squares = spread.sum(axis=0) + share @ (mean - errors) ** 2
    return errors, np.sqrt(squares) / share.sum()


# For nodes of a tree: those that stand for them under each price, (prices, nodes).
Standing = Callable[[np.ndarray], np.ndarray]


def standing(estimator: GrowthParameters, tree: Tree, alphas: np.ndarray) -> Standing:
    """Return the nodes that stand for others where each price, ascending, prunes the tree: itself, or a new leaf."""
    kernel, risk = tree.to_kernel(), charged_risk(estimator)
    return lambda nodes: _core.standing_nodes(kernel, nodes.astype(np.int32), alphas, risk)


def _losses(tree: Tree, stand: Standing, held: EncodedMatrix, y: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the loss of every row under each price: shape (prices, rows)."""
    inner = ~tree.is_leaf
    if (tree.missing_branch[inner] >= 0).all():
        leaves, at = np.unique(tree.apply(held), return_inverse=True)
        told = (tree.says[nodes][at] for nodes in stand(leaves))
    else:  # a row may be shared out among several leaves
        told = (tree.mean_over_leaves(held, tree.says[nodes]) for nodes in stand(np.arange(tree.n_nodes)))
    if n_classes:
        return np.stack([(np.argmax(said, axis=1) != y).astype(float) for said in told])
    return np.stack([(said[:, 0] - y) ** 2 for said in told])


def folds_of(
    estimator: GrowthParameters, y: np.ndarray, n_classes: int, most: int = FOLDS
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return rows to learn from and rows to try on, by class where it can be done."""
    seed = seed_of(estimator.random_state) % 2**32
    if len(y) < 2:
        return []
    folds = min(most, len(y))
    splitter = (StratifiedKFold if n_classes else KFold)(folds, shuffle=True, random_state=seed)
    if n_classes and np.bincount(y).max() < folds:
        splitter = KFold(folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # scikit-learn warns of a class with fewer rows than folds; here some folds may lack a class.
        warnings.filterwarnings("ignore", message="The least populated class")
        return list(splitter.split(np.zeros(len(y)), y))


class Shrinkable(Protocol):
    """A tree or a forest, whose nodes can be drawn towards the nodes above them."""

    def with_shrinkage(self, strength: float) -> Self: ...

    def predict(self, matrix: EncodedMatrix) -> np.ndarray: ...

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray: ...


Grown = TypeVar("Grown", bound=Shrinkable)
# From rows, what is to be predicted and the weights of the rows.
Learned = Callable[[EncodedMatrix, np.ndarray, np.ndarray | None], Grown]

# What "cv" tries: those of Agarwal and others (2022), and none.
STRENGTHS = (0.0, 0.1, 1.0, 10.0, 25.0, 50.0, 100.0)
# The error changes little from one strength to the next: five folds find the region, and a forest grows but five times.
_FOLDS = 5


def shrunken(
    estimator: GrowthParameters,
    model: Grown,
    learned: Learned[Grown],
    matrix: EncodedMatrix,
    y: np.ndarray,
    weight: np.ndarray | None,
) -> Grown:
    """Return the model shrunken as the estimator says; ``learned`` learns another one, from part of the rows."""
    strength = estimator.shrinkage
    if strength == "cv":
        strength = estimator.shrinkage_ = _chosen(estimator, learned, matrix, y, weight)
    return model.with_shrinkage(strength) if strength else model


def refuse_chosen_shrinkage(estimator: GrowthParameters) -> None:
    """Refuse a strength by folds for rows that are not in memory."""
    if estimator.shrinkage == "cv":
        raise NotSupportedError(
            "shrinkage-in-memory",
            'shrinkage="cv" grows a tree per fold, which needs all rows in memory. Give a number, or '
            "train on a sample ({sample}).",
            sample=Option("data.sample(N)", flag="--sample N"),
        )


def _chosen(
    estimator: GrowthParameters,
    learned: Learned[Grown],
    matrix: EncodedMatrix,
    y: np.ndarray,
    weight: np.ndarray | None,
) -> float:
    """Return the strength of least squared error on rows left out, of equal ones the least.

    For classes it is the error of the probabilities (the Brier score): a leaf that is sure and wrong does not make it
    infinite.
    """
    n_classes = len(getattr(estimator, "classes_", ()))
    errors = np.zeros(len(STRENGTHS))
    target = np.eye(n_classes)[y] if n_classes else y[:, None]
    for train, test in folds_of(estimator, y, n_classes, _FOLDS):
        part = None if weight is None else weight[train]
        model, held = learned(matrix.take(train), y[train], part), matrix.take(test)
        for i, strength in enumerate(STRENGTHS):
            drawn = model.with_shrinkage(strength)
            given = drawn.predict_proba(held) if n_classes else drawn.predict(held)[:, None]
            loss = ((given - target[test]) ** 2).sum(axis=1)
            errors[i] += float(loss.sum() if weight is None else loss @ weight[test])
    return STRENGTHS[int(np.argmin(errors))]
