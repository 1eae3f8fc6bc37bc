"""Bayesian network classifiers: naive Bayes with some dependences allowed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import partial
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from vaglio.encode import EncodedMatrix, Feature, guarded_from
from vaglio.engines.passes import Chunk, Pass, Passes, TableSummary
from vaglio.errors import ColumnError, InputError, NotSupportedError
from vaglio.learners.bayes.estimators.generative import Generative, in_order_of, resolve_priors
from vaglio.learners.bayes.estimators.intervals import learn_bins
from vaglio.learners.bayes.model.bayes_net import BayesNetModel
from vaglio.learners.bayes.model.bins import Bins, flat_index
from vaglio.learners.bayes.passes import bins_passes
from vaglio.learners.category_reliability import reliability_passes
from vaglio.learners.inputs import learn_column_reliability
from vaglio.learners.parameters import COUNT_FROM_0, NOT_NEGATIVE, estimator
from vaglio.messages.sentences import did_you_mean, listed
from vaglio.runtime.arguments import checked
from vaglio.typing import ClassWeight, Priors, SequenceNotStr

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Parents = tuple[tuple[int, ...], ...]
# Class weights (K, V) of each attribute, and (K, combinations of the parents, V); empty without parents.
Tables = tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]
# The usual least number of rows per cell from which frequencies are compared.
ROWS_PER_CELL = 5
# Most numbers in one conditional table (160 MB): with more, nearly all combinations of the parents are unseen.
MOST_NUMBERS = 20_000_000

_Structure = Literal["tan", "k-dependence", "naive"]


def tree_augmented(information: np.ndarray, with_class: np.ndarray) -> Parents:
    """Chow and Liu's tree of largest conditional mutual information (Prim).

    Its edges lead away from the attribute of largest information on the class, so that the order of the columns decides
    nothing but ties.

    A negative number is an edge that must not be; then an attribute may have no parent.
    """
    n = len(information)
    parents: list[tuple[int, ...]] = [() for _ in range(n)]
    if not n:
        return ()
    inside = np.zeros(n, dtype=bool)
    root = int(np.argmax(with_class))
    inside[root] = True
    best = information[root].copy()
    origin = np.full(n, root, dtype=np.int64)
    for _ in range(n - 1):
        j = int(np.argmax(np.where(inside, -np.inf, best)))
        parents[j] = (int(origin[j]),) if best[j] >= 0 else ()
        inside[j] = True
        closer = information[j] > best
        best = np.where(closer, information[j], best)
        origin = np.where(closer, j, origin)
    return tuple(parents)


def k_dependence(information: np.ndarray, with_class: np.ndarray, k: int) -> Parents:
    """Sahami's structure: attributes are ordered by their information on the class, and each gets as parents the k
    earlier ones that share most information with it.
    """
    parents: list[tuple[int, ...]] = [() for _ in with_class]
    order = np.argsort(-with_class, kind="stable")
    for place, j in enumerate(order):
        before = order[:place]
        before = before[information[j, before] >= 0]
        chosen = before[np.argsort(-information[j, before], kind="stable")[:k]]
        parents[int(j)] = tuple(sorted(int(p) for p in chosen))
    return tuple(parents)


def given_structure(edges: Iterable[Any], features: tuple[Feature, ...]) -> Parents:
    """Parents from (parent, child) pairs of column names."""
    index = {feature.name: j for j, feature in enumerate(features)}
    parents: list[list[int]] = [[] for _ in features]
    for edge in edges:
        if not isinstance(edge, (tuple, list)) or len(edge) != 2:
            raise InputError(
                "invalid-edge", "An edge must be a pair (parent, child) of column names, not {edge!r}.", edge=edge
            )
        for name in edge:
            if name not in index:
                raise ColumnError(
                    "unknown-column-in-edge",
                    "The edge {edge!r} names {column!r}, which is not a column of X (the class is a parent "
                    "of all columns anyway): {hint}",
                    edge=tuple(edge),
                    column=name,
                    hint=did_you_mean(str(name), index, quoted=True),
                )
        parent, child = (index[name] for name in edge)
        if parent not in parents[child]:
            parents[child].append(parent)
    try:
        tuple(TopologicalSorter(dict(enumerate(parents))).static_order())
    except CycleError as error:
        cycle = " → ".join(features[j].name for j in reversed(error.args[1]))
        raise InputError(
            "cyclic-edges",
            "The edges form a cycle ({cycle}), and a Bayesian network must not have one. Drop one of them.",
            cycle=cycle,
        ) from None
    return tuple(tuple(sorted(above)) for above in parents)


def conditional_information(
    cells: np.ndarray, size: np.ndarray, y: np.ndarray, weight: np.ndarray | None, k: int, most: float = np.inf
) -> np.ndarray:
    """Return I(Xi; Xj | C) in bits for every pair, over the rows where both are known.

    -1 for a pair of which one has more than ``most`` values, if their table has fewer than five rows per cell: its
    information would be chance.
    """
    pairs = pairs_to_count(size, len(cells), k, most)
    tables = (pair_table(cells[:, i], cells[:, j], int(size[i]), int(size[j]), y, weight, k) for i, j in pairs)
    return information_of_pairs(len(size), pairs, tables)


def pairs_to_count(size: np.ndarray, rows: int, k: int, most: float) -> list[tuple[int, int]]:
    """Return the pairs of attributes whose information is more than chance."""
    return [
        (i, j)
        for i in range(len(size))
        for j in range(i)
        if max(size[i], size[j]) <= most or rows >= ROWS_PER_CELL * k * size[i] * size[j]
    ]


def information_of_pairs(n: int, pairs: list[tuple[int, int]], tables: Iterable[np.ndarray]) -> np.ndarray:
    """Return I(Xi; Xj | C) of pairs whose class weights are given; -1 for all others."""
    information = np.full((n, n), -1.0)
    np.fill_diagonal(information, 0.0)
    for (i, j), joint in zip(pairs, tables):
        information[i, j] = information[j, i] = information_of(joint)
    return information


def class_information(
    cells: np.ndarray, size: np.ndarray, y: np.ndarray, weight: np.ndarray | None, k: int
) -> np.ndarray:
    """Return I(Xj; C) in bits for every attribute, over the rows where it is known."""
    return np.array([information_of(value_table(cells[:, j], int(s), y, weight, k)[None]) for j, s in enumerate(size)])


def value_table(cells: np.ndarray, size: int, y: np.ndarray, weight: np.ndarray | None, k: int) -> np.ndarray:
    """Class weights (K, V) of the values of one attribute."""
    known = cells >= 0
    w = None if weight is None else weight[known]
    flat = np.bincount(y[known] * size + cells[known], w, minlength=k * size)
    return flat.astype(np.float64).reshape(k, size)


def pair_table(
    first: np.ndarray, second: np.ndarray, a: int, b: int, y: np.ndarray, weight: np.ndarray | None, k: int
) -> np.ndarray:
    """Class weights (K, A, B) of the pairs of values, rows that lack one left out."""
    known = (first >= 0) & (second >= 0)
    w = None if weight is None else weight[known]
    flat = np.bincount((y[known] * a + first[known]) * b + second[known], w, minlength=k * a * b)
    return flat.astype(np.float64).reshape(k, a, b)


def information_of(joint: np.ndarray) -> float:
    """Mutual information of the last two axes given the first."""
    total = joint.sum()
    if total <= 0:
        return 0.0
    rows, columns = joint.sum(axis=2, keepdims=True), joint.sum(axis=1, keepdims=True)
    whole = joint.sum(axis=(1, 2), keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = joint * np.log2(joint * whole / (rows * columns))
    return max(0.0, float(np.nansum(terms) / total))


@estimator
class BayesianNetworkClassifier(Generative):
    """P(c)·Π P(xⱼ|c, parents of xⱼ): naive Bayes in which an attribute may also depend on others.

    Numbers are cut into intervals (each value by itself when there are at most ten, else where the class changes).
    Each table is smoothed towards the attribute's own frequencies in the class: (n + α·V·P(v|c)) / (n of the parents'
    values + α·V). Rows that lack a value are left out of the tables that need it; an attribute whose parents are
    missing counts by P(xⱼ|c). A nominal column of more than ten values depends on others only if their table has five
    rows per cell (``high_cardinality``).

    Parameters
    ----------
    structure : {"tan", "k-dependence", "naive"} or list of (parent, child)
        "tan": every attribute but the one that tells most about the class has one other parent, by the tree of largest
        conditional mutual information;
        "k-dependence": up to ``k`` parents each, in the order of information on the class; "naive": none; or edges
        between columns by name. The class is a parent of all.
    k : int
        Parents allowed in "k-dependence".
    alpha : float
        Strength of the smoothing: rows per value that are added to each table.

    Attributes
    ----------
    class_prior_ : ndarray of shape (n_classes,)
        Prior of each class.
    edges_ : list of (parent, child)
        Column names; the edges from the class are left out.
    reliability_ : dict of str to float
        For each nominal column of many values, the share of its information beyond chance (``high_cardinality``); a
        column of 0 has no effect.

    Examples
    --------
    >>> import pandas as pd
    >>> from vaglio import BayesianNetworkClassifier
    >>> X = pd.DataFrame({"a": ["x", "x", "y", "y"] * 5, "b": ["x", "y", "x", "y"] * 5})
    >>> model = BayesianNetworkClassifier().fit(X, ["same", "other", "other", "same"] * 5)
    >>> model.edges_
    [('a', 'b')]
    >>> model.predict(X.head(2)).tolist()
    ['same', 'other']
    """

    _learner_id = "bayes-net"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "structure": [StrOptions({"tan", "k-dependence", "naive"}), list, tuple],
        "k": COUNT_FROM_0,
        "alpha": NOT_NEGATIVE,
    }

    structure: _Structure | SequenceNotStr[tuple[str, str]] = field(default="tan", kw_only=False)
    k: int = 2
    alpha: float = 1.0
    high_cardinality: float | None = 0.0
    priors: Priors = None
    class_weight: ClassWeight = None
    n_jobs: int | None = None

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> BayesNetModel:
        if self._counts_on_bins(matrix):
            learned = self._learn_by_passes(matrix, y, weight)
            assert isinstance(learned, BayesNetModel)
            return learned
        k = len(self.classes_)
        bins = learn_bins(matrix, y, weight, k, self._threads(), keep_few_values=True)
        cells = bins.cells(matrix)
        parents = self._given_parents(bins)
        if parents is None:
            information = conditional_information(
                cells, bins.size, y, weight, k, guarded_from(self.high_cardinality, len(y))
            )
            parents = self._learned_parents(information, class_information(cells, bins.size, y, weight, k))
        class_count = np.bincount(y, weight, minlength=k).astype(np.float64)
        _refuse_large_tables(parents, bins, k)
        tables = _count_tables(bins, parents, k, cells, y, weight)
        return self._noted(bins, class_count, parents, tables, learn_column_reliability(self, matrix, y, weight))

    def _passes(self, facts: TableSummary) -> Passes:
        k, n = facts.n_classes, len(facts.codebook.features)
        bins, class_count = yield from bins_passes(facts, keep_few_values=True)
        parents = self._given_parents(bins)
        if parents is None:
            pairs = pairs_to_count(bins.size, facts.n_rows, k, guarded_from(self.high_cardinality, facts.n_rows))
            counts: list[np.ndarray] = []
            for group in _pairs_within(pairs, bins.size, k, facts.memory):
                counts += yield Pass("pairs of values", partial(_count_pairs, bins, group, k))
            information = information_of_pairs(n, pairs, counts)
            single, _ = yield Pass("tables of the classes", partial(_count_tables_of_chunk, bins, ((),) * n, k))
            parents = self._learned_parents(information, np.array([information_of(table[None]) for table in single]))
        _refuse_large_tables(parents, bins, k)
        tables = yield Pass("tables of the network", partial(_count_tables_of_chunk, bins, parents, k))
        return self._noted(bins, class_count, parents, tables, (yield from reliability_passes(self, facts)))

    def _given_parents(self, bins: Bins) -> Parents | None:
        """Return the structure that was asked for; None if it is learned."""
        if not isinstance(self.structure, str):
            return given_structure(self.structure, bins.features)
        return ((),) * len(bins.features) if self.structure == "naive" else None

    def _learned_parents(self, information: np.ndarray, with_class: np.ndarray) -> Parents:
        if self.structure == "tan":
            return tree_augmented(information, with_class)
        return k_dependence(information, with_class, self.k)

    def _noted(
        self, bins: Bins, class_count: np.ndarray, parents: Parents, tables: Tables, belief: np.ndarray
    ) -> BayesNetModel:
        """Keep what a user may look up, and return the model; ``belief`` has one number per nominal column."""
        self.class_prior_ = resolve_priors(in_order_of(self.classes_, self.priors), class_count)
        names = [feature.name for feature in bins.features]
        self.edges_ = [(names[p], names[j]) for j, above in enumerate(parents) for p in above]
        reliability = np.ones(len(names))
        reliability[[feature.is_nominal for feature in bins.features]] = belief
        return BayesNetModel(bins, class_count, self.class_prior_, parents, *tables, float(self.alpha), reliability)

    def plot(self, ax: Axes | None = None, *, target: str = "class") -> Any:
        """Draw the network with matplotlib.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; without it a new figure is made.
        target : str, default="class"
            Name of the class in the picture.

        Returns
        -------
        Axes
        """
        from vaglio.plot.network import plot_network

        return plot_network(*self._graph(target), ax=ax)

    @checked
    def to_svg(self, *, target: str = "class") -> str:
        """Return the network as an SVG drawing.

        Parameters
        ----------
        target : str, default="class"
            Name of the class in the picture.

        Returns
        -------
        str
        """
        from vaglio.plot.network import draw_network

        return draw_network(*self._graph(target))

    def _graph(self, target: str) -> tuple[str, list[str], list[tuple[str, str]]]:
        check_is_fitted(self, "fitted_")
        return target, self.fitted_.codebook.names, self.edges_


def _refuse_large_tables(parents: Parents, bins: Bins, k: int) -> None:
    """Refuse tables that are too large before rows are counted."""
    for j, above in enumerate(parents):
        numbers = k * math.prod(int(bins.size[i]) for i in (j, *above))
        if above and numbers > MOST_NUMBERS:
            names = listed([bins.features[parent].name for parent in above], quoted=True)
            raise NotSupportedError(
                "table-too-large",
                "The table of {column!r} given {parents} would have {numbers:.3g} numbers. Give the "
                "column fewer parents, or leave out columns with many values.",
                column=bins.features[j].name,
                parents=names,
                numbers=numbers,
            )


def _count_tables(
    bins: Bins, parents: Parents, k: int, cells: np.ndarray, y: np.ndarray, weight: np.ndarray | None
) -> Tables:
    """Count the values of each attribute, and those for each combination of its parents' values."""
    single, tables = [], []
    for j, above in enumerate(parents):
        size = int(bins.size[j])
        single.append(value_table(cells[:, j], size, y, weight, k))
        if not above:
            tables.append(np.empty((0, 0, 0)))
            continue
        combinations = math.prod(int(bins.size[parent]) for parent in above)
        number = flat_index(cells[:, list(above)], bins.size[list(above)])
        both = np.where((number >= 0) & (cells[:, j] >= 0), number * size + cells[:, j], -1)
        tables.append(value_table(both, combinations * size, y, weight, k).reshape(k, combinations, size))
    return tuple(single), tuple(tables)


def _count_tables_of_chunk(bins: Bins, parents: Parents, k: int, chunk: Chunk) -> Tables:
    return _count_tables(bins, parents, k, bins.cells(chunk.matrix), chunk.y, chunk.weight)


def _pairs_within(
    pairs: list[tuple[int, int]], size: np.ndarray, k: int, memory: int
) -> Iterator[list[tuple[int, int]]]:
    """Cut pairs of columns into groups whose tables fit in the memory of one pass."""
    group: list[tuple[int, int]] = []
    held = 0
    for i, j in pairs:
        needed = 8 * k * int(size[i]) * int(size[j])
        if group and held + needed > memory:
            yield group
            group, held = [], 0
        group.append((i, j))
        held += needed
    if group:
        yield group


def _count_pairs(bins: Bins, pairs: list[tuple[int, int]], k: int, chunk: Chunk) -> tuple[np.ndarray, ...]:
    """Count the pairs of cells of some columns with the classes."""
    cells, size = bins.cells(chunk.matrix), bins.size
    return tuple(
        pair_table(cells[:, i], cells[:, j], int(size[i]), int(size[j]), chunk.y, chunk.weight, k) for i, j in pairs
    )
