"""CART (Breiman, Friedman, Olshen and Stone 1984)."""

from __future__ import annotations

from vaglio.learn.decision_tree import DecisionTreeClassifier


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
