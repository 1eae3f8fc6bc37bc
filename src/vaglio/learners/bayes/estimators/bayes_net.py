"""Bayesian network classifiers: naive Bayes with some dependences allowed."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import field
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from vaglio.encode import EncodedMatrix, guarded_from
from vaglio.engines.passes import Chunk, Facts, Pass, Passes
from vaglio.errors import NotSupportedError
from vaglio.learners.bayes.estimators.generative import Generative, resolve_priors
from vaglio.learners.bayes.estimators.intervals import learn_bins
from vaglio.learners.bayes.estimators.network_structure import (
    Parents,
    class_information,
    conditional_information,
    given_structure,
    information_of,
    information_of_pairs,
    k_dependence,
    pairs_to_count,
    tree_augmented,
    value_table,
)
from vaglio.learners.bayes.model.bayes_net import BayesNetModel
from vaglio.learners.bayes.model.bins import Bins, flat_index
from vaglio.learners.bayes.passes.cells import bins_passes, pairs_pass, pairs_within
from vaglio.learners.belief import belief_passes
from vaglio.learners.inputs import learn_belief
from vaglio.learners.parameters import COUNT_FROM_0, NOT_NEGATIVE, estimator

# Most numbers in one conditional table (160 MB): with more, nearly all combinations of the parents are unseen.
MOST_NUMBERS = 20_000_000


@estimator
class BayesianNetworkClassifier(Generative):
    """P(c)·Π P(xⱼ|c, parents of xⱼ): naive Bayes in which an attribute may also depend on others.

    Numbers are cut into intervals (each value by itself when there are at most ten, else where the class changes).
    Each table is smoothed towards the attribute's own frequencies in the class: (n + α·V·P(v|c)) / (n of the parents'
    values + α·V). Rows that lack a value are left out of the tables that need it; an attribute whose parents are
    missing counts by P(xⱼ|c). A nominal column of more than ten values depends on others only if their table has five
    rows per cell (``nominal_guard``).

    Parameters
    ----------
    structure : {"tan", "k-dependence", "naive"} or list of (parent, child)
        "tan": every attribute but one has one other parent, by the tree of largest conditional mutual information;
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
        For each nominal column of many values, the part of what it tells that is beyond chance (``nominal_guard``); a
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

    structure: str | list[tuple[str, str]] = field(default="tan", kw_only=False)
    k: int = 2
    alpha: float = 1.0
    nominal_guard: float | None = 0.0
    priors: Any = None
    class_weight: Any = None
    n_jobs: int | None = None

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> BayesNetModel:
        if self._counts_on_bins(matrix):
            learned = self._learn_by_passes(matrix, y, weight)
            assert isinstance(learned, BayesNetModel)
            return learned
        k = len(self.classes_)
        bins = learn_bins(matrix, y, weight, k, self._threads(), keep_few_values=True)
        cells = bins.cells(matrix)
        parents = self._structure(cells, bins, y, weight, k)
        class_count = np.bincount(y, weight, minlength=k).astype(np.float64)
        self.class_prior_ = resolve_priors(self.priors, class_count)
        names = [feature.name for feature in matrix.features]
        self.edges_ = [(names[p], names[j]) for j, above in enumerate(parents) for p in above]
        single = tuple(value_table(cells[:, j], int(size), y, weight, k) for j, size in enumerate(bins.size))
        tables = tuple(_parent_table(j, above, cells, bins, y, weight, k) for j, above in enumerate(parents))
        reliability = np.ones(matrix.n_features)
        reliability[matrix.nominal_features] = learn_belief(self, matrix, y, weight)
        known = (bins, class_count, self.class_prior_, parents, single, tables)
        return BayesNetModel(*known, float(self.alpha), reliability)

    def _passes(self, facts: Facts) -> Passes:
        k, features = facts.n_classes, facts.codebook.features
        bins, class_count = yield from bins_passes(facts, keep_few_values=True)
        parents = yield from self._structure_passes(bins, facts)
        self.class_prior_ = resolve_priors(self.priors, class_count)
        names = [feature.name for feature in features]
        self.edges_ = [(names[p], names[j]) for j, above in enumerate(parents) for p in above]
        _refuse_large(parents, bins, k)
        single, tables = yield Pass("tables of the network", partial(_network_tables, bins, parents, k))
        reliability = np.ones(len(features))
        nominal = [j for j, feature in enumerate(features) if feature.is_nominal]
        reliability[nominal] = yield from belief_passes(self, facts)
        known = (bins, class_count, self.class_prior_, parents, single, tables)
        return BayesNetModel(*known, float(self.alpha), reliability)

    def _structure_passes(self, bins: Bins, facts: Facts) -> Generator[Pass, Any, Parents]:
        if not isinstance(self.structure, str):
            return given_structure(self.structure, bins.features)
        if self.structure == "naive":
            return tuple(() for _ in bins.features)
        k, n = facts.n_classes, len(bins.features)
        pairs = pairs_to_count(bins.size, facts.n_rows, k, guarded_from(self.nominal_guard, facts.n_rows))
        tables: list[np.ndarray] = []
        for group in pairs_within(pairs, bins.size, k, facts.memory):
            tables += yield pairs_pass(bins, group, k)
        information = information_of_pairs(n, pairs, tables)
        if self.structure == "tan":
            return tree_augmented(information)
        single, _ = yield Pass("tables of the classes", partial(_network_tables, bins, ((),) * n, k))
        with_class = np.array([information_of(table[None]) for table in single])
        return k_dependence(information, with_class, self.k)

    def _structure(self, cells: np.ndarray, bins: Bins, y: np.ndarray, weight: np.ndarray | None, k: int) -> Parents:
        if not isinstance(self.structure, str):
            return given_structure(self.structure, bins.features)
        if self.structure == "naive":
            return tuple(() for _ in bins.features)
        most = guarded_from(self.nominal_guard, len(y))
        information = conditional_information(cells, bins.size, y, weight, k, most)
        if self.structure == "tan":
            return tree_augmented(information)
        return k_dependence(information, class_information(cells, bins.size, y, weight, k), self.k)

    def plot(self, ax: Any = None, *, target: str = "class") -> Any:
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


def _network_tables(
    bins: Bins, parents: Parents, k: int, chunk: Chunk
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    cells, y, weight = bins.cells(chunk.matrix), chunk.y, chunk.weight
    single = tuple(value_table(cells[:, j], int(size), y, weight, k) for j, size in enumerate(bins.size))
    return single, tuple(_parent_table(j, above, cells, bins, y, weight, k) for j, above in enumerate(parents))


def _refuse_large(parents: Parents, bins: Bins, k: int) -> None:
    """Refuse tables that are too large before rows are counted."""
    nothing = np.empty((0, len(bins.size)), dtype=np.int64)
    for j, above in enumerate(parents):
        _parent_table(j, above, nothing, bins, np.empty(0, dtype=np.int64), None, k)


def _parent_table(
    j: int,
    above: tuple[int, ...],
    cells: np.ndarray,
    bins: Bins,
    y: np.ndarray,
    weight: np.ndarray | None,
    k: int,
) -> np.ndarray:
    """Class weights (K, combinations of the parents, V) of an attribute; empty without parents."""
    if not above:
        return np.empty((0, 0, 0))
    combinations = 1
    for parent in above:
        combinations *= int(bins.size[parent])
    numbers = combinations * int(bins.size[j]) * k
    if numbers > MOST_NUMBERS:
        names = ", ".join(repr(bins.features[parent].name) for parent in above)
        raise NotSupportedError(
            f"The table of {bins.features[j].name!r} given {names} would have {numbers:.3g} numbers: give it "
            "fewer parents, or leave out the columns with many values."
        )
    number = flat_index(cells[:, list(above)], bins.size[list(above)])
    both = np.where((number >= 0) & (cells[:, j] >= 0), number * int(bins.size[j]) + cells[:, j], -1)
    flat = value_table(both, combinations * int(bins.size[j]), y, weight, k)
    return flat.reshape(k, combinations, int(bins.size[j]))
