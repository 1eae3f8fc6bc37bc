"""Linear models of the nodes of a tree, as in M5: fitted, thinned out, compared with the subtree, and smoothed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from vaglio.learners.trees.model.model_tree import cut_back
from vaglio.learners.trees.model.tree import Tree

# The strength, per row and squared deviation of a column, of a penalty that columns which depend on each other need.
_RIDGE = 1e-6
# A node whose deviation is below this share of that of all rows is a leaf (Quinlan 1992).
ENOUGH = 0.05
# How often a parameter counts as an error more, where a node is compared with its subtree (Weka's M5P).
PRICE = 2.0
# Of more columns, those are taken whose correlation with the target is highest in the node.
MOST_COLUMNS = 64
# Sums of products that are smaller than this, relative to what they are made of, are rounding.
_ROUNDING = 1e-9


class NodeModel(NamedTuple):
    """A linear model of the rows of a node.

    Attributes
    ----------
    columns : int64 (p,)
        Encoded columns, ascending.
    coef : float64 (p,)
    intercept : float
    error : float
        Mean absolute error of the rows of the node.
    """

    columns: np.ndarray
    coef: np.ndarray
    intercept: float
    error: float

    @property
    def parameters(self) -> int:
        return len(self.coef) + 1


def fit_node(rows: np.ndarray, y: np.ndarray, weight: np.ndarray, columns: np.ndarray) -> NodeModel:
    """Fit a linear model by least squares, and drop terms as long as the adjusted error does not rise.

    Parameters
    ----------
    rows : float64 (n, width)
        Encoded rows of the node.
    y : float64 (n,)
    weight : float64 (n,)
        They sum to what (n + v) / (n - v) takes as the number of rows.
    columns : int64 array
        Those that the model may use.
    """
    total, best = float(weight.sum()), None
    for model in elimination(rows, y, weight, columns):
        error = adjusted(model.error, total, model.parameters)
        if best is not None and error > (1 + _ROUNDING) * adjusted(best.error, total, best.parameters):
            break
        best = model
    assert best is not None
    return best


def elimination(rows: np.ndarray, y: np.ndarray, weight: np.ndarray, columns: np.ndarray) -> Iterator[NodeModel]:
    """Yield the least squares of all columns, then without the term whose loss raises the squares least, down to none.

    Parameters
    ----------
    rows, y, weight, columns
        As in :func:`fit_node`.
    """
    total = float(weight.sum())
    middle = float(weight @ y) / total
    centre = weight @ rows[:, columns] / total
    block, target = rows[:, columns] - centre, y - middle
    squares = weight @ block**2
    kept = _most_correlated(squares, weight * target @ block, float(weight.max(initial=0.0)))
    columns, block, centre = columns[kept], block[:, kept], centre[kept]
    gram = (block * weight[:, None]).T @ block
    inverse = np.linalg.inv(gram + _RIDGE * total * np.eye(len(columns)))
    coef, left = inverse @ (weight * target @ block), np.arange(len(columns))
    while True:
        error = float(weight @ np.abs(target - block[:, left] @ coef)) / total
        yield NodeModel(columns[left], coef, middle - float(centre[left] @ coef), error)
        if not len(left):
            return
        left, coef, inverse = _without_weakest(left, coef, inverse)


def _most_correlated(squares: np.ndarray, products: np.ndarray, heaviest: float) -> np.ndarray:
    """Return which columns vary in the node; of very many those of the highest correlation."""
    varying = np.flatnonzero(squares > _ROUNDING * heaviest)
    if len(varying) <= MOST_COLUMNS:
        return varying
    explained = products[varying] ** 2 / squares[varying]
    return np.sort(varying[np.argsort(-explained, kind="stable")[:MOST_COLUMNS]])


def adjusted(error: float, n: float, parameters: int, price: float = 1.0) -> float:
    """Return the error as M5 adjusts it; a model of as many parameters as rows says nothing of new ones."""
    return error * (n + price * parameters) / (n - parameters) if n > parameters else np.inf


def _without_weakest(
    left: np.ndarray, coef: np.ndarray, inverse: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the model of least squares without the term whose loss raises the squares least."""
    raised = coef**2 / np.diag(inverse)
    # Of terms that differ by rounding the last is dropped.
    j = int(np.flatnonzero(raised <= raised.min() * (1 + 1e-7) + 1e-300)[-1])
    others = np.arange(len(left)) != j
    beside = inverse[others, j]
    reduced = inverse[np.ix_(others, others)] - np.outer(beside, beside) / inverse[j, j]
    return left[others], coef[others] - beside * (coef[j] / inverse[j, j]), reduced


def stopped(tree: Tree, leaf_of: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Tree:
    """Return the tree without the tests of nodes whose rows differ little, compared with all rows.

    Parameters
    ----------
    tree : Tree
    leaf_of : int64 (n,)
        The leaf of each row.
    y, weight : float64 (n,)
    """
    order, begin, end = _spans(tree, leaf_of)
    # Not the impurity of the tree: of numbers in a large or small unit its squares overflow or vanish.
    spread = np.array([_spread(y[order[a:b]], weight[order[a:b]]) for a, b in zip(begin.tolist(), end.tolist())])
    return cut_back(tree, tree.is_leaf | (spread <= ENOUGH * spread[0]))[0]


def fit_nodes(
    tree: Tree, leaf_of: np.ndarray, rows: np.ndarray, y: np.ndarray, weight: np.ndarray, owner: np.ndarray, prune: bool
) -> tuple[np.ndarray, list[NodeModel]]:
    """Return which nodes are leaves after pruning, and the linear model of each node.

    Parameters
    ----------
    tree : Tree
    leaf_of : int64 (n,)
        The leaf of each row.
    rows, y, weight
        As in :func:`fit_node`, of all rows.
    owner : int64 (width,)
        The column of the table that each encoded column comes from.
    prune : bool
        Whether a node becomes a leaf whose own model is no worse than its subtree.
    """
    order, begin, end = _spans(tree, leaf_of)
    leaf = tree.is_leaf.copy()
    models: list[NodeModel] = []
    # Of what stands for the node: its model, or the subtree, which has a parameter more for every test.
    error, parameters = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes, dtype=np.int64)
    tested: list[set[int]] = [set() for _ in range(tree.n_nodes)]
    for node in reversed(range(tree.n_nodes)):
        own = order[begin[node] : end[node]]
        children = tree.children(node)
        if children:
            tested[node] = {int(tree.feature[node])}.union(*(tested[child] for child in children))
        columns = np.flatnonzero(np.isin(owner, list(tested[node])))
        models.append(fit_node(rows[own], y[own], weight[own], columns))
        error[node], parameters[node] = models[-1].error, models[-1].parameters
        if not children:
            continue
        shares = np.array([weight[order[begin[child] : end[child]]].sum() for child in children])
        n, of_subtree = float(shares.sum()), int(parameters[list(children)].sum()) + 1
        below_it = float(shares @ error[list(children)]) / n
        own_error = adjusted(error[node], n, int(parameters[node]), PRICE)
        if prune and own_error <= adjusted(below_it, n, of_subtree, PRICE) * (1 + _ROUNDING):
            leaf[node] = True
        else:
            error[node], parameters[node] = below_it, of_subtree
    return leaf, models[::-1]


def _spread(y: np.ndarray, weight: np.ndarray) -> float:
    """Return the standard deviation of the rows of a node."""
    return float(np.sqrt(np.average((y - np.average(y, weights=weight)) ** 2, weights=weight)))


def _spans(tree: Tree, leaf_of: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows leaf by leaf, from left to right, and where those of each node begin and end."""
    place, stack = np.zeros(tree.n_nodes, dtype=np.int64), [0]
    sequence: list[int] = []
    while stack:
        node = stack.pop()
        if tree.is_leaf[node]:
            place[node] = len(sequence)
            sequence.append(node)
        stack.extend(reversed(tree.children(node)))
    order = np.argsort(place[leaf_of], kind="stable")
    ends = np.cumsum(np.bincount(place[leaf_of], minlength=len(sequence)))
    begin, end = np.zeros(tree.n_nodes, dtype=np.int64), np.zeros(tree.n_nodes, dtype=np.int64)
    begin[sequence], end[sequence] = np.append(0, ends[:-1]), ends
    for node in reversed(np.flatnonzero(~tree.is_leaf).tolist()):
        children = tree.children(node)
        begin[node], end[node] = begin[children[0]], end[children[-1]]
    return order, begin, end


def smoothed(
    tree: Tree, models: list[NodeModel], width: int, strength: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the terms of the leaves: where those of each node start, columns, coefficients, and the intercepts.

    On the way from the leaf to the root M5 replaces a prediction p by (n·p + k·q) / (n + k): q is what the node above
    predicts, n the weight of the node below it. That is linear in the models of the path, so it is one model per leaf.
    """
    columns, coefs = [np.zeros(0, np.int64)], [np.zeros(0)]
    counts, intercept = np.zeros(tree.n_nodes, dtype=np.int64), np.zeros(tree.n_nodes)
    stack = [(0, 1.0, np.zeros(width + 1))]
    found: dict[int, np.ndarray] = {}
    while stack:
        node, share, above = stack.pop()
        model = models[node]
        own = np.append(np.zeros(width), model.intercept)
        own[model.columns] = model.coef
        if tree.is_leaf[node]:
            found[node] = above + share * own
            continue
        for child in tree.children(node):
            kept = share_kept(float(tree.weight[child]), strength)
            stack.append((child, share * kept, above + share * (1 - kept) * own))
    for node in sorted(found):
        terms = np.flatnonzero(found[node][:width])
        counts[node], intercept[node] = len(terms), found[node][width]
        columns.append(terms)
        coefs.append(found[node][terms])
    start = np.append(0, np.cumsum(counts))
    return start, np.concatenate(columns).astype(np.int32), np.concatenate(coefs), intercept


def share_kept(n: float, strength: float) -> float:
    """Return the share that the prediction of a node of weight n keeps when it is smoothed by the node above."""
    return n / (n + strength) if n > 0 else float(strength == 0)
